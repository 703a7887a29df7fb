//! Gives each path of finished tables a lane, so that no lane has a circle.
//!
//! Lanes are filled one after the other. Where all paths that are left fit into one lane together,
//! it takes them. Otherwise the turns that most of these paths make are let in first, as long as
//! they close no circle; paths whose turns are all in have found their lane. Then the turns that
//! turned out to be of no use are dropped, and the paths that are left are tried one by one. Where
//! all lanes are full and a few paths are left, other ways are looked for.
//!
//! A path is that of a switch to a LID: all that start at a switch go the same way and share it.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::escape::Escape;
use super::lane::{Lane, Verdict};
use super::order::{Ordered, order};
use super::settle::{Move, settle};
use super::turn_set::TurnSet;
use super::turns::Turns;
use super::walk::{Nearest, Walk};
use crate::graph::Graph;
use crate::sssp::columns::Columns;

/// Stands for "no lane yet".
pub(crate) const NONE: u8 = u8::MAX;

/// The lanes of all paths: one byte for each cell of the columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assigned {
    /// By column and switch. [`NONE`] where there is no path, or none that matters.
    pub(crate) lanes: Vec<u8>,
    /// How many lanes there are; 1 at least.
    pub(crate) count: usize,
    /// How many paths each lane has.
    pub(crate) paths: Vec<u64>,
    /// The turns of the first lane and all others that it could take; none if it does not matter.
    pub(crate) first: TurnSet,
    /// Whether packets along all of the tree can share the first lane.
    pub(crate) groups: bool,
    /// Other ways for a few paths, without which there would be too few lanes.
    pub(crate) moves: Vec<Move>,
}

/// Paths to be given lanes.
pub(crate) struct Paths<'a> {
    /// The switches.
    pub(crate) graph: &'a Graph,
    /// Their turns.
    pub(crate) turns: &'a Turns<'a>,
    /// Their distances.
    pub(crate) nearest: &'a Nearest,
    /// The tables.
    pub(crate) columns: &'a Columns,
    /// For each column whether it leads to a switch itself. Only what comes from end ports
    /// matters then.
    pub(crate) to_switch: Vec<bool>,
    /// Whether there is one column for each switch, and the two paths between two switches have
    /// to be on one lane.
    pub(crate) pairs: bool,
    /// The tree of multicast groups, whose packets have to fit into the first lane; none where they
    /// are of no account.
    pub(crate) tree: Option<&'a Escape>,
    /// Whether it matters which turns the first lane could take besides.
    pub(crate) steers: bool,
}

/// A path that has to find a lane.
pub(super) const LEFT: u8 = u8::MAX - 1;

/// Other ways are looked for where no more paths than this are left, or one in so many.
const FEW: u64 = 16;
const IN_SO_MANY: u64 = 1 << 12;

