//! sssp: the fewest hops, and among such paths those with the least load along their whole length.
//!
//! It does not prevent deadlocks.

use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::ledger::Law;
use crate::sssp::fill::fill;
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

impl Engine for Sssp {
    fn name(&self) -> &'static str {
        "sssp"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::shaped(job.fabric, &job.options.shaping);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let lfts = fill(job, graph, targets).columns.lfts(graph, targets, job.lids);
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
