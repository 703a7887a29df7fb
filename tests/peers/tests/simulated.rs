//! The field's own programs on our simulated fabric, through the stand-in for libibumad.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lk_peers::{Lanekeeper, Simulated, process};

const SMALL: &str = include_str!("../fabrics/small.net");

fn topo(arguments: &[&str]) -> String {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let mut all = vec!["topo"];
    all.extend(arguments);
    all.extend(["--format", "ibsim"]);
    Lanekeeper::run(here.path(), &all).success()
}

/// What a program printed, after the checks that it ended well and complained of nothing.
fn clean(fabric: &Simulated, program: &str, arguments: &[&str]) -> String {
    let outcome = fabric.client(program, arguments);
    assert!(outcome.err.is_empty(), "{outcome:#?}");
    outcome.success()
}

#[test]
fn osmtest_passes_all_its_flows_against_opensm() {
    let fabric = Simulated::start(SMALL);
    let _opensm = fabric.opensm(&["-s", "0"]);
    osmtest(&fabric, &["c", "v", "s", "e", "m", "f", "a"]);
}

#[test]
fn osmtest_passes_all_its_flows_against_lanekeeper() {
    let fabric = Simulated::start(SMALL);
    let _lanekeeper = fabric.lanekeeper(&["-s", "0"]);
    osmtest(&fabric, &["c", "v", "s", "e", "m", "f", "a"]);
}

fn osmtest(fabric: &Simulated, flows: &[&str]) {
    for flow in flows {
        let outcome = fabric.client("osmtest", &["-f", flow]);
        assert!(outcome.code == Some(0) && outcome.out.contains("PASS"), "{flow}: {outcome:#?}");
    }
}

#[test]
fn answers_of_many_segments_come_whole() {
    // A hundred hosts and their switches.
    let fabric = Simulated::start(&topo(&["fattree", "20", "2"]));
    let _opensm = fabric.opensm(&["-s", "0"]);
    let nodes = clean(&fabric, "saquery", &["-N"]).matches("NodeRecord dump").count();
    let discovered = clean(&fabric, "ibnetdiscover", &["-l"]).lines().count();
    assert!(nodes > 100 && nodes == discovered, "{nodes} records of {discovered} nodes");
    let paths = clean(&fabric, "saquery", &["-p"]).matches("PathRecord dump").count();
    assert_eq!(paths, nodes * nodes);
}

#[test]
fn the_fields_tools_find_what_there_is() {
    let fabric = Simulated::start(SMALL);
    let _opensm = fabric.opensm(&["-s", "0"]);
    let text = clean(&fabric, "iblinkinfo", &["-l"]);
    assert!(text.contains("Active/  LinkUp)==>") && !text.contains("Initialize"), "{text}");
    assert!(clean(&fabric, "sminfo", &[]).contains("SMINFO_MASTER"));
    assert!(clean(&fabric, "ibstat", &[]).contains("State: Active"));
    assert!(clean(&fabric, "ibtracert", &["1", "2"]).contains("To "));
    for option in ["-e", "-x", "-X", "-S"] {
        let text = clean(&fabric, "perfquery", &[option, "1", "1"]);
        assert!(text.contains("ounters: Lid 1 port 1"), "{text}");
    }
    let reset = clean(&fabric, "perfquery", &["-R", "1", "1"]);
    assert!(!reset.contains("error"), "{reset}");
    let outcome = fabric.client("ibdiagnet", &["-o", "."]);
    assert!(outcome.out.contains("-I- Done. Run time"), "{outcome:#?}");
}

#[test]
fn twenty_programs_at_once_are_served() {
    let fabric = Simulated::start(&topo(&["fattree", "8", "2"]));
    let _opensm = fabric.opensm(&["-s", "0"]);
    let wanted = clean(&fabric, "saquery", &["-N"]);
    std::thread::scope(|scope| {
        let client = || assert_eq!(clean(&fabric, "saquery", &["-N"]), wanted);
        let clients: Vec<_> = (0..20).map(|_| scope.spawn(client)).collect();
        for client in clients {
            client.join().expect("each of them gets the same");
        }
    });
}

