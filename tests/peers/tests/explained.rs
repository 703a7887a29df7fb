//! What `lanekeeper explain` says against what the field's programs see on the same fabric with
//! lanekeeper as its manager: saquery the SL of a path, ibtracert its links, smpquery the tables.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use lk_peers::{Lanekeeper, Simulated, Torus, process, smpquery};
use serde_json::Value;

/// A link as the field's programs show it: LID of the sender, ingress and egress port, and lane.
type Hop = (u16, u8, u8, u8);

fn text(fabric: &Simulated, program: &str, arguments: &[&str]) -> String {
    fabric.client(program, arguments).success()
}

/// The SL that saquery is answered.
fn sl(fabric: &Simulated, from: u64, to: u64, more: &[&str]) -> u64 {
    let (from, to) = (from.to_string(), to.to_string());
    let mut arguments = vec!["-p", "--slid", &from, "--dlid", &to];
    arguments.extend(more);
    let answer = text(fabric, "saquery", &arguments);
    let line = answer.lines().find_map(|line| line.trim().strip_prefix("sl."));
    let digits = line.and_then(|line| line.trim_start_matches('.').strip_prefix("0x"));
    let sl = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    sl.unwrap_or_else(|| panic!("no path: {answer}"))
}

/// The links that ibtracert shows, with the lane that smpquery shows for an SL.
fn hops(fabric: &Simulated, from: u64, to: u64, sl: u64) -> Vec<Hop> {
    let trace = text(fabric, "ibtracert", &[&from.to_string(), &to.to_string()]);
    let number = |text: &str, before: &str, after: &str| -> u16 {
        let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("{before} in {text}"));
        rest.split(after).next().unwrap_or_default().parse().unwrap_or_else(|_| panic!("{text}"))
    };
    let (mut at, mut ingress) = (number(&trace, " lid ", "-"), 0);
    let mut hops = Vec::new();
    for line in trace.lines().filter(|line| line.starts_with('[')) {
        let egress = number(line, "[", "]") as u8;
        let table = text(fabric, "smpquery", &["sl2vl", &at.to_string(), &egress.to_string()]);
        let rows = smpquery::sl2vl(&table);
        let row = rows.iter().find(|(from, _)| *from == ingress).expect("a row for the port");
        hops.push((at, ingress, egress, row.1[sl as usize]));
        at = number(line, " lid ", "-");
        ingress = number(line, "}[", "]") as u8;
    }
    hops
}

/// What explain says of one direction: the SL, and of each link ingress, egress and lane. Its
/// switches have names and no LIDs; one that is not the same has other ports, too.
fn explained(way: &Value) -> (u64, Vec<(u64, u64, u64)>) {
    let sl = way["choice"]["path"]["sl"].as_u64().unwrap_or_else(|| panic!("no path: {way}"));
    let hop = |hop: &Value| {
        let from = hop["from"].as_str().expect("a name");
        let egress: u64 = from.rsplit('/').next().and_then(|n| n.parse().ok()).expect("a port");
        let number = |value: &Value| value.as_u64().expect("a number");
        (number(&hop["ingress"]), egress, number(&hop["lane"]["vl"]))
    };
    (sl, way["hops"].as_array().expect("hops").iter().map(hop).collect())
}

/// Compares both directions between ports that are named by their LIDs; gives the SLs that occur.
fn compare(
    fabric: &Simulated,
    pairs: &[(u64, u64)],
    options: &[&str],
    query: [&[&str]; 2],
) -> BTreeSet<u64> {
    let mut sls = BTreeSet::new();
    for (from, to) in pairs {
        let (from_word, to_word) = (from.to_string(), to.to_string());
        let mut arguments = vec!["explain", &from_word, &to_word, "--fabric", "fabric.net"];
        arguments.extend(options);
        arguments.extend(query[0]);
        arguments.push("--json");
        let report = Lanekeeper::run(fabric.folder(), &arguments).success();
        let report: Value = serde_json::from_str(&report).expect("JSON");
        for (way, a, b) in [("there", *from, *to), ("back", *to, *from)] {
            let (own_sl, own_hops) = explained(&report[way]);
            sls.insert(own_sl);
            assert_eq!(own_sl, sl(fabric, a, b, query[1]), "{a} to {b}");
            let theirs = hops(fabric, a, b, own_sl);
            let theirs: Vec<(u64, u64, u64)> = theirs
                .into_iter()
                .map(|(_, ingress, egress, vl)| (ingress.into(), egress.into(), vl.into()))
                .collect();
            assert_eq!(own_hops, theirs, "{a} to {b}: {report:#}");
        }
    }
    sls
}

