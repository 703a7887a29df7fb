//! The LIDs that tables lead to, sorted by the switch that they hang on.

use lk_fabric::{Fabric, PortId};
use lk_wire::{Lid, PortNum};

use crate::graph::Graph;
use crate::tables::LidMap;

/// An end port with its LIDs, seen from the switch that it hangs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The end port.
    pub end: PortId,
    /// The port of the switch that leads to it; 0 for the switch's own port 0.
    pub exit: PortNum,
    /// The base LID.
    pub base: Lid,
    /// LID mask control: the port answers to 2^lmc LIDs.
    pub lmc: u8,
}

impl Target {
    /// Whether this is a switch's own port 0.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.exit == PortNum(0)
    }

    /// The LIDs of this target with their offsets from the base, without those that another
    /// port holds or that are beyond the unicast range.
    pub fn lids<'a>(&self, map: &'a LidMap) -> impl Iterator<Item = (u8, Lid)> + use<'a> {
        let (base, end) = (u32::from(self.base.0), self.end);
        (0..1_u32 << self.lmc.min(7))
            .map(move |offset| (offset as u8, base + offset))
            .filter(|(_, lid)| *lid <= u32::from(Lid::MAX_UNICAST.0))
            .map(|(offset, lid)| (offset, Lid(lid as u16)))
            .filter(move |(_, lid)| map.port(*lid) == Some(end))
    }
}

/// All targets, switch by switch: first the end ports on it by ascending port, then port 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    rows: Vec<u32>,
    all: Vec<Target>,
}

impl Targets {
    /// Sorts the LIDs of a map by switch. End ports without a cable to a switch are left out:
    /// no table leads to them.
    #[must_use]
    pub fn new(fabric: &Fabric, graph: &Graph, map: &LidMap) -> Self {
        let mut placed: Vec<(u32, Target)> = map
            .ranges()
            .iter()
            .filter_map(|(end, base, lmc)| {
                let (switch, exit) = Graph::attachment(fabric, *end)?;
                Some((switch.0, Target { end: *end, exit, base: *base, lmc: *lmc }))
            })
            .collect();
        placed.sort_by_key(|(s, t)| (*s, t.is_switch(), t.exit, t.base));
        let mut rows = vec![0_u32; graph.len() + 1];
        for (s, _) in &placed {
            rows[*s as usize + 1] += 1;
        }
        for at in 1..rows.len() {
            rows[at] += rows[at - 1];
        }
        Self { rows, all: placed.into_iter().map(|(_, t)| t).collect() }
    }

    /// The targets on a switch.
    #[must_use]
    pub fn on(&self, switch: usize) -> &[Target] {
        &self.all[self.rows[switch] as usize..self.rows[switch + 1] as usize]
    }

    /// The number of a switch's first target among all; the others follow it.
    #[must_use]
    pub fn first(&self, switch: usize) -> usize {
        self.rows[switch] as usize
    }

    /// How many targets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no target.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
