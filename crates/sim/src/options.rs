//! What the simulated devices can do: capabilities by kind of node, and exceptions by GUID.
//!
//! The defaults are near to what ibsim's nodes report, so that a run here and a run there see the
//! same fabric: 8 data lanes, arbitration tables of 8 entries, base table sizes.

use std::collections::BTreeMap;

use lk_fabric::{Fabric, NodeId, NodeKind};
use lk_wire::{Guid, Mtu, VlCode, cap_mask, cap_mask2};

/// What a port can do and what it holds at power-on (the components of PortInfo, IBA 14.2.5.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortCaps {
    /// MTUCap.
    pub mtu_cap: Mtu,
    /// NeighborMTU at power-on.
    pub neighbor_mtu: Mtu,
    /// VLCap.
    pub vl_cap: VlCode,
    /// OperVLs at power-on; `None` is as many as VLCap says.
    pub oper_vls: Option<VlCode>,
    /// VLArbitrationHighCap: entries of the high-priority table, 0 to 64.
    pub vl_arb_high_cap: u8,
    /// VLArbitrationLowCap: entries of the low-priority table, 0 to 64.
    pub vl_arb_low_cap: u8,
    /// GUIDCap: entries of GUIDInfo.
    pub guid_cap: u8,
    /// CapabilityMask without IsSM and without IsExtendedSpeedsSupported: the first comes and
    /// goes with a subnet manager, the second follows from the node's fastest link.
    pub capability_mask: u32,
    /// CapabilityMask2.
    pub capability_mask2: u16,
}

/// What a switch can do besides (SwitchInfo, IBA 14.2.5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchCaps {
    /// LinearFDBCap: LIDs of the linear forwarding table.
    pub linear_fdb_cap: u16,
    /// MulticastFDBCap: multicast LIDs; 0 when the switch has no multicast forwarding.
    pub multicast_fdb_cap: u16,
    /// PartitionEnforcementCap: P_Keys of each external port; 0 when there is no table.
    pub partition_enforcement_cap: u16,
    /// OptimizedSLtoVLMappingProgramming: 0 not supported, 1 the wildcard forms are.
    pub optimized_sl2vl: u8,
}

/// What a node can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeCaps {
    /// External ports.
    pub port: PortCaps,
    /// Port 0 of a switch.
    pub port_zero: PortCaps,
    /// External ports that differ from [`Self::port`].
    pub port_exceptions: BTreeMap<u8, PortCaps>,
    /// NodeInfo.PartitionCap: P_Keys of an end port.
    pub partition_cap: u16,
    /// Tables of a switch.
    pub switch: SwitchCaps,
    /// Whether the node knows the vendor's MlnxExtPortInfo. `None`: it does when its vendor id is
    /// Mellanox's.
    pub mlnx_ext_port_info: Option<bool>,
}

impl NodeCaps {
    /// What a port of the node can do.
    #[must_use]
    pub fn of_port(&self, kind: NodeKind, number: u8) -> &PortCaps {
        match (kind, number) {
            (NodeKind::Switch, 0) => &self.port_zero,
            _ => self.port_exceptions.get(&number).unwrap_or(&self.port),
        }
    }

    /// The defaults for a kind of node.
    #[must_use]
    pub fn of_kind(kind: NodeKind) -> Self {
        let end_port = PortCaps {
            mtu_cap: Mtu::M4096,
            neighbor_mtu: Mtu::M2048,
            vl_cap: VlCode::VL0_7,
            oper_vls: None,
            vl_arb_high_cap: 8,
            vl_arb_low_cap: 8,
            guid_cap: 32,
            capability_mask: END_PORT_MASK,
            capability_mask2: MASK2,
        };
        let (port, partition_cap) = match kind {
            NodeKind::Switch => {
                let external =
                    PortCaps { capability_mask: 0, capability_mask2: 0, guid_cap: 0, ..end_port };
                (external, 32)
            }
            NodeKind::Ca | NodeKind::Router => (end_port, 64),
        };
        Self {
            port,
            port_zero: PortCaps { guid_cap: 1, ..end_port },
            port_exceptions: BTreeMap::new(),
            partition_cap,
            switch: SwitchCaps {
                linear_fdb_cap: 0xC000,
                multicast_fdb_cap: 1024,
                partition_enforcement_cap: 32,
                optimized_sl2vl: 0,
            },
            mlnx_ext_port_info: None,
        }
    }
}

