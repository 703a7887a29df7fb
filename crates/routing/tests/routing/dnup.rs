//! dnup: away from the leaf switches, then towards them; nothing waits in a circle.

use lk_routing::proof::{OneLane, SlSet, Traffic};
use lk_routing::{check, prove};
use lk_wire::Sl;
use proptest::prelude::*;

use crate::fabrics::{
    Case, any_connected_wiring, any_wiring, engine_named, threads_do_not_show, wired, zoo,
};
use crate::oracle;

#[test]
fn every_kind_of_fabric_is_connected_and_free_of_deadlocks() {
    for percent in [0.0, 1.0, 3.0, 10.0] {
        for seed in 1..4 {
            for (name, fabric) in zoo(percent, seed) {
                let case = Case::new(fabric, 0);
                let routes = case.routes("dnup");
                let found = check(&case.fabric, &case.lids, &routes.lfts);
                assert!(found.end_ports_connected(), "{name}");
                assert!(found.loops.is_empty(), "{name}");
                let sl = SlSet::one(Sl(0));
                let proof =
                    prove(&case.fabric, &case.lids, &routes.lfts, &OneLane, &sl, Traffic::All);
                assert!(proof.deadlock_free(), "{name}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    for (name, fabric) in zoo(3.0, 2) {
        assert!(threads_do_not_show(&Case::new(fabric, 1), "dnup"), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_deadlocks_on_any_fabric(wiring in any_wiring(), lmc in 0_u8..2) {
        let case = Case::new(wiring.fabric(), lmc);
        let Ok(routes) = engine_named("dnup").plan(&case.job()) else {
            prop_assert!(wiring.hosts.iter().all(|n| *n == 0));
            return Ok(());
        };
        prop_assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
        prop_assert!(check(&case.fabric, &case.lids, &routes.lfts).loops.is_empty());
    }

    #[test]
    fn with_end_ports_everywhere_all_is_reached(mut wiring in any_connected_wiring()) {
        wiring.hosts.iter_mut().for_each(|n| *n = (*n).max(1));
        let case = Case::new(wiring.fabric(), 0);
        let routes = case.routes("dnup");
        prop_assert_eq!(check(&case.fabric, &case.lids, &routes.lfts).unreached, vec![]);
    }

    #[test]
    fn all_end_ports_are_reached_and_connect_roots_joins_the_rest(
        wiring in any_connected_wiring(),
    ) {
        prop_assume!(wiring.hosts.iter().any(|n| *n > 0));
        let mut case = Case::new(wiring.fabric(), 0);
        let routes = case.routes("dnup");
        prop_assert!(check(&case.fabric, &case.lids, &routes.lfts).end_ports_connected());
        prop_assert!(!oracle::can_deadlock(&case.fabric, &case.lids, &routes.lfts));
        case.options.connect_roots = true;
        let routes = case.routes("dnup");
        prop_assert_eq!(check(&case.fabric, &case.lids, &routes.lfts).unreached, vec![]);
    }
}

#[test]
fn a_fabric_without_end_ports_is_refused() {
    let case = Case::new(wired(&[0, 0], &[(0, 1)]), 0);
    let decline = engine_named("dnup").plan(&case.job()).expect_err("there is no leaf");
    assert!(decline.reason.contains("leaf switch"), "{decline}");
}

/// Between s0 and s2 two ways are equally short, one over s1, which has an end port, and one over
/// s3, which stands higher. Only the second climbs first.
#[test]
fn the_way_leads_over_switches_that_stand_higher() {
    let case = Case::new(wired(&[1, 1, 1, 0], &[(0, 1), (1, 2), (0, 3), (2, 3), (1, 3)]), 0);
    let routes = case.routes("dnup");
    let (s0, s2) = (case.switch("s0"), case.switch("s2"));
    for (a, b) in [(s0, s2), (s2, s0)] {
        let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, a, case.switch_lid(b));
        assert_eq!(path, Some(vec![a, case.switch("s3"), b]));
    }
}
