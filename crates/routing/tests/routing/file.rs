//! file: tables and hop counts from files.

use std::sync::Arc;

use lk_fabric::SwitchId;
use lk_fabric::dumps::lfts::{Owner, SwitchTable};
use lk_fabric::dumps::lid_matrix::{NO_WAY, SwitchMatrix};
use lk_fabric::topo::FatTree;
use lk_routing::{Hops, Lfts, RouteFile, check};
use lk_wire::{Guid, Lid, PortNum};

use crate::fabrics::{Case, engine_named, tree, wired, zoo};
use crate::oracle;

fn file<T>(content: Vec<T>) -> Option<Arc<RouteFile<T>>> {
    Some(Arc::new(RouteFile { name: "a file".to_owned(), content, fault: None }))
}

/// Tables as they would be dumped.
fn dumped(case: &Case, lfts: &Lfts) -> Vec<SwitchTable> {
    let table = |s: SwitchId| {
        let node = case.fabric.node(case.fabric.switch_node(s));
        let entry = |lid: Lid| {
            let port = lfts.port(s, lid)?;
            let end = case.lids.port(lid)?;
            let far = case.fabric.node(case.fabric.owner(end));
            let port_guid = case.fabric.port(end).guid;
            Some((lid, port, Some(Owner { kind: far.kind, port_guid, name: String::new() })))
        };
        SwitchTable {
            lid: case.switch_lid(s),
            guid: node.guid,
            name: String::new(),
            top: lfts.top,
            entries: (1..=lfts.top.0).map(Lid).filter_map(entry).collect(),
        }
    };
    case.fabric.switch_ids().map(table).collect()
}

#[test]
fn dumped_tables_come_back() {
    for (name, fabric) in zoo(1.0, 1) {
        for lmc in [0, 2] {
            let mut case = Case::new(fabric.clone(), lmc);
            let lfts = case.routes("minhop").lfts;
            case.options.files.tables = file(dumped(&case, &lfts));
            let routes = case.routes("file");
            assert_eq!(routes.lfts, lfts, "{name}");
            assert!(routes.notes.is_empty(), "{:?}", routes.notes);
        }
    }
}

#[test]
fn entries_follow_their_ports_to_other_lids() {
    let fabric = tree(FatTree::new(4, 2), 0.0, 0);
    let before = Case::new(fabric.clone(), 0);
    let tables = dumped(&before, &before.routes("minhop").lfts);
    let mut after = Case::new(fabric, 2);
    after.options.files.tables = file(tables);
    let lfts = after.routes("file").lfts;
    for (port, base, _) in after.lids.ranges() {
        let old = before.lid(*port);
        for s in after.fabric.switch_ids() {
            let was = before.routes("minhop").lfts.port(s, old);
            // Where the old LID falls into the new range it stays the LID that it is.
            let moved = after.lids.port(old) != Some(*port);
            let now = if moved { Lid(base.0 + old.0 % 4) } else { old };
            if after.lids.port(now) == Some(*port) {
                assert_eq!(lfts.port(s, now), was);
            }
        }
    }
}

#[test]
fn files_that_do_not_fit_are_refused_by_name() {
    let mut case = Case::new(tree(FatTree::new(4, 2), 0.0, 0), 0);
    let refusal = |case: &Case| engine_named("file").plan(&case.job()).expect_err("refused").reason;
    let good = dumped(&case, &case.routes("minhop").lfts);

    let mut tables = good.clone();
    tables.iter_mut().for_each(|table| table.guid.0 += 0x1000);
    case.options.files.tables = file(tables);
    let said = refusal(&case);
    assert!(
        said.contains("a file") && said.contains("no table of a switch of this fabric"),
        "{said}"
    );
    assert!(said.contains("0x0000000000201000"), "{said}");

    let mut tables = good.clone();
    tables[0].entries[0].1 = PortNum(200);
    case.options.files.tables = file(tables);
    let said = refusal(&case);
    assert!(said.contains("LID 1 goes by port 200 of 0x0000000000200000"), "{said}");

    let fault = Some("line 7: expected LID and port".to_owned());
    let content = good.clone();
    case.options.files.tables = Some(Arc::new(RouteFile { name: "x".to_owned(), content, fault }));
    assert_eq!(refusal(&case), "lfts_file x: line 7: expected LID and port");

    // One switch less and one more: taken, and said.
    let mut tables = good;
    tables[1].guid = Guid(0xdead);
    case.options.files.tables = file(tables);
    let notes = case.routes("file").notes;
    assert!(notes[0].contains("1 switches are not in this fabric"), "{notes:?}");
    assert!(notes[1].contains("1 switches have no table in it"), "{notes:?}");
}

