//! What links carry.

use rayon::prelude::*;

use super::columns::Columns;
use super::groups::Group;
use super::round::HOST;
use super::slope::Slope;
use crate::graph::Graph;

/// Room for bringing sources to their destination, kept from one column to the next.
#[derive(Clone, Default, Debug)]
pub(crate) struct Flow {
    /// For each switch how many send to it that have not been looked at.
    waiting: Vec<u32>,
    ready: Vec<u32>,
    /// For each switch the link by which it sends, by its number among all.
    links: Vec<Option<u32>>,
    passing: Vec<u64>,
}

/// What comes from each switch to an end port, or to a switch's own port.
pub(crate) fn sources(graph: &Graph, of_switch: bool) -> Vec<u64> {
    let source = |s| if of_switch { 1 } else { graph.hosts(s).len() as u64 * HOST + 1 };
    (0..graph.len()).map(source).collect()
}

impl Flow {
    /// Brings what comes from each switch to the destination of a column, and shows each link with
    /// what it carries.
    pub(crate) fn carry(
        &mut self,
        graph: &Graph,
        cells: &[u8],
        sources: &[u64],
        mut show: impl FnMut(usize, u64),
    ) {
        self.passing.clear();
        self.passing.extend_from_slice(sources);
        self.waiting.clear();
        self.waiting.resize(graph.len(), 0);
        self.links.clear();
        for (s, cell) in cells.iter().enumerate() {
            let link = graph.links(s).get(usize::from(*cell));
            if let Some(link) = link {
                self.waiting[link.peer.index()] += 1;
            }
            self.links.push(link.map(|_| (graph.first_link(s) + usize::from(*cell)) as u32));
        }
        self.ready.clear();
        let waiting = &self.waiting;
        self.ready.extend((0..graph.len() as u32).filter(|s| waiting[*s as usize] == 0));
        while let Some(s) = self.ready.pop().map(|s| s as usize) {
            let Some(link) = self.links[s].map(|link| link as usize) else { continue };
            let (passing, next) = (self.passing[s], graph.link(link).peer.index());
            show(link, passing);
            self.passing[next] += passing;
            self.waiting[next] -= 1;
            if self.waiting[next] == 0 {
                self.ready.push(next as u32);
            }
        }
    }
}

/// Adds what the columns of some groups carry to the weights of the links.
pub(crate) fn count(graph: &Graph, groups: &[Group], columns: &Columns, weights: &mut [u64]) {
    let (to_hosts, to_switches) = (sources(graph, false), sources(graph, true));
    let of = |group: &Group| if group.of_switch() { &to_switches[..] } else { &to_hosts[..] };
    let add = |cell: &mut u64, more| *cell += more;
    let sum = sum(graph, groups, columns, of, (add, add));
    weights.iter_mut().zip(sum).for_each(|(weight, more)| *weight += more);
}

/// The routes between end ports that each link carries by the columns, and the LIDs of end ports.
pub(crate) fn routes(graph: &Graph, groups: &[Group], columns: &Columns) -> (Vec<u64>, Vec<u32>) {
    let hosts: Vec<u64> = (0..graph.len()).map(|s| graph.hosts(s).len() as u64).collect();
    let of = |group: &Group| if group.of_switch() { &[][..] } else { &hosts[..] };
    let add = |cell: &mut (u64, u32), more| {
        cell.0 += more;
        cell.1 += u32::from(more > 0);
    };
    let join = |cell: &mut (u64, u32), more: (u64, u32)| {
        cell.0 += more.0;
        cell.1 += more.1;
    };
    sum(graph, groups, columns, of, (add, join)).into_iter().unzip()
}

/// Sums up what all columns carry by their shortest paths, link by link: `add` takes in one
/// column's share, and `join` joins two sums. `of` says what comes from each switch to a group;
/// where that is nothing, its columns are left out.
fn sum<'a, C: Clone + Default + Send>(
    graph: &Graph,
    groups: &[Group],
    columns: &Columns,
    of: impl Fn(&Group) -> &'a [u64] + Sync,
    (add, join): (impl Fn(&mut C, u64) + Sync, impl Fn(&mut C, C) + Sync),
) -> Vec<C> {
    let none = || (Slope::default(), Vec::new(), vec![C::default(); graph.link_count()]);
    let fold = |(mut slope, mut passing, mut sum): (Slope, Vec<u64>, Vec<C>), group: &Group| {
        let sources = of(group);
        if sources.is_empty() {
            return (slope, passing, sum);
        }
        slope.find_order(graph, group.home as usize);
        for column in group.columns.clone() {
            let cells = columns.column(column);
            passing.clear();
            passing.extend_from_slice(sources);
            for s in slope.order[1..].iter().rev().map(|s| *s as usize) {
                let cell = usize::from(cells[s]);
                let Some(link) = graph.links(s).get(cell) else { continue };
                add(&mut sum[graph.first_link(s) + cell], passing[s]);
                passing[link.peer.index()] += passing[s];
            }
        }
        (slope, passing, sum)
    };
    let sums = groups.par_iter().fold(none, fold).map(|(.., sum)| sum);
    let both = |mut a: Vec<C>, b: Vec<C>| {
        a.iter_mut().zip(b).for_each(|(a, b)| join(a, b));
        a
    };
    sums.reduce_with(both).unwrap_or_else(|| none().2)
}
