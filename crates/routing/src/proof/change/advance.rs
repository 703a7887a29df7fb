//! Edges that grow in number, with an order of the channels in which all lead forward.
//!
//! An edge that leads backward is looked into only between its two ends: what is reached from its
//! far end and stands before its near end moves behind what reaches the near end (the way of Pearce
//! and Kelly). The rest of the fabric is not touched.

use crate::graph::Graph;
use crate::proof::circle;
use crate::proof::waits::{Channel, Edge, Waits};

/// Channels that are looked at, at most: some seconds of work.
const LOOKS: usize = 1 << 27;

/// Edges that close no circle.
pub(super) struct Advance<'a> {
    graph: &'a Graph,
    waits: Waits,
    /// The place of each channel.
    places: Vec<u32>,
    seen: Vec<bool>,
    looks: usize,
}

impl<'a> Advance<'a> {
    /// Begins with some edges. None if they close a circle.
    pub(super) fn new(graph: &'a Graph, waits: Waits) -> Option<Self> {
        let places = circle::order(&waits)?;
        let seen = vec![false; places.len()];
        Some(Self { graph, waits, places, seen, looks: 0 })
    }

    /// Takes edges in, all or none: none if they close a circle.
    pub(super) fn takes(&mut self, edges: &[Edge]) -> bool {
        let mut new = Vec::new();
        for edge in edges {
            if !self.waits.set(*edge) {
                continue;
            }
            new.push(*edge);
            if self.looks > LOOKS || !self.bears(*edge) {
                new.into_iter().for_each(|edge| self.waits.unset(edge));
                return false;
            }
        }
        true
    }

    /// Mends the order for an edge that was added. False if it closes a circle.
    fn bears(&mut self, edge: Edge) -> bool {
        let (from, to) = (self.waits.number(edge.from), self.waits.number(edge.to));
        let (last, first) = (self.places[from], self.places[to]);
        if last < first {
            return true;
        }
        let mut ahead = vec![to];
        let mut at = 0;
        self.seen[to] = true;
        let mut closes = from == to;
        while let Some(channel) = ahead.get(at).copied().filter(|_| !closes) {
            at += 1;
            for next in self.waits.after(channel) {
                closes |= next == from;
                if self.places[next] < last && !self.seen[next] {
                    self.seen[next] = true;
                    ahead.push(next);
                }
            }
        }
        self.looks += ahead.len();
        ahead.iter().for_each(|channel| self.seen[*channel] = false);
        if closes {
            return false;
        }
        let mut behind = vec![from];
        self.seen[from] = true;
        let mut at = 0;
        while let Some(channel) = behind.get(at).copied() {
            at += 1;
            for before in self.before(channel) {
                if self.places[before] > first && !self.seen[before] {
                    self.seen[before] = true;
                    behind.push(before);
                }
            }
        }
        self.looks += behind.len();
        behind.iter().for_each(|channel| self.seen[*channel] = false);
        behind.sort_unstable_by_key(|channel| self.places[*channel]);
        ahead.sort_unstable_by_key(|channel| self.places[*channel]);
        behind.extend(ahead);
        let mut places: Vec<u32> = behind.iter().map(|channel| self.places[*channel]).collect();
        places.sort_unstable();
        behind.iter().zip(places).for_each(|(channel, place)| self.places[*channel] = place);
        true
    }

    /// The channels that wait for one.
    fn before(&self, number: usize) -> Vec<usize> {
        let to = self.waits.channel(number);
        let (s, _) = self.graph.sender(to.link as usize);
        let into = self.graph.links(s.index()).iter().filter_map(|link| {
            let peer = link.peer.index();
            Some((self.graph.first_link(peer) + self.graph.link_at(peer, link.peer_port)?) as u32)
        });
        let lanes = self.waits.lanes() as u8;
        let channels = into.flat_map(|link| (0..lanes).map(move |lane| Channel { link, lane }));
        let waiting = channels.filter(|from| self.waits.has(Edge { from: *from, to }));
        waiting.map(|from| self.waits.number(from)).collect()
    }
}
