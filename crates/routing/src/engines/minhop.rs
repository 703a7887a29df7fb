//! minhop: the fewest hops, over any links. The default engine.
//!
//! It does not prevent deadlocks: on rings and tori its paths close cycles of waiting links.

use crate::balance::climbs::Climbs;
use crate::balance::height::above_leaves;
use crate::balance::spread::Spread;
use crate::balance::trunk::summits;
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::paths::min_hops::MinHops;
use crate::targets::Targets;

/// The engine `minhop`.
#[derive(Clone, Copy, Debug)]
pub struct MinHop;

impl Engine for MinHop {
    fn name(&self) -> &'static str {
        "minhop"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::new(job.fabric);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let climbs = &Climbs::new(graph, &above_leaves(graph));
        let summits = &summits(climbs, targets, job.lids);
        let rule = &MinHops { graph };
        let lfts = Spread { graph, targets, map: job.lids, rule, climbs, summits }.fill();
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
