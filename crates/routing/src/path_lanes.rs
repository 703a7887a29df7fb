//! A lane for each path, as a table by destination LID and source switch.

use std::sync::Arc;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::{Lid, Sl};

use crate::graph::Graph;
use crate::proof::SlSet;
use crate::tables::LidMap;

/// The SL of each path of an engine that keeps packets apart by lanes. SL and lane have the same
/// number: the SL2VL tables have to map them so (IBA 7.6.6).
///
/// LIDs with the same lane from each switch share a row, and a row that says the same of all
/// switches is one number, so this takes far less than a byte for each switch and LID on most
/// fabrics, and never more than that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathLanes {
    switches: usize,
    /// By LID: its row.
    rows: Arc<[Row]>,
    cells: Arc<[u8]>,
    /// The switch that each port is on or of; [`NOWHERE`] for ports that hang on none.
    of_port: Arc<[u32]>,
    /// The base LID of each end port; 0 without one.
    bases: Arc<[u16]>,
    /// All SLs that are used.
    used: SlSet,
    /// Lanes that it takes to be free of deadlocks; there are more SLs where spare lanes are used.
    needed: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Row {
    /// The same from everywhere.
    All(u8),
    /// By switch, from this cell on.
    Cells(u32),
}

const NOWHERE: u32 = u32::MAX;

impl PathLanes {
    /// A table from a row of lanes, by switch, for each LID. LIDs without one have lane 0.
    pub(crate) fn new(
        fabric: &Fabric,
        lids: &LidMap,
        needed: u8,
        lane: impl Fn(Lid) -> Option<Vec<u8>>,
    ) -> Self {
        let switches = fabric.switches().len();
        let mut rows = vec![Row::All(0); usize::from(lids.top().0) + 1];
        let mut cells: Vec<u8> = Vec::new();
        let mut known = std::collections::HashMap::<Vec<u8>, u32>::new();
        let mut used = SlSet::EMPTY;
        for lid in (1..=lids.top().0).map(Lid) {
            let Some(row) = lane(lid) else { continue };
            let mut seen = [false; 256];
            row.iter().for_each(|lane| seen[usize::from(*lane)] = true);
            let lanes = (0..16).filter(|lane| seen[usize::from(*lane)]);
            used = lanes.fold(used, |all, lane| all.with(Sl(lane)));
            let slot = &mut rows[usize::from(lid.0)];
            if row.iter().all(|lane| *lane == row[0]) {
                *slot = Row::All(row.first().copied().unwrap_or(0));
                continue;
            }
            let next = (cells.len() / switches.max(1)) as u32;
            let at = *known.entry(row).or_insert_with_key(|row| {
                cells.extend_from_slice(row);
                next
            });
            *slot = Row::Cells(at);
        }
        let of_port = (0..fabric.ports().len() as u32).map(|port| {
            let port = PortId(port);
            let on = fabric.as_switch(fabric.owner(port));
            let on = on.or_else(|| Graph::attachment(fabric, port).map(|(switch, _)| switch));
            on.map_or(NOWHERE, |switch| switch.0)
        });
        let mut bases = vec![0; fabric.ports().len()];
        for (port, base, _) in lids.ranges() {
            bases[port.index()] = base.0;
        }
        Self {
            switches,
            rows: rows.into(),
            cells: cells.into(),
            of_port: of_port.collect(),
            bases: bases.into(),
            used: if used == SlSet::EMPTY { SlSet::one(Sl(0)) } else { used },
            needed,
        }
    }

    /// The SL from an end port to a LID. 0 for a LID or a port that is not part of the fabric.
    #[must_use]
    pub fn sl(&self, from: PortId, to: Lid) -> Sl {
        let switch = self.of_port.get(from.index()).copied().filter(|s| *s != NOWHERE);
        switch.map_or(Sl(0), |switch| self.of_switch(SwitchId(switch), to))
    }

    /// The SL from an end port to the base LID of another.
    #[must_use]
    pub fn of_ports(&self, from: PortId, to: PortId) -> Sl {
        self.sl(from, Lid(self.bases.get(to.index()).copied().unwrap_or(0)))
    }

    /// The SL from a switch, and from all end ports on it, to a LID.
    #[must_use]
    pub fn of_switch(&self, from: SwitchId, to: Lid) -> Sl {
        match self.rows.get(usize::from(to.0)) {
            Some(Row::All(lane)) => Sl(*lane),
            Some(Row::Cells(row)) => {
                let cell = *row as usize * self.switches + from.index();
                Sl(self.cells.get(cell).copied().unwrap_or(0))
            }
            None => Sl(0),
        }
    }

    /// Whether the paths to both LIDs have the same SL from everywhere.
    #[must_use]
    pub fn alike(&self, one: Lid, other: Lid) -> bool {
        let row = |lid: Lid| self.rows.get(usize::from(lid.0));
        row(one) == row(other)
    }

    /// All SLs that some path has.
    #[must_use]
    pub const fn used(&self) -> SlSet {
        self.used
    }

    /// How many lanes it takes for no packets to wait for each other in a circle. Paths may be
    /// spread over more where ports have more.
    #[must_use]
    pub const fn needed(&self) -> u8 {
        self.needed
    }
}
