//! sssp: the fewest hops, and among such paths those with the least load along their whole length.
//!
//! It does not prevent deadlocks.

use super::generic::{relieve, uneven};
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::ledger::Law;
use crate::paths::PathRule;
use crate::paths::min_hops::MinHops;
use crate::quality::quality;
use crate::sssp::fill::fill;
use crate::sssp::round::HOST;
use crate::tables::Lfts;
use crate::targets::Targets;

/// The engine `sssp`.
#[derive(Clone, Copy, Debug)]
pub struct Sssp;

impl Sssp {
    /// Any shortest path is good.
    pub(super) fn law(self, job: &RouteJob<'_>) -> Law {
        let graph = Graph::shaped(job.fabric, &job.options.shaping);
        Law { graph, order: None, join_all: false, notes: Vec::new(), says_unconnected: false }
    }
}

/// The routes between end ports, and the LIDs of end ports, that each link carries.
fn load_of_links(job: &RouteJob<'_>, graph: &Graph, lfts: &Lfts) -> (Vec<u64>, Vec<u32>) {
    let (mut load, mut lids) = (vec![0; graph.link_count()], vec![0; graph.link_count()]);
    for link in quality(job.fabric, job.lids, lfts).links {
        let s = link.switch.index();
        if let Some(at) = graph.link_at(s, link.port) {
            load[graph.first_link(s) + at] = link.routes;
            lids[graph.first_link(s) + at] = link.lids;
        }
    }
    (load, lids)
}

impl Engine for Sssp {
    fn name(&self) -> &'static str {
        "sssp"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::shaped(job.fabric, &job.options.shaping);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let filled = fill(job, graph, targets);
        let mut lfts = filled.columns.lfts(graph, targets, job.lids);
        // Classes of ports are spread each by itself, whatever that makes of their sum.
        if job.options.cn_guids.is_none() && job.options.io_guids.is_none() {
            let near: Vec<u64> = filled.weights().iter().map(|weight| weight / HOST).collect();
            let load = || load_of_links(job, graph, &lfts);
            if let Some(load) = uneven(graph, (targets, job.lids), &near).then(load) {
                let distances = || MinHops::new(graph).distances();
                relieve(graph, (targets, job.lids), distances, &mut lfts, load);
            }
        }
        Ok(Routes {
            engine: self.name(),
            lfts,
            sl: SlPlan::Any,
            lanes: None,
            master_tree: None,
            notes: Vec::new(),
        })
    }
}
