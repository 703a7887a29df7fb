//! Whether lanekeeper's proof of deadlock freedom says what ibdmchk says, on the same dump files.
//!
//! Half of the fabrics have credit loops: rings and tori routed by minhop. A loop that lanekeeper
//! prints is walked here with nothing but the text of the dump files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lk_peers::{Lanekeeper, process};
use serde_json::Value;
use tempfile::TempDir;

/// Fabrics that minhop routes with a credit loop.
const WITH_LOOPS: [&str; 16] = [
    "torus 5 --hosts 1",
    "torus 6 --hosts 2",
    "torus 7 --hosts 1",
    "torus 8 --hosts 1",
    "torus 9 --hosts 3",
    "torus 10 --hosts 1",
    "torus 4 4 --hosts 1",
    "torus 4 4 --hosts 3",
    "torus 5 3 --hosts 1",
    "torus 5 5 --hosts 2",
    "torus 6 5 --hosts 1",
    "torus 3 3 3 --hosts 1",
    "torus 4 3 2 --hosts 1",
    "torus 4 4 4 --hosts 1",
    "torus 5 5 --hosts 1 --fail-links 2",
    "random 12 3 --hosts 1",
];

/// Fabrics that it routes without one.
const WITHOUT_LOOPS: [&str; 16] = [
    "torus 3 --hosts 2",
    "torus 3 3 --hosts 1",
    "fattree 4 2",
    "fattree 4 3",
    "fattree 6 2",
    "fattree 6 3",
    "fattree 8 2",
    "fattree 8 3",
    "fattree 12 2",
    "fattree 16 2",
    "fattree 8 2 --fail-links 2",
    "fattree 8 2 --fail-switches 1",
    "fattree 12 2 --fail-links 2",
    "dragonfly 5 4 4 4",
    "hyperx 3 3 --hosts 1",
    "hyperx 4 --hosts 2",
];

/// The dump files of minhop's routes on a fabric.
fn dumps(fabric: &str) -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    let words: Vec<&str> = ["topo"].into_iter().chain(fabric.split(' ')).collect();
    let text = Lanekeeper::run(here.path(), &words).success();
    fs::write(here.path().join("fabric"), text).expect("the fabric's file");
    let outcome = Lanekeeper::run(here.path(), &["route", "fabric", "--dump", "."]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    here
}

/// What lanekeeper says of the dump files in a folder, and whether it finds a loop.
fn verify(folder: &Path, more: &[&str]) -> (Value, bool) {
    let words = [&["verify", "--dumps", ".", "--json"], more].concat();
    let outcome = Lanekeeper::run(folder, &words);
    let report: Value =
        serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:#?}"));
    let free = report["proof"]["deadlock_free"].as_bool().expect("a verdict");
    assert_eq!(outcome.code, Some(i32::from(!free)), "{outcome:#?}");
    (report, !free)
}

/// Whether ibdmchk finds a loop. It crashes after its verdict, so its exit code says nothing.
fn ibdmchk(folder: &Path, more: &[&str]) -> bool {
    let files = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"];
    let mut command = Command::new("ibdmchk");
    command.args(files).args(more).current_dir(folder);
    let outcome = process::run(command, "ibutils", Duration::from_secs(120));
    let found = outcome.out.contains("-E- credit loops in routing");
    let none = outcome.out.contains("-I- no credit loops found");
    assert!(found != none, "{outcome:#?}");
    found
}

/// A port, by its node's GUID and its number.
type Place = (u64, u8);

/// The cables and forwarding tables of dump files.
#[derive(Default)]
struct Tables {
    cables: BTreeMap<Place, Place>,
    /// Ports of adapters by name, `node/port`.
    adapters: BTreeMap<String, Place>,
    /// Ports out, by switch and LID.
    ways: BTreeMap<(u64, u16), u8>,
}

impl Tables {
    fn read(folder: &Path) -> Self {
        let text = |name: &str| fs::read_to_string(folder.join(name)).expect("a dump file");
        let mut tables = Self::default();
        for line in text("opensm-subnet.lst").lines() {
            let (near, far) = line.split_once(" } { ").expect("two ends");
            let (near_place, far_place) = (place(near), place(far));
            tables.cables.insert(near_place, far_place);
            if near.starts_with("{ CA") {
                let name = near.rsplit_once('{').and_then(|(_, rest)| rest.split_once('}'));
                let name = name.expect("a name in braces").0;
                tables.adapters.insert(format!("{name}/{}", near_place.1), near_place);
            }
        }
        let mut switch = 0;
        for line in text("opensm.fdbs").lines() {
            if let Some(guid) = line.strip_prefix("dump_ucast_routes: Switch ") {
                switch = hex(guid);
            } else if let [lid, port, _, _] = line.split(" : ").collect::<Vec<_>>()[..]
                && let Ok(port) = port.trim().parse()
            {
                tables.ways.insert((switch, hex(lid) as u16), port);
            }
        }
        tables
    }

