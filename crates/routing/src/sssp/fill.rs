//! Chooses the paths.

use lk_fabric::PortId;
use lk_wire::Lid;
use rayon::prelude::*;

use super::columns::Columns;
use super::groups::{Group, groups};
use super::round::{Round, round};
use super::slope::Slope;
use crate::balance::climbs::Climbs;
use crate::balance::height::above_leaves;
use crate::balance::spread::Spread;
use crate::balance::ties::Taste;
use crate::balance::trunk::summits;
use crate::balance::turns::by_switch;
use crate::deps::turn_set::TurnSet;
use crate::deps::turns::Turns;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::min_hops::MinHops;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// How many times all groups are routed anew at most.
const ROUNDS: usize = 4;

/// Paths of all LIDs.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    /// The paths.
    pub(crate) columns: Columns,
    groups: Vec<Group>,
    /// What each link carries.
    weights: Vec<u64>,
}

impl Filled {
    /// No paths yet.
    pub(crate) fn new(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Self {
        let (groups, lids) = groups(job, graph, targets);
        let columns = Columns::new(graph.len(), lids);
        // No link starts at nothing, or the first choice would be between equal sums of nothing.
        Self { columns, groups, weights: vec![1; graph.link_count()] }
    }

    /// What each link carries.
    pub(crate) fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// What the fullest link carries.
    pub(crate) fn fullest(&self) -> u64 {
        self.weights.iter().copied().max().unwrap_or(0)
    }

    /// Puts paths in the place of all that there are: `path` fills a column, towards the switches
    /// that a slope leads to.
    pub(crate) fn set(&mut self, graph: &Graph, path: impl Fn(&Slope, usize, &mut [u8]) + Sync) {
        let n = graph.len().max(1);
        let mut left = &mut self.columns.cells[..];
        let mut work = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let (cells, rest) = left.split_at_mut(group.columns.len() * graph.len());
            left = rest;
            work.push((group, cells));
        }
        work.into_par_iter().for_each_init(Slope::default, |slope, (group, cells)| {
            slope.load(graph, group.home as usize);
            for (at, column) in cells.chunks_mut(n).enumerate() {
                path(slope, at, column);
            }
        });
        self.weights.fill(1);
        let (weights, cells) = (&mut self.weights, &mut self.columns.cells);
        round(graph, &self.groups, weights, cells, Round::Count);
    }

    /// Routes all LIDs anew, away from turns that are not in a set where they can be.
    pub(crate) fn steer(&mut self, graph: &Graph, turns: &Turns<'_>, liked: &TurnSet) {
        let (weights, cells) = (&mut self.weights, &mut self.columns.cells);
        round(graph, &self.groups, weights, cells, Round::Steer(turns, liked));
    }
}

/// Routes all LIDs over paths with the fewest hops.
///
/// Each class of destinations starts from paths on which every switch has spread what it sends,
/// and then, while it helps the fullest link, takes one destination after the other off its links
/// and routes it by the load of whole paths.
pub(crate) fn fill(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Filled {
    let mut filled = Filled::new(job, graph, targets);
    let Filled { columns, groups, weights } = &mut filled;
    for groups in groups.chunk_by(|a, b| a.class == b.class) {
        let class = groups[0].columns.start..groups[groups.len() - 1].columns.end;
        columns.load(graph, &spread(job, graph, &columns.lids[class.clone()]), class.clone());
        let cells = &mut columns.cells[class.start * graph.len()..class.end * graph.len()];
        round(graph, groups, weights, cells, Round::Count);
        refine(graph, groups, weights, cells);
    }
    filled
}

/// The paths that a class starts from.
fn spread(job: &RouteJob<'_>, graph: &Graph, lids: &[Lid]) -> Lfts {
    let mut ends: Vec<PortId> = lids.iter().filter_map(|lid| job.lids.port(*lid)).collect();
    ends.sort_unstable();
    let ranges = job.lids.ranges().iter().filter(|(end, _, _)| ends.binary_search(end).is_ok());
    let map = &LidMap::new(ranges.copied().collect());
    let targets = &Targets::new(job.fabric, graph, map);
    let climbs = &Climbs::new(graph, &above_leaves(graph), &[]);
    let turns = &by_switch(targets, graph.len(), &[]);
    let taste = &Taste::default();
    let summits = &summits(climbs, turns, map, taste);
    let roads = MinHops::new(graph);
    Spread { graph, targets, map, turns, rule: &roads, roads, taste, climbs, summits }.fill()
}

/// Routes a class anew while that helps the fullest link.
fn refine(graph: &Graph, groups: &[Group], weights: &mut [u64], cells: &mut [u8]) {
    let fullest = |weights: &[u64]| weights.iter().copied().max().unwrap_or(0);
    // No switch itself is sent enough for it to matter.
    if groups.iter().any(Group::of_switch) {
        return;
    }
    let mut best = (fullest(weights), weights.to_vec(), cells.to_vec());
    for _ in 0..ROUNDS {
        let used = weights.iter().filter(|w| **w > 1).count() as u64;
        let mean = weights.iter().sum::<u64>() / used.max(1);
        // A tenth above the mean is as good as it gets where lengths of paths are fixed.
        if best.0 <= mean + mean / 10 {
            break;
        }
        round(graph, groups, weights, cells, Round::Improve);
        let now = fullest(weights);
        let helped = now + now / 64 < best.0;
        if now < best.0 {
            best = (now, weights.to_vec(), cells.to_vec());
        }
        if !helped {
            break;
        }
    }
    weights.copy_from_slice(&best.1);
    cells.copy_from_slice(&best.2);
}
