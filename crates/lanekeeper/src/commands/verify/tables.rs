//! Forwarding tables from a file: on the fabric of another file, or beside it in a folder of dumps.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lk_fabric::dumps::unicast;
use lk_fabric::{Fabric, PortId};
use lk_routing::proof::SlSet;
use lk_routing::{Lfts, LidMap};
use lk_wire::{Guid, Lid, PortNum, Sl};

use super::path_sls::PathTable;
use super::request::Request;
use super::subject::{Sl2vl, Sls, Subject, Unread};
use crate::commands::route;
use crate::failure::Failure;
use crate::{input, terminal};

/// The tables of `tables` on the fabric of `fabric`.
///
/// # Errors
/// Files that cannot be read, or tables of another fabric.
pub(super) fn read(fabric: &Path, tables: &Path, request: &Request) -> Result<Subject, Failure> {
    let given = input::fabric(fabric, request.ibnl.as_deref())?;
    let source = input::source(tables)?;
    let (read, said) = unicast::read(&source);
    terminal::show(&said);
    let fabric = given.file.fabric;
    route::refuse_empty(&fabric)?;
    let known = |guid| fabric.node_by_guid(guid).is_some_and(|n| fabric.as_switch(n).is_some());
    let (here, strange): (Vec<_>, Vec<_>) = read.into_iter().partition(|table| known(table.guid));
    let name = tables.display().to_string();
    if here.is_empty() {
        return Err(anyhow!("{name} has no forwarding table of a switch of this fabric").into());
    }
    let mut notes =
        vec!["SL2VL tables are not known: all packets are taken to share one lane".into()];
    if !strange.is_empty() {
        let have = switches_have(strange.len());
        notes.push(format!("{have} a table in {name} and no place in the fabric: left out"));
    }
    let lids = match route::lids::number(&fabric, request.lmc)? {
        own if own.origin == route::lids::Origin::File => own.map,
        _ => {
            notes.push(
                "the fabric's file has no LIDs: they are those to which the tables lead".into(),
            );
            lids_by_tables(&fabric, &here)
        }
    };
    let mut rows = Rows::new(&fabric, &lids);
    for table in here {
        rows.fill(table.guid, table.entries.into_iter());
    }
    let lfts = rows.finish(&mut notes);
    let sls = match &request.path_sls {
        Some(path) => Sls::Table(PathTable::read(&input::source(path)?, &fabric, &lids)?),
        None => Sls::Fixed(SlSet::one(Sl(0))),
    };
    let flawed = given.flawed || said.has_errors();
    let sl2vl = Sl2vl::one_lane();
    let trees = Vec::new();
    Ok(Subject {
        source: name,
        fabric,
        lids,
        lfts,
        trees,
        sl2vl,
        sls,
        notes,
        faults: Vec::new(),
        flawed,
        unread: Unread::default(),
    })
}

/// Who has which LID, by the switches that send it to an end port: only the last of a way does.
fn lids_by_tables(fabric: &Fabric, tables: &[unicast::Table]) -> LidMap {
    let mut owners: Vec<(Lid, PortId)> = Vec::new();
    for table in tables {
        let Some(node) = fabric.node_by_guid(table.guid) else { continue };
        for (lid, port) in &table.entries {
            let near = fabric.port_at(node, *port);
            let end = if port.0 == 0 { near } else { near.and_then(|near| fabric.peer(near)) };
            let outside = |end: &PortId| fabric.as_switch(fabric.owner(*end)).is_none();
            if let Some(end) = end.filter(|end| port.0 == 0 || outside(end)) {
                owners.push((*lid, end));
            }
        }
    }
    owners.sort_unstable();
    owners.dedup_by_key(|(lid, _)| *lid);
    LidMap::new(owners.into_iter().map(|(lid, end)| (end, lid, 0)).collect())
}

pub(super) fn switches_have(n: usize) -> String {
    if n == 1 { "1 switch has".to_owned() } else { format!("{n} switches have") }
}

/// Forwarding tables while they are filled.
pub(super) struct Rows<'a> {
    fabric: &'a Fabric,
    lids: &'a LidMap,
    rows: Vec<Option<Vec<u8>>>,
    top: Lid,
    /// A LID with a way that belongs to no port.
    stray: Option<Lid>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(fabric: &'a Fabric, lids: &'a LidMap) -> Self {
        let rows = vec![None; fabric.switches().len()];
        Self { fabric, lids, rows, top: lids.top(), stray: None }
    }

    /// Takes the entries of a switch; those of one that the fabric does not have are of no use.
    pub(super) fn fill(&mut self, guid: Guid, entries: impl Iterator<Item = (Lid, PortNum)>) {
        let node = self.fabric.node_by_guid(guid);
        let Some(switch) = node.and_then(|node| self.fabric.as_switch(node)) else { return };
        let row = self.rows[switch.index()].get_or_insert_default();
        row.resize(Lfts::row_len(self.top), Lfts::NO_PATH);
        for (lid, port) in entries {
            let at = usize::from(lid.0);
            if at >= row.len() {
                row.resize(Lfts::row_len(lid), Lfts::NO_PATH);
                self.top = self.top.max(lid);
            }
            row[at] = port.0;
            if self.lids.port(lid).is_none() {
                self.stray.get_or_insert(lid);
            }
        }
    }

    pub(super) fn finish(self, notes: &mut Vec<String>) -> Lfts {
        let missing = self.rows.iter().filter(|row| row.is_none()).count();
        if missing > 0 {
            notes.push(format!("{} no forwarding table in the dump", switches_have(missing)));
        }
        if let Some(lid) = self.stray {
            notes.push(format!(
                "the tables have ways to LID {lid}, which no port has: is an LMC in force? -l says \
                 it"
            ));
        }
        let length = Lfts::row_len(self.top);
        let row = |row: Option<Vec<u8>>| {
            let mut row = row.unwrap_or_default();
            row.resize(length, Lfts::NO_PATH);
            Arc::from(row)
        };
        Lfts { top: self.top, rows: self.rows.into_iter().map(row).collect() }
    }
}
