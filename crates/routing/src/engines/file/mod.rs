//! file: forwarding tables from a file (`lfts_file`), or shortest paths by hop counts from a file
//! (`lid_matrix_dump_file`).
//!
//! An entry that names the port GUID of its LID follows that port: where the port has other LIDs
//! now, the entry goes to them. Nothing else is made to fit. A file with a line that cannot be
//! understood is refused as a whole, with the line; so is one of which no switch is here.
//!
//! Without `lfts_file` this is minhop, over the hop counts of `lid_matrix_dump_file` if there is
//! one.

mod matrix;

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::dumps::lfts::SwitchTable;
use lk_fabric::{Fabric, PortId};
use lk_wire::{Guid, Lid};

use super::generic::{Generic, name_of};
use crate::balance::height::above_leaves;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::route_files::RouteFile;
use crate::tables::{Lfts, LidMap};
use matrix::Matrix;

/// The engine `file`.
#[derive(Clone, Copy, Debug)]
pub struct FromFile;

impl Engine for FromFile {
    fn name(&self) -> &'static str {
        "file"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let decline = |reason| Decline { engine: self.name(), reason };
        let mut generic = Generic::new(job);
        let files = &job.options.files;
        let matrix = match &files.matrix {
            Some(file) => {
                whole("lid_matrix_dump_file", file).map_err(decline)?;
                let (matrix, note) = Matrix::new(job, &generic.graph, &file.content);
                generic.notes.extend(note.map(|note| format!("{}: {note}", file.name)));
                Some(matrix)
            }
            None => None,
        };
        let lfts = match (&files.tables, &matrix) {
            (Some(file), _) => {
                whole("lfts_file", file).map_err(decline)?;
                from_tables(job, file, &mut generic.notes).map_err(decline)?
            }
            (None, Some(matrix)) => {
                let rule = matrix.rule(&generic.graph);
                generic.fill(&rule, &above_leaves(&generic.graph))
            }
            (None, None) => {
                generic
                    .notes
                    .push("no lfts_file is named: shortest paths, as by minhop".to_owned());
                generic.fill(&generic.roads(), &above_leaves(&generic.graph))
            }
        };
        Ok(generic.routes(self.name(), lfts))
    }
}

/// Refuses a file with a fault.
fn whole<T>(option: &str, file: &RouteFile<T>) -> Result<(), String> {
    match &file.fault {
        Some(fault) => Err(format!("{option} {}: {fault}", file.name)),
        None => Ok(()),
    }
}

/// The tables as the file has them.
fn from_tables(
    job: &RouteJob<'_>,
    file: &RouteFile<SwitchTable>,
    notes: &mut Vec<String>,
) -> Result<Lfts, String> {
    let fabric = job.fabric;
    let top = job.lids.top();
    let mut rows = vec![vec![Lfts::NO_PATH; Lfts::row_len(top)]; fabric.switches().len()];
    let mut held: BTreeSet<usize> = BTreeSet::new();
    let mut strangers = Vec::new();
    let owners = Owners::new(fabric, job.lids);
    let mut lost = 0;
    for table in &file.content {
        let switch = fabric.node_by_guid(table.guid).and_then(|node| fabric.as_switch(node));
        let Some(switch) = switch.map(lk_fabric::SwitchId::index) else {
            strangers.push(table.guid);
            continue;
        };
        let row = &mut rows[switch];
        row.fill(Lfts::NO_PATH);
        held.insert(switch);
        let ports = fabric.node(fabric.switch_node(lk_fabric::SwitchId(switch as u32))).num_ports;
        for (lid, port, owner) in &table.entries {
            if port.0 > ports {
                return Err(format!(
                    "lfts_file {}: LID {lid} goes by port {port} of {}, which has {ports} ports",
                    file.name,
                    name_of(fabric, switch)
                ));
            }
            let lid = owners.present(*lid, owner.as_ref().map(|owner| owner.port_guid));
            match row.get_mut(usize::from(lid.0)).filter(|_| job.lids.port(lid).is_some()) {
                Some(cell) => *cell = port.0,
                None => lost += 1,
            }
        }
    }
    if held.is_empty() {
        let example = strangers.first().map_or(String::new(), |guid| {
            format!("; it has tables of {} switches such as {guid}", strangers.len())
        });
        return Err(format!(
            "lfts_file {}: it has no table of a switch of this fabric{example}",
            file.name
        ));
    }
    let mut note = |text: String| notes.push(format!("{}: {text}", file.name));
    if let Some(guid) = strangers.first() {
        note(format!("{} switches are not in this fabric, such as {guid}", strangers.len()));
    }
    let bare = (0..rows.len()).filter(|s| !held.contains(s));
    if let Some(s) = bare.clone().next() {
        let count = bare.count();
        note(format!("{count} switches have no table in it, such as {}", name_of(fabric, s)));
    }
    if lost > 0 {
        note(format!("{lost} entries are for LIDs that no port has now"));
    }
    Ok(Lfts { top, rows: rows.into_iter().map(Into::into).collect() })
}

/// The LIDs that ports have now, by GUID.
struct Owners {
    by_guid: BTreeMap<Guid, (Lid, u8)>,
}

impl Owners {
    fn new(fabric: &Fabric, lids: &LidMap) -> Self {
        let of = |(port, base, lmc): &(PortId, Lid, u8)| (fabric.port(*port).guid, (*base, *lmc));
        Self { by_guid: lids.ranges().iter().map(of).collect() }
    }

    /// The LID that stands for one of the file, which may name the GUID of the port.
    fn present(&self, lid: Lid, guid: Option<Guid>) -> Lid {
        let known = guid.filter(|guid| guid.0 != 0).and_then(|guid| self.by_guid.get(&guid));
        let Some((base, lmc)) = known else { return lid };
        let count = 1_u16 << (*lmc).min(7);
        match lid.0.checked_sub(base.0) {
            Some(offset) if offset < count => lid,
            _ => Lid(base.0 + lid.0 % count),
        }
    }
}
