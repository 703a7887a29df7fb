//! Times an engine on a fabric from a file, says how well it spreads and how many lanes it needs,
//! and holds it against the tables that opensm made of the same fabric. The second time is that of
//! the processor, all threads together.
//!
//! `cargo run --release -p lk-routing --example lane_bench -- FABRIC ENGINE [VLS [DUMPS]]`, where
//! DUMPS is a folder with opensm's guid2lid and opensm.fdbs.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use lk_diag::SourceFile;
use lk_fabric::Fabric;
use lk_fabric::dumps::fdbs::{self, Entry};
use lk_fabric::text::read_fabric;
use lk_routing::proof::{LaneMap, SlSet, Traffic};
use lk_routing::{DataVls, Lfts, LidMap, RouteJob, RouteOptions, check, find, prove, quality};
use lk_wire::{Lid, Sl, Vl};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, engine, rest @ ..] = &args[..] else {
        return Err("give FABRIC ENGINE [VLS [DUMPS]]".into());
    };
    let vls: u8 = rest.first().map_or(Ok(8), |n| n.parse())?;
    let (read, _) = read_fabric(&source(Path::new(file))?);
    let fabric = &read.ok_or("no fabric")?.fabric;
    let lids = &match rest.get(1) {
        Some(folder) => their_lids(fabric, Path::new(folder))?,
        None => LidMap::new(
            fabric.end_ports().zip(1..).map(|(port, lid)| (port, Lid(lid), 0)).collect(),
        ),
    };
    if let Some(folder) = rest.get(1) {
        let lfts = their_tables(fabric, lids, Path::new(folder))?;
        print_quality("theirs", fabric, lids, &lfts);
    }
    let data_vls = DataVls { switches: vls, end_ports: vls };
    let options =
        &RouteOptions { qos: true, data_vls, nue_max_num_vls: vls, ..RouteOptions::default() };
    let job = RouteJob { fabric, lids, options, previous: None };
    let (start, before) = (Instant::now(), worked());
    let engine = find(engine).ok_or("no such engine")?;
    let routes = engine.plan(&job).map_err(|decline| decline.to_string())?;
    println!(
        "{}: {:.3?}, {:.3?}, peak memory {} MB",
        routes.engine,
        start.elapsed(),
        worked().saturating_sub(before),
        peak_megabytes()
    );
    for note in &routes.notes {
        println!("  {note}");
    }
    print_quality("ours", fabric, lids, &routes.lfts);
    let found = check(fabric, lids, &routes.lfts);
    println!("  loops {}, unreached {}", found.loops.len(), found.unreached.len());
    let (start, before) = (Instant::now(), worked());
    let identity = LaneMap::new(|sl| Vl(sl.0 % 15));
    let lanes = routes.proof_lanes(fabric, &identity);
    let sls = routes.proof_sls(lids, SlSet::one(Sl(0)));
    let proof = prove(fabric, lids, &routes.lfts, &lanes, &sls, Traffic::EndPorts);
    println!(
        "  proof: {} on {} lanes, {} waits, {:.3?}, {:.3?}",
        if proof.deadlock_free() { "free of deadlocks" } else { "CAN DEADLOCK" },
        proof.vls.len(),
        proof.waits,
        start.elapsed(),
        worked().saturating_sub(before)
    );
    Ok(())
}

/// The time that the threads of this process have worked, from the kernel's account.
fn worked() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// The most memory this process has held, from the kernel's account.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn print_quality(whose: &str, fabric: &Fabric, lids: &LidMap, lfts: &Lfts) {
    let q = quality(fabric, lids, lfts);
    println!(
        "  {whose}: {} broken; {} hops at most, {:.4} on average; routes per link {} at most, {} \
         (99 %), {:.1} on average",
        q.broken,
        q.max_hops,
        q.mean_hops(),
        q.max_routes_per_link(),
        q.percentile(99),
        q.mean_routes_per_link()
    );
}

fn source(path: &Path) -> Result<SourceFile, Failure> {
    Ok(SourceFile::new(path.display().to_string(), std::fs::read(path)?))
}

fn their_lids(fabric: &Fabric, folder: &Path) -> Result<LidMap, Failure> {
    let text = std::fs::read_to_string(folder.join("guid2lid"))?;
    let ports: std::collections::BTreeMap<u64, _> =
        fabric.end_ports().map(|p| (fabric.port(p).guid.0, p)).collect();
    let mut ranges = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty()) {
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16);
        let words: Vec<u64> = line.split_whitespace().map(number).collect::<Result<_, _>>()?;
        if let Some(port) = ports.get(&words[0]) {
            ranges.push((*port, Lid(words[1] as u16), 0));
        }
    }
    Ok(LidMap::new(ranges))
}

fn their_tables(fabric: &Fabric, lids: &LidMap, folder: &Path) -> Result<Lfts, Failure> {
    let (tables, _) = fdbs::read(&source(&folder.join("opensm.fdbs"))?);
    let top = lids.top();
    let mut rows = vec![vec![Lfts::NO_PATH; Lfts::row_len(top)]; fabric.switches().len()];
    for table in tables {
        let node = fabric.node_by_guid(table.guid).ok_or("strange switch")?;
        let switch = fabric.as_switch(node).ok_or("no switch")?;
        for (lid, entry) in table.entries {
            if let Entry::Path { port, .. } = entry {
                rows[switch.index()][usize::from(lid.0)] = port.0;
            }
        }
    }
    Ok(Lfts { top, rows: rows.into_iter().map(Into::into).collect() })
}
