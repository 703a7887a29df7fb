//! A snapshot from opensm's dump files: the graph with its LIDs, and the tables that they hold.

use std::path::Path;

use anyhow::anyhow;
use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::dumps::{mcfdbs, sl2vl, subnet_lst, unicast};
use lk_fabric::{NodeKind, SwitchId};
use lk_snapshot::{MftBlock, Snapshot, Table};
use lk_wire::{Guid, Lid, LinearForwardingTable, MulticastForwardingTable, SlToVlTable, Vl};

use super::source::Taken;
use crate::failure::Failure;
use crate::{input, terminal};

/// Reads the dumps of a folder.
pub(super) fn read(folder: &Path) -> Result<Taken, Failure> {
    let mut files = Files { folder, flawed: false };
    let (list, said) = subnet_lst::read(&files.open("opensm-subnet.lst")?);
    files.show(&said);
    if list.fabric.switches().is_empty() {
        let name = folder.join("opensm-subnet.lst");
        return Err(anyhow!("{} names no switch", name.display()).into());
    }
    let mut snapshot = Snapshot::of_graph(list.fabric);
    files.forwarding(&mut snapshot)?;
    files.multicast(&mut snapshot)?;
    files.lanes(&mut snapshot)?;
    Ok(Taken { snapshot, requests: None, flawed: files.flawed })
}

/// The files of a folder.
struct Files<'a> {
    folder: &'a Path,
    /// Whether one of them held something wrong.
    flawed: bool,
}

impl Files<'_> {
    fn open(&self, name: &str) -> Result<SourceFile, Failure> {
        input::source(&self.folder.join(name))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    fn show(&mut self, said: &Diagnostics) {
        terminal::show(said);
        self.flawed |= said.has_errors();
    }

    fn forwarding(&mut self, snapshot: &mut Snapshot) -> Result<(), Failure> {
        let fdbs = self.has("opensm.fdbs") || !self.has("opensm-lfts.dump");
        let name = if fdbs { "opensm.fdbs" } else { "opensm-lfts.dump" };
        let (tables, said) = unicast::read(&self.open(name)?);
        self.show(&said);
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
        Ok(())
    }

    fn multicast(&mut self, snapshot: &mut Snapshot) -> Result<(), Failure> {
        if !self.has("opensm.mcfdbs") {
            return Ok(());
        }
        let (tables, said) = mcfdbs::read(&self.open("opensm.mcfdbs")?);
        self.show(&said);
        for table in tables {
            let Some(switch) = switch_of(snapshot, table.guid) else { continue };
            for (mlid, ports) in table.entries.into_iter().filter(|(mlid, _)| mlid.is_multicast()) {
                ports.into_iter().for_each(|port| set_member(snapshot, switch, mlid, port.0));
            }
        }
        Ok(())
    }

    fn lanes(&mut self, snapshot: &mut Snapshot) -> Result<(), Failure> {
        if !self.has("opensm-sl2vl.dump") {
            return Ok(());
        }
        let (tables, said) = sl2vl::read(&self.open("opensm-sl2vl.dump")?);
        self.show(&said);
        for table in tables {
            let fabric = &snapshot.fabric;
            let node = fabric.node_ids().find(|node| {
                let node = fabric.node(*node);
                node.kind == NodeKind::Switch && fabric.port(node.first).guid == table.port_guid
            });
            let Some(node) = node else { continue };
            for (from, to, vls) in &table.rows {
                let Some(egress) = snapshot.fabric.port_at(node, *to) else { continue };
                let map = SlToVlTable::from_fn(|sl| Vl(vls[usize::from(sl.0)]));
                let mut bytes = [0; 64];
                bytes[..8].copy_from_slice(&map.0);
                snapshot.tables.learn(Table::Sl2vl(egress), u16::from(from.0), &bytes);
            }
        }
        Ok(())
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
