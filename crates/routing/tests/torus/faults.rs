//! Failures: none changes an SL, and whatever is routed can neither deadlock nor loop.

use std::collections::BTreeMap;

use lk_routing::proof::Traffic;
use lk_routing::{SlPlan, TorusSpec, check};
use lk_wire::{Guid, Sl};
use proptest::prelude::*;

use crate::bench::{At, Bench, Plan};

type Sls = BTreeMap<(Guid, Guid), (Sl, Sl)>;

fn with_seeds(plan: &Plan, seeds: &[At]) -> Bench {
    let mut bench = plan.bench();
    if let Some(spec) = bench.options.torus.as_mut() {
        spec.seeds = seeds.iter().map(|at| plan.seed(*at)).collect();
    }
    bench
}

fn sls(bench: &Bench) -> Sls {
    let routes = bench.routes();
    bench.holds(&routes);
    let all = bench.path_sls(&routes);
    all.into_iter().map(|(a, b, low, high)| ((a, b), (low, high))).collect()
}

/// All single failures of a torus with two seeds that share no switch.
fn single_failures(radix: At, seeds: &[At]) -> usize {
    let whole = Plan::new(radix);
    let before = sls(&with_seeds(&whole, seeds));
    let links = whole.links().into_iter().map(|(a, b)| whole.clone().without_link(a, b));
    let switches = whole.places().into_iter().map(|at| whole.clone().without_switch(at));
    let mut count = 0;
    for broken in links.chain(switches) {
        let after = sls(&with_seeds(&broken, seeds));
        let ends = 2 * (whole.places().len() - broken.no_switch.len());
        assert_eq!(after.len(), ends * ends);
        for (pair, sl) in after {
            assert_eq!(before.get(&pair), Some(&sl), "{broken:?} {pair:?}");
        }
        count += 1;
    }
    count
}

#[test]
fn no_single_failure_changes_a_path_sl_of_6x5() {
    assert_eq!(single_failures([6, 5, 1], &[[0, 0, 0], [3, 3, 0]]), 90);
}

#[test]
fn no_single_failure_changes_a_path_sl_of_4x4x5() {
    assert_eq!(single_failures([4, 4, 5], &[[0, 0, 0], [2, 2, 2]]), 320);
}

/// A missing switch and missing links can make a circle together which the shape does not show.
/// The engine then refuses; any one repair is enough.
#[test]
fn failures_whose_detours_meet_are_refused() {
    let (switch, one, other) = ([3, 1, 0], ([3, 0, 0], [4, 0, 0]), ([2, 2, 0], [3, 2, 0]));
    let whole = Plan::new([6, 5, 1]);
    let links = whole.clone().without_link(one.0, one.1).without_link(other.0, other.1);
    let why = links.clone().without_switch(switch).bench().refusal();
    for words in ["could deadlock", "(3,1,0)", "sw-3-0-0", "sw-4-0-0", "sw-2-2-0", "sw-3-2-0"] {
        assert!(why.contains(words), "{why}");
    }
    let hole = whole.without_switch(switch);
    for repaired in
        [links, hole.clone().without_link(one.0, one.1), hole.without_link(other.0, other.1)]
    {
        let bench = repaired.bench();
        bench.holds(&bench.routes());
    }
}

