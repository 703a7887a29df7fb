//! A spanning tree, over which every switch can be reached without a circle.

use std::collections::VecDeque;

use crate::balance::height::above_leaves;
use crate::deps::turns::Turns;
use crate::graph::Graph;
use crate::sssp::columns::NO_LINK;

/// A spanning tree of each part of a fabric, and an order of switches that it follows.
#[derive(Clone, Debug)]
pub(super) struct Escape {
    /// For each switch the places of its links in the tree.
    links: Vec<Vec<u8>>,
    /// For each switch how far up it is: links to a lower number lead up.
    ranks: Vec<u32>,
}

impl Escape {
    /// Finds a tree around a switch in the middle of each part.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut links = vec![Vec::new(); graph.len()];
        let mut levels = vec![u32::MAX; graph.len()];
        for start in 0..graph.len() {
            if levels[start] != u32::MAX {
                continue;
            }
            let root = middle(graph, start);
            levels[root] = 0;
            let mut queue = VecDeque::from([root]);
            while let Some(s) = queue.pop_front() {
                for (place, link) in graph.links(s).iter().enumerate() {
                    let peer = link.peer.index();
                    if levels[peer] == u32::MAX {
                        levels[peer] = levels[s] + 1;
                        links[s].push(place as u8);
                        let back = graph.link_at(peer, link.peer_port);
                        links[peer].extend(back.map(|back| back as u8));
                        queue.push_back(peer);
                    }
                }
            }
        }
        let height = above_leaves(graph);
        let mut order: Vec<usize> = (0..graph.len()).collect();
        order.sort_by_key(|s| (std::cmp::Reverse(height[*s]), levels[*s], *s));
        let mut ranks = vec![0; graph.len()];
        for (rank, s) in (0..).zip(order) {
            ranks[s] = rank;
        }
        Self { links, ranks }
    }

    /// An order of links in which nearly all turns lead forward that do not climb again after a
    /// descent.
    pub(super) fn link_ranks(&self, graph: &Graph) -> Vec<u32> {
        let mut links: Vec<(bool, i64, u32)> = Vec::with_capacity(graph.link_count());
        for s in 0..graph.len() {
            let own = i64::from(self.ranks[s]);
            for (link, number) in graph.links(s).iter().zip(graph.first_link(s) as u32..) {
                let down = self.ranks[link.peer.index()] > self.ranks[s];
                links.push((down, if down { own } else { -own }, number));
            }
        }
        links.sort_unstable();
        let mut ranks = vec![0; links.len()];
        for (rank, (_, _, link)) in (0..).zip(links) {
            ranks[link as usize] = rank;
        }
        ranks
    }

    /// Shows all turns within the tree.
    pub(super) fn turns(&self, turns: &Turns<'_>, mut show: impl FnMut(usize)) {
        let graph = turns.graph;
        for (s, places) in self.links.iter().enumerate() {
            for from in places {
                let link = graph.first_link(s) + usize::from(*from);
                // What comes in by the same cable.
                let into = turns.back(link);
                for to in places.iter().filter(|to| *to != from) {
                    show(turns.turn(into, *to));
                }
            }
        }
    }

    /// The way of every switch to one, within the tree.
    pub(super) fn ways(&self, graph: &Graph, home: usize, column: &mut [u8]) {
        column.fill(NO_LINK);
        let mut stack = vec![home];
        while let Some(s) = stack.pop() {
            for place in &self.links[s] {
                let link = graph.links(s)[usize::from(*place)];
                let peer = link.peer.index();
                if peer != home && column[peer] == NO_LINK {
                    let back = graph.link_at(peer, link.peer_port);
                    column[peer] = back.map_or(NO_LINK, |back| back as u8);
                    stack.push(peer);
                }
            }
        }
    }
}

/// A switch from which the farthest ones are as near as they get, by two sweeps.
fn middle(graph: &Graph, start: usize) -> usize {
    let (far, _) = sweep(graph, start);
    let (other, from) = sweep(graph, far);
    let mut path = vec![other];
    while let Some(before) = from[path[path.len() - 1]] {
        path.push(before as usize);
    }
    path[path.len() / 2]
}

/// The last switch that a search comes to, and for each switch the one that it was found from.
fn sweep(graph: &Graph, start: usize) -> (usize, Vec<Option<u32>>) {
    let mut from = vec![None; graph.len()];
    let mut seen = vec![false; graph.len()];
    seen[start] = true;
    let mut queue = VecDeque::from([start]);
    let mut last = start;
    while let Some(s) = queue.pop_front() {
        last = s;
        for link in graph.links(s) {
            let peer = link.peer.index();
            if !std::mem::replace(&mut seen[peer], true) {
                from[peer] = Some(s as u32);
                queue.push_back(peer);
            }
        }
    }
    (last, from)
}

/// All switches, those that are near each other one after the other.
pub(super) fn near_order(graph: &Graph) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    for start in 0..graph.len() {
        if seen[start] {
            continue;
        }
        let (far, _) = sweep(graph, start);
        seen[far] = true;
        let mut queue = VecDeque::from([far]);
        while let Some(s) = queue.pop_front() {
            order.push(s as u32);
            for link in graph.links(s) {
                if !std::mem::replace(&mut seen[link.peer.index()], true) {
                    queue.push_back(link.peer.index());
                }
            }
        }
    }
    order
}
