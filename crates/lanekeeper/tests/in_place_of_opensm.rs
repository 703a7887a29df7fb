//! What a unit file of opensm relies on: running in the background, the file with the process id,
//! the log, names from the node name map, guid2lid.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lanekeeper");

/// A folder with the file of a small fabric in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a temporary folder"));
        let tree = place.path("tree");
        let output = Command::new(PROGRAM)
            .args(["topo", "fattree", "4", "2", "--output"])
            .arg(tree)
            .output()
            .expect("the binary was built for this test");
        assert!(output.status.success(), "{output:?}");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the folder can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs the manager on the fabric, in this folder.
    fn sm(&self, words: &[&str]) -> Output {
        Command::new(PROGRAM)
            .current_dir(self.0.path())
            .env("OSM_CACHE_DIR", self.0.path())
            .args(["sm", "--sim", "tree"])
            .args(words)
            .output()
            .expect("the binary was built for this test")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for something that another process does.
fn until(what: &str, done: impl Fn() -> bool) {
    for _ in 0..600 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}: not within 30 seconds");
}

/// The session that a process belongs to: the sixth word of its status line (proc(5)).
fn session(process: &str) -> Option<String> {
    let line = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    let (_, behind_name) = line.rsplit_once(')')?;
    behind_name.split_whitespace().nth(3).map(str::to_owned)
}

#[test]
fn b_runs_in_the_background_until_it_is_told_to_end() {
    let place = Place::new();
    let output = place.sm(&["-B", "-J", "pid", "-f", "log"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let id = place.read("pid").trim().to_owned();
    assert_ne!(session(&id).expect("it runs"), session("self").expect("so does this"));
    until("the subnet comes up", || place.read("log").contains("SUBNET UP"));
    let killed = Command::new("kill").arg(&id).status().expect("kill is there");
    assert!(killed.success());
    until("it ends", || !place.path("pid").exists());
    assert!(place.read("log").contains("Exiting SM"));
}

#[test]
fn what_keeps_it_from_running_is_said_before_it_goes_to_the_background() {
    let place = Place::new();
    let output = place.sm(&["-B", "-J", "pid", "-f", "no/such/folder/log"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("no/such/folder/log"), "{output:?}");
    assert!(!place.path("pid").exists());
}

#[test]
fn a_sweep_in_the_background_says_each_thing_once() {
    let place = Place::new();
    place.write("conf", "max_op_vls 2\n");
    let output = place.sm(&["-B", "-o", "-f", "log", "-F", "conf"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(text(&output.stderr).matches("VL0-1").count(), 1, "{output:?}");
    until("the sweep is over", || place.read("log").contains("SUBNET UP"));
}

#[test]
fn the_node_name_map_names_nodes_in_plans_and_dumps() {
    let place = Place::new();
    place.write("names", "0x200000 \"rack 7 leaf\"\n");
    place.write("conf", "node_name_map_name names\ndump_files_dir .\n");
    let output = place.sm(&["--plan", "--all", "-F", "conf"]);
    let plan = text(&output.stdout);
    assert!(plan.contains("rack 7 leaf/1") && !plan.contains("L0-0/1"), "{plan}");
    let output = place.sm(&["-o", "-F", "conf"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(place.read("opensm-subnet.lst").contains("{rack 7 leaf}"));
}

#[test]
fn a_map_that_is_not_there_is_said_and_nodes_keep_their_names() {
    let place = Place::new();
    place.write("conf", "node_name_map_name names\n");
    let output = place.sm(&["--plan", "--all", "-F", "conf"]);
    assert!(text(&output.stderr).contains("nodes keep their own names"), "{output:?}");
    assert!(text(&output.stdout).contains("L0-0/1"), "{output:?}");
}

#[test]
fn guid2lid_is_not_even_read_where_lids_are_assigned_anew() {
    let place = Place::new();
    // A folder in the file's place cannot be read as a file.
    fs::create_dir(place.path("guid2lid")).expect("a folder");
    let output = place.sm(&["--plan"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let output = place.sm(&["--plan", "-r"]);
    assert_eq!(output.status.code(), Some(1), "the plan is made: {output:?}");
}

#[test]
fn the_log_starts_again_at_its_limit() {
    let place = Place::new();
    place.write("log", &"x".repeat((1 << 20) - 10));
    let output = place.sm(&["-o", "-f", "log", "-L", "1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let log = place.read("log");
    assert!(log.len() < 1 << 20 && log.contains("SUBNET UP") && !log.starts_with('x'), "{log}");
}

#[test]
fn an_engine_of_nvidias_gives_way_to_the_nearest_and_a_misspelt_one_is_an_error() {
    let place = Place::new();
    let output = place.sm(&["-o", "-R", "ar_updn"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("updn is tried in its place"), "{output:?}");
    assert!(text(&output.stdout).contains("routed by updn"), "{output:?}");
    let output = place.sm(&["-o", "-R", "updown"]);
    assert!(text(&output.stderr).contains("error"), "{output:?}");
    assert!(text(&output.stderr).contains("did you mean `updn`"), "{output:?}");
}
