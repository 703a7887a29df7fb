//! Shortest paths over any link.

use super::distances::Distances;
use super::{MAX_HOPS, PathRule, Reach};
use crate::graph::Graph;

/// Any link may carry any path; only the number of hops counts, or what they cost together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinHops<'a> {
    graph: &'a Graph,
    /// What a hop by each directed link costs; `None` where each costs 1.
    weights: Option<&'a [u8]>,
}

impl<'a> MinHops<'a> {
    /// The fewest hops.
    pub(crate) const fn new(graph: &'a Graph) -> Self {
        Self { graph, weights: None }
    }

    /// The least cost, where there are weights.
    pub(crate) const fn weighted(graph: &'a Graph, weights: Option<&'a [u8]>) -> Self {
        Self { graph, weights }
    }

    /// What a hop by a switch's link costs.
    pub(crate) fn cost(&self, s: usize, link: usize) -> usize {
        self.weights.map_or(1, |w| usize::from(w[self.graph.first_link(s) + link]))
    }

    /// The destinations to which a path of cost `h` starts at `s`, as far as `levels` tells.
    fn arrive(&self, levels: &[Vec<u64>], h: usize, s: usize) -> u64 {
        let links = self.graph.links(s).iter();
        let Some(weights) = self.weights else {
            return links.fold(0, |all, l| all | levels[h - 1][l.peer.index()]);
        };
        let first = self.graph.first_link(s);
        links.zip(&weights[first..]).fold(0, |all, (l, weight)| {
            let rest = h.checked_sub(usize::from(*weight));
            all | rest.map_or(0, |rest| levels[rest][l.peer.index()])
        })
    }
}

impl PathRule for MinHops<'_> {
    fn reach(&self, dests: &[u32]) -> Reach {
        let mut front = vec![0_u64; self.graph.len()];
        for (bit, dest) in dests.iter().enumerate() {
            front[*dest as usize] |= 1 << bit;
        }
        let heaviest = self.weights.and_then(|w| w.iter().copied().max()).unwrap_or(1);
        let mut seen = front.clone();
        let mut levels = vec![front];
        let mut idle = 0;
        while levels.len() <= MAX_HOPS && idle < usize::from(heaviest) {
            let h = levels.len();
            let next: Vec<u64> =
                (0..seen.len()).map(|s| self.arrive(&levels, h, s) & !seen[s]).collect();
            idle = if next.iter().all(|w| *w == 0) { idle + 1 } else { 0 };
            for (old, new) in seen.iter_mut().zip(&next) {
                *old |= new;
            }
            levels.push(next);
        }
        levels.truncate(levels.len() - idle);
        Reach { levels, ..Reach::default() }
    }

    fn steps(&self, reach: &Reach, h: usize, s: usize, link: usize, peer: usize) -> u64 {
        let rest = h.checked_sub(self.cost(s, link));
        rest.map_or(0, |rest| reach.levels[h][s] & reach.levels[rest][peer])
    }

    fn distances(&self) -> Option<Distances> {
        self.weights.is_none().then(|| Distances::new(self.graph, self, None))
    }
}
