//! The distances between all switches, and which steps lead towards which.

use rayon::prelude::*;

use super::up_down::UpDown;
use super::{PathRule, bits};
use crate::graph::Graph;

/// Distances between all switches, and what a step may be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Distances {
    switches: usize,
    /// By destination, then by switch.
    hops: Vec<u8>,
    /// The same for [`DESCENDS`] and [`LAWLESS`]; nothing where any shortest path is good.
    marks: Vec<u8>,
    /// For each directed link whether it leads up, where that counts.
    up: Vec<bool>,
}

/// No path.
pub(crate) const FAR: u8 = u8::MAX;
/// A switch that keeps descending to a destination.
const DESCENDS: u8 = 1;
/// A switch that may take any link to a destination.
const LAWLESS: u8 = 2;

impl Distances {
    /// The distances by a law; `climbs` is the law again where paths climb first and descend then.
    pub(super) fn new<R: PathRule>(graph: &Graph, rule: &R, climbs: Option<&UpDown<'_>>) -> Self {
        let n = graph.len();
        let dests: Vec<u32> = (0..n as u32).collect();
        let mut hops = vec![FAR; n * n];
        let mut marks = vec![0; if climbs.is_some() { n * n } else { 0 }];
        let no_marks = marks.is_empty();
        let rows = hops.par_chunks_mut(64 * n.max(1)).zip(dests.par_chunks(64));
        let marked: Vec<(&[u32], Vec<u64>, Vec<u64>)> = rows
            .map(|(rows, group)| {
                let reach = rule.reach(group);
                for (h, level) in reach.levels.iter().enumerate() {
                    for (s, word) in level.iter().enumerate() {
                        bits(*word).for_each(|bit| rows[bit * n + s] = h as u8);
                    }
                }
                match no_marks {
                    true => (group, Vec::new(), Vec::new()),
                    false => (group, reach.descends, reach.lawless),
                }
            })
            .collect();
        let rows = marks.par_chunks_mut(64 * n.max(1)).zip(marked);
        rows.for_each(|(rows, (_, descends, lawless))| {
            for (sets, mark) in [(descends, DESCENDS), (lawless, LAWLESS)] {
                for (s, word) in sets.iter().enumerate() {
                    bits(*word).for_each(|bit| rows[bit * n + s] |= mark);
                }
            }
        });
        let places = |s| (0..graph.links(s).len()).map(move |at| (s, at));
        let up =
            |rule: &UpDown<'_>| (0..n).flat_map(places).map(|(s, at)| rule.is_up(s, at)).collect();
        Self { switches: n, hops, marks, up: climbs.map(up).unwrap_or_default() }
    }

    /// Whether paths climb first and descend then; otherwise any shortest path is good.
    pub(crate) const fn climb(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Whether everything is as it was towards a switch.
    pub(crate) fn same(&self, other: &Self, dest: usize) -> bool {
        let row = dest * self.switches..(dest + 1) * self.switches;
        self.hops[row.clone()] == other.hops[row.clone()]
            && self.marks.get(row.clone()) == other.marks.get(row)
    }

    /// The switches from which the way to another one is not what it was, ascending.
    pub(crate) fn others(&self, other: &Self, dest: usize) -> impl Iterator<Item = usize> {
        let first = dest * self.switches;
        (0..self.switches).filter(move |s| {
            let at = first + s;
            self.hops[at] != other.hops[at] || self.marks.get(at) != other.marks.get(at)
        })
    }

    /// How many hops each switch is away from another one; [`FAR`] without a path.
    pub(crate) fn row(&self, dest: usize) -> &[u8] {
        &self.hops[dest * self.switches..(dest + 1) * self.switches]
    }

    /// Whether all switches have a path to another one, and the most hops.
    pub(crate) fn reached(&self, dest: usize) -> (bool, u16) {
        let reached = |(whole, most): (bool, u8), hops: &u8| match *hops {
            FAR => (false, most),
            hops => (whole, most.max(hops)),
        };
        let (whole, most) = self.row(dest).iter().fold((true, 0), reached);
        (whole, u16::from(most))
    }

    /// How many hops a switch is away; [`FAR`] without a path.
    pub(crate) fn hops(&self, dest: usize, s: usize) -> u8 {
        self.hops[dest * self.switches + s]
    }

    /// Whether the step over a switch's link is the first of a path to a destination.
    pub(crate) fn leads(&self, graph: &Graph, dest: usize, s: usize, link: usize) -> bool {
        let peer = graph.links(s)[link].peer.index();
        let (here, there) = (dest * self.switches + s, dest * self.switches + peer);
        if self.hops[here] == FAR || u16::from(self.hops[there]) + 1 != u16::from(self.hops[here]) {
            return false;
        }
        let (Some(own), Some(next)) = (self.marks.get(here), self.marks.get(there)) else {
            return true;
        };
        let legal = match self.up[graph.first_link(s) + link] {
            true => own & DESCENDS == 0,
            false => own & next & DESCENDS != 0,
        };
        own & LAWLESS != 0 || (legal && next & LAWLESS == 0)
    }
}
