//! Entries that stand stay where they may, and the result is as good as one made afresh.

use std::collections::BTreeSet;

use lk_fabric::topo::{FatTree, Shape, Torus};
use lk_fabric::{Fabric, FabricBuilder, LinkRate, NodeSpec, PortId};
use lk_routing::graph::Graph;
use lk_routing::proof::{OneLane, SlSet, Traffic, prove};
use lk_routing::{Hops, Lfts, Outcome, RouteJob, check, find, quality, route};
use lk_wire::Sl;
use proptest::prelude::*;

use crate::fabrics::{Case, any_connected_wiring, tree, whole};
use crate::golden;

/// The same nodes without some of the cables between switches.
pub(crate) fn without(fabric: &Fabric, gone: &BTreeSet<PortId>) -> Fabric {
    recabled(fabric, gone, &[])
}

/// The same nodes without some of the cables between switches, and with others.
pub(crate) fn recabled(
    fabric: &Fabric,
    gone: &BTreeSet<PortId>,
    new: &[(PortId, PortId)],
) -> Fabric {
    let mut builder = FabricBuilder::new();
    let added: Vec<_> = fabric
        .nodes()
        .iter()
        .map(|node| {
            let spec = NodeSpec::new(node.guid, node.kind, &node.description, node.num_ports);
            builder.add_node(spec).expect("GUIDs differ")
        })
        .collect();
    for port in fabric.end_ports() {
        let (node, number) = (fabric.owner(port), fabric.port_num(port).0);
        let held = fabric.port(port);
        let done = builder.set_port(added[node.index()], number, held.guid, held.lid, held.lmc);
        done.expect("the node has the port");
    }
    let stay = fabric.links().filter(|(a, b)| !gone.contains(a) && !gone.contains(b));
    for (a, b) in stay.chain(new.iter().copied()) {
        let end = |p: PortId| (added[fabric.owner(p).index()], fabric.port_num(p).0);
        builder.connect(end(a), end(b)).expect("the ports are free");
        builder.set_rate(end(a).0, end(a).1, LinkRate::HDR_4X).expect("the port is there");
    }
    builder.build()
}

pub(crate) fn between_switches(fabric: &Fabric) -> Vec<PortId> {
    let is_switch = |p: PortId| fabric.as_switch(fabric.owner(p)).is_some();
    fabric
        .links()
        .filter(|(a, b)| a != b && is_switch(*a) && is_switch(*b))
        .map(|(a, _)| a)
        .collect()
}

fn routed(case: &Case, engine: &str, previous: Option<&Lfts>, threads: usize) -> Outcome {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be had").install(|| {
        let job = RouteJob { previous, ..case.job() };
        route(&format!("{engine},no_fallback"), &job)
    })
}

fn free(case: &Case, lfts: &Lfts) -> bool {
    let sls = SlSet::one(Sl(0));
    prove(&case.fabric, &case.lids, lfts, &OneLane, &sls, Traffic::EndPorts).deadlock_free()
}

/// Routes a fabric with what stood, and holds it against fresh routes. None if there are none.
fn step(case: &Case, engine: &str, previous: Option<&Lfts>) -> Option<Lfts> {
    let fresh = routed(case, engine, None, 1).routes?;
    let outcome = routed(case, engine, previous, 1);
    assert_eq!(routed(case, engine, previous, 3), outcome, "{engine}");
    let kept = outcome.routes.expect("it was routed afresh").lfts;
    let [now, best] = [&kept, &fresh.lfts].map(|lfts| quality(&case.fabric, &case.lids, lfts));
    assert_eq!((now.broken, now.hops, now.max_hops), (best.broken, best.hops, best.max_hops));
    let (most, limit) = (now.max_routes_per_link(), best.max_routes_per_link() * 12 / 10);
    assert!(most <= limit.max(best.max_routes_per_link()), "{engine}: {most} > {limit}");
    let found = check(&case.fabric, &case.lids, &kept);
    assert_eq!(found.loops.len(), check(&case.fabric, &case.lids, &fresh.lfts).loops.len());
    if free(case, &fresh.lfts) {
        assert!(free(case, &kept), "{engine} can deadlock");
    }
    Some(kept)
}

