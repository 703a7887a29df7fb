//! Topologies of ibdm with their definitions of systems, and ibdiagnet's tables of links.

#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

mod field;

use std::path::Path;
use std::time::Instant;

use lk_diag::{Diagnostics, Severity, SourceFile};
use lk_fabric::text::{Files, read_fabric_with};
use lk_fabric::{Fabric, FabricFile, Form, NodeKind};
use lk_wire::PortNum;
use proptest::prelude::*;

/// Definitions of systems, already read.
#[derive(Clone)]
struct Systems(Vec<SourceFile>);

impl Files for Systems {
    fn include(&mut self, _name: &str) -> Result<Vec<u8>, String> {
        Err("nothing is included here".to_owned())
    }

    fn systems(&mut self) -> Vec<SourceFile> {
        self.0.clone()
    }
}

fn source(path: &Path) -> SourceFile {
    SourceFile::new(path.display().to_string(), std::fs::read(path).unwrap())
}

fn systems_of(folder: &Path) -> Systems {
    let entries = std::fs::read_dir(folder.join("systems")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    Systems(paths.iter().map(|path| source(path)).collect())
}

fn read(text: &str, systems: &[&str]) -> (Option<FabricFile>, Diagnostics) {
    let systems = systems.iter().enumerate();
    let systems = systems.map(|(at, text)| SourceFile::new(format!("{at}.ibnl"), *text)).collect();
    read_fabric_with(&SourceFile::new("net.topo", text), &mut Systems(systems))
}

/// Each finding as `FILE:LINE:COLUMN SEVERITY CODE`.
fn said(findings: &Diagnostics) -> Vec<String> {
    let say = |d: &lk_diag::Diagnostic| match d.primary() {
        Some(label) => {
            let at = label.position();
            format!("{}:{}:{} {} {}", label.source.name(), at.line, at.column, d.severity, d.code)
        }
        None => format!("{} {}", d.severity, d.code),
    };
    findings.iter().map(say).collect()
}

/// Switches, adapters, cables between switches, cables to adapters.
fn sizes(fabric: &Fabric) -> [usize; 4] {
    let switches = fabric.switches().len();
    let is_switch = |p| fabric.as_switch(fabric.owner(p)).is_some();
    let between = fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b)).count();
    [switches, fabric.nodes().len() - switches, between, fabric.links().count() - between]
}

fn named<'f>(fabric: &'f Fabric, name: &str) -> &'f lk_fabric::Node {
    fabric.nodes().iter().find(|node| node.description == name).unwrap()
}

/// The name of what a port is cabled to.
fn far(fabric: &Fabric, name: &str, port: u8) -> Option<String> {
    let node = fabric.node_by_guid(named(fabric, name).guid).unwrap();
    let peer = fabric.peer(fabric.port_at(node, PortNum(port)).unwrap())?;
    Some(fabric.port_name(peer))
}

#[test]
fn the_fields_topologies_have_the_sizes_that_they_say() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let mut systems = systems_of(&folder);
    for (name, expected) in [
        ("t08-credit-loop-16hca", [20, 16, 32, 16]),
        ("t09-demo-network", [17, 128, 128, 128]),
        ("t11-is3-128hca", [17, 128, 128, 128]),
        ("t13-4ary4tree", [256, 256, 768, 256]),
        ("t14-ftree-base-4ary2", [8, 16, 16, 16]),
        ("t14-ftree-missing-link", [8, 14, 15, 14]),
    ] {
        let path = folder.join(format!("{name}.ibdm.topo"));
        let (file, findings) = read_fabric_with(&source(&path), &mut systems);
        let file = file.unwrap();
        assert_eq!(file.form, Form::Ibdm, "{name}");
        assert_eq!(sizes(&file.fabric), expected, "{name}");
        // MTS400 is defined nowhere; everything else is.
        let expected = if name.starts_with("t08") { vec!["FB060"] } else { vec![] };
        let codes: Vec<_> = findings.iter().map(|d| d.code.id).collect();
        assert_eq!(codes, expected, "{name}: {findings:?}");
        assert_eq!(file.fabric.node(file.first).kind, NodeKind::Ca, "{name}");
    }
}

