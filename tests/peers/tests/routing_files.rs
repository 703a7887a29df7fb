//! Routings that go from one manager to the other: what one of them dumped, the other programs.

use std::collections::BTreeMap;
use std::fs;

use lk_peers::{Ibsim, Lanekeeper, Opensm};
use tempfile::TempDir;

/// Switch GUID and LID to port, from an opensm-lfts.dump.
type Tables = BTreeMap<(String, String), u8>;

fn tables(dump: &str) -> Tables {
    let mut out = Tables::new();
    let mut switch = String::new();
    for line in dump.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with("Unicast lids") {
            let at = words.iter().position(|w| *w == "guid").expect("a head line names its switch");
            switch = words[at + 1].to_owned();
        } else if line.starts_with("0x") {
            let port = words[1].parse().expect("a port");
            out.insert((switch.clone(), words[0].to_owned()), port);
        }
    }
    out
}

fn fabric(words: &[&str]) -> String {
    let here = TempDir::new().expect("a temporary folder");
    let arguments: Vec<&str> = ["topo", "--format", "ibsim"].iter().chain(words).copied().collect();
    Lanekeeper::run(here.path(), &arguments).success()
}

fn dumped(ibsim: &Ibsim, name: &str) -> String {
    fs::read_to_string(ibsim.folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

const FABRICS: [&[&str]; 3] = [
    &["fattree", "4", "3"],
    &["torus", "3", "3", "--hosts", "2"],
    &["random", "12", "4", "--hosts", "2"],
];

#[test]
fn opensm_programs_what_lanekeeper_dumped() {
    for words in FABRICS {
        let net = fabric(words);
        let ours = Ibsim::start(&net);
        let _ = Lanekeeper::on(&ours, &["-o", "-R", "dnup", "-D", "0x43"]);
        let dump = dumped(&ours, "opensm-lfts.dump");
        assert!(tables(&dump).len() > 100, "{words:?}: {dump}");
        let theirs = Ibsim::start(&net);
        fs::write(theirs.folder().join("tables"), &dump).expect("a file");
        let path = theirs.folder().join("tables").to_string_lossy().into_owned();
        let arguments = &["-R", "file", "-U", &path, "-D", "0x43"];
        let log = Opensm { conf: "", arguments }.sweep(&theirs);
        assert!(log.contains("file tables configured"), "{words:?}: {log}");
        assert_eq!(tables(&dumped(&theirs, "opensm-lfts.dump")), tables(&dump), "{words:?}");
    }
}

#[test]
fn lanekeeper_programs_what_opensm_dumped() {
    for words in FABRICS {
        let net = fabric(words);
        let theirs = Ibsim::start(&net);
        let _ = Opensm { conf: "", arguments: &["-R", "minhop", "-D", "0x43"] }.sweep(&theirs);
        let dump = dumped(&theirs, "opensm-lfts.dump");
        assert!(tables(&dump).len() > 100, "{words:?}: {dump}");
        let ours = Ibsim::start(&net);
        fs::write(ours.folder().join("tables"), &dump).expect("a file");
        let path = ours.folder().join("tables").to_string_lossy().into_owned();
        let outcome = Lanekeeper::on(&ours, &["-o", "-R", "file", "-U", &path, "-D", "0x43"]);
        let log = dumped(&ours, "sm.log");
        assert!(log.contains("routed by file"), "{words:?}: {outcome:?}\n{log}");
        assert_eq!(tables(&dumped(&ours, "opensm-lfts.dump")), tables(&dump), "{words:?}");
        // And it is in the switches, not only in the dump.
        let head: Vec<&str> = dump.lines().next().unwrap_or_default().split(' ').collect();
        let after = |word| head.iter().position(|w| *w == word).and_then(|at| head.get(at + 1));
        let lid = after("Lid").expect("a head line has a LID");
        let switch = (*after("guid").expect("and a GUID")).to_owned();
        let held = ours.client("ibroute", &[lid]).success();
        for ((guid, lid), port) in tables(&dump).iter().filter(|((guid, _), _)| *guid == switch) {
            let line = held.lines().find(|line| line.starts_with(lid.as_str()));
            let line = line.unwrap_or_else(|| panic!("{guid} has nothing for {lid}: {held}"));
            assert_eq!(line.split_whitespace().nth(1).map(|p| p.parse()), Some(Ok(*port)));
        }
    }
}

#[test]
fn both_order_compute_nodes_alike() {
    let net = fabric(&["fattree", "6", "3"]);
    let (theirs, ours) = (Ibsim::start(&net), Ibsim::start(&net));
    let _ = Opensm { conf: "", arguments: &["-R", "ftree"] }.sweep(&theirs);
    let _ = Lanekeeper::on(&ours, &["-o", "-R", "ftree"]);
    let name = "opensm-ftree-ca-order.dump";
    assert_eq!(dumped(&ours, name), dumped(&theirs, name));
}

/// OpenSM refuses a pure tree that lacks one link, and takes it when its roots are named; so do we.
#[test]
fn both_refuse_a_tree_that_lacks_a_link_unless_its_roots_are_named() {
    let net = fabric(&["fattree", "4", "3", "--fail-links", "1"]);
    let roots = net.lines().filter_map(|line| {
        let (_, rest) = line.split_once("switchguid=0x")?;
        u64::from_str_radix(rest.split(|c: char| !c.is_ascii_hexdigit()).next()?, 16).ok()
    });
    // The generator numbers the switches from the leaves up.
    let mut guids: Vec<u64> = roots.collect();
    guids.sort_unstable();
    let roots: String = guids.iter().rev().take(4).map(|guid| format!("0x{guid:x}\n")).collect();
    for named in [false, true] {
        let (theirs, ours) = (Ibsim::start(&net), Ibsim::start(&net));
        for ibsim in [&theirs, &ours] {
            fs::write(ibsim.folder().join("roots"), &roots).expect("a file");
        }
        let path = |ibsim: &Ibsim| ibsim.folder().join("roots").to_string_lossy().into_owned();
        let (their_roots, our_roots) = (path(&theirs), path(&ours));
        let mut arguments = vec!["-R", "ftree"];
        arguments.extend(if named { vec!["-a", &*their_roots] } else { vec![] });
        let log = Opensm { conf: "", arguments: &arguments }.sweep(&theirs);
        let engine = if named { "ftree" } else { "minhop" };
        assert!(log.contains(&format!("{engine} tables configured")), "{log}");
        let mut arguments = vec!["-o", "-R", "ftree"];
        arguments.extend(if named { vec!["-a", &*our_roots] } else { vec![] });
        let _ = Lanekeeper::on(&ours, &arguments);
        let log = dumped(&ours, "sm.log");
        assert!(log.contains(&format!("routed by {engine}")), "{log}");
    }
}