#[test]
fn without_a_file_it_is_minhop() {
    for (_, fabric) in zoo(0.0, 1) {
        let case = Case::new(fabric, 0);
        let routes = case.routes("file");
        assert_eq!(routes.lfts, case.routes("minhop").lfts);
        assert!(routes.notes[0].contains("no lfts_file is named"), "{:?}", routes.notes);
    }
}

fn matrices(case: &Case, hops: &Hops) -> Vec<SwitchMatrix> {
    let of = |s: SwitchId| {
        let node = case.fabric.node(case.fabric.switch_node(s));
        let row = |to: SwitchId| {
            let by = |port| match port {
                0 => hops.between(s, to),
                _ => hops.via(s, PortNum(port), to),
            };
            let row = (0..=node.num_ports).map(|port| by(port).unwrap_or(NO_WAY)).collect();
            (case.switch_lid(to), row, Guid(0))
        };
        SwitchMatrix { guid: node.guid, rows: case.fabric.switch_ids().map(row).collect() }
    };
    case.fabric.switch_ids().map(of).collect()
}

#[test]
fn hop_counts_from_a_file_give_the_same_paths() {
    let mut same = Vec::new();
    for (name, fabric) in zoo(0.0, 2).into_iter().chain(zoo(1.0, 2)) {
        for engine in ["minhop", "updn", "dnup"] {
            let mut case = Case::new(fabric.clone(), 0);
            let Ok(hops) = engine_named(engine).hops(&case.job()) else { continue };
            case.options.files.matrix = file(matrices(&case, &hops));
            let routes = case.routes("file");
            let found = check(&case.fabric, &case.lids, &routes.lfts);
            assert!(found.end_ports_connected() && found.loops.is_empty(), "{name} {engine}");
            if engine == "minhop" {
                let ours = case.routes("minhop").lfts;
                for (lid, _) in oracle::homes(&case.fabric, &case.lids) {
                    let way = |lfts, s| oracle::walk(&case.fabric, &case.lids, lfts, s, lid);
                    for s in case.fabric.switch_ids() {
                        let lengths = [&routes.lfts, &ours].map(|l| way(l, s).map(|w| w.len()));
                        assert_eq!(lengths[0], lengths[1], "{name}, from {s:?} to {lid}");
                    }
                }
                if routes.lfts == ours {
                    same.push(name.clone());
                }
            }
        }
    }
    // Where minhop has links to relieve it moves entries, and a file says nothing of that.
    for whole in ["fattree 8 3", "fattree 12 2"] {
        assert!(same.contains(&format!("{whole}, 0 % failed, seed 2")), "{whole} of {same:?}");
    }
}

#[test]
fn odd_hop_counts_do_no_harm() {
    let mut case = Case::new(wired(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]), 0);
    let rows = |lids: &[u16]| {
        lids.iter().map(|lid| (Lid(*lid), vec![0, 9, 0, 255, 3], Guid(0))).collect::<Vec<_>>()
    };
    case.options.files.matrix = file(vec![
        SwitchMatrix { guid: Guid(0x20_0000), rows: rows(&[1, 2, 3, 4, 5, 6, 77]) },
        SwitchMatrix { guid: Guid(0xdead), rows: rows(&[1]) },
    ]);
    let routes = case.routes("file");
    assert!(routes.notes[0].contains("1 of its switches"), "{:?}", routes.notes);
}
