//! Every engine on a fabric of every kind, whole and with ever more failed links: it routes
//! completely, without loops and as it promises, or refuses and says why.

use lk_routing::proof::{SlSet, Traffic, prove};
use lk_routing::{DataVls, Routes, check, quality};
use lk_wire::Sl;

use crate::fabrics::{Case, engine_named, zoo};
use crate::proof::{edges, shortest_circle};

/// What an engine promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Promise {
    engine: &'static str,
    /// It routes any fabric.
    always: bool,
    /// The fewest hops.
    shortest: bool,
    /// No packets wait for each other in a circle.
    free: bool,
}

const fn promise(engine: &'static str, always: bool, shortest: bool, free: bool) -> Promise {
    Promise { engine, always, shortest, free }
}

const PROMISES: [Promise; 11] = [
    promise("minhop", true, true, false),
    promise("sssp", true, true, false),
    promise("updn", false, false, true),
    promise("dnup", true, false, true),
    promise("nue", true, false, true),
    promise("dfsssp", false, true, true),
    promise("lash", false, true, true),
    promise("ftree", false, false, true),
    promise("dor", false, true, false),
    promise("torus-2QoS", false, false, true),
    promise("auto", true, false, false),
];

/// Fabrics with so few switches are looked at packet by packet, too.
const SMALL: usize = 30;

/// Holds an engine's routes to its promise. `hops` are those of the shortest paths.
fn holds(name: &str, case: &Case, promise: Promise, routes: &Routes, hops: (u64, u64)) {
    let what = format!("{} on {name}", promise.engine);
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    assert!(found.loops.is_empty(), "{what}");
    let now = quality(&case.fabric, &case.lids, &routes.lfts);
    // What is in pieces is reached in part by all.
    assert_eq!(now.broken, hops.0, "{what}");
    if promise.shortest {
        assert_eq!(now.hops, hops.1, "{what}");
    }
    if !promise.free {
        return;
    }
    let assumed = routes.assumed_lanes();
    let lanes = routes.proof_lanes(&case.fabric, &assumed);
    let sls = routes.proof_sls(&case.lids, SlSet::one(Sl(0)));
    let traffic = Traffic::EndPorts;
    let proof = prove(&case.fabric, &case.lids, &routes.lfts, &lanes, &sls, traffic);
    assert!(proof.deadlock_free(), "{what}: {:?}", proof.circle);
    if case.fabric.switches().len() <= SMALL {
        let edges = edges(case, &routes.lfts, &lanes, &sls, traffic);
        assert_eq!(shortest_circle(&edges), None, "{what}");
    }
}

/// Every engine on every fabric with so many links failed.
fn every_engine(percent: f64, seed: u64) {
    for (name, fabric) in zoo(percent, seed) {
        let mut case = Case::new(fabric, 0);
        case.options.qos = true;
        case.options.data_vls = DataVls { switches: 8, end_ports: 8 };
        let shortest = quality(&case.fabric, &case.lids, &case.routes("minhop").lfts);
        for promise in PROMISES {
            match engine_named(promise.engine).plan(&case.job()) {
                Ok(routes) => {
                    let hops = (shortest.broken, shortest.hops);
                    holds(&name, &case, promise, &routes, hops);
                }
                Err(decline) => {
                    assert!(!promise.always, "{name}: {decline}");
                    assert!(decline.reason.len() > 20, "{name}: {decline}");
                }
            }
        }
    }
}

#[test]
fn every_engine_keeps_its_promise_on_whole_fabrics() {
    every_engine(0.0, 1);
}

#[test]
fn every_engine_keeps_its_promise_with_one_link_in_a_hundred_failed() {
    every_engine(1.0, 2);
}

#[test]
fn every_engine_keeps_its_promise_with_three_links_in_a_hundred_failed() {
    every_engine(3.0, 3);
}

#[test]
fn every_engine_keeps_its_promise_with_one_link_in_ten_failed() {
    every_engine(10.0, 4);
}
