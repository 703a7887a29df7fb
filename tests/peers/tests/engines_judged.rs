//! What every routing engine makes of small fabrics, judged by `lanekeeper verify` and by ibdmchk
//! from the dump files of the subnet manager, with SLs of paths and SL2VL tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lk_peers::{Lanekeeper, process};
use serde_json::Value;
use tempfile::TempDir;

const FABRICS: [&str; 8] = [
    "fattree 4 3",
    "fattree 8 2 --fail-links 2",
    "torus 4 4 --hosts 1",
    "torus 6 5 --hosts 1",
    "torus 3 3 3 --hosts 1",
    "hyperx 3 3 --hosts 1",
    "dragonfly 5 4 4 4",
    "random 12 4 --hosts 1 --seed 3",
];

/// The engines, and whether their law keeps them free of credit loops.
const ENGINES: [(&str, bool); 11] = [
    ("minhop", false),
    ("updn", true),
    ("dnup", true),
    ("ftree", true),
    ("sssp", false),
    ("dor", false),
    ("dfsssp", true),
    ("lash", true),
    ("nue", true),
    ("torus-2QoS", true),
    ("auto", true),
];

/// Fabrics for paths to two LIDs of each port.
const TWO_LIDS: [&str; 3] =
    ["fattree 8 2", "torus 4 4 --hosts 1", "random 12 4 --hosts 1 --seed 3"];

const FILES: [&str; 6] = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"];

#[test]
fn ibdmchk_agrees_on_the_dumps_of_every_engine() {
    let (judged, loops) = judge(&FABRICS, 0);
    let too_few: Vec<_> = ENGINES.iter().zip(&judged).filter(|(_, n)| **n < 2).collect();
    assert!(too_few.is_empty(), "refused nearly everywhere: {too_few:?}");
    assert!(loops >= 5, "minhop, sssp and dor make loops on tori, and {loops} were found");
}

/// ibdmchk gives no verdict where switches have one LID and others two, as opensm gives them out.
#[test]
fn engines_keep_their_law_on_paths_to_two_lids_of_each_port() {
    let (judged, _) = judge(&TWO_LIDS, 1);
    let able = judged.iter().filter(|n| **n > 0).count();
    assert!(able >= 6, "engines that route two LIDs a port: {judged:?}");
}

/// How many fabrics each engine routes, with 2 to the power of `lmc` LIDs a port, and how many of
/// these routings have a credit loop.
fn judge(fabrics: &[&str], lmc: u8) -> (Vec<usize>, usize) {
    let lmc = lmc.to_string();
    let mut judged = vec![0; ENGINES.len()];
    let mut loops = 0;
    for fabric in fabrics {
        let here = TempDir::new().expect("a temporary folder");
        let words: Vec<&str> = ["topo"].into_iter().chain(fabric.split(' ')).collect();
        let text = Lanekeeper::run(here.path(), &words).success();
        fs::write(here.path().join("fabric"), text).expect("the fabric's file");
        fs::write(here.path().join("torus.conf"), torus_conf(fabric)).expect("the torus");
        for ((engine, is_free), judged) in ENGINES.into_iter().zip(&mut judged) {
            let Some(folder) = routed(here.path(), engine, &lmc) else { continue };
            let ours = verify(folder.path(), &lmc);
            if lmc == "0" {
                let theirs = ibdmchk(folder.path());
                assert_eq!(ours, theirs, "{engine} on {fabric}: ours {ours}, ibdmchk {theirs}");
            }
            assert!(!(is_free && ours), "{engine} on {fabric} has a credit loop");
            *judged += 1;
            loops += usize::from(ours);
        }
    }
    (judged, loops)
}

