//! Chooses the paths.

use lk_fabric::PortId;
use lk_wire::Lid;
use rayon::prelude::*;

use super::columns::{Columns, NO_LINK};
use super::groups::{Group, groups};
use super::slope::Slope;
use crate::balance::climbs::Climbs;
use crate::balance::height::above_leaves;
use crate::balance::spread::Spread;
use crate::balance::ties::Taste;
use crate::balance::trunk::summits;
use crate::balance::turns::by_switch;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::min_hops::MinHops;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// Groups that are routed side by side at most. They do not see each other's changes.
const BATCH: usize = 8;

/// Fewer than so many batches make no round: what moves at once must be a small part of all.
const BATCHES: usize = 32;

/// How many times all groups are routed anew at most.
const ROUNDS: usize = 4;

/// The weight of a route from an end port, against 1 for a route from a switch's own port.
const HOST: u64 = 256;

/// Routes all LIDs over paths with the fewest hops.
///
/// Each class of destinations starts from paths on which every switch has spread what it sends,
/// and then, while it helps the fullest link, takes one destination after the other off its links
/// and routes it by the load of whole paths.
pub(crate) fn fill(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Columns {
    let (groups, lids) = groups(job, graph, targets);
    let mut columns = Columns::new(graph.len(), lids);
    // No link starts at nothing, or the first choice would be between equal sums of nothing.
    let mut weights = vec![1_u64; graph.link_count()];
    for groups in groups.chunk_by(|a, b| a.class == b.class) {
        let class = groups[0].columns.start..groups[groups.len() - 1].columns.end;
        columns.load(graph, &spread(job, graph, &columns.lids[class.clone()]), class.clone());
        let cells = &mut columns.cells[class.start * graph.len()..class.end * graph.len()];
        round(graph, groups, &mut weights, cells, Round::Count);
        refine(graph, groups, &mut weights, cells);
    }
    columns
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

/// What is done with the routes of each group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Round {
    /// They are added to the links.
    Count,
    /// They are taken off the links, chosen anew and added again.
    Improve,
}

fn round(graph: &Graph, groups: &[Group], weights: &mut [u64], cells: &mut [u8], what: Round) {
    let size = match what {
        Round::Count => groups.len(),
        Round::Improve => (groups.len() / BATCHES).clamp(1, BATCH),
    };
    let mut left = cells;
    for batch in groups.chunks(size.max(1)) {
        let mut work = Vec::with_capacity(batch.len());
        for group in batch {
            let (cells, rest) = left.split_at_mut(group.columns.len() * graph.len());
            left = rest;
            work.push((group, cells));
        }
        let seen = &*weights;
        let add = |mut sum: Vec<u64>, room: &Room| {
            room.add_to(&mut sum);
            sum
        };
        let sum = work
            .into_par_iter()
            .fold(
                || (Room::default(), Vec::new()),
                |(mut room, sum), (group, cells)| {
                    room.route(graph, group, seen, cells, what);
                    let sum = if sum.is_empty() { vec![0; seen.len()] } else { sum };
                    let sum = add(sum, &room);
                    (room, sum)
                },
            )
            .map(|(_, sum)| sum)
            .reduce(Vec::new, |mut a, b| {
                if a.is_empty() {
                    return b;
                }
                a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b));
                a
            });
        weights.iter_mut().zip(sum).for_each(|(w, more)| *w = w.wrapping_add(more));
    }
}

/// What a link of this weight costs: its square, for the fullest links matter most.
fn steep(weight: u64, unit: u64) -> u64 {
    let units = (weight / unit).min(1 << 18);
    units * units
}

/// Room for the work on a group, kept from one to the next.
#[derive(Default)]
struct Room {
    slope: Slope,
    /// The weight of each step's link, and what it was at first.
    weights: Vec<u64>,
    before: Vec<u64>,
    /// How many LIDs of the same port took each step.
    taken: Vec<u8>,
    /// By place: the least weight of a path from there.
    costs: Vec<u64>,
    /// By place: the step taken.
    chosen: Vec<u32>,
    /// By place: the weight of what passes.
    passing: Vec<u64>,
}

