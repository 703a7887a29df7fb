//! What the fullest link carries at least.

use crate::graph::Graph;
use crate::tables::LidMap;
use crate::targets::Targets;

/// What the fullest link carries at least in any routing by which the links carry as much in all as
/// they do: the mean of all, or that of the links of one switch for the end ports on it. `reaches`
/// says whether packets come from a switch, the second, to another.
pub(crate) fn floor(
    map: &LidMap,
    graph: &Graph,
    targets: &Targets,
    load: &[u64],
    reaches: impl Fn(usize, usize) -> bool,
) -> u64 {
    let links = load.len().max(1) as u64;
    let all = load.iter().sum::<u64>().div_ceil(links);
    let lids = |s: usize| {
        let ends = targets.on(s).iter().filter(|target| !target.is_switch());
        ends.map(|target| target.lids(map).count() as u64).sum::<u64>()
    };
    let leaves: Vec<(usize, u64)> =
        (0..graph.len()).map(|s| (s, lids(s))).filter(|(_, lids)| *lids > 0).collect();
    let of_switch = |s: usize| {
        let reached = leaves.iter().filter(|(d, _)| *d != s && reaches(*d, s));
        let routes = graph.hosts(s).len() as u64 * reached.map(|(_, lids)| lids).sum::<u64>();
        routes.checked_div(graph.links(s).len() as u64)
    };
    leaves.iter().filter_map(|(s, _)| of_switch(*s)).max().unwrap_or(0).max(all)
}
