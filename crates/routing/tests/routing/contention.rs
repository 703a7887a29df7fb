//! Shares of flows, against what can be worked out by hand.

use lk_fabric::topo::FatTree;
use lk_routing::contention;

use crate::fabrics::{Case, tree, wired};

#[test]
fn one_switch_is_no_hindrance() {
    let case = Case::new(wired(&[6], &[]), 0);
    let routes = case.routes("minhop");
    let found = contention(&case.fabric, &case.lids, &routes.lfts, 1);
    assert_eq!((found.shift.worst, found.random.mean), (1.0, 1.0));
    assert_eq!((found.all_to_all.worst, found.all_to_all.mean), (1.0, 1.0));
    assert_eq!((found.shift.patterns, found.shift.max_flows), (5, 0));
}

#[test]
fn a_single_link_is_shared_by_all_that_cross_it() {
    // Three hosts on each side of one link: by the shift of three all six cross it, three each
    // way; by a shift of one, one each way.
    let case = Case::new(wired(&[3, 3], &[(0, 1)]), 0);
    let routes = case.routes("minhop");
    let found = contention(&case.fabric, &case.lids, &routes.lfts, 1);
    assert_eq!((found.shift.patterns, found.shift.max_flows), (5, 3));
    assert!((found.shift.worst - 1.0 / 3.0).abs() < 1e-12);
    // Flows that cross: 1, 2, 3, 2 and 1 each way by the five shifts, and 3 get a third together.
    let mean: f64 = [6.0, 4.0, 2.0, 4.0, 6.0].iter().sum::<f64>() / 30.0;
    assert!((found.shift.mean - mean).abs() < 1e-12, "{}", found.shift.mean);
    // All to all: nine flows cross each way, and a host sends five.
    assert!((found.all_to_all.worst - 5.0 / 9.0).abs() < 1e-12);
    let mean = (2.0 + 3.0 * 5.0 / 9.0) / 5.0;
    assert!((found.all_to_all.mean - mean).abs() < 1e-12, "{}", found.all_to_all.mean);
}

#[test]
fn a_seed_gives_the_same_figures_and_another_one_others() {
    let case = Case::new(tree(FatTree::new(8, 2), 0.0, 1), 1);
    let routes = case.routes("minhop");
    let of = |seed| contention(&case.fabric, &case.lids, &routes.lfts, seed);
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).random, of(2).random);
    assert_eq!(of(1).shift, of(2).shift);
    let one = of(1);
    assert!(one.random.worst <= one.random.worst_mean && one.random.worst_mean <= one.random.mean);
    assert!(one.random.mean < 1.0 && one.random.worst > 0.0);
}

#[test]
fn flows_that_do_not_arrive_get_nothing() {
    let case = Case::new(wired(&[1, 1], &[]), 0);
    let routes = case.routes("minhop");
    let found = contention(&case.fabric, &case.lids, &routes.lfts, 1);
    assert_eq!((found.shift.mean, found.all_to_all.worst), (0.0, 0.0));
}
