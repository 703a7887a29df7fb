//! Ranks, and which end ports are for computing.

use std::collections::VecDeque;

use lk_fabric::{Fabric, NodeKind, PortId};
use lk_wire::Guid;

use crate::graph::Graph;
use crate::job::RouteJob;

/// The rank of a switch that no root reaches.
pub(super) const NO_RANK: u32 = u32::MAX;

/// The tree as it is found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    /// The rank of each switch: 0 for roots, [`NO_RANK`] for what no root reaches.
    pub(super) rank: Vec<u32>,
    /// The rank of the leaf switches.
    pub(super) leaf_rank: u32,
    /// Whether the roots were named, so that the tree need not be a pure one.
    pub(super) roots_named: bool,
    /// The compute nodes by switch, ascending by the switch's port.
    pub(super) compute: Vec<Vec<PortId>>,
}

/// Whether an end port belongs to an adapter.
pub(super) fn is_adapter(fabric: &Fabric, end: PortId) -> bool {
    fabric.node(fabric.owner(end)).kind == NodeKind::Ca
}

impl Tree {
    /// Ranks the switches.
    ///
    /// # Errors
    /// The reason why there are no ranks.
    pub(super) fn find(
        job: &RouteJob<'_>,
        graph: &Graph,
        notes: &mut Vec<String>,
    ) -> Result<Self, String> {
        let fabric = job.fabric;
        let compute = compute(job, graph);
        let roots_named = job.options.roots.is_some();
        let roots = named(job, notes);
        let rank = if roots.is_empty() { by_leaves(fabric, graph) } else { from(graph, &roots) };
        let leaf_rank = if roots.is_empty() {
            rank.iter().copied().filter(|r| *r != NO_RANK).max().unwrap_or(0)
        } else {
            first_compute(fabric, &compute).map_or(0, |s| rank[s])
        };
        Ok(Self { rank, leaf_rank, roots_named, compute })
    }

    /// How high each switch stands above the lowest.
    pub(super) fn heights(&self) -> Vec<u32> {
        let low = self.rank.iter().copied().filter(|r| *r != NO_RANK).max().unwrap_or(0);
        self.rank.iter().map(|rank| low.saturating_sub(*rank)).collect()
    }
}

/// The compute nodes by switch: those that cn_guid_file names, or all that io_guid_file does not.
fn compute(job: &RouteJob<'_>, graph: &Graph) -> Vec<Vec<PortId>> {
    let sorted = |list: &Option<Vec<Guid>>| {
        list.clone().map(|mut list| {
            list.sort_unstable();
            list
        })
    };
    let (named, io) = (sorted(&job.options.cn_guids), sorted(&job.options.io_guids));
    let has = |list: &Vec<Guid>, guid: Guid| list.binary_search(&guid).is_ok();
    let is_compute = |end: &PortId| {
        let guid = job.fabric.port(*end).guid;
        let for_io = io.as_ref().is_some_and(|list| has(list, guid));
        is_adapter(job.fabric, *end) && named.as_ref().map_or(!for_io, |list| has(list, guid))
    };
    let on = |s: usize| graph.hosts(s).iter().map(|host| host.end).filter(is_compute).collect();
    (0..graph.len()).map(on).collect()
}

/// The switch of the compute node that comes first in OpenSM's order of GUIDs.
fn first_compute(fabric: &Fabric, compute: &[Vec<PortId>]) -> Option<usize> {
    let all = compute.iter().enumerate().flat_map(|(s, ends)| ends.iter().map(move |e| (s, *e)));
    let key = |(_, end): &(usize, PortId)| {
        let guid = fabric.node(fabric.owner(*end)).guid;
        (guid.0.swap_bytes(), *end)
    };
    all.min_by_key(key).map(|(s, _)| s)
}

/// The switches that root_guid_file names.
fn named(job: &RouteJob<'_>, notes: &mut Vec<String>) -> Vec<usize> {
    let Some(guids) = &job.options.roots else { return Vec::new() };
    let mut roots = Vec::new();
    for guid in guids {
        match job.fabric.node_by_guid(*guid).and_then(|n| job.fabric.as_switch(n)) {
            Some(switch) => roots.push(switch.index()),
            None => notes.push(format!("root GUID {guid} is no switch here and is skipped")),
        }
    }
    if roots.is_empty() {
        notes.push("no root GUID is a switch here; ranks are counted from the hosts".to_owned());
    }
    roots
}

/// Ranks by the distance from the switches with adapters: the farthest are the roots.
fn by_leaves(fabric: &Fabric, graph: &Graph) -> Vec<u32> {
    let leaf = |s: &usize| graph.hosts(*s).iter().any(|host| is_adapter(fabric, host.end));
    let leaves: Vec<usize> = (0..graph.len()).filter(leaf).collect();
    let height = from(graph, &leaves);
    let most = height.iter().copied().filter(|h| *h != NO_RANK).max().unwrap_or(0);
    let tops: Vec<usize> =
        height.iter().enumerate().filter(|(_, h)| **h == most).map(|(s, _)| s).collect();
    from(graph, &tops)
}

/// Distances from the nearest of some switches.
fn from(graph: &Graph, starts: &[usize]) -> Vec<u32> {
    let mut rank = vec![NO_RANK; graph.len()];
    let mut queue: VecDeque<usize> = starts.iter().copied().collect();
    for s in starts {
        rank[*s] = 0;
    }
    while let Some(s) = queue.pop_front() {
        for peer in graph.links(s).iter().map(|l| l.peer.index()) {
            if rank[peer] == NO_RANK {
                rank[peer] = rank[s] + 1;
                queue.push_back(peer);
            }
        }
    }
    rank
}
