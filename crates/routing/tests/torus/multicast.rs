//! The master spanning tree, as torus-2QoS(8) draws it, and the trees of groups.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::{PortId, SwitchId};
use lk_routing::proof::{Forwarding, OneLane, SlSet, Traffic};
use lk_routing::{GroupTree, MasterTree, SlPlan, TorusSpec, prove_all};
use lk_wire::{Lid, PortNum, Sl};
use proptest::prelude::*;

use crate::bench::{At, Bench, Plan};

/// The tree as places with the next place towards the root.
fn tree(plan: &Plan) -> (At, BTreeMap<At, At>) {
    let bench = plan.bench();
    let tree = bench.routes().master_tree.expect("the engine has one");
    let places: BTreeMap<SwitchId, At> = plan
        .places()
        .into_iter()
        .filter(|at| !plan.no_switch.contains(at))
        .map(|at| (bench.switch(plan.guid(at)), at))
        .collect();
    let up = places.iter().filter_map(|(s, at)| Some((*at, places[&tree.parent(*s)?]))).collect();
    (places[&tree.root()], up)
}

/// The next place towards the root.
fn up(tree: &BTreeMap<At, At>, from: [u32; 2]) -> [u32; 2] {
    let [x, y, _] = tree[&[from[0], from[1], 0]];
    [x, y]
}

#[test]
fn the_manuals_trees() {
    let whole = Plan::new([6, 5, 1]);
    // Pristine: along y=2 to the root at (3,2), and along each column to that row.
    let (root, ways) = tree(&whole);
    assert_eq!((root, ways.len()), ([3, 2, 0], 29));
    for (at, next) in &ways {
        let [x, y, _] = *at;
        let expected = match (y, x) {
            (0 | 1, _) => [x, y + 1, 0],
            (3 | 4, _) => [x, y - 1, 0],
            (_, 0..3) => [x + 1, y, 0],
            _ => [x - 1, y, 0],
        };
        assert_eq!(*next, expected, "{at:?}");
    }
    // The link (2,2) to (3,2) is gone: the branch goes on over the dateline.
    let (root, ways) = tree(&whole.clone().without_link([2, 2, 0], [3, 2, 0]));
    assert_eq!(root, [3, 2, 0]);
    assert_eq!(
        [[2, 2], [1, 2], [0, 2], [5, 2]].map(|at| up(&ways, at)),
        [[1, 2], [0, 2], [5, 2], [4, 2]]
    );
    // The switch T of the other figure.
    assert_eq!(tree(&whole.without_switch([3, 1, 0])).0, [4, 3, 0]);
    // The manual's tree without the root itself is with the engine's own tests: it is not taken,
    // see below.
}

/// The manual's last tree, without the switch (3,2), and others like it would close a credit loop
/// with packets around the hole.
#[test]
fn whichever_switch_is_gone_groups_close_no_credit_loop() {
    let mut others = 0;
    for (radix, other_seed) in
        [([6, 5, 1], [3, 3, 0]), ([5, 5, 1], [2, 2, 0]), ([4, 3, 3], [2, 1, 1])]
    {
        let whole = Plan::new(radix);
        let seeds = || vec![whole.seed([0; 3]), whole.seed(other_seed)];
        for gone in whole.places() {
            let plan = whole.clone().without_switch(gone);
            let bench = plan.bench_with(TorusSpec::new(radix, seeds()));
            let routes = bench.routes();
            let tree = routes.master_tree.as_ref().expect("the engine has one");
            let ports = tree.group(&attached(&bench), 0xC000);
            let sls = SlSet::one(Sl(0)).with(Sl(8));
            let trees = [GroupTree { mlid: Lid(0xC000), sls, ports }];
            let tables = Forwarding {
                fabric: &bench.fabric,
                lids: &bench.lids,
                lfts: &routes.lfts,
                trees: &trees,
            };
            let lanes = routes.proof_lanes(&bench.fabric, &OneLane);
            let sls = routes.proof_sls(&bench.lids, SlSet::ALL);
            let proof = prove_all(&tables, &lanes, &sls, Traffic::EndPorts);
            assert!(proof.deadlock_free(), "{radix:?} without {gone:?}: {:?}", routes.notes);
            others += usize::from(routes.notes.iter().any(|n| n.contains("can close a credit")));
        }
    }
    assert!(others > 0, "some of the usual trees can");
}

