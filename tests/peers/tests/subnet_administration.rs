//! What saquery is answered by lanekeeper, beside what opensm answers it on the same fabric.
//!
//! ibsim carries single datagrams only, so that each query is for one record, or for as few as fit
//! into one datagram.

use std::time::Duration;

use lk_peers::{Daemon, Ibsim, process};

const SMALL: &str = include_str!("../fabrics/small.net");

/// The small fabric without the second cable between its switches: which of the two an engine
/// takes is not what is compared here.
fn fabric() -> String {
    SMALL
        .replace("[5]\t\"S-0000000000200003\"[2]\n", "")
        .replace("[2]\t\"S-0000000000200001\"[5]\n", "")
}

/// Queries that saquery knows, with their selectors. LIDs are those that both managers give: 1 the
/// manager's host, 2 to 4 switches, 5 to 9 hosts.
const QUERIES: &[&str] = &[
    "CPI",
    "NR 1",
    "NR 2",
    "NR 6",
    "NR 7",
    "-O 5",
    "-L cn001 HCA-1",
    "PIR 1",
    "PIR 2/0",
    "PIR 2/1",
    "PIR 2/4",
    "PIR 6/1",
    "PIR 7",
    "--smkey 1 PIR 5",
    "SL2VL 1",
    "SL2VL 2/1/2",
    "SL2VL 2/0/4",
    "SL2VL 6/0/1",
    "--smkey 1 PKTR 5/1/0",
    "--smkey 1 PKTR 2/1/0",
    "VLAR 5/1/1",
    "VLAR 2/1/3",
    "VLAR 2/4/4",
    "LR 2/1",
    "LR 2 3",
    "LR 2/4 4/1",
    "LR 5",
    "LR 2/5",
    "LFTR 2/0",
    "LFTR 3/0",
    "LFTR 2/1",
    "GIR 5/0",
    "GIR 2/0",
    "GIR 5/1",
    "SWIR 2",
    "SWIR 5",
    "SWIR 99",
    "SMIR 1",
    "SMIR 5",
    "NR 99",
    "PIR 99/1",
    "PKTR 5",
    "SR",
    "IIR",
    "-S",
    "-I",
];

/// A query, the exit code, what saquery printed.
type Answer = (String, Option<i32>, String);

/// The lines in which two answers differ.
fn differences(theirs: &Answer, ours: &Answer) -> String {
    let only = |sign: char, a: &Answer, b: &Answer| {
        let lines = a.2.lines().filter(|line| !b.2.lines().any(|other| other == *line));
        lines.map(|line| format!("\n{sign} {line}")).collect::<String>()
    };
    let codes = (theirs.1, ours.1);
    let (minus, plus) = (only('-', theirs, ours), only('+', ours, theirs));
    format!("saquery {} {codes:?}{minus}{plus}", theirs.0)
}

/// The answers to all queries; what changes from one moment to the next is left out.
fn answers(ibsim: &Ibsim) -> Vec<Answer> {
    let ask = |query: &&str| {
        let arguments: Vec<&str> = match query.split_once("-L ") {
            Some((_, name)) => vec!["-L", name],
            None => query.split(' ').collect(),
        };
        let outcome = ibsim.client("saquery", &arguments);
        let lines = outcome.out.lines().filter(|l| !l.contains("ActCount"));
        ((*query).to_owned(), outcome.code, lines.collect::<Vec<_>>().join("\n"))
    };
    QUERIES.iter().map(ask).collect()
}

fn compare(conf: &str, arguments: &[&str]) {
    let (theirs, ours) = (Ibsim::start(&fabric()), Ibsim::start(&fabric()));
    let _opensm = Daemon::opensm(&theirs, conf, arguments);
    let _lanekeeper = Daemon::lanekeeper(&ours, conf, arguments);
    let (expected, got) = (answers(&theirs), answers(&ours));
    let differing: Vec<String> =
        expected.iter().zip(&got).filter(|(e, g)| e != g).map(|(e, g)| differences(e, g)).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn saquery_sees_the_same_records() {
    compare("", &[]);
}

#[test]
fn saquery_sees_the_same_records_with_qos() {
    // opensm's tables are right after its second heavy sweep.
    compare("force_heavy_sweep TRUE\nsweep_interval 1\n", &["-Q"]);
}

/// ibsim carries no RMPP and no traps, so that osmtest's other flows fail there with opensm too.
#[test]
fn osmtest_creates_its_inventory_and_subscribes_on_ibsim() {
    let ibsim = Ibsim::start(&fabric());
    let _manager = Daemon::lanekeeper(&ibsim, "", &[]);
    for flow in ["c", "e"] {
        let mut command = ibsim.command("osmtest");
        command.args(["-f", flow]).current_dir(ibsim.folder());
        let outcome = process::run(command, "opensm", Duration::from_secs(60));
        assert!(outcome.out.contains("PASS"), "{flow}: {outcome:#?}");
    }
}
