//! Engines that keep packets apart by lanes: no circle, by the proof and by following each packet.

use lk_fabric::topo::{
    Amount, DragonflyPlus, Faults, HyperX, RandomRegular, Shape, TopoSpec, Torus, generate,
};
use lk_fabric::{Fabric, PortId};
use lk_routing::graph::Graph;
use lk_routing::proof::{Forwarding, SlSet, Traffic, prove, prove_all};
use lk_routing::{DataVls, GroupTree, LidMap, Routes, SlPlan, check, quality, route};
use lk_wire::{Lid, Sl};
use proptest::prelude::*;

use crate::fabrics::{
    Case, any_connected_wiring, any_wiring, engine_named, threads_do_not_show, tree, whole, wired,
};
use crate::proof::{edges, shortest_circle};
use crate::{golden, oracle};

/// The engines that these tests are about.
const BY_LANES: &[&str] = &["dfsssp", "lash", "nue"];

/// A case whose links have so many data VLs.
fn with_vls(fabric: Fabric, lmc: u8, vls: u8) -> Case {
    let mut case = Case::new(fabric, lmc);
    case.options.qos = true;
    case.options.data_vls = DataVls { switches: vls, end_ports: vls };
    case
}

fn lanes_needed(routes: &Routes) -> u8 {
    let SlPlan::PerPath(lanes) = &routes.sl else { panic!("SLs go by path") };
    lanes.needed()
}

/// Holds what such engines promise, by the proof and, where asked, by following each packet.
fn is_sound(case: &Case, routes: &Routes, slowly: bool) {
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert!(found.loops.is_empty(), "{}", routes.engine);
    let vls = case.options.data_vls.switches;
    let assumed = routes.assumed_lanes();
    let lanes = routes.proof_lanes(&case.fabric, &assumed);
    let sls = routes.proof_sls(&case.lids, SlSet::one(Sl(0)));
    let traffic = Traffic::EndPorts;
    let proof = prove(&case.fabric, &case.lids, &routes.lfts, &lanes, &sls, traffic);
    assert!(proof.deadlock_free(), "{}: {:?}", routes.engine, proof.circle);
    assert!(proof.vls.iter().all(|vl| vl.0 < vls), "{}: {:?}", routes.engine, proof.vls);
    if slowly {
        let edges = edges(case, &routes.lfts, &lanes, &sls, traffic);
        assert_eq!(shortest_circle(&edges), None, "{}", routes.engine);
    }
    let Some(tree) = &routes.master_tree else { return };
    let at = |end| Graph::attachment(&case.fabric, end);
    let hosts = case
        .fabric
        .end_ports()
        .filter(|end| case.fabric.as_switch(case.fabric.owner(*end)).is_none());
    let members: Vec<_> = hosts.filter_map(at).collect();
    let group = GroupTree {
        mlid: Lid(0xC000),
        sls: SlSet::one(Sl(0)),
        ports: tree.group(&members, 0xC000),
    };
    let tables =
        Forwarding { fabric: &case.fabric, lids: &case.lids, lfts: &routes.lfts, trees: &[group] };
    let proof = prove_all(&tables, &lanes, &sls, traffic);
    assert!(proof.deadlock_free(), "{} with a group: {:?}", routes.engine, proof.circle);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn dfsssp_takes_shortest_paths_without_circles(wiring in any_wiring(), lmc in 0_u8..3) {
        let case = with_vls(wiring.fabric(), lmc, 15);
        let routes = case.routes("dfsssp");
        is_sound(&case, &routes, true);
        shortest(&case, &routes)?;
    }

    #[test]
    fn lash_has_one_lane_for_both_ways(wiring in any_wiring(), lmc in 0_u8..2, start in 0_u8..3) {
        let mut case = with_vls(wiring.fabric(), lmc, 15);
        case.options.lash_start_vl = start;
        let routes = case.routes("lash");
        is_sound(&case, &routes, true);
        shortest(&case, &routes)?;
        let ends = case.lids.ranges();
        for (a, lid_a, _) in ends {
            for (b, lid_b, _) in ends {
                let there = routes.sl.sl(*a, *b, *lid_b, Sl(7));
                prop_assert_eq!(there, routes.sl.sl(*b, *a, *lid_a, Sl(7)));
                prop_assert!(there.0 >= start);
            }
        }
    }

    #[test]
    fn nue_fits_into_any_number_of_lanes(
        wiring in any_wiring(),
        lmc in 0_u8..2,
        vls in 1_u8..5,
        include in any::<bool>(),
    ) {
        let mut case = with_vls(wiring.fabric(), lmc, vls);
        case.options.nue_include_switches = include;
        let routes = case.routes("nue");
        is_sound(&case, &routes, true);
        let minhop = case.routes("minhop");
        let missed = |routes: &Routes| check(&case.fabric, &case.lids, &routes.lfts).unreached;
        prop_assert_eq!(missed(&routes).len(), missed(&minhop).len());
    }

    #[test]
    fn an_engine_asks_for_no_more_lanes_than_there_are(
        wiring in any_connected_wiring(),
        vls in 1_u8..4,
        engine in prop::sample::select(vec!["dfsssp", "lash"]),
    ) {
        let case = with_vls(wiring.fabric(), 0, vls);
        match engine_named(engine).plan(&case.job()) {
            Ok(routes) => {
                prop_assert!(lanes_needed(&routes) <= vls);
                is_sound(&case, &routes, false);
            }
            Err(decline) => {
                let with = format!("have {vls} data VLs");
                prop_assert!(decline.reason.contains(&with), "{}", decline.reason);
            }
        }
    }
}

