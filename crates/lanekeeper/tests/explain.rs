//! `lanekeeper explain` as a shell sees it.

#![allow(clippy::float_cmp, reason = "shares of a half and of all are exact")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(line.split(' ')).current_dir(folder);
    command.output().expect("the binary was built for this test")
}

/// The report, after a look at the exit code.
fn report(folder: &Path, line: &str, code: i32) -> Value {
    let output = run(folder, &format!("explain {line} --json"));
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn complaint(folder: &Path, line: &str) -> String {
    let output = run(folder, &format!("explain {line}"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// A tree of eight hosts on four leaf switches.
fn tree() -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    let made = run(here.path(), "topo fattree 8 2 --hosts 2 --output tree");
    assert!(made.status.success(), "{made:?}");
    here
}

fn write(folder: &TempDir, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).expect("a file");
}

/// Two classes: `bulk` on SL 1 for service 0x2000, and what is left.
const POLICY: &str = "qos-levels\n qos-level\n  name: DEFAULT\n  sl: 0\n end-qos-level\n \
    qos-level\n  name: bulk\n  sl: 5\n  mtu-limit: 4\n end-qos-level\nend-qos-levels\n\
    qos-match-rules\n qos-match-rule\n  service-id: 0x1000\n  qos-level-name: DEFAULT\n \
    end-qos-match-rule\n qos-match-rule\n  service-id: 0x2000\n  qos-level-name: bulk\n \
    end-qos-match-rule\nend-qos-match-rules\n";

#[test]
fn ends_are_found_by_every_kind_of_name() {
    let here = tree();
    let ends = |a: &str, b: &str| {
        let report = report(here.path(), &format!("{a} {b} --fabric tree"), 0);
        (report["from"]["name"].clone(), report["to"]["name"].clone())
    };
    let wanted = ("host0 HCA-1/1".into(), "host7 HCA-1/1".into());
    for (a, b) in [
        ("host0", "HOST7"),
        ("host0/1", "0x100071"),
        ("1", "0x0000000000100070"),
        ("0x1", "fe80::10:71"),
        ("0x0000000000100000/1", "host7"),
    ] {
        assert_eq!(ends(a, b), wanted, "{a} {b}");
    }
    assert_eq!(ends("L0-0", "L1-0/3").0, "L0-0/0");
    let said = complaint(here.path(), "host0 hots7 --fabric tree");
    assert!(said.contains("no port hots7; did you mean `host7`?"), "{said}");
    let said = complaint(here.path(), "host0 --fabric tree");
    assert!(said.contains("a source and a destination"), "{said}");
    let said = complaint(here.path(), "host0 host1");
    assert!(said.contains("which fabric?"), "{said}");
}

#[test]
fn a_name_that_several_ports_have_is_not_guessed() {
    let here = tree();
    let text = fs::read_to_string(here.path().join("tree")).expect("a file");
    write(&here, "twins", &text.replace("host1 HCA-1", "host0 HCA-1"));
    let said = complaint(here.path(), "host0 host7 --fabric twins");
    assert!(said.contains("host0 could be any of host0 HCA-1/1, host0 HCA-1/1"), "{said}");
}

#[test]
fn eight_classes_on_two_lanes_are_shown_as_what_they_are() {
    let here = tree();
    let conf = "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,4,5,6,7,0,0,0,0,0,0,0,0\n";
    write(&here, "eight.conf", conf);
    write(&here, "policy.conf", POLICY);
    let line = "host0 host7 -F eight.conf -Y policy.conf --fabric tree --service-id 0x2000 \
                --busy 1,5 --what-if max_op_vls=4";
    let report = report(here.path(), line, 0);
    assert_eq!(report["settings"]["lanes"], 2);
    assert_eq!(report["settings"]["max_op_vls_from"], "eight.conf:2");
    let choice = &report["there"]["choice"];
    assert_eq!(choice["set_by"], "level `bulk` of the QoS policy");
    assert_eq!((&choice["rule"]["number"], &choice["rule"]["line"]), (&2.into(), &17.into()));
    assert_eq!(choice["missed"][0]["missed"], "the service ID is another");
    assert_eq!((&choice["level"]["sl"], &choice["path"]["mtu"]), (&5.into(), &2048.into()));
    assert_eq!(report["there"]["hops"].as_array().map(Vec::len), Some(4));
    let lane = &report["there"]["hops"][1]["lane"];
    assert_eq!((&lane["sl"], &lane["vl"], &lane["asked"]["vl"]), (&5.into(), &1.into(), &5.into()));
    assert_eq!(lane["asked"]["option"], "qos_sl2vl, eight.conf:3");
    assert_eq!(lane["meant_apart"], serde_json::json!([1, 3, 7]));
    assert_eq!(lane["share"]["busy"], 1.0, "SL 1 and SL 5 share a lane");
    let what_if = &report["what_if"];
    assert_eq!(what_if["after"]["there"]["hops"][1]["lane"]["vl"], 5);
    assert_eq!(
        what_if["after"]["there"]["hops"][1]["lane"]["share"]["busy"].as_f64(),
        Some(2074.0 / (2074.0 + 4122.0))
    );
    let changes = what_if["changes"].as_array().expect("a list");
    let vl = changes.iter().find(|change| change["what"] == "VL").expect("the lane changes");
    assert_eq!(
        (&vl["way"], &vl["hops"]),
        (&"there and back".into(), &serde_json::json!([1, 2, 3, 4]))
    );
    assert_eq!((&vl["before"], &vl["after"]), (&"1".into(), &"5".into()));
    let unchanged = what_if["unchanged"].as_array().expect("a list");
    assert!(unchanged.contains(&"rule".into()) && !unchanged.contains(&"VL".into()));
}

#[test]
fn every_reason_for_no_path_is_said() {
    let here = tree();
    write(&here, "policy.conf", POLICY);
    write(&here, "drop.conf", "qos TRUE\nqos_swe_sl2vl 0,1,2,3,4,15,6,7\n");
    write(&here, "halves.conf", "Default=0x7fff : ALL=limited, SELF=full ;\n");
    write(&here, "apart.conf", "Default=0x7fff : SELF=full ;\nblue=0x22 : ALL=full ;\n");
    let (dropped, there) = ("-F drop.conf -Y policy.conf", "host0 host7 --fabric tree");
    let why = |line: &str, code: i32| {
        let report = report(here.path(), line, code);
        report["there"]["no_path"].as_str().unwrap_or_default().to_owned()
    };
    for (line, wanted) in [
        (format!("{there} {dropped} --service-id 0x2000"), "SL 5 of the QoS level is dropped"),
        (format!("{there} {dropped} --sl 3"), "another SL than the 3 asked for"),
        (format!("{there} -F drop.conf --sl 5"), "SL 5 is dropped on the way"),
        (format!("{there} --pkey 0x8001"), "do not share partition 0x8001"),
        ("host1 host7 --fabric tree -P halves.conf".to_owned(), "no partition in which one"),
    ] {
        let got = why(&line, 1);
        assert!(got.contains(wanted), "{line}: {got}");
    }
    assert_eq!(why(&format!("{there} {dropped} --service-id 0x1000"), 0), "");
    // The hops are shown all the same, with the place where packets are dropped.
    let line = format!("{there} {dropped} --service-id 0x2000");
    let report = report(here.path(), &line, 1);
    let lanes: Vec<&Value> =
        report["there"]["hops"].as_array().expect("hops").iter().map(|h| &h["lane"]).collect();
    assert_eq!((&lanes[0]["vl"], &lanes[1]["vl"]), (&5.into(), &15.into()));
    assert!(lanes[1]["dropped"].as_str().expect("a reason").contains("VL 15"));
    let shared = self::report(here.path(), "host0 host7 --fabric tree -P apart.conf", 0);
    assert_eq!(shared["there"]["choice"]["partition"]["name"], "blue");
}

#[test]
fn lanes_without_weight_and_lanes_that_starve_are_told_apart() {
    let here = tree();
    let conf = "qos TRUE\nmax_op_vls 3\nqos_high_limit 255\nqos_vlarb_high 0:255\n\
                qos_vlarb_low 1:128,2:64\n";
    write(&here, "starve.conf", conf);
    let share = |sl: u8, code: i32| {
        let line = format!("host0 host7 -F starve.conf --fabric tree --sl {sl} --busy {sl}");
        report(here.path(), &line, code)["there"]["hops"][0]["lane"]["share"].clone()
    };
    let high = share(0, 0);
    assert_eq!((&high["guaranteed"], &high["wait_bytes"]), (&1.0.into(), &0.into()));
    let starved = share(1, 0);
    assert_eq!((&starved["guaranteed"], &starved["alone"]), (&0.0.into(), &1.0.into()));
    assert!(starved["wait_bytes"].is_null());
    let never = share(3, 1);
    assert_eq!((&never["alone"], &never["guaranteed"]), (&0.0.into(), &0.0.into()));
    let text = run(here.path(), "explain host0 host7 -F starve.conf --fabric tree --sl 3");
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("never sent: the lane has no weight in either table"), "{text}");
}

#[test]
fn the_engine_that_sets_the_sl_is_named() {
    let here = TempDir::new().expect("a temporary folder");
    assert!(run(here.path(), "topo torus 4 4 --hosts 1 --output torus").status.success());
    let line = "1 host10 --fabric torus -Q -R dfsssp";
    let report = report(here.path(), line, 0);
    assert_eq!(report["settings"]["engine"], "dfsssp");
    let sls: Vec<&Value> =
        ["there", "back"].map(|way| &report[way]["choice"]["path"]["sl"]).to_vec();
    let symmetric = sls[0] == sls[1];
    assert_eq!(report["symmetric_sl"], symmetric);
    let by_engine = (0..16).map(|n| format!("host0 host{n} --fabric torus -Q -R dfsssp"));
    let set_by: Vec<String> = by_engine
        .skip(1)
        .map(|line| {
            let report = self::report(here.path(), &line, 0);
            let choice = &report["there"]["choice"];
            let own = choice["sl"] != 0;
            let by = choice["set_by"].as_str().expect("somebody").to_owned();
            assert_eq!(by == "the routing engine dfsssp", own, "{choice}");
            by
        })
        .collect();
    assert!(set_by.iter().any(|by| by.contains("dfsssp")), "{set_by:?}");
}

#[test]
fn the_way_of_a_group_is_its_tree() {
    let here = tree();
    let broadcast = "ff12:401b:ffff::ffff:ffff";
    let report = report(here.path(), &format!("host0 host7 --fabric tree --mgid {broadcast}"), 0);
    let group = &report["multicast"];
    assert_eq!((&group["mlid"], &group["pkey"]), (&0xC000.into(), &"0xffff".into()));
    let hops = group["hops"].as_array().expect("hops");
    assert_eq!(hops[0]["from"], "host0 HCA-1/1");
    assert_eq!(hops[hops.len() - 1]["to"], "host7 HCA-1/1");
    let line = "host0 host7 --fabric tree --mgid ff12:401b:8001::1";
    let none = self::report(here.path(), line, 0);
    assert!(none["multicast"]["broken"].as_str().expect("a reason").contains("may not join"));
    let said = complaint(here.path(), "host0 host7 --fabric tree --mgid fe80::1");
    assert!(said.contains("begins with ff"), "{said}");
}

#[test]
fn options_that_are_none_are_not_supposed() {
    let here = tree();
    let said = complaint(here.path(), "host0 host7 --fabric tree --what-if max_opvls=4");
    assert!(said.contains("`max_opvls` is not an option; did you mean `max_op_vls`?"), "{said}");
    let said = complaint(here.path(), "host0 host7 --fabric tree --sl 16");
    assert!(said.contains("a number from 0 to 15"), "{said}");
    let said = complaint(here.path(), "host0 host7 --fabric tree --busy 1,x");
    assert!(said.contains("SLs with commas"), "{said}");
}

/// The site's tables, whose flows on SL 3 stood still.
#[test]
fn flows_that_a_site_saw_stand_still_are_named() {
    let shared = std::env::var_os("LANEKEEPER_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), Into::into);
    let conf = shared.join("cases/qos/q01-hilimit255-missing-vl3.opensm.conf");
    let Ok(text) = fs::read_to_string(conf) else {
        eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
        return;
    };
    let here = tree();
    write(&here, "site.conf", &format!("{text}\nmax_op_vls 3\n"));
    let line = "host0 host7 --fabric tree -F site.conf -Q --sl";
    let lane = |sl: u8, code: i32| {
        report(here.path(), &format!("{line} {sl}"), code)["there"]["hops"][0]["lane"].clone()
    };
    assert_eq!((&lane(3, 1)["vl"], &lane(3, 1)["share"]["alone"]), (&3.into(), &0.0.into()));
    for sl in [0, 1, 2] {
        assert_eq!(lane(sl, 0)["share"]["alone"], 1.0);
    }
    let found = run(here.path(), "check -F site.conf -Q --format lines");
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(found.contains("QO003") && found.contains("VL3 has no weight"), "{found}");
}

#[test]
fn a_snapshot_is_taken_as_it_is() {
    let here = tree();
    let conf = "qos TRUE\nmax_op_vls 3\nqos_sl2vl 0,1,2,3,3,2,1,15\n";
    write(&here, "site.conf", conf);
    let taken = run(here.path(), "snapshot --sim tree -F site.conf -o held");
    assert!(taken.status.success(), "{taken:?}");
    // Without a word about the SL there is a table of all of them.
    let table = report(here.path(), "host0 host7 --snapshot held", 0);
    assert!(table["settings"].is_null() && table["there"]["choice"].is_null());
    let rows = table["there"]["by_sl"].as_array().expect("rows");
    let vls: Vec<&Value> = rows.iter().map(|row| &row["vls"][0]).collect();
    assert_eq!(vls[..8], [0, 1, 2, 3, 3, 2, 1, 15].map(Value::from).each_ref());
    assert_eq!((&rows[7]["guaranteed"], &rows[7]["sl"]), (&0.0.into(), &7.into()));
    // With one the hops are those of the fabric that was read.
    let held = report(here.path(), "host0 host7 --snapshot held --sl 4", 0);
    let fabric = report(here.path(), "host0 host7 --fabric tree -F site.conf --sl 4", 0);
    for way in ["there", "back"] {
        let hops = |report: &Value| {
            let hops = report[way]["hops"].as_array().expect("hops").clone();
            let lane = |hop: &Value| (hop["from"].clone(), hop["lane"]["vl"].clone());
            hops.iter().map(lane).collect::<Vec<_>>()
        };
        assert_eq!(hops(&held), hops(&fabric));
    }
    assert_eq!(
        held["there"]["hops"][0]["lane"]["share"],
        fabric["there"]["hops"][0]["lane"]["share"]
    );
    // Files say who set the SL, as far as they go.
    write(&here, "policy.conf", POLICY);
    let line = "host0 host7 --snapshot held -F site.conf -Y policy.conf --service-id 0x2000";
    let with_files = report(here.path(), line, 0);
    assert_eq!(with_files["there"]["choice"]["set_by"], "level `bulk` of the QoS policy");
    let said = complaint(here.path(), "host0 host7 --snapshot held --what-if qos=FALSE");
    assert!(said.contains("--what-if needs --fabric"), "{said}");
    let said = complaint(here.path(), "host0 host7 --snapshot held --fabric tree");
    assert!(said.contains("one fabric at a time"), "{said}");
    let said = complaint(here.path(), "host0 host7 --snapshot site.conf");
    assert!(said.contains("cannot be read as a snapshot"), "{said}");
}
