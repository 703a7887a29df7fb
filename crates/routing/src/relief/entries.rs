//! Tables turned on their side, for work that goes LID by LID.

use std::sync::Arc;

use rayon::prelude::*;

use crate::tables::Lfts;

/// Switches and LIDs that are turned at once: what is read and what is written then lies in few
/// lines of memory.
const SIDE: usize = 64;

/// The tables, and their entries LID by LID where that was asked for.
pub(super) struct Entries<'a> {
    lfts: &'a mut Lfts,
    /// For each LID the entries of all switches; empty before [`Entries::turn`].
    columns: Vec<u8>,
}

impl<'a> Entries<'a> {
    /// Tables as they stand.
    pub(super) const fn new(lfts: &'a mut Lfts) -> Self {
        Self { lfts, columns: Vec::new() }
    }

    /// Turns the tables, which pays where many entries are looked at: those of one LID lie far
    /// apart, each in the table of another switch.
    pub(super) fn turn(&mut self) {
        let n = self.lfts.rows.len();
        if n == 0 || !self.columns.is_empty() {
            return;
        }
        let len = self.lfts.rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let mut columns = vec![Lfts::NO_PATH; n * len];
        let rows = &self.lfts.rows;
        columns.par_chunks_mut(SIDE * n).enumerate().for_each(|(block, columns)| {
            for (at, rows) in rows.chunks(SIDE).enumerate() {
                for (s, row) in (at * SIDE..).zip(rows) {
                    for (entry, column) in row.iter().skip(block * SIDE).zip(columns.chunks_mut(n))
                    {
                        column[s] = *entry;
                    }
                }
            }
        });
        self.columns = columns;
    }

    /// The port by which a switch sends to a LID.
    #[inline]
    pub(super) fn port(&self, s: usize, lid: u16) -> u8 {
        let lid = usize::from(lid);
        let entry = match self.columns.is_empty() {
            true => self.lfts.rows[s].get(lid),
            false => self.columns.get(lid * self.lfts.rows.len() + s),
        };
        entry.copied().unwrap_or(Lfts::NO_PATH)
    }

    /// Changes an entry.
    pub(super) fn set(&mut self, s: usize, lid: u16, port: u8) {
        let lid = usize::from(lid);
        Arc::make_mut(&mut self.lfts.rows[s])[lid] = port;
        if let Some(entry) = self.columns.get_mut(lid * self.lfts.rows.len() + s) {
            *entry = port;
        }
    }

    /// The first LID from `from` on that a switch sends by a port.
    pub(super) fn next_by(&self, s: usize, port: u8, from: usize) -> Option<usize> {
        /// Entries that are compared side by side.
        const STEP: usize = 32;
        let row = &self.lfts.rows[s];
        let mut at = from;
        while let Some(step) = row.get(at..at + STEP) {
            if step.iter().fold(false, |found, entry| found | (*entry == port)) {
                break;
            }
            at += STEP;
        }
        row.get(at..)?.iter().position(|entry| *entry == port).map(|place| at + place)
    }
}

#[cfg(test)]
mod tests {
    use lk_wire::Lid;

    use super::*;

    #[test]
    fn turned_tables_hold_the_same_entries_before_and_after_a_change() {
        let entry = |s: usize, lid: usize| ((s * 31 + lid * 7) % 251) as u8;
        let row = |s: usize| (0..192).map(|lid| entry(s, lid)).collect::<Vec<_>>().into();
        let mut lfts = Lfts { top: Lid(190), rows: (0..70).map(row).collect() };
        let mut turned = Entries::new(&mut lfts);
        turned.turn();
        turned.set(69, 191, 252);
        for (s, lid) in (0..70).flat_map(|s| (0..192).map(move |lid| (s, lid))) {
            let is = if (s, lid) == (69, 191) { 252 } else { entry(s, lid) };
            assert_eq!(turned.port(s, lid as u16), is, "switch {s}, LID {lid}");
        }
        assert_eq!(turned.port(0, 192), Lfts::NO_PATH);
        assert_eq!(lfts.rows[69][191], 252);
    }

    #[test]
    fn the_lids_of_a_port_are_found_one_after_the_other() {
        let mut row = vec![1; 256];
        for lid in [0, 31, 32, 100, 255] {
            row[lid] = 9;
        }
        let mut lfts = Lfts { top: Lid(255), rows: vec![row.into()] };
        let entries = Entries::new(&mut lfts);
        let next = |from: &usize| entries.next_by(0, 9, from + 1);
        let found = std::iter::successors(entries.next_by(0, 9, 0), next);
        assert_eq!(found.collect::<Vec<_>>(), [0, 31, 32, 100, 255]);
    }
}
