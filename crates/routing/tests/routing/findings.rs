//! The checker and the figures, on tables whose faults are known.

use std::collections::BTreeMap;

use lk_fabric::{SwitchId, topo::FatTree};
use lk_routing::{End, Lfts, check, quality};
use lk_wire::Lid;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::fabrics::{Case, any_wiring, tree, wired};
use crate::oracle;

/// Changes one entry of the tables.
pub(crate) fn set(lfts: &mut Lfts, switch: SwitchId, lid: Lid, port: u8) {
    let row = &mut lfts.rows[switch.index()];
    let mut bytes = row.to_vec();
    bytes[usize::from(lid.0)] = port;
    *row = bytes.into();
}

/// Three switches in a ring, a host on each. Ports: 1 the host, 2 and 3 the cables.
fn ring() -> Case {
    Case::new(wired(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]), 0)
}

fn host_lid(case: &Case, switch: &str) -> Lid {
    let home = case.switch(switch);
    let homes = oracle::homes(&case.fabric, &case.lids);
    let of = |lid: &Lid| case.lids.port(*lid).map(|p| case.fabric.owner(p));
    homes
        .iter()
        .find(|(lid, at)| *at == home && of(lid) != Some(case.fabric.switch_node(home)))
        .expect("it has a host")
        .0
}

#[test]
fn a_forwarding_loop_is_shown_with_its_switches() {
    let case = ring();
    let mut lfts = case.routes("minhop").lfts;
    let lid = host_lid(&case, "s2");
    // s0's cable to s1 is its port 2; s1's cable to s0 is its port 2.
    set(&mut lfts, case.switch("s0"), lid, 2);
    set(&mut lfts, case.switch("s1"), lid, 2);
    let found = check(&case.fabric, &case.lids, &lfts);
    assert_eq!(found.loops.len(), 1);
    assert_eq!(found.loops[0].lid, lid);
    let mut switches = found.loops[0].switches.clone();
    switches.sort_unstable();
    assert_eq!(switches, [case.switch("s0"), case.switch("s1")]);
    assert_eq!((found.unreached[0].from, found.unreached[0].end), (2, End::Loop));
    assert!(!found.end_ports_connected());
}

#[test]
fn dead_ends_are_told_apart() {
    let case = ring();
    let good = case.routes("minhop").lfts;
    let lid = host_lid(&case, "s2");
    let s0 = case.switch("s0");
    for (port, end) in [
        (Lfts::NO_PATH, End::NoEntry),
        (0, End::DeadPort),
        (1, End::Stranger),
        (9, End::DeadPort),
        (254, End::DeadPort),
    ] {
        let mut lfts = good.clone();
        set(&mut lfts, s0, lid, port);
        let found = check(&case.fabric, &case.lids, &lfts);
        assert_eq!(found.unreached.len(), 1, "port {port}");
        let lost = &found.unreached[0];
        assert_eq!((lost.lid, lost.first, lost.end, lost.from_leaves), (lid, s0, end, 1));
        assert!(!lost.of_switch);
    }
    assert_eq!(check(&case.fabric, &case.lids, &good).unreached, vec![]);
}

#[test]
fn short_tables_are_no_path() {
    let case = ring();
    let mut lfts = case.routes("minhop").lfts;
    lfts.rows[0] = Vec::new().into();
    let found = check(&case.fabric, &case.lids, &lfts);
    assert_eq!(found.unreached.len(), case.lids.ranges().len());
    assert!(found.unreached.iter().all(|u| u.end == End::NoEntry));
}