impl Room {
    /// Works on a group, whose columns hold its routes of the round before.
    fn route(&mut self, graph: &Graph, group: &Group, seen: &[u64], cells: &mut [u8], what: Round) {
        self.slope.load(graph, group.home as usize);
        self.before.clear();
        self.before.extend(self.slope.links.iter().map(|l| seen[*l as usize]));
        self.weights.clone_from(&self.before);
        self.taken.clear();
        self.taken.resize(self.weights.len(), 0);
        let unit = self.before.iter().sum::<u64>() / self.before.len().max(1) as u64 / 1024 + 1;
        let several = group.further.contains(&true);
        for (column, further) in cells.chunks_mut(graph.len()).zip(&group.further) {
            self.recall(graph, column);
            if what == Round::Count {
                self.carry(graph, group, u64::wrapping_add);
                continue;
            }
            self.carry(graph, group, u64::wrapping_sub);
            if !several {
                self.choose(|weight, _| steep(weight, unit));
            } else {
                if !further {
                    self.taken.fill(0);
                }
                // A link that this port's other LIDs do not use comes first.
                self.choose(|weight, taken| steep(weight, unit) + (u64::from(taken) << 48));
                for step in &self.chosen[1..] {
                    let taken = &mut self.taken[*step as usize];
                    *taken = taken.saturating_add(1);
                }
            }
            self.carry(graph, group, u64::wrapping_add);
            self.write(graph, column);
        }
    }

    /// Adds what the links of the last group gained, modulo 2^64.
    fn add_to(&self, sum: &mut [u64]) {
        let changes = self.slope.links.iter().zip(self.weights.iter().zip(&self.before));
        for (link, (now, was)) in changes {
            let cell = &mut sum[*link as usize];
            *cell = cell.wrapping_add(now.wrapping_sub(*was));
        }
    }

    /// Takes at each switch the step with the lightest path, the nearest switches first. The step
    /// that it has is kept unless there is a lighter one.
    fn choose(&mut self, cost: impl Fn(u64, u8) -> u64) {
        let places = self.slope.order.len();
        self.costs.clear();
        self.costs.resize(places, 0);
        for at in 1..places {
            let steps = self.slope.first[at] as usize..self.slope.first[at + 1] as usize;
            let old = self.chosen[at] as usize;
            let step_cost = |room: &Self, step: usize| {
                let next = room.costs[room.slope.next[step] as usize];
                next + cost(room.weights[step], room.taken[step])
            };
            let (mut best, mut least) = (old, step_cost(self, old));
            for step in steps {
                let cost = step_cost(self, step);
                if cost < least {
                    (best, least) = (step, cost);
                }
            }
            self.chosen[at] = best as u32;
            self.costs[at] = least;
        }
    }

    /// Brings the sources of all switches to the destination, the farthest first, and changes
    /// the weights of the links that they use.
    fn carry(&mut self, graph: &Graph, group: &Group, change: impl Fn(u64, u64) -> u64) {
        let sources = |s: &u32| match group.of_switch() {
            true => 1,
            false => graph.hosts(*s as usize).len() as u64 * HOST + 1,
        };
        self.passing.clear();
        self.passing.extend(self.slope.order.iter().map(sources));
        for at in (1..self.passing.len()).rev() {
            let step = self.chosen[at] as usize;
            let passing = self.passing[at];
            self.weights[step] = change(self.weights[step], passing);
            self.passing[self.slope.next[step] as usize] += passing;
        }
    }

    /// Reads the steps taken from a column.
    fn recall(&mut self, graph: &Graph, column: &[u8]) {
        self.chosen.clear();
        for (at, s) in self.slope.order.iter().enumerate() {
            let link = graph.first_link(*s as usize) as u32 + u32::from(column[*s as usize]);
            let (first, last) = (self.slope.first[at], self.slope.first[at + 1]);
            let steps = &self.slope.links[first as usize..last as usize];
            // Links of a switch ascend, and the destination has none.
            self.chosen.push(first + steps.partition_point(|l| *l < link) as u32);
        }
    }

    /// Writes the steps taken into a column.
    fn write(&self, graph: &Graph, column: &mut [u8]) {
        column.fill(NO_LINK);
        for (s, step) in self.slope.order.iter().zip(&self.chosen).skip(1) {
            let link = self.slope.links[*step as usize] as usize;
            column[*s as usize] = (link - graph.first_link(*s as usize)) as u8;
        }
    }
}
