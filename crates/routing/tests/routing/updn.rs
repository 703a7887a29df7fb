//! updn: each way climbs first and descends then; nothing waits in a circle.

use std::collections::HashMap;

use lk_fabric::topo::{FatTree, Shape, Torus};
use lk_fabric::{Fabric, SwitchId};
use lk_routing::{Hops, check};
use lk_wire::Guid;
use proptest::prelude::*;

use crate::fabrics::{
    Case, Wiring, any_connected_wiring, any_wiring, engine_named, tree, whole, wired,
};
use crate::oracle;

fn guid(fabric: &Fabric, switch: SwitchId) -> Guid {
    fabric.node(fabric.switch_node(switch)).guid
}

/// Rank by distance from the roots, then id: a step to a smaller place is up.
fn places(case: &Case) -> Vec<(usize, u64, Guid)> {
    let ids: HashMap<Guid, u64> = case.options.ids.iter().copied().collect();
    let roots = case.options.roots.clone().expect("the test names roots");
    let from_roots: Vec<_> = roots
        .iter()
        .filter_map(|g| case.fabric.as_switch(case.fabric.node_by_guid(*g)?))
        .map(|root| oracle::distances(&case.fabric, root, |_, _, _| Some(false)))
        .collect();
    case.fabric
        .switch_ids()
        .map(|s| {
            let rank = from_roots.iter().filter_map(|d| d[s.index()]).min();
            let guid = guid(&case.fabric, s);
            (rank.unwrap_or(usize::MAX), ids.get(&guid).copied().unwrap_or(guid.0), guid)
        })
        .collect()
}

/// Lets a path go down for good, but not up after that.
fn law(places: &[(usize, u64, Guid)]) -> impl Fn(bool, SwitchId, SwitchId) -> Option<bool> + '_ {
    |down, from, to| {
        let up = places[to.index()] < places[from.index()];
        if up && down { None } else { Some(!up) }
    }
}

/// A fabric, which of its switches are roots, and ids for some.
#[derive(Clone, Debug)]
struct Plan {
    wiring: Wiring,
    roots: Vec<usize>,
    ids: Vec<(usize, u64)>,
}

impl Plan {
    fn case(&self) -> Case {
        let guid = |s: usize| Guid(0x20_0000 + s as u64);
        let mut case = Case::new(self.wiring.fabric(), 0);
        case.options.roots = Some(self.roots.iter().map(|s| guid(*s)).collect());
        case.options.ids = self.ids.iter().map(|(s, id)| (guid(*s), *id)).collect();
        case
    }
}

fn any_plan() -> impl Strategy<Value = Plan> {
    any_connected_wiring().prop_flat_map(|wiring| {
        let n = wiring.hosts.len();
        let roots = prop::collection::vec(0..n, 1..4);
        let ids = prop::collection::btree_map(0..n, 0_u64..4, 0..4);
        (Just(wiring), roots, ids).prop_map(|(wiring, roots, ids)| Plan {
            wiring,
            roots,
            ids: ids.into_iter().collect(),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ways_are_legal_and_there_wherever_a_legal_one_is(plan in any_plan()) {
        let case = plan.case();
        let routes = case.routes("updn");
        let places = places(&case);
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            let legal = oracle::distances(&case.fabric, home, law(&places));
            for from in case.fabric.switch_ids() {
                let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid);
                prop_assert_eq!(path.is_some(), legal[from.index()].is_some());
                let Some(path) = path else { continue };
                let mut down = false;
                for step in path.windows(2) {
                    let next = law(&places)(down, step[0], step[1]);
                    prop_assert!(next.is_some(), "up after down on the way {path:?}");
                    down = next.unwrap_or(down);
                }
                prop_assert!(path.len() > legal[from.index()].unwrap_or(0));
            }
        }
        prop_assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
        prop_assert!(check(&case.fabric, &case.lids, &routes.lfts).loops.is_empty());
    }

    #[test]
    fn a_way_is_longer_than_the_best_legal_one_only_for_the_sake_of_another(plan in any_plan()) {
        let case = plan.case();
        let routes = case.routes("updn");
        let places = places(&case);
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            let legal = oracle::distances(&case.fabric, home, law(&places));
            let falls = oracle::distances(&case.fabric, home, |_, from, to| {
                (places[to.index()] > places[from.index()]).then_some(true)
            });
            // Where descending is nowhere the longer way, no switch has to yield to another.
            let free = falls.iter().zip(&legal).all(|(f, l)| f.is_none() || f == l);
            for from in case.fabric.switch_ids().filter(|_| free) {
                let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid);
                prop_assert_eq!(path.map(|p| p.len() - 1), legal[from.index()]);
            }
        }
    }

    #[test]
    fn hop_counts_are_those_of_the_ways(plan in any_plan()) {
        let case = plan.case();
        let routes = case.routes("updn");
        let counts = engine_named("updn").hops(&case.job()).expect("as the engine itself");
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            for from in case.fabric.switch_ids() {
                let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid);
                let hops = path.as_ref().map(|p| p.len() - 1);
                prop_assert_eq!(counts.between(from, home).map(usize::from), hops);
                if hops.is_some_and(|h| h > 0) {
                    let port = routes.lfts.port(from, lid).expect("there is a way");
                    let via = counts.via(from, port, home).map(usize::from);
                    prop_assert_eq!(via, hops);
                }
            }
        }
    }

    #[test]
    fn connecting_roots_connects_all(plan in any_plan()) {
        let mut case = plan.case();
        case.options.connect_roots = true;
        let routes = case.routes("updn");
        let found = check(&case.fabric, &case.lids, &routes.lfts);
        prop_assert_eq!(found.unreached, vec![]);
        prop_assert!(found.loops.is_empty());
    }

    #[test]
    fn without_named_roots_it_routes_or_says_why(wiring in any_wiring()) {
        let case = Case::new(wiring.fabric(), 1);
        match engine_named("updn").plan(&case.job()) {
            Ok(routes) => {
                prop_assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
            }
            Err(decline) => prop_assert!(decline.reason.contains("root"), "{decline}"),
        }
    }
}

