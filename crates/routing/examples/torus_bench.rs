//! Times torus-2QoS and the proof of its result.
//!
//! `cargo run --release -p lk-routing --example torus_bench -- [X Y Z HOSTS]`; without arguments
//! 8x8x8 with 4 hosts a switch, 10x10x10 with 4 and 16x16x16 with 10.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use lk_fabric::topo::{Shape, TopoSpec, Torus, generate};
use lk_routing::proof::{OneLane, SlSet, Traffic};
use lk_routing::{DataVls, LidMap, RouteJob, RouteOptions, TorusSeed, TorusSpec, prove, route};
use lk_wire::{Guid, Lid};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Result<Vec<u32>, _> = std::env::args().skip(1).map(|a| a.parse()).collect();
    match numbers?[..] {
        [] => {
            for (radix, hosts) in [([8; 3], 4), ([10; 3], 4), ([16; 3], 10)] {
                run(radix, hosts)?;
            }
            Ok(())
        }
        [x, y, z, hosts] => run([x, y, z], u8::try_from(hosts)?),
        _ => Err("give X Y Z HOSTS, or nothing".into()),
    }
}

fn run(radix: [u32; 3], hosts: u8) -> Result<(), Box<dyn std::error::Error>> {
    let shape = Torus { hosts, ..Torus::new(&radix) };
    let fabric = generate(&TopoSpec::new(Shape::Torus(shape)))?.fabric;
    let lids = fabric.end_ports().zip(1..).map(|(port, lid)| (port, Lid(lid), 0));
    let lids = LidMap::new(lids.collect());
    let options = RouteOptions {
        qos: true,
        data_vls: DataVls { switches: 8, end_ports: 8 },
        torus: Some(TorusSpec::new(radix, vec![seed(radix)])),
        ..RouteOptions::default()
    };
    let job = RouteJob { fabric: &fabric, lids: &lids, options: &options, previous: None };
    let start = Instant::now();
    let outcome = route("torus-2QoS,no_fallback", &job);
    let routed = start.elapsed();
    let Some(routes) = outcome.routes else {
        return Err(format!("{:?}", outcome.declined).into());
    };
    let start = Instant::now();
    let lanes = routes.proof_lanes(&fabric, &OneLane);
    let sls = routes.proof_sls(&lids, SlSet::ALL);
    let proof = prove(&fabric, &lids, &routes.lfts, &lanes, &sls, Traffic::EndPorts);
    println!(
        "torus {radix:?}: {} switches, {} LIDs: routed in {routed:.3?}, {} in {:.3?} \
         ({} channels, {} waits)",
        fabric.switches().len(),
        lids.top(),
        if proof.deadlock_free() { "proved" } else { "refuted" },
        start.elapsed(),
        proof.channels,
        proof.waits
    );
    Ok(())
}

/// A seed at the switch with the lowest GUID: the generator numbers switches with z fastest.
fn seed([_, y, z]: [u32; 3]) -> TorusSeed {
    let guid = |n: u32| Guid(0x20_0000 + u64::from(n));
    let link = |n: u32| Some((guid(0), guid(n)));
    TorusSeed { links: [link(y * z), None, link(z), None, link(1), None], dateline: [0; 3] }
}
