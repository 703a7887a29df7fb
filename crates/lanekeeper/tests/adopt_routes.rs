//! Forwarding tables that switches hold are taken over.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(line.split(' ')).current_dir(folder).env("OSM_TMP_DIR", folder);
    command.output().expect("the binary was built for this test")
}

/// Entries of forwarding tables that a plan moves.
fn moved(folder: &Path, line: &str) -> u64 {
    let output = run(folder, &format!("{line} --plan --all"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let counts = text.lines().filter_map(|line| line.split_once(" entries moved"));
    counts.filter_map(|(before, _)| before.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

#[test]
fn routes_that_stand_are_taken_over_from_another_engine() {
    let here = TempDir::new().expect("a temporary folder");
    let folder = here.path();
    assert!(run(folder, "topo fattree 8 3 --output tree").status.success());
    let up = run(folder, "sm --sim tree --sim-state state -o -R minhop");
    assert!(up.status.success(), "{up:?}");
    fs::write(folder.join("conf"), "adopt_routes FALSE\n").expect("a file");
    let with = moved(folder, "sm --sim tree --sim-state state -R ftree");
    let without = moved(folder, "sm --sim tree --sim-state state -R ftree -F conf");
    assert!(with < without, "{with} entries move, and {without} afresh");
    assert_eq!(moved(folder, "sm --sim tree --sim-state state -R minhop"), 0);
}
