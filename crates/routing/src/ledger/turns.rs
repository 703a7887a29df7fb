//! How many LIDs make each turn, and an order of the links in which all turns lead forward.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::graph::Graph;

/// The turns of all LIDs: from each directed link to those that leave the switch at its end.
#[derive(Clone, Debug)]
pub(super) struct TurnCounts {
    /// For each directed link the number of its first turn, and one more at the end.
    first: Vec<usize>,
    /// For each directed link the first link that leaves the switch at its end.
    next: Vec<u32>,
    /// How many LIDs make each turn: fewer than there are unicast LIDs, which fits.
    counts: Vec<u16>,
    /// Where each link stands in the order; [`UNPLACED`] for those that are new.
    places: Vec<u32>,
}

/// What a turn does to the proof, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Turn {
    /// It leads forward in the order.
    Forward,
    /// Some LID makes it already, so that another order has to be found anyway.
    Known,
    /// It leads backward, and no LID makes it yet.
    New,
}

/// A link that has no place in the order yet. No turn from it or into it is known to be good.
const UNPLACED: u32 = u32::MAX;

/// Turn counts that any number of threads may change.
pub(super) struct Shared<'a> {
    first: &'a [usize],
    counts: Vec<AtomicU16>,
}

impl Shared<'_> {
    /// One more LID makes a turn.
    pub(super) fn add(&self, link: usize, out: u8) {
        self.counts[self.first[link] + usize::from(out)].fetch_add(1, Ordering::Relaxed);
    }

    /// One fewer.
    pub(super) fn take(&self, link: usize, out: u8) {
        self.counts[self.first[link] + usize::from(out)].fetch_sub(1, Ordering::Relaxed);
    }

    /// The counts.
    pub(super) fn finish(self) -> Vec<u16> {
        self.counts.into_iter().map(AtomicU16::into_inner).collect()
    }
}

