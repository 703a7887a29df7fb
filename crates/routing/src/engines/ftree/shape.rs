//! What is no fat-tree is refused, with the names of the switches and links at fault.
//!
//! The conditions are those of OpenSM; see opensm(8). A tree that is not a pure one is taken where
//! root_guid_file names its roots.

use std::collections::BTreeMap;

use lk_fabric::{Fabric, NodeKind, SwitchId};

use super::tree::{NO_RANK, Tree, is_adapter};
use crate::engines::generic::name_of;
use crate::graph::Graph;
use crate::job::RouteJob;

/// The ranks that a tree may have.
const RANKS: std::ops::RangeInclusive<u32> = 2..=8;

/// What can be told without ranks.
///
/// # Errors
/// The reason for a refusal.
pub(super) fn counts(job: &RouteJob<'_>) -> Result<(), String> {
    let fabric = job.fabric;
    let on_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    if let Some((_, _, lmc)) =
        job.lids.ranges().iter().find(|(port, _, m)| *m > 0 && !on_switch(*port))
    {
        return Err(format!("lmc is {lmc}; this engine gives each port one LID only, lmc 0"));
    }
    let switches = fabric.switches().len();
    if switches < 2 {
        return Err(format!("there are {switches} switches; a tree has two at least"));
    }
    let adapters = fabric.nodes().iter().filter(|node| node.kind == NodeKind::Ca).count();
    if adapters < 2 {
        return Err(format!("there are {adapters} adapters; there must be two at least"));
    }
    for (file, list) in
        [("cn_guid_file", &job.options.cn_guids), ("io_guid_file", &job.options.io_guids)]
    {
        if list.as_ref().is_some_and(Vec::is_empty) {
            return Err(format!("{file} names no GUID"));
        }
    }
    for end in fabric.end_ports().filter(|end| is_adapter(fabric, *end)) {
        if let Some(far) = fabric.peer(end).filter(|far| !on_switch(*far)) {
            let [a, b] = [end, far].map(|port| &fabric.node(fabric.owner(port)).description);
            return Err(format!(
                "port {} of '{a}' is cabled to '{b}', which is no switch",
                fabric.port_num(end)
            ));
        }
    }
    Ok(())
}

/// What ranks tell.
///
/// # Errors
/// The reason for a refusal.
pub(super) fn levels(fabric: &Fabric, graph: &Graph, tree: &Tree) -> Result<(), String> {
    let ranked = || (0..graph.len()).filter(|s| tree.rank[*s] != NO_RANK);
    let deepest = ranked().map(|s| tree.rank[s]).max().unwrap_or(0);
    if deepest == 0 {
        return Err("all switches stand at one level, for each has hosts: there is no tree above \
                    the leaf switches; root_guid_file may name its roots"
            .to_owned());
    }
    let leaves: Vec<usize> = (0..graph.len()).filter(|s| !tree.compute[*s].is_empty()).collect();
    if leaves.is_empty() {
        return Err(
            "there is no compute node: cn_guid_file names no adapter's port that hangs on \
                    a switch here, or io_guid_file names them all"
                .to_owned(),
        );
    }
    let depth = tree.leaf_rank.saturating_add(1);
    if !RANKS.contains(&depth) {
        let example =
            leaves.iter().find(|s| tree.rank[**s] == tree.leaf_rank).unwrap_or(&leaves[0]);
        let what = match tree.leaf_rank {
            NO_RANK => "are not connected to a root".to_owned(),
            0 => "are roots themselves".to_owned(),
            rank => format!("are {rank} hops away from the roots"),
        };
        return Err(format!(
            "leaf switches such as {} {what}; the tree must have 2 to 8 levels",
            name_of(fabric, *example)
        ));
    }
    if leaves.iter().any(|s| tree.rank[*s] != tree.leaf_rank) {
        return Err(at_other_ranks(fabric, tree, &leaves));
    }
    if leaves.len() < 2 {
        return Err(format!(
            "all compute nodes hang on one switch, {}",
            name_of(fabric, leaves[0])
        ));
    }
    Ok(())
}

