//! What links carry.

use rayon::prelude::*;

use super::columns::Columns;
use super::groups::Group;
use super::round::HOST;
use crate::graph::Graph;

/// Room for bringing sources to their destination, kept from one column to the next.
#[derive(Clone, Default, Debug)]
pub(crate) struct Flow {
    /// For each switch how many send to it that have not been looked at.
    waiting: Vec<u32>,
    ready: Vec<u32>,
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
        let next = |s: usize| graph.links(s).get(usize::from(cells[s])).map(|l| l.peer.index());
        for next in (0..graph.len()).filter_map(next) {
            self.waiting[next] += 1;
        }
        self.ready.clear();
        let waiting = &self.waiting;
        self.ready.extend((0..graph.len() as u32).filter(|s| waiting[*s as usize] == 0));
        while let Some(s) = self.ready.pop().map(|s| s as usize) {
            let Some(next) = next(s) else { continue };
            let passing = self.passing[s];
            show(graph.first_link(s) + usize::from(cells[s]), passing);
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
    let add = |(mut flow, mut sum): (Flow, Vec<u64>), group: &Group| {
        let sources = if group.of_switch() { &to_switches } else { &to_hosts };
        sum.resize(graph.link_count(), 0);
        for column in group.columns.clone() {
            flow.carry(graph, columns.column(column), sources, |link, more| sum[link] += more);
        }
        (flow, sum)
    };
    let sums = groups.par_iter().fold(Default::default, add).map(|(_, sum)| sum);
    let sum = sums.reduce(Vec::new, |mut a, b| {
        if a.is_empty() {
            return b;
        }
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    });
    weights.iter_mut().zip(sum).for_each(|(weight, more)| *weight += more);
}
