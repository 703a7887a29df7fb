//! Chooses the paths.

use lk_fabric::PortId;
use lk_wire::Lid;
use rayon::prelude::*;

use super::columns::Columns;
use super::flow::{count, routes};
use super::groups::{Group, groups};
use super::round::{Round, round};
use super::slope::Slope;
use crate::balance::climbs::Climbs;
use crate::balance::height::above_leaves;
use crate::balance::spread::Spread;
use crate::balance::ties::Taste;
use crate::balance::trunk::summits;
use crate::balance::turns::by_switch;
use crate::deps::settle::Move;
use crate::deps::turn_set::TurnSet;
use crate::deps::turns::Turns;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::min_hops::MinHops;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// How many times all groups are routed anew at most.
const ROUNDS: usize = 4;

/// A fabric with more entries than this is large.
const LARGE: usize = 1 << 20;

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

    /// The routes between end ports that each link carries, and the LIDs of end ports.
    pub(crate) fn routes(&self, graph: &Graph) -> (Vec<u64>, Vec<u32>) {
        routes(graph, &self.groups, &self.columns)
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
        count(graph, &self.groups, &self.columns, &mut self.weights);
    }

    /// Lets some switches send on by other links.
    pub(crate) fn redirect(&mut self, graph: &Graph, moves: &[Move]) {
        if moves.is_empty() {
            return;
        }
        for Move { column, switch, cell } in moves {
            self.columns.cells[column * self.columns.switches + switch] = *cell;
        }
        self.weights.fill(1);
        count(graph, &self.groups, &self.columns, &mut self.weights);
    }

    /// Routes all LIDs anew, away from turns that are not in a set where they can be.
    pub(crate) fn steer(&mut self, graph: &Graph, turns: &Turns<'_>, liked: &TurnSet) {
        let (weights, cells) = (&mut self.weights, &mut self.columns.cells);
        round(graph, &self.groups, weights, cells, Round::Steer(turns, liked), u64::MAX);
    }
}