#[test]
fn a_director_is_its_boards_and_boards_can_be_missing() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let mut systems = systems_of(&folder);
    let path = folder.join("t10-is3-loop.ibdm.topo");
    let (file, findings) = read_fabric_with(&source(&path), &mut systems);
    let fabric = file.unwrap().fabric;
    assert!(findings.is_empty(), "{findings:?}");
    // Three edge switches, two leaf boards of a chip each, four spine boards of whose chips there
    // are eight in all; ibdmchk counts as many.
    assert_eq!(fabric.nodes().len(), 47);
    assert_eq!(far(&fabric, "SW1/U1", 13).as_deref(), Some("SW4/leaf1/U1/1"));
    assert!(fabric.nodes().iter().all(|node| node.description != "SW4/leaf3/U1"));
    let leaf = named(&fabric, "SW4/leaf1/U1");
    let spine = fabric.nodes().iter().find(|n| n.description.starts_with("SW4/spine")).unwrap();
    assert_eq!((leaf.num_ports, leaf.device_id), (24, 47396));
    assert_eq!(leaf.system_guid, spine.system_guid);
    assert_ne!(leaf.system_guid, named(&fabric, "SW1/U1").system_guid);
}

#[test]
fn rates_are_those_of_the_innermost_line_and_of_the_slower_end() {
    let switch = "TOPSYSTEM SW2\nNODE SW 8 MT1 U1\n 1 -10G-> P1\n 2 -> P2\n 3 -12x-5G-> P3\n";
    let adapter = "TOPSYSTEM CA1\r\nNODE CA 2 MT2 U1\r\n 1 -4x-2.5G-> P1\r\n 2 -> P2\r\n";
    let text = "SW2 a\r\n P1 -4x-5G-> SW2 b P1\r\n P2 -> CA1 h P1\r\n P3 -> CA1 h P2\r\n";
    let (file, findings) = read(text, &[switch, adapter]);
    let fabric = file.unwrap().fabric;
    assert!(findings.is_empty(), "{findings:?}");
    let rate = |name: &str, port| {
        let node = fabric.node_by_guid(named(&fabric, name).guid).unwrap();
        fabric.port(fabric.port_at(node, PortNum(port)).unwrap()).rate.to_string()
    };
    assert_eq!((rate("a/U1", 1), rate("b/U1", 1)), ("4xQDR".into(), "4xQDR".into()));
    assert_eq!((rate("a/U1", 2), rate("h/U1", 1)), ("4xSDR".into(), "4xSDR".into()));
    assert_eq!((rate("a/U1", 3), rate("h/U1", 2)), ("12xDDR".into(), "12xDDR".into()));
}

const BOX: &str = "\
SYSTEM LEAF
NODE SW 8 MT1 U1
  1 -> P1
  2 -> P2
SYSTEM LEAF:12x
NODE SW 8 MT2 U1
  1 -12x-> P12
  2 -12x-> P2
TOPSYSTEM BOX
SUBSYSTEM LEAF leaf1
  P1 -> L1/P1
  P12 -> L1/P12
  P2 -> leaf2 P2
SUBSYSTEM LEAF leaf2
  P1 -> L2/P1
  P2 -> leaf1 P2
";

#[test]
fn boards_come_in_flavours() {
    let text = "BOX a CFG: leaf1=12x, leaf2=R\n L1/P12 -> BOX b L1/P1\n";
    let (file, findings) = read(text, &[BOX]);
    let fabric = file.unwrap().fabric;
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(sizes(&fabric), [3, 0, 2, 0]);
    assert_eq!(named(&fabric, "a/leaf1/U1").device_id, 2);
    assert_eq!(far(&fabric, "a/leaf1/U1", 1).as_deref(), Some("b/leaf1/U1/1"));
    assert_eq!(far(&fabric, "b/leaf1/U1", 2).as_deref(), Some("b/leaf2/U1/2"));
}