/// Names a compute node that does not stand where most do.
fn at_other_ranks(fabric: &Fabric, tree: &Tree, leaves: &[usize]) -> String {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for s in leaves {
        *counts.entry(tree.rank[*s]).or_default() += tree.compute[*s].len();
    }
    let usual = counts.iter().max_by_key(|(_, n)| **n).map_or(NO_RANK, |(rank, _)| *rank);
    let odd = leaves.iter().copied().find(|s| tree.rank[*s] != usual).unwrap_or(leaves[0]);
    let at = |rank| match rank {
        NO_RANK => "which no root reaches".to_owned(),
        rank => format!("at rank {rank}"),
    };
    format!(
        "compute node '{}' hangs on switch {}, {}, most hang on switches {}; cn_guid_file can \
         name those that compute, and root_guid_file the roots",
        fabric.node(fabric.owner(tree.compute[odd][0])).description,
        name_of(fabric, odd),
        at(tree.rank[odd]),
        at(usual)
    )
}

/// How a switch is cabled: links grouped by the switch at the other end.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cabling {
    /// The number of groups that lead up, and down (hosts are one each).
    up: usize,
    down: usize,
    /// How many cables each group up has, with the neighbour.
    cables: Vec<(u32, usize)>,
}

fn cabling(graph: &Graph, tree: &Tree, s: usize) -> Cabling {
    let mut groups: BTreeMap<u32, usize> = BTreeMap::new();
    for link in graph.links(s) {
        *groups.entry(link.peer.0).or_default() += 1;
    }
    let rank = |peer: &u32| tree.rank[*peer as usize];
    let cables: Vec<(u32, usize)> = groups
        .iter()
        .filter(|(peer, _)| rank(peer) < tree.rank[s])
        .map(|(p, n)| (*p, *n))
        .collect();
    let below = groups.keys().filter(|peer| rank(peer) > tree.rank[s]).count();
    Cabling { up: cables.len(), down: below + graph.hosts(s).len(), cables }
}

/// Whether all switches of a rank are cabled alike.
///
/// # Errors
/// The two that are not.
pub(super) fn pure(fabric: &Fabric, graph: &Graph, tree: &Tree) -> Result<(), String> {
    const REMEDY: &str = "with its roots in root_guid_file it is routed all the same";
    let mut models: BTreeMap<u32, (usize, Cabling)> = BTreeMap::new();
    let mut order: Vec<usize> = (0..graph.len()).filter(|s| tree.rank[*s] != NO_RANK).collect();
    let guid = |s: &usize| fabric.node(fabric.switch_node(SwitchId(*s as u32))).guid.0;
    order.sort_by_key(|s| guid(s).swap_bytes());
    for s in order {
        let mine = cabling(graph, tree, s);
        let rank = tree.rank[s];
        let Some((model, theirs)) = models.get(&rank) else {
            models.insert(rank, (s, mine));
            continue;
        };
        let pair = |what: &str, a: usize, b: usize| {
            format!(
                "this is no pure fat-tree: switch {} has links to {a} {what}, {} of the same rank \
                 {rank} to {b}; {REMEDY}",
                name_of(fabric, s),
                name_of(fabric, *model)
            )
        };
        if mine.up != theirs.up {
            return Err(pair("switches above", mine.up, theirs.up));
        }
        if mine.down != theirs.down && rank != tree.leaf_rank {
            return Err(pair("switches and nodes below", mine.down, theirs.down));
        }
        let usual = theirs.cables.first().map_or(0, |(_, n)| *n);
        let odd = mine.cables.iter().find(|(_, n)| *n != usual).map(|odd| (s, odd));
        let odd = odd
            .or_else(|| theirs.cables.iter().find(|(_, n)| *n != usual).map(|odd| (*model, odd)));
        if let Some((from, (peer, n))) = odd {
            return Err(format!(
                "this is no pure fat-tree: between {} and {} there are {n} cables, elsewhere \
                 between ranks {rank} and {} {usual}; {REMEDY}",
                name_of(fabric, from),
                name_of(fabric, *peer as usize),
                rank - 1
            ));
        }
    }
    Ok(())
}

/// A sentence that names a link between two switches of one rank, if there is one.
pub(super) fn siblings(fabric: &Fabric, graph: &Graph, tree: &Tree) -> Option<String> {
    let mut count = 0;
    let mut first = None;
    for s in 0..graph.len() {
        for link in graph.links(s).iter().filter(|l| l.peer.index() > s) {
            if tree.rank[s] == tree.rank[link.peer.index()] {
                count += 1;
                first.get_or_insert((s, *link));
            }
        }
    }
    let (s, link) = first?;
    Some(format!(
        "{count} links join switches of one rank, which is not as in a fat-tree, one of them port \
         {} of {} with port {} of {}; one end of each counts as the higher",
        link.port,
        name_of(fabric, s),
        link.peer_port,
        name_of(fabric, link.peer.index())
    ))
}
