//! A snapshot from opensm's dump files: the graph with its LIDs, and the tables that they hold.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use lk_fabric::dumps::{mcfdbs, sl2vl, unicast};
use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_snapshot::{MftBlock, Snapshot, Table};
use lk_wire::{Guid, Lid, LinearForwardingTable, MulticastForwardingTable, SlToVlTable, Vl};

use super::source::Taken;
use crate::commands::dump_folder::DumpFolder;
use crate::failure::Failure;

/// Reads the dumps of a folder.
pub(super) fn read(folder: &Path) -> Result<Taken, Failure> {
    let mut dumps = DumpFolder::new(folder);
    let mut snapshot = Snapshot::of_graph(dumps.fabric()?);
    forwarding(&mut snapshot, dumps.unicast()?);
    multicast(&mut snapshot, dumps.multicast()?);
    lanes(&mut snapshot, dumps.sl2vl()?.unwrap_or_default());
    Ok(Taken { snapshot, requests: None, flawed: dumps.flawed })
}

fn forwarding(snapshot: &mut Snapshot, tables: Vec<unicast::Table>) {
    // A dump does not list LIDs without a way, so all tables are as long as the longest.
    let all = tables.iter().flat_map(|table| &table.entries).map(|(lid, _)| lid.0);
    let top = all.max().unwrap_or(0);
    for table in tables {
        let Some(switch) = switch_of(snapshot, table.guid) else { continue };
        let block = [LinearForwardingTable::NO_PATH.0; 64];
        let mut blocks = vec![block; usize::from(top / 64) + 1];
        for (lid, port) in table.entries {
            blocks[usize::from(lid.0 / 64)][usize::from(lid.0 % 64)] = port.0;
        }
        for (block, bytes) in blocks.iter().enumerate() {
            snapshot.tables.learn(Table::Lft(switch), block as u16, bytes);
        }
    }
}

fn multicast(snapshot: &mut Snapshot, tables: Vec<mcfdbs::SwitchTable>) {
    for table in tables {
        let Some(switch) = switch_of(snapshot, table.guid) else { continue };
        for (mlid, ports) in table.entries.into_iter().filter(|(mlid, _)| mlid.is_multicast()) {
            ports.into_iter().for_each(|port| set_member(snapshot, switch, mlid, port.0));
        }
    }
}

fn lanes(snapshot: &mut Snapshot, tables: Vec<sl2vl::PortTables>) {
    let fabric = Arc::clone(&snapshot.fabric);
    let ends: HashMap<Guid, PortId> =
        fabric.end_ports().map(|port| (fabric.port(port).guid, port)).collect();
    for table in tables {
        let Some(end) = ends.get(&table.port_guid) else { continue };
        let node = fabric.owner(*end);
        for (from, to, vls) in &table.rows {
            let egress = match table.kind {
                NodeKind::Switch => fabric.port_at(node, *to),
                _ => Some(*end),
            };
            let Some(egress) = egress else { continue };
            let map = SlToVlTable::from_fn(|sl| Vl(vls[usize::from(sl.0)]));
            let mut bytes = [0; 64];
            bytes[..8].copy_from_slice(&map.0);
            snapshot.tables.learn(Table::Sl2vl(egress), u16::from(from.0), &bytes);
        }
    }
}

fn switch_of(snapshot: &Snapshot, guid: Guid) -> Option<SwitchId> {
    snapshot.fabric.as_switch(snapshot.fabric.node_by_guid(guid)?)
}

/// Sets the bit of a port in the table of a group.
fn set_member(snapshot: &mut Snapshot, switch: SwitchId, mlid: Lid, port: u8) {
    let ports = MulticastForwardingTable::PORTS;
    let code = MftBlock { block: MftBlock::block_of(mlid), position: port / ports }.code();
    let table = Table::Mft(switch);
    let held = snapshot.tables.block(table, code).unwrap_or([0; 64]);
    let mut held = MulticastForwardingTable(held);
    let at = usize::from(mlid.0 - 0xC000) % MulticastForwardingTable::ENTRIES;
    let mask = held.get(at).unwrap_or(0) | 1 << (port % ports);
    held.set(at, mask);
    snapshot.tables.learn(table, code, &held.0);
}
