//! Makes an order of the switches one by which all end ports can reach each other.
//!
//! By up*/down* two switches are cut off from each other where nothing stands above both. The
//! remedy is to lift some switches to the front of the order: the *bridge*, a tree of links that
//! joins the switches at the top of either side. Its root comes first, then the others by their
//! distance from it. Whoever could climb to a switch of the bridge can now climb on to the root
//! and descend from there. The rest of the order stays as it is, so nearly all paths do.

use std::collections::VecDeque;

use rayon::prelude::*;

use crate::graph::Graph;

/// The order with a bridge, and how many switches that has; `None` if all switches with end ports
/// reach each other already, as far as they are connected at all.
pub(crate) fn bridged(graph: &Graph, order: &[u32]) -> Option<(Vec<u32>, usize)> {
    let parts = graph.parts();
    let mut tops: Vec<usize> = Vec::new();
    let mut bridged: Option<(Vec<u32>, usize)> = None;
    loop {
        let now = bridged.as_ref().map_or(order, |(order, _)| order);
        let lost = cut_off(graph, now, &parts);
        let known = tops.len();
        for s in lost {
            let top = top_of(graph, order, s);
            if !tops.contains(&top) {
                tops.push(top);
            }
        }
        if tops.len() == known {
            return bridged;
        }
        bridged = Some(lift(graph, order, &parts, &tops));
    }
}

/// The switches with end ports that do not reach all others of their part: no switch stands above
/// both, nor is one of them above the other.
fn cut_off(graph: &Graph, order: &[u32], parts: &[u32]) -> Vec<usize> {
    let above = above(graph, order);
    let leaves: Vec<usize> = (0..graph.len()).filter(|s| !graph.hosts(*s).is_empty()).collect();
    let cut = |(at, s): (usize, &usize)| {
        let mine = leaves[..at].iter().filter(|d| parts[**d] == parts[*s]);
        let meet = |d: usize| above[*s].iter().zip(&above[d]).any(|(a, b)| a & b != 0);
        let missed: Vec<usize> = mine.copied().filter(|d| !meet(*d)).collect();
        let own = if missed.is_empty() { None } else { Some(*s) };
        missed.into_iter().chain(own)
    };
    let mut lost: Vec<usize> = leaves.par_iter().enumerate().flat_map_iter(cut).collect();
    lost.sort_unstable();
    lost.dedup();
    lost
}

/// For each switch itself and those that can be reached from it by climbing, as a set of bits by
/// place in the order: what stands above many is in the first words.
fn above(graph: &Graph, order: &[u32]) -> Vec<Vec<u64>> {
    let places = places(order);
    let mut above = vec![Vec::new(); graph.len()];
    for (place, s) in order.iter().map(|s| *s as usize).enumerate() {
        let mut set = vec![0_u64; order.len().div_ceil(64)];
        set[place / 64] |= 1 << (place % 64);
        let ups = graph.links(s).iter().map(|l| l.peer.index()).filter(|p| places[*p] < place);
        for peer in ups {
            set.iter_mut().zip(&above[peer]).for_each(|(all, more): (_, &u64)| *all |= more);
        }
        above[s] = set;
    }
    above
}

/// For each switch its place in the order.
fn places(order: &[u32]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, s) in order.iter().enumerate() {
        places[*s as usize] = place;
    }
    places
}

/// Where climbing from a switch ends, by the highest neighbour each time.
fn top_of(graph: &Graph, order: &[u32], s: usize) -> usize {
    let place = places(order);
    let mut at = s;
    while let Some(up) = graph.links(at).iter().map(|l| l.peer.index()).min_by_key(|p| place[*p])
        && place[up] < place[at]
    {
        at = up;
    }
    at
}

/// Lifts a tree that joins the switches `tops` of each part to the front of the order.
fn lift(graph: &Graph, order: &[u32], parts: &[u32], tops: &[usize]) -> (Vec<u32>, usize) {
    let mut depth = vec![u32::MAX; graph.len()];
    let mut parent = vec![usize::MAX; graph.len()];
    let mut roots: Vec<usize> = Vec::new();
    for s in order.iter().map(|s| *s as usize).filter(|s| tops.contains(s)) {
        if roots.iter().all(|root| parts[*root] != parts[s]) {
            roots.push(s);
            depth[s] = 0;
        }
    }
    let mut queue: VecDeque<usize> = roots.into();
    while let Some(s) = queue.pop_front() {
        for peer in graph.links(s).iter().map(|l| l.peer.index()) {
            if depth[peer] == u32::MAX {
                depth[peer] = depth[s] + 1;
                parent[peer] = s;
                queue.push_back(peer);
            }
        }
    }
    let mut lifted = vec![false; graph.len()];
    for top in tops {
        let mut at = *top;
        while at != usize::MAX && !std::mem::replace(&mut lifted[at], true) {
            at = parent[at];
        }
    }
    let mut new = order.to_vec();
    new.sort_by_key(|s| {
        let s = *s as usize;
        if lifted[s] { (0, depth[s]) } else { (1, 0) }
    });
    (new, lifted.iter().filter(|l| **l).count())
}
