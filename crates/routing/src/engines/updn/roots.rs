//! The root switches of updn, and the rank of each switch: its distance from the nearest root.
//!
//! Without `root_guid_file` roots are found as OpenSM finds them: a switch is a root if more than
//! 90 % of all end ports stand at one distance from it, and no other distance holds more than
//! 5 %. On a whole tree that holds for the top switches. Corrections:
//!
//! * On a wide tree it holds for leaf switches, too (nearly all end ports are far away). So only
//!   those count whose distance to the many is the least.
//! * A failed link takes some end ports two hops further away, and a few of them make many top
//!   switches fail the test: those switches would then stand at the bottom, and no path could go
//!   through them. So each switch that stands as high above the leaf switches as the roots that
//!   were found is one as well; and where none was found, but each link leads from one height to
//!   the next, the highest switches are.
//! * A switch without end ports, all of whose neighbours rank above it, is made a root, too.
//!   Nothing is below it, so no path is lost, and what its links can carry is won back.

use std::collections::VecDeque;

use crate::balance::height::{above_leaves, is_layered};
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::host_histogram;

/// The rank of a switch that no root reaches.
pub(super) const NO_RANK: u32 = u32::MAX;

/// The rank of each switch; 0 for roots.
///
/// # Errors
/// The reason why there is no root.
pub(super) fn ranks(
    job: &RouteJob<'_>,
    graph: &Graph,
    notes: &mut Vec<String>,
) -> Result<Vec<u32>, String> {
    let ranks = match &job.options.roots {
        Some(_) => from(graph, &named(job, notes)?),
        None => {
            let roots = found(graph);
            if roots.is_empty() && !graph.is_empty() {
                return Err("no root switch was found: from no switch do nine tenths of the end \
                            ports stand at one distance; name the roots in root_guid_file"
                    .to_owned());
            }
            let mut ranks = from(graph, &roots);
            lift_idle(graph, &mut ranks);
            ranks
        }
    };
    let lost = ranks.iter().filter(|r| **r == NO_RANK).count();
    if lost > 0 {
        notes.push(format!(
            "{lost} switches are not connected to a root switch; among them up and down follow \
             their ids alone"
        ));
    }
    Ok(ranks)
}

/// The switches that the option names.
fn named(job: &RouteJob<'_>, notes: &mut Vec<String>) -> Result<Vec<usize>, String> {
    let guids = job.options.roots.as_deref().unwrap_or_default();
    let mut roots = Vec::new();
    for guid in guids {
        let node = job.fabric.node_by_guid(*guid);
        match node.and_then(|n| job.fabric.as_switch(n)) {
            Some(switch) => roots.push(switch.index()),
            None => {
                let what = if node.is_some() { "is not a switch" } else { "is not in the fabric" };
                notes.push(format!("root GUID {guid} {what} and is skipped"));
            }
        }
    }
    if roots.is_empty() {
        let list: Vec<String> = guids.iter().take(4).map(ToString::to_string).collect();
        let more = if guids.len() > 4 { " …" } else { "" };
        return Err(match guids.len() {
            0 => "the list of root GUIDs is empty".to_owned(),
            _ => format!("none of the root GUIDs is a switch here: {}{more}", list.join(", ")),
        });
    }
    Ok(roots)
}

/// The roots that the distances to end ports show.
fn found(graph: &Graph) -> Vec<usize> {
    let height = above_leaves(graph);
    let mut heights: Vec<u32> = by_histogram(graph).iter().map(|s| height[*s]).collect();
    if heights.contains(&0) {
        // Roots that are leaf switches: a star, or one switch with nearly all end ports.
        return by_histogram(graph);
    }
    if heights.is_empty() && is_layered(graph, &height) {
        heights.extend(height.iter().copied().max().filter(|h| *h > 0));
    }
    (0..graph.len()).filter(|s| heights.contains(&height[*s])).collect()
}

fn by_histogram(graph: &Graph) -> Vec<usize> {
    let all = graph.host_count() as u64;
    let above = |bars: &[u32], percent: u64| {
        let high = |n: &u32| u64::from(*n) * 100 > all * percent;
        bars.iter().enumerate().filter(|(_, n)| high(n)).map(|(h, _)| h).collect::<Vec<_>>()
    };
    let many: Vec<(usize, usize)> = host_histogram(graph)
        .iter()
        .enumerate()
        .filter_map(|(s, bars)| match (&*above(bars, 90), above(bars, 5).len()) {
            ([distance], 1) => Some((*distance, s)),
            _ => None,
        })
        .collect();
    let least = many.iter().map(|(distance, _)| *distance).min();
    many.into_iter().filter(|(distance, _)| Some(*distance) == least).map(|(_, s)| s).collect()
}

/// The distance of each switch from the nearest root.
fn from(graph: &Graph, roots: &[usize]) -> Vec<u32> {
    let mut ranks = vec![NO_RANK; graph.len()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    for root in roots {
        ranks[*root] = 0;
        queue.push_back(*root);
    }
    while let Some(s) = queue.pop_front() {
        for link in graph.links(s) {
            let peer = link.peer.index();
            if ranks[peer] == NO_RANK {
                ranks[peer] = ranks[s] + 1;
                queue.push_back(peer);
            }
        }
    }
    ranks
}

/// Makes roots of the switches at the bottom that serve nobody there.
fn lift_idle(graph: &Graph, ranks: &mut [u32]) {
    let idle = |s: &usize| {
        let (links, rank) = (graph.links(*s), ranks[*s]);
        graph.hosts(*s).is_empty()
            && rank != NO_RANK
            && !links.is_empty()
            && links.iter().all(|l| ranks[l.peer.index()] < rank)
    };
    let idle: Vec<usize> = (0..graph.len()).filter(idle).collect();
    for s in idle {
        ranks[s] = 0;
    }
}