/// Holds that each way is as short as can be.
fn shortest(case: &Case, routes: &Routes) -> Result<(), TestCaseError> {
    for to in case.fabric.switch_ids() {
        let hops = oracle::distances(&case.fabric, to, |_, _, _| Some(false));
        for (lid, _) in
            oracle::homes(&case.fabric, &case.lids).into_iter().filter(|(_, home)| *home == to)
        {
            for from in case.fabric.switch_ids() {
                let path = oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid);
                prop_assert_eq!(path.map(|p| p.len() - 1), hops[from.index()]);
            }
        }
    }
    Ok(())
}

#[test]
fn no_more_lanes_and_no_fuller_links_than_opensm() {
    for (folder, engine, lanes) in
        [("ft4x3", "dfsssp", 1), ("ft4x3", "lash", 2), ("r24", "dfsssp", 3), ("r24", "lash", 2)]
    {
        let mut case = golden::case(folder);
        case.options.data_vls = DataVls { switches: 8, end_ports: 8 };
        let routes = case.routes(engine);
        assert!(lanes_needed(&routes) <= lanes, "{folder} {engine}: {}", lanes_needed(&routes));
        let (theirs, _) = golden::tables(folder, engine, &case);
        let most = |lfts: &_| quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
        let (ours, theirs) = (most(&routes.lfts), most(&theirs));
        assert!(ours <= theirs, "{folder} {engine}: {ours} and {theirs}");
        is_sound(&case, &routes, true);
    }
}

/// OpenSM's run had one lane.
#[test]
fn nue_spreads_no_worse_than_opensm() {
    for folder in ["ft4x3", "r24"] {
        let mut case = golden::case(folder);
        case.options.nue_max_num_vls = 1;
        let routes = case.routes("nue");
        let (theirs, _) = golden::tables(folder, "nue", &case);
        let figures = |lfts: &_| quality(&case.fabric, &case.lids, lfts);
        let (ours, theirs) = (figures(&routes.lfts), figures(&theirs));
        assert_eq!(ours.broken, 0);
        assert!(ours.hops <= theirs.hops, "{folder}: {} and {}", ours.hops, theirs.hops);
        let most = (ours.max_routes_per_link(), theirs.max_routes_per_link());
        assert!(most.0 <= most.1, "{folder}: {most:?}");
    }
}

#[test]
fn nue_takes_one_lane_without_qos_and_leaves_the_sl_to_policy_then() {
    let mut case = with_vls(whole(Shape::Torus(Torus::new(&[5, 4]))), 0, 8);
    case.options.nue_max_num_vls = 3;
    let routes = case.routes("nue");
    assert_eq!(lanes_needed(&routes), 3);
    case.options.qos = false;
    let routes = case.routes("nue");
    assert_eq!(routes.sl, SlPlan::Any);
    assert!(routes.notes.iter().any(|n| n.contains("QoS is off")), "{:?}", routes.notes);
}

#[test]
fn lash_declines_where_it_would_start_behind_the_last_lane() {
    let mut case = with_vls(whole(Shape::Torus(Torus::new(&[5, 4]))), 0, 4);
    case.options.lash_start_vl = 4;
    let declined = engine_named("lash").plan(&case.job()).expect_err("no lane is left");
    assert!(declined.reason.contains("lash_start_vl is 4"), "{declined}");
}

