//! Shortest paths over any link.

use super::{MAX_HOPS, PathRule, Reach};
use crate::graph::Graph;

/// Any link may carry any path; only the number of hops counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinHops<'a> {
    /// The switches.
    pub(crate) graph: &'a Graph,
}

impl PathRule for MinHops<'_> {
    fn reach(&self, dests: &[u32]) -> Reach {
        let mut front = vec![0_u64; self.graph.len()];
        for (bit, dest) in dests.iter().enumerate() {
            front[*dest as usize] |= 1 << bit;
        }
        let mut seen = front.clone();
        let mut levels = vec![front];
        while levels.len() <= MAX_HOPS {
            let last = &levels[levels.len() - 1];
            let mut grew = false;
            let mut next = vec![0_u64; last.len()];
            for (s, cell) in next.iter_mut().enumerate() {
                let near = self.graph.links(s).iter();
                *cell = near.fold(0, |all, l| all | last[l.peer.index()]) & !seen[s];
                grew |= *cell != 0;
            }
            if !grew {
                break;
            }
            for (old, new) in seen.iter_mut().zip(&next) {
                *old |= new;
            }
            levels.push(next);
        }
        Reach { levels, ..Reach::default() }
    }

    fn steps(&self, reach: &Reach, h: usize, s: usize, _link: usize, peer: usize) -> u64 {
        reach.levels[h][s] & reach.levels[h - 1][peer]
    }
}
