//! dnup: updn upside down. Ranks are counted from the leaf switches, so no roots are needed.
//!
//! A path climbs away from the leaf switches and then descends. The law is that of
//! [`crate::paths::up_down`]: the farther a switch is from the nearest end port, the higher it
//! stands.
//!
//! A difference from OpenSM: there, steps between switches of one rank are free. Where all
//! switches have end ports nothing at all is forbidden then, and packets can deadlock. Here
//! switches of one rank that are linked stand in an order as well: by their distance from one in
//! their middle, then by id. All of them have a way up to that one, so none is cut off from
//! another. And where two switches with end ports have none above both, some are lifted; see
//! [`super::updn::bridge`].

use std::collections::VecDeque;

use super::generic::Generic;
use super::updn::{complete, order};
use crate::graph::Graph;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::ledger::Law;
use crate::paths::up_down::UpDown;

/// The engine `dnup`.
#[derive(Clone, Copy, Debug)]
pub struct DnUp;

impl Engine for DnUp {
    fn name(&self) -> &'static str {
        "dnup"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let mut generic = Generic::new(job);
        let height = self.heights(&generic.graph)?;
        let mut notes = Vec::new();
        let order = from_top(job, &generic.graph, &height, &mut notes);
        generic.notes.extend(notes);
        let lfts = {
            let rule = UpDown::new(&generic.graph, order, job.options.connect_roots);
            generic.fill(&rule, &height)
        };
        Ok(generic.routes(self.name(), lfts))
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let (graph, _) = Generic::new(job).into_graph();
        let order = from_top(job, &graph, &self.heights(&graph)?, &mut Vec::new());
        let rule = UpDown::new(&graph, order, job.options.connect_roots);
        Ok(Hops::up_down(&graph, &rule))
    }
}

impl DnUp {
    /// Paths climb away from the leaf switches and then descend.
    pub(super) fn law(self, job: &RouteJob<'_>) -> Result<Law, Decline> {
        let Generic { graph, mut notes, .. } = Generic::new(job);
        let order = from_top(job, &graph, &self.heights(&graph)?, &mut notes);
        let join_all = job.options.connect_roots;
        Ok(Law { graph, order: Some(order), join_all, notes, says_unconnected: false })
    }

    /// The distance of each switch from the nearest one with end ports.
    fn heights(self, graph: &Graph) -> Result<Vec<u32>, Decline> {
        let leaves: Vec<usize> = (0..graph.len()).filter(|s| !graph.hosts(*s).is_empty()).collect();
        if leaves.is_empty() && !graph.is_empty() {
            let reason =
                "no switch has an end port, so there is no leaf switch to count ranks from"
                    .to_owned();
            return Err(Decline { engine: self.name(), reason });
        }
        let mut height = vec![u32::MAX; graph.len()];
        spread(graph, &mut height, &leaves, |_| true);
        // What no leaf switch reaches has nothing to carry.
        Ok(height.into_iter().map(|h| if h == u32::MAX { 0 } else { h }).collect())
    }
}

/// The switches, the highest first.
fn from_top(
    job: &RouteJob<'_>,
    graph: &Graph,
    height: &[u32],
    notes: &mut Vec<String>,
) -> Vec<u32> {
    let inner = remoteness(job, graph, height);
    let order = order(job, |s| (u32::MAX - height[s], inner[s]));
    match job.options.connect_roots {
        true => order,
        false => complete(graph, order, notes),
    }
}

/// For each switch its distance from the middle of those of its height that it is joined to by
/// switches of that height.
fn remoteness(job: &RouteJob<'_>, graph: &Graph, height: &[u32]) -> Vec<u32> {
    let mut out = vec![u32::MAX; graph.len()];
    for s in order(job, |_| ()).into_iter().map(|s| s as usize) {
        if out[s] != u32::MAX {
            continue;
        }
        let level = |peer: usize| height[peer] == height[s];
        if !graph.links(s).iter().any(|l| level(l.peer.index())) {
            out[s] = 0;
            continue;
        }
        let mut from_start = vec![u32::MAX; graph.len()];
        let near = spread(graph, &mut from_start, &[s], level);
        if near.len() < 3 {
            near.iter().for_each(|at| out[*at] = from_start[*at]);
            continue;
        }
        // From one end to the other, and back half the way.
        let end = near.last().copied().unwrap_or(s);
        let mut from_end = vec![u32::MAX; graph.len()];
        let far = spread(graph, &mut from_end, &[end], level);
        let mut middle = far.last().copied().unwrap_or(s);
        for _ in 0..from_end[middle] / 2 {
            let nearer = |peer: &usize| level(*peer) && from_end[*peer] < from_end[middle];
            let peers = graph.links(middle).iter().map(|l| l.peer.index());
            middle = peers.filter(nearer).min().unwrap_or(middle);
        }
        spread(graph, &mut out, &[middle], level);
    }
    out
}

/// Writes the distances from `starts` to what can be reached over switches that `may` be passed;
/// those switches, the nearest first.
fn spread(
    graph: &Graph,
    distance: &mut [u32],
    starts: &[usize],
    may: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut queue: VecDeque<usize> = starts.iter().copied().collect();
    let mut reached = starts.to_vec();
    starts.iter().for_each(|s| distance[*s] = 0);
    while let Some(s) = queue.pop_front() {
        for peer in graph.links(s).iter().map(|l| l.peer.index()) {
            if distance[peer] == u32::MAX && may(peer) {
                distance[peer] = distance[s] + 1;
                reached.push(peer);
                queue.push_back(peer);
            }
        }
    }
    reached
}
