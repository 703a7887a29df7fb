//! sssp: the fewest hops, and among such paths those with the least load along their whole length.
//!
//! It does not prevent deadlocks.

use super::generic::{relieve, uneven};
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::ledger::Law;
use crate::paths::PathRule;
use crate::paths::min_hops::MinHops;
use crate::sssp::fill::{fill, fill_roughly, is_flat, spread};
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

/// The tables. Where some switches stand above others it is mostly enough to spread what each of
/// them sends and to relieve the fullest links; else destinations are routed by the load of whole
/// paths, and what comes out better is taken.
fn tables(job: &RouteJob<'_>, graph: &Graph, targets: &Targets) -> Lfts {
    let ends = (targets, job.lids);
    let even_out = |lfts: &mut Lfts, load| {
        relieve(graph, ends, || MinHops::new(graph).distances(), lfts, load)
    };
    // Classes of ports are spread each by itself, whatever that makes of their sum.
    if job.options.cn_guids.is_some() || job.options.io_guids.is_some() {
        return fill(job, graph, targets).columns.lfts(graph, targets, job.lids);
    }
    let mut first = None;
    if !is_flat(graph) {
        let (mut lfts, load, lids) = spread(graph, targets, job.lids);
        let evened = even_out(&mut lfts, (load, lids));
        if evened.good {
            return lfts;
        }
        first = Some((evened.fullest, lfts));
    }
    let filled = fill_roughly(job, graph, targets);
    let mut lfts = filled.columns.lfts(graph, targets, job.lids);
    let near: Vec<u64> = filled.weights().iter().map(|weight| weight / HOST).collect();
    if uneven(graph, ends, &near) {
        let fullest = even_out(&mut lfts, filled.routes(graph)).fullest;
        if let Some((_, lfts)) = first.filter(|(other, _)| *other <= fullest) {
            return lfts;
        }
    }
    lfts
}

impl Engine for Sssp {
    fn name(&self) -> &'static str {
        "sssp"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::shaped(job.fabric, &job.options.shaping);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let lfts = tables(job, graph, targets);
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
