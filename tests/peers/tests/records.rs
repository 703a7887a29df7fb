//! Every record that saquery knows, by every selector that it has: what lanekeeper answers, beside
//! what opensm answers on the same simulated fabric.

use std::fs::File;
use std::process::{Command, Stdio};

use lk_peers::sa_setup::clients;
use lk_peers::{Simulated, process};

const SMALL: &str = include_str!("../fabrics/small.net");
/// One a line, as saquery takes them.
const QUERIES: &str = include_str!("../paths/saquery.txt");

/// The small fabric without the second cable between its switches: which of the two an engine
/// takes is not what is compared here.
fn fabric() -> String {
    SMALL
        .replace("[5]\t\"S-0000000000200003\"[2]\n", "")
        .replace("[2]\t\"S-0000000000200001\"[5]\n", "")
}

fn arguments(query: &str) -> Vec<&str> {
    // Names have blanks in them.
    match query.split_once(' ') {
        Some((option @ ("-L" | "-l" | "-G" | "--src-to-dst"), name)) => vec![option, name],
        _ => query.split(' ').collect(),
    }
}

/// A number behind a name and dots.
fn number(record: &str, name: &str) -> Option<u32> {
    let line = record.lines().find(|l| l.trim_start().starts_with(name))?;
    line.rsplit('.').next()?.trim().parse().ok()
}

/// Whether a record may differ, each for a reason that `docs/differences.md` gives.
fn is_another_on_purpose(record: &str) -> bool {
    // The port has no link.
    let down =
        record.contains("PortInfo") && record.contains("LinkState") && record.contains("Down");
    // P_Keys at ports where switches face each other.
    let keys = record.starts_with("PKeyTableRecord");
    let place = (number(record, "LID"), number(record, "Port"));
    let between =
        [(2, 4), (3, 4), (4, 1), (4, 3)].iter().any(|(l, p)| place == (Some(*l), Some(*p)));
    down || (keys && between)
}

/// The records in what saquery has printed, each with its heading; sorted, since nothing promises
/// an order.
fn records(printed: &str) -> Vec<String> {
    let mut records: Vec<String> = Vec::new();
    for line in printed.lines().filter(|l| !l.is_empty() && !l.contains("ActCount")) {
        if !line.starts_with('\t') || records.is_empty() {
            records.push(String::new());
        }
        if let Some(record) = records.last_mut() {
            *record += line;
            *record += "\n";
        }
    }
    records.retain(|r| !is_another_on_purpose(r));
    records.sort();
    records
}

/// A query, the exit code, and the records.
type Answer = (String, Option<i32>, Vec<String>);

fn answers(fabric: &Simulated) -> Vec<Answer> {
    let input = fabric.folder().join("clients.txt");
    std::fs::write(&input, clients()).expect("a file");
    let mut command: Command = fabric.command(None, env!("CARGO_BIN_EXE_sa-raw"));
    command.stdin(Stdio::from(File::open(input).expect("it was written")));
    let taken = command.output().expect("sa-raw was built");
    let taken = String::from_utf8_lossy(&taken.stdout).into_owned();
    let refused = taken.lines().filter(|answer| answer.get(8..12) != Some("0000")).count();
    assert_eq!((taken.lines().count(), refused), (6, 0), "{taken}");
    let ask = |query: &str| {
        let outcome: process::Outcome = fabric.client("saquery", &arguments(query));
        (query.to_owned(), outcome.code, records(&outcome.out))
    };
    QUERIES.lines().map(ask).collect()
}

fn difference(theirs: &Answer, ours: &Answer) -> String {
    let only = |sign: char, a: &Answer, b: &Answer| {
        let records = a.2.iter().filter(|record| !b.2.contains(record));
        records.map(|record| format!("\n{sign} {record}")).collect::<String>()
    };
    let codes = (theirs.1, ours.1);
    let (minus, plus) = (only('-', theirs, ours), only('+', ours, theirs));
    format!("saquery {} {codes:?}{minus}{plus}", theirs.0)
}

#[test]
fn every_record_by_every_selector_as_from_opensm() {
    let (theirs, ours) = (Simulated::start(&fabric()), Simulated::start(&fabric()));
    let _opensm = theirs.opensm(&["-s", "0"]);
    let _lanekeeper = ours.lanekeeper(&["-s", "0"]);
    let (expected, got) = (answers(&theirs), answers(&ours));
    assert!(expected.iter().filter(|answer| !answer.2.is_empty()).count() > 120);
    let differing: Vec<String> =
        expected.iter().zip(&got).filter(|(e, g)| e != g).map(|(e, g)| difference(e, g)).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
