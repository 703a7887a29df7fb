//! A subnet from opensm's dump files.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use lk_fabric::dumps::{mcfdbs, sl2vl};
use lk_fabric::{Fabric, PortId};
use lk_routing::proof::{LaneMap, SlSet};
use lk_routing::{GroupPorts, GroupTree, LidMap};
use lk_wire::{Guid, Lid, Sl, Vl};

use super::path_sls::PathTable;
use super::request::Request;
use super::subject::{Sl2vl, Sls, Subject, Unread, wrong_lids};
use super::tables::{Rows, switches_have};
use crate::commands::dump_folder::DumpFolder;
use crate::failure::Failure;
use crate::input;

/// Reads the dumps of a folder.
///
/// # Errors
/// Files that are missing or hold nothing that can be judged.
pub(super) fn read(folder: &Path, request: &Request) -> Result<Subject, Failure> {
    let mut dumps = DumpFolder::new(folder);
    let fabric = dumps.fabric()?;
    let lids = lids(&fabric, request.lmc.unwrap_or(0));
    let mut notes = Vec::new();
    let mut rows = Rows::new(&fabric, &lids);
    for table in dumps.unicast()? {
        rows.fill(table.guid, table.entries.into_iter());
    }
    let tables = rows.finish(&mut notes);
    let group_sls = request.group_sls.unwrap_or(SlSet::one(Sl(0)));
    let trees = trees(&fabric, dumps.multicast()?, group_sls);
    let (sl2vl, unfit) = sl2vl(&fabric, dumps.sl2vl()?, &mut notes);
    let sls = match &request.path_sls {
        Some(path) => Sls::Table(PathTable::read(&input::source(path)?, &fabric, &lids)?),
        None => Sls::Fixed(SlSet::one(Sl(0))),
    };
    let flawed = dumps.flawed || unfit;
    let faults = wrong_lids(&fabric, |_| true);
    let source = folder.display().to_string();
    Ok(Subject {
        source,
        fabric,
        lids,
        lfts: tables,
        trees,
        sl2vl,
        sls,
        notes,
        faults,
        flawed,
        unread: Unread::default(),
    })
}

/// LIDs as the list has them. It does not say the LMC, which is the same for all ports but those of
/// switches.
fn lids(fabric: &Fabric, lmc: u8) -> LidMap {
    let range = |port: PortId| {
        let is_switch = fabric.as_switch(fabric.owner(port)).is_some();
        (port, fabric.port(port).lid, if is_switch { 0 } else { lmc })
    };
    LidMap::new(fabric.end_ports().map(range).collect())
}

/// The multicast forwarding tables.
fn trees(fabric: &Fabric, tables: Vec<mcfdbs::SwitchTable>, sls: SlSet) -> Vec<GroupTree> {
    let mut trees: BTreeMap<Lid, Vec<GroupPorts>> = BTreeMap::new();
    for table in tables {
        let node = fabric.node_by_guid(table.guid);
        let Some(switch) = node.and_then(|node| fabric.as_switch(node)) else { continue };
        for (mlid, ports) in table.entries {
            trees.entry(mlid).or_default().push((switch, ports));
        }
    }
    trees.into_iter().map(|(mlid, ports)| GroupTree { mlid, sls, ports }).collect()
}

/// The SL2VL tables; one lane where there are none. Says also whether one does not fit the fabric.
fn sl2vl(
    fabric: &Fabric,
    tables: Option<Vec<sl2vl::PortTables>>,
    notes: &mut Vec<String>,
) -> (Sl2vl, bool) {
    let Some(tables) = tables else {
        notes.push("no opensm-sl2vl.dump: all packets are taken to share one lane".to_owned());
        return (Sl2vl::one_lane(), false);
    };
    let mut unfit = false;
    let mut maps = Sl2vl::of_switches(fabric);
    let mut without: Vec<bool> = vec![true; fabric.switches().len()];
    let ends: HashMap<Guid, PortId> =
        fabric.end_ports().map(|port| (fabric.port(port).guid, port)).collect();
    for table in tables {
        let Some(end) = ends.get(&table.port_guid) else { continue };
        let map = |vls: &sl2vl::Vls| {
            let vls = *vls;
            LaneMap::new(move |sl| Vl(vls[usize::from(sl.0)]))
        };
        let Some(switch) = fabric.as_switch(fabric.owner(*end)) else {
            if let Some((_, _, vls)) = table.rows.first() {
                maps.set_sender(*end, map(vls));
            }
            continue;
        };
        without[switch.index()] = false;
        for (from, to, vls) in &table.rows {
            if !maps.set(switch, *from, *to, map(vls)) {
                unfit = true;
                let name = &fabric.node(fabric.switch_node(switch)).description;
                notes.push(format!("{name} has no ports {from} and {to}: SL2VL left out"));
            }
        }
    }
    for switch in fabric.switch_ids().filter(|switch| !without[switch.index()]) {
        let unknown = maps.unknown(fabric, switch);
        let Some((from, to)) = unknown.first() else { continue };
        unfit = true;
        let name = &fabric.node(fabric.switch_node(switch)).description;
        let more = match unknown.len() - 1 {
            0 => String::new(),
            more => format!(" and for {more} other ways through it"),
        };
        notes.push(format!(
            "{name} has no line from port {from} to port {to}{more} in opensm-sl2vl.dump: VL 0 for \
             all SLs there"
        ));
    }
    let without = without.iter().filter(|missing| **missing).count();
    if without > 0 {
        let have = switches_have(without);
        notes.push(format!("{have} no SL2VL table in the dump: one lane there"));
    }
    (maps, unfit)
}
