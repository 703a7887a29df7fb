//! OpenSM's dump files are read whole and written byte for byte.

#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

mod field;

use std::path::{Path, PathBuf};

use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::dumps::{fdbs, lfts, lid_matrix, sl2vl, subnet_lst};
use lk_fabric::{Fabric, LinkRate, NodeId, PortId, SwitchId, read_fabric};
use lk_wire::{Guid, Lid, PortNum};
use proptest::prelude::*;

fn source(path: &Path) -> SourceFile {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    SourceFile::new(path.display().to_string(), bytes)
}

fn whole<T>((value, findings): (T, Diagnostics)) -> T {
    assert!(findings.is_empty(), "{findings:?}");
    value
}

fn our_own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ft4x3-minhop")
}

/// Each golden folder that has this file.
fn golden(file: &str) -> Vec<PathBuf> {
    let mut found = vec![our_own().join(file)];
    if let Some(folder) = field::folder("golden") {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path().join(file);
            if path.is_file() {
                found.push(path);
            }
        }
        assert!(found.len() > 30, "{} files {file}", found.len());
    }
    found
}

#[test]
fn fdbs_come_back() {
    for path in golden("opensm.fdbs") {
        let source = source(&path);
        let tables = whole(fdbs::read(&source));
        let mut text = String::new();
        fdbs::write_tables(&mut text, &tables).unwrap();
        assert!(text == source.text(), "{}", path.display());
    }
}

#[test]
fn sl2vl_tables_come_back() {
    for path in golden("opensm-sl2vl.dump") {
        let source = source(&path);
        let tables = whole(sl2vl::read(&source));
        let mut text = String::new();
        sl2vl::write_tables(&mut text, &tables).unwrap();
        assert!(text == source.text(), "{}", path.display());
    }
}

#[test]
fn subnet_lists_come_back() {
    for path in golden("opensm-subnet.lst") {
        let source = source(&path);
        let list = whole(subnet_lst::read(&source));
        let mut text = String::new();
        let status = |port| {
            let at = list.status.binary_search_by_key(&port, |(p, _)| *p).unwrap();
            list.status[at].1
        };
        subnet_lst::write(&mut text, &list.fabric, status).unwrap();
        assert!(text == source.text(), "{}", path.display());
    }
}

#[test]
fn lfts_and_matrices_come_back() {
    let file = source(&our_own().join("opensm-lfts.dump"));
    let mut text = String::new();
    lfts::write_tables(&mut text, &whole(lfts::read(&file))).unwrap();
    assert_eq!(text, file.text());

    let file = source(&our_own().join("opensm-lid-matrix.dump"));
    let mut text = String::new();
    lid_matrix::write_matrices(&mut text, &whole(lid_matrix::read(&file))).unwrap();
    assert_eq!(text, file.text());
}

/// The fabric of the golden folder as OpenSM saw it: with its LIDs, and ibsim's port counts.
fn seen() -> subnet_lst::SubnetList {
    whole(subnet_lst::read(&source(&our_own().join("opensm-subnet.lst"))))
}

#[test]
fn a_subnet_list_is_the_fabric_that_ibsim_was_given() {
    let list = seen();
    let (file, _) = read_fabric(&source(&our_own().join("fabric.net")));
    let given = file.unwrap().fabric;
    let names = |f: &Fabric| -> Vec<(Guid, String, u16)> {
        f.nodes().iter().map(|n| (n.guid, n.description.clone(), n.device_id)).collect()
    };
    assert_eq!(names(&list.fabric), names(&given));
    let cables = |f: &Fabric| -> Vec<(String, String)> {
        f.links().map(|(a, b)| (f.port_name(a), f.port_name(b))).collect()
    };
    assert_eq!(cables(&list.fabric), cables(&given));
    assert_eq!(list.status.len(), 2 * given.links().count());
    assert!(list.status.iter().all(|(_, s)| s.state == 4));
    assert_eq!(list.status.iter().filter(|(_, s)| s.is_sm).count(), 1);
    assert_eq!(list.status[0].1.rate, LinkRate::parse("4xSDR").unwrap());
}

