//! Where every switch sends every LID, LID by LID: the tables turned on their side.

use lk_fabric::SwitchId;
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// One column for each LID, one byte for each switch in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Columns {
    /// Switches, and so bytes of a column.
    pub(crate) switches: usize,
    /// The LID of each column.
    pub(crate) lids: Vec<Lid>,
    /// The switch on which each column's LID is.
    pub(crate) homes: Vec<u32>,
    /// For each column and switch the place in the switch's row of the link that leads on.
    pub(crate) cells: Vec<u8>,
}

/// No link leads on: the LID is on the switch itself, or there is no path. A switch has 254 ports
/// at most, so no link has this place.
pub(crate) const NO_LINK: u8 = u8::MAX;

impl Columns {
    /// Columns without paths for these LIDs, given with their switches.
    pub(crate) fn new(switches: usize, lids: Vec<(Lid, u32)>) -> Self {
        let cells = vec![NO_LINK; switches * lids.len()];
        let (lids, homes) = lids.into_iter().unzip();
        Self { switches, lids, homes, cells }
    }

    /// Takes these columns from tables.
    pub(crate) fn load(&mut self, graph: &Graph, lfts: &Lfts, columns: std::ops::Range<usize>) {
        let lids = &self.lids[columns.clone()];
        let first = columns.start * self.switches;
        let cells = &mut self.cells[first..first + lids.len() * self.switches];
        // A row of the tables is read for many LIDs at once: they lie side by side there.
        let n = self.switches.max(1);
        cells.par_chunks_mut(64 * n).zip(lids.par_chunks(64)).for_each(|(cells, lids)| {
            for s in 0..self.switches {
                for (column, lid) in lids.iter().enumerate() {
                    let port = lfts.port(SwitchId(s as u32), *lid);
                    let link = port.and_then(|port| graph.link_at(s, port));
                    cells[column * n + s] = link.map_or(NO_LINK, |link| link as u8);
                }
            }
        });
    }

    /// A column.
    pub(crate) fn column(&self, at: usize) -> &[u8] {
        &self.cells[at * self.switches..(at + 1) * self.switches]
    }

    /// The forwarding tables.
    pub(crate) fn lfts(&self, graph: &Graph, targets: &Targets, map: &LidMap) -> Lfts {
        let columns: Vec<(Lid, usize)> = self.lids.iter().copied().zip(0..).collect();
        let port = |s: usize, cell: u8, _| {
            graph.links(s).get(usize::from(cell)).map_or(PortNum(Lfts::NO_PATH), |l| l.port)
        };
        self.lfts_of(targets, map, &columns, port)
    }

    /// The forwarding tables of LIDs by these columns. `port` is given a switch, its cell, and the
    /// LID.
    pub(crate) fn lfts_of(
        &self,
        targets: &Targets,
        map: &LidMap,
        columns: &[(Lid, usize)],
        port: impl Fn(usize, u8, Lid) -> PortNum + Sync,
    ) -> Lfts {
        /// Rows that are written side by side, so that reading a column is reading a few lines of
        /// memory and not one byte of each.
        const ROWS: usize = 64;
        let top = map.top();
        let blocks = (0..self.switches).step_by(ROWS).collect::<Vec<_>>();
        let rows = blocks.into_par_iter().flat_map_iter(|first| {
            let block = first..(first + ROWS).min(self.switches);
            let mut rows = vec![vec![Lfts::NO_PATH; Lfts::row_len(top)]; block.len()];
            for (lid, at) in columns {
                let cells = &self.column(*at)[block.clone()];
                for ((row, cell), s) in rows.iter_mut().zip(cells).zip(block.clone()) {
                    row[usize::from(lid.0)] = port(s, *cell, *lid).0;
                }
            }
            for (row, s) in rows.iter_mut().zip(block) {
                for target in targets.on(s) {
                    for (_, lid) in target.lids(map) {
                        row[usize::from(lid.0)] = target.exit.0;
                    }
                }
            }
            rows.into_iter().map(Into::into)
        });
        Lfts { top, rows: rows.collect() }
    }
}
