//! Paths that climb first and descend then, and never climb again (up*/down* routing).
//!
//! The switches stand in a total order, the roots first. A step towards the front is up, the
//! other way is down. A path of up steps followed by down steps never closes a cycle of waiting
//! links, so one lane is enough.
//!
//! Tables look at the destination alone, so a switch has one way on, whichever way a packet came
//! in. A switch that is entered by a descent must therefore go on descending. For each
//! destination a switch is one of:
//! * *descending*: its way on is down, to another descending switch, by the fewest hops that down
//!   steps alone allow;
//! * *climbing*: its way on is up, to the neighbour that is nearest by its own way.
//!
//! Whoever can descend does. That makes each path legal, and leaves no pair of switches without
//! one that has one. It can be longer than the best path of that pair: where climbing is shorter
//! for a switch, and each switch that counts on descending through it has another way down, the
//! switch climbs. Switches are decided from the front of the order to its end, so that all those
//! above a switch are known when its turn comes.

use rayon::prelude::*;

use super::distances::Distances;
use super::{MAX_HOPS, PathRule, Reach, bits};
use crate::graph::{Graph, Link};

/// The law of up*/down* over one order of the switches.
#[derive(Clone, Debug)]
pub(crate) struct UpDown<'a> {
    graph: &'a Graph,
    /// The switches, from the roots down.
    order: Vec<u32>,
    /// For each directed link whether it leads up.
    up: Vec<bool>,
    /// For each link of each switch the switch behind it: those above first.
    peers: Vec<u32>,
    /// For each switch how many of its links lead up.
    ups: Vec<u32>,
    /// Whether pairs without a legal path are joined by an illegal one.
    join_all: bool,
}

/// No path yet, in hops.
const FAR: u16 = u16::MAX;

impl<'a> UpDown<'a> {
    /// The law for an order of all switches, the highest first. With `join_all` a switch without
    /// a legal path to a destination gets the shortest one to a switch that has one.
    pub(crate) fn new(graph: &'a Graph, order: Vec<u32>, join_all: bool) -> Self {
        let mut place = vec![0; graph.len()];
        for (at, s) in order.iter().enumerate() {
            place[*s as usize] = at;
        }
        let (mut up, mut peers, mut ups) = (Vec::new(), Vec::new(), Vec::new());
        for s in 0..graph.len() {
            let is_up = |link: &&Link| place[link.peer.index()] < place[s];
            up.extend(graph.links(s).iter().map(|link| is_up(&link)));
            let first = peers.len();
            peers.extend(graph.links(s).iter().filter(is_up).map(|link| link.peer.0));
            ups.push((peers.len() - first) as u32);
            peers.extend(graph.links(s).iter().filter(|l| !is_up(l)).map(|link| link.peer.0));
        }
        Self { graph, order, up, peers, ups, join_all }
    }

    /// Whether a switch's link leads up.
    pub(crate) fn is_up(&self, s: usize, link: usize) -> bool {
        self.up[self.graph.first_link(s) + link]
    }

    /// The switches behind the links of `s`, those above and those below.
    fn both(&self, s: usize) -> (&[u32], &[u32]) {
        let first = self.graph.first_link(s);
        let peers = &self.peers[first..first + self.graph.links(s).len()];
        peers.split_at(self.ups[s] as usize)
    }

    /// The switches above `s`, one for each link.
    fn ups(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        self.both(s).0.iter().map(|peer| *peer as usize)
    }

    /// The switches below `s`, one for each link.
    fn downs(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        self.both(s).1.iter().map(|peer| *peer as usize)
    }

    /// Distances by down steps alone.
    fn descents(&self, dests: &[u32]) -> (Vec<Vec<u64>>, Vec<u64>) {
        let mut front = vec![0_u64; self.graph.len()];
        for (bit, dest) in dests.iter().enumerate() {
            front[*dest as usize] |= 1 << bit;
        }
        let mut seen = front.clone();
        let mut levels = vec![front];
        while levels.len() <= MAX_HOPS {
            let last = &levels[levels.len() - 1];
            let next: Vec<u64> =
                (0..last.len()).map(|s| gather(self.downs(s), last) & !seen[s]).collect();
            if next.iter().all(|w| *w == 0) {
                break;
            }
            for (old, new) in seen.iter_mut().zip(&next) {
                *old |= new;
            }
            levels.push(next);
        }
        (levels, seen)
    }

    /// Distances by legal paths, each pair by itself. The second value holds the destinations to
    /// which some switch that can descend would get by climbing in fewer hops.
    fn pairwise(&self, down: &[Vec<u64>]) -> (Vec<Vec<u64>>, u64) {
        let mut seen = down[0].clone();
        let mut levels = vec![seen.clone()];
        let mut torn = 0;
        while levels.len() <= MAX_HOPS {
            let h = levels.len();
            let last = &levels[h - 1];
            let below = down.get(h);
            let next: Vec<u64> = (0..last.len())
                .map(|s| {
                    let descend = below.map_or(0, |l| l[s]);
                    (descend | gather(self.ups(s), last)) & !seen[s]
                })
                .collect();
            if below.is_none() && next.iter().all(|w| *w == 0) {
                break;
            }
            for (s, new) in next.iter().enumerate() {
                torn |= below.map_or(0, |l| l[s] & !new);
                seen[s] |= new;
            }
            levels.push(next);
        }
        (levels, torn)
    }