#[test]
fn figures_of_a_small_tree() {
    // Two leaves with two hosts each, two spines.
    let case = Case::new(tree(FatTree::new(4, 2), 0.0, 0), 0);
    let q = quality(&case.fabric, &case.lids, &case.routes("minhop").lfts);
    // 4 hosts to 3 others each; 8 of the 12 routes cross between the leaves in two hops.
    assert_eq!((q.routes, q.broken, q.hops, q.max_hops), (12, 0, 16, 2));
    assert!((q.mean_hops() - 16.0 / 12.0).abs() < 1e-12);
    assert_eq!((q.links.len(), q.max_routes_per_link()), (8, 2));
    assert!((q.mean_routes_per_link() - 2.0).abs() < 1e-12);
    assert_eq!([0, 50, 100].map(|p| q.percentile(p)), [2, 2, 2]);
    let levels: Vec<_> = q.levels.iter().map(|l| (l.level, l.up, l.links, l.max_lids)).collect();
    assert_eq!(levels, [(0, true, 4, 1), (1, false, 4, 1)]);
}

#[test]
fn a_link_that_carries_all_stands_out() {
    let case = Case::new(tree(FatTree::new(8, 2), 0.0, 0), 0);
    let mut lfts = case.routes("minhop").lfts;
    let leaf = case.switch("L0-0");
    // Ports 5 to 8 of a leaf lead up; everything through the first of them now.
    let far: Vec<Lid> = oracle::homes(&case.fabric, &case.lids)
        .into_iter()
        .filter(|(_, home)| *home != leaf)
        .map(|(lid, _)| lid)
        .collect();
    for lid in far {
        set(&mut lfts, leaf, lid, 5);
    }
    let q = quality(&case.fabric, &case.lids, &lfts);
    let worst = q.worst_uplink.expect("it is a tree");
    assert_eq!((worst.switch, worst.port.0, worst.lids, worst.ideal), (leaf, 5, 12, 3));
    assert!((worst.excess() - 4.0).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Against walking each pair, on tables with random faults.
    #[test]
    fn checker_and_figures_agree_with_walking(
        wiring in any_wiring(),
        faults in prop::collection::vec((any::<Index>(), any::<Index>(), 0_u8..8), 0..6),
    ) {
        let case = Case::new(wiring.fabric(), 0);
        let mut lfts = case.routes("minhop").lfts;
        let all: Vec<Lid> = case.lids.ranges().iter().map(|(_, lid, _)| *lid).collect();
        for (switch, lid, port) in faults {
            let switch = SwitchId(switch.index(lfts.rows.len()) as u32);
            set(&mut lfts, switch, *lid.get(&all), port);
        }
        let found = check(&case.fabric, &case.lids, &lfts);
        let lost: BTreeMap<Lid, u32> = found.unreached.iter().map(|u| (u.lid, u.from)).collect();
        let hosts = |s: SwitchId| {
            let ends = case.fabric.end_ports();
            ends.filter(|e| case.fabric.as_switch(case.fabric.owner(*e)).is_none()
                && oracle::home(&case.fabric, *e) == Some(s)).count() as u64
        };
        let (mut routes, mut hops, mut broken) = (0, 0, 0);
        for lid in &all {
            let end = case.lids.port(*lid).expect("it is in use");
            let to_host = case.fabric.as_switch(case.fabric.owner(end)).is_none();
            let mut missed = 0;
            for from in case.fabric.switch_ids() {
                let path = oracle::walk(&case.fabric, &case.lids, &lfts, from, *lid);
                let own = u64::from(oracle::home(&case.fabric, end) == Some(from));
                let sources = if to_host { hosts(from) - own } else { 0 };
                match path {
                    Some(path) => {
                        routes += sources;
                        hops += sources * (path.len() as u64 - 1);
                    }
                    None => {
                        missed += 1;
                        broken += sources;
                    }
                }
            }
            prop_assert_eq!(lost.get(lid).copied().unwrap_or(0), missed);
        }
        let q = quality(&case.fabric, &case.lids, &lfts);
        prop_assert_eq!((q.routes, q.hops, q.broken), (routes, hops, broken));
        prop_assert_eq!(q.links.iter().map(|l| l.routes).sum::<u64>(), hops);
    }
}
