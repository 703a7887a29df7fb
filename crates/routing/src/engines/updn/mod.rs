//! updn: up*/down* routing. Free of deadlocks on one lane, on any graph.
//!
//! [`roots`] says which switches are at the top (from `root_guid_file`, or found by themselves)
//! and how far below them the others stand. [`crate::paths::up_down`] holds the law of the paths.
//!
//! Differences from OpenSM, each for a reason:
//! * A switch has one way on to a destination, chosen so that the whole path is legal. OpenSM
//!   mixes hop counts of paths that a table cannot join, and gets illegal turns.
//! * Two root switches that are linked stand in the order of their ids, like any other two of one
//!   rank. With "up" both ways, linked roots could close a cycle.
//! * `connect_roots` joins all switches that have no legal path, not only roots: the switches
//!   between two roots need a way as well. Such paths may deadlock.
//! * Where no roots were named, paths between end ports are never missing: see [`bridge`].
//! * See [`roots`] for how roots are found.

pub(super) mod bridge;
mod roots;

use lk_fabric::SwitchId;
use lk_wire::Lid;

use super::generic::{Generic, name_of};
use crate::graph::Graph;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::ledger::Law;
use crate::paths::up_down::UpDown;
use crate::tables::Lfts;
use crate::targets::Targets;

/// The engine `updn`.
#[derive(Clone, Copy, Debug)]
pub struct UpDn;

impl UpDn {
    /// Paths climb towards the roots and then descend.
    pub(super) fn law(self, job: &RouteJob<'_>) -> Result<Law, Decline> {
        let Generic { graph, mut notes, .. } = Generic::new(job);
        let ranks = self.ranks(job, &graph, &mut notes)?;
        let order = order(job, |s| ranks[s]);
        let order = Some(self.bridged(job, &graph, order, &mut notes));
        let join_all = job.options.connect_roots;
        Ok(Law { graph, order, join_all, notes, says_unconnected: true })
    }

    fn ranks(
        self,
        job: &RouteJob<'_>,
        graph: &Graph,
        notes: &mut Vec<String>,
    ) -> Result<Vec<u32>, Decline> {
        roots::ranks(job, graph, notes).map_err(|reason| Decline { engine: self.name(), reason })
    }

    /// Completes the order, unless the roots are somebody's will or all is joined anyway.
    fn bridged(
        self,
        job: &RouteJob<'_>,
        graph: &Graph,
        order: Vec<u32>,
        notes: &mut Vec<String>,
    ) -> Vec<u32> {
        match job.options.roots.is_some() || job.options.connect_roots {
            true => order,
            false => complete(graph, order, notes),
        }
    }
}

impl Engine for UpDn {
    fn name(&self) -> &'static str {
        "updn"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let mut generic = Generic::new(job);
        let ranks = self.ranks(job, &generic.graph, &mut generic.notes)?;
        let order = order(job, |s| ranks[s]);
        let low = ranks.iter().copied().filter(|r| *r != roots::NO_RANK).max().unwrap_or(0);
        let height: Vec<u32> = ranks.iter().map(|r| low.saturating_sub(*r)).collect();
        let connect = job.options.connect_roots;
        let order = self.bridged(job, &generic.graph, order, &mut generic.notes);
        Ok(by_order(self.name(), generic, order, &height, connect))
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let (graph, _) = Generic::new(job).into_graph();
        let ranks = self.ranks(job, &graph, &mut Vec::new())?;
        let order = order(job, |s| ranks[s]);
        let order = self.bridged(job, &graph, order, &mut Vec::new());
        let rule = UpDown::new(&graph, order, job.options.connect_roots);
        Ok(Hops::up_down(&graph, &rule))
    }
}

/// The routes by up*/down* over an order of the switches, the highest first. What has no legal
/// path is said.
fn by_order(
    engine: &'static str,
    mut generic: Generic<'_>,
    order: Vec<u32>,
    height: &[u32],
    connect: bool,
) -> Routes {
    let lfts = {
        let rule = UpDown::new(&generic.graph, order, connect);
        generic.fill(&rule, height)
    };
    generic.notes.extend(generic.unconnected(&lfts));
    generic.routes(engine, lfts)
}

/// Says which switches with end ports cannot send to each other although they are connected.
pub(crate) fn unconnected(
    job: &RouteJob<'_>,
    graph: &Graph,
    targets: &Targets,
    lfts: &Lfts,
) -> Option<String> {
    let part = graph.parts();
    let end = |s: usize| targets.on(s).iter().find(|t| !t.is_switch());
    let leaves: Vec<(usize, Lid)> =
        (0..graph.len()).filter_map(|s| Some((s, end(s)?.base))).collect();
    let mut lost = 0_usize;
    let mut first = None;
    for (from, _) in &leaves {
        let row = &lfts.rows[*from];
        for (to, lid) in leaves.iter().filter(|(to, _)| part[*to] == part[*from]) {
            if row[usize::from(lid.0)] == Lfts::NO_PATH {
                lost += 1;
                first.get_or_insert((*from, *to));
            }
        }
    }
    let (from, to) = first?;
    let name = |s: usize| name_of(job.fabric, s);
    Some(format!(
        "{lost} of {} ways between switches with end ports are not legal and have no path, \
         one of them from {} to {}; connect_roots joins them, by paths that may deadlock; other \
         root switches may do without",
        leaves.len() * leaves.len().saturating_sub(1),
        name(from),
        name(to)
    ))
}

/// The order by which the paths between all end ports are legal: the given one, or that with a
/// [`bridge`], which is said.
pub(super) fn complete(graph: &Graph, order: Vec<u32>, notes: &mut Vec<String>) -> Vec<u32> {
    match bridge::bridged(graph, &order) {
        Some((order, count)) => {
            notes.push(format!(
                "some switches with end ports had no switch above both of them; {count} switches \
                 that join them are taken for the topmost ones"
            ));
            order
        }
        None => order,
    }
}

/// The switches from the top down: by a key, then by the id of `ids_guid_file` or else the GUID,
/// then by GUID.
pub(super) fn order<K: Ord>(job: &RouteJob<'_>, key: impl Fn(usize) -> K) -> Vec<u32> {
    let mut ids = job.options.ids.clone();
    ids.sort_by_key(|(guid, _)| *guid);
    let key = |s: &u32| {
        let guid = job.fabric.node(job.fabric.switch_node(SwitchId(*s))).guid;
        let own = ids.binary_search_by_key(&guid, |(g, _)| *g).ok().map(|at| ids[at].1);
        (key(*s as usize), own.unwrap_or(guid.0), guid)
    };
    let mut order: Vec<u32> = (0..job.fabric.switches().len() as u32).collect();
    order.sort_by_cached_key(key);
    order
}