impl Paths<'_> {
    /// Gives each path a lane. There are no more than `most` lanes, or it gives up: then the paths
    /// that are left count as one more lane.
    pub(crate) fn assign(&self, most: usize) -> Assigned {
        let mut lanes = vec![NONE; self.columns.cells.len()];
        let start = |walk: &mut Walk, column: usize, lanes: &mut [u8]| {
            walk.start(self.graph, self.nearest, self.columns.homes[column]);
            for s in walk.order[1..].iter().map(|s| *s as usize) {
                if !self.to_switch[column] || !self.graph.hosts(s).is_empty() {
                    lanes[s] = LEFT;
                }
            }
        };
        lanes
            .par_chunks_mut(self.columns.switches.max(1))
            .enumerate()
            .for_each_init(Walk::default, |walk, (column, lanes)| start(walk, column, lanes));
        let mut count = 0;
        let mut all = TurnSet::new(self.turns.len());
        let mut groups = false;
        let mut full = Vec::new();
        while count < most {
            let weights = self.weigh(&lanes);
            let lane = count as u8;
            count += 1;
            match order(self.turns, &weights) {
                Ordered::All(ranks) => {
                    if lane == 0 {
                        groups = self.tree_joins(&weights, &ranks);
                    }
                    lanes.par_iter_mut().filter(|l| **l == LEFT).for_each(|l| *l = lane);
                    break;
                }
                Ordered::Most(ranks) => {
                    let mut graph = self.fill(&mut lanes, lane, &weights, &ranks);
                    if lane == 0 {
                        groups = self.tree.is_some();
                    }
                    if !self.pairs {
                        full.push(graph.clone());
                    }
                    if lane == 0 && self.steers {
                        (0..self.turns.len()).for_each(|t| _ = graph.admit(self.turns, t));
                        all = graph.used().clone();
                    }
                }
            }
        }
        let (mut paths, mut rest) = numbers(&lanes, count);
        let mut moves = Vec::new();
        let is_little = rest <= FEW.max(paths.iter().sum::<u64>() / IN_SO_MANY);
        if rest > 0 && is_little && !self.pairs {
            let mut settled = lanes.clone();
            moves = settle(self, &mut settled, &mut full);
            if !moves.is_empty() {
                lanes = settled;
                (paths, rest) = numbers(&lanes, count);
            }
        }
        if rest > 0 {
            paths.push(rest);
            count += 1;
        }
        Assigned { lanes, count, paths, first: all, groups, moves }
    }

    /// Whether the turns of the tree close no circle with those of all paths.
    fn tree_joins(&self, weights: &[u32], ranks: &[u32]) -> bool {
        let Some(tree) = self.tree else { return false };
        let mut lane = Lane::new(self.turns, ranks);
        let made = (0..weights.len()).filter(|turn| weights[*turn] > 0);
        made.for_each(|turn| _ = lane.admit(self.turns, turn));
        tree.join(self.turns, &mut lane)
    }

    /// Fills one lane.
    fn fill(&self, lanes: &mut [u8], lane: u8, weights: &[u32], ranks: &[u32]) -> Lane {
        let mut graph = Lane::new(self.turns, ranks);
        let tree = self.tree.filter(|_| lane == 0);
        if let Some(tree) = tree {
            tree.join(self.turns, &mut graph);
        }
        if !self.pairs {
            for turn in heaviest_first(weights) {
                graph.admit(self.turns, turn as usize);
                graph.survey(self.turns);
            }
        }
        let useful = Flags::new(self.turns.len());
        let is_open = |lanes: &[u8]| lanes.contains(&LEFT);
        let has_some = |lanes: &[u8]| lanes.contains(&lane);
        self.for_each(lanes, is_open, |walk, lanes| {
            let mut fits = vec![true; walk.order.len()];
            for at in 1..walk.order.len() {
                let s = walk.order[at] as usize;
                let has = |turn| fits[walk.parent[at] as usize] && graph.has(turn);
                fits[at] = walk.turn(at).is_none_or(has);
                if fits[at] && lanes[s] == LEFT {
                    lanes[s] = lane;
                }
            }
            if !self.pairs {
                useful.mark(walk, lanes, lane);
            }
        });
        if self.pairs {
            self.part(lanes, lane);
            self.for_each(lanes, has_some, |walk, lanes| useful.mark(walk, lanes, lane));
        }
        let mut useful = useful.into_set();
        if let Some(tree) = tree {
            tree.turns_between_hosts(self.turns, |turn| useful.add(turn));
        }
        graph.keep(self.turns, useful);
        if self.pairs {
            self.first_fit_pairs(lanes, lane, &mut graph);
        } else {
            self.first_fit(lanes, lane, &mut graph);
        }
        graph
    }

    /// Tries the paths that are left, one by one.
    fn first_fit(&self, lanes: &mut [u8], lane: u8, graph: &mut Lane) {
        let mut walk = Walk::default();
        let mut joined = Vec::new();
        let mut barred = Vec::new();
        let n = self.columns.switches;
        for (column, lanes) in lanes.chunks_mut(n.max(1)).enumerate() {
            if !lanes.contains(&LEFT) {
                continue;
            }
            let (home, cells) = (self.columns.homes[column], self.columns.column(column));
            walk.load(self.turns, self.nearest, home, cells);
            barred.clear();
            barred.resize(walk.order.len(), false);
            for at in 1..walk.order.len() {
                let s = walk.order[at] as usize;
                barred[at] = barred[walk.parent[at] as usize];
                if barred[at] {
                    continue;
                }
                if let Some(turn) = walk.turn(at) {
                    barred[at] = graph.bars(turn);
                }
                if barred[at] || lanes[s] != LEFT {
                    continue;
                }
                joined.clear();
                graph.survey(self.turns);
                let mut fits = true;
                walk.path(at, |turn| {
                    if fits {
                        match graph.admit(self.turns, turn) {
                            Verdict::Had => {}
                            Verdict::Joined => joined.push(turn),
                            Verdict::Barred => fits = false,
                        }
                    }
                });
                if fits {
                    lanes[s] = lane;
                } else {
                    joined.iter().for_each(|turn| graph.take_back(self.turns, *turn));
                    barred[at] = walk.turn(at).is_some_and(|turn| graph.bars(turn));
                }
            }
        }
    }

    /// Takes paths out of a lane whose way back is not in it.
    fn part(&self, lanes: &mut [u8], lane: u8) {
        let column_of = self.column_of();
        let n = self.columns.switches;
        for (column, home) in self.columns.homes.iter().enumerate() {
            for (s, other) in column_of.iter().enumerate().take(*home as usize) {
                let Some(other) = other else { continue };
                let (there, back) = (column * n + s, other * n + *home as usize);
                for (one, other) in [(there, back), (back, there)] {
                    if lanes[one] == lane && lanes[other] == LEFT {
                        lanes[one] = LEFT;
                    }
                }
            }
        }
    }

    /// The column that leads to each switch; none to one that has no LID and no end port with one.
    fn column_of(&self) -> Vec<Option<usize>> {
        let mut column_of = vec![None; self.columns.switches];
        for (column, home) in self.columns.homes.iter().enumerate() {
            column_of[*home as usize] = Some(column);
        }
        column_of
    }

    /// Tries the pairs of switches that are left, one by one.
    fn first_fit_pairs(&self, lanes: &mut [u8], lane: u8, graph: &mut Lane) {
        let column_of = self.column_of();
        let n = self.columns.switches;
        let mut joined = Vec::new();
        for (column, home) in self.columns.homes.iter().map(|h| *h as usize).enumerate() {
            for (s, other) in column_of.iter().enumerate() {
                // Of two switches with columns the one with the greater number looks at both ways.
                if other.is_some() && s >= home {
                    continue;
                }
                let back = other.map(|other| (other, home, s));
                let ways = || std::iter::once((column, s, home)).chain(back);
                if ways().all(|(column, from, _)| lanes[column * n + from] != LEFT) {
                    continue;
                }
                joined.clear();
                graph.survey(self.turns);
                let mut admit = |turn: usize| match graph.admit(self.turns, turn) {
                    Verdict::Had => true,
                    Verdict::Joined => {
                        joined.push(turn);
                        true
                    }
                    Verdict::Barred => false,
                };
                if ways().all(|way| self.follow(way, &mut admit)) {
                    for (column, from, _) in ways() {
                        let cell = &mut lanes[column * n + from];
                        if *cell == LEFT {
                            *cell = lane;
                        }
                    }
                } else {
                    joined.iter().for_each(|turn| graph.take_back(self.turns, *turn));
                }
            }
        }
    }

    /// Shows the turns of a path, from its start, until one is not liked; `false` then.
    fn follow(
        &self,
        (column, from, home): (usize, usize, usize),
        like: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        self.follow_by(self.columns.column(column), (from, home), like)
    }

    /// The same of a column that may be none of the tables.
    pub(super) fn follow_by(
        &self,
        cells: &[u8],
        (from, home): (usize, usize),
        like: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        let mut at = from;
        while at != home {
            let link = self.graph.first_link(at) + usize::from(cells[at]);
            let Some(next) = self.graph.links(at).get(usize::from(cells[at])) else { return true };
            let next = next.peer.index();
            if next != home && !like(self.turns.turn(link, cells[next])) {
                return false;
            }
            at = next;
        }
        true
    }

    /// How many paths that are left make each turn.
    fn weigh(&self, lanes: &[u8]) -> Vec<u32> {
        let weights: Vec<AtomicU32> =
            std::iter::repeat_with(|| AtomicU32::new(0)).take(self.turns.len()).collect();
        let count = |(walk, passing): &mut (Walk, Vec<u32>), column: usize, lanes: &[u8]| {
            if !lanes.contains(&LEFT) {
                return;
            }
            self.load(walk, column);
            passing.clear();
            passing.extend(walk.order.iter().map(|s| u32::from(lanes[*s as usize] == LEFT)));
            for at in (1..walk.order.len()).rev() {
                if passing[at] == 0 {
                    continue;
                }
                if let Some(turn) = walk.turn(at) {
                    weights[turn].fetch_add(passing[at], Ordering::Relaxed);
                }
                passing[walk.parent[at] as usize] += passing[at];
            }
        };
        lanes
            .par_chunks(self.columns.switches.max(1))
            .enumerate()
            .for_each_init(Default::default, |room, (column, lanes)| count(room, column, lanes));
        weights.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// Does something with each column whose lanes matter, side by side.
    fn for_each(
        &self,
        lanes: &mut [u8],
        matters: impl Fn(&[u8]) -> bool + Sync,
        work: impl Fn(&Walk, &mut [u8]) + Sync,
    ) {
        lanes.par_chunks_mut(self.columns.switches.max(1)).enumerate().for_each_init(
            Walk::default,
            |walk, (column, lanes)| {
                if matters(lanes) {
                    self.load(walk, column);
                    work(walk, lanes);
                }
            },
        );
    }

    fn load(&self, walk: &mut Walk, column: usize) {
        let (home, cells) = (self.columns.homes[column], self.columns.column(column));
        walk.load(self.turns, self.nearest, home, cells);
    }
}

