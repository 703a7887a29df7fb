//! Against OpenSM 3.3.23 on the same fabric with the same file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lk_config::torus_conf::{self, TorusConf};
use lk_diag::SourceFile;
use lk_fabric::dumps::fdbs::{self, Entry};
use lk_fabric::dumps::{mcfdbs, sl2vl};
use lk_fabric::text::read_fabric;
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_routing::graph::Graph;
use lk_routing::{LidMap, Routes, SlPlan, TorusSeed, TorusSpec};
use lk_wire::{Guid, Lid, PortNum, Sl};

use crate::bench::Bench;

/// The folder of a run; none where the field's files are missing, which is said.
fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("LANEKEEPER_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let golden = root.join("golden");
    if golden.is_dir() {
        return Some(golden.join(name));
    }
    #[expect(clippy::print_stderr, reason = "a skipped test must not be silent")]
    {
        eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    }
    None
}

fn file(folder: &Path, name: &str) -> SourceFile {
    SourceFile::new(name, std::fs::read(folder.join(name)).expect("the file is there"))
}

fn spec(conf: &TorusConf) -> TorusSpec {
    let shape = conf.shape.expect("the file has sizes").value;
    let seed = |s: &torus_conf::Seed| TorusSeed {
        links: s.links.map(|l| l.map(|l| (l.value.from, l.value.to))),
        dateline: s.dateline(),
    };
    TorusSpec {
        radix: shape.radix,
        open: shape.open,
        seeds: conf.seeds.iter().map(seed).collect(),
        group_ports: conf.group_ports(),
        port_order: conf.port_order.iter().map(|p| p.value).collect(),
        max_changes: conf.changes(),
    }
}

fn lids(folder: &Path, fabric: &Fabric) -> LidMap {
    let number = |w: &str| u64::from_str_radix(w.trim_start_matches("0x"), 16).expect("hex");
    let ends: BTreeMap<Guid, PortId> =
        fabric.end_ports().map(|p| (fabric.port(p).guid, p)).collect();
    let text = file(folder, "guid2lid");
    let lines = text.text().lines().filter(|l| !l.is_empty());
    let ranges = lines.filter_map(|line| {
        let words: Vec<u64> = line.split_whitespace().map(number).collect();
        Some((*ends.get(&Guid(words[0]))?, Lid(words[1] as u16), 0))
    });
    LidMap::new(ranges.collect())
}

/// The fabric, LIDs and file of a run.
fn bench(folder: &Path) -> Bench {
    let (read, found) = read_fabric(&file(folder, "fabric.net"));
    assert!(!found.has_errors());
    let fabric = read.expect("there are nodes").fabric;
    let (conf, found) = torus_conf::parse(&file(folder, "torus-2QoS.conf"));
    assert!(!conf.refused, "{found:?}");
    let lids = lids(folder, &fabric);
    Bench::new(fabric, lids, spec(&conf))
}

fn coordinates(folder: &Path, bench: &Bench, routes: &Routes) -> usize {
    let SlPlan::PerPair(sls) = &routes.sl else { panic!("SLs go by pair") };
    let dump = file(folder, "opensm-torus.dump");
    let mut seen = 0;
    for line in dump.text().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at: Vec<u32> = words[1].split(',').map(|n| n.parse().expect("a number")).collect();
        let guid = u64::from_str_radix(words[3].trim_start_matches("0x"), 16).expect("hex");
        let ours = sls.coordinates(bench.switch(Guid(guid)));
        assert_eq!(ours.map(Vec::from), Some(at), "{line}");
        seen += 1;
    }
    assert_eq!(seen, bench.fabric.switches().len());
    seen
}

fn tables(folder: &Path, bench: &Bench, routes: &Routes) {
    let (theirs, found) = fdbs::read(&file(folder, "opensm.fdbs"));
    assert!(!found.has_errors());
    assert_eq!(theirs.len(), bench.fabric.switches().len());
    for table in theirs {
        let switch = bench.switch(table.guid);
        assert!(table.entries.len() >= bench.lids.ranges().len());
        for (lid, entry) in table.entries {
            let port = match entry {
                Entry::Path { port, .. } => Some(port),
                Entry::Unreachable => None,
            };
            assert_eq!(routes.lfts.port(switch, lid), port, "{} to {lid}", table.guid);
        }
    }
}

/// Group `n` has every host whose place among the GUIDs is a multiple of `n` + 1.
fn groups(folder: &Path, bench: &Bench, routes: &Routes) {
    let fabric = &bench.fabric;
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    let mut hosts: Vec<PortId> = fabric.end_ports().filter(is_host).collect();
    hosts.sort_by_key(|p| fabric.port(*p).guid);
    let tree = routes.master_tree.as_ref().expect("the engine has one");
    let mut ours = BTreeMap::new();
    for group in 1..=4_u16 {
        let members: Vec<_> = hosts
            .iter()
            .step_by(usize::from(group) + 1)
            .filter_map(|p| Graph::attachment(fabric, *p))
            .collect();
        for (switch, ports) in tree.group(&members, 0xC000 + group) {
            ours.insert((switch, 0xC000 + group), ports);
        }
    }
    let (tables, found) = mcfdbs::read(&file(folder, "opensm.mcfdbs"));
    assert!(!found.has_errors());
    let mut theirs = BTreeMap::new();
    for table in tables {
        let switch = bench.switch(table.guid);
        theirs.extend(table.entries.into_iter().map(|(lid, ports)| ((switch, lid.0), ports)));
    }
    assert!(theirs.len() > 20);
    assert_eq!(ours, theirs);
}

