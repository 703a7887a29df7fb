//! Which failures can be routed around.
//!
//! [`check`] looks at the shape alone, before any table is made. It does not see everything: the
//! ways around a missing switch and those around a missing link can close a circle together. So
//! [`prove_around_holes`] has the finished tables proved where a fabric lacks both, and
//! [`master_tree`] proves the tree of multicast groups with them where a switch is missing.

use lk_fabric::{Fabric, PortId};
use lk_wire::{Lid, Sl};

use crate::graph::Graph;
use crate::job::{RouteJob, Routes};
use crate::multicast::MasterTree;
use crate::proof::{Forwarding, GroupTree, OneLane, SlSet, Traffic, prove, prove_all};
use crate::torus::lattice::{DIMENSIONS, Way};
use crate::torus::shape::{Torus, listed, signed, switch_name};
use crate::torus::trees;

/// Whether the torus can be routed without a circle of waiting packets and without leaving
/// switches out.
///
/// # Errors
/// A sentence that names the switches and links to repair.
pub(super) fn check(fabric: &Fabric, torus: &Torus) -> Result<(), String> {
    sizes(fabric, torus)?;
    holes(torus).map_err(|why| with_strangers(fabric, torus, why))?;
    for dimension in 0..3 {
        if torus.lattice.radix[dimension] == 1 {
            continue;
        }
        for ring in torus.lattice.rings(dimension) {
            whole(fabric, torus, dimension, &ring)
                .map_err(|why| with_strangers(fabric, torus, why))?;
        }
    }
    Ok(())
}

/// Whether the tables of a torus that lacks switches and links are free of deadlock.
///
/// # Errors
/// A sentence that lists what is missing.
pub(super) fn prove_around_holes(
    job: &RouteJob<'_>,
    torus: &Torus,
    routes: &Routes,
) -> Result<(), String> {
    let missing = torus.missing();
    let Some(gaps) = torus.list_gaps(job.fabric).filter(|_| !missing.is_empty()) else {
        return Ok(());
    };
    let lanes = routes.proof_lanes(job.fabric, &OneLane);
    let sls = routes.proof_sls(job.lids, SlSet::ALL);
    let traffic = Traffic::EndPorts;
    if prove(job.fabric, job.lids, &routes.lfts, &lanes, &sls, traffic).deadlock_free() {
        return Ok(());
    }
    let holes = listed("no switch at", &missing, |p| torus.lattice.show(*p)).unwrap_or_default();
    Err(format!(
        "packets could deadlock, because the ways around missing switches and missing links cross: \
         {holes}; {gaps}; one of them has to be repaired"
    ))
}

/// How many proofs, by the switches that they go over, a search for a tree may take.
const PATIENCE: usize = 40_000;

/// The tree of multicast groups, and what has to be told of it. Where switches are missing, the one
/// that OpenSM takes may close a circle with packets that go around the hole, so that each is
/// proved together with them, with all end ports in a group on SL 0 and 8.
///
/// # Errors
/// No tree reaches all switches.
pub(super) fn master_tree(
    job: &RouteJob<'_>,
    torus: &Torus,
    routes: &Routes,
) -> Result<(MasterTree, Option<String>), String> {
    let first = trees::usual(torus).or_else(|| trees::others(torus).next());
    let first = first.ok_or("no multicast tree reaches all switches")?;
    if torus.missing().is_empty() || tree_is_free(job, routes, &first) {
        return Ok((first, None));
    }
    let most = (PATIENCE / torus.places.of.len().max(1)).max(4);
    let other = trees::others(torus).take(most).find(|tree| tree_is_free(job, routes, tree));
    let root = |tree: &MasterTree| switch_name(job.fabric, tree.root());
    let loops = format!(
        "around the missing switch the multicast tree of torus-2QoS(8), from {}, can close a \
         credit loop with other packets",
        root(&first)
    );
    Ok(match other {
        Some(tree) => {
            let note = format!("{loops}; a tree from {} that cannot is taken", root(&tree));
            (tree, Some(note))
        }
        None => (first, Some(format!("{loops}, and no other one was found that cannot"))),
    })
}

/// Whether a group of all end ports can share the fabric with the paths of both QoS levels.
fn tree_is_free(job: &RouteJob<'_>, routes: &Routes, tree: &MasterTree) -> bool {
    let attached = |end: PortId| Graph::attachment(job.fabric, end);
    let members: Vec<_> = job.fabric.end_ports().filter_map(attached).collect();
    let mlid = Lid(0xC000);
    let sls = SlSet::one(Sl(0)).with(Sl(8));
    let trees = [GroupTree { mlid, sls, ports: tree.group(&members, mlid.0) }];
    let tables =
        Forwarding { fabric: job.fabric, lids: job.lids, lfts: &routes.lfts, trees: &trees };
    let lanes = routes.proof_lanes(job.fabric, &OneLane);
    let sls = routes.proof_sls(job.lids, SlSet::ALL);
    prove_all(&tables, &lanes, &sls, Traffic::EndPorts).deadlock_free()
}

