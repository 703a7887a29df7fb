//! What clients have stored goes from opensm to lanekeeper and back, by the file of `sa_db_file`.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lk_peers::sa_setup::clients;
use lk_peers::{Manager, Simulated};

const SMALL: &str = include_str!("../fabrics/small.net");

fn conf(fabric: &Simulated, name: &str, text: &str) -> Vec<String> {
    let path = fabric.folder().join(name);
    let folder = fabric.folder().display();
    fs::write(&path, format!("{text}\ndump_files_dir {folder}\n")).expect("a file");
    ["-s", "0", "-F"].map(str::to_owned).into_iter().chain([path.display().to_string()]).collect()
}

fn start(fabric: &Simulated, is_opensm: bool, arguments: &[String]) -> Manager {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if is_opensm { fabric.opensm(&arguments) } else { fabric.lanekeeper(&arguments) }
}

/// Groups with their members, services and subscriptions, as saquery shows them.
fn stored(fabric: &Simulated) -> Vec<String> {
    let mut lines = Vec::new();
    for record in ["MCMR", "SR", "IIR"] {
        let text = fabric.client("saquery", &["--smkey", "1", record]).success();
        let mut one: Vec<String> = text
            .split("dump:")
            // Each manager shows ProxyJoin and the number of a subscription in its own way.
            .map(|r| {
                let lines = r.lines().filter(|l| l.starts_with('\t'));
                lines.filter(|l| !l.contains("ProxyJoin") && !l.contains("Enum")).collect()
            })
            .collect();
        one.sort();
        lines.extend(one);
    }
    lines
}

/// One manager takes what clients store, writes it and ends; the other begins with it.
fn hand_over(first_is_opensm: bool) {
    let fabric = Simulated::start(SMALL);
    let dumping = conf(&fabric, "dumping.conf", "sa_db_dump TRUE");
    let dump = fabric.folder().join("opensm-sa.dump");
    let before = {
        let manager = start(&fabric, first_is_opensm, &dumping);
        let input = fabric.folder().join("clients.txt");
        fs::write(&input, clients()).expect("a file");
        let mut command: Command = fabric.command(None, env!("CARGO_BIN_EXE_sa-raw"));
        command.stdin(Stdio::from(File::open(input).expect("it was written")));
        let taken = command.output().expect("sa-raw was built");
        assert!(taken.status.success(), "{taken:?}");
        let before = stored(&fabric);
        // The next heavy sweep writes the file.
        let end = Instant::now() + Duration::from_secs(30);
        let holds = || {
            let text = fs::read_to_string(&dump).unwrap_or_default();
            text.contains("Service Record:") && text.contains("InformInfo Record:")
        };
        while !holds() {
            manager.hang_up();
            thread::sleep(Duration::from_secs(1));
            assert!(Instant::now() < end, "{dump:?}: {:?}", fs::read_to_string(&dump));
        }
        before
    };
    let kept = fabric.folder().join("kept.dump");
    fs::copy(&dump, &kept).expect("a copy");
    fs::remove_file(fabric.folder().join("sm.log")).expect("the first one's log");
    let restoring = conf(&fabric, "restoring.conf", &format!("sa_db_file {}", kept.display()));
    let _second = start(&fabric, !first_is_opensm, &restoring);
    let after = stored(&fabric);
    assert_eq!(before, after);
    let all = before.join("\n");
    assert!(
        before.len() > 8 && all.contains("ff12:a01c:fe80::5") && all.contains("00001234"),
        "{all}"
    );
}

#[test]
fn lanekeeper_goes_on_with_what_opensm_has_kept() {
    hand_over(true);
}

#[test]
fn opensm_goes_on_with_what_lanekeeper_has_kept() {
    hand_over(false);
}