fn path_sls(folder: &Path, bench: &Bench, routes: &Routes) {
    let records = file(folder, "path-records.txt");
    let mut seen = 0;
    for line in records.text().lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let end = |w: &str| bench.lids.port(Lid(w.parse().expect("a LID"))).expect("its port");
        let sl = u8::from_str_radix(words[2].trim_start_matches("0x"), 16).expect("an SL");
        let (from, to) = (end(words[0]), end(words[1]));
        assert_eq!(routes.path_sl(from, to, Sl(0)), Sl(sl), "{line}");
        seen += 1;
    }
    let hosts = bench.fabric.nodes().iter().filter(|n| n.kind == NodeKind::Ca).count();
    assert_eq!(seen, hosts * hosts);
}

fn sl2vl_tables(folder: &Path, bench: &Bench, routes: &Routes) {
    let (theirs, found) = sl2vl::read(&file(folder, "opensm-sl2vl.dump"));
    assert!(!found.has_errors());
    assert_eq!(theirs.len(), bench.lids.ranges().len());
    let ends: BTreeMap<Guid, PortId> =
        bench.fabric.end_ports().map(|p| (bench.fabric.port(p).guid, p)).collect();
    for port in theirs {
        let end = ends[&port.port_guid];
        for (ingress, egress, vls) in port.rows {
            let switch = port.kind == NodeKind::Switch;
            let out = if switch { PortId(end.0 + u32::from(egress.0)) } else { end };
            let table = routes.sl2vl(out, ingress).expect("each port has a table");
            let ours: Vec<u8> = (0..16).map(|sl| table.vl(Sl(sl)).0).collect();
            assert_eq!(ours, vls, "{} from {ingress} to {egress}", port.name);
        }
    }
    assert_eq!(routes.sl2vl(PortId(u32::MAX), PortNum(1)), None);
}

#[test]
fn everything_is_as_opensm_makes_it() {
    for (name, switches) in [
        ("torus-t6x5", 30),
        ("torus-t6x5-link", 30),
        ("torus-t6x5-T", 29),
        ("torus-t6x5-seedgone", 29),
        ("torus-manpage", 20),
        ("torus-mesh3Tx4x5", 60),
        ("torus-t2x4x5", 40),
        ("torus-t3x3x3", 27),
        ("torus-t4x4x5", 80),
        ("torus-t4x4x5-sw", 79),
    ] {
        let Some(folder) = folder(name) else { return };
        let bench = bench(&folder);
        let routes = bench.routes();
        assert_eq!(coordinates(&folder, &bench, &routes), switches, "{name}");
        tables(&folder, &bench, &routes);
        path_sls(&folder, &bench, &routes);
        sl2vl_tables(&folder, &bench, &routes);
        bench.holds(&routes);
    }
}

/// The run that lies beside the tests, so that one is always compared.
#[test]
fn a_torus_without_a_switch_is_as_opensm_makes_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/torus-t6x5-T");
    let bench = bench(&folder);
    let routes = bench.routes();
    assert_eq!(coordinates(&folder, &bench, &routes), 29);
    tables(&folder, &bench, &routes);
    groups(&folder, &bench, &routes);
    path_sls(&folder, &bench, &routes);
}

/// OpenSM leaves the switch out that has lost its ring, and every path to it ends dead. Its
/// manual says that such a fabric is refused, and so it is here.
#[test]
fn a_ring_that_falls_apart_is_refused_though_opensm_leaves_dead_ends() {
    let Some(folder) = folder("torus-t6x5-split-ring") else { return };
    let why = bench(&folder).refusal();
    assert!(why.contains("the x dimension through (0,1,0) is cut in 2 pieces"), "{why}");
    assert!(why.contains("sw-3-1-0"), "{why}");
}

#[test]
fn two_switches_gone_in_x_are_refused_by_both() {
    let Some(folder) = folder("torus-t6x6-OT") else { return };
    let why = bench(&folder).refusal();
    assert!(why.contains("deadlock") && why.contains("(3,1,0), (4,1,0)"), "{why}");
}

/// OpenSM looks for such neighbours in z only, and this torus has no z. Its manual says that it
/// can be routed, and the proof agrees.
#[test]
fn two_switches_gone_in_the_last_dimension_are_routed_as_the_manual_says() {
    let Some(folder) = folder("torus-t6x6-TR") else { return };
    let bench = bench(&folder);
    let routes = bench.routes();
    assert_eq!(coordinates(&folder, &bench, &routes), 34);
    bench.holds(&routes);
}