/// A folder with the dump files of a subnet that was brought up with an engine, and `path-sls` and
/// `slvl` beside them; `None` where the engine refuses the fabric.
fn routed(here: &Path, engine: &str, lmc: &str) -> Option<TempDir> {
    let folder = TempDir::new().expect("a temporary folder");
    for name in ["fabric", "torus.conf"] {
        fs::copy(here.join(name), folder.path().join(name)).expect("a copy");
    }
    let list = format!("{engine},no_fallback");
    let common = ["-Q", "-l", lmc, "-R", &list, "--torus_config", "torus.conf"];
    let route = ["route", "fabric", "--path-sls", "path-sls", "--dump", "again", "--json"];
    let outcome = Lanekeeper::run(folder.path(), &[&route[..], &common[..]].concat());
    if outcome.out.is_empty() {
        return None;
    }
    let tables = |name: &str| fs::read_to_string(folder.path().join(name)).expect("tables");
    // The subnet manager takes the same LIDs, so that the SLs are those of its dump files.
    let lids = guid2lid(&tables("again/opensm-subnet.lst"));
    fs::write(folder.path().join("guid2lid"), lids).expect("the LIDs");
    let sm = ["sm", "--sim", "fabric", "-o", "-x", "-D", "0x43", "-f", "log"];
    let _ = Lanekeeper::run(folder.path(), &[&sm[..], &common[..]].concat()).success();
    assert!(tables("opensm.fdbs") == tables("again/opensm.fdbs"), "{engine} routes otherwise");
    let slvl = slvl(&tables("opensm-sl2vl.dump"));
    fs::write(folder.path().join("slvl"), slvl).expect("tables");
    Some(folder)
}

/// The LIDs of opensm-subnet.lst in the form that subnet managers keep them.
fn guid2lid(list: &str) -> String {
    let field = |end: &str, name: &str| -> Option<String> {
        let rest = end.split_once(name)?.1;
        Some(rest.split([' ', '}']).next()?.to_lowercase())
    };
    let ends = list.lines().flat_map(|line| line.split(" } { "));
    let line = |end: &str| {
        let (guid, lid) = (field(end, " PortGUID:")?, field(end, " LID:")?);
        Some(format!("0x{guid} 0x{lid} 0x{lid}\n\n"))
    };
    ends.filter_map(line).collect::<BTreeSet<_>>().into_iter().collect()
}

/// opensm-sl2vl.dump in the form that ibdmchk takes: GUID, ports in and out, two SLs a byte.
fn slvl(dump: &str) -> String {
    let mut out = String::new();
    let mut guid = "";
    for line in dump.lines() {
        if let Some(rest) = line.strip_prefix("Switch ") {
            guid = rest.split(',').next().unwrap_or_default();
        } else if let Some((ports, vls)) = line.split_once(':')
            && let [from, to] = ports.split_whitespace().collect::<Vec<_>>()[..]
            && !line.starts_with('#')
        {
            let vls: Vec<u8> = vls.split_whitespace().map(|vl| vl.parse().expect("a VL")).collect();
            let bytes: Vec<String> =
                vls.chunks(2).map(|pair| format!("0x{:x}{:x}", pair[0], pair[1])).collect();
            let _ = writeln!(out, "{guid} {from} {to} {}", bytes.join(" "));
        }
    }
    out
}

/// Whether lanekeeper finds a loop.
fn verify(folder: &Path, lmc: &str) -> bool {
    let words = ["verify", "--dumps", ".", "--lmc", lmc, "--path-sls", "path-sls", "--json"];
    let outcome = Lanekeeper::run(folder, &words);
    let report: Value =
        serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:#?}"));
    !report["proof"]["deadlock_free"].as_bool().expect("a verdict")
}

/// Whether ibdmchk finds a loop. It crashes after its verdict, so its exit code says nothing.
fn ibdmchk(folder: &Path) -> bool {
    let mut command = Command::new("ibdmchk");
    command.args(FILES).args(["-c", "path-sls", "-d", "slvl"]).current_dir(folder);
    let outcome = process::run(command, "ibutils", Duration::from_secs(120));
    let found = outcome.out.contains("-E- credit loops in routing");
    let none = outcome.out.contains("-I- no credit loops found");
    assert!(found != none, "{outcome:#?}");
    found
}

/// A torus-2QoS.conf for a torus of `topo`, whose switches are numbered with the last dimension
/// fastest.
fn torus_conf(fabric: &str) -> String {
    let words = fabric.strip_prefix("torus ").unwrap_or("2 2").split(' ');
    let mut radix: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    radix.resize(3, 1);
    let first = 0x20_0000_u64;
    let mut conf = format!("torus {} {} {}\n", radix[0], radix[1], radix[2]);
    let steps = [radix[1] * radix[2], radix[2], 1];
    for (d, name) in ["x", "y", "z"].into_iter().enumerate().filter(|(d, _)| radix[*d] > 1) {
        let _ = writeln!(conf, "{name}p_link {first:#x} {:#x}", first + steps[d]);
        if radix[d] == 4 {
            let _ = writeln!(conf, "{name}m_link {first:#x} {:#x}", first + 3 * steps[d]);
        }
    }
    conf
}