#[test]
fn what_is_wrong_is_said_with_line_and_column() {
    let text = "\
BOX a CFG: leaf3=R,leaf1=9x
  L1/P1 -> BOX b L1/P1
  L1/P1 -> BOX b L2/P1
  L2/P9 -> BOX b L2/P1
  L2/P1 -> BOX c
  L2/P1 -5x-> BOX b L2/P1
BOX
BOX d CFG: leaf1=R
  L1/P1 -> BOX b L2/P1
PC e
  L1/P1 -> BOX d L2/P1
";
    let (file, findings) = read(text, &[BOX]);
    let mut said = said(&findings);
    said.sort();
    assert_eq!(
        said,
        [
            "net.topo:10:1 error FB060",
            "net.topo:1:12 error FB061",
            "net.topo:1:20 error FB061",
            "net.topo:3:1 error FB022",
            "net.topo:4:1 error FB020",
            "net.topo:5:1 error FB002",
            "net.topo:6:9 error FB002",
            "net.topo:7:1 error FB002",
            "net.topo:9:1 error FB020",
            "warning FB040",
        ]
        .map(|s| s
            .replace(":3:3", ":3:1")
            .replace(":4:3", ":4:1")
            .replace(":5:3", ":5:1")
            .replace(":9:3", ":9:1"))
    );
    assert_eq!(file.unwrap().fabric.switches().len(), 5);
    let text = findings.iter().map(|d| format!("{d:?}")).collect::<String>();
    for hint in ["did you mean `leaf1`?", "CFG takes the board out"] {
        assert!(text.contains(hint), "{hint}: {text}");
    }
}

#[test]
fn flaws_of_a_definition_are_said_once_and_only_where_it_is_used() {
    let broken =
        "TOPSYSTEM ODD\nNODE SW 8 MT1 U1\n 9 -> P1\n 1 -> U7 2\nNODE XX 8 MT U2\nfoo bar\n";
    let recursive = "SYSTEM A\nSUBSYSTEM A a\n P1 -> P1\nTOPSYSTEM REC\nSUBSYSTEM A a\n P1 -> P1\n";
    let (file, findings) = read("ODD x\n P1 -> ODD y P1\n", &[broken, recursive, "junk"]);
    assert_eq!(file.unwrap().fabric.switches().len(), 2);
    let said = said(&findings);
    let mine: Vec<_> = said.iter().filter(|s| s.starts_with("0.ibnl")).collect();
    assert_eq!(mine.len(), 4, "{said:?}");
    assert!(!said.iter().any(|s| s.starts_with("2.ibnl")), "{said:?}");
    let (_, findings) = read("REC x\n P1 -> ODD y P1\n", &[broken, recursive]);
    assert!(findings.iter().any(|d| d.message.contains("deep")), "{findings:?}");
}

/// A cluster of 10,000 hosts behind 140 directors of 144 plugs: 94 with up to 108 hosts on the
/// first nine boards and 36 cables from the others to the 46 further ones.
fn directors() -> String {
    let mut text = String::new();
    let plug = |n: usize| format!("L{}/P{}", n / 12 + 1, n % 12 + 1);
    let mut used = [0; 46];
    for edge in 0..94 {
        text.push_str(&format!("MTS14400 E{edge}\n"));
        for n in (0..108).filter(|n| edge * 108 + n < 10_000) {
            text.push_str(&format!("  {} -4x-5G-> Cougar H{} P1\n", plug(n), edge * 108 + n));
        }
        for n in 0..36 {
            let core = (edge * 36 + n) % used.len();
            let near = plug(108 + n);
            text.push_str(&format!("  {near} -> MTS14400 C{core} {}\n", plug(used[core])));
            used[core] += 1;
        }
    }
    text
}

#[test]
fn ten_thousand_hosts_behind_directors_are_read_in_seconds() {
    let Some(folder) = field::folder("cases/topo") else { return };
    let mut systems = systems_of(&folder);
    let source = SourceFile::new("directors.topo", directors());
    let start = Instant::now();
    let (file, findings) = read_fabric_with(&source, &mut systems);
    let seconds = start.elapsed().as_secs_f64();
    let fabric = file.unwrap().fabric;
    assert!(findings.is_empty(), "{findings:?}");
    // 12 leaf boards of one chip and 6 spine chips, 144 lines between them.
    assert_eq!(sizes(&fabric), [140 * 18, 10_000, 140 * 144 + 94 * 36, 10_000]);
    assert!(seconds < 20.0, "{seconds} s");
}

