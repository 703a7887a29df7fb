//! Multicast trees: they span the members and nothing else, never close a circle, and change
//! little when members come and go.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::graph::Graph;
use lk_routing::multicast::{Grower, Member, Tree};
use lk_routing::{GroupPorts, Hops};
use lk_wire::PortNum;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::fabrics::any_wiring;

fn members(fabric: &Fabric, ends: &[PortId]) -> Vec<Member> {
    let places: BTreeSet<Member> =
        ends.iter().filter_map(|p| Graph::attachment(fabric, *p)).collect();
    places.into_iter().collect()
}

fn grower(fabric: &Fabric) -> Grower {
    Grower::new(Hops::new(fabric), vec![true; fabric.switches().len()], None)
}

/// Follows a packet that comes in by one of the ports: the ports of members that it leaves by, each
/// with how often.
fn spread(fabric: &Fabric, tree: &[GroupPorts], from: Member) -> BTreeMap<Member, usize> {
    let masks: BTreeMap<SwitchId, &Vec<PortNum>> = tree.iter().map(|(s, p)| (*s, p)).collect();
    let mut got = BTreeMap::new();
    let mut open = vec![from];
    let mut steps = 0;
    while let Some((switch, door)) = open.pop() {
        steps += 1;
        assert!(steps <= fabric.switches().len(), "a packet goes round");
        for port in masks.get(&switch).copied().into_iter().flatten().filter(|p| **p != door) {
            let here = fabric.port_at(fabric.switch_node(switch), *port).expect("a port");
            let far = fabric.peer(here).filter(|_| port.0 != 0);
            let next = far.and_then(|far| {
                let peer = fabric.as_switch(fabric.owner(far))?;
                Some((peer, fabric.port_num(far)))
            });
            match next {
                Some(next) => open.push(next),
                None => *got.entry((switch, *port)).or_insert(0) += 1,
            }
        }
    }
    got
}

/// Each member that the tree has reaches each other one once, and no port is there for nothing.
fn spans(fabric: &Fabric, tree: &Tree, places: &[Member]) {
    let ports = tree.ports(places);
    let inside: Vec<Member> = places.iter().copied().filter(|(s, _)| tree.has(*s)).collect();
    for from in &inside {
        let got = spread(fabric, &ports, *from);
        let want: BTreeMap<Member, usize> =
            inside.iter().filter(|m| *m != from).map(|m| (*m, 1)).collect();
        assert_eq!(got, want, "from {from:?}");
    }
}

fn entries(ports: &[GroupPorts]) -> BTreeSet<Member> {
    ports.iter().flat_map(|(s, ports)| ports.iter().map(|p| (*s, *p))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn joins_and_leaves_one_by_one(
        wiring in any_wiring(),
        steps in prop::collection::vec((any::<bool>(), any::<Index>()), 1..24),
    ) {
        let fabric = &wiring.fabric();
        let ends: Vec<PortId> = fabric.end_ports().collect();
        prop_assume!(!ends.is_empty());
        let grower = grower(fabric);
        let mut inside: BTreeSet<PortId> = BTreeSet::new();
        let mut old: Option<Tree> = None;
        let mut before = BTreeSet::new();
        for (joins, which) in steps {
            let end = ends[which.index(ends.len())];
            if joins { inside.insert(end) } else { inside.remove(&end) };
            let all: Vec<PortId> = inside.iter().copied().collect();
            let places = members(fabric, &all);
            let grown = grower.tree(&places, old.as_ref(), false);
            let Some(tree) = grown.tree else {
                prop_assert!(places.is_empty());
                (old, before) = (None, BTreeSet::new());
                continue;
            };
            for (switch, _) in &places {
                prop_assert!(tree.has(*switch) != grown.lost.contains(switch));
            }
            spans(fabric, &tree, &places);
            let now = entries(&tree.ports(&places));
            let same_root = old.as_ref().is_some_and(|o| o.root == tree.root);
            if same_root && grown.lost.is_empty() {
                // A join adds a way, a leave takes one out; nothing else moves.
                prop_assert!(now.is_superset(&before) || now.is_subset(&before));
            }
            (old, before) = (Some(tree), now);
        }
    }

    #[test]
    fn switches_without_multicast_are_gone_round(
        wiring in any_wiring(),
        refuse in any::<Index>(),
    ) {
        let fabric = &wiring.fabric();
        prop_assume!(fabric.switches().len() > 2);
        let mut capable = vec![true; fabric.switches().len()];
        let refused = refuse.index(capable.len());
        capable[refused] = false;
        let grower = Grower::new(Hops::among(fabric, &capable), capable, None);
        let places = members(fabric, &fabric.end_ports().collect::<Vec<_>>());
        let grown = grower.tree(&places, None, true);
        prop_assert!(grown.lost.iter().any(|s| s.index() == refused));
        if let Some(tree) = grown.tree {
            prop_assert!(!tree.has(SwitchId(refused as u32)));
            spans(fabric, &tree, &places);
        }
    }
}

#[test]
fn the_root_is_the_first_switch_that_is_nearest_to_the_farthest_member() {
    let fabric = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)))).unwrap().fabric;
    let hosts: Vec<PortId> =
        fabric.end_ports().filter(|p| fabric.as_switch(fabric.owner(*p)).is_none()).collect();
    let grower = grower(&fabric);
    let far = [hosts[0], *hosts.last().unwrap()];
    let places = members(&fabric, &far);
    let tree = grower.tree(&places, None, true).tree.unwrap();
    let has_hosts = |s: SwitchId| Graph::new(&fabric).hosts(s.index()).len();
    assert_eq!(has_hosts(tree.root), 0, "a spine");
    assert_eq!(tree.ports(&places).len(), 3);
    let alone = members(&fabric, &hosts[..1]);
    let (leaf, _) = alone[0];
    assert_eq!(grower.tree(&alone, None, true).tree.unwrap().root, leaf);
    // Once the far one has left, a sweep finds a nearer root; a leave by itself does not.
    let kept = grower.tree(&alone, Some(&tree), false).tree.unwrap();
    assert_eq!(kept.root, tree.root);
    assert_eq!(grower.tree(&alone, Some(&tree), true).tree.unwrap().root, leaf);
}

#[test]
fn a_wanted_root_is_taken_where_it_reaches_everybody() {
    let fabric = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)))).unwrap().fabric;
    let all: Vec<PortId> = fabric.end_ports().collect();
    let places = members(&fabric, &all);
    let switches = fabric.switches().len();
    let last = SwitchId(switches as u32 - 1);
    let grower = Grower::new(Hops::new(&fabric), vec![true; switches], Some(last));
    let tree = grower.tree(&places, None, true).tree.unwrap();
    assert_eq!(tree.root, last);
    spans(&fabric, &tree, &places);
}
