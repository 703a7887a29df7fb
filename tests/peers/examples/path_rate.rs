//! PathRecord queries a second of opensm and of lanekeeper, each on an ibsim of its own with the
//! same fabric: `benches/paths` builds everything in release form and starts this. Every query is
//! for one path and is answered by one datagram.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use lk_peers::{Daemon, Ibsim, Lanekeeper, process};

/// How long all queries may take.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let shape = words.first().map_or("fattree 36 3", String::as_str);
    let lids: u32 = words.get(1).map_or(200, |word| word.parse().expect("a number of LIDs"));
    let fabric = topology(shape);
    println!("fabric: {shape}; all paths between {lids} LIDs: {} queries\n", lids * lids);
    println!("{:<24}{:>12}{:>14}{:>16}", "", "wall, s", "manager, s", "µs of it each");
    for options in [&[][..], &["-Q"][..]] {
        for program in ["opensm", "lanekeeper"] {
            measure(program, options, &fabric, lids);
        }
    }
}

fn measure(program: &str, options: &[&str], fabric: &str, lids: u32) {
    let ibsim = Ibsim::start(fabric);
    let conf = "sweep_interval 0\n";
    let manager = match program {
        "opensm" => Daemon::opensm(&ibsim, conf, options),
        _ => Daemon::lanekeeper(&ibsim, conf, options),
    };
    let file = ibsim.folder().join("lids");
    let numbers: Vec<String> = (1..=lids).map(|lid| lid.to_string()).collect();
    fs::write(&file, numbers.join("\n")).expect("a file");
    let before = cpu_seconds(manager.id());
    let start = Instant::now();
    let mut command = ibsim.command(client());
    command.arg(&file);
    let printed = process::run(command, "lk-peers", PATIENCE).success();
    let wall = start.elapsed().as_secs_f64();
    let own = cpu_seconds(manager.id()) - before;
    assert_eq!(printed.lines().count() as u32, lids * lids, "each has an answer");
    let name = format!("{program} {}", options.join(" "));
    println!("{name:<24}{wall:>12.2}{own:>14.2}{:>16.2}", own * 1e6 / f64::from(lids * lids));
}

/// The client, which cargo has built beside this.
fn client() -> PathBuf {
    let own = std::env::current_exe().expect("the program's own path");
    own.parent().and_then(|p| p.parent()).expect("it lies in examples/").join("path-sls")
}

/// Processor time of a process so far, in seconds.
fn cpu_seconds(process: u32) -> f64 {
    /// Linux counts in hundredths on every machine of today (`getconf CLK_TCK`).
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

fn topology(shape: &str) -> String {
    let mut command = Command::new(Lanekeeper::path());
    command.arg("topo").args(shape.split_whitespace()).args(["--format", "ibsim"]);
    let output = command.output().expect("lanekeeper runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a topology is plain text")
}
