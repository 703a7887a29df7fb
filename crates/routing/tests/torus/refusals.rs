//! What cannot be routed is refused, and the reason says what to repair.

use lk_routing::{DataVls, TorusSpec};
use lk_wire::Guid;
use proptest::prelude::*;

use crate::bench::{At, Bench, Plan};

fn with(change: impl FnOnce(&mut TorusSpec)) -> Bench {
    let mut bench = Plan::new([6, 5, 1]).bench();
    change(bench.options.torus.as_mut().expect("it is set"));
    bench
}

fn refused(bench: &Bench, words: &[&str]) {
    let why = bench.refusal();
    for word in words {
        assert!(why.contains(word), "`{word}` is not in: {why}");
    }
}

#[test]
fn without_a_file_or_qos_or_lanes() {
    let mut bench = Plan::new([6, 5, 1]).bench();
    bench.options.qos = false;
    refused(&bench, &["-Q"]);
    bench.options.qos = true;
    bench.options.data_vls = DataVls { switches: 1, end_ports: 8 };
    refused(&bench, &["2 data VLs and have 1"]);
    bench.options.torus = None;
    refused(&bench, &["no torus-2QoS.conf"]);
    // Two lanes cannot keep the early turn apart; OpenSM routes that into a deadlock.
    let mut bench = Plan::new([6, 5, 1]).without_switch([3, 1, 0]).bench();
    bench.options.data_vls.switches = 2;
    refused(&bench, &["a switch is missing", "4 data VLs"]);
}

#[test]
fn files_that_say_too_little_or_nonsense() {
    refused(&with(|s| s.radix[1] = 0), &["no size for y"]);
    refused(&with(|s| s.radix = [u32::MAX; 3]), &["larger than any subnet"]);
    refused(&with(|s| s.seeds.clear()), &["has no seed"]);
    refused(&with(|s| s.seeds[0].links[2] = None), &["the first seed", "yp_link or ym_link"]);
    refused(&with(|s| s.seeds[0].dateline[0] = 6), &["x dateline at 6"]);
    refused(&with(|s| s.seeds[0].dateline[0] = i32::MIN), &["x dateline"]);
    refused(&with(|s| s.radix = [4, 5, 1]), &["xp_link and xm_link", "ring of four"]);
    refused(&with(|s| s.port_order = vec![3, 40]), &["port_order", "port 40"]);
    refused(&with(|s| s.group_ports = 1), &["2 host ports", "portgroup_max_ports"]);
    refused(&with(|s| s.group_ports = 0), &["1 links in +x", "portgroup_max_ports"]);
    // A later seed is checked too, though the first would do.
    let second = |s: &mut TorusSpec| {
        let mut seed = s.seeds[0];
        seed.links[0] = None;
        s.seeds.push(seed);
    };
    refused(&with(second), &["backup seed 1", "xp_link or xm_link"]);
}

#[test]
fn seeds_that_do_not_fit_the_fabric() {
    let far = |s: &mut TorusSpec, link: usize, guid: u64| {
        if let Some((_, to)) = s.seeds[0].links[link].as_mut() {
            *to = Guid(guid);
        }
    };
    refused(&with(|s| far(s, 0, 0x20_00ff)), &["not in the fabric: 0x", "2000ff"]);
    refused(&with(|s| far(s, 2, 0x20_0005)), &["names the switch", "two directions"]);
    let other = |s: &mut TorusSpec| {
        s.seeds[0].links[2] = Some((Guid(0x20_0006), Guid(0x20_0007)));
    };
    refused(&with(other), &["links that start at"]);
    // Neighbours that are none, and directions that are taken for each other.
    for guid in [0x20_0009, 0x20_0012, 0x20_001d, 0x20_000a] {
        assert!(!with(|s| far(s, 2, guid)).refusal().is_empty());
    }
    let swapped = |s: &mut TorusSpec| s.seeds[0].links.swap(0, 2);
    let why = with(swapped).refusal();
    assert!(why.contains("sizes or seeds") || why.contains("sizes of torus"), "{why}");
}

#[test]
fn sizes_that_are_not_those_of_the_fabric() {
    refused(&with(|s| s.radix = [5, 5, 1]), &["30 switches", "only 25"]);
    refused(&with(|s| s.radix = [7, 5, 1]), &["gives 7 switches in x, and the fabric has 6"]);
    refused(&with(|s| s.radix = [6, 7, 1]), &["gives 7 switches in y, and the fabric has 5"]);
    refused(&with(|s| s.radix = [9, 8, 1]), &["gives ", " switches in "]);
    // A column that is really gone can be gone around.
    let mut column = Plan::new([6, 5, 1]);
    column.no_switch.extend((0..5).map(|y| [3, y, 0]));
    let column = column.bench();
    column.holds(&column.routes());
    let mesh = with(|s| s.open = [true, true, false]);
    // The cables that close the rings are no part of a mesh, and the rest is one.
    let routes = mesh.routes();
    mesh.holds(&routes);
    assert!(routes.notes.iter().any(|n| n.contains("not part of the torus")));
    let mut torus = Plan { open: [true, false, false], ..Plan::new([6, 5, 1]) }.bench();
    torus.options.torus.as_mut().expect("it is set").open = [false; 3];
    torus.holds(&torus.routes());
}

