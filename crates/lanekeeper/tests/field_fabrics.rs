//! Every fabric file of the field comes up on the embedded simulator with QoS, and a second look
//! at the same state finds nothing to change.
//!
//! The files come from other people and stand in the folder `shared` beside the repository, or
//! where `LANEKEEPER_SHARED` says.

mod field;

use std::path::Path;
use std::process::{Command, Output};

use field::{fabrics, shared};

fn manager(folder: &Path, fabric: &Path, further: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
        .args(["sm", "-Q", "--sim"])
        .arg(fabric)
        .arg("--sim-state")
        .arg(folder.join("state"))
        .args(further)
        .env("OSM_TMP_DIR", folder)
        .env("OSM_CACHE_DIR", folder)
        .output()
        .expect("the binary was built for this test")
}

/// What is wrong with a run on a fabric that must come up.
fn fault(fabric: &Path) -> Option<String> {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let name = fabric.display();
    let up = manager(folder.path(), fabric, &["-o"]);
    let text = String::from_utf8_lossy(&up.stdout);
    if !text.contains("SUBNET UP") {
        let errors = String::from_utf8_lossy(&up.stderr);
        return Some(format!("{name} does not come up: {text}\n{errors}"));
    }
    let again = manager(folder.path(), fabric, &["--plan"]);
    let text = String::from_utf8_lossy(&again.stdout);
    if again.status.code() != Some(0) {
        return Some(format!("{name} does not stay as it is: {text}"));
    }
    None
}

#[test]
fn every_fabric_comes_up_and_stays_as_it_is() {
    let Some(shared) = shared() else { return };
    let mut files = fabrics(&shared.join("cases/topo"));
    files.extend(fabrics(&shared.join("golden")));
    assert!(files.len() > 30, "{files:?}");
    // A host that sees no fabric: the test below.
    files.retain(|path| !path.to_string_lossy().contains("t03-"));
    let faults: Vec<String> = files.iter().filter_map(|file| fault(file)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_host_that_sees_no_fabric_is_told_so() {
    let Some(shared) = shared() else { return };
    let fabric = shared.join("cases/topo/t03-single-ca-no-switch.ibnetdiscover");
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let output = manager(folder.path(), &fabric, &["-o"]);
    assert_ne!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("no switch"), "{text}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("SUBNET UP"), "{output:?}");
}