/// How many paths each lane has, and how many are left.
fn numbers(lanes: &[u8], count: usize) -> (Vec<u64>, u64) {
    let (mut paths, mut rest) = (vec![0; count], 0);
    for lane in lanes {
        match *lane {
            NONE => {}
            LEFT => rest += 1,
            lane => paths[usize::from(lane)] += 1,
        }
    }
    (paths, rest)
}

/// The turns that have a weight, the heaviest first, those of the same weight in their order.
pub(crate) fn heaviest_first(weights: &[u32]) -> Vec<u32> {
    let heavy = (0..).zip(weights).filter(|(_, weight)| **weight > 0);
    let mut heavy: Vec<(Reverse<u32>, u32)> = heavy.map(|(turn, w)| (Reverse(*w), turn)).collect();
    heavy.sort_unstable();
    heavy.into_iter().map(|(_, turn)| turn).collect()
}

/// A set of turns to which several threads add.
struct Flags(Vec<AtomicU64>);

impl Flags {
    fn new(turns: usize) -> Self {
        Self(std::iter::repeat_with(|| AtomicU64::new(0)).take(turns.div_ceil(64)).collect())
    }

    /// Adds all turns of a column's paths that are in a lane.
    fn mark(&self, walk: &Walk, lanes: &[u8], lane: u8) {
        let mut useful: Vec<bool> = walk.order.iter().map(|s| lanes[*s as usize] == lane).collect();
        for at in (1..walk.order.len()).rev() {
            if !useful[at] {
                continue;
            }
            useful[walk.parent[at] as usize] = true;
            if let Some(turn) = walk.turn(at) {
                let bit = 1 << (turn % 64);
                if self.0[turn / 64].load(Ordering::Relaxed) & bit == 0 {
                    self.0[turn / 64].fetch_or(bit, Ordering::Relaxed);
                }
            }
        }
    }

    fn into_set(self) -> TurnSet {
        TurnSet::from_words(self.0.into_iter().map(AtomicU64::into_inner).collect())
    }
}
