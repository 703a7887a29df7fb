//! Tables that OpenSM made, read from its dumps: hop counts must be the same, and the checks must
//! find nothing where there is nothing.

use std::path::PathBuf;

use lk_diag::SourceFile;
use lk_fabric::dumps::fdbs::{self, Entry};
use lk_fabric::text::read_fabric;
use lk_fabric::{PortId, SwitchId};
use lk_routing::proof::{OneLane, SlSet, Traffic, prove};
use lk_routing::{Hops, Lfts, LidMap, RouteOptions, check, quality};
use lk_wire::{Guid, Lid, Sl};

use crate::fabrics::{Case, engine_named};
use crate::oracle;

pub(crate) fn file(folder: &str, name: &str) -> SourceFile {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder).join(name);
    SourceFile::new(name, std::fs::read(&path).expect("the file is part of the tests"))
}

/// The fabric with the LIDs that opensm gave out.
pub(crate) fn case(folder: &str) -> Case {
    let (read, findings) = read_fabric(&file(folder, "fabric.net"));
    assert!(!findings.has_errors(), "{folder}");
    let fabric = read.expect("there are nodes").fabric;
    let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16);
    let ranges = file(folder, "guid2lid")
        .text()
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let words: Vec<u64> =
                line.split_whitespace().map(|w| number(w).expect("hexadecimal")).collect();
            let port = |p: &PortId| fabric.port(*p).guid == Guid(words[0]);
            let end = fabric.end_ports().find(port).expect("the port is in the fabric");
            assert_eq!(words[1], words[2], "LMC is 0");
            (end, Lid(words[1] as u16), 0)
        })
        .collect();
    Case { lids: LidMap::new(ranges), fabric, options: RouteOptions::default() }
}

/// OpenSM's tables, and the hops that it says they take.
pub(crate) fn tables(
    folder: &str,
    engine: &str,
    case: &Case,
) -> (Lfts, Vec<(SwitchId, Lid, Option<u8>)>) {
    let (tables, findings) = fdbs::read(&file(folder, &format!("{engine}.fdbs")));
    assert!(!findings.has_errors(), "{folder} {engine}");
    let top = case.lids.top();
    let mut rows = vec![vec![Lfts::NO_PATH; Lfts::row_len(top)]; case.fabric.switches().len()];
    let mut hops = Vec::new();
    for table in tables {
        let node = case.fabric.node_by_guid(table.guid).expect("the switch is in the fabric");
        let switch = case.fabric.as_switch(node).expect("it is a switch");
        for (lid, entry) in table.entries {
            let Entry::Path { port, hops: count, .. } = entry else {
                hops.push((switch, lid, None));
                continue;
            };
            rows[switch.index()][usize::from(lid.0)] = port.0;
            hops.push((switch, lid, count));
        }
    }
    (Lfts { top, rows: rows.into_iter().map(Into::into).collect() }, hops)
}

/// Hops as OpenSM counts them: one more to an end port than to its switch.
fn counted(case: &Case, switch_hops: usize, lid: Lid) -> usize {
    let end = case.lids.port(lid).expect("the LID has a port");
    let to_host = case.fabric.as_switch(case.fabric.owner(end)).is_none();
    switch_hops + usize::from(to_host)
}

#[test]
fn minhop_has_the_same_hops_everywhere() {
    for folder in ["ft4x3", "ft4x3-broken", "r24"] {
        let case = case(folder);
        let (theirs, hops) = tables(folder, "minhop", &case);
        let ours = case.routes("minhop").lfts;
        let matrix = Hops::new(&case.fabric);
        assert!(hops.len() >= 160, "{folder}: {}", hops.len());
        for (switch, lid, count) in hops {
            let count = count.map(usize::from);
            for lfts in [&ours, &theirs] {
                let path = oracle::walk(&case.fabric, &case.lids, lfts, switch, lid);
                let steps = path.map(|p| counted(&case, p.len() - 1, lid));
                assert_eq!(steps, count, "{folder}, from {switch:?} to LID {lid}");
            }
            let end = case.lids.port(lid).expect("the LID has a port");
            let home = oracle::home(&case.fabric, end).expect("it has a switch");
            let least = matrix.between(switch, home).map(usize::from);
            assert_eq!(least.map(|h| counted(&case, h, lid)), count, "{folder}");
        }
    }
}

