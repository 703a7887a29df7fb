//! A fabric as rules look at it: a snapshot, and what is made of it once for all rules.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lk_fabric::{NodeKind, PortId};
use lk_qos::{ArbTables, EgressPort, PortClass};
use lk_routing::proof::SlSet;
use lk_snapshot::Snapshot;
use lk_wire::{PhysState, PortInfo, PortState, Sl, Vl, VlArbTable, VlCode, cap_mask};

use crate::forwarding::Held;
use crate::kinds::PortKind;

/// A fabric that was read.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// What its ports and switches hold.
    pub snapshot: &'a Snapshot,
    held: OnceCell<Held>,
}

impl<'a> Seen<'a> {
    /// A fabric to look at.
    #[must_use]
    pub const fn new(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, held: OnceCell::new() }
    }

    /// What its switches do with packets; those to groups have SL 0.
    pub fn held(&self) -> &Held {
        self.held.get_or_init(|| Held::of(self.snapshot, SlSet::one(Sl(0))))
    }

    /// Ports whose link is up, of which PortInfo is known; port 0 of switches is none of them.
    pub fn up_ports(&self) -> impl Iterator<Item = (PortId, &'a PortInfo)> + use<'a> {
        let snapshot = self.snapshot;
        let up = |info: &PortInfo| PhysState(info.port_physical_state()) == PhysState::LINK_UP;
        snapshot.ports.iter().enumerate().filter_map(move |(at, info)| {
            let port = PortId(at as u32);
            let info = info.as_ref().filter(|info| up(info))?;
            (snapshot.fabric.port_num(port).0 != 0).then_some((port, info))
        })
    }

    /// Whether PortInfo of any port is known: dump files have none.
    #[must_use]
    pub fn knows_ports(&self) -> bool {
        self.snapshot.ports.iter().any(Option::is_some)
    }

    /// Those of them that a manager has taken into use: the tables of others are those that they
    /// came with.
    pub fn active_ports(&self) -> impl Iterator<Item = (PortId, &'a PortInfo)> + use<'a> {
        self.up_ports().filter(|(_, info)| info.port_state() >= PortState::ARMED.0)
    }

    /// End ports of which PortInfo is known.
    pub fn end_ports(&self) -> impl Iterator<Item = (PortId, &'a PortInfo)> + use<'a> {
        let snapshot = self.snapshot;
        let known = move |port| Some((port, snapshot.port_info(port)?));
        snapshot.fabric.end_ports().filter_map(known)
    }

    /// A port's name.
    #[must_use]
    pub fn name(&self, port: PortId) -> String {
        self.snapshot.fabric.port_name(port)
    }

    /// Ports in words: the first, and how many more.
    #[must_use]
    pub fn names(&self, ports: &[PortId]) -> String {
        match ports {
            [] => String::new(),
            [one] => self.name(*one),
            [one, two] => format!("{} and {}", self.name(*one), self.name(*two)),
            [one, rest @ ..] => format!("{} and {} more", self.name(*one), rest.len()),
        }
    }

    /// The command that shows something of a port: smpquery asks by LID, and by a port's number on
    /// a switch.
    #[must_use]
    pub fn smpquery(&self, operation: &str, port: PortId) -> String {
        let fabric = &self.snapshot.fabric;
        let node = fabric.node(fabric.owner(port));
        let number = fabric.port_num(port);
        let table = matches!(operation, "sl2vl" | "vlarb");
        match node.kind {
            NodeKind::Switch => {
                format!("smpquery {operation} {} {number}", fabric.port(node.first).lid)
            }
            // An adapter's tables are asked for without a port.
            _ if table => format!("smpquery {operation} {}", fabric.port(port).lid),
            _ => format!("smpquery {operation} {} {number}", fabric.port(port).lid),
        }
    }

    /// What a port's tables depend on, with these lanes operating.
    #[must_use]
    pub fn egress(&self, port: PortId, info: &PortInfo, oper_vls: VlCode) -> EgressPort {
        let fabric = &self.snapshot.fabric;
        let kind = |port: PortId| fabric.node(fabric.owner(port)).kind;
        let class = match kind(port) {
            NodeKind::Ca => PortClass::Ca,
            NodeKind::Router => PortClass::Router,
            NodeKind::Switch if fabric.port_num(port).0 == 0 => PortClass::SwitchPort0,
            NodeKind::Switch => match fabric.peer(port).map(kind) {
                Some(NodeKind::Switch) => PortClass::SwitchToSwitch,
                _ => PortClass::SwitchExternal,
            },
        };
        let mask = self.snapshot.end_port_info(port).map_or(0, PortInfo::capability_mask);
        EgressPort {
            class,
            vl_cap: info.supported_vls(),
            oper_vls,
            vlarb_low_cap: info.vl_arb_low_cap(),
            vlarb_high_cap: info.vl_arb_high_cap(),
            sl_mapping: mask & cap_mask::SL_MAPPING != 0,
        }
    }

    /// The lanes that should operate on a port: what both ends can do, and no more than
    /// `max_op_vls`. `None` where the far end is not known.
    #[must_use]
    pub fn wanted_lanes(&self, port: PortId, info: &PortInfo, max_op_vls: u8) -> Option<VlCode> {
        let far = self.snapshot.fabric.peer(port)?;
        let far = self.snapshot.port_info(far)?;
        Some(VlCode(info.vl_cap().min(far.vl_cap()).max(1).min(max_op_vls)))
    }

    /// The kinds of ports whose links are up, with the lanes that should operate.
    #[must_use]
    pub fn kinds(&self, max_op_vls: u8) -> Vec<PortKind> {
        let up = self.up_ports().filter_map(|(port, info)| {
            let lanes = self.wanted_lanes(port, info, max_op_vls)?;
            Some((port, self.egress(port, info, lanes), info.active_mtu()))
        });
        PortKind::of_ports(up, |port| self.name(port))
    }

    /// The arbitration tables of a port as far as it has them; `None` where a block is not known.
    #[must_use]
    pub fn arbitration(&self, port: PortId, info: &PortInfo) -> Option<ArbTables> {
        let blocks = self.snapshot.tables.vlarb_blocks(port);
        let list = |first: usize, cap: u8| {
            let mut entries = Vec::new();
            for (half, block) in blocks[first..first + 2].iter().enumerate() {
                let before = half * VlArbTable::ENTRIES;
                let used = usize::from(cap).saturating_sub(before).min(VlArbTable::ENTRIES);
                if used > 0 {
                    entries.extend(block.as_ref()?.iter().take(used));
                }
            }
            Some(entries)
        };
        Some(ArbTables {
            low: list(0, info.vl_arb_low_cap())?,
            high: list(2, info.vl_arb_high_cap())?,
            high_limit: info.vl_high_limit(),
        })
    }

    /// The SLs of each lane that a port sends on, by all its known SL2VL tables. VL 15, which
    /// drops, is one of them.
    #[must_use]
    pub fn lanes_of(&self, port: PortId) -> BTreeMap<Vl, SlSet> {
        let mut lanes: BTreeMap<Vl, SlSet> = BTreeMap::new();
        let ingress = self.snapshot.tables.ingress_ports(port);
        let mut last = None;
        for table in (0..ingress).filter_map(|n| self.snapshot.sl2vl(port, n)) {
            if last.replace(table) == Some(table) {
                continue;
            }
            for sl in (0..16).map(Sl) {
                let sls = lanes.entry(table.get(sl)).or_default();
                *sls = sls.with(sl);
            }
        }
        lanes
    }
}

/// Numbers of lanes that operate; 0 where the code means nothing.
#[must_use]
pub fn data_vls(info: &PortInfo) -> u8 {
    info.operational_vls().data_vls()
}

/// SLs in words.
#[must_use]
pub fn sls(set: SlSet) -> String {
    let numbers: Vec<String> = set.iter().map(|sl| sl.to_string()).collect();
    format!("SL {}", numbers.join(", "))
}
