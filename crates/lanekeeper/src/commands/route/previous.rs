//! Tables that were in force before, to count what moves.

use std::path::Path;

use anyhow::anyhow;
use lk_fabric::{Fabric, SwitchId, dumps};
use lk_routing::Lfts;
use lk_wire::{Lid, PortNum};

use crate::failure::Failure;
use crate::{input, terminal};

/// The entries of tables, for the switches that the fabric has.
pub(super) type Entries = Vec<(SwitchId, Lid, PortNum)>;

/// Reads tables as opensm's dumps, ibroute and dump_fts have them.
///
/// # Errors
/// A file that cannot be read, or that holds no table of this fabric's switches.
pub(super) fn read(path: &Path, fabric: &Fabric) -> Result<Entries, Failure> {
    let (tables, diagnostics) = dumps::unicast::read(&input::source(path)?);
    terminal::show(&diagnostics);
    let mut entries = Entries::new();
    for table in tables {
        let node = fabric.node_by_guid(table.guid);
        let Some(switch) = node.and_then(|node| fabric.as_switch(node)) else { continue };
        entries.extend(table.entries.iter().map(|(lid, port)| (switch, *lid, *port)));
    }
    if entries.is_empty() {
        let name = path.display();
        return Err(anyhow!("{name} has no forwarding table of a switch of this fabric").into());
    }
    Ok(entries)
}

/// How many of the entries lead to another port now, or nowhere.
pub(super) fn moved(before: &Entries, now: &Lfts) -> usize {
    before.iter().filter(|(switch, lid, port)| now.port(*switch, *lid) != Some(*port)).count()
}