#[test]
fn a_whole_tree_is_routed_by_shortest_paths() {
    for levels in [2, 3, 4] {
        let case = Case::new(tree(FatTree::new(6, levels), 0.0, 0), 0);
        let routes = case.routes("updn");
        let hops = Hops::new(&case.fabric);
        let found = check(&case.fabric, &case.lids, &routes.lfts);
        assert!(found.end_ports_connected(), "{levels} levels");
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            for from in case.fabric.switch_ids() {
                if let Some(path) = oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid)
                {
                    assert_eq!(Some(path.len() as u8 - 1), hops.between(from, home));
                }
            }
        }
    }
}

/// s0 is the root; s1 and s2 hang on it, s3 on both of them. s1 and s2 reach each other over the
/// root or over s3; only the first is legal.
#[test]
fn no_way_leads_through_the_bottom() {
    let mut case = Case::new(wired(&[1, 1, 1, 1], &[(0, 1), (0, 2), (1, 3), (2, 3)]), 0);
    case.options.roots = Some(vec![Guid(0x20_0000)]);
    let routes = case.routes("updn");
    let (s1, s2) = (case.switch("s1"), case.switch("s2"));
    for (a, b) in [(s1, s2), (s2, s1)] {
        let lid = case.switch_lid(b);
        let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, a, lid);
        assert_eq!(path, Some(vec![a, case.switch("s0"), b]));
    }
}

#[test]
fn ids_decide_which_way_is_up_between_equals() {
    // A triangle of equals below the root: s1, s2, s3 are all one hop from s0.
    let cables = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 1)];
    let mut case = Case::new(wired(&[0, 1, 1, 1], &cables), 0);
    case.options.roots = Some(vec![Guid(0x20_0000)]);
    case.options.ids = vec![(Guid(0x20_0003), 1), (Guid(0x20_0001), 9)];
    let place = places(&case);
    assert!(place[case.switch("s3").index()] < place[case.switch("s1").index()]);
    let routes = case.routes("updn");
    assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
    assert!(check(&case.fabric, &case.lids, &routes.lfts).unreached.is_empty());
}

#[test]
fn roots_that_are_not_there_are_named() {
    let mut case = Case::new(tree(FatTree::new(4, 2), 0.0, 0), 0);
    let root = guid(&case.fabric, case.switch("L1-0"));
    let adapter = Guid(0x10_0000);
    case.options.roots = Some(vec![root, Guid(0xdead), adapter]);
    let notes = case.routes("updn").notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("0x000000000000dead is not in the fabric"), "{notes:?}");
    assert!(notes[1].contains("0x0000000000100000 is not a switch"), "{notes:?}");

    case.options.roots = Some(vec![Guid(0xdead)]);
    let decline = engine_named("updn").plan(&case.job()).expect_err("no root");
    assert!(decline.to_string().contains("0x000000000000dead"), "{decline}");
    case.options.roots = Some(vec![]);
    let decline = engine_named("updn").plan(&case.job()).expect_err("no root");
    assert!(decline.reason.contains("empty"), "{decline}");
}

#[test]
fn a_torus_has_no_roots_to_find() {
    let case = Case::new(whole(Shape::Torus(Torus::new(&[6, 5]))), 0);
    let decline = engine_named("updn").plan(&case.job()).expect_err("no root");
    assert!(decline.reason.starts_with("no root switch was found"), "{decline}");
}

#[test]
fn roots_are_found_on_trees_with_failures_and_with_nodes_on_spines() {
    for (radix, levels) in [(36, 2), (8, 3), (16, 3), (4, 4)] {
        for seed in 0..5 {
            let percent = if seed == 0 { 0.0 } else { 3.0 };
            let case = Case::new(tree(FatTree::new(radix, levels), percent, seed), 0);
            let routes = case.routes("updn");
            let found = check(&case.fabric, &case.lids, &routes.lfts);
            assert!(found.end_ports_connected(), "{radix} {levels} seed {seed}");
            // A way over the top has as many hops up as down.
            let most = 2 * (u16::from(levels) - 1);
            assert!(found.max_hops <= most + 2, "{radix} {levels} seed {seed}: {}", found.max_hops);
        }
    }
    // Four leaves, two spines; one spine has a node for management.
    let cables: Vec<_> = (0..4).flat_map(|leaf| [(leaf, 4), (leaf, 5)]).collect();
    let case = Case::new(wired(&[8, 8, 8, 8, 0, 1], &cables), 0);
    let routes = case.routes("updn");
    let used = |spine: &str| {
        let to = case.switch(spine);
        oracle::homes(&case.fabric, &case.lids)
            .iter()
            .filter(|(lid, home)| {
                let path =
                    oracle::walk(&case.fabric, &case.lids, &routes.lfts, case.switch("s0"), *lid);
                *home != case.switch("s0") && path.is_some_and(|p| p.get(1) == Some(&to))
            })
            .count()
    };
    assert!(check(&case.fabric, &case.lids, &routes.lfts).end_ports_connected());
    assert!(used("s4").abs_diff(used("s5")) <= 3, "{} and {}", used("s4"), used("s5"));
}
