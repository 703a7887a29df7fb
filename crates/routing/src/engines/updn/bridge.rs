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
use crate::paths::up_down::UpDown;
use crate::paths::{PathRule, bits};

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

/// The switches with end ports that do not reach all others of their part.
fn cut_off(graph: &Graph, order: &[u32], parts: &[u32]) -> Vec<usize> {
    let rule = UpDown::new(graph, order.to_vec(), false);
    let leaves: Vec<u32> =
        (0..graph.len() as u32).filter(|s| !graph.hosts(*s as usize).is_empty()).collect();
    let cut = |dests: &[u32]| {
        let mut lost = Vec::new();
        let reach = rule.reach(dests);
        for s in leaves.iter().map(|s| *s as usize) {
            let seen = reach.levels.iter().fold(0, |all, level| all | level[s]);
            let mine = dests.iter().enumerate().filter(|(_, d)| parts[**d as usize] == parts[s]);
            let missed = mine.fold(0_u64, |all, (bit, _)| all | 1 << bit) & !seen;
            if missed != 0 {
                lost.push(s);
                lost.extend(bits(missed).map(|bit| dests[bit] as usize));
            }
        }
        lost
    };
    let mut lost: Vec<usize> = leaves.par_chunks(64).flat_map_iter(cut).collect();
    lost.sort_unstable();
    lost.dedup();
    lost
}

/// Where climbing from a switch ends, by the highest neighbour each time.
fn top_of(graph: &Graph, order: &[u32], s: usize) -> usize {
    let mut place = vec![0; order.len()];
    for (at, s) in order.iter().enumerate() {
        place[*s as usize] = at;
    }
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
