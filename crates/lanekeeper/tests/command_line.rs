//! The command line as a shell sees it: exit codes, where messages go, the name `opensm`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_lanekeeper");

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().expect("the binary was built for this test")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn help_of_every_command_is_printed() {
    for arguments in [&["--help"][..], &["topo", "--help"], &["topo", "fattree", "--help"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(out(&output).contains("Usage: lanekeeper"), "{arguments:?}");
    }
    // opensm's help ends with 2; scripts know it so.
    let output = run(&["sm", "--help"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(out(&output).contains("--routing_engine"), "{output:?}");
}

#[test]
fn wrong_usage_and_unreadable_input_give_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["topo"],
        &["topo", "fattree", "4"],
        &["topo", "torus", "4", "4", "--rate", "5xQDR"],
        &["route", "/nowhere/at/all"],
        &["route"],
        &["sm", "--nonsense"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(!err(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_refused_fabric_gives_1() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let torus = folder.path().join("torus").to_string_lossy().into_owned();
    let output = run(&["topo", "torus", "4", "4", "--output", &torus]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = run(&["route", &torus, "-R", "updn,no_fallback"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(out(&output).is_empty() && err(&output).contains("updn"), "{output:?}");
}

#[test]
fn the_same_command_gives_the_same_fabric() {
    let arguments = ["topo", "random", "20", "4", "--fail-links", "5%", "--seed"];
    let with = |seed: &str| out(&run(&[&arguments[..], &[seed]].concat()));
    assert_eq!(with("7"), with("7"));
    assert_ne!(with("7"), with("8"));
}

#[test]
fn a_fabric_can_come_through_a_pipe() {
    let fabric = run(&["topo", "fattree", "4", "2"]).stdout;
    let mut child = Command::new(PROGRAM)
        .args(["route", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    child.stdin.take().expect("a pipe").write_all(&fabric).expect("the fabric is read");
    let output = child.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["switches"], 4);
    assert_eq!(report["all_reached"], true);
}

/// A reader that goes away early is no error.
#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(PROGRAM)
        .args(["topo", "fattree", "16", "3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), err(&output).as_str()), (Some(0), ""));
}

#[test]
fn called_opensm_it_is_the_subnet_manager() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let link = folder.path().join("opensm");
    std::os::unix::fs::symlink(PROGRAM, &link).expect("a link");
    let output = Command::new(&link).arg("-h").output().expect("the link leads to the binary");
    assert!(out(&output).contains("--routing_engine"), "{output:?}");
}

/// Who forgets a word must not find the real fabric configured, or nothing where something moves.
#[test]
fn options_that_mean_nothing_alone_and_empty_tables_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (tree, empty) = (file("tree"), file("empty"));
    assert!(run(&["topo", "fattree", "4", "2", "--output", &tree]).status.success());
    std::fs::write(&empty, "").expect("a file");
    for (arguments, why) in [
        (&["sm", "--sim-state", &empty, "-o"][..], "--sim-state means nothing without --sim"),
        (&["sm", "--sim-seed", "1", "-o"], "--sim-seed means nothing without --sim"),
        (&["sm", "--sim", &tree, "--json"], "--json means nothing without --plan"),
        (&["sm", &tree, "-o"], "belongs to no option"),
        (&["sm", "--sim", &tree, "--sim-state", "/dev/zero", "-o"], "no regular file"),
        (&["route", &tree, "--previous", &empty], "no forwarding table"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(why), "{arguments:?}: {}", err(&output));
    }
}
