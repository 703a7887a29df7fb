//! All sizes, open and closed, whichever switch seeds them.

use lk_routing::{DataVls, SlPlan, TorusSpec};
use lk_wire::Vl;
use proptest::prelude::*;

use crate::bench::{At, Bench, Plan};

/// Each switch has the coordinates of its name.
fn right_places(bench: &Bench, plan: &Plan) {
    let routes = bench.routes();
    let SlPlan::PerPair(sls) = &routes.sl else { panic!("SLs go by pair") };
    for at in plan.places().into_iter().filter(|at| !plan.no_switch.contains(at)) {
        assert_eq!(sls.coordinates(bench.switch(plan.guid(at))), Some(at));
    }
    bench.holds(&routes);
}

fn any_plan() -> impl Strategy<Value = (Plan, At)> {
    let sizes = [1_u32..8, 1_u32..7, 1_u32..6];
    (sizes, prop::array::uniform3(any::<bool>()), 0_u8..3, 1_u8..4, 0_u8..3, any::<u32>()).prop_map(
        |(radix, open, hosts, parallel, lmc, seed)| {
            let plan = Plan { open, hosts, parallel, lmc, ..Plan::new(radix) };
            let places = plan.places();
            let at = places[seed as usize % places.len()];
            (plan, at)
        },
    )
}

fn spec(plan: &Plan, at: At) -> TorusSpec {
    let mut seed = plan.seed(at);
    if plan.radix == [1; 3] {
        seed.links[0] = Some((plan.guid(at), plan.guid(at)));
    }
    TorusSpec { open: plan.open, ..TorusSpec::new(plan.radix, vec![seed]) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_shape_is_found_and_routed((plan, at) in any_plan()) {
        right_places(&plan.bench_with(spec(&plan, at)), &plan);
    }
}

#[test]
fn a_hole_hides_no_other_switch() {
    for radix in [[3, 3, 1], [4, 4, 1], [5, 4, 1], [4, 4, 4], [3, 4, 3], [2, 4, 5]] {
        let whole = Plan::new(radix);
        for at in whole.places() {
            let plan = whole.clone().without_switch(at);
            let seed = whole.places().into_iter().find(|s| {
                let links = plan.seed(*s).links;
                let gone = plan.guid(at);
                links.iter().flatten().all(|(from, to)| *from != gone && *to != gone)
            });
            let Some(seed) = seed else { continue };
            let bench = plan.bench_with(spec(&plan, seed));
            // A dimension of two is open: no way leads around a hole in it.
            if radix[0] > 2 {
                right_places(&bench, &plan);
            }
        }
    }
}

#[test]
fn the_backup_seed_gives_the_same_places() {
    let whole = Plan::new([6, 5, 1]);
    let mut specs = spec(&whole, [0, 0, 0]);
    specs.seeds.push(whole.seed([3, 3, 0]));
    for gone in [[0, 0, 0], [1, 0, 0], [0, 1, 0]] {
        let plan = whole.clone().without_switch(gone);
        let bench = plan.bench_with(specs.clone());
        right_places(&bench, &plan);
        assert!(bench.routes().notes[0].contains("backup seed 1"));
    }
}

#[test]
fn parallel_cables_share_hosts_and_switches_evenly() {
    let plan = Plan { hosts: 4, parallel: 2, lmc: 1, ..Plan::new([3, 3, 1]) };
    let mut bench = plan.bench();
    let routes = bench.routes();
    let here = bench.switch(plan.guid([0, 0, 0]));
    let mut used = std::collections::BTreeMap::new();
    for (end, lid, lmc) in bench.lids.ranges() {
        let port = routes.lfts.port(here, *lid).expect("it is reached");
        let of_switch = bench.fabric.as_switch(bench.fabric.owner(*end)).is_some();
        *used.entry((of_switch, port)).or_insert(0) += 1;
        for more in 1..1 << lmc {
            let lid = lk_wire::Lid(lid.0 + more);
            assert_eq!(routes.lfts.port(here, lid), Some(port), "all LIDs of a port go one way");
        }
    }
    // 8 other switches with 4 hosts: 3 of them over each x neighbour, 1 over each y neighbour.
    let hosts: Vec<i32> =
        used.iter().filter(|((sw, _), n)| !sw && **n > 1).map(|(_, n)| *n).collect();
    assert_eq!(hosts, [6, 6, 2, 2, 6, 6, 2, 2]);
    // Another order of ports changes who goes where, not how many.
    bench.options.torus.as_mut().expect("it is set").port_order = vec![12, 10, 9];
    let other = bench.routes();
    assert_ne!(other.lfts, routes.lfts);
    bench.holds(&other);
}

#[test]
fn arbitration_is_folded_towards_hosts_only() {
    let plan = Plan::new([6, 5, 1]);
    let bench = plan.bench();
    let lanes = bench.routes().lanes.expect("the engine has its own");
    let block: Vec<(Vl, u8)> = (0..8).map(|vl| (Vl(vl), 10 + vl)).collect();
    let node = bench.fabric.switch_node(bench.switch(plan.guid([2, 2, 0])));
    let mut folded = 0;
    for port in bench.fabric.external_ports(node) {
        let Some(far) = bench.fabric.peer(port) else { continue };
        let mut own = block.clone();
        lanes.fold_vlarb(port, &mut own);
        if bench.fabric.as_switch(bench.fabric.owner(far)).is_some() {
            assert_eq!(own, block);
            continue;
        }
        assert_eq!(own[..3], [(Vl(0), 10), (Vl(1), 14), (Vl(0), 0)]);
        assert!(own[2..].iter().all(|entry| *entry == (Vl(0), 0)));
        folded += 1;
        // An adapter's own table is what is configured for adapters.
        assert!(!lanes.faces_hosts(far));
    }
    assert_eq!(folded, 1);
}

#[test]
fn fewer_lanes_suffice_for_less() {
    let mut bench = Plan::new([6, 5, 1]).bench();
    for (switches, end_ports, notes) in [(8, 2, 0), (8, 1, 1), (4, 8, 1), (2, 1, 2)] {
        bench.options.data_vls = DataVls { switches, end_ports };
        let routes = bench.routes();
        bench.holds(&routes);
        assert_eq!(routes.notes.len(), 1 + notes, "{:?}", routes.notes);
        assert!(bench.prove(&routes).vls.iter().all(|vl| *vl < Vl(switches)));
    }
    let mut holed = Plan::new([6, 5, 1]).without_switch([3, 1, 0]).bench();
    holed.options.data_vls.switches = 4;
    holed.holds(&holed.routes());
}