#[test]
fn a_torus_whose_engine_sets_the_sl_and_the_lanes() {
    let torus = Torus::new([5, 4, 1], [false; 3], &[[0, 0, 0]]);
    let fabric = Simulated::start(&torus.net());
    fs::write(fabric.folder().join("torus.conf"), torus.conf()).expect("a file");
    let options = ["-Q", "-R", "torus-2QoS", "--torus_config", "torus.conf"];
    let _manager = fabric.lanekeeper(&options);
    let lid = |at: [u32; 3]| {
        let guid = format!("0x{:x}", torus.host_guid(at));
        let words = ["explain", &guid, "1", "--fabric", "fabric.net", "--json"];
        let report = Lanekeeper::run(fabric.folder(), &[&words[..], &options].concat());
        let report: Value = serde_json::from_str(&report.success()).expect("JSON");
        report["from"]["lid"].as_u64().expect("a LID")
    };
    // Every third host, each with one far away.
    let lids: Vec<u64> = torus.places().into_iter().step_by(3).map(lid).collect();
    let pairs: Vec<(u64, u64)> =
        lids.iter().zip(lids.iter().skip(3).chain(&lids)).map(|(a, b)| (*a, *b)).collect();
    let sls = compare(&fabric, &pairs, &options, [&[], &[]]);
    assert!(sls.len() > 1, "the engine has several: {sls:?}");
}

#[test]
fn a_fat_tree_whose_policy_sets_the_sl() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let tree = ["topo", "fattree", "8", "2", "--hosts", "2", "--format", "ibsim"];
    let fabric = Simulated::start(&Lanekeeper::run(here.path(), &tree).success());
    let policy = "qos-levels\n qos-level\n  name: DEFAULT\n  sl: 1\n end-qos-level\n qos-level\n  \
                  name: fast\n  sl: 11\n end-qos-level\nend-qos-levels\nqos-match-rules\n \
                  qos-match-rule\n  qos-class: 7\n  qos-level-name: fast\n end-qos-match-rule\n\
                  end-qos-match-rules\n";
    let conf = "qos TRUE\nmax_op_vls 3\nqos_policy_file policy.conf\n\
                qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nqos_swe_sl2vl 3,2,1,0\n";
    for (name, text) in [("policy.conf", policy), ("opensm.conf", conf)] {
        fs::write(fabric.folder().join(name), text).expect("a file");
    }
    let options = ["-F", "opensm.conf"];
    let _manager = fabric.lanekeeper(&options);
    let pairs = [(1, 16), (1, 3), (16, 10)];
    let classed = [&["--qos-class", "7"][..], &["--qos_class", "7"]];
    assert_eq!(compare(&fabric, &pairs, &options, classed), BTreeSet::from([11]));
    assert_eq!(compare(&fabric, &pairs, &options, [&[], &[]]), BTreeSet::from([1]));
}

/// The live fabric, with another subnet manager than ours as its master.
#[test]
fn a_live_fabric_is_read_and_its_master_is_asked() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let tree = ["topo", "fattree", "8", "2", "--hosts", "2", "--format", "ibsim"];
    let fabric = Simulated::start(&Lanekeeper::run(here.path(), &tree).success());
    let conf = "qos TRUE\nmax_op_vls 3\nqos_policy_file policy.conf\n\
                qos_sl2vl 3,2,1,0,0,1,2,3,0,0,0,0,0,0,0,0\n";
    let policy = "qos-levels\n qos-level\n  name: DEFAULT\n  sl: 6\n end-qos-level\n\
                  end-qos-levels\n";
    for (name, text) in [("policy.conf", policy), ("opensm.conf", conf)] {
        fs::write(fabric.folder().join(name), text).expect("a file");
    }
    let _manager = fabric.opensm(&["-F", "opensm.conf"]);
    let explain = |more: &[&str]| {
        let mut command = fabric.command(None, Lanekeeper::path());
        command.args(["explain", "host0", "host7", "--live", "--json"]).args(more);
        let outcome = process::run(command, "lanekeeper", Duration::from_secs(60));
        let report: Value = serde_json::from_str(&outcome.out).expect("JSON");
        (outcome.code, report)
    };
    let (code, report) = explain(&[]);
    assert_eq!(code, Some(0), "{report:#}");
    let (sl, hops) = explained(&report["there"]);
    assert_eq!((sl, hops.len()), (6, 4));
    assert_eq!(report["there"]["choice"]["set_by"], "the subnet administration that was asked");
    let [from, to] = ["from", "to"].map(|end| report[end]["lid"].as_u64().expect("a LID"));
    let seen = self::hops(&fabric, from, to, sl);
    assert_eq!(hops, seen.iter().map(|h| (h.1.into(), h.2.into(), h.3.into())).collect::<Vec<_>>());
    assert!(hops.iter().all(|hop| hop.2 == 2), "{hops:?}");
    // With the site's files it is also known who set it.
    let (_, report) = explain(&["-F", "opensm.conf"]);
    assert_eq!(report["there"]["choice"]["set_by"], "level `DEFAULT` of the QoS policy");
    let (code, report) = explain(&["--sl", "1"]);
    assert_eq!(code, Some(1));
    assert!(report["there"]["no_path"].as_str().expect("a reason").contains("none that it shows"));
    let (_, report) = explain(&["--mgid", "ff12:401b:ffff::1234"]);
    let broken = report["multicast"]["broken"].as_str().expect("a reason");
    assert!(broken.contains("no such group"), "{broken}");
}
