//! Routing engines of opensm and lanekeeper on the same fabrics: times, balance and lanes.
//!
//! `benches/engines` builds everything in release form and starts this; see benches/README.md for
//! what the columns mean. Arguments: engines with commas between them, the seconds that opensm may
//! take, then fabrics as for `lanekeeper topo`, each in one word.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use lk_peers::opensm::time_of_day;
use lk_peers::{Ibsim, Lanekeeper, process};

/// Fabrics that are measured unless others are named.
const FABRICS: [&str; 8] = [
    "fattree 36 3",
    "fattree 36 3 --seed 1 --fail-links 1%",
    "fattree 48 3",
    "fattree 48 3 --seed 1 --fail-links 1%",
    "torus 8 8 8 --hosts 4",
    "torus 10 10 10 --hosts 4",
    "dragonfly 33 32 16 8",
    "random 1000 12 --hosts 4 --seed 1",
];

/// Fabrics near the LID limit, which only lanekeeper routes: 46,550 and 45,056 LIDs.
const ALONE: [&str; 2] = ["fattree 70 3", "torus 16 16 16 --hosts 10"];

/// Engines that are measured unless others are named.
const ENGINES: &str = "minhop,updn,dnup,ftree,sssp,dfsssp,lash,nue,torus-2QoS";

/// The engine that needs a file, and is for tori only.
const TORUS: &str = "torus-2QoS";

/// What one manager made of a fabric.
#[derive(Default)]
struct Figures {
    /// Seconds: of opensm from MASTER to configured tables, of lanekeeper of the engine alone.
    seconds: Option<f64>,
    /// The most routes on a link between switches.
    fullest: Option<f64>,
    /// Lanes in use.
    lanes: Option<f64>,
    /// The most memory that the program held, in megabytes.
    memory: Option<f64>,
    /// Why there are no figures.
    why: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    let engines = words.next().unwrap_or(ENGINES).to_owned();
    let patience = words.next().map_or(600, |w| w.parse().expect("a number of seconds"));
    let named: Vec<&str> = words.collect();
    let fabrics = if named.is_empty() { [&FABRICS[..], &ALONE].concat() } else { named };
    println!(
        "| fabric | engine | opensm, s | lanekeeper, s | ratio | fullest link | lanes | memory, MB | notes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for shape in fabrics {
        for engine in engines.split(',') {
            if engine == TORUS && torus_conf(shape).is_none() {
                continue;
            }
            let alone = ALONE.contains(&shape);
            let theirs = match alone {
                true => Figures::default(),
                false => opensm(shape, engine, Duration::from_secs(patience)),
            };
            let ours = lanekeeper(shape, engine, if alone { 1 } else { 3 });
            row(shape, engine, &theirs, &ours);
        }
    }
}

fn row(shape: &str, engine: &str, theirs: &Figures, ours: &Figures) {
    let number = |n: Option<f64>, digits: usize| match n {
        Some(n) => format!("{n:.digits$}"),
        None => "-".to_owned(),
    };
    let ratio = theirs.seconds.zip(ours.seconds).map(|(t, o)| t / o.max(1e-4));
    let ratio = ratio.map_or_else(|| "-".to_owned(), |r| format!("1/{r:.0}"));
    let pair = |t, o| format!("{} / {}", number(t, 0), number(o, 0));
    let notes: Vec<&str> =
        [theirs.why.as_str(), ours.why.as_str()].into_iter().filter(|w| !w.is_empty()).collect();
    println!(
        "| {shape} | {engine} | {} | {} | {ratio} | {} | {} | {} | {} |",
        number(theirs.seconds, 2),
        number(ours.seconds, 3),
        pair(theirs.fullest, ours.fullest),
        pair(theirs.lanes, ours.lanes),
        number(ours.memory, 0),
        notes.join("; ")
    );
}

