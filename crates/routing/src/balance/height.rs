//! How high each switch stands above the leaf switches.

use std::collections::VecDeque;

use crate::graph::Graph;
use crate::paths::host_histogram;

/// Hops from the nearest leaf switch, for each switch. Leaf switches stand at 0, and so does what
/// no leaf switch reaches.
///
/// A leaf switch is one with end ports. One that has few of them (less than half the mean) and
/// from which most neighbours lie further out is not: that is a spine switch with a node or two
/// for management or storage on it, and does not make the tree upside down.
pub(crate) fn above_leaves(graph: &Graph) -> Vec<u32> {
    let mut height = vec![u32::MAX; graph.len()];
    let mut queue: VecDeque<usize> = leaves(graph).into();
    for s in &queue {
        height[*s] = 0;
    }
    while let Some(s) = queue.pop_front() {
        for link in graph.links(s) {
            let peer = link.peer.index();
            if height[peer] == u32::MAX {
                height[peer] = height[s] + 1;
                queue.push_back(peer);
            }
        }
    }
    for h in &mut height {
        if *h == u32::MAX {
            *h = 0;
        }
    }
    height
}

/// Whether the switches form layers: each link leads from one height to the next.
pub(crate) fn is_layered(graph: &Graph, height: &[u32]) -> bool {
    (0..graph.len())
        .all(|s| graph.links(s).iter().all(|l| height[l.peer.index()].abs_diff(height[s]) == 1))
}

fn leaves(graph: &Graph) -> Vec<usize> {
    let with_hosts: Vec<usize> = (0..graph.len()).filter(|s| !graph.hosts(*s).is_empty()).collect();
    let few = |s: usize| graph.hosts(s).len() * 2 * with_hosts.len() < graph.host_count();
    if !with_hosts.iter().any(|s| few(*s)) {
        return with_hosts;
    }
    let remoteness = remoteness(graph);
    let inner = |s: usize| {
        let links = graph.links(s);
        let outer = links.iter().filter(|l| remoteness[l.peer.index()] > remoteness[s]).count();
        outer * 2 >= links.len().max(1)
    };
    with_hosts.iter().copied().filter(|s| !(few(*s) && inner(*s))).collect()
}

/// The sum of the distances from a switch to all end ports; one out of reach counts as far away.
fn remoteness(graph: &Graph) -> Vec<u64> {
    let hosts = graph.host_count() as u64;
    let sum = |bars: &Vec<u32>| {
        let near: u64 = bars.iter().map(|n| u64::from(*n)).sum();
        let hops: u64 = bars.iter().enumerate().map(|(h, n)| h as u64 * u64::from(*n)).sum();
        hops + (hosts - near) * crate::paths::MAX_HOPS as u64
    };
    host_histogram(graph).iter().map(sum).collect()
}
