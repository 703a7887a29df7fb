//! opensm and lanekeeper in turn on the same fabrics, and the ratios of their times.
//!
//! `benches/run` builds everything in release form and starts this; see benches/README.md for
//! what the columns mean.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lk_peers::opensm::time_of_day;
use lk_peers::process::peak_memory;
use lk_peers::{Ibsim, Lanekeeper};

/// What one run took.
struct Run {
    /// From the start of the process to its end.
    wall: f64,
    /// From the first line of the log to SUBNET UP; `None` if the log has no such line.
    up: Option<f64>,
    /// Processor time of the manager itself.
    own: f64,
    /// Processor time of ibsim meanwhile.
    ibsim: Option<f64>,
    /// The most memory that the process held, in megabytes.
    memory: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (shape, rounds) = match words.as_slice() {
        [] => ("fattree 36 3", 3),
        [shape] => (*shape, 3),
        [shape, rounds, ..] => (*shape, rounds.parse().expect("a number of rounds")),
    };
    println!("fabric: {shape}; the best of {rounds} runs each, in turn\n");
    on_ibsim(shape, rounds);
    embedded(shape, rounds);
}

/// Both managers on ibsim, a fresh one for each run.
fn on_ibsim(shape: &str, rounds: usize) {
    let fabric = topology(shape, "ibsim");
    println!(
        "{:<24}{:>9}{:>11}{:>10}{:>10}{:>12}",
        "on ibsim", "wall, s", "to UP, s", "own, s", "ibsim, s", "memory, MB"
    );
    for options in [&[][..], &["-Q"][..]] {
        let mut best: [Option<Run>; 2] = [None, None];
        for _ in 0..rounds {
            for (at, program) in ["opensm", "lanekeeper"].into_iter().enumerate() {
                keep_better(&mut best[at], measure_on_ibsim(program, options, &fabric));
            }
        }
        let [Some(theirs), Some(ours)] = &best else { continue };
        let suffix = options.join(" ");
        print(&format!("opensm {suffix}"), theirs);
        print(&format!("lanekeeper {suffix}"), ours);
        let up = ours.up.zip(theirs.up).map_or_else(|| "-".to_owned(), |(o, t)| ratio(o, t));
        println!("{:<24}{:>9}{up:>11}\n", "ratio", ratio(ours.wall, theirs.wall));
    }
}

fn measure_on_ibsim(program: &str, options: &[&str], fabric: &str) -> Run {
    let ibsim = Ibsim::start(fabric);
    let log = ibsim.folder().join("sm.log");
    let mut command = if program == "opensm" {
        let mut command = ibsim.command("opensm");
        command.arg("-f").arg(&log);
        command
    } else {
        Lanekeeper::command(&ibsim)
    };
    command.args(["-o", "-d", "2"]).args(options);
    let before = cpu_seconds(ibsim.id());
    let Used { wall, own, memory } = run(command);
    let busy = cpu_seconds(ibsim.id()).zip(before).map(|(after, before)| after - before);
    let log = fs::read(&log).unwrap_or_default();
    Run { wall, up: time_to_up(&String::from_utf8_lossy(&log)), own, ibsim: busy, memory }
}

/// Lanekeeper on its own simulator, whose time is part of the process's.
fn embedded(shape: &str, rounds: usize) {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let fabric = folder.path().join("fabric");
    fs::write(&fabric, topology(shape, "ibnetdiscover")).expect("the fabric's file");
    println!("{:<24}{:>9}{:>21}{:>22}", "embedded simulator", "wall, s", "own, s", "memory, MB");
    for options in [&[][..], &["-Q"][..]] {
        let mut best = None;
        for _ in 0..rounds {
            let mut command = Command::new(Lanekeeper::path());
            command.args(["sm", "-o", "--sim"]).arg(&fabric).args(options);
            command.current_dir(folder.path());
            command.env("OSM_TMP_DIR", folder.path()).env("OSM_CACHE_DIR", folder.path());
            // What an earlier run kept must not make this one shorter.
            let _ = fs::remove_file(folder.path().join("guid2lid"));
            let Used { wall, own, memory } = run(command);
            keep_better(&mut best, Run { wall, up: None, own, ibsim: None, memory });
        }
        let Some(best) = best else { continue };
        let name = format!("lanekeeper {}", options.join(" "));
        println!("{name:<24}{:>9.2}{:>21.2}{:>22.0}", best.wall, best.own, best.memory);
    }
}

fn topology(shape: &str, form: &str) -> String {
    let mut command = Command::new(Lanekeeper::path());
    command.arg("topo").args(shape.split_whitespace()).args(["--format", form]);
    let output = command.output().expect("lanekeeper runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a topology is plain text")
}

/// What a process used.
struct Used {
    /// Seconds from start to end.
    wall: f64,
    /// Seconds of processor time.
    own: f64,
    /// The peak of its memory in megabytes.
    memory: f64,
}

/// Runs a program to its end.
fn run(mut command: Command) -> Used {
    let start = Instant::now();
    let mut child: Child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (mut own, mut memory) = (0.0_f64, 0.0_f64);
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break status;
        }
        // The last look before the end is near enough: they come every five milliseconds.
        memory = memory.max(peak_memory(child.id()).unwrap_or(0.0));
        own = own.max(cpu_seconds(child.id()).unwrap_or(0.0));
        thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{command:?} ended with {status}");
    Used { wall: start.elapsed().as_secs_f64(), own, memory }
}

/// The time that a process has computed, of itself and for it in the kernel.
fn cpu_seconds(process: u32) -> Option<f64> {
    /// Linux counts in hundredths on every machine of today (`getconf CLK_TCK`).
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS)
}

/// Seconds from a log's first line to the one that says that the subnet is up.
fn time_to_up(log: &str) -> Option<f64> {
    let first = log.lines().find_map(time_of_day)?;
    let up = log.lines().find(|line| line.contains("SUBNET UP")).and_then(time_of_day)?;
    // A run may pass midnight.
    Some((up - first).rem_euclid(24.0 * 3600.0))
}

fn keep_better(best: &mut Option<Run>, new: Run) {
    if best.as_ref().is_none_or(|best| new.wall < best.wall) {
        *best = Some(new);
    }
}

fn ratio(ours: f64, theirs: f64) -> String {
    format!("{:.2}", ours / theirs)
}

fn print(name: &str, run: &Run) {
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"));
    println!(
        "{name:<24}{:>9.2}{:>11}{:>10.2}{:>10}{:>12.0}",
        run.wall,
        or_none(run.up),
        run.own,
        or_none(run.ibsim),
        run.memory
    );
}