/// The writers that walk a fabric write the same as OpenSM from the same tables.
#[test]
fn walking_the_fabric_gives_opensms_text() {
    let fabric = seen().fabric;
    let mut lids: Vec<(Lid, PortId)> =
        fabric.end_ports().map(|p| (fabric.port(p).lid, p)).collect();
    lids.sort_unstable();
    let owner = |lid: Lid| lids.binary_search_by_key(&lid, |(l, _)| *l).ok().map(|i| lids[i].1);
    let top = lids.last().unwrap().0;
    let guid = |s: SwitchId| fabric.node(fabric.switch_node(s)).guid;
    let base = |s: SwitchId| fabric.port(fabric.node(fabric.switch_node(s)).first).lid;

    let file = source(&our_own().join("opensm.fdbs"));
    let tables = whole(fdbs::read(&file));
    let entry = |s: SwitchId, lid: Lid| {
        let table = tables.iter().find(|t| t.guid == guid(s)).unwrap();
        table.entries.iter().find(|(l, _)| *l == lid).unwrap().1
    };
    let mut text = String::new();
    fdbs::write(&mut text, &fabric, top, entry).unwrap();
    assert_eq!(text, file.text());

    let port = |s: SwitchId, lid: Lid| match entry(s, lid) {
        fdbs::Entry::Path { port, .. } => Some(port),
        fdbs::Entry::Unreachable => None,
    };
    let mut text = String::new();
    lfts::write(&mut text, &fabric, top, base, owner, port).unwrap();
    assert_eq!(text, source(&our_own().join("opensm-lfts.dump")).text());

    let file = source(&our_own().join("opensm-lid-matrix.dump"));
    let matrices = whole(lid_matrix::read(&file));
    let switches: Vec<(Lid, SwitchId)> = lids
        .iter()
        .filter_map(|(lid, p)| Some((*lid, fabric.as_switch(fabric.owner(*p))?)))
        .collect();
    let hops = |from: SwitchId, to: SwitchId, port: u8| {
        let matrix = matrices.iter().find(|m| m.guid == guid(from)).unwrap();
        let row = matrix.rows.iter().find(|(_, _, g)| *g == guid(to)).unwrap();
        row.1[usize::from(port)]
    };
    let mut text = String::new();
    lid_matrix::write(&mut text, &fabric, &switches, hops).unwrap();
    assert_eq!(text, file.text());
}

#[test]
fn sl2vl_rows_stand_in_opensms_order() {
    for path in golden("opensm-sl2vl.dump") {
        let list = path.with_file_name("opensm-subnet.lst");
        let fabric = whole(subnet_lst::read(&source(&list))).fabric;
        let file = source(&path);
        let tables = whole(sl2vl::read(&file));
        let by_port: std::collections::BTreeMap<(Guid, PortNum, PortNum), sl2vl::Vls> = tables
            .iter()
            .flat_map(|t| t.rows.iter().map(|(i, o, v)| ((t.port_guid, *i, *o), *v)))
            .collect();
        let mut text = String::new();
        let table = |end, from, to| by_port[&(fabric.port(end).guid, from, to)];
        sl2vl::write(&mut text, &fabric, |end| fabric.port(end).lid, table).unwrap();
        assert!(text == file.text(), "{}", path.display());
    }
}

