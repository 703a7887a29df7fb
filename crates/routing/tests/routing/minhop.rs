//! minhop: complete, free of loops, the fewest hops.

use lk_fabric::topo::{FatTree, RandomRegular, Shape, Torus};
use lk_routing::{Hops, check};
use proptest::prelude::*;

use crate::fabrics::{Case, any_wiring, tree, whole};
use crate::oracle;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn each_way_is_the_shortest(wiring in any_wiring(), lmc in 0_u8..3) {
        let case = Case::new(wiring.fabric(), lmc);
        let routes = case.routes("minhop");
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
        let found = check(&case.fabric, &case.lids, &routes.lfts);
        prop_assert!(found.loops.is_empty());
    }

    #[test]
    fn hop_counts_are_distances(wiring in any_wiring()) {
        let fabric = wiring.fabric();
        let counts = Hops::new(&fabric);
        let links = oracle::links(&fabric);
        for to in fabric.switch_ids() {
            let hops = oracle::distances(&fabric, to, |_, _, _| Some(false));
            for from in fabric.switch_ids() {
                let count = counts.between(from, to).map(usize::from);
                prop_assert_eq!(count, hops[from.index()]);
            }
            for (from, port, peer) in &links {
                let via = counts.via(*from, fabric.port_num(*port), to).map(usize::from);
                prop_assert_eq!(via, hops[peer.index()].map(|h| h + 1));
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let shapes = [
        tree(FatTree::new(12, 3), 3.0, 1),
        whole(Shape::Torus(Torus::new(&[5, 4]))),
        whole(Shape::Random(RandomRegular {
            switches: 40,
            degree: 5,
            hosts: 3,
            seed: 9,
            radix: None,
        })),
    ];
    for fabric in shapes {
        for lmc in 0..2 {
            let case = Case::new(fabric.clone(), lmc);
            for engine in lk_routing::ENGINES {
                let on = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    pool.expect("threads can be had").install(|| engine.plan(&case.job()))
                };
                let one = on(1);
                assert_eq!(one, on(2), "{}", engine.name());
                assert_eq!(one, on(7), "{}", engine.name());
            }
        }
    }
}

#[test]
fn where_all_switches_are_alike_a_switch_is_reached_as_an_end_port_on_it() {
    let case = Case::new(whole(Shape::Torus(Torus { hosts: 2, ..Torus::new(&[5, 4]) })), 0);
    let (fabric, lids) = (&case.fabric, &case.lids);
    let lfts = case.routes("minhop").lfts;
    let homes = oracle::homes(fabric, lids);
    let is_own =
        |lid| lids.port(lid).is_some_and(|end| fabric.as_switch(fabric.owner(end)).is_some());
    let (own, ends): (Vec<_>, Vec<_>) = homes.into_iter().partition(|(lid, _)| is_own(*lid));
    assert_eq!((own.len(), ends.len()), (20, 40));
    let (mut all, mut other_ways) = (0, 0);
    for (lid, home) in own {
        for from in fabric.switch_ids().filter(|from| *from != home) {
            let mut others = ends.iter().filter(|(_, other)| *other == home);
            let port = lfts.port(from, lid);
            all += 1;
            other_ways += usize::from(!others.any(|(end, _)| lfts.port(from, *end) == port));
        }
    }
    // Where a full link is relieved, end ports get another way afterwards.
    assert!(all == 20 * 19 && other_ways * 10 < all, "{other_ways} of {all}");
}
