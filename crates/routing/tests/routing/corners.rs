//! Fabrics at the edge of what there is.

use lk_fabric::{Fabric, FabricBuilder, NodeKind, NodeSpec, PortId};
use lk_routing::{ENGINES, Engine, Lfts, LidMap, check, quality, route};
use lk_wire::{Guid, Lid};

use crate::fabrics::{Case, wired};

/// The engines that need no description of the fabric. Those that do have tests of their own.
fn for_any_fabric() -> impl Iterator<Item = &'static &'static dyn Engine> {
    ENGINES.iter().filter(|e| !["torus-2QoS", "ftree"].contains(&e.name()))
}

fn node(builder: &mut FabricBuilder, guid: u64, kind: NodeKind, ports: u8) -> lk_fabric::Added {
    builder.add_node(NodeSpec::new(Guid(guid), kind, "", ports)).expect("GUIDs differ")
}

#[test]
fn nothing_at_all() {
    let case = Case::new(FabricBuilder::new().build(), 0);
    for engine in for_any_fabric() {
        let routes = engine.plan(&case.job()).expect("there is nothing to refuse");
        assert!(routes.lfts.rows.is_empty());
        assert_eq!(check(&case.fabric, &case.lids, &routes.lfts).ways, 0);
    }
}

#[test]
fn two_hosts_back_to_back() {
    let mut b = FabricBuilder::new();
    let (x, y) = (node(&mut b, 0x10, NodeKind::Ca, 1), node(&mut b, 0x20, NodeKind::Ca, 1));
    b.connect((x, 1), (y, 1)).expect("free");
    let case = Case::new(b.build(), 0);
    let routes = route("updn", &case.job()).routes.expect("nothing stands against it");
    assert!(routes.lfts.rows.is_empty());
    let q = quality(&case.fabric, &case.lids, &routes.lfts);
    assert_eq!((q.routes, q.broken, q.links.len()), (0, 0, 0));
}

#[test]
fn one_switch() {
    let case = Case::new(wired(&[3], &[(0, 0)]), 1);
    for engine in for_any_fabric() {
        let routes = engine.plan(&case.job()).expect("one switch is its own root");
        let found = check(&case.fabric, &case.lids, &routes.lfts);
        assert_eq!((found.unreached, found.max_hops), (vec![], 0), "{}", engine.name());
        let row = &routes.lfts.rows[0];
        assert_eq!(row.len() % Lfts::BLOCK, 0);
        assert_eq!(row[0], Lfts::NO_PATH);
        let used = row.iter().filter(|b| **b != Lfts::NO_PATH).count();
        assert_eq!(used, 3 * 2 + 1);
    }
}

#[test]
fn pieces_are_routed_each_by_itself() {
    let case = Case::new(wired(&[2, 2, 2, 2, 0], &[(0, 1), (2, 3)]), 0);
    let routes = route("minhop", &case.job()).routes.expect("minhop takes anything");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert!(found.loops.is_empty());
    // Each LID is reached from its own piece only: two switches of five, or one.
    assert_eq!(found.unreached.len(), case.lids.ranges().len());
    let lone = case.switch_lid(case.switch("s4"));
    for lost in &found.unreached {
        assert_eq!(lost.from, if lost.lid == lone { 4 } else { 3 }, "{lost:?}");
    }
}

#[test]
fn routers_are_end_ports() {
    let mut b = FabricBuilder::new();
    let (s, t) = (node(&mut b, 1, NodeKind::Switch, 4), node(&mut b, 2, NodeKind::Switch, 4));
    let (r, h) = (node(&mut b, 3, NodeKind::Router, 2), node(&mut b, 4, NodeKind::Ca, 2));
    b.connect((s, 1), (t, 1)).expect("free");
    b.connect((s, 2), (r, 1)).expect("free");
    b.connect((t, 2), (h, 2)).expect("free");
    let case = Case::new(b.build(), 0);
    let routes = route("minhop", &case.job()).routes.expect("minhop takes anything");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert_eq!(found.unreached, vec![]);
    assert_eq!(quality(&case.fabric, &case.lids, &routes.lfts).routes, 2);
}

/// Two switches with all 254 ports used, most of them on cables between the two.
#[test]
fn two_hundred_and_fifty_cables_in_parallel() {
    let cables = vec![(0, 1); 250];
    let case = Case::new(wired(&[4, 4], &cables), 3);
    for engine in for_any_fabric() {
        let Ok(routes) = engine.plan(&case.job()) else {
            assert_eq!(engine.name(), "updn", "only updn needs a root");
            continue;
        };
        let q = quality(&case.fabric, &case.lids, &routes.lfts);
        // 4 hosts with 8 LIDs on each side, each LID by a cable of its own.
        assert_eq!(q.links.iter().map(|l| l.lids).max(), Some(1), "{}", engine.name());
        assert_eq!(q.links.iter().filter(|l| l.lids == 1).count(), 64, "{}", engine.name());
    }
}

#[test]
fn a_switch_with_254_hosts() {
    let case = Case::new(wired(&[253, 1], &[(0, 1)]), 7);
    for engine in for_any_fabric() {
        let routes = engine.plan(&case.job()).expect("most hosts are on one switch");
        let found = check(&case.fabric, &case.lids, &routes.lfts);
        assert!(found.unreached.is_empty() && found.loops.is_empty(), "{}", engine.name());
        assert_eq!(found.max_hops, 1);
    }
}

#[test]
fn lids_that_two_ports_claim_lead_to_the_first() {
    let fabric: Fabric = wired(&[1, 1], &[(0, 1)]);
    let ends: Vec<PortId> = fabric.end_ports().collect();
    let ranges = vec![(ends[0], Lid(4), 2), (ends[1], Lid(6), 1), (ends[2], Lid(0xBFFE), 2)];
    let lids = LidMap::new(ranges);
    let mut case = Case::new(fabric, 0);
    case.lids = lids;
    for engine in for_any_fabric() {
        let Ok(routes) = engine.plan(&case.job()) else { continue };
        assert_eq!(case.lids.port(Lid(6)), Some(ends[0]));
        assert_eq!(case.lids.port(Lid(0xBFFF)), Some(ends[2]));
        assert_eq!(routes.lfts.rows[0].len(), 0xC000);
        assert!(check(&case.fabric, &case.lids, &routes.lfts).unreached.is_empty());
    }
}

#[test]
fn an_end_port_without_a_cable_is_reached_from_nowhere() {
    let mut b = FabricBuilder::new();
    let s = node(&mut b, 1, NodeKind::Switch, 4);
    let h = node(&mut b, 2, NodeKind::Ca, 2);
    b.connect((s, 1), (h, 1)).expect("free");
    b.set_port(h, 2, Guid(77), Lid(0), 0).expect("port 2 is there");
    let case = Case::new(b.build(), 0);
    let routes = route("minhop", &case.job()).routes.expect("minhop takes anything");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert_eq!(found.unreached.len(), 1);
    assert!(!found.end_ports_connected());
}

/// 300 switches in a row: more hops than a hop count holds.
#[test]
fn ways_of_more_than_254_hops_are_not_made() {
    let cables: Vec<(usize, usize)> = (1..300).map(|s| (s - 1, s)).collect();
    let case = Case::new(wired(&[1; 300], &cables), 0);
    let routes = route("minhop", &case.job()).routes.expect("minhop takes anything");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert_eq!((found.max_hops, found.loops.len()), (254, 0));
    let first = case.switch_lid(case.switch("s0"));
    let lost = found.unreached.iter().find(|u| u.lid == first).expect("the far end is lost");
    assert_eq!(lost.from, 300 - 255);
}
