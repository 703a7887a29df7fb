//! `lanekeeper check` on the fixtures of each code: the smallest input that shows it, and the
//! smallest that does not.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lk_audit::{PARSERS, RULES};
use serde_json::Value;

fn folder(code: &str, which: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../audit/fixtures").join(code).join(which)
}

/// Which option names which file of a fixture. A file `arguments` has further words.
const FILES: [(&str, &str); 8] = [
    ("-F", "opensm.conf"),
    ("-Y", "qos-policy.conf"),
    ("-P", "partitions.conf"),
    ("--torus_config", "torus-2QoS.conf"),
    ("--prefix_routes_file", "prefix-routes.conf"),
    ("--running", "running.conf"),
    ("--fabric", "fabric.txt"),
    ("--snapshot", "fabric.snapshot"),
];

fn check(folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(["check", "--json"]).current_dir(folder);
    for (option, name) in FILES {
        if folder.join(name).exists() {
            command.args([option, name]);
        }
    }
    if let Ok(words) = std::fs::read_to_string(folder.join("arguments")) {
        command.args(words.split_whitespace());
    }
    command.output().expect("the binary was built for this test")
}

/// The severities with which a code is found.
fn severities(folder: &Path, code: &str) -> Vec<String> {
    let output = check(folder);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {output:?}", folder.display()));
    let found = report["diagnostics"].as_array().expect("a list");
    let of_code = found.iter().filter(|d| d["code"] == code);
    of_code.map(|d| d["severity"].as_str().expect("a word").to_owned()).collect()
}

#[test]
fn each_code_is_found_in_its_fixture_at_its_worst_and_not_in_the_other() {
    let parsers = PARSERS.iter().map(|parser| (parser.code.id, parser.severity));
    let rules = RULES.iter().map(|rule| (rule.code.id, rule.severity));
    for (code, worst) in parsers.chain(rules) {
        let fires = folder(code, "fires");
        // What ports no file can describe hold is tested beside the rules.
        if fires.join("ports.txt").exists() {
            continue;
        }
        let found = severities(&fires, code);
        assert!(found.contains(&worst.to_string()), "{code}: {worst} is not among {found:?}");
        let found = severities(&folder(code, "silent"), code);
        assert_eq!(found, Vec::<String>::new(), "{code} is found where it should not be");
    }
}
