//! ftree: shift permutations share no link; trees that are none are refused by name.

use std::collections::HashMap;

use lk_fabric::topo::{FatTree, HyperX, Shape, Torus};
use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_routing::proof::{OneLane, SlSet, Traffic};
use lk_routing::{check, prove, quality};
use lk_wire::{Guid, Lid, Sl};
use proptest::prelude::*;

use crate::fabrics::{
    Case, any_connected_wiring, engine_named, threads_do_not_show, tree, whole, wired,
};
use crate::{golden, oracle};

/// The most flows on one link between switches while each node of the order sends to the `shift`-th
/// one after it.
fn busiest(case: &Case, shift: usize) -> usize {
    let routes = case.routes("ftree");
    let order = engine_named("ftree").ca_order(&case.job()).expect("there is an order").ports;
    let mut flows: HashMap<(SwitchId, u8), usize> = HashMap::new();
    for (at, from) in order.iter().enumerate() {
        let (Some(from), Some(to)) = (from, order[(at + shift) % order.len()]) else { continue };
        let start = oracle::home(&case.fabric, *from).expect("it hangs on a switch");
        let lid = case.lid(to);
        let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, start, lid).expect("a way");
        for s in &path[..path.len() - 1] {
            let port = routes.lfts.port(*s, lid).expect("an entry");
            *flows.entry((*s, port.0)).or_default() += 1;
        }
    }
    flows.into_values().max().unwrap_or(0)
}

fn nodes(case: &Case) -> usize {
    let on_switch = |p: &PortId| case.fabric.as_switch(case.fabric.owner(*p)).is_some();
    case.fabric.end_ports().filter(|p| !on_switch(p)).count()
}

#[test]
fn shift_permutations_share_no_link_of_a_whole_tree() {
    let shapes = [
        FatTree::new(4, 2),
        FatTree::new(8, 2),
        FatTree::new(4, 3),
        FatTree::new(6, 3),
        FatTree::new(8, 3),
        FatTree::new(4, 4),
        FatTree { hosts: Some(2), ..FatTree::new(8, 3) },
        FatTree { hosts: Some(3), ..FatTree::new(8, 3) },
    ];
    for shape in shapes {
        let case = Case::new(tree(shape.clone(), 0.0, 0), 0);
        let nodes = nodes(&case);
        for shift in (1..nodes).step_by(1 + nodes / 60) {
            assert_eq!(busiest(&case, shift), 1, "shift {shift} on {shape:?}");
        }
    }
}

/// A fifth of the hosts are missing, ports and GUIDs are in no order.
#[test]
fn shift_permutations_share_no_link_of_a_tree_that_is_not_full() {
    let case = golden::case("ft6x3-mixed");
    for shift in 1..case.fabric.switches().len() {
        assert!(busiest(&case, shift) <= 1, "shift {shift}");
    }
}

/// Turns that fall on hosts that are missing leave gaps on some links, which opensm fills.
#[test]
fn turns_of_missing_hosts_cost_the_fullest_link_little() {
    let case = golden::case("ft6x3-mixed");
    let (theirs, _) = golden::tables("ft6x3-mixed", "ftree", &case);
    let most = |lfts: &_| quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
    let (ours, theirs) = (most(&case.routes("ftree").lfts), most(&theirs));
    assert!(ours * 7 <= theirs * 8, "{ours} and {theirs}");
}

#[test]
fn with_fewer_uplinks_than_nodes_the_flows_are_shared_out() {
    let shape = FatTree { oversubscription: (3, 1), ..FatTree::new(16, 3) };
    let case = Case::new(tree(shape, 0.0, 0), 0);
    assert_eq!(busiest(&case, 1), 1);
    for shift in [12, 13, 48, 100] {
        assert_eq!(busiest(&case, shift), 3, "shift {shift}");
    }
}

/// The GUIDs of the switches at the top of a generated tree of so many levels.
fn top(case: &Case, levels: usize) -> Vec<Guid> {
    let prefix = format!("L{}-", levels - 1);
    let nodes = case.fabric.switch_ids().map(|s| case.fabric.node(case.fabric.switch_node(s)));
    nodes.filter(|node| node.description.starts_with(&prefix)).map(|node| node.guid).collect()
}

#[test]
fn trees_with_failures_are_refused_or_routed_from_named_roots() {
    for (radix, levels) in [(8, 3), (12, 2), (6, 3), (4, 4)] {
        for percent in [1.0, 3.0, 10.0] {
            for seed in 1..5 {
                let mut case = Case::new(tree(FatTree::new(radix, levels), percent, seed), 0);
                let what = format!("{radix} {levels}, {percent} %, seed {seed}");
                let whole = tree(FatTree::new(radix, levels), 0.0, 0);
                if case.fabric.links().count() < whole.links().count() {
                    let decline = engine_named("ftree").plan(&case.job()).expect_err("not pure");
                    assert!(decline.reason.contains("L") && decline.reason.contains("root_guid"));
                }
                case.options.roots = Some(top(&case, usize::from(levels)));
                let routes = match engine_named("ftree").plan(&case.job()) {
                    Ok(routes) => routes,
                    Err(decline) => panic!("{what}: {decline}"),
                };
                let found = check(&case.fabric, &case.lids, &routes.lfts);
                assert!(found.end_ports_connected() && found.loops.is_empty(), "{what}");
                let sl = SlSet::one(Sl(0));
                let traffic = Traffic::All;
                let proof = prove(&case.fabric, &case.lids, &routes.lfts, &OneLane, &sl, traffic);
                assert!(proof.deadlock_free(), "{what}");
                assert!(threads_do_not_show(&case, "ftree"), "{what}");
            }
        }
    }
}

