//! All turns from one link between switches to the next, numbered.

use crate::graph::Graph;

/// The turns of a graph. Those that follow one link are numbered one after the other, in the order
/// of the links that they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Turns<'a> {
    /// The switches.
    pub(crate) graph: &'a Graph,
    /// For each link its first turn; one more at the end.
    first: Vec<u32>,
    /// For each link the first one that leaves the switch at its end.
    next: Vec<u32>,
    /// For each link the same cable the other way.
    back: Vec<u32>,
    /// For each link the switch that sends on it.
    from: Vec<u32>,
}

impl<'a> Turns<'a> {
    /// Numbers the turns.
    pub(crate) fn new(graph: &'a Graph) -> Self {
        let links = graph.link_count();
        let mut turns = Self {
            graph,
            first: Vec::with_capacity(links + 1),
            next: Vec::with_capacity(links),
            back: Vec::with_capacity(links),
            from: Vec::with_capacity(links),
        };
        let mut number = 0;
        for s in 0..graph.len() {
            for link in graph.links(s) {
                let peer = link.peer.index();
                let row = graph.first_link(peer) as u32;
                turns.first.push(number);
                turns.next.push(row);
                let back = graph.link_at(peer, link.peer_port);
                // A cable has two ends, and both are in the graph.
                turns.back.push(row + back.unwrap_or(0) as u32);
                turns.from.push(s as u32);
                number += graph.links(peer).len() as u32;
            }
        }
        turns.first.push(number);
        turns
    }

    /// How many turns there are.
    pub(crate) fn len(&self) -> usize {
        self.first[self.next.len()] as usize
    }

    /// How many links there are.
    pub(crate) fn links(&self) -> usize {
        self.next.len()
    }

    /// The turn from a link to the one with this place in the row of the switch at its end.
    #[inline]
    pub(crate) fn turn(&self, link: usize, place: u8) -> usize {
        self.first[link] as usize + usize::from(place)
    }

    /// The links of a turn.
    pub(crate) fn ends(&self, turn: usize) -> (usize, usize) {
        let from = self.first.partition_point(|first| *first as usize <= turn) - 1;
        (from, self.next[from] as usize + turn - self.first[from] as usize)
    }

    /// The turns that follow a link, and the first link that they lead to; the others follow.
    #[inline]
    pub(crate) fn after(&self, link: usize) -> (std::ops::Range<usize>, usize) {
        let turns = self.first[link] as usize..self.first[link + 1] as usize;
        (turns, self.next[link] as usize)
    }

    /// The turns that lead to a link, with the links that they come from.
    pub(crate) fn before(&self, link: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let s = self.from[link] as usize;
        let row = self.graph.first_link(s);
        let place = link - row;
        (row..row + self.graph.links(s).len()).map(move |out| {
            let into = self.back[out] as usize;
            (self.first[into] as usize + place, into)
        })
    }

    /// The turn from the second cable back into the first one: both the other way.
    #[inline]
    pub(crate) fn reversed(&self, from: usize, to: usize) -> usize {
        let back = self.back[to] as usize;
        self.first[back] as usize + (self.back[from] - self.next[back]) as usize
    }

    /// The same cable the other way.
    #[inline]
    pub(crate) fn back(&self, link: usize) -> usize {
        self.back[link] as usize
    }
}
