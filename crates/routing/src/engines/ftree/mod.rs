//! ftree: fat-trees, in an order that keeps shift permutations apart.
//!
//! [`tree`] ranks the switches and says what is compute and what is not, [`shape`] refuses what is
//! no fat-tree, [`places`] brings the leaf switches and with them the compute nodes into an order.
//! If node `i` of that order sends to node `i + n`, for any `n`, no two of them share a link of a
//! whole tree: each destination has its own way down, and the `n`-th destination leaves by the
//! `n`-th uplink modulo how many there are, the level above by what the division leaves.
//!
//! Paths follow the law of [`crate::paths::up_down`] by rank, so nothing can deadlock. On trees
//! with failures, which need a root_guid_file as with OpenSM, loads are evened out as in the
//! other engines.
//!
//! Differences from OpenSM, each for a reason:
//! * I/O nodes that stand higher than the leaf switches reach each other without
//!   `max_reverse_hops`: see [`super::updn::bridge`]. What goes down and up again could deadlock.
//! * Routers are routed to, like other nodes that are not for computing.

mod places;
mod shape;
mod tree;

use super::generic::Generic;
use super::updn::{complete, order};
use crate::ca_order::CaOrder;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::ledger::Law;
use crate::paths::up_down::UpDown;
use places::Places;
use tree::Tree;

/// The engine `ftree`.
#[derive(Clone, Copy, Debug)]
pub struct FTree;

impl Engine for FTree {
    fn name(&self) -> &'static str {
        "ftree"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let mut generic = Generic::new(job);
        let (tree, places) = self.find(job, &mut generic)?;
        let mut notes = Vec::new();
        let order = from_top(job, &generic, &tree, &mut notes);
        generic.notes.extend(notes);
        if !tree.roots_named {
            generic.be_strict();
        }
        let lfts = {
            let rule = UpDown::new(&generic.graph, order, job.options.connect_roots);
            let mut climbs = generic.climbs(&tree.heights());
            climbs.sort(|s| places.above(s));
            let turns = places.turns(job.fabric, &generic.graph, &generic.targets);
            generic.fill_in_turns(&rule, &climbs, &turns)
        };
        Ok(generic.routes(self.name(), lfts))
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let mut generic = Generic::new(job);
        let (tree, _) = self.find(job, &mut generic)?;
        let order = from_top(job, &generic, &tree, &mut Vec::new());
        let (graph, _) = generic.into_graph();
        let rule = UpDown::new(&graph, order, job.options.connect_roots);
        Ok(Hops::up_down(&graph, &rule))
    }

    fn ca_order(&self, job: &RouteJob<'_>) -> Option<CaOrder> {
        let (_, places) = self.find(job, &mut Generic::new(job)).ok()?;
        Some(places.ca_order())
    }
}

impl FTree {
    /// Paths climb by rank and then descend. A tree that is none any more is nobody's to mend.
    pub(in crate::engines) fn law(self, job: &RouteJob<'_>) -> Result<Law, Decline> {
        let mut generic = Generic::new(job);
        let (tree, _) = self.find(job, &mut generic)?;
        let mut notes = Vec::new();
        let order = Some(from_top(job, &generic, &tree, &mut notes));
        let Generic { graph, notes: mut all, .. } = generic;
        all.extend(notes);
        let join_all = job.options.connect_roots;
        Ok(Law { graph, order, join_all, notes: all, says_unconnected: false })
    }

    fn find(
        self,
        job: &RouteJob<'_>,
        generic: &mut Generic<'_>,
    ) -> Result<(Tree, Places), Decline> {
        let decline = |reason| Decline { engine: self.name(), reason };
        shape::counts(job).map_err(decline)?;
        let tree = Tree::find(job, &generic.graph, &mut generic.notes).map_err(decline)?;
        shape::levels(job.fabric, &generic.graph, &tree).map_err(decline)?;
        let places = Places::find(job, &generic.graph, &tree);
        if tree.roots_named {
            generic.notes.extend(shape::siblings(job.fabric, &generic.graph, &tree));
        } else {
            shape::pure(job.fabric, &generic.graph, &tree).map_err(decline)?;
            generic.notes.extend(shape::siblings(job.fabric, &generic.graph, &tree));
        }
        Ok((tree, places))
    }
}

/// The switches, the highest first. A pure tree with all its nodes at the leaves needs no bridge.
fn from_top(
    job: &RouteJob<'_>,
    generic: &Generic<'_>,
    tree: &Tree,
    notes: &mut Vec<String>,
) -> Vec<u32> {
    let order = order(job, |s| tree.rank[s]);
    let graph = &generic.graph;
    let high =
        (0..graph.len()).any(|s| tree.rank[s] != tree.leaf_rank && !graph.hosts(s).is_empty());
    if job.options.connect_roots || !(tree.roots_named || high) {
        return order;
    }
    complete(graph, order, notes)
}
