//! One torus routed by opensm and by lanekeeper, each on a simulated fabric of its own, and what
//! differs between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::torus::Torus;
use crate::{Daemon, Ibsim, Lanekeeper, Opensm, process};

const ARGUMENTS: [&str; 7] =
    ["-Q", "-R", "torus-2QoS,no_fallback", "-D", "0x43", "--torus_config", "torus-2QoS.conf"];

/// How long all questions about paths may take.
const QUESTIONS: Duration = Duration::from_secs(600);

/// What a subnet manager made of a torus.
#[derive(Clone, Default, Debug)]
pub struct Routed {
    /// The lines of opensm-torus.dump, in order.
    pub places: Vec<String>,
    /// The lines of opensm-sl2vl.dump.
    pub sl2vl: Vec<String>,
    /// LIDs by port GUID.
    pub lids: BTreeMap<u64, u16>,
    /// SLs by the LIDs of both ends.
    pub sls: BTreeMap<(u16, u16), u8>,
}

impl Routed {
    fn read(folder: &Path) -> Self {
        let text = |name: &str| {
            fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let lines = |name: &str| text(name).lines().map(str::to_owned).collect();
        let lid = |line: &str| {
            let mut words = line.split_whitespace().map(|w| w.trim_start_matches("0x"));
            let guid = u64::from_str_radix(words.next()?, 16).ok()?;
            Some((guid, u16::from_str_radix(words.next()?, 16).ok()?))
        };
        Self {
            places: lines("opensm-torus.dump"),
            sl2vl: lines("opensm-sl2vl.dump"),
            lids: text("guid2lid").lines().filter_map(lid).collect(),
            sls: BTreeMap::new(),
        }
    }
}

/// What opensm makes of it, with the SL of each path between hosts that its subnet administration
/// names; `None` where it refuses. `asker` is the program `path-sls`.
///
/// # Panics
/// If a program is missing or fails.
#[must_use]
pub fn by_opensm(torus: &Torus, asker: &Path) -> Option<Routed> {
    let ibsim = Ibsim::start(&torus.net());
    fs::write(ibsim.folder().join("torus-2QoS.conf"), torus.conf()).expect("the file");
    let mut opensm = Opensm { conf: "", arguments: &ARGUMENTS }.serve(&ibsim);
    if opensm.wait_for(&["SUBNET UP", "No routing engine able"]).1 == 1 {
        return None;
    }
    let mut routed = Routed::read(ibsim.folder());
    routed.sls = path_sls(torus, &ibsim, asker, &routed.lids);
    Some(routed)
}

/// The LIDs of the hosts, one a line.
fn hosts(torus: &Torus, lids: &BTreeMap<u64, u16>) -> String {
    let there = torus.places().into_iter().filter(|at| !torus.no_switch.contains(at));
    let lid = |at| lids.get(&torus.host_guid(at)).map(|lid| format!("{lid}\n"));
    there.filter_map(lid).collect()
}

fn ask(mut command: Command, folder: &Path, lids: &str) -> String {
    let input = folder.join("lids");
    fs::write(&input, lids).expect("the list of LIDs");
    command.arg(&input);
    let outcome = process::run(command, "ibsim-utils", QUESTIONS);
    outcome.success()
}

/// What lanekeeper makes of it; `None` where it refuses. Each SL is the one that its subnet
/// administration answers, and `route` has to give the same.
///
/// # Panics
/// If a program is missing or fails, or `route` and the subnet administration differ.
#[must_use]
pub fn by_lanekeeper(torus: &Torus, asker: &Path) -> Option<Routed> {
    let ibsim = Ibsim::start(&torus.net());
    let folder = ibsim.folder();
    fs::write(folder.join("torus-2QoS.conf"), torus.conf()).expect("the file");
    let mut daemon = Daemon::lanekeeper_starts(&ibsim, "", &ARGUMENTS);
    if daemon.wait_for_one_of(&["SUBNET UP", "no routing engine"]) == 1 {
        return None;
    }
    let mut routed = Routed::read(folder);
    routed.sls = path_sls(torus, &ibsim, asker, &routed.lids);
    drop(daemon);
    let by_route = routed_sls(torus, folder, &routed.lids);
    for (pair, sl) in &routed.sls {
        assert_eq!(by_route.get(pair), Some(sl), "SL from LID {} to {} by route", pair.0, pair.1);
    }
    Some(routed)
}

/// The SLs that `lanekeeper route` names.
fn routed_sls(torus: &Torus, folder: &Path, lids: &BTreeMap<u64, u16>) -> BTreeMap<(u16, u16), u8> {
    fs::write(folder.join("numbered.net"), torus.net_with(lids)).expect("the fabric");
    let words = ["route", "numbered.net", "--path-sls", "path-sls"];
    let outcome = Lanekeeper::run(folder, &[&words[..], &ARGUMENTS[..]].concat());
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let text = fs::read_to_string(folder.join("path-sls")).expect("SLs");
    let by_node: BTreeMap<u64, u16> = lids.iter().map(|(guid, lid)| (guid - 1, *lid)).collect();
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let guid = u64::from_str_radix(words[0].trim_start_matches("0x"), 16).expect("a GUID");
        let from = *by_node.get(&guid)?;
        let to = words[1].parse().expect("a LID");
        Some(((from, to), words[2].parse().expect("an SL")))
    };
    text.lines().filter_map(line).collect()
}