#[test]
fn what_happens_to_the_fabric_is_seen_by_who_looks() {
    let mut fabric = Simulated::start(SMALL);
    let nodes = |fabric: &Simulated| clean(fabric, "ibnetdiscover", &["-l"]).lines().count();
    let before = nodes(&fabric);
    let text = fs::read_to_string(fabric.folder().join("fabric.net")).expect("it was written");
    let switch = text.lines().find(|line| line.starts_with("Switch")).expect("a switch");
    let name = switch.split('"').nth(3).unwrap_or_default();
    fabric.tell(&format!("off \"{name}\""));
    // The line and the next client go different ways.
    std::thread::sleep(Duration::from_millis(300));
    assert!(nodes(&fabric) < before);
    fabric.tell(&format!("on \"{name}\""));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(nodes(&fabric), before);
}

#[test]
fn lanekeeper_runs_on_it_as_on_a_real_port() {
    let fabric = Simulated::start(SMALL);
    let mut command = fabric.command(None, Lanekeeper::path());
    command.args(["sm", "-o", "-f", "sm.log"]);
    let outcome = process::run(command, "lanekeeper", Duration::from_secs(60));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let text = clean(&fabric, "iblinkinfo", &["-l"]);
    assert!(text.contains("Active/  LinkUp)==>") && !text.contains("Initialize"), "{text}");
}

#[test]
fn the_exit_code_is_the_commands() {
    let here = tempfile::TempDir::new().expect("a temporary folder");
    let net = here.path().join("fabric.net");
    fs::write(&net, SMALL).expect("a file");
    let code = |script: &str| {
        let net = net.display().to_string();
        Lanekeeper::run(here.path(), &["sim", &net, "--", "sh", "-c", script]).code
    };
    assert_eq!([code("exit 0"), code("exit 7"), code("kill -9 $$")], [Some(0), Some(7), Some(137)]);
    let outcome = Lanekeeper::run(here.path(), &["sim", "--attach", "nobody", "--", "true"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.err.contains("no fabric is served as nobody"), "{outcome:#?}");
}

/// The folder with what opensm itself has produced.
fn golden() -> Option<PathBuf> {
    let shared = std::env::var_os("LANEKEEPER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = shared.join("golden");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    None
}

#[test]
fn opensm_brings_every_recorded_fabric_up_with_the_same_tables() {
    let Some(golden) = golden() else { return };
    let mut compared = 0;
    for entry in fs::read_dir(golden).expect("a folder").map_while(Result::ok) {
        let recorded = entry.path();
        // Where opensm has refused the fabric there are no tables.
        if !recorded.join("opensm.fdbs").exists() {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let engine = if name.starts_with("torus") {
            "torus-2QoS"
        } else {
            name.rsplit('-').next().unwrap_or_default()
        };
        let here = tempfile::TempDir::new().expect("a temporary folder");
        let mut command = Command::new(Lanekeeper::path());
        command.arg("sim").arg(recorded.join("fabric.net")).args(["--", "opensm", "-o", "-Q"]);
        command.args(["-d", "2", "-D", "0x43", "-R", &format!("{engine},no_fallback")]);
        command.arg("-f").arg(here.path().join("opensm.log"));
        let conf = recorded.join("torus-2QoS.conf");
        if conf.exists() {
            command.arg("--torus_config").arg(conf);
        }
        command.env("OSM_TMP_DIR", here.path()).env("OSM_CACHE_DIR", here.path());
        let outcome = process::run(command, "opensm", Duration::from_secs(120));
        assert_eq!(outcome.code, Some(0), "{name}: {outcome:#?}");
        for file in ["opensm.fdbs", "opensm-sl2vl.dump", "guid2lid"] {
            let read = |folder: &Path| fs::read(folder.join(file)).unwrap_or_default();
            assert!(read(&recorded) == read(here.path()), "{name}: {file} is another one");
        }
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}