fn size() -> impl Strategy<Value = At> {
    prop_oneof![
        [2_u32..8, 2_u32..8, 1_u32..2],
        [1_u32..2, 3_u32..8, 3_u32..8],
        [2_u32..6, 2_u32..6, 2_u32..6],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any failures at all: the engine refuses, or what it routes is right.
    #[test]
    fn whatever_fails_nothing_deadlocks(
        radix in size(),
        open in prop::array::uniform3(prop::bool::weighted(0.15)),
        picks in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::bool::weighted(0.25)),
            0..7,
        ),
    ) {
        let mut plan = Plan::new(radix);
        plan.open = open;
        let (links, places) = (plan.links(), plan.places());
        for (pick, of_switch) in picks {
            if of_switch {
                plan.no_switch.insert(*pick.get(&places));
            } else {
                plan.no_link.insert(*pick.get(&links));
            }
        }
        let bench = plan.bench();
        let Ok(routes) = bench.plan() else { return Ok(()) };
        let proof = bench.prove_traffic(&routes, Traffic::EndPorts);
        prop_assert!(proof.deadlock_free(), "{:?}", proof);
        let found = check(&bench.fabric, &bench.lids, &routes.lfts);
        let unrouted = routes.notes.iter().any(|n| n.contains("without a cable to the torus"));
        prop_assert!(unrouted || found.unreached.is_empty(), "{:?} {:?}", found, routes.notes);
    }

    /// A cable too many, anywhere: it is left out, and each switch is found at its place.
    #[test]
    fn a_cable_too_many_moves_no_switch(
        radix in size(),
        ends in prop::array::uniform2(any::<prop::sample::Index>()),
        start in any::<prop::sample::Index>(),
    ) {
        let mut plan = Plan::new(radix);
        let places = plan.places();
        let [a, b] = ends.map(|end| *end.get(&places));
        prop_assume!(a != b);
        plan.more_links = vec![(a, b)];
        let seed = plan.seed(*start.get(&places));
        let bench = plan.bench_with(TorusSpec::new(radix, vec![seed]));
        // Rings of four give no hold where all are: the fabric may be too small to be told apart.
        let Ok(routes) = bench.plan() else {
            prop_assert!(places.len() < 16, "{}", bench.refusal());
            return Ok(());
        };
        bench.holds(&routes);
        let SlPlan::PerPair(sls) = &routes.sl else { panic!("{:?}", routes.sl) };
        for at in places {
            prop_assert_eq!(sls.coordinates(bench.switch(plan.guid(at))), Some(at));
        }
    }

    /// Cables between wrong ports: the links that fit are used, and nothing deadlocks.
    #[test]
    fn wrong_cables_do_not_deadlock(
        radix in size(),
        swaps in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..4),
    ) {
        let mut plan = Plan::new(radix);
        let links = plan.links();
        for (one, other) in swaps {
            let ((a, b), (c, d)) = (*one.get(&links), *other.get(&links));
            if a != d && c != b && plan.no_link.insert((a, b)) && plan.no_link.insert((c, d)) {
                plan.more_links.extend([(a, d), (c, b)]);
            }
        }
        let bench = plan.bench();
        if let Ok(routes) = bench.plan() {
            let proof = bench.prove(&routes);
            prop_assert!(proof.deadlock_free(), "{:?}", proof);
        }
    }
}

#[test]
fn seeds_that_give_switches_other_coordinates_are_named() {
    let plan = Plan::new([6, 5, 1]);
    let notes = |bench: &Bench| bench.routes().notes.join("\n");
    let agree = with_seeds(&plan, &[[0, 0, 0], [3, 3, 0]]);
    assert!(!notes(&agree).contains("SLs of paths will change"), "{}", notes(&agree));
    let mut differ = with_seeds(&plan, &[[0, 0, 0], [3, 3, 0]]);
    if let Some(spec) = differ.options.torus.as_mut() {
        spec.seeds[1].dateline = [0; 3];
    }
    let notes = notes(&differ);
    for words in ["backup seed 1 puts \"sw-3-3-0\"", "at (0,0,0)", "at (3,3,0)", "will change"] {
        assert!(notes.contains(words), "`{words}` is not in: {notes}");
    }
}

#[test]
fn what_changed_is_told_by_coordinates() {
    let whole = Plan::new([6, 5, 1]);
    let routed = |plan: &Plan| match plan.bench().routes().sl {
        SlPlan::PerPair(sls) => sls,
        other => panic!("{other:?}"),
    };
    let cut = whole.clone().without_link([2, 4, 0], [2, 0, 0]);
    let (before, after) = (routed(&whole), routed(&cut));
    assert_eq!(before.changes(&after), ["1 link went between (2,4,0) and (2,0,0), 0 now"]);
    assert_eq!(after.changes(&before), ["1 link came between (2,4,0) and (2,0,0), 1 now"]);
    assert!(before.changes(&before).is_empty());
    // The links of a switch that goes are not told one by one.
    let hole = routed(&whole.clone().without_switch([3, 2, 0]));
    let guid = whole.guid([3, 2, 0]);
    assert_eq!(before.changes(&hole), [format!("switch {guid} went from (3,2,0)")]);
    assert_eq!(hole.changes(&before), [format!("switch {guid} came to (3,2,0)")]);
    assert!(before.changes(&routed(&Plan::new([5, 5, 1]))).is_empty(), "another shape");
}
