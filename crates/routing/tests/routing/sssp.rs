//! sssp: the fewest hops, the load evenly on whole paths, classes of destinations by themselves.

use std::collections::BTreeSet;

use lk_fabric::topo::{RandomRegular, Shape, Torus};
use lk_routing::{LidMap, check, quality};
use proptest::prelude::*;

use crate::fabrics::{Case, any_wiring, whole, zoo};
use crate::golden;
use crate::oracle;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn each_way_is_the_shortest(wiring in any_wiring(), lmc in 0_u8..3, named in 0_usize..3) {
        let mut case = Case::new(wiring.fabric(), lmc);
        let guids = case.fabric.end_ports().map(|p| case.fabric.port(p).guid).collect::<Vec<_>>();
        case.options.cn_guids = (named > 0).then(|| guids.iter().copied().step_by(3).collect());
        case.options.io_guids = (named > 1).then(|| guids.iter().copied().step_by(2).collect());
        let routes = case.routes("sssp");
        for to in case.fabric.switch_ids() {
            let hops = oracle::distances(&case.fabric, to, |_, _, _| Some(false));
            for (lid, _) in
                oracle::homes(&case.fabric, &case.lids).into_iter().filter(|(_, home)| *home == to)
            {
                for from in case.fabric.switch_ids() {
                    let path =
                        oracle::walk(&case.fabric, &case.lids, &routes.lfts, from, lid);
                    prop_assert_eq!(path.map(|p| p.len() - 1), hops[from.index()]);
                }
            }
        }
        prop_assert!(check(&case.fabric, &case.lids, &routes.lfts).loops.is_empty());
    }
}

#[test]
fn no_link_carries_more_than_opensm_puts_on_one() {
    for folder in ["ft4x3", "r24"] {
        let case = golden::case(folder);
        let (theirs, _) = golden::tables(folder, "sssp", &case);
        let most = |lfts: &_| quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
        let (ours, theirs) = (most(&case.routes("sssp").lfts), most(&theirs));
        assert!(ours <= theirs, "{folder}: {ours} and {theirs}");
    }
}

#[test]
fn load_of_whole_paths_is_even_where_there_is_no_tree() {
    for (shape, most) in [
        (
            Shape::Random(RandomRegular {
                switches: 60,
                degree: 6,
                hosts: 3,
                seed: 4,
                radix: None,
            }),
            1.3,
        ),
        (Shape::Torus(Torus::new(&[6, 5])), 1.35),
    ] {
        let case = Case::new(whole(shape), 0);
        let figures = |engine| {
            let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
            (q.max_routes_per_link(), q.mean_routes_per_link())
        };
        let (fullest, mean) = figures("sssp");
        assert!(fullest as f64 <= most * mean, "{fullest} and {mean}");
        let (fullest, mean) = figures("minhop");
        assert!(fullest as f64 <= most * mean, "minhop: {fullest} and {mean}");
    }
}

/// minhop chooses switch by switch, sssp sees whole paths.
#[test]
fn the_fullest_link_is_not_above_that_of_minhop() {
    let kinds = [(0.0, 1), (1.0, 2), (3.0, 3), (10.0, 4)];
    for (name, fabric) in kinds.into_iter().flat_map(|(percent, seed)| zoo(percent, seed)) {
        let case = Case::new(fabric, 0);
        let most = |engine| {
            let lfts = case.routes(engine).lfts;
            quality(&case.fabric, &case.lids, &lfts).max_routes_per_link()
        };
        let (sssp, minhop) = (most("sssp"), most("minhop"));
        assert!(sssp <= minhop, "{name}: {sssp} and {minhop}");
    }
}

/// Compute nodes are spread among themselves: whatever else hangs on the switches, their share of
/// the links stays even.
#[test]
fn ports_of_cn_guid_file_are_balanced_by_themselves() {
    let mut case = Case::new(whole(Shape::Torus(Torus { hosts: 4, ..Torus::new(&[5, 4]) })), 0);
    let hosts: Vec<_> = case
        .fabric
        .end_ports()
        .filter(|p| case.fabric.as_switch(case.fabric.owner(*p)).is_none())
        .collect();
    let mut all = Vec::new();
    for step in 2..=4 {
        let compute: BTreeSet<_> = hosts.iter().copied().step_by(step).collect();
        let ranges = case.lids.ranges().iter().filter(|(end, ..)| compute.contains(end));
        let them = LidMap::new(ranges.copied().collect());
        // The most routes to compute nodes on one link.
        let fullest = |case: &Case| {
            quality(&case.fabric, &them, &case.routes("sssp").lfts).max_routes_per_link()
        };
        case.options.cn_guids = None;
        let mixed = fullest(&case);
        let guids = compute.iter().map(|port| case.fabric.port(*port).guid);
        case.options.cn_guids = Some(guids.collect());
        all.push((fullest(&case), mixed));
    }
    assert!(all.iter().all(|(apart, mixed)| apart < mixed), "{all:?}");
}

#[test]
fn lids_of_one_port_take_different_links() {
    let case = Case::new(whole(Shape::Torus(Torus::new(&[4, 4]))), 1);
    let lfts = case.routes("sssp").lfts;
    let (mut apart, mut pairs) = (0, 0);
    for (end, base, _) in case.lids.ranges().iter().filter(|(_, _, lmc)| *lmc > 0) {
        let home = oracle::home(&case.fabric, *end).expect("each host hangs on a switch");
        for from in case.fabric.switch_ids().filter(|from| *from != home) {
            let second = lk_wire::Lid(base.0 + 1);
            pairs += 1;
            apart += usize::from(lfts.port(from, *base) != lfts.port(from, second));
        }
    }
    // A neighbour in the same row has one shortest path only, and that is 4 of 15 switches.
    assert!(apart * 2 > pairs, "{apart} of {pairs}");
}