#[test]
fn failures_that_cut_a_ring_or_make_a_wide_hole() {
    let plan = Plan::new([6, 5, 1]);
    let cut = plan.clone().without_link([1, 2, 0], [2, 2, 0]).without_link([4, 2, 0], [5, 2, 0]);
    refused(&cut.bench(), &["the x dimension", "2 pieces", "(1,2,0)", "sw-4-2-0"]);
    let two = plan.clone().without_switch([2, 2, 0]).without_switch([4, 4, 0]);
    refused(&two.bench(), &["deadlock", "neighbours in y", "(2,2,0), (4,4,0)"]);
    let apart = plan.clone().without_switch([2, 1, 0]).without_switch([2, 3, 0]);
    refused(&apart.bench(), &["neighbours in y"]);
    let both = plan.without_switch([3, 1, 0]).without_link([0, 1, 0], [1, 1, 0]);
    refused(&both.bench(), &["the x dimension through (0,1,0)", "2 pieces"]);
    // An open dimension stands no failure at all.
    let mesh = Plan { open: [true, false, false], ..Plan::new([4, 5, 1]) };
    refused(&mesh.without_link([1, 2, 0], [2, 2, 0]).bench(), &["x dimension", "2 pieces"]);
    // A third of the switches.
    let mut third = Plan::new([6, 6, 1]);
    third.no_switch.extend((0..12).map(|i| [2 + i % 4, 2 + i / 4, 0]));
    refused(&third.bench(), &["deadlock", "and 4 more"]);
}

/// Two cables whose upper ends were plugged in where the other's belongs.
fn swapped([a, b]: [(At, At); 2]) -> Bench {
    let mut plan = Plan::new([6, 5, 1]);
    plan.no_link.extend([a, b]);
    plan.more_links = vec![(a.0, b.1), (b.0, a.1)];
    plan.bench()
}

#[test]
fn cables_that_were_swapped_are_left_out_and_named_or_refused() {
    // Two cables of different rings: two rings with one link missing each, and cables that fit
    // nowhere.
    let two = swapped([([1, 1, 0], [2, 1, 0]), ([3, 3, 0], [4, 3, 0])]);
    let routes = two.routes();
    two.holds(&routes);
    let notes = routes.notes.join("\n");
    for word in ["sw-1-1-0", "sw-4-3-0", "sw-3-3-0", "sw-2-1-0"] {
        assert!(notes.contains(word), "`{word}` is not in: {notes}");
    }
    // Two cables of one ring leave it in two pieces.
    let one = swapped([([1, 1, 0], [2, 1, 0]), ([3, 1, 0], [4, 1, 0])]);
    refused(&one, &["x dimension", "cut in 2 pieces", "sw-1-1-0", "sw-3-1-0"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any two cables swapped: refused with a reason, or routed without deadlock.
    #[test]
    fn any_two_cables_swapped(one in 0_usize..60, other in 0_usize..60) {
        let links = Plan::new([6, 5, 1]).links();
        let (a, b) = (links[one], links[other]);
        prop_assume!(a.0 != b.1 && b.0 != a.1 && a != b);
        let bench = swapped([a, b]);
        match bench.plan() {
            Ok(routes) => bench.holds(&routes),
            Err(_) => prop_assert!(!bench.refusal().is_empty()),
        }
    }

    /// Any file on any torus: refused, or routed without deadlock.
    #[test]
    fn any_file_is_answered(
        built in [2_u32..6, 2_u32..6, 1_u32..3],
        radix in prop::array::uniform3(0_u32..7),
        open in any::<[bool; 3]>(),
        links in prop::collection::vec(prop::option::of((0_u64..40, 0_u64..40)), 6),
        dateline in prop::array::uniform3(-4_i32..4),
        same in any::<bool>(),
    ) {
        let plan = Plan::new(built);
        let mut seed = plan.seed([0; 3]);
        for (slot, link) in seed.links.iter_mut().zip(links) {
            if let Some((from, to)) = link {
                let from = if same { 0 } else { from };
                *slot = Some((Guid(0x20_0000 + from), Guid(0x20_0000 + to)));
            }
        }
        seed.dateline = dateline;
        let bench = plan.bench_with(TorusSpec { open, ..TorusSpec::new(radix, vec![seed]) });
        if let Ok(routes) = bench.plan() {
            let proof = bench.prove(&routes);
            prop_assert!(proof.deadlock_free(), "{:?}", proof);
        }
    }
}

#[test]
fn a_switch_of_which_nobody_can_tell_where_it_belongs_is_named() {
    // Three of its four cables are gone: it hangs on its neighbour, and nothing says on which side.
    let at = [3, 1, 0];
    let mut plan = Plan::new([6, 5, 1]);
    let mut cut: Vec<(At, At)> = plan.links();
    cut.retain(|(a, b)| (*a == at || *b == at) && *a != [2, 1, 0]);
    assert_eq!(cut.len(), 3);
    plan.no_link.extend(cut);
    refused(&plan.bench(), &["sw-3-1-0", "plug them in"]);
}

#[test]
fn a_seed_whose_switches_have_no_cable_between_them() {
    let other = |s: &mut TorusSpec| {
        s.seeds[0].links[0] = Some((Guid(0x20_0000), Guid(0x20_0001)));
        s.seeds[0].links[2] = Some((Guid(0x20_0000), Guid(0x20_0004)));
    };
    let mut bench = Plan::new([3, 3, 1]).bench();
    other(bench.options.torus.as_mut().expect("it is set"));
    refused(&bench, &["the first seed", "sw-0-0-0", "sw-1-1-0", "no cable leads there"]);
    // The named link may have failed as well as any other.
    let bench = Plan::new([6, 5, 1]).without_link([0, 0, 0], [1, 0, 0]).bench();
    let routes = bench.routes();
    bench.holds(&routes);
    assert!(routes.notes.iter().any(|n| n.contains("it may have failed")), "{:?}", routes.notes);
}
