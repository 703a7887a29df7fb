//! From each switch the switches above it.

use std::cmp::Reverse;
use std::ops::Range;

use crate::graph::Graph;

/// A switch that stands higher than another one, and the links between the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Climb {
    /// The higher switch.
    pub(crate) peer: u32,
    /// How many links there are between the two.
    pub(crate) links: u32,
    /// Whether none of the higher switch's ports on them has its load counted.
    pub(crate) ignored: bool,
}

/// All climbs, switch by switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Climbs {
    /// The climbs.
    pub(crate) all: Vec<Climb>,
    /// The greatest height that can be reached from each switch by climbing.
    pub(crate) best: Vec<u32>,
    /// How many links lead down from each switch.
    pub(crate) down: Vec<u32>,
    rows: Vec<usize>,
    /// The switches, the highest first.
    order: Vec<usize>,
}

impl Climbs {
    /// The climbs of a graph, given how high each switch stands, and for each directed link
    /// whether its load is not counted (nothing where all are).
    pub(crate) fn new(graph: &Graph, height: &[u32], ignored: &[bool]) -> Self {
        let (all, best, down) = (Vec::new(), height.to_vec(), vec![0; height.len()]);
        let mut climbs = Self { all, best, down, rows: vec![0], order: Vec::new() };
        for s in 0..graph.len() {
            let row = climbs.all.len();
            for link in graph.links(s) {
                let peer = link.peer.0;
                if height[peer as usize] <= height[s] {
                    continue;
                }
                climbs.down[peer as usize] += 1;
                let back = graph.link_at(peer as usize, link.peer_port);
                let back = back.map(|at| graph.first_link(peer as usize) + at);
                let free = back.and_then(|at| ignored.get(at)).copied().unwrap_or(false);
                match climbs.all[row..].iter_mut().find(|c| c.peer == peer) {
                    Some(known) => {
                        known.links += 1;
                        known.ignored &= free;
                    }
                    None => climbs.all.push(Climb { peer, links: 1, ignored: free }),
                }
            }
            climbs.rows.push(climbs.all.len());
        }
        let mut order: Vec<usize> = (0..graph.len()).collect();
        order.sort_by_key(|s| Reverse(height[*s]));
        for s in order.iter().copied() {
            let above = climbs.all[climbs.row(s)].iter().map(|c| climbs.best[c.peer as usize]);
            climbs.best[s] = climbs.best[s].max(above.max().unwrap_or(0));
        }
        climbs.order = order;
        climbs
    }

    /// Brings the climbs of each switch into the order of a key of the higher switch.
    pub(crate) fn sort<K: Ord>(&mut self, key: impl Fn(usize) -> K) {
        for s in 0..self.len() {
            let row = self.row(s);
            self.all[row].sort_by_cached_key(|climb| (key(climb.peer as usize), climb.peer));
        }
    }

    /// How many switches there are.
    pub(crate) fn len(&self) -> usize {
        self.best.len()
    }

    /// For each switch those from which it can be reached by climbing, itself among them, as a
    /// set of bits.
    pub(crate) fn below(&self) -> Vec<Vec<u64>> {
        let mut below = vec![vec![0_u64; self.len().div_ceil(64)]; self.len()];
        for s in self.order.iter().rev() {
            below[*s][s / 64] |= 1 << (s % 64);
            let under = std::mem::take(&mut below[*s]);
            for climb in &self.all[self.row(*s)] {
                for (all, new) in below[climb.peer as usize].iter_mut().zip(&under) {
                    *all |= new;
                }
            }
            below[*s] = under;
        }
        below
    }

    /// The places of a switch's climbs in [`Self::all`].
    pub(crate) fn row(&self, s: usize) -> Range<usize> {
        self.rows[s]..self.rows[s + 1]
    }
}
