//! dor: dimension order by port order.

use lk_fabric::topo::{Shape, Torus};
use lk_routing::{Hops, check};
use lk_wire::{Guid, PortNum};
use proptest::prelude::*;

use crate::fabrics::{Case, any_wiring, threads_do_not_show, whole, wired, zoo};
use crate::oracle;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_next_switch_is_behind_the_first_port_of_a_shortest_path(
        wiring in any_wiring(),
        lmc in 0_u8..2,
    ) {
        let case = Case::new(wiring.fabric(), lmc);
        let routes = case.routes("dor");
        let hops = Hops::new(&case.fabric);
        for (lid, home) in oracle::homes(&case.fabric, &case.lids) {
            for from in case.fabric.switch_ids().filter(|s| *s != home) {
                let least = hops.between(from, home);
                let node = case.fabric.switch_node(from);
                let peer = |port: PortNum| {
                    let far = case.fabric.peer(case.fabric.port_at(node, port)?)?;
                    case.fabric.as_switch(case.fabric.owner(far))
                };
                let first = (1..=254).map(PortNum).find(|port| {
                    least.is_some() && hops.via(from, *port, home) == least
                });
                let taken = routes.lfts.port(from, lid);
                prop_assert_eq!(taken.and_then(peer), first.and_then(peer));
                prop_assert_eq!(taken.is_some(), first.is_some());
            }
        }
    }
}

#[test]
fn meshes_cannot_deadlock_and_rings_can() {
    let mesh = Torus { mesh: vec![true, true], ..Torus::new(&[4, 5]) };
    for (shape, free) in [(mesh, true), (Torus::new(&[2, 2, 2]), true), (Torus::new(&[5]), false)] {
        let case = Case::new(whole(Shape::Torus(shape.clone())), 0);
        let lfts = case.routes("dor").lfts;
        assert!(check(&case.fabric, &case.lids, &lfts).unreached.is_empty());
        assert_eq!(!oracle::can_deadlock(&case.fabric, &case.lids, &lfts), free, "{shape:?}");
    }
}

/// Two ways from s0 to s3, over s1 (ports 1, 2) and over s2 (port 3).
#[test]
fn the_port_order_file_says_which_port_is_first() {
    let mut case = Case::new(wired(&[0, 0, 0, 4], &[(0, 1), (0, 1), (0, 2), (1, 3), (2, 3)]), 0);
    let (s0, s3) = (case.switch("s0"), case.switch("s3"));
    let ports = |case: &Case| {
        let lfts = case.routes("dor").lfts;
        let lids = oracle::homes(&case.fabric, &case.lids).into_iter().filter(|(_, at)| *at == s3);
        let mut ports: Vec<u8> =
            lids.filter_map(|(lid, _)| lfts.port(s0, lid)).map(|p| p.0).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    };
    assert_eq!(ports(&case), [1, 2], "both cables to one switch are used");
    case.options.shaping.port_orders = vec![(Guid(0x20_0000), vec![PortNum(3)])];
    assert_eq!(ports(&case), [3]);
}

#[test]
fn the_number_of_threads_does_not_show() {
    for (name, fabric) in zoo(1.0, 3) {
        assert!(threads_do_not_show(&Case::new(fabric, 1), "dor"), "{name}");
    }
}
