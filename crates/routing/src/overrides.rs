//! SL2VL and arbitration tables that an engine prescribes in place of the configured ones.

use std::sync::Arc;

use lk_fabric::{Fabric, PortId};
use lk_wire::{PortNum, Vl};

use crate::proof::LaneMap;

/// SL2VL tables for every way through every switch, and for adapters and routers.
///
/// Ports fall into a few classes, and the table depends on those of the way out and the way in
/// alone. Tables are given before OperVLs cuts them to what a port can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneOverrides {
    ports: Arc<[Slot]>,
    classes: u8,
    /// The class of switch ports that face hosts.
    host: u8,
    tables: Arc<[LaneMap]>,
}

/// What is known of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    class: u8,
    num: u8,
}

impl LaneOverrides {
    /// Tables by the classes of ports, 0 to `last`. `classes` has one for each port of the
    /// fabric, port 0 of switches included; `host` is the class of switch ports that face hosts;
    /// `table` is given the class of the way out first.
    pub(crate) fn new(
        fabric: &Fabric,
        classes: Vec<u8>,
        host: u8,
        last: u8,
        table: impl Fn(u8, u8) -> LaneMap,
    ) -> Self {
        let slot = |(port, class): (usize, u8)| {
            let num = fabric.port_num(PortId(port as u32)).0;
            Slot { class: class.min(last), num }
        };
        let ports = classes.into_iter().enumerate().map(slot).collect();
        let pairs = (0..=last).flat_map(|out| (0..=last).map(move |inn| (out, inn)));
        let tables = pairs.map(|(out, inn)| table(out, inn)).collect();
        Self { ports, classes: last + 1, host, tables }
    }

    /// The table of a switch's port `egress` for packets that come in by the port with the number
    /// `ingress` of the same switch; of an adapter's or router's port whatever the ingress. None
    /// for ports that the fabric did not have.
    #[must_use]
    pub fn sl2vl(&self, egress: PortId, ingress: PortNum) -> Option<LaneMap> {
        let out = self.ports.get(egress.index())?;
        let inn = (egress.index() + usize::from(ingress.0)).checked_sub(usize::from(out.num))?;
        let inn = self.ports.get(inn).filter(|slot| slot.num == ingress.0);
        let class = inn.map_or(out.class, |slot| slot.class);
        let at = usize::from(out.class) * usize::from(self.classes) + usize::from(class);
        self.tables.get(at).copied()
    }
}

/// One entry of a VLArbitrationTable: the VL and its weight (IBA 14.2.5.9).
pub type ArbEntry = (Vl, u8);

impl LaneOverrides {
    /// Whether this is a switch's port towards hosts (or port 0, or a port without use), where
    /// each QoS level has one VL and not four.
    #[must_use]
    pub fn faces_hosts(&self, egress: PortId) -> bool {
        self.ports.get(egress.index()).is_some_and(|slot| slot.class == self.host)
    }

    /// Makes of a block of an arbitration table for links between switches the one for a port
    /// towards hosts: VL 0 stays, VL 4 becomes VL 1, and the entries of all other VLs go. Those
    /// that are left move to the front, and the rest is zero. Blocks of other ports stay as they
    /// are.
    pub fn fold_vlarb(&self, egress: PortId, block: &mut [ArbEntry]) {
        if !self.faces_hosts(egress) {
            return;
        }
        let folded: Vec<ArbEntry> = block
            .iter()
            .filter_map(|(vl, weight)| match vl.0 {
                0 => Some((Vl(0), *weight)),
                4 => Some((Vl(1), *weight)),
                _ => None,
            })
            .collect();
        block.fill((Vl(0), 0));
        block.iter_mut().zip(folded).for_each(|(entry, kept)| *entry = kept);
    }
}
