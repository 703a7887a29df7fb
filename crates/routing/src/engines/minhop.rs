//! minhop: the fewest hops, over any links. The default engine.
//!
//! It does not prevent deadlocks: on rings and tori its paths close cycles of waiting links.

use super::generic::Generic;
use crate::balance::height::above_leaves;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::ledger::Law;

/// The engine `minhop`.
#[derive(Clone, Copy, Debug)]
pub struct MinHop;

impl MinHop {
    /// Any shortest path is good.
    pub(super) fn law(self, job: &RouteJob<'_>) -> Law {
        let Generic { graph, notes, .. } = Generic::new(job);
        Law { graph, order: None, join_all: false, notes, says_unconnected: false }
    }
}

impl Engine for MinHop {
    fn name(&self) -> &'static str {
        "minhop"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let generic = Generic::new(job);
        let lfts = generic.fill(&generic.roads(), &above_leaves(&generic.graph));
        Ok(generic.routes(self.name(), lfts))
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let (graph, weights) = Generic::new(job).into_graph();
        Ok(Hops::of_graph(graph, weights))
    }
}
