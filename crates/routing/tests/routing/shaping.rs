//! Options that shape the choice of ports.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::SwitchId;
use lk_fabric::topo::FatTree;
use lk_routing::{Hops, Routes, check, quality};
use lk_wire::{Guid, PortNum};
use proptest::prelude::*;

use crate::fabrics::{Case, any_wiring, threads_do_not_show, tree, wired, zoo};
use crate::oracle;

/// How many LIDs of end ports on one switch another one sends by each of its ports.
fn used(case: &Case, routes: &Routes, from: SwitchId, to: SwitchId) -> BTreeMap<u8, usize> {
    let mut used = BTreeMap::new();
    for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
        let of_host = lid != case.switch_lid(home);
        if let Some(port) = routes.lfts.port(from, lid).filter(|_| home == to && of_host) {
            *used.entry(port.0).or_default() += 1;
        }
    }
    used
}

/// s0 and s1 are joined by three cables, ports 2 to 4 of s0; s1 has so many end ports.
fn trunk(hosts: u8) -> Case {
    Case::new(wired(&[1, hosts], &[(0, 1), (0, 1), (0, 1)]), 0)
}

#[test]
fn a_port_order_says_who_gets_the_odd_lid() {
    let mut case = trunk(4);
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    let most = |case: &Case| {
        let used = used(case, &case.routes("minhop"), s0, s1);
        used.into_iter().max_by_key(|(port, n)| (*n, 255 - *port))
    };
    assert_eq!(most(&case), Some((2, 2)));
    case.options.shaping.port_orders =
        vec![(Guid(0x20_0000), vec![PortNum(4)]), (Guid(0x20_0000), vec![PortNum(3)])];
    assert_eq!(most(&case), Some((4, 2)), "of two orders the first counts");
}

/// A ring of four; one hop costs more than the way round.
#[test]
fn weights_lead_round_the_other_way() {
    let mut case = Case::new(wired(&[1, 1, 1, 1], &[(0, 1), (1, 2), (2, 3), (3, 0)]), 0);
    let [s0, s1, s2, s3] = ["s0", "s1", "s2", "s3"].map(|name| case.switch(name));
    let walk = |case: &Case, engine: &str, from, to| {
        let lfts = case.routes(engine).lfts;
        oracle::walk(&case.fabric, &case.lids, &lfts, from, case.switch_lid(to))
    };
    for engine in ["minhop", "dor"] {
        case.options.shaping.hop_weights = Vec::new();
        assert_eq!(walk(&case, engine, s0, s1), Some(vec![s0, s1]));
        case.options.shaping.hop_weights = vec![(Guid(0x20_0000), PortNum(2), 4)];
        assert_eq!(walk(&case, engine, s0, s1), Some(vec![s0, s3, s2, s1]));
        assert_eq!(walk(&case, engine, s1, s0), Some(vec![s1, s0]), "one direction only");
        // Up to three for the other way round; with an equal weight either may be taken.
        case.options.shaping.hop_weights[0].2 = 2;
        assert_eq!(walk(&case, engine, s0, s1), Some(vec![s0, s1]));
    }
    case.options.shaping.hop_weights[0].2 = 255;
    let found = check(&case.fabric, &case.lids, &case.routes("minhop").lfts);
    assert!(found.unreached.is_empty(), "the heaviest weight");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ways_cost_the_least(
        wiring in any_wiring(),
        weights in prop::collection::vec((0_u64..12, 1_u8..9, 1_u8..20), 0..12),
    ) {
        let mut case = Case::new(wiring.fabric(), 0);
        let at = |s, port| (Guid(0x20_0000 + s), PortNum(port));
        let weights: BTreeMap<_, _> =
            weights.into_iter().map(|(s, port, w)| (at(s, port), w)).collect();
        case.options.shaping.hop_weights =
            weights.iter().map(|((guid, port), w)| (*guid, *port, *w)).collect();
        let lfts = case.routes("minhop").lfts;
        let cost = |from: SwitchId, port: PortNum| {
            let guid = case.fabric.node(case.fabric.switch_node(from)).guid;
            usize::from(weights.get(&(guid, port)).copied().unwrap_or(1))
        };
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            let mut least = BTreeMap::from([(home, 0)]);
            for _ in 0..case.fabric.switches().len() {
                for (from, port, to) in oracle::links(&case.fabric) {
                    let Some(rest) = least.get(&to).copied() else { continue };
                    let all = rest + cost(from, case.fabric.port_num(port));
                    let known = least.entry(from).or_insert(all);
                    *known = (*known).min(all);
                }
            }
            for from in case.fabric.switch_ids() {
                let path = oracle::walk(&case.fabric, &case.lids, &lfts, from, lid);
                let steps = path.map(|path| {
                    let on_way = &path[..path.len() - 1];
                    let ports = on_way.iter().map(|s| (*s, lfts.port(*s, lid)));
                    ports.map(|(s, p)| cost(s, p.unwrap_or(PortNum(0)))).sum::<usize>()
                });
                prop_assert_eq!(steps, least.get(&from).copied());
            }
        }
    }
}

