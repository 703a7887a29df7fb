//! Each trap of the table of known ones, tried as a file shows it: `check` finds it with the code
//! that the table names. Traps that need ports of their own have their fixtures instead.

mod further;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use lk_audit::ROWS;
use serde_json::Value;

use further::SECOND;
use table::FIRST;

/// Traps that only ports of their own show: the rules' fixtures have them.
const BY_PORTS: [u8; 4] = [20, 24, 56, 58];

/// Which option names which file.
const FILES: [(&str, &str); 5] = [
    ("-F", "opensm.conf"),
    ("-Y", "qos-policy.conf"),
    ("-P", "partitions.conf"),
    ("--prefix_routes_file", "prefix-routes.conf"),
    ("--running", "running.conf"),
];

fn codes(files: &[(&str, &str)]) -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(["check", "--json"]).current_dir(folder.path());
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
        match FILES.iter().find(|(_, file)| file == name) {
            Some((option, _)) => drop(command.args([option, name])),
            None if *name == "arguments" => drop(command.args(text.split(' '))),
            // A file that another one names.
            None => {}
        }
    }
    let output = command.output().expect("the binary was built for this test");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{files:?}: {error}: {output:?}"));
    let found = report["diagnostics"].as_array().expect("a list");
    found.iter().map(|d| d["code"].as_str().expect("a word").to_owned()).collect()
}

#[test]
fn each_trap_is_found_by_the_code_that_the_table_names() {
    for (number, code, files) in FIRST.iter().chain(SECOND) {
        let row = ROWS.iter().find(|row| row.number == *number).expect("a row of the table");
        assert!(row.codes.contains(code), "row {number}: the table does not name {code}");
        let found = codes(files);
        assert!(found.contains(*code), "row {number}: {code} is not among {found:?}");
    }
}

#[test]
fn no_trap_that_can_be_shown_is_left_out() {
    for row in ROWS.iter().filter(|row| !row.codes.is_empty()) {
        let tried = FIRST.iter().chain(SECOND).any(|(number, _, _)| *number == row.number);
        // What only a fabric shows has the fixtures of its rules, and is tried with opensm.
        let of_fabrics = row.codes.iter().all(|code| code.starts_with("QO1"));
        let elsewhere = of_fabrics || BY_PORTS.contains(&row.number);
        assert_ne!(tried, elsewhere, "row {}: {}", row.number, row.trap);
    }
}

#[test]
fn a_site_that_falls_into_none_of_them_is_told_nothing_but_information() {
    let files = [
        (
            "opensm.conf",
            "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1\n\
          qos_vlarb_high 0:0\nqos_vlarb_low 0:64,1:64\nqos_high_limit 4\n",
        ),
        ("qos-policy.conf", "qos-ulps\n default : 0\n any, pkey 0x10 : 1\nend-qos-ulps\n"),
        (
            "partitions.conf",
            "Default=0x7fff, ipoib : ALL=full ;\na=0x10, ipoib, sl=1 : ALL=full ;\n",
        ),
    ];
    let found = codes(&files);
    let expected: BTreeSet<String> = ["CF020", "QO034"].into_iter().map(str::to_owned).collect();
    assert_eq!(found, expected);
}