/// The SL of each path between hosts, asked of the subnet administration that runs.
fn path_sls(
    torus: &Torus,
    ibsim: &Ibsim,
    asker: &Path,
    lids: &BTreeMap<u64, u16>,
) -> BTreeMap<(u16, u16), u8> {
    let asked = ask(ibsim.command(asker), ibsim.folder(), &hosts(torus, lids));
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [from, to, sl] = words[..] else { return None };
        let number = |word: &str| word.parse().expect("a LID");
        Some(((number(from), number(to)), sl.parse().expect("an SL")))
    };
    asked.lines().filter_map(line).collect()
}

/// Both answers side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Both {
    /// Both route; so many SLs of paths are the same.
    Route(usize),
    /// Both refuse.
    Refuse,
    /// Only lanekeeper routes it.
    OnlyOurs,
    /// Only opensm routes it.
    OnlyTheirs,
}

/// Holds coordinates, SL2VL tables and path SLs against each other.
///
/// # Errors
/// The first difference.
pub fn compare(torus: &Torus, asker: &Path) -> Result<Both, String> {
    let ours = {
        let torus = torus.clone();
        let asker = asker.to_owned();
        thread::spawn(move || by_lanekeeper(&torus, &asker))
    };
    let theirs = by_opensm(torus, asker);
    let ours = ours.join().map_err(|_| "lanekeeper's run failed".to_owned())?;
    let (ours, theirs) = match (ours, theirs) {
        (None, None) => return Ok(Both::Refuse),
        (Some(_), None) => return Ok(Both::OnlyOurs),
        (None, Some(_)) => return Ok(Both::OnlyTheirs),
        (Some(ours), Some(theirs)) => (ours, theirs),
    };
    same("opensm-torus.dump", &ours.places, &theirs.places)?;
    same("opensm-sl2vl.dump", &ours.sl2vl, &theirs.sl2vl)?;
    let hosts = torus.places().len() - torus.no_switch.len();
    if theirs.sls.len() != hosts * hosts {
        return Err(format!("opensm named {} SLs for {hosts} hosts", theirs.sls.len()));
    }
    for (pair, sl) in &theirs.sls {
        if ours.sls.get(pair) != Some(sl) {
            return Err(format!(
                "SL from LID {} to {}: {:?}, opensm {sl}",
                pair.0,
                pair.1,
                ours.sls.get(pair)
            ));
        }
    }
    Ok(Both::Route(theirs.sls.len()))
}

fn same(what: &str, ours: &[String], theirs: &[String]) -> Result<(), String> {
    let other = ours.iter().zip(theirs).find(|(a, b)| a != b);
    match other {
        Some((ours, theirs)) => Err(format!("{what}: {ours:?}, opensm {theirs:?}")),
        None if ours.len() != theirs.len() => {
            Err(format!("{what}: {} lines, opensm {}", ours.len(), theirs.len()))
        }
        None => Ok(()),
    }
}
