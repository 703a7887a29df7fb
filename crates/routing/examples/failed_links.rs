//! Fails links of a fat-tree one by one, routes by what stands, and says how long that took.
//!
//! `cargo run --release -p lk-routing --example failed_links -- [RADIX LEVELS [LINKS [ENGINE]]]`;
//! without arguments: `48 3 3`, and each engine that can be routed by what is known.

#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::time::Instant;

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, FabricBuilder, NodeSpec, PortId};
use lk_routing::{Ledger, LidMap, RouteJob, RouteOptions, quality, route};
use lk_wire::Lid;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, other: u32| words.get(at).map_or(Ok(other), |word| word.parse());
    let levels = word(1, 3)?;
    let tree = FatTree::new(word(0, 48)? as u8, levels as u8);
    let links = word(2, 3)? as usize;
    let fabric = generate(&TopoSpec::new(Shape::FatTree(tree)))?.fabric;
    let ranges = fabric.end_ports().zip(1..).map(|(port, lid)| (port, Lid(lid), 0));
    let lids = LidMap::new(ranges.collect());
    let is_switch = |p: PortId| fabric.as_switch(fabric.owner(p)).is_some();
    let cables: Vec<PortId> =
        fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b)).map(|(a, _)| a).collect();
    let top = fabric.switch_ids().map(|s| fabric.node(fabric.switch_node(s)));
    let roots = top
        .filter(|node| node.description.starts_with(&format!("L{}", levels - 1)))
        .map(|n| n.guid)
        .collect();
    let options = RouteOptions { roots: Some(roots), ..RouteOptions::default() };
    let only = words.get(3).map(String::as_str);
    let engines = ["minhop", "updn", "dnup", "ftree", "sssp"];
    for engine in engines.into_iter().filter(|engine| only.is_none_or(|only| only == *engine)) {
        let job = RouteJob { fabric: &fabric, lids: &lids, options: &options, previous: None };
        let start = Instant::now();
        let outcome = route(engine, &job);
        let routed = start.elapsed();
        let start = Instant::now();
        let Some(mut ledger) = Ledger::new(&job, &outcome) else {
            println!("{engine}: can deadlock, or another engine took over");
            continue;
        };
        println!("{engine}: afresh {routed:.3?}, stock and proof {:.3?}", start.elapsed());
        let mut gone = BTreeSet::new();
        for number in 0..links {
            gone.insert(cables[(number + 1) * cables.len() / (links + 1)]);
            let fabric = without(&fabric, &gone)?;
            let job = RouteJob { fabric: &fabric, ..job };
            let start = Instant::now();
            let (outcome, next) = match ledger.reroute(engine, &job) {
                Ok(found) => found,
                Err(why) => {
                    println!("  no short way, known after {:.3?}: {why}", start.elapsed());
                    let outcome = route(engine, &RouteJob { previous: Some(ledger.lfts()), ..job });
                    let Some(next) = Ledger::new(&job, &outcome) else { break };
                    println!(
                        "  made afresh; between hosts alone: {}; {}",
                        next.hosts_only(),
                        loads(engine, &job, &next)
                    );
                    ledger = next;
                    continue;
                }
            };
            let routed = start.elapsed();
            let start = Instant::now();
            let proved = next.prove(&[]);
            let moved = outcome.kept.map_or(0, |kept| kept.moved);
            println!(
                "  one link failed: {moved} entries moved, {routed:.3?}, figures of the proof \
                 {:.3?} ({})",
                start.elapsed(),
                if proved.is_some() { "free of deadlocks" } else { "can deadlock" }
            );
            println!("    {}", loads(engine, &job, &next));
            ledger = next;
        }
    }
    Ok(())
}

/// What the fullest link carries, and what it would carry in a routing made afresh.
fn loads(engine: &str, job: &RouteJob<'_>, ledger: &Ledger) -> String {
    let outcome = route(engine, job);
    let fresh = outcome.routes.map(|routes| quality(job.fabric, job.lids, &routes.lfts));
    format!(
        "routes on the fullest link: {}; in a routing made afresh: {}",
        ledger.max_routes_per_link(),
        fresh.map_or(0, |fresh| fresh.max_routes_per_link())
    )
}

/// The same fabric without some cables.
fn without(fabric: &Fabric, gone: &BTreeSet<PortId>) -> Result<Fabric, Box<dyn std::error::Error>> {
    let mut builder = FabricBuilder::new();
    let mut added = Vec::new();
    for node in fabric.nodes() {
        let spec = NodeSpec::new(node.guid, node.kind, &node.description, node.num_ports);
        added.push(builder.add_node(spec)?);
    }
    for (a, b) in fabric.links().filter(|(a, b)| !gone.contains(a) && !gone.contains(b)) {
        let end = |p: PortId| (added[fabric.owner(p).index()], fabric.port_num(p).0);
        builder.connect(end(a), end(b))?;
    }
    Ok(builder.build())
}
