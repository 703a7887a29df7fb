//! The figures of torus-2QoS(8): the ways from S, which is (1,1), to D.

use lk_wire::Sl;

use crate::bench::{At, Plan};

const S: At = [1, 1, 0];

fn way(plan: &Plan, to: At) -> String {
    let bench = plan.bench();
    let routes = bench.routes();
    bench.holds(&routes);
    let path = bench.walk(&routes, plan.guid(S), plan.guid(to));
    path.iter().map(|name| name.trim_end_matches("-0")).collect::<Vec<_>>().join(" ")
}

fn sl(plan: &Plan, to: At) -> Sl {
    let bench = plan.bench();
    let end = |at| {
        let switch = bench.switch(plan.guid(at));
        bench.fabric.node(bench.fabric.switch_node(switch)).first
    };
    bench.routes().path_sl(end(S), end(to), Sl(0))
}

#[test]
fn a_failed_link_or_switch_of_the_6x5_torus() {
    let plan = Plan::new([6, 5, 1]);
    let d = [3, 3, 0];
    assert_eq!(way(&plan, d), "1-1 2-1 3-1 3-2 3-3", "S n T r D");
    // The manual gives the same way for both links; n itself turns packets back to S only where
    // they start at n, for S already knows that the ring is cut.
    for link in [([1, 1, 0], [2, 1, 0]), ([2, 1, 0], [3, 1, 0])] {
        let broken = plan.clone().without_link(link.0, link.1);
        assert_eq!(way(&broken, d), "1-1 0-1 5-1 4-1 3-1 3-2 3-3", "S m p o T r D");
        assert_eq!(sl(&broken, d), sl(&plan, d));
    }
    let without_t = plan.clone().without_switch([3, 1, 0]);
    assert_eq!(way(&without_t, d), "1-1 2-1 2-2 3-2 3-3", "S n I r D");
    assert_eq!(sl(&without_t, d), sl(&plan, d));
}

#[test]
fn two_failed_switches_of_the_6x6_torus() {
    let plan = Plan::new([6, 6, 1]);
    let d = [3, 4, 0];
    let without_t_and_r = plan.clone().without_switch([3, 1, 0]).without_switch([3, 2, 0]);
    assert_eq!(way(&without_t_and_r, d), "1-1 2-1 2-2 2-3 3-3 3-4", "S n q I u D");
    assert_eq!(sl(&without_t_and_r, d), sl(&plan, d));
    let without_o_and_t = plan.without_switch([3, 1, 0]).without_switch([4, 1, 0]);
    let why = without_o_and_t.bench().refusal();
    assert!(why.contains("could deadlock"), "{why}");
}
