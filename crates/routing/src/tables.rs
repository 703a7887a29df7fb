//! LIDs and forwarding tables: who answers to which LID, and where each switch sends it.

use std::sync::Arc;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::{Lid, PortNum};

/// Which port answers to which LIDs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LidMap {
    by_lid: Vec<Option<PortId>>,
    ranges: Vec<(PortId, Lid, u8)>,
}

impl LidMap {
    /// A map from the base LID and LMC of each end port.
    ///
    /// Later entries do not displace earlier ones: a LID that is taken keeps its first owner.
    #[must_use]
    pub fn new(mut ranges: Vec<(PortId, Lid, u8)>) -> Self {
        ranges.retain(|(_, lid, _)| lid.is_unicast());
        ranges.sort_by_key(|(_, lid, _)| *lid);
        let top = ranges.iter().map(|(_, l, m)| usize::from(l.0) + (1 << m)).max().unwrap_or(1);
        let mut by_lid = vec![None; top.min(usize::from(Lid::MAX_UNICAST.0) + 1)];
        for (port, lid, lmc) in &ranges {
            for slot in by_lid.iter_mut().skip(usize::from(lid.0)).take(1 << lmc) {
                slot.get_or_insert(*port);
            }
        }
        Self { by_lid, ranges }
    }

    /// The LIDs as the fabric's ports hold them.
    #[must_use]
    pub fn of_fabric(fabric: &Fabric) -> Self {
        let of = |p: PortId| (p, fabric.port(p).lid, fabric.port(p).lmc);
        Self::new(fabric.end_ports().map(of).collect())
    }

    /// The port that answers to a LID.
    #[must_use]
    pub fn port(&self, lid: Lid) -> Option<PortId> {
        self.by_lid.get(usize::from(lid.0)).copied().flatten()
    }

    /// Each end port with its base LID and LMC, by ascending LID.
    #[must_use]
    pub fn ranges(&self) -> &[(PortId, Lid, u8)] {
        &self.ranges
    }

    /// All LIDs that some port answers to, ascending.
    #[must_use]
    pub fn owned(&self) -> Vec<Lid> {
        (1..=self.top().0).map(Lid).filter(|lid| self.port(*lid).is_some()).collect()
    }

    /// The highest LID in use; 0 where there is none.
    #[must_use]
    pub fn top(&self) -> Lid {
        Lid((self.by_lid.len() - 1) as u16)
    }
}

/// The linear forwarding tables of all switches.
///
/// A row holds one byte a LID, from LID 0 up to the end of the block of 64 that holds the top
/// LID. 255 means: no path, the packet is dropped (IBA 14.2.5.10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lfts {
    /// The highest LID that the tables route.
    pub top: Lid,
    /// One row a switch, by [`SwitchId`].
    pub rows: Vec<Arc<[u8]>>,
}

impl Lfts {
    /// The byte that stands for "no path".
    pub const NO_PATH: u8 = 255;
    /// LIDs in one block of the attribute.
    pub const BLOCK: usize = 64;

    /// Bytes that a row needs for LIDs up to `top`: a whole number of blocks.
    #[must_use]
    pub const fn row_len(top: Lid) -> usize {
        (top.0 as usize / Self::BLOCK + 1) * Self::BLOCK
    }

    /// The port by which a switch sends to a LID, if it has a path.
    #[must_use]
    pub fn port(&self, switch: SwitchId, lid: Lid) -> Option<PortNum> {
        let byte = *self.rows[switch.index()].get(usize::from(lid.0))?;
        (byte != Self::NO_PATH).then_some(PortNum(byte))
    }
}