#[test]
fn old_and_foreign_forms_are_read() {
    let Some(folder) = field::folder("cases") else { return };
    let list =
        whole(subnet_lst::read(&source(&folder.join("topo/t07-62sw-2ca.opensm-subnet.lst"))));
    assert_eq!(list.fabric.switches().len(), 62);
    // The index counts the two hosts; the third adapter is that of the SM.
    assert_eq!(list.fabric.nodes().len(), 65);
    let chip = list.fabric.node_by_guid(Guid(0x2_c901_09fb_0000)).unwrap();
    let chip = list.fabric.node(chip);
    assert_eq!((chip.vendor_id, chip.device_id, chip.revision), (0x2c9, 0xa87c, 0xa0));
    let tables = whole(fdbs::read(&source(&folder.join("topo/t07-62sw-2ca.opensm.fdbs"))));
    assert_eq!(tables.len(), 62);
    assert_eq!(tables[0].entries[0].0, Lid(1));

    let tables = whole(lfts::read(&source(&folder.join("dumps/d02-ibroute-ndr-core-partial.txt"))));
    assert_eq!(tables.len(), 1);
    assert_eq!((tables[0].name.as_str(), tables[0].top), ("sw1", Lid(0x2ebd)));
    assert_eq!(tables[0].entries[0], (Lid(1), PortNum(18), None));
}

#[test]
fn names_with_braces_and_quotes() {
    let (file, _) = read_fabric(&SourceFile::new(
        "net",
        "Switch 8 \"S-0000000000000020\" # \"a} LID {b} 'c' \"d\"\" base port 0 lid 2 lmc 0\n\
         [1] \"H-0000000000000010\"[1](11) # \"x (y)\" lid 1 4xNDR\n\n\
         Ca 1 \"H-0000000000000010\" # \"x (y)\"\n\
         [1](11) \"S-0000000000000020\"[1] # lid 1 lmc 0 \"a\" lid 2 4xNDR\n",
    ));
    let fabric = file.unwrap().fabric;
    let status = |port: PortId| subnet_lst::PortStatus {
        lid: Lid(1 + fabric.owner(port).0 as u16),
        is_sm: fabric.owner(port) == NodeId(0),
        state: 3,
        rate: fabric.port(port).rate,
    };
    let mut text = String::new();
    subnet_lst::write(&mut text, &fabric, status).unwrap();
    assert!(text.contains("PHY=4x LOG=ARM SPD=??"), "{text}");
    let list = whole(subnet_lst::read(&SourceFile::new("lst", text)));
    assert_eq!(list.fabric.node(NodeId(1)).description, fabric.node(NodeId(1)).description);
    assert!(list.status[0].1.is_sm && !list.status[1].1.is_sm);
}

#[test]
fn damaged_lines_are_reported_and_the_rest_is_read() {
    let text = std::fs::read_to_string(our_own().join("opensm-subnet.lst")).unwrap();
    let broken = text.replacen(" LID:", " LIX:", 1);
    let (list, findings) = subnet_lst::read(&SourceFile::new("lst", broken));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings.as_slice()[0].primary().unwrap().position().line, 1);
    assert_eq!(list.fabric.links().count(), 24);

    let text =
        "dump_ucast_routes: Switch 0x1\n0x0001 : 1000 : 01   : yes\n0x0002 : 001  : 01   : yes\n";
    let (tables, findings) = fdbs::read(&SourceFile::new("fdbs", text));
    assert_eq!((tables[0].entries.len(), findings.len()), (1, 1));
    let (tables, findings) = sl2vl::read(&SourceFile::new("sl2vl", "0 1 : 0 1 2\n"));
    assert_eq!((tables.len(), findings.len()), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_fall_over(
        at in any::<u32>(),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        which in 0_usize..5,
    ) {
        let name = [
            "opensm.fdbs", "opensm-lfts.dump", "opensm-lid-matrix.dump", "opensm-sl2vl.dump",
            "opensm-subnet.lst",
        ][which];
        let mut text = std::fs::read(our_own().join(name)).unwrap();
        text.truncate(3000);
        let at = at as usize % text.len();
        text.splice(at..(at + 5).min(text.len()), bytes);
        let source = SourceFile::new(name, text);
        let _ = fdbs::read(&source);
        let _ = lfts::read(&source);
        let _ = lid_matrix::read(&source);
        let _ = sl2vl::read(&source);
        let _ = subnet_lst::read(&source);
    }
}
