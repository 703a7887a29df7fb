//! Times the engines on fat-trees and says how well they spread.
//!
//! `cargo run --release -p lk-routing --example bench -- [RADIX LEVELS [LMC [FAILED LINKS]]]`, for
//! instance `36 3 1 2%`. Without arguments: radix 36, 48 and 64, three levels.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use lk_fabric::topo::{Amount, FatTree, Faults, Shape, TopoSpec, generate};
use lk_routing::proof::{OneLane, SlSet, Traffic};
use lk_routing::{ENGINES, LidMap, RouteJob, RouteOptions, check, prove, quality};
use lk_wire::{Lid, Sl};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.len() < 2 {
        for radix in [36, 48, 64] {
            run(radix, 3, 0, Amount::default())?;
        }
        return Ok(());
    }
    let lmc = args.get(2).map_or(Ok(0), |a| a.parse())?;
    let failed = args.get(3).map_or(Ok(Amount::default()), |a| a.parse())?;
    run(args[0].parse()?, args[1].parse()?, lmc, failed)
}

fn run(radix: u8, levels: u8, lmc: u8, links: Amount) -> Result<(), Box<dyn std::error::Error>> {
    let mut spec = TopoSpec::new(Shape::FatTree(FatTree::new(radix, levels)));
    spec.faults = Faults { links, seed: 1, ..Faults::default() };
    let fabric = generate(&spec)?.fabric;
    let mut next = 1_u32;
    let ranges = fabric.end_ports().map(|port| {
        let lid = next.next_multiple_of(1 << lmc);
        next = lid + (1 << lmc);
        (port, Lid(lid as u16), lmc)
    });
    let lids = LidMap::new(ranges.collect());
    let options = RouteOptions::default();
    println!(
        "fattree {radix} {levels}, LMC {lmc}: {} switches, {} LIDs",
        fabric.switches().len(),
        next
    );
    for engine in ENGINES {
        let job = RouteJob { fabric: &fabric, lids: &lids, options: &options, previous: None };
        let start = Instant::now();
        let routes = match engine.plan(&job) {
            Ok(routes) => routes,
            Err(decline) => {
                println!("  {decline}");
                continue;
            }
        };
        let routed = start.elapsed();
        let start = Instant::now();
        let found = check(&fabric, &lids, &routes.lfts);
        let checked = start.elapsed();
        let q = quality(&fabric, &lids, &routes.lfts);
        let start = Instant::now();
        let proof =
            prove(&fabric, &lids, &routes.lfts, &OneLane, &SlSet::one(Sl(0)), Traffic::EndPorts);
        println!(
            "  {}: {routed:.3?} (check {checked:.3?}, proof {:.3?}), peak memory {} MB",
            routes.engine,
            start.elapsed(),
            peak_megabytes()
        );
        println!(
            "    {} on one lane; {} channels, {} waits",
            if proof.deadlock_free() { "free of deadlocks" } else { "can deadlock" },
            proof.channels,
            proof.waits
        );
        println!(
            "    {} hops at most, {:.3} on average; {} routes broken, {} loops, end ports connected: {}",
            q.max_hops,
            q.mean_hops(),
            q.broken,
            found.loops.len(),
            found.end_ports_connected()
        );
        for l in &q.levels {
            println!(
                "    level {} {}: {} LIDs at most, {:.2} on average; {} routes at most, {:.1}",
                l.level,
                if l.up { "up  " } else { "down" },
                l.max_lids,
                l.mean_lids,
                l.max_routes,
                l.mean_routes
            );
        }
        if let Some(worst) = q.worst_uplink {
            println!("    worst uplink: {} LIDs, ideal {}", worst.lids, worst.ideal);
        }
        for note in &routes.notes {
            println!("    {note}");
        }
    }
    Ok(())
}

/// The most memory this process has held, from the kernel's account.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
