//! Fat-trees, and groups of them.

use super::Topology;
use crate::balance::height::{above_leaves, is_layered};
use crate::graph::Graph;

/// The switches as a fat-tree, if they are one.
pub(super) fn fat_tree(graph: &Graph) -> Option<Topology> {
    let height = above_leaves(graph);
    let top = height.iter().copied().max()?;
    if top == 0 || !is_layered(graph, &height) || !leaves_meet(graph, &height) {
        return None;
    }
    let ports = |s: usize| graph.links(s).len() + graph.hosts(s).len();
    let at = |level: u32| height.iter().filter(|h| **h == level).count();
    Some(Topology::FatTree {
        levels: top + 1,
        radix: (0..graph.len()).map(ports).max().unwrap_or(0),
        leaves: at(0),
        tops: at(top),
    })
}

/// Whether each leaf switch reaches each other one by links that lead up and then down.
fn leaves_meet(graph: &Graph, height: &[u32]) -> bool {
    let leaves: Vec<usize> = (0..graph.len()).filter(|s| height[*s] == 0).collect();
    let words = leaves.len().div_ceil(64);
    let mut sets = vec![vec![0_u64; words]; graph.len()];
    for (bit, leaf) in leaves.iter().enumerate() {
        sets[*leaf][bit / 64] |= 1 << (bit % 64);
    }
    let mut order: Vec<usize> = (0..graph.len()).collect();
    order.sort_by_key(|s| height[*s]);
    // First what each switch reaches going down, then what it reaches by those above it.
    for s in order.iter().copied() {
        gather(graph, height, &mut sets, s, false);
    }
    for s in order.into_iter().rev() {
        gather(graph, height, &mut sets, s, true);
    }
    let whole = |leaf: &usize| {
        let count: u32 = sets[*leaf].iter().map(|word| word.count_ones()).sum();
        count as usize == leaves.len()
    };
    leaves.iter().all(whole)
}

fn gather(graph: &Graph, height: &[u32], sets: &mut [Vec<u64>], s: usize, above: bool) {
    let mut set = std::mem::take(&mut sets[s]);
    for link in graph.links(s) {
        let peer = link.peer.index();
        if (height[peer] > height[s]) == above {
            for (all, new) in set.iter_mut().zip(&sets[peer]) {
                *all |= new;
            }
        }
    }
    sets[s] = set;
}

/// The switches as a dragonfly+, if they are one: leaf switches are linked with spine switches of
/// their group alone, and the spines of any two groups are linked.
pub(super) fn dragonfly_plus(graph: &Graph) -> Option<Topology> {
    let is_leaf = |s: usize| !graph.hosts(s).is_empty();
    let mut group = vec![usize::MAX; graph.len()];
    let mut sizes: Vec<(usize, usize)> = Vec::new();
    for start in 0..graph.len() {
        if group[start] != usize::MAX {
            continue;
        }
        let mut open = vec![start];
        group[start] = sizes.len();
        let mut size = (0, 0);
        while let Some(s) = open.pop() {
            if is_leaf(s) {
                size.0 += 1;
            } else {
                size.1 += 1;
            }
            for link in graph.links(s) {
                let peer = link.peer.index();
                match (is_leaf(s), is_leaf(peer)) {
                    (true, true) => return None,
                    (false, false) => {}
                    _ if group[peer] == usize::MAX => {
                        group[peer] = sizes.len();
                        open.push(peer);
                    }
                    _ => {}
                }
            }
        }
        sizes.push(size);
    }
    let groups = sizes.len();
    if groups < 2 || sizes.iter().any(|(leaves, spines)| *leaves == 0 || *spines == 0) {
        return None;
    }
    let mut linked = vec![false; groups * groups];
    for s in 0..graph.len() {
        for link in graph.links(s) {
            linked[group[s] * groups + group[link.peer.index()]] = true;
        }
    }
    linked.iter().all(|linked| *linked).then(|| Topology::DragonflyPlus {
        groups,
        leaves: sizes.iter().map(|(leaves, _)| *leaves).max().unwrap_or(0),
        spines: sizes.iter().map(|(_, spines)| *spines).max().unwrap_or(0),
    })
}
