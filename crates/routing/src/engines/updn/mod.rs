//! updn: up*/down* routing. Free of deadlocks on one lane, on any graph.
//!
//! [`roots`] says which switches are at the top (from `root_guid_file`, or found by themselves)
//! and how far below them the others stand. [`crate::paths::up_down`] holds the law of the paths.
//!
//! Differences from OpenSM, each for a reason:
//! * A switch has one way on to a destination, chosen so that the whole path is legal. OpenSM
//!   mixes hop counts of paths that a table cannot join, and gets illegal turns.
//! * Two root switches that are linked stand in the order of their ids, like any other two of one
//!   rank. With "up" both ways, linked roots could close a cycle.
//! * `connect_roots` joins all switches that have no legal path, not only roots: the switches
//!   between two roots need a way as well. Such paths may deadlock.
//! * See [`roots`] for how roots are found.

mod roots;

use lk_fabric::SwitchId;

use crate::balance::climbs::Climbs;
use crate::balance::spread::Spread;
use crate::balance::trunk::summits;
use crate::graph::Graph;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::paths::up_down::UpDown;
use crate::targets::Targets;

/// The engine `updn`.
#[derive(Clone, Copy, Debug)]
pub struct UpDn;

impl UpDn {
    fn ranks(
        self,
        job: &RouteJob<'_>,
        graph: &Graph,
        notes: &mut Vec<String>,
    ) -> Result<Vec<u32>, Decline> {
        roots::ranks(job, graph, notes).map_err(|reason| Decline { engine: self.name(), reason })
    }
}

impl Engine for UpDn {
    fn name(&self) -> &'static str {
        "updn"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::new(job.fabric);
        let mut notes = Vec::new();
        let ranks = self.ranks(job, graph, &mut notes)?;
        let rule = &UpDown::new(graph, order(job, &ranks), job.options.connect_roots);
        let low = ranks.iter().copied().filter(|r| *r != roots::NO_RANK).max().unwrap_or(0);
        let height: Vec<u32> = ranks.iter().map(|r| low.saturating_sub(*r)).collect();
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let climbs = &Climbs::new(graph, &height);
        let summits = &summits(climbs, targets, job.lids);
        let lfts = Spread { graph, targets, map: job.lids, rule, climbs, summits }.fill();
        Ok(Routes {
            engine: self.name(),
            lfts,
            sl: SlPlan::Any,
            lanes: None,
            master_tree: None,
            notes,
        })
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let graph = &Graph::new(job.fabric);
        let ranks = self.ranks(job, graph, &mut Vec::new())?;
        let rule = UpDown::new(graph, order(job, &ranks), job.options.connect_roots);
        Ok(Hops::up_down(graph, &rule))
    }
}

/// The switches from the roots down: by rank, then by the id of `ids_guid_file` or else the GUID,
/// then by GUID.
fn order(job: &RouteJob<'_>, ranks: &[u32]) -> Vec<u32> {
    let mut ids = job.options.ids.clone();
    ids.sort_by_key(|(guid, _)| *guid);
    let key = |s: &u32| {
        let guid = job.fabric.node(job.fabric.switch_node(SwitchId(*s))).guid;
        let own = ids.binary_search_by_key(&guid, |(g, _)| *g).ok().map(|at| ids[at].1);
        (ranks[*s as usize], own.unwrap_or(guid.0), guid)
    };
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    order.sort_by_cached_key(key);
    order
}
