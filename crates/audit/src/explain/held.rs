//! What a port holds, as far as a path depends on it.

use std::collections::BTreeSet;

use lk_fabric::{LinkRate, NodeKind, PortId};
use lk_qos::{ArbTables, PortClass};
use lk_snapshot::{Snapshot, Table};
use lk_wire::{Mtu, PKey, PKeyTable, PortInfo, Sl, SlToVlTable, Vl, VlArbTable, VlCode};

/// A port of a snapshot that sends.
#[derive(Clone, Copy)]
pub(super) struct Egress<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) port: PortId,
}

impl Egress<'_> {
    fn info(&self) -> Option<&PortInfo> {
        self.snapshot.ports.get(self.port.index())?.as_ref()
    }

    /// OperVLs and VLCap, where PortInfo is known.
    pub(super) fn lanes(&self) -> Option<(VlCode, VlCode)> {
        self.info().map(|info| (info.operational_vls(), info.supported_vls()))
    }

    /// The payload of the largest packet on the link, in bytes.
    pub(super) fn mtu(&self) -> u32 {
        let code = self.info().map_or(Mtu::M4096, PortInfo::active_mtu);
        code.bytes().map_or(256, u32::from)
    }

    /// Width and speed: as PortInfo has them, else as the link is drawn.
    pub(super) fn rate(&self) -> LinkRate {
        let drawn = self.snapshot.fabric.port(self.port).rate;
        let told = self.info().map(|info| LinkRate {
            width: info.link_width_active(),
            speed: info.link_speed_active(),
            speed_ext: info.link_speed_ext_active(),
            fdr10: drawn.fdr10 && info.link_speed_ext_active() == 0,
        });
        // What a field of four bits cannot hold is known from elsewhere.
        told.filter(|t| t.decigigabits() > 0 && drawn.speed_ext <= t.speed_ext).unwrap_or(drawn)
    }

    /// How many ports packets can come from: the external ones of a switch and its port 0.
    fn ingress_count(&self) -> u16 {
        let node = self.snapshot.fabric.node(self.snapshot.fabric.owner(self.port));
        if node.kind == NodeKind::Switch { u16::from(node.num_ports) + 1 } else { 1 }
    }

    /// The SL2VL table for packets that came in by `ingress`; adapters have only 0.
    pub(super) fn sl2vl(&self, ingress: u16) -> Option<SlToVlTable> {
        self.snapshot.tables.sl2vl(self.port, ingress)
    }

    /// The lanes that packets of these SLs are sent on, whichever port they came in by.
    pub(super) fn lanes_of(&self, sls: impl Fn(Sl) -> bool) -> BTreeSet<Vl> {
        let mut lanes = BTreeSet::new();
        let mut add = |table: SlToVlTable| {
            let used = (0..16).map(Sl).filter(|sl| sls(*sl)).map(|sl| table.get(sl));
            lanes.extend(used.filter(|vl| *vl != Vl::DROP));
        };
        match self.snapshot.tables.uniform_sl2vl(self.port) {
            Some(table) => add(table),
            None => (0..self.ingress_count()).filter_map(|n| self.sl2vl(n)).for_each(add),
        }
        lanes
    }

    /// The arbitration tables, cut to what the port has of them. `None` where they are not known.
    pub(super) fn arbitration(&self) -> Option<ArbTables> {
        let info = self.info()?;
        let list = |blocks: [u16; 2], cap: u8| {
            let mut entries = Vec::new();
            for (block, first) in blocks.into_iter().zip([0, VlArbTable::ENTRIES]) {
                let used = usize::from(cap).saturating_sub(first).min(VlArbTable::ENTRIES);
                if used > 0 {
                    let bytes = self.snapshot.tables.block(Table::VlArb(self.port), block)?;
                    entries.extend(VlArbTable(bytes).iter().take(used));
                }
            }
            Some(entries)
        };
        Some(ArbTables {
            low: list([1, 2], info.vl_arb_low_cap())?,
            high: list([3, 4], info.vl_arb_high_cap())?,
            high_limit: info.vl_high_limit(),
        })
    }

    /// Which set of options is for this port.
    pub(super) fn class(&self) -> PortClass {
        let fabric = &self.snapshot.fabric;
        let kind = |port: PortId| fabric.node(fabric.owner(port)).kind;
        match kind(self.port) {
            NodeKind::Ca => PortClass::Ca,
            NodeKind::Router => PortClass::Router,
            NodeKind::Switch if fabric.port_num(self.port).0 == 0 => PortClass::SwitchPort0,
            NodeKind::Switch => match fabric.peer(self.port).map(kind) {
                Some(NodeKind::Switch) => PortClass::SwitchToSwitch,
                _ => PortClass::SwitchExternal,
            },
        }
    }
}

/// The keys of an end port, in the order of its table; none where the table is not known.
pub(super) fn keys(snapshot: &Snapshot, port: PortId) -> Vec<PKey> {
    let blocks = (0..).map_while(|n| snapshot.tables.block(Table::PKeys(port), n));
    let keys = blocks.flat_map(|bytes| PKeyTable(bytes).iter().collect::<Vec<_>>());
    keys.filter(|key| key.is_valid()).collect()
}
