//! Unicast forwarding tables, in whichever of the forms that the field's programs write:
//! `opensm.fdbs` (also ibdiagnet's), `opensm-lfts.dump`, and what `ibroute` and `dump_fts` print.

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid, PortNum};

use super::{fdbs, lfts};

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The switch's GUID.
    pub guid: Guid,
    /// The LIDs with a path and the port of each, in the order of the file.
    pub entries: Vec<(Lid, PortNum)>,
}

/// Reads a file of any of these forms.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<Table>, Diagnostics) {
    if source.text().lines().any(fdbs::is_head) {
        let (tables, findings) = fdbs::read(source);
        let path = |(lid, entry): (Lid, fdbs::Entry)| match entry {
            fdbs::Entry::Path { port, .. } => Some((lid, port)),
            fdbs::Entry::Unreachable => None,
        };
        let table = |table: fdbs::SwitchTable| Table {
            guid: table.guid,
            entries: table.entries.into_iter().filter_map(path).collect(),
        };
        return (tables.into_iter().map(table).collect(), findings);
    }
    let (tables, findings) = lfts::read(source);
    let table = |table: lfts::SwitchTable| Table {
        guid: table.guid,
        entries: table.entries.into_iter().map(|(lid, port, _)| (lid, port)).collect(),
    };
    (tables.into_iter().map(table).collect(), findings)
}
