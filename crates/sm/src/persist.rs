//! What is kept over restarts: which port had which LIDs (`guid2lid`).

use std::collections::BTreeMap;

use lk_wire::{Guid, Lid};

/// LIDs by port GUID, first and last.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Guid2Lid {
    entries: BTreeMap<Guid, (Lid, Lid)>,
}

impl Guid2Lid {
    /// Notes the LIDs of a port.
    pub fn insert(&mut self, guid: Guid, first: Lid, last: Lid) {
        self.entries.insert(guid, (first, last));
    }

    /// The first and the last LID of a port.
    #[must_use]
    pub fn get(&self, guid: Guid) -> Option<(Lid, Lid)> {
        self.entries.get(&guid).copied()
    }

    /// All entries, by ascending GUID.
    pub fn iter(&self) -> impl Iterator<Item = (Guid, Lid, Lid)> + '_ {
        self.entries.iter().map(|(g, (first, last))| (*g, *first, *last))
    }
}
