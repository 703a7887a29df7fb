//! Taking routes off links that a failure has made too full.

use std::collections::BTreeSet;

use lk_wire::Lid;

use super::law::Law;
use super::stock::columns;
use super::turns::TurnCounts;
use super::way::Way;
use super::{Ledger, aim};
use crate::job::RouteJob;
use crate::paths::distances::{Distances, FAR};
use crate::relief::floor::floor;
use crate::relief::{Lids, Relief, Turning};
use crate::targets::Targets;

/// A link carries little enough if it carries so much of the least that the fullest has to, in
/// hundredths. That leaves room for the next failure.
const ENOUGH: u64 = 110;

/// Turns that lead forward in the order that is the proof.
struct Forward<'a>(&'a TurnCounts);

impl Turning for Forward<'_> {
    fn may(&self, _from: usize, link: usize, _at: usize, out: u8) -> bool {
        self.0.leads_forward(link, out)
    }
}

impl Ledger {
    /// Relieves the fullest links of the tables, and keeps the counts of turns and routes in step.
    /// The entries that were moved.
    pub(super) fn relieve(
        &mut self,
        job: &RouteJob<'_>,
        (law, distances): (&Law, &Distances),
        targets: &Targets,
        (turns, load): (&mut TurnCounts, &mut [u64]),
    ) -> BTreeSet<(Lid, u32)> {
        let graph = &law.graph;
        let reaches = |dest: usize, s: usize| distances.hops(dest, s) != FAR;
        let enough = floor(job.lids, graph, targets, load, reaches) * ENOUGH / 100;
        let before = self.lfts.clone();
        let forward = Forward(turns);
        let tables = (&mut self.lfts, load, Lids::default());
        let relief = Relief::new(graph, (targets, job.lids), distances, &forward, tables);
        let moved = relief.run(enough);
        let lids: BTreeSet<Lid> = moved.iter().map(|(lid, _)| *lid).collect();
        let mut way = Way::new(graph);
        for lid in lids {
            let aim = aim(job.fabric, job.lids, lid);
            let [old, new] = [&before, &self.lfts].map(|lfts| columns(lfts, &[lid]));
            // Nothing goes round, before or after: each step leads nearer.
            way.follow(graph, &old, aim);
            way.tally(graph, aim, |_, _| {}, |link, out, who| turns.take(link, out, who));
            way.follow(graph, &new, aim);
            way.tally(
                graph,
                aim,
                |_, _| {},
                |link, out, who| {
                    turns.add(link, out, who);
                },
            );
        }
        moved
    }
}