/// Routes all LIDs over paths with the fewest hops.
///
/// Where some switches stand above others, as in a tree, each class of destinations starts from
/// paths on which every switch has spread what it sends; elsewhere destinations are routed one
/// after the other by the load of whole paths. Then, while it helps the fullest link, one after the
/// other is taken off its links and routed anew so.
pub(crate) fn fill(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Filled {
    fill_by(job, graph, targets, is_flat(graph), (ROUNDS, Round::Relieve))
}

/// As [`fill`], but a large fabric is routed anew no more than once: what is left is evened out
/// afterwards, entry by entry.
pub(crate) fn fill_roughly(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Filled {
    let entries = graph.len() * usize::from(job.lids.top().0);
    let rounds = if entries > LARGE { 1 } else { ROUNDS };
    fill_by(job, graph, targets, is_flat(graph), (rounds, Round::Relieve))
}

/// As [`fill`], but the routes to one destination are not parted to relieve single links: they make
/// fewer turns.
pub(crate) fn fill_plainly(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Filled {
    fill_by(job, graph, targets, is_flat(graph), (ROUNDS, |_| Round::Improve))
}

/// As [`fill_plainly`], but on all fabrics from paths on which every switch has spread what it
/// sends, which makes the fewest turns.
pub(crate) fn fill_spread(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Filled {
    fill_by(job, graph, targets, false, (ROUNDS, |_| Round::Improve))
}

/// Whether no switch stands above others.
pub(crate) fn is_flat(graph: &Graph) -> bool {
    above_leaves(graph).iter().all(|height| *height == 0)
}

fn fill_by(
    job: &RouteJob<'_>,
    graph: &Graph,
    targets: &Targets,
    is_flat: bool,
    (rounds, anew): (usize, impl Fn(u64) -> Round<'static>),
) -> Filled {
    let mut filled = Filled::new(job, graph, targets);
    let Filled { columns, groups, weights } = &mut filled;
    // Switches themselves are spread together with the last end ports.
    for groups in groups.chunk_by(|a, b| a.class == b.class || b.of_switch()) {
        let class = groups[0].columns.start..groups[groups.len() - 1].columns.end;
        if is_flat {
            first(graph, groups, columns, weights);
        } else {
            let (lfts, ..) = spread_some(job, graph, &columns.lids[class.clone()]);
            columns.load(graph, &lfts, class.clone());
            count(graph, groups, columns, weights);
        }
        // No switch itself is sent enough for it to matter.
        let ends = &groups[..groups.partition_point(|group| !group.of_switch())];
        if let Some(last) = ends.last() {
            let cells = class.start * graph.len()..last.columns.end * graph.len();
            refine(graph, ends, weights, &mut columns.cells[cells], (rounds, &anew));
        }
    }
    filled
}

/// Routes destinations one after the other. A switch itself is reached by the way of the first end
/// port on it that is among them.
fn first(graph: &Graph, groups: &[Group], columns: &mut Columns, weights: &mut [u64]) {
    let n = graph.len();
    let (ends, switches) = groups.split_at(groups.partition_point(|group| !group.of_switch()));
    let mut column_of = vec![None; n];
    for group in ends {
        column_of[group.home as usize] = Some(group.columns.start);
    }
    let start = groups[0].columns.start * n;
    let middle = start + ends.iter().map(|group| group.columns.len()).sum::<usize>() * n;
    let end = groups[groups.len() - 1].columns.end * n;
    round(graph, ends, weights, &mut columns.cells[start..middle], Round::First, u64::MAX);
    let like: Option<Vec<usize>> = switches.iter().map(|g| column_of[g.home as usize]).collect();
    let Some(like) = like else {
        round(graph, switches, weights, &mut columns.cells[middle..end], Round::First, u64::MAX);
        return;
    };
    for (group, like) in switches.iter().zip(like) {
        for column in group.columns.clone() {
            columns.cells.copy_within(like * n..(like + 1) * n, column * n);
        }
    }
}

/// The paths that a class starts from.
fn spread_some(job: &RouteJob<'_>, graph: &Graph, lids: &[Lid]) -> (Lfts, Vec<u64>, Vec<u32>) {
    let mut ends: Vec<PortId> = lids.iter().filter_map(|lid| job.lids.port(*lid)).collect();
    ends.sort_unstable();
    let ranges = job.lids.ranges().iter().filter(|(end, _, _)| ends.binary_search(end).is_ok());
    let map = &LidMap::new(ranges.copied().collect());
    spread(graph, &Targets::new(job.fabric, graph, map), map)
}

/// Paths on which every switch has spread what it sends, and what they make links carry: routes
/// between end ports, and LIDs.
pub(crate) fn spread(graph: &Graph, targets: &Targets, map: &LidMap) -> (Lfts, Vec<u64>, Vec<u32>) {
    let climbs = &Climbs::new(graph, &above_leaves(graph), &[]);
    let turns = &by_switch(targets, graph.len(), &[]);
    let taste = &Taste::default();
    let summits = &summits(climbs, turns, map, taste);
    let roads = MinHops::new(graph);
    Spread { graph, targets, map, turns, rule: &roads, roads, taste, climbs, summits }
        .fill_and_weigh()
}

/// Routes a class anew while that helps the fullest link.
fn refine(
    graph: &Graph,
    groups: &[Group],
    weights: &mut [u64],
    cells: &mut [u8],
    (rounds, anew): (usize, impl Fn(u64) -> Round<'static>),
) {
    let fullest = |weights: &[u64]| weights.iter().copied().max().unwrap_or(0);
    let mean = |weights: &[u64]| {
        let used = weights.iter().filter(|w| **w > 1).count() as u64;
        weights.iter().sum::<u64>() / used.max(1)
    };
    // A tenth above the mean is as good as it gets where lengths of paths are fixed.
    let goal = mean(weights) + mean(weights) / 10;
    if fullest(weights) <= goal {
        return;
    }
    let mut best = (fullest(weights), weights.to_vec(), cells.to_vec());
    for _ in 0..rounds {
        let what = anew(goal + (best.0 - goal) / 2);
        if !round(graph, groups, weights, cells, what, best.0 + best.0 / 8) {
            break;
        }
        let now = fullest(weights);
        let helped = now + now / 16 < best.0;
        if now < best.0 && (!helped || now <= goal) {
            return;
        }
        if now < best.0 {
            best.0 = now;
            best.1.copy_from_slice(weights);
            best.2.copy_from_slice(cells);
        }
        if !helped {
            break;
        }
    }
    weights.copy_from_slice(&best.1);
    cells.copy_from_slice(&best.2);
}