#[test]
fn dumps_count_by_weight() {
    let mut case = Case::new(wired(&[1, 1], &[(0, 1), (0, 1)]), 0);
    case.options.shaping.hop_weights =
        vec![(Guid(0x20_0000), PortNum(2), 9), (Guid(0x20_0000), PortNum(3), 7)];
    let hops: Hops = crate::fabrics::engine_named("minhop").hops(&case.job()).expect("minhop");
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    assert_eq!(hops.between(s0, s1), Some(7));
    assert_eq!(hops.via(s0, PortNum(2), s1), Some(9));
    assert_eq!(hops.between(s1, s0), Some(1));
}

#[test]
fn no_load_is_counted_on_ignored_ports() {
    let mut case = trunk(6);
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    assert_eq!(used(&case, &case.routes("minhop"), s0, s1), [(2, 2), (3, 2), (4, 2)].into());
    case.options.shaping.ignored_ports = vec![(Guid(0x20_0000), PortNum(3))];
    assert_eq!(used(&case, &case.routes("minhop"), s0, s1), [(2, 1), (3, 5)].into());
}

#[test]
fn chance_follows_its_seed_and_stays_among_equals() {
    let mut case = Case::new(tree(FatTree::new(8, 3), 0.0, 0), 0);
    let plain = case.routes("minhop");
    let mut seen = BTreeSet::new();
    for seed in [1, 1, 2, 3] {
        case.options.shaping.scatter = seed;
        for engine in ["minhop", "updn", "dnup", "dor"] {
            let routes = case.routes(engine);
            assert!(
                check(&case.fabric, &case.lids, &routes.lfts).unreached.is_empty()
                    || engine != "minhop"
            );
            assert!(threads_do_not_show(&case, engine));
        }
        let routes = case.routes("minhop");
        let q = quality(&case.fabric, &case.lids, &routes.lfts);
        assert!(q.worst_uplink.expect("a tree").excess() <= 1.5, "{:?}", q.worst_uplink);
        seen.insert(routes.lfts.rows.clone());
    }
    assert_eq!(seen.len(), 3, "the same for one seed, other for another");
    assert!(!seen.contains(&plain.lfts.rows));
}

#[test]
fn ports_of_the_order_file_come_first_and_need_not_be_scattered() {
    // Five end ports over two cables: the first three of them in turn get cable 2.
    let mut case = Case::new(wired(&[1, 5], &[(0, 1), (0, 1)]), 0);
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    let guid = |h: u64| Guid(0x1000_1001 + 2 * h);
    let by = |case: &Case, h: u64| {
        let end = case.fabric.end_ports().find(|p| case.fabric.port(*p).guid == guid(h));
        let lid = case.lid(end.expect("the port is there"));
        case.routes("minhop").lfts.port(s0, lid).map(|p| p.0)
    };
    assert_eq!((by(&case, 0), by(&case, 1)), (Some(2), Some(3)));
    case.options.shaping.first = vec![guid(1), guid(0), Guid(0xdead), guid(1)];
    assert_eq!((by(&case, 1), by(&case, 0)), (Some(2), Some(3)));
    let notes = case.routes("minhop").notes;
    assert!(notes[0].contains("guid_routing_order_file: 0x000000000000dead"), "{notes:?}");
    case.options.shaping.first_not_scattered = true;
    for seed in 1..20 {
        case.options.shaping.scatter = seed;
        assert_eq!((by(&case, 1), by(&case, 0)), (Some(2), Some(3)), "seed {seed}");
    }
    assert_eq!(used(&case, &case.routes("minhop"), s0, s1).values().sum::<usize>(), 5);
}