#[test]
fn loads_are_even() {
    for (radix, levels) in [(8, 2), (4, 3), (8, 3), (12, 3), (4, 4)] {
        let case = Case::new(tree(FatTree::new(radix, levels), 0.0, 0), 0);
        let q = quality(&case.fabric, &case.lids, &case.routes("ftree").lfts);
        for l in &q.levels {
            assert!((f64::from(l.max_lids) - l.mean_lids).abs() < 1e-9, "{radix} {levels}: {l:?}");
            assert!((l.max_routes as f64 - l.mean_routes).abs() < 1e-6, "{radix} {levels}: {l:?}");
        }
    }
}

fn refusal(case: &Case) -> String {
    engine_named("ftree").plan(&case.job()).expect_err("it must be refused").reason
}

#[test]
fn what_is_no_tree_is_refused() {
    let torus = Case::new(whole(Shape::Torus(Torus::new(&[4, 4]))), 0);
    assert!(refusal(&torus).contains("all switches stand at one level"), "{}", refusal(&torus));
    let hyperx = Case::new(whole(Shape::HyperX(HyperX::new(&[3, 3], 1))), 0);
    assert!(refusal(&hyperx).contains("all switches stand at one level"));
    let with_lmc = Case::new(tree(FatTree::new(4, 2), 0.0, 0), 1);
    assert!(refusal(&with_lmc).contains("lmc is 1"), "{}", refusal(&with_lmc));
    let one = Case::new(wired(&[3], &[]), 0);
    assert!(refusal(&one).contains("1 switches"));
    let alone = Case::new(wired(&[1, 0], &[(0, 1)]), 0);
    assert!(refusal(&alone).contains("1 adapters"));
    let one_leaf = Case::new(wired(&[2, 0], &[(0, 1)]), 0);
    assert!(refusal(&one_leaf).contains("all compute nodes hang on one switch"));
}

#[test]
fn the_switch_with_other_cables_is_named() {
    // Two leaves, two spines; s1 has two cables to s3, all others one.
    let cables = [(0, 2), (0, 3), (1, 2), (1, 3), (1, 3)];
    let case = Case::new(wired(&[2, 2, 0, 0], &cables), 0);
    let said = refusal(&case);
    assert!(said.contains("('s1') and") && said.contains("('s3') there are 2 cables"), "{said}");
    // s1 has lost its cable to s3.
    let case = Case::new(wired(&[2, 2, 0, 0], &cables[..3]), 0);
    let said = refusal(&case);
    assert!(said.contains("('s1')") && said.contains("('s0')"), "{said}");
    assert!(said.contains("1 switches above") && said.contains("to 2"), "{said}");
    // A node on a spine.
    let case = Case::new(wired(&[2, 2, 1, 0], &cables[..4]), 0);
    assert!(refusal(&case).contains("compute node 's2h0' hangs on switch"), "{}", refusal(&case));
}

#[test]
fn links_between_equals_are_named() {
    let cables = [(0, 2), (0, 3), (1, 2), (1, 3), (0, 1)];
    let mut case = Case::new(wired(&[2, 2, 0, 0], &cables), 0);
    let notes = case.routes("ftree").notes;
    assert!(notes[0].contains("1 links join switches of one rank"), "{notes:?}");
    assert!(notes[0].contains("port 5 of 0x0000000000200000 ('s0')"), "{notes:?}");
    case.options.roots = Some(vec![Guid(0x20_0002), Guid(0x20_0003)]);
    assert_eq!(case.routes("ftree").notes.len(), 1);
}

