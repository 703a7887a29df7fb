//! The edges between channels, as bits.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::Graph;

/// A directed link between switches, with a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Channel {
    /// The link's number among all directed links.
    pub(super) link: u32,
    /// The lane's place among those in use.
    pub(super) lane: u8,
}

/// Some packet can hold the first channel and wait for the second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    pub(super) from: Channel,
    pub(super) to: Channel,
}

/// All edges: for each pair of a link and one that leaves the switch at its end, one bit for each
/// pair of lanes. Threads set bits at the same time; the outcome is the same in any order.
#[derive(Debug)]
pub(super) struct Waits {
    lanes: usize,
    /// For each directed link the number of its first pair; the others follow by the place of
    /// the second link in its switch's row.
    pairs: Vec<usize>,
    /// For each directed link the first link that leaves the switch at its end.
    next: Vec<u32>,
    bits: Vec<AtomicU64>,
}

impl Waits {
    /// No edges, for the links of a graph and a number of lanes.
    pub(super) fn new(graph: &Graph, lanes: usize) -> Self {
        let mut pairs = vec![0];
        let mut next = Vec::with_capacity(graph.link_count());
        for link in (0..graph.len()).flat_map(|s| graph.links(s)) {
            let peer = link.peer.index();
            next.push(graph.first_link(peer) as u32);
            pairs.push(pairs[next.len() - 1] + graph.links(peer).len());
        }
        let words = (pairs[next.len()] * lanes * lanes).div_ceil(64);
        let bits = std::iter::repeat_with(|| AtomicU64::new(0)).take(words).collect();
        Self { lanes, pairs, next, bits }
    }

    /// The bits of the edges from a channel lie side by side: where they start.
    fn first(&self, from: Channel) -> usize {
        let link = from.link as usize;
        let outs = self.pairs[link + 1] - self.pairs[link];
        (self.pairs[link] * self.lanes + usize::from(from.lane) * outs) * self.lanes
    }

    fn bit(&self, edge: Edge) -> usize {
        let out = (edge.to.link - self.next[edge.from.link as usize]) as usize;
        self.first(edge.from) + out * self.lanes + usize::from(edge.to.lane)
    }

    /// Adds an edge.
    pub(super) fn add(&self, edge: Edge) {
        let bit = self.bit(edge);
        let (word, mask) = (&self.bits[bit / 64], 1 << (bit % 64));
        // Nearly all turns were seen before, and reading is cheaper than writing.
        if word.load(Ordering::Relaxed) & mask == 0 {
            word.fetch_or(mask, Ordering::Relaxed);
        }
    }

    /// Adds an edge; `false` if it was there.
    pub(super) fn set(&mut self, edge: Edge) -> bool {
        let bit = self.bit(edge);
        let word = self.bits[bit / 64].get_mut();
        let new = *word >> (bit % 64) & 1 == 0;
        *word |= 1 << (bit % 64);
        new
    }

    /// Whether an edge is there.
    pub(super) fn has(&self, edge: Edge) -> bool {
        let bit = self.bit(edge);
        self.bits[bit / 64].load(Ordering::Relaxed) >> (bit % 64) & 1 == 1
    }

    /// How many lanes there are.
    pub(super) const fn lanes(&self) -> usize {
        self.lanes
    }

    /// Takes an edge away.
    pub(super) fn unset(&mut self, edge: Edge) {
        let bit = self.bit(edge);
        *self.bits[bit / 64].get_mut() &= !(1 << (bit % 64));
    }

    /// The number of a channel, below [`Self::channels`].
    pub(super) fn number(&self, channel: Channel) -> usize {
        channel.link as usize * self.lanes + usize::from(channel.lane)
    }

    /// How many channels there can be: links times lanes.
    pub(super) fn channels(&self) -> usize {
        self.next.len() * self.lanes
    }

    /// The channel with a number below [`Self::channels`].
    pub(super) fn channel(&self, number: usize) -> Channel {
        Channel { link: (number / self.lanes) as u32, lane: (number % self.lanes) as u8 }
    }

    /// The channels, by number, that are waited for by those who hold this one; ascending.
    pub(super) fn after(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let channel = self.channel(from);
        let link = channel.link as usize;
        let start = self.first(channel);
        let end = start + (self.pairs[link + 1] - self.pairs[link]) * self.lanes;
        let base = self.next[link] as usize * self.lanes;
        (start / 64..end.div_ceil(64)).flat_map(move |word| {
            let bits = crate::paths::bits(self.bits[word].load(Ordering::Relaxed));
            bits.map(move |bit| word * 64 + bit)
                .filter(move |bit| (start..end).contains(bit))
                .map(move |bit| base + bit - start)
        })
    }

    /// How many channels have an edge, and how many edges there are.
    pub(super) fn count(&self) -> (u64, u64) {
        let mut used = vec![false; self.channels()];
        let mut edges = 0;
        for from in 0..self.channels() {
            for to in self.after(from) {
                edges += 1;
                used[from] = true;
                used[to] = true;
            }
        }
        (used.iter().filter(|u| **u).count() as u64, edges)
    }
}