#[test]
fn the_links_of_ibdiagnet_are_read() {
    let text = "\
dump\r
START_NODES\r
NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID\r
\"host, one\",2,1,1,1,0x10,0x10,0x11,4123\r
\"leaf\",36,2,1,1,0x20,0x20,0x20,54000\r
END_NODES\r
START_PORTS\r
NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv\r
0x10,0x12,2,7,1,2,2052\r
0x20,0x20,0,3,0,0,0\r
END_PORTS\r
START_LINKS\r
NodeGuid1,PortNum1,NodeGuid2,PortNum2\r
0x0000000000000010,2,0x20,33\r
END_LINKS\r
";
    let (file, findings) = read(text, &[]);
    let file = file.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let fabric = &file.fabric;
    assert_eq!((file.form, sizes(fabric)), (Form::DbCsv, [1, 1, 0, 1]));
    assert_eq!(far(fabric, "leaf", 33).as_deref(), Some("host, one/2"));
    let port = fabric.end_ports().map(|p| fabric.port(p)).find(|p| p.guid.0 == 0x12).unwrap();
    assert_eq!((port.lid.0, port.lmc, port.rate.to_string()), (7, 1, "4xNDR".to_owned()));
    assert_eq!(fabric.port(named(fabric, "leaf").first).lid.0, 3);
    let wrong = text.replace("0x20,33", "0x20,37").replace("0x10,2,7", "0x10,x,7");
    let (_, findings) = read(&wrong, &[]);
    assert_eq!(said(&findings)[..1], ["net.topo:14:1 error FB020"]);
}

#[test]
fn links_alone_and_files_without_links() {
    let Some(folder) = field::folder("cases/dumps") else { return };
    let mut none = Systems(Vec::new());
    let links = source(&folder.join("d03-db_csv-LINKS-partial.csv"));
    let (file, findings) = read_fabric_with(&links, &mut none);
    let fabric = file.unwrap().fabric;
    assert_eq!(fabric.links().count(), links.text().lines().count() - 1);
    assert!(findings.iter().all(|d| d.severity != Severity::Error), "{findings:?}");
    let (file, findings) =
        read_fabric_with(&source(&folder.join("d04-ndr-4sw-1host.db_csv")), &mut none);
    assert!(file.is_none());
    assert_eq!(said(&findings), ["error FB062"]);
}

const PIECES: &[&str] = &[
    "BOX a\n",
    "BOX b CFG: leaf1=R,leaf2=12x\n",
    "PC h\n",
    " L1/P1 -> BOX b L1/P1\n",
    " L2/P1 -4x-10G-> PC h P1\n",
    " P2 -> PC h P1\n",
    "P1 -> A B C",
    " -> ",
    "->",
    "CFG:",
    "=",
    "SYSTEM LEAF\n",
    "TOPSYSTEM BOX,PC\n",
    "NODE SW 8 MT1 U1\n",
    "NODE CA 2 MT1 U1\n",
    "SUBSYSTEM LEAF leaf1\n",
    "SUBSYSTEM BOX leaf1\n",
    " 1 -> P1\n",
    " 2 -> U1 3\n",
    " P1 -> leaf1 P1\n",
    "START_LINKS\n",
    "END_LINKS\n",
    "START_NODES\n",
    "\"",
    ",",
    "NodeGuid1,PortNum1,NodeGuid2,PortNum2\n",
    "0x1,1,0x2,1\n",
    "0x1,300,zz,\n",
    "NodeDesc,NumPorts,NodeType,NodeGUID\n",
    "\"x\",8,2,0x1\n",
    "\"y\",1,1,0x2\n",
    "START_PORTS\nNodeGuid,PortNum,LID,LinkSpeedActv\n",
    "0x2,1,4,65535\n",
    "é",
    "\0",
    "\r\n",
    "\n",
    "#",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_the_grammars_in_any_order_are_read_to_the_end(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60),
        systems in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60),
    ) {
        let _ = read(&pieces.concat(), &[&systems.concat(), BOX]);
    }

    #[test]
    fn any_bytes_are_read_to_the_end(
        topology in prop::collection::vec(any::<u8>(), 0..200),
        systems in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut text = b"BOX a\n L1/P1 -> BOX b L1/P1\n".to_vec();
        text.extend(topology);
        let mut files = Systems(vec![SourceFile::new("x", systems)]);
        let _ = read_fabric_with(&SourceFile::new("bytes", text), &mut files);
    }
}