/// OpenSM's dfsssp needs 5 lanes for the first one and its lash 4; for the last one dfsssp needs
/// 9 and gives up.
#[test]
fn lattices_take_few_lanes() {
    for (radix, hosts, lanes) in [(&[6, 5][..], 1, 4), (&[4, 4, 4][..], 2, 6), (&[8; 3], 1, 8)] {
        let case = with_vls(whole(Shape::Torus(Torus { hosts, ..Torus::new(radix) })), 0, 8);
        for engine in ["dfsssp", "lash"] {
            let routes = case.routes(engine);
            assert!(
                lanes_needed(&routes) <= lanes,
                "{engine} {radix:?}: {}",
                lanes_needed(&routes)
            );
            is_sound(&case, &routes, false);
        }
    }
    let case = with_vls(whole(Shape::HyperX(HyperX::new(&[4, 4, 4], 2))), 0, 8);
    for engine in ["dfsssp", "lash"] {
        assert_eq!(lanes_needed(&case.routes(engine)), 1);
    }
}

#[test]
fn too_few_lanes_are_named_and_the_next_engine_routes() {
    let case = with_vls(whole(Shape::Torus(Torus::new(&[6, 5]))), 0, 2);
    let outcome = route("dfsssp,minhop", &case.job());
    assert_eq!(outcome.routes.map(|r| r.engine), Some("minhop"));
    let text = outcome.declined[0].to_string();
    assert!(text.contains("it needs 4 lanes") || text.contains("it needs 3 lanes"), "{text}");
    assert!(text.contains("have 2 data VLs"), "{text}");
}

#[test]
fn without_qos_it_is_said_that_lanes_are_not_kept_apart() {
    let mut case = with_vls(whole(Shape::Torus(Torus::new(&[6, 5]))), 0, 8);
    let said = |case: &Case| case.routes("dfsssp").notes.iter().any(|n| n.contains("QoS is off"));
    assert!(!said(&case));
    case.options.qos = false;
    assert!(said(&case));
}

#[test]
fn every_lid_of_a_port_has_its_own_sl_and_the_plan_knows_it() {
    let case = with_vls(whole(Shape::Torus(Torus::new(&[5, 4]))), 1, 8);
    let routes = case.routes("dfsssp");
    let SlPlan::PerPath(lanes) = &routes.sl else { panic!("SLs go by path") };
    for (to, base, lmc) in case.lids.ranges() {
        for offset in 0..1_u16 << lmc {
            let lid = Lid(base.0 + offset);
            for (from, _, _) in case.lids.ranges() {
                let home = oracle::home(&case.fabric, *from).expect("all hang on switches");
                let sl = routes.sl.sl(*from, *to, lid, Sl(9));
                assert_eq!(sl, lanes.of_switch(home, lid));
                if offset == 0 {
                    assert_eq!(routes.path_sl(*from, *to, Sl(9)), sl);
                }
            }
        }
    }
}

/// All generators, whole and with some of their links or switches gone.
#[test]
fn broken_fabrics_are_routed_without_circles() {
    let shapes = [
        Shape::Torus(Torus { hosts: 2, ..Torus::new(&[5, 4, 3]) }),
        Shape::HyperX(HyperX::new(&[4, 4], 2)),
        Shape::Random(RandomRegular { switches: 40, degree: 5, hosts: 2, seed: 3, radix: None }),
        Shape::DragonflyPlus(DragonflyPlus {
            groups: 5,
            leaves: 3,
            spines: 3,
            hosts: 2,
            global: None,
            radix: None,
        }),
    ];
    for shape in shapes {
        for (links, switches) in [(0.0, 0.0), (0.01, 0.0), (0.03, 0.01), (0.1, 0.03)] {
            let faults =
                Faults { links: Amount::Share(links), switches: Amount::Share(switches), seed: 7 };
            let spec = TopoSpec { faults, ..TopoSpec::new(shape.clone()) };
            let case = with_vls(generate(&spec).expect("the sizes fit").fabric, 0, 8);
            for engine in BY_LANES {
                is_sound(&case, &case.routes(engine), false);
            }
        }
    }
    for percent in [0.0, 1.0, 3.0, 10.0] {
        let case = with_vls(tree(lk_fabric::topo::FatTree::new(8, 3), percent, 5), 0, 8);
        for engine in BY_LANES {
            is_sound(&case, &case.routes(engine), false);
        }
    }
}

