//! Finds stages in which forwarding entries can change without a circle.

use std::collections::BTreeMap;

use lk_fabric::SwitchId;
use lk_wire::Lid;
use rayon::prelude::*;

use super::advance::Advance;
use super::mixed::{Force, Passed};
use super::{Desk, LanesAt, Stages, Which};
use crate::graph::Graph;
use crate::proof::lanes::PathSls;
use crate::proof::waits::Edge;

/// The most stages without dropping anything: what is left then is dropped for a moment.
const MOST: u8 = 6;
/// How much work a search for stages is worth: LIDs that change, times switches.
const WORTH: usize = 40_000_000;
/// Units that are followed at a time.
const BATCH: usize = 16;

/// Stages under SL2VL tables that do not change meanwhile. Before and after, nothing closes a
/// circle.
pub(super) fn find<S: PathSls>(desk: &Desk<'_, S>, lanes: Which, at: LanesAt) -> Stages {
    let (old, new) = (desk.change.old, desk.change.new);
    let mut left: Vec<Vec<Lid>> = units(desk);
    let lids = usize::from(desk.change.lids.top().0) + 1;
    let mut stages = Stages { lanes: at, ..Stages::new(lids, 0, 0) };
    let mut moved: Vec<Lid> = Vec::new();
    let mut apart: BTreeMap<(Lid, usize), bool> = BTreeMap::new();
    let worth = desk.changed.len().saturating_mul(desk.graph.len()) <= WORTH;
    while worth && !left.is_empty() && stages.count < MOST {
        let waits = desk.waits_of_others(lanes);
        desk.add(&waits, &[new], lanes, &moved);
        let old_ones: Vec<Lid> = left.iter().flatten().copied().collect();
        desk.add(&waits, &[old], lanes, &old_ones);
        let Some(mut stage) = Advance::new(desk.graph, waits) else { break };
        let mut rest = Vec::new();
        let before = moved.len();
        for batch in left.chunks(BATCH) {
            let mixed: Vec<Mixture> =
                batch.par_iter().map(|unit| mixture(desk, lanes, unit)).collect();
            for (unit, mixture) in batch.iter().zip(mixed) {
                if !stage.takes(&mixture.edges) {
                    rest.push(unit.clone());
                    continue;
                }
                for lid in unit {
                    stages.of_lid[usize::from(lid.0)] = stages.count;
                }
                moved.extend(unit);
                apart.extend(mixture.apart);
            }
        }
        left = rest;
        if moved.len() == before {
            break;
        }
        stages.count += 1;
    }
    drop_rest(&mut stages, &left);
    put_apart(&mut stages, &apart);
    stages
}

/// Puts the entries that are written apart in a stage before all others (`true`), or after them.
fn put_apart(stages: &mut Stages, apart: &BTreeMap<(Lid, usize), bool>) {
    if apart.values().any(|early| *early) {
        stages.of_lid.iter_mut().for_each(|stage| *stage += 1);
        stages.drops = stages.drops.map(|stage| stage + 1);
        stages.count += 1;
    }
    let last = stages.count;
    stages.count += u8::from(apart.values().any(|early| !early));
    for ((lid, switch), early) in apart {
        stages.put(*lid, *switch, if *early { 0 } else { last });
    }
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

/// What happens while the entries of some LIDs are written.
struct Mixture {
    /// The edges of packets.
    edges: Vec<Edge>,
    /// The entries that are written before all others, and those after them.
    apart: Vec<((Lid, usize), bool)>,
}

fn mixture<S: PathSls>(desk: &Desk<'_, S>, lanes: Which, unit: &[Lid]) -> Mixture {
    let (old, new) = (desk.change.old, desk.change.new);
    let mixed = desk.mixed();
    let mut room = mixed.room();
    let (mut edges, mut apart) = (Vec::new(), Vec::new());
    for lid in unit {
        let [by_old, by_new] = [old, new].map(|lfts| desk.force(&[lfts], lanes));
        let passed = Passed {
            old: mixed.passed(&by_old, *lid, &mut room),
            new: mixed.passed(&by_new, *lid, &mut room),
        };
        let force = Force { passed: Some(&passed), ..desk.force(&[old, new], lanes) };
        for force in [&by_old, &by_new, &force] {
            mixed.trace(force, *lid, &mut room, &mut |edge| edges.push(edge));
        }
        for s in 0..desk.graph.len() {
            let [was, is] = [old, new].map(|lfts| lfts.port(SwitchId(s as u32), *lid));
            if was != is && (passed.is_early(s) || passed.is_late(s)) {
                apart.push(((*lid, s), passed.is_early(s)));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Mixture { edges, apart }
}