#[test]
fn updn_has_the_same_hops_on_the_whole_tree() {
    let case = case("ft4x3");
    let (_, hops) = tables("ft4x3", "updn", &case);
    let ours = case.routes("updn").lfts;
    for (switch, lid, count) in hops {
        let path = oracle::walk(&case.fabric, &case.lids, &ours, switch, lid);
        let steps = path.map(|p| counted(&case, p.len() - 1, lid));
        assert_eq!(steps, count.map(usize::from), "from {switch:?} to LID {lid}");
    }
}

/// OpenSM loses a root to each link that fails; we must not.
#[test]
fn updn_reaches_every_host_of_the_broken_tree() {
    let case = case("ft4x3-broken");
    let routes = case.routes("updn");
    let found = check(&case.fabric, &case.lids, &routes.lfts);
    // Two hosts hang on a switch without links; nothing else is missing between hosts.
    let cut_off: Vec<SwitchId> = case
        .fabric
        .switch_ids()
        .filter(|s| oracle::links(&case.fabric).iter().all(|(from, _, _)| from != s))
        .collect();
    for lost in found.unreached.iter().filter(|u| !u.of_switch) {
        let end = case.lids.port(lost.lid).expect("the LID has a port");
        let home = oracle::home(&case.fabric, end).expect("it has a switch");
        assert!(cut_off.contains(&home) || lost.from_leaves as usize <= cut_off.len(), "{lost:?}");
    }
    assert!(found.loops.is_empty());
}

#[test]
fn the_checks_pass_opensms_tables() {
    for (folder, engine) in
        [("ft4x3", "minhop"), ("ft4x3", "updn"), ("ft4x3-broken", "updn"), ("r24", "minhop")]
    {
        let case = case(folder);
        let (theirs, hops) = tables(folder, engine, &case);
        let found = check(&case.fabric, &case.lids, &theirs);
        assert!(found.loops.is_empty(), "{folder} {engine}");
        let lost: u32 = found.unreached.iter().map(|u| u.from).sum();
        let known: usize = hops.iter().filter(|(_, _, count)| count.is_none()).count();
        let listed = hops.len();
        let all = case.fabric.switches().len() * case.lids.ranges().len();
        assert_eq!(lost as usize, known + (all - listed), "{folder} {engine}");
    }
}

#[test]
fn deadlocks_are_told_from_none_in_opensms_tables() {
    let sl = SlSet::one(Sl(0));
    for (folder, engine, free) in [("ft4x3", "updn", true), ("r24", "minhop", false)] {
        let case = case(folder);
        let (theirs, _) = tables(folder, engine, &case);
        let traffic = Traffic::EndPorts;
        let proof = prove(&case.fabric, &case.lids, &theirs, &OneLane, &sl, traffic);
        assert_eq!(proof.deadlock_free(), free, "{folder} {engine}");
        let any = oracle::can_deadlock(&case.fabric, &case.lids, &theirs);
        assert!(free || any, "{folder} {engine}");
    }
    // Random cabling has no roots to find, with OpenSM as with us.
    let case = case("r24");
    let refused = engine_named("updn").plan(&case.job());
    assert!(refused.is_err(), "{refused:?}");
}

/// `ft6x3-mixed` is a three-level tree of 6-port switches with random port numbers and GUIDs, and
/// with a fifth of its hosts left out.
#[test]
fn ftree_orders_compute_nodes_as_opensm_does() {
    for folder in ["ft4x3", "ft6x3-mixed"] {
        let case = case(folder);
        let order = engine_named("ftree").ca_order(&case.job()).expect("it is a fat-tree");
        let mut text = String::new();
        order.write(&mut text, &case.fabric, |port| case.lid(port)).expect("a String takes all");
        assert_eq!(text, file(folder, "ftree-ca-order.dump").text(), "{folder}");
    }
}

#[test]
fn ftree_is_as_even_as_opensms_and_refuses_what_that_refuses() {
    let case = case("ft4x3");
    let (theirs, hops) = tables("ft4x3", "ftree", &case);
    let ours = case.routes("ftree").lfts;
    let most = |lfts| quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
    assert!(most(&ours) <= most(&theirs), "{} and {}", most(&ours), most(&theirs));
    for (switch, lid, count) in hops {
        let Some(count) = count else { continue };
        let path = oracle::walk(&case.fabric, &case.lids, &ours, switch, lid);
        let steps = path.map(|p| counted(&case, p.len() - 1, lid));
        assert!(steps <= Some(usize::from(count)), "from {switch:?} to LID {lid}");
    }
    let refused = |folder: &str| engine_named("ftree").plan(&self::case(folder).job()).is_err();
    assert!(refused("ft4x3-broken") && refused("r24"));
}