/// The same case without the LIDs of switches on which nothing hangs, as if their port 0 were dead.
fn without_bare_lids(mut case: Case, hosts: &[u8]) -> Case {
    let bare = |port: &PortId| {
        let switch = case.fabric.as_switch(case.fabric.owner(*port));
        switch.is_some_and(|switch| hosts[switch.index()] == 0)
    };
    let ranges = case.lids.ranges().iter().copied().filter(|(port, _, _)| !bare(port));
    case.lids = LidMap::new(ranges.collect());
    case
}

/// What such a switch sends on has a lane all the same, and both ways between others are on one.
#[test]
fn switches_without_a_lid_are_passed_through() {
    let hosts = [2, 0, 1, 0, 2, 0, 0, 1];
    let ring = (0..hosts.len()).map(|s| (s, (s + 1) % hosts.len()));
    let crossed = ring.clone().chain([(0, 3), (5, 2), (6, 1)]);
    for cables in [ring.collect::<Vec<_>>(), crossed.collect()] {
        let case = without_bare_lids(with_vls(wired(&hosts, &cables), 0, 8), &hosts);
        let bare = hosts.iter().filter(|hosts| **hosts == 0).count();
        assert_eq!(case.lids.ranges().len(), case.fabric.end_ports().count() - bare);
        for engine in BY_LANES {
            let routes = case.routes(engine);
            is_sound(&case, &routes, true);
            let found = check(&case.fabric, &case.lids, &routes.lfts);
            assert!(found.unreached.is_empty(), "{engine}: {:?}", found.unreached);
            let apart = routes.notes.iter().any(|note| note.contains("too few lanes"));
            assert!(!apart, "{engine}: {:?}", routes.notes);
        }
    }
}

/// Each LID of a port has its lane, with any LMC, on one lane as on many.
#[test]
fn ports_with_up_to_128_lids() {
    for lmc in 0..=7 {
        for vls in [1, 8] {
            let torus = Torus { hosts: 1, ..Torus::new(&[5, 3]) };
            let case = with_vls(whole(Shape::Torus(torus)), lmc, vls);
            for engine in BY_LANES {
                match engine_named(engine).plan(&case.job()) {
                    Ok(routes) => {
                        is_sound(&case, &routes, lmc == 1);
                        let found = check(&case.fabric, &case.lids, &routes.lfts);
                        assert!(found.unreached.is_empty(), "{engine}, LMC {lmc}");
                    }
                    Err(declined) => {
                        assert!(vls == 1 && *engine != "nue", "{declined}");
                        assert!(declined.reason.contains("have 1 data VLs"), "{declined}");
                    }
                }
            }
        }
    }
}

/// Where a lane is full, only those switches go by the tree that find no other way, and no link has
/// to carry all that is sent to a LID.
#[test]
fn the_tree_of_nue_is_for_those_that_find_no_other_way() {
    let groups =
        DragonflyPlus { groups: 17, leaves: 8, spines: 8, hosts: 4, global: None, radix: None };
    let case = with_vls(whole(Shape::DragonflyPlus(groups)), 0, 1);
    let routes = case.routes("nue");
    assert!(routes.notes.iter().any(|note| note.contains("over the spanning tree")));
    is_sound(&case, &routes, false);
    let now = quality(&case.fabric, &case.lids, &routes.lfts);
    let fullest = now.max_routes_per_link() as f64 / now.mean_routes_per_link();
    assert!(fullest < 12.0, "{fullest} times the mean, {:?}", routes.notes);
}

/// Of the paths with the best balance a handful find no lane on these fabrics. They go other ways,
/// as short, and the others stay: paths that fit as they are fill links with half as much again.
#[test]
fn a_few_paths_without_a_lane_go_another_way() {
    let kinds = [(40, 6, 2, [1, 3, 4], 100), (60, 6, 3, [1, 4, 5], 120)];
    for (switches, degree, vls, seeds, most) in kinds {
        for seed in seeds {
            let shape = RandomRegular { switches, degree, hosts: 2, seed, radix: None };
            let case = with_vls(whole(Shape::Random(shape)), 0, vls);
            let routes = case.routes("dfsssp");
            is_sound(&case, &routes, true);
            let of = |routes: &Routes| quality(&case.fabric, &case.lids, &routes.lfts);
            let (ours, free) = (of(&routes), of(&case.routes("sssp")));
            let fullest = ours.max_routes_per_link();
            assert!(fullest <= most, "{switches} switches, seed {seed}: {fullest}");
            assert!((ours.mean_hops() - free.mean_hops()).abs() < 1e-9, "seed {seed}: detours");
            assert!(threads_do_not_show(&case, "dfsssp"), "seed {seed}");
        }
    }
}
