//! A fabric and what its ports and switches hold.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_wire::{Guid, MlnxExtPortInfo, PortInfo, SlToVlTable, SmInfo, SwitchInfo, attr};

use crate::blocks::Address;
use crate::tables::Tables;

/// A fabric and what its ports and switches held at one moment, as far as it is known.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// The graph.
    pub fabric: Arc<Fabric>,
    /// PortInfo of each port, by [`PortId`]; `None` where it is not known.
    pub ports: Vec<Option<PortInfo>>,
    /// SwitchInfo of each switch, by [`SwitchId`]; `None` where it is not known.
    pub switches: Vec<Option<SwitchInfo>>,
    /// NodeInfo.PartitionCap of each node, by [`lk_fabric::NodeId`]: entries of the P_Key table.
    pub partition_cap: Vec<u16>,
    /// The vendor's extended port information, of ports that were asked for it.
    pub vendor_ports: BTreeMap<PortId, MlnxExtPortInfo>,
    /// The tables.
    pub tables: Tables,
    /// The subnet managers that answered.
    pub managers: Vec<(PortId, SmInfo)>,
    /// What was asked for and did not come.
    pub unread: Vec<Unread>,
    /// Nodes that have the GUID of another node and are no part of the graph.
    pub duplicates: Vec<Duplicate>,
    /// The port from which it was read; `None` where it was put together from files.
    pub read_at: Option<PortId>,
    /// Whether names, GUIDs and keys were replaced.
    pub anonymous: bool,
}

/// A node that answered with the GUID of another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Duplicate {
    /// The GUID.
    pub guid: Guid,
    /// The port behind which the second node was found.
    pub behind: PortId,
}

/// Something that was asked for and did not come. It is not judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unread {
    /// The port whose agent was asked. With [`attr::NODE_INFO`]: the port behind which a node did
    /// not answer.
    pub port: PortId,
    /// The attribute, one of [`attr`].
    pub attribute: u16,
    /// The attribute modifier.
    pub modifier: u32,
    /// What came instead.
    pub why: Why,
}

/// What came instead of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// Nothing, in spite of all retries.
    NoAnswer,
    /// An answer with this status (IBA 13.4.7), which is not 0.
    Status(u16),
    /// An answer that cannot be: a node of no known kind, or one without ports.
    Unusable,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("no answer"),
            Self::Status(status) => write!(f, "status 0x{status:04x}"),
            Self::Unusable => f.write_str("an answer that cannot be"),
        }
    }
}

impl Unread {
    /// Whether it is what is at this place on the wire.
    #[must_use]
    pub fn is_of(&self, at: Address) -> bool {
        (self.port, self.attribute, self.modifier) == (at.port, at.attribute, at.modifier)
    }

    /// What was asked for, in words.
    #[must_use]
    pub fn what(&self) -> String {
        let (low, high) = (self.modifier & 0xFFFF, self.modifier >> 16);
        match self.attribute {
            attr::NODE_INFO => "the node behind this port".to_owned(),
            attr::NODE_DESCRIPTION => "NodeDescription".to_owned(),
            attr::PORT_INFO => "PortInfo".to_owned(),
            attr::SWITCH_INFO => "SwitchInfo".to_owned(),
            attr::SM_INFO => "SMInfo".to_owned(),
            attr::PKEY_TABLE => format!("P_KeyTable, block {low}"),
            attr::SL2VL => format!("SLtoVLMappingTable from port {}", low >> 8),
            attr::VLARB => format!("VLArbitrationTable, block {high}"),
            attr::LFT => format!("LinearForwardingTable, block {}", self.modifier),
            attr::MFT => {
                let (ports, block) = (self.modifier >> 28, self.modifier & 0x1FF);
                format!("MulticastForwardingTable, block {block}, ports from {}", ports * 16)
            }
            other => format!("attribute 0x{other:04x}"),
        }
    }
}

impl Snapshot {
    /// A fabric of which only the graph is known.
    #[must_use]
    pub fn of_graph(fabric: Fabric) -> Self {
        Self {
            ports: vec![None; fabric.ports().len()],
            switches: vec![None; fabric.switches().len()],
            partition_cap: vec![0; fabric.nodes().len()],
            vendor_ports: BTreeMap::new(),
            tables: Tables::unknown(&fabric),
            managers: Vec::new(),
            unread: Vec::new(),
            duplicates: Vec::new(),
            read_at: None,
            anonymous: false,
            fabric: Arc::new(fabric),
        }
    }

    /// PortInfo of a port, if it is known.
    #[must_use]
    pub fn port_info(&self, port: PortId) -> Option<&PortInfo> {
        self.ports[port.index()].as_ref()
    }

    /// PortInfo of the port that speaks for a whole node: port 0 of a switch, else the port
    /// itself. LID, capability mask, M_Key and the like stand there.
    #[must_use]
    pub fn end_port_info(&self, port: PortId) -> Option<&PortInfo> {
        let node = self.fabric.node(self.fabric.owner(port));
        match node.kind {
            NodeKind::Switch => self.port_info(node.first),
            _ => self.port_info(port),
        }
    }

    /// SwitchInfo of a switch, if it is known.
    #[must_use]
    pub fn switch_info(&self, switch: SwitchId) -> Option<&SwitchInfo> {
        self.switches[switch.index()].as_ref()
    }

    /// The SL2VL mapping of what leaves by `egress` and came in by the port of this number (0 on
    /// adapters and routers), if it is known.
    #[must_use]
    pub fn sl2vl(&self, egress: PortId, ingress: u16) -> Option<SlToVlTable> {
        self.tables.sl2vl(egress, ingress)
    }
}