    /// Decides one destination for which descending is not always shortest: hops by switch, and
    /// who descends.
    fn decide(&self, down: &[Vec<u64>], bit: usize) -> (Vec<u16>, Vec<bool>) {
        let n = self.graph.len();
        let mut fall = vec![FAR; n];
        for (h, level) in down.iter().enumerate() {
            for s in (0..n).filter(|s| level[*s] >> bit & 1 == 1) {
                fall[s] = h as u16;
            }
        }
        let mut ways: Vec<u16> = (0..n).map(|s| self.ways_down(&fall, s)).collect();
        let mut hops = fall.clone();
        let mut descends: Vec<bool> = fall.iter().map(|f| *f != FAR).collect();
        for s in self.order.iter().map(|s| *s as usize) {
            let climb =
                self.ups(s).map(|peer| hops[peer]).min().map_or(FAR, |h| h.saturating_add(1));
            let climb = if usize::from(climb) > MAX_HOPS { FAR } else { climb };
            if climb < fall[s] && (fall[s] == FAR || self.release(&fall, &descends, &mut ways, s)) {
                hops[s] = climb;
                descends[s] = false;
            }
        }
        (hops, descends)
    }

    /// How many links of `s` lead down to a switch that is one hop nearer by descent.
    fn ways_down(&self, fall: &[u16], s: usize) -> u16 {
        if fall[s] == FAR || fall[s] == 0 {
            return 0;
        }
        self.downs(s).filter(|peer| fall[*peer] == fall[s] - 1).count() as u16
    }

    /// Takes `s` away from those above that could descend through it, if each of them has another
    /// way down left.
    fn release(&self, fall: &[u16], descends: &[bool], ways: &mut [u16], s: usize) -> bool {
        let above = || self.ups(s).filter(|x| descends[*x] && fall[*x] == fall[s] + 1);
        for x in above() {
            ways[x] -= 1;
        }
        let free = above().all(|x| ways[x] > 0);
        if !free {
            for x in above() {
                ways[x] += 1;
            }
        }
        free
    }

    /// Replaces the pairwise distances of the destinations in `torn` by those of a table.
    fn mend(&self, reach: &mut Reach, down: &[Vec<u64>], torn: u64) {
        let torn: Vec<usize> = bits(torn).collect();
        let columns: Vec<_> = torn.par_iter().map(|bit| self.decide(down, *bit)).collect();
        for (bit, (hops, descends)) in torn.into_iter().zip(columns) {
            for level in &mut reach.levels {
                for cell in level {
                    *cell &= !(1 << bit);
                }
            }
            for (s, h) in hops.into_iter().enumerate().filter(|(_, h)| *h != FAR) {
                while reach.levels.len() <= usize::from(h) {
                    reach.levels.push(vec![0; self.graph.len()]);
                }
                reach.levels[usize::from(h)][s] |= 1 << bit;
                if !descends[s] {
                    reach.descends[s] &= !(1 << bit);
                }
            }
        }
    }

    /// Gives each switch without a legal path the shortest way to one that has.
    fn join(&self, reach: &mut Reach) {
        let n = self.graph.len();
        let mut seen = vec![0_u64; n];
        for level in &reach.levels {
            for (all, new) in seen.iter_mut().zip(level) {
                *all |= new;
            }
        }
        reach.lawless = vec![0; n];
        for h in 1..=MAX_HOPS {
            let last = &reach.levels[h - 1];
            let next: Vec<u64> = (0..n)
                .map(|s| {
                    let near = self.graph.links(s).iter();
                    near.fold(0, |all, l| all | last[l.peer.index()]) & !seen[s]
                })
                .collect();
            if next.iter().all(|w| *w == 0) && h >= reach.levels.len() {
                break;
            }
            if h == reach.levels.len() {
                reach.levels.push(vec![0; n]);
            }
            for (s, new) in next.into_iter().enumerate() {
                seen[s] |= new;
                reach.lawless[s] |= new;
                reach.levels[h][s] |= new;
            }
        }
    }
}

/// One hop of all searches: what some neighbours hold.
fn gather(peers: impl Iterator<Item = usize>, level: &[u64]) -> u64 {
    peers.fold(0, |all, peer| all | level[peer])
}

impl PathRule for UpDown<'_> {
    fn reach(&self, dests: &[u32]) -> Reach {
        let (down, descends) = self.descents(dests);
        let (levels, torn) = self.pairwise(&down);
        let lawless = vec![0; self.graph.len()];
        let mut reach = Reach { levels, descends, lawless, ..Reach::default() };
        if torn != 0 {
            self.mend(&mut reach, &down, torn);
        }
        if self.join_all {
            self.join(&mut reach);
        }
        reach
    }

    fn steps(&self, reach: &Reach, h: usize, s: usize, link: usize, peer: usize) -> u64 {
        let both = reach.levels[h][s] & reach.levels[h - 1][peer];
        let legal = if self.is_up(s, link) {
            !reach.descends[s]
        } else {
            reach.descends[s] & reach.descends[peer]
        };
        both & ((legal & !reach.lawless[peer]) | reach.lawless[s])
    }

    fn distances(&self) -> Option<Distances> {
        Some(Distances::new(self.graph, self, Some(self)))
    }
}
