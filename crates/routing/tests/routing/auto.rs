//! Names of topologies, and the engine that `auto` takes for each.

use lk_fabric::topo::{DragonflyPlus, FatTree, HyperX, RandomRegular, Shape, Torus};
use lk_routing::graph::Graph;
use lk_routing::proof::{SlSet, Traffic};
use lk_routing::{DataVls, Topology, find, prove, route};
use lk_wire::Sl;
use proptest::prelude::*;

use crate::fabrics::{Case, any_connected_wiring, tree, whole, wired};

fn name(fabric: &lk_fabric::Fabric) -> String {
    Topology::of(&Graph::new(fabric)).to_string()
}

#[test]
fn well_known_topologies_are_named_with_their_sizes() {
    let torus = |sizes: &[u32]| name(&whole(Shape::Torus(Torus::new(sizes))));
    for (sizes, expected) in [
        (&[6][..], "torus 6"),
        (&[4], "torus 4"),
        (&[3, 3], "torus 3 x 3"),
        (&[5, 4, 3], "torus 5 x 4 x 3"),
        (&[8, 8, 8], "torus 8 x 8 x 8"),
        (&[6, 4, 4], "torus 6 x 4 x 4"),
    ] {
        assert_eq!(torus(sizes), expected);
    }
    assert_eq!(
        name(&tree(FatTree::new(8, 3), 0.0, 1)),
        "fat-tree of 3 levels and radix 8, 16 leaf and 16 top switches"
    );
    assert!(name(&tree(FatTree::new(8, 3), 3.0, 1)).starts_with("fat-tree of 3 levels"));
    assert_eq!(name(&wired(&[3], &[])), "one switch");
    let line = wired(&[1; 6], &[(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]);
    assert_eq!(name(&line), "mesh 3 x 2");
    let cube: Vec<(usize, usize)> = (0..8)
        .flat_map(|s: usize| [1, 2, 4].map(|bit| (s, s ^ bit)))
        .filter(|(a, b)| a < b)
        .collect();
    assert_eq!(name(&wired(&[1; 8], &cube)), "hypercube of 3 dimensions");
    let mut broken = cube;
    broken.pop();
    assert_eq!(name(&wired(&[1; 8], &broken)), "irregular topology");
}

#[test]
fn hyperx_and_dragonflies_are_named() {
    let hyperx = name(&whole(Shape::HyperX(HyperX::new(&[4, 5], 1))));
    assert!(hyperx == "HyperX 4 x 5" || hyperx == "HyperX 5 x 4", "{hyperx}");
    let fly = name(&whole(Shape::DragonflyPlus(DragonflyPlus {
        groups: 5,
        leaves: 4,
        spines: 4,
        hosts: 2,
        global: None,
        radix: None,
    })));
    assert_eq!(fly, "dragonfly+ of 5 groups with 4 leaf and 4 spine switches each");
    let random = name(&whole(Shape::Random(RandomRegular {
        switches: 20,
        degree: 4,
        hosts: 1,
        seed: 3,
        radix: None,
    })));
    assert_eq!(random, "irregular topology");
}

#[test]
fn auto_takes_what_suits_and_says_why() {
    let lanes = DataVls { switches: 8, end_ports: 8 };
    for (fabric, qos, first) in [
        (tree(FatTree::new(8, 2), 0.0, 1), false, "ftree"),
        (whole(Shape::Torus(Torus::new(&[5, 5]))), true, "dfsssp"),
        (whole(Shape::Torus(Torus::new(&[5, 5]))), false, "nue"),
        (whole(Shape::HyperX(HyperX::new(&[4, 4], 1))), true, "dfsssp"),
        (wired(&[2], &[]), false, "minhop"),
    ] {
        let mut case = Case::new(fabric, 0);
        case.options.qos = qos;
        case.options.data_vls = lanes;
        let outcome = route("auto", &case.job());
        assert!(outcome.declined.is_empty(), "{:?}", outcome.declined);
        let routes = outcome.routes.expect("auto routes everything");
        let note = routes.notes.first().expect("a reason");
        assert!(note.starts_with("auto: ") && note.contains(routes.engine), "{note}");
        if find(first).is_some() {
            assert_eq!(routes.engine, first, "{note}");
        } else {
            assert!(note.contains(&format!("{first} is not in this version")), "{note}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn auto_routes_any_fabric_without_deadlocks(wiring in any_connected_wiring()) {
        let case = Case::new(wiring.fabric(), 0);
        let engine = find("auto").expect("auto is an engine");
        let routes = engine.plan(&case.job()).expect("auto routes everything");
        let sls = routes.proof_sls(&case.lids, SlSet::one(Sl(0)));
        let assumed = routes.assumed_lanes();
        let lanes = routes.proof_lanes(&case.fabric, &assumed);
        let (fabric, lids) = (&case.fabric, &case.lids);
        let proof = prove(fabric, lids, &routes.lfts, &lanes, &sls, Traffic::EndPorts);
        prop_assert!(proof.deadlock_free());
    }
}