#[test]
fn files_of_guids_say_who_computes() {
    let mut case = Case::new(tree(FatTree::new(4, 3), 0.0, 0), 0);
    let ports: Vec<Guid> = case
        .fabric
        .end_ports()
        .filter(|p| case.fabric.as_switch(case.fabric.owner(*p)).is_none())
        .map(|p| case.fabric.port(p).guid)
        .collect();
    let order = |case: &Case| {
        engine_named("ftree")
            .ca_order(&case.job())
            .expect("an order")
            .ports
            .iter()
            .flatten()
            .count()
    };
    assert_eq!(order(&case), ports.len());
    case.options.io_guids = Some(ports[..3].to_vec());
    assert_eq!(order(&case), ports.len() - 3);
    let all = check(&case.fabric, &case.lids, &case.routes("ftree").lfts);
    assert!(all.end_ports_connected(), "I/O nodes are reached, too");
    case.options.cn_guids = Some(ports[2..6].to_vec());
    assert_eq!(order(&case), 4);
    case.options.cn_guids = Some(vec![Guid(0xdead)]);
    assert!(refusal(&case).contains("there is no compute node"));
    case.options.cn_guids = Some(Vec::new());
    assert!(refusal(&case).contains("cn_guid_file names no GUID"));
    // Roots that are leaves.
    let mut case = Case::new(tree(FatTree::new(4, 3), 0.0, 0), 0);
    let leaf = case.fabric.node(case.fabric.switch_node(case.switch("L0-0"))).guid;
    case.options.roots = Some(vec![leaf]);
    let said = refusal(&case);
    assert!(said.contains("are roots themselves"), "{said}");
    case.options.roots = Some(vec![Guid(0xdead)]);
    let notes = case.routes("ftree").notes;
    assert!(notes[0].contains("0x000000000000dead is no switch here"), "{notes:?}");
}

/// Storage on the spines: with OpenSM it needs max_reverse_hops to be reached from other storage.
#[test]
fn nodes_on_spines_reach_each_other_without_a_way_that_could_deadlock() {
    let cables: Vec<(usize, usize)> = (0..4).flat_map(|l| [(l, 4), (l, 5), (l, 6)]).collect();
    let mut case = Case::new(wired(&[3, 3, 3, 3, 1, 1, 0], &cables), 0);
    case.options.roots = Some([4, 5, 6].map(|s| Guid(0x20_0000 + s)).to_vec());
    let host = |s: u64, h: u64| Guid(0x1000_0001 + s * 0x1000 + h * 2);
    case.options.io_guids = Some(vec![host(4, 0), host(5, 0)]);
    let routes = case.routes("ftree");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert!(found.end_ports_connected(), "{:?}", found.unreached);
    assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
    assert!(routes.notes.iter().any(|n| n.contains("taken for the topmost")), "{:?}", routes.notes);
}

#[test]
fn quasi_indexing_orders_the_leaves_of_a_pod_together() {
    let mut case = Case::new(tree(FatTree::new(6, 3), 0.0, 0), 0);
    let plain = engine_named("ftree").ca_order(&case.job()).expect("an order");
    case.options.quasi_ftree_indexing = true;
    let quasi = engine_named("ftree").ca_order(&case.job()).expect("an order");
    let sorted = |order: &lk_routing::CaOrder| {
        let mut ports = order.ports.clone();
        ports.sort_unstable();
        ports
    };
    assert_eq!(sorted(&plain), sorted(&quasi));
    for shift in [1, 3, 10, 20] {
        assert_eq!(busiest(&case, shift), 1, "shift {shift}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_fabric_with_roots_is_connected_and_safe_or_refused(
        wiring in any_connected_wiring(),
        roots in prop::collection::vec(0_usize..14, 1..4),
        connect in any::<bool>(),
    ) {
        let mut case = Case::new(wiring.fabric(), 0);
        case.options.roots = Some(roots.iter().map(|s| Guid(0x20_0000 + *s as u64)).collect());
        case.options.connect_roots = connect;
        if let Ok(routes) = engine_named("ftree").plan(&case.job()) {
            let found = check(&case.fabric, &case.lids, &routes.lfts);
            prop_assert!(found.end_ports_connected() && found.loops.is_empty());
            let safe = !oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts);
            prop_assert!(safe || connect);
        }
    }
}

#[test]
fn routers_are_routed_to() {
    let cables = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let mut wiring = lk_fabric::FabricBuilder::new();
    let mut switch = |s: u64| {
        let spec = lk_fabric::NodeSpec::new(Guid(0x20 + s), NodeKind::Switch, "s", 8);
        wiring.add_node(spec).expect("GUIDs differ")
    };
    let switches = [switch(0), switch(1), switch(2), switch(3)];
    for (at, (a, b)) in cables.into_iter().enumerate() {
        let port = at as u8 + 4;
        wiring.connect((switches[a], port), (switches[b], port)).expect("the port is free");
    }
    for (h, s) in [0, 1, 0, 1].into_iter().enumerate() {
        let kind = if h == 2 { NodeKind::Router } else { NodeKind::Ca };
        let spec = lk_fabric::NodeSpec::new(Guid(0x100 + h as u64), kind, "h", 1);
        let host = wiring.add_node(spec).expect("GUIDs differ");
        wiring.set_port(host, 1, Guid(0x200 + h as u64), Lid(0), 0).expect("port 1 is there");
        wiring.connect((switches[s], h as u8 / 2 + 1), (host, 1)).expect("the port is free");
    }
    let case = Case::new(wiring.build(), 0);
    let routes = case.routes("ftree");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert!(found.end_ports_connected(), "{:?}", found.unreached);
    assert_eq!(nodes(&case), 4);
    let order = engine_named("ftree").ca_order(&case.job()).expect("an order").ports;
    assert_eq!(order.iter().flatten().count(), 3, "a router does not compute");
}
