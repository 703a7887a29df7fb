//! Shares as they follow from arbitration tables against bandwidths that a site measured between
//! two real adapters, with the tables that its ports held.
//!
//! The arithmetic is that of a link that is full. What the site measured never filled its links, so
//! it agrees where the tables give busy lanes the same, and where a lane has no weight; see the
//! guide. The lists below say which experiment is which, so that a change of either shows.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};

use lk_qos::{ArbTables, Busy, shares};
use lk_wire::{Vl, VlArbEntry};

/// How far a flow's share may be off, as a part of it.
const CLOSE: f64 = 0.05;
/// LRH, BTH and checks around the payload of a packet.
const OVERHEAD: u32 = 26;
/// What 4x QDR carries of data in ten seconds, in bytes: the fastest that these adapters can do.
const FULL: u64 = 40_000_000_000;

/// The site's notes.
fn notes() -> Option<String> {
    let shared = std::env::var_os("LANEKEEPER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let text = fs::read_to_string(shared.join("cases/qos/q01-measured-bandwidth-and-smpquery.txt"));
    if text.is_err() {
        eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    }
    text.ok()
}

/// One experiment: flows on SLs, and the bytes that each received in the last ten seconds.
#[derive(Debug)]
struct Experiment {
    name: String,
    tables: ArbTables,
    sl2vl: Vec<u8>,
    sls: Vec<u8>,
    bytes: Vec<u64>,
}

/// Reads the notes: what smpquery printed of the tables counts for the experiments below it.
fn experiments(text: &str) -> Vec<Experiment> {
    let (mut tables, mut sl2vl) = (ArbTables::default(), Vec::new());
    let (mut high, mut vls) = (false, Vec::new());
    let (mut chapter, mut title) = ("", String::new());
    let mut all: Vec<Experiment> = Vec::new();
    for line in text.lines().map(str::trim) {
        let cells = || line.split('|').skip(1).map(str::trim).filter(|cell| !cell.is_empty());
        let hex = |cell: &str| u8::from_str_radix(cell.trim_start_matches("0x"), 16).expect("hex");
        if line.starts_with("Tests with") {
            chapter = if line.contains("default") { "default" } else { "modified" };
        } else if line.starts_with("ports: in") {
            sl2vl = cells().map(|cell| cell.parse().expect("a VL")).collect();
        } else if let Some(limit) = line.strip_prefix("VLHighLimit:") {
            tables.high_limit = limit.trim_start_matches('.').parse().expect("a limit");
        } else if line.starts_with("# Low priority") || line.starts_with("# High priority") {
            high = line.starts_with("# High");
        } else if line.starts_with("VL    :") {
            vls = cells().map(|cell| Vl(hex(cell))).collect();
        } else if line.starts_with("WEIGHT:") {
            let weights = cells().map(hex);
            let entries =
                vls.iter().zip(weights).map(|(vl, weight)| VlArbEntry { vl: *vl, weight });
            *(if high { &mut tables.high } else { &mut tables.low }) = entries.collect();
        } else if line.get(1..3) == Some(") ") {
            title = format!("{chapter} {line}");
        } else if line.contains("--thread=tx") {
            let sls = line.split("--ib-sl=").nth(1).expect("SLs").split(' ').next().expect("SLs");
            let sls: Vec<u8> = sls.split(',').map(|sl| sl.parse().expect("an SL")).collect();
            let (name, bytes) = (title.clone(), vec![0; sls.len()]);
            let (tables, sl2vl) = (tables.clone(), sl2vl.clone());
            all.push(Experiment { name, tables, sl2vl, sls, bytes });
        } else if let Some((flow, rest)) =
            line.strip_prefix("Rx_").and_then(|line| line.split_once(" received "))
        {
            let bytes = rest.split(' ').next().expect("bytes").parse().expect("bytes");
            let experiment = all.last_mut().expect("an experiment");
            experiment.bytes[flow.parse::<usize>().expect("a flow")] = bytes;
        }
    }
    all
}

impl Experiment {
    /// The share that each flow should have: that of its lane, in equal parts.
    fn expected(&self, mtu: u32) -> Vec<f64> {
        let lane = |sl: &u8| Vl(self.sl2vl[usize::from(*sl)]);
        let packet = mtu + OVERHEAD;
        let mut busy: Vec<Busy> = self.sls.iter().map(|sl| Busy { vl: lane(sl), packet }).collect();
        busy.dedup();
        let shares = shares(&self.tables, &busy);
        let flows = |vl: Vl| self.sls.iter().filter(|sl| lane(sl) == vl).count() as f64;
        self.sls.iter().map(|sl| shares.of(lane(sl)) / flows(lane(sl))).collect()
    }

    /// The share that each flow should have if the lanes that have weight took turns as equals.
    fn by_equal_turns(&self) -> Vec<f64> {
        let lane = |sl: &u8| Vl(self.sl2vl[usize::from(*sl)]);
        let entries = || self.tables.high.iter().chain(&self.tables.low);
        let served = |vl: Vl| entries().any(|entry| entry.vl == vl && entry.weight > 0);
        let mut lanes: Vec<Vl> = self.sls.iter().map(lane).filter(|vl| served(*vl)).collect();
        lanes.dedup();
        let flows = |vl: Vl| self.sls.iter().filter(|sl| lane(sl) == vl).count();
        let share = |sl: &u8| {
            let parts = lanes.len() * flows(lane(sl));
            if served(lane(sl)) { 1.0 / parts as f64 } else { 0.0 }
        };
        self.sls.iter().map(share).collect()
    }

    fn total(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// How far the flow that is furthest off is off, as a part of what it should have.
    fn worst(&self, expected: &[f64]) -> f64 {
        let total = self.total() as f64;
        let off = |(expected, bytes): (&f64, &u64)| {
            let got = *bytes as f64 / total;
            if *expected > 0.0 { (got - expected).abs() / expected } else { got }
        };
        expected.iter().zip(&self.bytes).map(off).fold(0.0, f64::max)
    }
}

#[test]
fn shares_agree_with_what_was_measured_where_busy_lanes_have_equal_weight_or_none() {
    let Some(text) = notes() else { return };
    let all = experiments(&text);
    let mut verdicts = Vec::new();
    for experiment in &all {
        let worst = experiment.worst(&experiment.expected(2048));
        let other = experiment.worst(&experiment.expected(4096));
        assert!((worst - other).abs() < 1e-9, "the MTU does not matter here");
        verdicts.push((experiment.name.get(..experiment.name.len().min(11)), worst < CLOSE));
    }
    let wanted = [
        ("default a) ", true),
        ("default b) ", true),
        ("default c) ", true),
        ("default d) ", true),
        ("modified a)", true),
        ("modified b)", false),
        ("modified c)", true),
        ("modified d)", false),
        // Two experiments have this letter: SLs 1, 1, 2, and SLs 2, 2, 3.
        ("modified e)", false),
        ("modified e)", true),
    ];
    let wanted: Vec<_> = wanted.into_iter().map(|(name, close)| (Some(name), close)).collect();
    assert_eq!(verdicts, wanted, "{all:#?}");
}

#[test]
fn the_flow_that_stood_still_is_the_one_without_weight() {
    let Some(text) = notes() else { return };
    for experiment in experiments(&text) {
        let lanes: Vec<Vl> =
            experiment.sls.iter().map(|sl| Vl(experiment.sl2vl[usize::from(*sl)])).collect();
        let all = experiment.tables.high.iter().chain(&experiment.tables.low);
        let weighted: Vec<Vl> = all.filter(|e| e.weight > 0).map(|e| e.vl).collect();
        for (vl, bytes) in lanes.iter().zip(&experiment.bytes) {
            assert_eq!(*bytes == 0, !weighted.contains(vl), "{}: {vl:?}", experiment.name);
        }
    }
}

/// The adapter fed its lanes in turns of its own: that explains all of them.
#[test]
fn equal_turns_of_lanes_with_weight_explain_every_experiment() {
    let Some(text) = notes() else { return };
    for experiment in experiments(&text) {
        let worst = experiment.worst(&experiment.by_equal_turns());
        assert!(worst < CLOSE, "{worst}: {experiment:#?}");
    }
}

/// Why the weights did not count: arbitration decides who goes first on a link that is full.
#[test]
fn no_experiment_filled_its_link() {
    let Some(text) = notes() else { return };
    let most = experiments(&text).iter().map(Experiment::total).max();
    assert!(most.is_some_and(|most| most < FULL / 100 * 81), "{most:?}");
}