const END_PORT_MASK: u32 = cap_mask::TRAP
    | cap_mask::AUTOMATIC_MIGRATION
    | cap_mask::SL_MAPPING
    | cap_mask::SYSTEM_IMAGE_GUID
    | cap_mask::CAP_MASK2
    | cap_mask::VENDOR_CLASS
    | cap_mask::CAP_MASK_NOTICE
    | cap_mask::CLIENT_REREGISTER
    | cap_mask::OTHER_LOCAL_CHANGES;
const MASK2: u16 = cap_mask2::LINK_WIDTH_2X | cap_mask2::LINK_SPEED_HDR | cap_mask2::LINK_SPEED_NDR;

/// How traps reach the subnet manager.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TrapDelivery {
    /// As on a real fabric: by LID through the forwarding tables. A trap without a route is lost,
    /// and repeated.
    #[default]
    Routed,
    /// Straight to the port that has the manager's LID, whatever the tables say.
    Direct,
}

/// How a simulated fabric behaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimOptions {
    /// Seed of all chances (see [`crate::Fault`]).
    pub seed: u64,
    /// Channel adapters.
    pub ca: NodeCaps,
    /// Switches.
    pub switch: NodeCaps,
    /// Routers.
    pub router: NodeCaps,
    /// Nodes that differ from their kind.
    pub exceptions: BTreeMap<Guid, NodeCaps>,
    /// How long a link takes to come up again after it went down, in nanoseconds; 0 at once.
    pub link_retrain: u64,
    /// How traps travel.
    pub trap_delivery: TrapDelivery,
    /// How often a trap is repeated at most when no TrapRepress comes.
    pub trap_repeats: u32,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            ca: NodeCaps::of_kind(NodeKind::Ca),
            switch: NodeCaps::of_kind(NodeKind::Switch),
            router: NodeCaps::of_kind(NodeKind::Router),
            exceptions: BTreeMap::new(),
            link_retrain: 0,
            trap_delivery: TrapDelivery::Routed,
            trap_repeats: 5,
        }
    }
}

impl SimOptions {
    /// What nodes of a kind can do.
    #[must_use]
    pub fn of_kind(&self, kind: NodeKind) -> &NodeCaps {
        match kind {
            NodeKind::Ca => &self.ca,
            NodeKind::Switch => &self.switch,
            NodeKind::Router => &self.router,
        }
    }

    /// The exception for the node with this GUID, made from its kind's capabilities where there
    /// is none yet; `None` when the fabric has no such node.
    pub fn exception(&mut self, fabric: &Fabric, guid: Guid) -> Option<&mut NodeCaps> {
        let kind = fabric.node(fabric.node_by_guid(guid)?).kind;
        let caps = self.of_kind(kind).clone();
        Some(self.exceptions.entry(guid).or_insert(caps))
    }
}

/// The capabilities of the nodes of one fabric.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    options: SimOptions,
    exceptions: BTreeMap<NodeId, NodeCaps>,
}

impl Capabilities {
    /// Finds the nodes that the exceptions are for. One for a node that the fabric does not have
    /// is left out.
    pub(crate) fn new(options: &SimOptions, fabric: &Fabric) -> Self {
        let exceptions = options.exceptions.iter();
        let known = exceptions.filter_map(|(g, c)| Some((fabric.node_by_guid(*g)?, c.clone())));
        Self { exceptions: known.collect(), options: options.clone() }
    }

    /// What a node can do.
    #[inline]
    pub(crate) fn of(&self, node: NodeId, kind: NodeKind) -> &NodeCaps {
        self.exceptions.get(&node).unwrap_or_else(|| self.options.of_kind(kind))
    }

    /// The options that the capabilities come from.
    pub(crate) fn options(&self) -> &SimOptions {
        &self.options
    }
}
