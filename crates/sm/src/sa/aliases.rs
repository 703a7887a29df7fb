//! Alias GUIDs: GUIDs that ports were given beside that of the hardware.

use std::collections::{BTreeMap, BTreeSet};

use lk_wire::{Guid, GuidInfo};
use rustc_hash::FxHashMap;

/// GUIDs in a block.
pub const BLOCK: usize = GuidInfo::ENTRIES;

/// The first GUID that is given to whoever wants just any: the range that OpenSM gives from.
const FIRST_ASSIGNED: u64 = 0x0014_0500_0000_0001;

/// All alias GUIDs.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    /// The GUID of the port that an alias belongs to.
    owners: FxHashMap<Guid, Guid>,
    /// What each port has in its table, by the port's own GUID. Entry 0 is not used.
    tables: BTreeMap<Guid, Vec<Guid>>,
    assigned: u64,
    /// Blocks that the ports have to be told.
    unwritten: BTreeSet<(Guid, u8)>,
}

/// What became of a request for an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// The entry holds this now.
    Guid(Guid),
    /// Somebody else has that GUID; the entry stays as it was.
    Taken,
}

impl Aliases {
    /// The GUID of the port that an alias belongs to.
    #[must_use]
    pub fn owner(&self, alias: Guid) -> Option<Guid> {
        self.owners.get(&alias).copied()
    }

    /// A block of a port's table: the port's own GUID first, then its aliases.
    #[must_use]
    pub fn block(&self, port: Guid, block: u8) -> GuidInfo {
        let mut info = GuidInfo::default();
        let first = usize::from(block) * BLOCK;
        let aliases = self.tables.get(&port).map_or(&[][..], Vec::as_slice);
        for index in 0..BLOCK {
            let guid = match first + index {
                0 => port,
                at => aliases.get(at).copied().unwrap_or_default(),
            };
            info.set(index, guid);
        }
        info
    }

    /// The ports that have aliases, with how many blocks are in use.
    pub fn ports(&self) -> impl Iterator<Item = (Guid, u8)> + '_ {
        self.tables.iter().map(|(guid, table)| (*guid, table.len().div_ceil(BLOCK) as u8))
    }

    /// Gives a port an alias at an index over 0; GUID 0: any that is free. `is_port` says whether
    /// a GUID is that of some port's hardware.
    pub fn give(
        &mut self,
        port: Guid,
        index: usize,
        wanted: Guid,
        is_port: impl Fn(Guid) -> bool,
    ) -> Given {
        let alias = match wanted {
            Guid(0) => self.free(&is_port),
            wanted => wanted,
        };
        let has = self.at(port, index);
        if has == alias {
            return Given::Guid(alias);
        }
        if is_port(alias) || self.owners.contains_key(&alias) {
            return Given::Taken;
        }
        self.take(port, index);
        let table = self.tables.entry(port).or_default();
        if table.len() <= index {
            table.resize(index + 1, Guid(0));
        }
        table[index] = alias;
        self.owners.insert(alias, port);
        self.unwritten.insert((port, (index / BLOCK) as u8));
        Given::Guid(alias)
    }

    /// Takes the alias at an index away from a port.
    pub fn take(&mut self, port: Guid, index: usize) {
        let has = self.at(port, index);
        if has == Guid(0) {
            return;
        }
        self.owners.remove(&has);
        if let Some(table) = self.tables.get_mut(&port) {
            table[index] = Guid(0);
            if table.iter().all(|g| g.0 == 0) {
                self.tables.remove(&port);
            }
        }
        self.unwritten.insert((port, (index / BLOCK) as u8));
    }

    fn at(&self, port: Guid, index: usize) -> Guid {
        self.tables.get(&port).and_then(|t| t.get(index)).copied().unwrap_or_default()
    }

    fn free(&mut self, is_port: &impl Fn(Guid) -> bool) -> Guid {
        loop {
            let guid = Guid(FIRST_ASSIGNED.wrapping_add(self.assigned));
            self.assigned += 1;
            if !is_port(guid) && !self.owners.contains_key(&guid) {
                return guid;
            }
        }
    }

    /// The next block that a port has to be told, if there is one.
    pub fn next_unwritten(&mut self) -> Option<(Guid, u8)> {
        self.unwritten.pop_first()
    }

    /// Whether there is a block that a port has to be told.
    #[must_use]
    pub fn is_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// A port has to be told a block, or all that it has: it may have forgotten them.
    pub fn write_again(&mut self, port: Guid, block: Option<u8>) {
        let all = self.tables.get(&port).map_or(0, |t| t.len().div_ceil(BLOCK) as u8);
        let blocks = block.map_or(0..all, |b| b..b.saturating_add(1));
        self.unwritten.extend(blocks.map(|b| (port, b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: Guid = Guid(0x10);

    fn nobody(_: Guid) -> bool {
        false
    }

    #[test]
    fn aliases_are_given_and_taken() {
        let mut a = Aliases::default();
        assert_eq!(a.give(PORT, 1, Guid(7), nobody), Given::Guid(Guid(7)));
        assert_eq!(a.give(PORT, 9, Guid(0), nobody), Given::Guid(Guid(FIRST_ASSIGNED)));
        assert_eq!((a.owner(Guid(7)), a.owner(PORT)), (Some(PORT), None));
        assert_eq!(a.block(PORT, 0).iter().take(2).collect::<Vec<_>>(), [PORT, Guid(7)]);
        assert_eq!(a.block(PORT, 1).get(1), Some(Guid(FIRST_ASSIGNED)));
        assert_eq!((a.next_unwritten(), a.next_unwritten()), (Some((PORT, 0)), Some((PORT, 1))));
        a.take(PORT, 1);
        a.take(PORT, 1);
        assert_eq!((a.owner(Guid(7)), a.next_unwritten()), (None, Some((PORT, 0))));
        assert_eq!(a.next_unwritten(), None);
        assert_eq!(a.ports().collect::<Vec<_>>(), [(PORT, 2)]);
        a.take(PORT, 9);
        assert_eq!(a.ports().count(), 0);
    }

    #[test]
    fn nobody_gets_what_another_has() {
        let mut a = Aliases::default();
        a.give(PORT, 1, Guid(7), nobody);
        assert_eq!(a.give(Guid(0x20), 1, Guid(7), nobody), Given::Taken);
        assert_eq!(a.give(PORT, 2, Guid(0x20), |g| g == Guid(0x20)), Given::Taken);
        assert_eq!(a.give(PORT, 1, Guid(7), nobody), Given::Guid(Guid(7)), "it has it already");
        assert_eq!(a.give(PORT, 1, Guid(8), nobody), Given::Guid(Guid(8)));
        assert_eq!(a.owner(Guid(7)), None, "the one before is free again");
    }
}