/// A dimension that is longer in the file than in the fabric looks like one that has lost all
/// switches at some coordinate. But then cables go across.
fn sizes(fabric: &Fabric, torus: &Torus) -> Result<(), String> {
    let lattice = &torus.lattice;
    let mut length = [0, 1, 2].map(|d| vec![false; lattice.radix[d] as usize]);
    for place in (0..lattice.len()).filter(|p| torus.places.at[*p].is_some()) {
        for (d, c) in lattice.coordinates(place).into_iter().enumerate() {
            length[d][c as usize] = true;
        }
    }
    let place = |port: PortId| {
        let switch = fabric.as_switch(fabric.owner(port))?;
        Some(lattice.coordinates(torus.places.of[switch.index()]? as usize))
    };
    for cable in &torus.strange {
        let ends = (place(*cable), fabric.peer(*cable).and_then(place));
        let (Some(a), Some(b)) = ends else { continue };
        let differ: Vec<usize> = (0..3).filter(|d| a[*d] != b[*d]).collect();
        let [d] = differ[..] else { continue };
        let there = length[d].iter().filter(|c| **c).count();
        if there < length[d].len() {
            return Err(format!(
                "torus-2QoS.conf gives {} switches in {}, and the fabric has {there}: {} goes \
                 across the gap",
                length[d].len(),
                DIMENSIONS[d],
                fabric.port_name(*cable)
            ));
        }
    }
    Ok(())
}

/// Missing switches must be next to each other in the dimension that packets take last. Around
/// any other hole, paths with an early turn wait for each other in a circle.
fn holes(torus: &Torus) -> Result<(), String> {
    let lattice = &torus.lattice;
    let missing = torus.missing();
    let last = lattice.last_dimension();
    let Some((first, others)) = missing.split_first().filter(|(_, o)| !o.is_empty()) else {
        return Ok(());
    };
    let column = |place: usize| {
        let mut at = lattice.coordinates(place);
        at[last] = 0;
        at
    };
    let alone = |place: &usize| {
        [true, false].into_iter().all(|up| {
            let next = lattice.step(*place, Way::new(last, up));
            next.is_none_or(|p| torus.places.at[p].is_some())
        })
    };
    if others.iter().all(|p| column(*p) == column(*first)) && !missing.iter().any(alone) {
        return Ok(());
    }
    let list = listed("no switch at", &missing, |p| lattice.show(*p)).unwrap_or_default();
    Err(format!(
        "packets could deadlock around the missing switches, which may only be neighbours in {}: \
         {list}",
        DIMENSIONS[last]
    ))
}

/// What is left of a ring must hang together.
fn whole(fabric: &Fabric, torus: &Torus, dimension: usize, ring: &[usize]) -> Result<(), String> {
    let ends = |way: Way| -> Vec<usize> {
        let present = ring.iter().copied().filter(|p| torus.places.at[*p].is_some());
        present.filter(|p| torus.group(*p, way).is_empty()).collect()
    };
    let (up, down) = (Way::new(dimension, true), Way::new(dimension, false));
    let (without_up, without_down) = (ends(up), ends(down));
    // Links have two ends, so both counts are the same.
    if without_up.len() <= 1 && without_down.len() <= 1 {
        return Ok(());
    }
    let name = DIMENSIONS[dimension];
    let gap = |place: &usize, way: Way| {
        let (sign, d) = signed(way);
        format!("{} has no link in {sign}{d}", torus.name(fabric, *place))
    };
    let list = listed("", &without_up, |p| gap(p, up)).unwrap_or_default();
    Err(format!(
        "the {name} dimension through {} is cut in {} pieces:{list}",
        torus.lattice.show(ring[0]),
        without_up.len()
    ))
}