impl TurnCounts {
    /// No turns, on the links of a graph.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut first = vec![0];
        let mut next = Vec::with_capacity(graph.link_count());
        for link in (0..graph.len()).flat_map(|s| graph.links(s)) {
            let peer = link.peer.index();
            next.push(graph.first_link(peer) as u32);
            first.push(first[next.len() - 1] + graph.links(peer).len());
        }
        let counts = vec![0; first[next.len()]];
        let places = vec![UNPLACED; next.len()];
        Self { first, next, counts, places }
    }

    /// The counts, to be changed by many.
    pub(super) fn share(&self) -> Shared<'_> {
        let counts = self.counts.iter().map(|count| AtomicU16::new(*count)).collect();
        Shared { first: &self.first, counts }
    }

    /// Takes counts over.
    pub(super) fn set(&mut self, counts: Vec<u16>) {
        self.counts = counts;
    }

    /// One more LID makes a turn. Whether it leads forward in the order.
    pub(super) fn add(&mut self, link: usize, out: u8) -> bool {
        self.counts[self.first[link] + usize::from(out)] += 1;
        self.leads_forward(link, out)
    }

    /// Whether a turn leads forward in the order.
    pub(super) fn leads_forward(&self, link: usize, out: u8) -> bool {
        let to = self.places[self.next[link] as usize + usize::from(out)];
        to != UNPLACED && self.places[link] < to
    }

    /// What a turn does to the proof.
    pub(super) fn kind(&self, link: usize, out: u8) -> Turn {
        if self.leads_forward(link, out) {
            return Turn::Forward;
        }
        match self.counts[self.first[link] + usize::from(out)] {
            0 => Turn::New,
            _ => Turn::Known,
        }
    }

    /// Whether a turn that no LID makes yet would close a circle.
    pub(super) fn closes(&self, link: usize, out: u8) -> bool {
        let to = self.next[link] as usize + usize::from(out);
        if self.kind(link, out) != Turn::New {
            return false;
        }
        let mut seen = vec![false; self.next.len()];
        let mut open = vec![to];
        seen[to] = true;
        while let Some(at) = open.pop() {
            if at == link {
                return true;
            }
            for next in self.after(at) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// Whether each of some turns of other packets, from link to link, leads forward.
    pub(super) fn all_lead_forward(&self, turns: &[(u32, u32)]) -> bool {
        turns.iter().all(|(from, to)| {
            let to = self.places[*to as usize];
            to != UNPLACED && self.places[*from as usize] < to
        })
    }

    /// Whether some LID makes a turn from a link to a link.
    fn has(&self, from: u32, to: u32) -> bool {
        let from = from as usize;
        self.counts[self.first[from] + (to - self.next[from]) as usize] > 0
    }

    /// The links that follow a link.
    fn after(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        let row = &self.counts[self.first[link]..self.first[link + 1]];
        let next = self.next[link] as usize;
        row.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(at, _)| next + at)
    }

    /// Finds an order in which all turns lead forward, with those of other packets among them.
    /// False if there is none; nothing changes then.
    pub(super) fn arrange(&mut self, others: &[(u32, u32)]) -> bool {
        let n = self.next.len();
        let mut before = vec![0_u32; n];
        for link in 0..n {
            self.after(link).for_each(|to| before[to] += 1);
        }
        others.iter().for_each(|(_, to)| before[*to as usize] += 1);
        let mut more = others.to_vec();
        more.sort_unstable();
        let mut queue: Vec<usize> = (0..n).filter(|link| before[*link] == 0).collect();
        let mut places = vec![UNPLACED; n];
        let mut placed = 0;
        while let Some(link) = queue.pop() {
            places[link] = placed;
            placed += 1;
            let start = more.partition_point(|(from, _)| (*from as usize) < link);
            let of_others = more[start..].iter().take_while(|(from, _)| *from as usize == link);
            for to in self.after(link).chain(of_others.map(|(_, to)| *to as usize)) {
                before[to] -= 1;
                if before[to] == 0 {
                    queue.push(to);
                }
            }
        }
        let free = placed as usize == n;
        if free {
            self.places = places;
        }
        free
    }

    /// How many links have a turn, and how many turns there are, with those of other packets,
    /// each of which is there once.
    pub(super) fn figures(&self, others: &[(u32, u32)]) -> (u64, u64) {
        let mut used = vec![false; self.next.len()];
        let mut turns = 0;
        for link in 0..self.next.len() {
            for to in self.after(link) {
                turns += 1;
                (used[link], used[to]) = (true, true);
            }
        }
        for (from, to) in others.iter().filter(|(from, to)| !self.has(*from, *to)) {
            turns += 1;
            (used[*from as usize], used[*to as usize]) = (true, true);
        }
        (used.iter().filter(|used| **used).count() as u64, turns)
    }

    /// The same turns on another graph of the same switches: `was` has, for each of its links,
    /// the number that it had, if it was there.
    pub(super) fn carry_to(&self, graph: &Graph, was: &[Option<u32>]) -> Self {
        let mut new = Self::new(graph);
        let starts = &new.first;
        let mut rows: Vec<(usize, &mut [u16])> = Vec::with_capacity(was.len());
        let mut rest = new.counts.as_mut_slice();
        for link in 0..was.len() {
            let (row, more) = rest.split_at_mut(starts[link + 1] - starts[link]);
            rows.push((link, row));
            rest = more;
        }
        rows.into_par_iter().with_min_len(1024).for_each(|(link, row)| {
            let Some(old) = was[link].map(|old| old as usize) else { return };
            let (from, base) = (&self.counts[self.first[old]..self.first[old + 1]], self.next[old]);
            for (at, count) in row.iter_mut().enumerate() {
                // A link that leaves a switch left the same switch before.
                if let Some(out) = was[new.next[link] as usize + at] {
                    *count = from[(out - base) as usize];
                }
            }
        });
        for (place, old) in new.places.iter_mut().zip(was) {
            *place = old.map_or(UNPLACED, |old| self.places[old as usize]);
        }
        new
    }
}
