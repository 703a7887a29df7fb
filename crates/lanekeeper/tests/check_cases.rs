//! `lanekeeper check` on files of the field. What it finds was compared by hand with what is known
//! of each file, and stands in `tests/cases`; `LANEKEEPER_UPDATE=1` writes it anew.
//!
//! The files come from other people and stand in the folder `shared` beside the repository, or
//! where `LANEKEEPER_SHARED` says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder with the cases; says so where it is missing.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn cases() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("LANEKEEPER_SHARED").map_or(beside, PathBuf::from).join("cases");
    if folder.is_dir() {
        return Some(folder.canonicalize().expect("a folder that is there"));
    }
    eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    None
}

/// What is found, one line each, and the exit code.
fn findings(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
        .args(["check", "--format", "lines"])
        .args(words)
        .current_dir(folder)
        .env_remove("IBDM_IBNL_PATH")
        .output()
        .expect("the binary was built for this test");
    let text = String::from_utf8(output.stdout).expect("text");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{words:?}: {errors}");
    let code = output.status.code().expect("it has ended by itself");
    format!("{text}exit code {code}\n")
}

/// The names of the files of a folder that end or begin so, in order.
fn files(folder: &Path, ends: &[&str]) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder of cases");
    let names = entries.map(|e| e.expect("an entry").file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.filter(|n| ends.iter().any(|e| n.ends_with(e))).collect();
    names.sort();
    names
}

/// A report of all runs, to be compared with the one that is kept.
struct Report {
    name: &'static str,
    text: String,
}

impl Report {
    const fn new(name: &'static str) -> Self {
        Self { name, text: String::new() }
    }

    fn run(&mut self, folder: &Path, words: &[&str]) {
        let found = findings(folder, words);
        self.text.push_str(&format!("$ check {}\n{found}\n", words.join(" ")));
    }

    fn compare(&self) {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(self.name);
        if std::env::var_os("LANEKEEPER_UPDATE").is_some() {
            fs::write(&place, &self.text).expect("the folder is there");
        }
        let kept = fs::read_to_string(&place).unwrap_or_default();
        let differ = kept.lines().zip(self.text.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "{}", self.name);
        assert_eq!(kept.lines().count(), self.text.lines().count(), "{}", self.name);
    }
}

#[test]
fn options_of_the_field() {
    let Some(cases) = cases() else { return };
    let mut report = Report::new("options.txt");
    let folder = cases.join("conf");
    for name in files(&folder, &[".opensm.conf"]) {
        report.run(&folder, &["-F", &name]);
    }
    let torus = "c08-doc-torus-2QoS-4x5.torus-2QoS.conf";
    let fabric = "../topo/t20-torus-4x5-generated.ibsim.net";
    report.run(&folder, &["-Q", "-R", "torus-2QoS", "--torus_config", torus]);
    report.run(&folder, &["-Q", "-R", "torus-2QoS", "--torus_config", torus, "--fabric", fabric]);
    report.run(&folder, &["--prefix_routes_file", "c09-doc-prefix-routes.conf"]);
    report.run(&folder, &["-R", "updn", "-a", "c05-rail-optimised.root_guid.conf"]);
    for name in [
        "c03-expected-cabling.ibfabricconf.xml",
        "c05-rail-optimised.pgrp_policy.conf",
        "c05-rail-optimised.sharp_am.cfg",
    ] {
        report.run(&folder, &["-F", name]);
    }
    report.compare();
}

#[test]
fn a_node_name_map_with_placeholders_says_which_lines_are_bad() {
    let Some(cases) = cases() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let map = cases.join("conf/c02-node-name-map-placeholder-guids.map");
    fs::copy(map, folder.path().join("names")).expect("a copy");
    fs::write(folder.path().join("opensm.conf"), "node_name_map_name names\n").expect("a file");
    let found = findings(folder.path(), &["-F", "opensm.conf"]);
    let bad = fs::read_to_string(folder.path().join("names")).expect("the map");
    let bad = bad.lines().filter(|line| line.starts_with("<guid>")).count();
    assert!(bad > 0);
    assert_eq!(found.matches("error[CF030]: `<guid>`").count(), bad, "{found}");
}

#[test]
fn qos_designs_of_the_field() {
    let Some(cases) = cases() else { return };
    let mut report = Report::new("qos.txt");
    let folder = cases.join("qos");
    for name in files(&folder, &[".opensm.conf"]) {
        report.run(&folder, &["-F", &name]);
        report.run(&folder, &["-Q", "-F", &name]);
    }
    for name in files(&folder, &[".qos-policy.conf", ".enhanced_qos_policy.conf"]) {
        report.run(&folder, &["-Q", "-Y", &name]);
    }
    let (conf, policy) = ("q02-two-class.opensm.conf", "q02-two-class.qos-policy.conf");
    report.run(&folder, &["-F", conf, "-Y", policy]);
    report.compare();
}

#[test]
fn partitions_of_the_field() {
    let Some(cases) = cases() else { return };
    let mut report = Report::new("partitions.txt");
    let folder = cases.join("partitions");
    for name in files(&folder, &[".partitions.conf", ".j2"]) {
        report.run(&folder, &["-P", &name]);
        report.run(&folder, &["-Q", "-P", &name, "--fabric", "../topo/t18-ibsim-net"]);
    }
    let both =
        ["-F", "p01-allow-both.opensm.conf", "-P", "p01-0xffff-and-0x8001-style.partitions.conf"];
    report.run(&folder, &both);
    report.compare();
}

#[test]
fn fabrics_of_the_field() {
    let Some(cases) = cases() else { return };
    let mut report = Report::new("fabrics.txt");
    let folder = cases.join("topo");
    for name in files(&folder, &[".ibnetdiscover", ".ibdm.topo", ".ibsim.net"]) {
        report.run(&folder, &["--fabric", &name]);
        if name.starts_with("t14") {
            report.run(&folder, &["-R", "ftree", "--fabric", &name]);
        }
    }
    for name in ["", ".1", ".2sw2path", ".2sw2path4hca", ".2sw2path4hca2port"] {
        report.run(&folder, &["-Q", "--fabric", &format!("t18-ibsim-net{name}")]);
    }
    report.compare();
}

#[test]
fn dumps_given_by_mistake_are_called_what_they_are() {
    let Some(cases) = cases() else { return };
    let mut report = Report::new("dumps.txt");
    let folder = cases.join("dumps");
    for name in files(&folder, &[""]) {
        for option in ["-F", "-P"] {
            report.run(&folder, &[option, &name]);
        }
        report.run(&folder, &["-Q", "-Y", &name]);
        report.run(&folder, &["--fabric", &name]);
    }
    report.compare();
}