/// Where switches are missing and others fit nowhere, the file is the likelier culprit.
fn with_strangers(fabric: &Fabric, torus: &Torus, why: String) -> String {
    let left = torus.left_over();
    let name = |s: &_| switch_name(fabric, *s);
    match listed("", &left, name) {
        Some(list) => format!(
            "{why}; {} of {} switches fit nowhere, so the sizes or seeds of torus-2QoS.conf may \
             not be those of the fabric:{list}",
            left.len(),
            torus.places.of.len()
        ),
        None => why,
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::topo::{Shape, TopoSpec, Torus as TorusShape, generate};
    use lk_fabric::{PortId, SwitchId};
    use lk_wire::PortNum;

    use super::super::lanes::overrides;
    use super::super::tables;
    use super::*;
    use crate::job::{DataVls, SlPlan};
    use crate::tables::LidMap;
    use crate::torus::lattice::Lattice;
    use crate::torus::place::place;

    /// A 2D torus that has lost switches. These are numbered with y running fastest.
    fn torus_without(radix: [u32; 2], gone: &[[u32; 2]]) -> (Fabric, Torus) {
        let spec = TopoSpec::new(Shape::Torus(TorusShape::new(&radix)));
        let fabric = generate(&spec).unwrap().fabric;
        let graph = Graph::new(&fabric);
        let lattice = Lattice::new([radix[0], radix[1], 1], [false; 3]);
        let switch = |x: u32, y: u32| {
            let guid = lk_wire::Guid(0x20_0000 + u64::from(x * radix[1] + y));
            fabric.as_switch(fabric.node_by_guid(guid).unwrap()).unwrap()
        };
        let seed: Vec<(usize, SwitchId)> =
            [(0, 0), (1, 0), (0, 1), (radix[0] - 1, 0), (0, radix[1] - 1)]
                .map(|(x, y)| (lattice.index([x, y, 0]), switch(x, y)))
                .into();
        let mut places = place(&graph, &lattice, &seed).unwrap();
        for [x, y] in gone {
            places.at[lattice.index([*x, *y, 0])] = None;
            places.of[switch(*x, *y).index()] = None;
        }
        let torus = Torus::new(&fabric, &graph, lattice, places);
        (fabric, torus)
    }

    /// The manual's last picture: the root (3,2) is gone, the next one is (2,1), and column 3 is
    /// reached from below.
    #[test]
    fn the_first_tree_without_its_root_is_the_manuals() {
        let (_, torus) = torus_without([6, 5], &[[3, 2]]);
        let tree = trees::usual(&torus).unwrap();
        let at = |x: u32, y: u32| torus.places.at[torus.lattice.index([x, y, 0])].unwrap();
        assert_eq!(tree.root(), at(2, 1));
        for ([x, y], [px, py]) in [
            ([3, 3], [3, 4]),
            ([3, 4], [3, 0]),
            ([3, 0], [3, 1]),
            ([3, 1], [2, 1]),
            // Other columns stay short of the dateline.
            ([4, 4], [4, 3]),
        ] {
            assert_eq!(tree.parent(at(x, y)), Some(at(px, py)), "({x},{y})");
        }
    }

    /// The verdicts on such a torus: of the checks, and of the proof on the tables that would be
    /// made.
    fn verdicts(radix: [u32; 2], gone: &[[u32; 2]]) -> (bool, bool) {
        let (fabric, torus) = torus_without(radix, gone);
        let lids = fabric.end_ports().zip(1..).map(|(p, lid): (PortId, u16)| (p, Lid(lid), 0));
        let lids = LidMap::new(lids.collect());
        let Ok(lfts) = tables::fill(&fabric, &lids, &torus, &[]) else {
            return (check(&fabric, &torus).is_ok(), false);
        };
        let sl = SlPlan::PerPair(super::super::PairSls::new(&fabric, &torus));
        let vls = DataVls { switches: 8, end_ports: 8 };
        let lanes = Some(overrides(&fabric, &torus, vls));
        let engine = "torus-2QoS";
        let routes = Routes { engine, lfts, sl, lanes, master_tree: None, notes: Vec::new() };
        let tables = routes.proof_lanes(&fabric, &OneLane);
        let sls = routes.proof_sls(&lids, SlSet::ALL);
        let proof = prove(&fabric, &lids, &routes.lfts, &tables, &sls, Traffic::All);
        for wait in proof.circle.iter().flatten() {
            assert!(wait.port > PortNum(0));
        }
        (check(&fabric, &torus).is_ok(), proof.deadlock_free())
    }

    /// The manual's switches O and T, side by side in x.
    #[test]
    fn the_proof_finds_the_credit_loop_of_the_manual() {
        assert_eq!(verdicts([6, 6], &[[3, 1], [4, 1]]), (false, false));
        assert_eq!(verdicts([6, 6], &[[3, 1], [3, 2]]), (true, true));
        assert_eq!(verdicts([6, 6], &[]), (true, true));
    }

    /// Of all pairs of missing switches those that pass are free of deadlock.
    #[test]
    fn pairs_that_pass_are_proved() {
        let places =
            |radix: [u32; 2]| (0..radix[0]).flat_map(move |x| (0..radix[1]).map(move |y| [x, y]));
        for radix in [[5, 4], [6, 5]] {
            let mut passed = 0;
            let mut refused_with_reason = 0;
            for one in places(radix) {
                for other in places(radix).filter(|o| *o > one) {
                    let (passes, free) = verdicts(radix, &[one, other]);
                    assert!(free || !passes, "{one:?} {other:?}");
                    passed += usize::from(passes);
                    refused_with_reason += usize::from(!passes && !free);
                }
            }
            // Each switch and the next one in y.
            assert_eq!(passed as u32, radix[0] * radix[1]);
            assert!(refused_with_reason > 0);
        }
    }
}