    /// The ports by which packets from an adapter's port to a LID leave the switches on their way.
    fn walk(&self, from: Place, lid: u16) -> Vec<Place> {
        let mut at = self.cables[&from].0;
        let mut way = Vec::new();
        while let Some(port) = self.ways.get(&(at, lid)) {
            way.push((at, *port));
            assert!(way.len() < 1000, "LID {lid} goes round");
            at = self.cables[&(at, *port)].0;
        }
        way
    }
}

/// A number in the last end that a piece of a line describes.
fn field(end: &str, word: &str) -> u64 {
    let rest = end.rsplit_once(word).unwrap_or_else(|| panic!("no {word} in {end}")).1;
    hex(rest.split([' ', '}']).next().unwrap_or_default())
}

/// GUID and port number of one end of a line.
fn place(end: &str) -> Place {
    (field(end, " NodeGUID:"), field(end, " PN:") as u8)
}

fn hex(text: &str) -> u64 {
    let digits = text.trim().trim_start_matches("0x").trim_start_matches("0X");
    u64::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{text} is no hex number"))
}

/// Walks each packet of a printed loop: it passes the link that it is said to hold, and then the
/// one that the next packet holds.
fn assert_closed(folder: &Path, report: &Value) {
    let tables = Tables::read(folder);
    let circle = report["proof"]["circle"].as_array().expect("a list");
    let link = |step: &Value| -> Place {
        let guid = hex(step["from_guid"].as_str().expect("a GUID"));
        (guid, step["from_port"].as_u64().expect("a port") as u8)
    };
    assert!(circle.len() >= 3, "{report:#}");
    for (step, next) in circle.iter().zip(circle.iter().cycle().skip(1)) {
        let source = tables.adapters[step["source"].as_str().expect("a name")];
        let way = tables.walk(source, step["lid"].as_u64().expect("a LID") as u16);
        let turn = [link(step), link(next)];
        assert!(way.windows(2).any(|pair| pair == turn), "{step:#}: the packet goes {way:x?}");
        assert_eq!(step["vl"], next["vl"], "these fabrics have one lane");
    }
}

#[test]
fn loops_of_rings_and_tori_are_found_by_both() {
    for fabric in WITH_LOOPS {
        let here = dumps(fabric);
        let (report, found) = verify(here.path(), &[]);
        assert!(found && ibdmchk(here.path(), &[]), "{fabric}: {report:#}");
        assert_closed(here.path(), &report);
    }
}

#[test]
fn trees_are_free_for_both() {
    for fabric in WITHOUT_LOOPS {
        let here = dumps(fabric);
        let (report, found) = verify(here.path(), &[]);
        assert!(!found && !ibdmchk(here.path(), &[]), "{fabric}: {report:#}");
        assert_eq!(report["proof"]["circle"].as_array().map(Vec::len), Some(0));
    }
}

/// Six hosts on a ring, each with an SL and so a lane of its own, cannot wait for each other, nor
/// can neighbours that share one; all on one lane can.
#[test]
fn sls_of_paths_and_lanes_are_taken_into_account() {
    let here = dumps("torus 6 --hosts 1");
    let list = fs::read_to_string(here.path().join("opensm-subnet.lst")).expect("the list");
    let near: Vec<&str> = list.lines().filter_map(|line| line.split(" } { ").next()).collect();
    let hosts: Vec<(u64, u64)> = near
        .iter()
        .filter(|end| end.starts_with("{ CA"))
        .map(|end| (field(end, " NodeGUID:"), field(end, " LID:")))
        .collect();
    assert_eq!(hosts.len(), 6);
    fs::write(here.path().join("opensm-sl2vl.dump"), identity(&near)).expect("tables");
    for (lanes, loops) in [(6, false), (2, false), (1, true)] {
        let mut sls = String::new();
        for (n, (guid, _)) in hosts.iter().enumerate() {
            for (_, lid) in hosts.iter().filter(|to| to.0 != *guid) {
                let _ = writeln!(sls, "{guid:#018x} {lid} {}", n * lanes / 6);
            }
        }
        fs::write(here.path().join("path-sls"), sls).expect("SLs");
        let (report, found) = verify(here.path(), &["--path-sls", "path-sls"]);
        assert_eq!(found, loops, "{lanes} lanes: {report:#}");
        let used = report["proof"]["lanes"].as_array().map(Vec::len);
        assert_eq!(used, Some(lanes), "{report:#}");
        assert_eq!(ibdmchk(here.path(), &["-c", "path-sls"]), loops, "{lanes} lanes");
    }
}

/// An opensm-sl2vl.dump in which each SL has its own lane on every switch; ibdmchk takes that for
/// granted.
fn identity(near: &[&str]) -> String {
    let mut out = String::new();
    let lanes: Vec<String> = (0..16).map(|sl: u8| sl.min(14).to_string()).collect();
    let mut switches: Vec<u64> = near
        .iter()
        .filter(|end| end.starts_with("{ SW"))
        .map(|end| field(end, " NodeGUID:"))
        .collect();
    switches.dedup();
    for guid in switches {
        let _ = writeln!(out, "Switch {guid:#018x}, base LID 1, \"switch\"");
        for (from, to) in (0..4).flat_map(|from| (1..4).map(move |to| (from, to))) {
            let _ = writeln!(out, "{from} {to} : {}", lanes.join(" "));
        }
    }
    out
}
