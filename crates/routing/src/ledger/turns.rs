//! How many LIDs make each turn, and an order of the links in which all turns lead forward.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use super::way::Senders;
use crate::graph::Graph;

/// The turns of all LIDs: from each directed link to those that leave the switch at its end.
#[derive(Clone, Debug)]
pub(super) struct TurnCounts {
    /// For each directed link the number of its first turn, and one more at the end.
    first: Vec<usize>,
    /// For each directed link the first link that leaves the switch at its end.
    next: Vec<u32>,
    /// How many LIDs make each turn by packets between hosts, and how many by packets of switches
    /// alone: fewer than there are unicast LIDs, which fits.
    counts: [Vec<u16>; 2],
    /// Whether only packets between hosts count.
    hosts_only: bool,
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
    counts: [Vec<AtomicU16>; 2],
}

/// The place of the counts of a kind of packets.
const fn kind(senders: Senders) -> usize {
    match senders {
        Senders::Hosts => 0,
        Senders::Switches | Senders::None => 1,
    }
}

impl Shared<'_> {
    /// One more LID makes a turn.
    pub(super) fn add(&self, link: usize, out: u8, senders: Senders) {
        let at = self.first[link] + usize::from(out);
        self.counts[kind(senders)][at].fetch_add(1, Ordering::Relaxed);
    }

    /// The counts.
    pub(super) fn finish(self) -> [Vec<u16>; 2] {
        self.counts.map(|counts| counts.into_iter().map(AtomicU16::into_inner).collect())
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
        let counts = [vec![0; first[next.len()]], vec![0; first[next.len()]]];
        let places = vec![UNPLACED; next.len()];
        Self { first, next, counts, hosts_only: false, places }
    }

    /// The counts, to be changed by many.
    pub(super) fn share(&self) -> Shared<'_> {
        let share = |counts: &Vec<u16>| counts.iter().map(|n| AtomicU16::new(*n)).collect();
        let counts = [share(&self.counts[0]), share(&self.counts[1])];
        Shared { first: &self.first, counts }
    }

    /// Takes counts over.
    pub(super) fn set(&mut self, counts: [Vec<u16>; 2]) {
        self.counts = counts;
    }

    /// One more LID makes a turn. Whether it leads forward in the order, or does not count.
    pub(super) fn add(&mut self, link: usize, out: u8, senders: Senders) -> bool {
        self.counts[kind(senders)][self.first[link] + usize::from(out)] += 1;
        (self.hosts_only && senders != Senders::Hosts) || self.leads_forward(link, out)
    }

    /// One fewer.
    pub(super) fn take(&mut self, link: usize, out: u8, senders: Senders) {
        self.counts[kind(senders)][self.first[link] + usize::from(out)] -= 1;
    }

    /// Whether as many LIDs make each turn.
    pub(super) fn as_many(&self, other: &Self) -> bool {
        self.counts == other.counts
    }

    /// Leaves out the turns of packets of switches from now on.
    pub(super) const fn leave_out_switches(&mut self) {
        self.hosts_only = true;
    }

    /// Counts them again.
    pub(super) const fn count_switches(&mut self) {
        self.hosts_only = false;
    }

    /// Whether the turns of packets of switches are left out.
    pub(super) const fn hosts_only(&self) -> bool {
        self.hosts_only
    }

    /// Whether some LID makes a turn, by its number, as far as that counts.
    fn is_made(&self, turn: usize) -> bool {
        self.counts[0][turn] > 0 || (!self.hosts_only && self.counts[1][turn] > 0)
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
        match self.is_made(self.first[link] + usize::from(out)) {
            false => Turn::New,
            true => Turn::Known,
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
    fn all_lead_forward(&self, turns: &[(u32, u32)]) -> bool {
        turns.iter().all(|(from, to)| {
            let to = self.places[*to as usize];
            to != UNPLACED && self.places[*from as usize] < to
        })
    }

    /// Whether some LID makes a turn from a link to a link.
    fn has(&self, from: u32, to: u32) -> bool {
        let from = from as usize;
        self.is_made(self.first[from] + (to - self.next[from]) as usize)
    }

    /// The links that follow a link.
    fn after(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        let (first, next) = (self.first[link], self.next[link] as usize);
        let made = move |turn: &usize| self.is_made(*turn);
        (first..self.first[link + 1]).filter(made).map(move |turn| next + turn - first)
    }

    /// Finds an order in which all turns lead forward. False if there is none; nothing changes
    /// then.
    pub(super) fn arrange(&mut self) -> bool {
        let order = self.order(&[]);
        order.map(|places| self.places = places).is_some()
    }

    /// Whether there is an order in which all turns lead forward, with those of other packets
    /// among them.
    pub(super) fn bear(&self, others: &[(u32, u32)]) -> bool {
        self.all_lead_forward(others) || self.order(others).is_some()
    }

    /// An order in which all turns lead forward, with those of other packets among them.
    fn order(&self, others: &[(u32, u32)]) -> Option<Vec<u32>> {
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
        (placed as usize == n).then_some(places)
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
        let mut new = Self { hosts_only: self.hosts_only, ..Self::new(graph) };
        let (starts, nexts) = (&new.first, &new.next);
        for (counts, before) in new.counts.iter_mut().zip(&self.counts) {
            let mut rows: Vec<(usize, &mut [u16])> = Vec::with_capacity(was.len());
            let mut rest = counts.as_mut_slice();
            for link in 0..was.len() {
                let (row, more) = rest.split_at_mut(starts[link + 1] - starts[link]);
                rows.push((link, row));
                rest = more;
            }
            rows.into_par_iter().with_min_len(1024).for_each(|(link, row)| {
                let Some(old) = was[link].map(|old| old as usize) else { return };
                let from = &before[self.first[old]..self.first[old + 1]];
                // Most switches have the links that they had.
                let next = nexts[link] as usize;
                if row.len() == from.len()
                    && (0..row.len()).all(|at| was[next + at] == Some(self.next[old] + at as u32))
                {
                    row.copy_from_slice(from);
                    return;
                }
                for (at, count) in row.iter_mut().enumerate() {
                    // A link that leaves a switch left the same switch before.
                    if let Some(out) = was[next + at] {
                        *count = from[(out - self.next[old]) as usize];
                    }
                }
            });
        }
        for (place, old) in new.places.iter_mut().zip(was) {
            *place = old.map_or(UNPLACED, |old| self.places[old as usize]);
        }
        new
    }

    /// Some circle of turns of all packets; empty if there is none.
    pub(super) fn circle(&self) -> Vec<u32> {
        let n = self.next.len();
        let all = Self { hosts_only: false, places: Vec::new(), ..self.clone() };
        let mut before = vec![0_u32; n];
        (0..n).flat_map(|link| all.after(link)).for_each(|to| before[to] += 1);
        let mut free: Vec<usize> = (0..n).filter(|link| before[*link] == 0).collect();
        let mut left = n;
        while let Some(link) = free.pop() {
            left -= 1;
            for to in all.after(link) {
                before[to] -= 1;
                if before[to] == 0 {
                    free.push(to);
                }
            }
        }
        if left == 0 {
            return Vec::new();
        }
        // What is left follows something that is left: backward there is always a next step.
        let mut from = vec![u32::MAX; n];
        for link in (0..n).filter(|link| before[*link] > 0) {
            all.after(link).for_each(|to| from[to] = link as u32);
        }
        let start = (0..n).find(|link| before[*link] > 0).unwrap_or(0) as u32;
        let back = |link: u32| from[link as usize];
        let on =
            std::iter::successors(Some(start), |link| Some(back(*link))).nth(n).unwrap_or(start);
        let mut circle = vec![on];
        let mut at = back(on);
        while at != on {
            circle.push(at);
            at = back(at);
        }
        circle.reverse();
        circle
    }
}
