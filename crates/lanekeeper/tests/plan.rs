//! `sm --plan` says how the routes were found, and ends whatever it finds.

use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Runs it in a folder; a run that does not end fails the test.
fn run(folder: &TempDir, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(line.split(' ')).current_dir(folder.path()).env("OSM_TMP_DIR", folder.path());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary was built for this test");
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().expect("a child can be waited for").is_none() {
        if Instant::now() > end {
            child.kill().expect("it runs");
            panic!("`{line}` does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

fn torus() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    assert!(run(&folder, "topo torus 4 3 --hosts 1 --output torus").status.success());
    folder
}

fn plan(folder: &TempDir, more: &str) -> (Option<i32>, Value) {
    let output = run(folder, &format!("sm --sim torus --plan --json {more}"));
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|e| panic!("{e}: {output:?}")))
}

#[test]
fn a_plan_without_an_engine_ends_and_says_why() {
    let folder = torus();
    for list in ["ftree,no_fallback", "torus-2QoS,no_fallback"] {
        let (code, report) = plan(&folder, &format!("-R {list}"));
        let routing = &report["routing"];
        assert_eq!((code, &report["proof"]), (Some(1), &Value::Null), "{list}");
        assert_eq!(routing["engine"], Value::Null, "{list}: {report:#}");
        let declined = routing["declined"].as_array().expect("a list");
        assert_eq!(declined.len(), 1, "{list}: {report:#}");
        assert!(declined[0]["reason"].as_str().is_some_and(|why| !why.is_empty()), "{list}");
        assert_eq!(report["groups"], Value::Array(Vec::new()), "{list}: {report:#}");
    }
    let output = run(&folder, "sm --sim torus --plan -R minhopp");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn a_plan_names_the_engine_that_routes_and_those_that_do_not() {
    let (_, report) = plan(&torus(), "-R ftree,dnup");
    let routing = &report["routing"];
    assert_eq!((&routing["engine"], &routing["asked"]), (&"dnup".into(), &"ftree".into()));
    assert_eq!(routing["declined"][0]["engine"], "ftree", "{report:#}");
}