#[test]
fn shifting_starts_elsewhere_and_stays_even() {
    let mut case = trunk(9);
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    let plain = case.routes("minhop");
    case.options.shaping.shift = true;
    let shifted = case.routes("minhop");
    assert_ne!(plain.lfts, shifted.lfts);
    assert_eq!(used(&case, &shifted, s0, s1), [(2, 3), (3, 3), (4, 3)].into());
    assert!(threads_do_not_show(&case, "minhop"));
}

/// Two cables between s0 and s1, and LIDs for one end port and two switches behind them.
#[test]
fn paths_to_switches_count_where_they_shall() {
    let mut case = Case::new(wired(&[1, 1, 0], &[(0, 1), (0, 1), (1, 2)]), 0);
    let s0 = case.switch("s0");
    let ports = |case: &Case| {
        let lfts = case.routes("minhop").lfts;
        let there = |(lid, home)| (home != s0).then(|| lfts.port(s0, lid)).flatten();
        let homes = oracle::homes(&case.fabric, &case.lids);
        homes.into_iter().filter_map(there).map(|p| p.0).collect::<Vec<_>>()
    };
    let apart = ports(&case);
    case.options.shaping.count_switches = true;
    let together = ports(&case);
    assert_eq!((apart.len(), together.len()), (3, 3));
    let load = |ports: &[u8]| ports.iter().filter(|p| **p == 2).count();
    assert!((1..=2).contains(&load(&together)), "{together:?}");
}

#[test]
fn throttled_links_are_left_alone_unless_they_are_needed() {
    // s0 to s1 by two cables and over s2; ports 2 and 3 of s0 lead to s1.
    let mut case = Case::new(wired(&[1, 2, 0], &[(0, 1), (0, 1), (0, 2), (1, 2)]), 0);
    let (s0, s1) = (case.switch("s0"), case.switch("s1"));
    for engine in ["minhop", "dnup", "dor"] {
        case.options.shaping.throttled = vec![(Guid(0x20_0000), PortNum(2))];
        assert_eq!(used(&case, &case.routes(engine), s0, s1), [(3, 2)].into(), "{engine}");
        case.options.shaping.throttled.push((Guid(0x20_0000), PortNum(3)));
        assert_eq!(used(&case, &case.routes(engine), s0, s1), [(4, 2)].into(), "{engine}");
        // The last way: without it the fabric would be in two parts.
        case.options.shaping.throttled.push((Guid(0x20_0002), PortNum(1)));
        assert_eq!(used(&case, &case.routes(engine), s0, s1), [(2, 1), (3, 1)].into(), "{engine}");
    }
}

#[test]
fn what_files_name_and_is_not_there_is_said() {
    let mut case = trunk(1);
    let shaping = &mut case.options.shaping;
    shaping.port_orders = vec![(Guid(7), vec![PortNum(1)]), (Guid(8), vec![PortNum(1)])];
    shaping.hop_weights = vec![(Guid(0x20_0000), PortNum(255), 3)];
    shaping.ignored_ports = vec![(Guid(0x20_0000), PortNum(1))];
    let notes = case.routes("minhop").notes;
    assert_eq!(
        notes,
        [
            "port_search_ordering_file: 0x0000000000000007 is not in the fabric and is skipped, \
             and 1 more lines are of that kind",
            "hop_weights_file: 0x0000000000200000 has no such port and is skipped",
        ]
    );
}

#[test]
fn shaped_routes_reach_all_that_the_plain_ones_reach() {
    for (name, fabric) in zoo(3.0, 1) {
        for lmc in [0, 2] {
            let mut case = Case::new(fabric.clone(), lmc);
            let plain = check(&case.fabric, &case.lids, &case.routes("minhop").lfts);
            let guid = case.fabric.node(case.fabric.switch_node(SwitchId(0))).guid;
            let shaping = &mut case.options.shaping;
            shaping.scatter = 5;
            shaping.count_switches = true;
            shaping.hop_weights = vec![(guid, PortNum(1), 3), (guid, PortNum(2), 3)];
            shaping.port_orders = vec![(guid, vec![PortNum(3), PortNum(1)])];
            shaping.ignored_ports = vec![(guid, PortNum(4))];
            let shaped = check(&case.fabric, &case.lids, &case.routes("minhop").lfts);
            assert_eq!(plain.unreached, shaped.unreached, "{name}");
            assert!(shaped.loops.is_empty(), "{name}");
        }
    }
}