/// Where packets to a group arrive that come in at one of its ports.
fn flood(
    bench: &Bench,
    ports: &BTreeMap<SwitchId, Vec<PortNum>>,
    start: (SwitchId, PortNum),
) -> BTreeSet<(SwitchId, PortNum)> {
    let mut arrived = BTreeSet::new();
    let mut packets = vec![start];
    while let Some((switch, came_by)) = packets.pop() {
        for port in ports[&switch].iter().filter(|p| **p != came_by) {
            let node = bench.fabric.switch_node(switch);
            let out = bench.fabric.port_at(node, *port).expect("the port is there");
            let far = bench.fabric.peer(out).filter(|_| port.0 != 0);
            let next = far.and_then(|far| {
                Some((bench.fabric.as_switch(bench.fabric.owner(far))?, bench.fabric.port_num(far)))
            });
            match next {
                Some(next) => packets.push(next),
                None => assert!(arrived.insert((switch, *port)), "one copy to each member"),
            }
        }
        assert!(packets.len() < 1000, "the tree has no circle");
    }
    arrived
}

/// The switch and its port that each end port hangs on.
fn attached(bench: &Bench) -> Vec<(SwitchId, PortNum)> {
    let of = |end: PortId| lk_routing::graph::Graph::attachment(&bench.fabric, end);
    bench.fabric.end_ports().filter_map(of).collect()
}

/// Each switch of the torus comes to the root.
fn trees_span(tree: &MasterTree, sls: &SlPlan, bench: &Bench) {
    let SlPlan::PerPair(sls) = sls else { panic!("SLs go by pair") };
    // One that a hole cuts off from all others in an open row has no place.
    for switch in bench.fabric.switch_ids().filter(|s| sls.coordinates(*s).is_some()) {
        let (mut at, mut steps) = (switch, 0);
        while let Some(parent) = tree.parent(at) {
            at = parent;
            steps += 1;
            assert!(steps < bench.fabric.switches().len());
        }
        assert_eq!(at, tree.root());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// From any member a packet comes to each other member once, and to nobody else.
    #[test]
    fn groups_reach_their_members(
        radix in [1_u32..6, 2_u32..6, 1_u32..5],
        open in prop::array::uniform3(prop::bool::weighted(0.3)),
        parallel in 1_u8..4,
        gone in prop::option::of(any::<prop::sample::Index>()),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..9),
        mlid in 0xC000_u16..0xC010,
    ) {
        let mut plan = Plan { open, parallel, ..Plan::new(radix) };
        if let Some(gone) = gone {
            plan.no_switch.insert(*gone.get(&plan.places()));
        }
        let bench = plan.bench();
        let Ok(routes) = bench.plan() else { return Ok(()) };
        let tree = routes.master_tree.expect("the engine has one");
        trees_span(&tree, &routes.sl, &bench);
        let inside = |s: SwitchId| s == tree.root() || tree.parent(s).is_some();
        let mut ends = attached(&bench);
        ends.retain(|(switch, _)| inside(*switch));
        let members: BTreeSet<(SwitchId, PortNum)> =
            picks.iter().map(|pick| *pick.get(&ends)).collect();
        let list: Vec<_> = members.iter().copied().collect();
        let ports: BTreeMap<_, _> = tree.group(&list, mlid).into_iter().collect();
        for member in &members {
            let mut others = members.clone();
            others.remove(member);
            prop_assert_eq!(flood(&bench, &ports, *member), others);
        }
        // No switch is there that only one port leads to.
        for (switch, ports) in &ports {
            prop_assert!(ports.len() > 1 || members.len() == 1, "{:?} {:?}", switch, ports);
        }
    }
}
