//! Finds stages in which forwarding entries can change without a circle.

use std::collections::BTreeMap;

use lk_wire::Lid;

use super::{Desk, LanesAt, Stages, Which};
use crate::graph::Graph;
use crate::proof::circle;
use crate::proof::lanes::PathSls;
use crate::proof::waits::{Edge, Waits};

/// The most stages without dropping anything: what is left then is dropped for a moment.
const MOST: u8 = 6;
/// How much work a search for stages is worth: LIDs that change, times switches.
const WORTH: usize = 40_000_000;
/// How often a circle is looked for in one stage.
const CHECKS: usize = 1500;

/// Stages under SL2VL tables that do not change meanwhile. Before and after, nothing closes a
/// circle.
pub(super) fn find<S: PathSls>(desk: &Desk<'_, S>, lanes: Which, at: LanesAt) -> Stages {
    let (old, new) = (desk.change.old, desk.change.new);
    let mut left: Vec<Vec<Lid>> = units(desk);
    let lids = usize::from(desk.change.lids.top().0) + 1;
    let mut stages = Stages { lanes: at, ..Stages::new(lids, 0, 0) };
    let mut moved: Vec<Lid> = Vec::new();
    let worth = desk.changed.len().saturating_mul(desk.graph.len()) <= WORTH;
    while worth && !left.is_empty() && stages.count < MOST {
        let waits = desk.waits_of_others(lanes);
        desk.add(&waits, &[new], lanes, &moved);
        let old_ones: Vec<Lid> = left.iter().flatten().copied().collect();
        desk.add(&waits, &[old], lanes, &old_ones);
        let mut stage = Stage::new(waits);
        let (taken, rest): (Vec<Vec<Lid>>, Vec<Vec<Lid>>) =
            left.into_iter().partition(|unit| stage.takes(&mixture(desk, lanes, unit)));
        left = rest;
        if taken.is_empty() {
            break;
        }
        for lid in taken.iter().flatten() {
            stages.of_lid[usize::from(lid.0)] = stages.count;
        }
        moved.extend(taken.into_iter().flatten());
        stages.count += 1;
    }
    drop_rest(&mut stages, &left);
    stages
}

/// All that changes is dropped, then the SL2VL tables are written, then the new entries.
pub(super) fn all_dropped<S: PathSls>(desk: &Desk<'_, S>) -> Stages {
    let lids = usize::from(desk.change.lids.top().0) + 1;
    let mut stages = Stages { lanes: LanesAt::After(0), ..Stages::new(lids, 0, 0) };
    drop_rest(&mut stages, &units(desk));
    stages
}

fn drop_rest(stages: &mut Stages, left: &[Vec<Lid>]) {
    if left.is_empty() {
        return;
    }
    stages.drops = Some(stages.count);
    stages.count += 2;
    for lid in left.iter().flatten() {
        stages.of_lid[usize::from(lid.0)] = stages.count - 1;
        stages.dropped += 1;
    }
}

/// The LIDs that change, those on one switch together.
fn units<S>(desk: &Desk<'_, S>) -> Vec<Vec<Lid>> {
    let mut units: BTreeMap<Option<u32>, Vec<Lid>> = BTreeMap::new();
    for lid in &desk.changed {
        let end = desk.change.lids.port(*lid);
        let home = end.and_then(|end| Graph::attachment(desk.change.fabric, end));
        units.entry(home.map(|(switch, _)| switch.0)).or_default().push(*lid);
    }
    units.into_values().collect()
}

/// The edges of packets to some LIDs while their entries are written.
fn mixture<S: PathSls>(desk: &Desk<'_, S>, lanes: Which, unit: &[Lid]) -> Vec<Edge> {
    let (mixed, force) = (desk.mixed(), desk.force(&[desk.change.old, desk.change.new], lanes));
    let mut room = mixed.room();
    let mut edges = Vec::new();
    for lid in unit {
        mixed.trace(&force, *lid, &mut room, &mut |edge| edges.push(edge));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A stage while it is filled.
struct Stage {
    waits: Waits,
    /// The place of each channel in an order in which all edges lead forward.
    order: Vec<u32>,
    checks: usize,
}

impl Stage {
    fn new(waits: Waits) -> Self {
        let order = circle::order(&waits).unwrap_or_default();
        Self { waits, order, checks: 0 }
    }

    /// Takes edges in, all or none: none if they close a circle.
    fn takes(&mut self, edges: &[Edge]) -> bool {
        let place = |channel| self.order.get(self.waits.number(channel));
        let forward = |edge: &Edge| place(edge.from) < place(edge.to);
        let all_forward = !self.order.is_empty() && edges.iter().all(forward);
        if !all_forward && self.checks >= CHECKS {
            return false;
        }
        let new: Vec<&Edge> = edges.iter().filter(|edge| self.waits.set(**edge)).collect();
        if all_forward {
            return true;
        }
        self.checks += 1;
        if let Some(order) = circle::order(&self.waits) {
            self.order = order;
            return true;
        }
        new.into_iter().for_each(|edge| self.waits.unset(*edge));
        false
    }
}
