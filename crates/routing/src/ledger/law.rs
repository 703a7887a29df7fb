//! What an engine's routes keep to, whatever the loads: which steps lead towards which switch.

use rayon::prelude::*;

use crate::graph::Graph;
use crate::paths::min_hops::MinHops;
use crate::paths::up_down::UpDown;
use crate::paths::{PathRule, bits};

/// The law of an engine's paths on a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Law {
    /// The switches and links.
    pub(crate) graph: Graph,
    /// The switches, the highest first, where paths climb first and descend then; none where any
    /// shortest path is good.
    pub(crate) order: Option<Vec<u32>>,
    /// Whether pairs without a legal path are joined by an illegal one.
    pub(crate) join_all: bool,
    /// What the engine wants a person to know of the fabric.
    pub(crate) notes: Vec<String>,
    /// Whether the engine says which switches with end ports have no legal path.
    pub(crate) says_unconnected: bool,
}

/// Distances between all switches, and what a step may be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Distances {
    switches: usize,
    /// By destination, then by switch.
    hops: Vec<u8>,
    /// The same for [`DESCENDS`] and [`LAWLESS`]; nothing where any shortest path is good.
    marks: Vec<u8>,
    /// For each directed link whether it leads up, where that counts.
    up: Vec<bool>,
}

/// No path.
pub(super) const FAR: u8 = u8::MAX;
/// A switch that keeps descending to a destination.
const DESCENDS: u8 = 1;
/// A switch that may take any link to a destination.
const LAWLESS: u8 = 2;

impl Law {
    /// The distances on the graph of the law.
    pub(super) fn distances(&self) -> Distances {
        match &self.order {
            None => Distances::new(&self.graph, &MinHops::new(&self.graph), None),
            Some(order) => {
                let rule = UpDown::new(&self.graph, order.clone(), self.join_all);
                Distances::new(&self.graph, &rule, Some(&rule))
            }
        }
    }
}

impl Distances {
    fn new<R: PathRule>(graph: &Graph, rule: &R, climbs: Option<&UpDown<'_>>) -> Self {
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

    /// Whether everything is as it was towards a switch.
    pub(super) fn same(&self, other: &Self, dest: usize) -> bool {
        let row = dest * self.switches..(dest + 1) * self.switches;
        self.hops[row.clone()] == other.hops[row.clone()]
            && self.marks.get(row.clone()) == other.marks.get(row)
    }

    /// How many hops a switch is away; [`FAR`] without a path.
    pub(super) fn hops(&self, dest: usize, s: usize) -> u8 {
        self.hops[dest * self.switches + s]
    }

    /// Whether the step over a switch's link is the first of a path to a destination.
    pub(super) fn leads(&self, graph: &Graph, dest: usize, s: usize, link: usize) -> bool {
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