/// Goes through failures and repairs: each number turns one cable between switches off or on again.
fn sequence(base: Fabric, engine: &str, toggles: &[u16]) {
    let mut case = Case::new(base.clone(), 0);
    let cables = between_switches(&base);
    let mut gone = BTreeSet::new();
    let mut stands = step(&case, engine, None);
    for toggle in toggles {
        let Some(cable) = cables.get(usize::from(*toggle) % cables.len().max(1)) else { return };
        if !gone.remove(cable) {
            gone.insert(*cable);
        }
        case.fabric = without(&base, &gone);
        stands = step(&case, engine, stands.as_ref());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_of_failures_and_repairs_ends_as_good_as_made_afresh(
        shape in 0_usize..5,
        engine in prop::sample::select(vec!["minhop", "updn", "dnup", "ftree", "sssp", "dor"]),
        toggles in prop::collection::vec(any::<u16>(), 1..7),
    ) {
        if find(engine).is_some() {
            let base = match shape {
                0 => tree(FatTree::new(4, 3), 0.0, 1),
                1 => tree(FatTree::new(8, 2), 0.0, 1),
                2 => tree(FatTree::new(6, 3), 5.0, 3),
                3 => whole(Shape::Torus(Torus::new(&[4, 4]))),
                _ => whole(Shape::Torus(Torus::new(&[5, 3]))),
            };
            sequence(base, engine, &toggles);
        }
    }

    #[test]
    fn so_does_it_on_any_fabric(
        wiring in any_connected_wiring(),
        engine in prop::sample::select(vec!["minhop", "updn", "dnup", "sssp"]),
        toggles in prop::collection::vec(any::<u16>(), 1..6),
    ) {
        if find(engine).is_some() {
            sequence(wiring.fabric(), engine, &toggles);
        }
    }
}

/// Entries that lead no longer to a switch that is one hop nearer, and so have to move.
fn illegal(case: &Case, lfts: &Lfts) -> usize {
    let (graph, hops) = (Graph::new(&case.fabric), Hops::new(&case.fabric));
    let mut count = 0;
    for (end, lid, _) in case.lids.ranges() {
        let Some((home, exit)) = Graph::attachment(&case.fabric, *end) else { continue };
        for s in case.fabric.switch_ids() {
            let Some(port) = lfts.port(s, *lid) else { continue };
            let nearer = match graph.peer(s.index(), port) {
                Some(peer) => hops
                    .between(peer, home)
                    .zip(hops.between(s, home))
                    .is_some_and(|(near, far)| near + 1 == far),
                None => s == home && port == exit,
            };
            count += usize::from(!nearer);
        }
    }
    count
}

#[test]
fn after_a_failed_link_only_what_used_it_moves() {
    let base = tree(FatTree::new(8, 3), 0.0, 1);
    for engine in ["minhop", "updn"] {
        let mut case = Case::new(base.clone(), 0);
        let stands = routed(&case, engine, None, 2).routes.expect("a tree is routed").lfts;
        let cable = between_switches(&base)[5];
        case.fabric = without(&base, &BTreeSet::from([cable]));
        let outcome = routed(&case, engine, Some(&stands), 2);
        let kept = outcome.kept.expect("tables stood");
        let fresh = routed(&case, engine, None, 2).routes.expect("a tree is routed").lfts;
        let rows = fresh.rows.iter().zip(&stands.rows);
        let afresh: usize =
            rows.map(|(a, b)| a.iter().zip(b.iter()).filter(|(a, b)| a != b).count()).sum();
        assert!(kept.stood > 4_000, "{kept:?}");
        // More than what has to moves only for the balance, on the way up and on the way down, so
        // for each entry one or two others at most.
        let must = illegal(&case, &stands);
        assert!((must..5 * must / 2).contains(&kept.moved), "{engine}: {kept:?}, not {must}");
        assert!(kept.moved < afresh / 3, "{engine}: {kept:?}, and afresh {afresh}");
        // The link is back: what moves is for the balance alone.
        let now = outcome.routes.expect("a tree is routed").lfts;
        case.fabric = base.clone();
        let kept = routed(&case, engine, Some(&now), 2).kept.expect("tables stood");
        assert!(kept.moved * 50 < kept.stood, "{engine}: {kept:?}");
    }
}

#[test]
fn what_opensm_left_stays_where_it_may() {
    for (folder, engine) in
        [("ft4x3", "minhop"), ("ft4x3", "updn"), ("ft4x3-broken", "minhop"), ("r24", "minhop")]
    {
        let case = golden::case(folder);
        let (theirs, _) = golden::tables(folder, engine, &case);
        let outcome = routed(&case, engine, Some(&theirs), 2);
        let kept = outcome.kept.expect("tables stood");
        let ours = outcome.routes.expect("it is routed").lfts;
        let fresh = routed(&case, engine, None, 2).routes.expect("it is routed").lfts;
        let most = |lfts| quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
        assert!(most(&ours) * 10 <= most(&fresh) * 12, "{folder} {engine}");
        // Where OpenSM's fullest link is full enough, nothing moves that does not have to.
        if most(&theirs) * 10 <= most(&fresh) * 12 {
            assert_eq!(kept.moved, illegal(&case, &theirs), "{folder} {engine}: {kept:?}");
        } else {
            assert!(kept.moved * 2 < kept.stood, "{folder} {engine}: {kept:?}");
        }
    }
}

#[test]
fn tables_of_strangers_do_no_harm() {
    let case = Case::new(tree(FatTree::new(4, 3), 0.0, 1), 1);
    let fresh = routed(&case, "updn", None, 1).routes.expect("a tree is routed");
    for byte in [0, 1, 7, 200, 255] {
        let row = vec![byte; 64].into();
        let junk = Lfts { top: lk_wire::Lid(63), rows: vec![row; case.fabric.switches().len()] };
        let stands = step(&case, "updn", Some(&junk)).expect("a tree is routed");
        assert_eq!(stands.rows.len(), fresh.lfts.rows.len());
    }
    let few = Lfts { top: lk_wire::Lid(63), rows: vec![vec![1; 64].into()] };
    let outcome = routed(&case, "updn", Some(&few), 1);
    assert_eq!(outcome.routes, Some(fresh));
}
