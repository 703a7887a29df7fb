//! Tables that were in force before.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lk_fabric::{Fabric, dumps};
use lk_routing::Lfts;
use lk_wire::{Lid, PortNum};

use crate::failure::Failure;
use crate::{input, terminal};

/// Reads tables as opensm's dumps, ibroute and dump_fts have them.
///
/// # Errors
/// A file that cannot be read, or that holds no table of this fabric's switches.
pub(super) fn read(path: &Path, fabric: &Fabric) -> Result<Lfts, Failure> {
    let (tables, diagnostics) = dumps::unicast::read(&input::source(path)?);
    terminal::show(&diagnostics);
    let mut rows = vec![Vec::new(); fabric.switches().len()];
    let mut top = Lid(0);
    for table in tables {
        let node = fabric.node_by_guid(table.guid);
        let Some(switch) = node.and_then(|node| fabric.as_switch(node)) else { continue };
        let row: &mut Vec<u8> = &mut rows[switch.index()];
        for (lid, PortNum(port)) in table.entries {
            let at = usize::from(lid.0);
            if row.len() <= at {
                row.resize(Lfts::row_len(lid), Lfts::NO_PATH);
            }
            row[at] = port;
            top = top.max(lid);
        }
    }
    if rows.iter().all(Vec::is_empty) {
        let name = path.display();
        return Err(anyhow!("{name} has no forwarding table of a switch of this fabric").into());
    }
    for row in &mut rows {
        row.resize(Lfts::row_len(top), Lfts::NO_PATH);
    }
    Ok(Lfts { top, rows: rows.into_iter().map(Arc::from).collect() })
}

/// How many of the entries lead to another port now, or nowhere.
pub(super) fn moved(before: &Lfts, now: &Lfts) -> usize {
    let row = |(before, now): (&Arc<[u8]>, &Arc<[u8]>)| {
        let entries = before.iter().enumerate().filter(|(_, byte)| **byte != Lfts::NO_PATH);
        entries.filter(|(lid, byte)| now.get(*lid) != Some(*byte)).count()
    };
    before.rows.iter().zip(&now.rows).map(row).sum()
}
