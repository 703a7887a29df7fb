//! A spanning tree, over which every switch can be reached without a circle: a way out for packets
//! that no other way is left for, and the way of packets to multicast groups.

use std::collections::VecDeque;

use lk_fabric::SwitchId;

use super::lane::{Lane, Verdict};
use super::turns::Turns;
use crate::balance::height::above_leaves;
use crate::graph::Graph;
use crate::multicast::master_tree::{MasterTree, Up};
use crate::sssp::columns::NO_LINK;

/// A spanning tree of each part of a fabric, and an order of switches that it follows.
#[derive(Clone, Debug)]
pub(crate) struct Escape {
    /// For each switch the places of its links in the tree.
    links: Vec<Vec<u8>>,
    /// Those of them that lead to end ports in both directions.
    between_hosts: Vec<Vec<u8>>,
    /// For each switch how far up it is: links to a lower number lead up.
    ranks: Vec<u32>,
    /// The root of the first part's tree.
    root: Option<usize>,
}

impl Escape {
    /// Finds a tree around a switch in the middle of each part.
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut links = vec![Vec::new(); graph.len()];
        let mut levels = vec![u32::MAX; graph.len()];
        let mut first = None;
        for start in 0..graph.len() {
            if levels[start] != u32::MAX {
                continue;
            }
            let root = middle(graph, start);
            first.get_or_insert(root);
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
        let between_hosts = pruned(graph, &links);
        Self { links, between_hosts, ranks, root: first }
    }

    /// The tree as one for multicast groups; none where the fabric is in several parts.
    pub(crate) fn master_tree(&self, graph: &Graph) -> Option<MasterTree> {
        let root = self.root?;
        let mut up = vec![None; graph.len()];
        let mut reached = 1;
        let mut stack = vec![root];
        while let Some(s) = stack.pop() {
            for place in &self.links[s] {
                let link = graph.links(s)[usize::from(*place)];
                let peer = link.peer.index();
                if peer != root && up[peer].is_none() {
                    let links = vec![(link.peer_port, link.port)];
                    up[peer] = Some(Up { parent: SwitchId(s as u32), links });
                    reached += 1;
                    stack.push(peer);
                }
            }
        }
        (reached == graph.len()).then(|| MasterTree::new(SwitchId(root as u32), up))
    }

    /// An order of links in which nearly all turns lead forward that do not climb again after a
    /// descent.
    pub(crate) fn link_ranks(&self, graph: &Graph) -> Vec<u32> {
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
    pub(crate) fn turns(&self, turns: &Turns<'_>, show: impl FnMut(usize)) {
        turns_among(turns, &self.links, show);
    }

    /// Shows the turns of packets from end ports to end ports along the tree.
    pub(crate) fn turns_between_hosts(&self, turns: &Turns<'_>, show: impl FnMut(usize)) {
        turns_among(turns, &self.between_hosts, show);
    }

    /// Lets the turns of packets from end ports to end ports into a lane. `false`: some would close
    /// a circle there.
    pub(crate) fn join(&self, turns: &Turns<'_>, lane: &mut Lane) -> bool {
        let mut all = true;
        self.turns_between_hosts(turns, |turn| {
            all &= lane.admit(turns, turn) != Verdict::Barred;
        });
        all
    }

    /// The way of every switch to one, within the tree.
    pub(crate) fn ways(&self, graph: &Graph, home: usize, column: &mut [u8]) {
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

/// A tree without the branches that lead to no end port.
fn pruned(graph: &Graph, links: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut links = links.to_vec();
    let bare = |links: &[Vec<u8>], s: usize| links[s].len() == 1 && graph.hosts(s).is_empty();
    let mut ends: Vec<usize> = (0..links.len()).filter(|s| bare(&links, *s)).collect();
    while let Some(s) = ends.pop() {
        // Of two bare switches that are left, the other one may have gone first.
        let Some(place) = links[s].pop() else { continue };
        let link = graph.links(s)[usize::from(place)];
        let peer = link.peer.index();
        links[peer].retain(|at| graph.links(peer)[usize::from(*at)].port != link.peer_port);
        if bare(&links, peer) {
            ends.push(peer);
        }
    }
    links
}

/// Shows the turns between links that are given by switch and place.
fn turns_among(turns: &Turns<'_>, links: &[Vec<u8>], mut show: impl FnMut(usize)) {
    for (s, places) in links.iter().enumerate() {
        for from in places {
            // What comes in by the same cable.
            let into = turns.back(turns.graph.first_link(s) + usize::from(*from));
            for to in places.iter().filter(|to| *to != from) {
                show(turns.turn(into, *to));
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
pub(crate) fn near_order(graph: &Graph) -> Vec<u32> {
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
