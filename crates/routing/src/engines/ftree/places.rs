//! The order of the switches, of the leaf switches and so of the compute nodes.
//!
//! Each switch gets a tuple: its rank, then one digit for each rank. Two switches that are linked
//! differ in the digit of the lower one's rank only. Sorted by tuple, leaf switches that share
//! switches above stand together.

use std::collections::{BTreeSet, VecDeque};

use lk_fabric::{Fabric, PortId, SwitchId};

use super::tree::{NO_RANK, Tree};
use crate::balance::turns::Turn;
use crate::ca_order::CaOrder;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::targets::{Target, Targets};

/// Rank and digits.
type Tuple = [u8; 9];

/// The order of things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Places {
    tuples: Vec<Option<Tuple>>,
    /// The leaf switches in their order, from the first to the last with compute nodes.
    leaves: Vec<usize>,
    /// Their compute nodes.
    compute: Vec<Vec<PortId>>,
    /// The most that one of them has.
    most: usize,
}

impl Places {
    /// Finds the order.
    pub(super) fn find(job: &RouteJob<'_>, graph: &Graph, tree: &Tree) -> Self {
        let fabric = job.fabric;
        let mut table: Vec<usize> = (0..graph.len()).filter(|s| tree.rank[*s] != NO_RANK).collect();
        table.sort_by_key(|s| table_key(fabric, *s));
        let starts: Vec<usize> = if job.options.quasi_ftree_indexing {
            table.iter().copied().filter(|s| tree.rank[*s] == 0).collect()
        } else {
            let leaf =
                |s: &&usize| tree.rank[**s] == tree.leaf_rank && !tree.compute[**s].is_empty();
            table.iter().find(leaf).copied().into_iter().collect()
        };
        let mut tuples = vec![None; graph.len()];
        let mut taken = BTreeSet::new();
        for (number, start) in starts.into_iter().enumerate() {
            if tuples[start].is_some() {
                continue;
            }
            let mut tuple: Tuple = [0; 9];
            tuple[0] = tree.rank[start] as u8;
            tuple[8] = if job.options.quasi_ftree_indexing { number.min(255) as u8 } else { 0 };
            tuples[start] = Some(tuple);
            taken.insert(tuple);
            let stop_at_leaves = job.options.quasi_ftree_indexing;
            index(graph, tree, start, stop_at_leaves, &mut tuples, &mut taken);
        }
        let mut leaves: Vec<usize> =
            table.into_iter().filter(|s| tree.rank[*s] == tree.leaf_rank).collect();
        leaves.sort_by_key(|s| tuples[*s].unwrap_or([u8::MAX; 9]));
        let with = |s: &usize| !tree.compute[*s].is_empty();
        let first = leaves.iter().position(with).unwrap_or(0);
        let last = leaves.iter().rposition(with).map_or(0, |at| at + 1);
        let leaves = leaves[first..last.max(first)].to_vec();
        let compute: Vec<Vec<PortId>> = leaves.iter().map(|s| tree.compute[*s].clone()).collect();
        let most = compute.iter().map(Vec::len).max().unwrap_or(0);
        Self { tuples, leaves, compute, most }
    }

    /// By what switches above others are sorted: first by the digit in which those above one
    /// switch differ. The others may have come about in another order in each part of the tree.
    pub(super) fn above(&self, s: usize) -> (u8, Tuple) {
        let tuple = self.tuple(s);
        (tuple.get(usize::from(tuple[0]) + 1).copied().unwrap_or(u8::MAX), tuple)
    }

    fn tuple(&self, s: usize) -> Tuple {
        self.tuples[s].unwrap_or([u8::MAX; 9])
    }

    /// The order of compute nodes.
    pub(super) fn ca_order(&self) -> CaOrder {
        let of_leaf = |ends: &Vec<PortId>| {
            let gap = std::iter::repeat_n(None, self.most - ends.len());
            ends.iter().copied().map(Some).chain(gap).collect::<Vec<_>>()
        };
        CaOrder { ports: self.compute.iter().flat_map(of_leaf).collect() }
    }

    /// The order of routing: compute nodes by leaf switch, then other nodes, then switches.
    pub(super) fn turns(&self, fabric: &Fabric, graph: &Graph, targets: &Targets) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut done = BTreeSet::new();
        for (leaf, (s, ends)) in self.leaves.iter().zip(&self.compute).enumerate() {
            let place = |target: &Target| {
                let at = ends.iter().position(|end| *end == target.end)?;
                Some((*target, (leaf * self.most + at) as u32))
            };
            let mine: Vec<(Target, u32)> = targets.on(*s).iter().filter_map(place).collect();
            done.extend(mine.iter().map(|(target, _)| target.end));
            let gaps = (ends.len()..self.most).map(|at| (leaf * self.most + at) as u32).collect();
            turns.push(Turn { dest: *s as u32, targets: mine, gaps });
        }
        let mut table: Vec<usize> = (0..graph.len()).collect();
        table.sort_by_key(|s| (self.tuple(*s), table_key(fabric, *s)));
        for own in [false, true] {
            for (number, s) in table.iter().enumerate() {
                let mine = targets.on(*s).iter();
                let mine = mine.filter(|t| t.is_switch() == own && !done.contains(&t.end));
                let mine: Vec<(Target, u32)> = mine.map(|t| (*t, number as u32)).collect();
                turns.push(Turn { dest: *s as u32, targets: mine, gaps: Vec::new() });
            }
        }
        turns.retain(|turn| !turn.targets.is_empty() || !turn.gaps.is_empty());
        turns
    }
}

/// Where OpenSM's tables have a switch: by GUID, the last byte first.
fn table_key(fabric: &Fabric, s: usize) -> u64 {
    fabric.node(fabric.switch_node(SwitchId(s as u32))).guid.0.swap_bytes()
}

/// Gives tuples to what can be reached from a switch that has one.
fn index(
    graph: &Graph,
    tree: &Tree,
    start: usize,
    stop_at_leaves: bool,
    tuples: &mut [Option<Tuple>],
    taken: &mut BTreeSet<Tuple>,
) {
    let mut queue = VecDeque::from([start]);
    while let Some(s) = queue.pop_front() {
        let Some(tuple) = tuples[s] else { continue };
        let rank = tree.rank[s];
        if stop_at_leaves && rank == tree.leaf_rank {
            continue;
        }
        for down in [true, false] {
            for peer in graph.links(s).iter().map(|l| l.peer.index()) {
                let next = tree.rank[peer];
                let (wanted, digit) = if down {
                    (rank + 1, rank as usize + 1)
                } else {
                    (rank.wrapping_sub(1), rank as usize)
                };
                if next != wanted || tuples[peer].is_some() || digit >= tuple.len() {
                    continue;
                }
                let mut new = tuple;
                new[0] = next as u8;
                new[digit] = 0;
                while taken.contains(&new) && new[digit] < u8::MAX {
                    new[digit] += 1;
                }
                taken.insert(new);
                tuples[peer] = Some(new);
                queue.push_back(peer);
            }
        }
    }
}
