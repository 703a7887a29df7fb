//! The turns that packets take: from the link by which they come into a switch to the link by
//! which they leave it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::Graph;
use crate::paths::bits;

/// A set of turns of a graph. Any number of threads may add to it.
#[derive(Debug)]
pub(super) struct Turns {
    /// The first bit of each switch; a row of bits for each way in, a bit for each way out.
    first: Vec<usize>,
    bits: Vec<AtomicU64>,
    /// For each directed link its place among the links of the switch that it leads to.
    arrival: Vec<u8>,
}

impl Clone for Turns {
    fn clone(&self) -> Self {
        let word = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        Self {
            first: self.first.clone(),
            bits: self.bits.iter().map(word).collect(),
            arrival: self.arrival.clone(),
        }
    }
}

impl Turns {
    /// No turn.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut first = Vec::with_capacity(graph.len());
        let mut all = 0;
        for s in 0..graph.len() {
            first.push(all);
            all += graph.links(s).len() * graph.links(s).len();
        }
        let arrival = (0..graph.len())
            .flat_map(|s| graph.links(s))
            // The far end of a link between switches is a link of the other switch.
            .map(|l| graph.link_at(l.peer.index(), l.peer_port).unwrap_or(0) as u8)
            .collect();
        let bits = (0..all.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { first, bits, arrival }
    }

    /// The bit of the turn from the directed link `into` (by its number among all) to the link
    /// `out` of the switch that it leads to.
    fn place(&self, graph: &Graph, into: usize, peer: usize, out: u8) -> usize {
        let row = usize::from(self.arrival[into]) * graph.links(peer).len();
        self.first[peer] + row + usize::from(out)
    }

    pub(super) fn add(&self, graph: &Graph, into: usize, peer: usize, out: u8) {
        let at = self.place(graph, into, peer, out);
        let (word, bit) = (&self.bits[at / 64], 1 << (at % 64));
        // Most turns are there already; to look is cheaper than to write.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    pub(super) fn has(&self, graph: &Graph, into: usize, peer: usize, out: u8) -> bool {
        let at = self.place(graph, into, peer, out);
        self.bits[at / 64].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
    }

    /// Whether no chain of turns comes back to its first link.
    pub(super) fn is_free_of_circles(&self, graph: &Graph) -> bool {
        // Links into which no turn leads are taken away until none is left.
        let count = graph.link_count();
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut waiting = vec![0_u32; count];
        for s in 0..graph.len() {
            let links = graph.links(s);
            for (at, link) in links.iter().enumerate() {
                // The way in at `at` is the other direction of the link `at`.
                let Some(back) = graph.link_at(link.peer.index(), link.peer_port) else { continue };
                let into = graph.first_link(link.peer.index()) + back;
                for out in self.row(s, at, links.len()) {
                    let out = graph.first_link(s) + out;
                    next[into].push(out as u32);
                    waiting[out] += 1;
                }
            }
        }
        let mut free: Vec<usize> = (0..count).filter(|link| waiting[*link] == 0).collect();
        let mut gone = 0;
        while let Some(link) = free.pop() {
            gone += 1;
            for out in &next[link] {
                waiting[*out as usize] -= 1;
                if waiting[*out as usize] == 0 {
                    free.push(*out as usize);
                }
            }
        }
        gone == count
    }

    /// The ways out that follow a way in.
    fn row(&self, s: usize, at: usize, links: usize) -> impl Iterator<Item = usize> + '_ {
        let start = self.first[s] + at * links;
        let end = start + links;
        (start / 64..end.div_ceil(64)).flat_map(move |word| {
            let value = self.bits[word].load(Ordering::Relaxed);
            bits(value)
                .map(move |bit| word * 64 + bit)
                .filter(move |bit| (start..end).contains(bit))
                .map(move |bit| bit - start)
        })
    }
}