/// opensm on ibsim, with its dumps judged by `lanekeeper verify`.
fn opensm(shape: &str, engine: &str, patience: Duration) -> Figures {
    let ibsim = Ibsim::start(&topology(shape, "ibsim"));
    let log = ibsim.folder().join("sm.log");
    let mut command = ibsim.command("opensm");
    command.args(["-o", "-d", "2", "-D", "0x43", "-R", &format!("{engine},no_fallback")]);
    command.arg("-f").arg(&log);
    if engine == TORUS {
        fs::write(ibsim.folder().join(CONF), torus_conf(shape).unwrap_or_default()).expect(CONF);
        command.args(["-Q", "--torus_config", CONF]);
    }
    let outcome = process::run(command, "opensm", patience);
    let text = fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if outcome.code.is_none() {
        return Figures {
            why: format!("opensm not done in {} s", patience.as_secs()),
            ..Figures::default()
        };
    }
    let configured = text.lines().find(|line| line.contains("configured on all switches"));
    let master = text.lines().find(|line| line.contains("Entering MASTER"));
    let Some((from, to)) = master.and_then(time_of_day).zip(configured.and_then(time_of_day))
    else {
        return Figures { why: "opensm gives up".to_owned(), ..Figures::default() };
    };
    let mut figures =
        Figures { seconds: Some((to - from).rem_euclid(86_400.0)), ..Figures::default() };
    let judged = Lanekeeper::run(ibsim.folder(), &["verify", "--dumps", ".", "--json"]);
    figures.fullest = field(&judged.out, "max_routes_per_link");
    figures.lanes = lanes_of(&text);
    figures
}

/// The number of lanes that opensm says its engine uses, where it says so.
fn lanes_of(log: &str) -> Option<f64> {
    let says = |line: &&str| line.contains("Lanes") || line.contains("virtual lanes");
    let line = log.lines().find(says)?;
    let mut numbers = line.rsplit(|c: char| !c.is_ascii_digit()).filter(|w| !w.is_empty());
    numbers.next()?.parse().ok()
}

/// The best of some runs of lanekeeper.
fn lanekeeper(shape: &str, engine: &str, runs: usize) -> Figures {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("fabric"), topology(shape, "ibnetdiscover")).expect("a file");
    fs::write(folder.path().join(CONF), torus_conf(shape).unwrap_or_default()).expect(CONF);
    let list = format!("{engine},no_fallback");
    let best = (0..runs).map(|_| once(folder.path(), &list));
    best.min_by(|a, b| a.seconds.partial_cmp(&b.seconds).unwrap_or(std::cmp::Ordering::Equal))
        .unwrap_or_default()
}

fn once(folder: &Path, list: &str) -> Figures {
    let done = Lanekeeper::run(
        folder,
        &["route", "fabric", "-Q", "-R", list, "--torus_config", CONF, "--json"],
    );
    Figures {
        seconds: field(&done.out, "route_seconds"),
        fullest: field(&done.out, "max_routes_per_link"),
        lanes: field(&done.out, "lanes"),
        memory: Some(done.memory),
        why: if done.out.is_empty() {
            done.err.lines().last().unwrap_or_default().replace('|', "/")
        } else {
            String::new()
        },
    }
}

/// Its file's name.
const CONF: &str = "torus-2QoS.conf";

/// The file for a whole torus of three dimensions. Switches are numbered from a GUID on, the last
/// dimension fastest.
fn torus_conf(shape: &str) -> Option<String> {
    let mut words = shape.split(' ');
    let [Some("torus"), Some(x), Some(y), Some(z)] = std::array::from_fn(|_| words.next()) else {
        return None;
    };
    let [ny, nz]: [u64; 2] = [y.parse().ok()?, z.parse().ok()?];
    let first = 0x20_0000_u64;
    let link = |name: &str, step: u64| format!("{name}_link 0x{first:x} 0x{:x}\n", first + step);
    let links = link("xp", ny * nz) + &link("yp", nz) + &link("zp", 1);
    Some(format!("torus {x} {y} {z}\n{links}"))
}

/// A number of a JSON object, by its name.
fn field(json: &str, name: &str) -> Option<f64> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    value.get(name)?.as_f64()
}

fn topology(shape: &str, form: &str) -> String {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let words = ["topo"].into_iter().chain(shape.split_whitespace()).chain(["--format", form]);
    Lanekeeper::run(folder.path(), &words.collect::<Vec<_>>()).success()
}
