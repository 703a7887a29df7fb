//! The graph: nodes, ports and links in flat arenas.
//!
//! A node owns one slot for each of its port numbers, 0 included, side by side in one array, so
//! a [`PortId`] is `first + port number` and a port number is the edge. Nodes stand in OpenSM's
//! table order ([`lk_wire::Guid::table_order`]), so that the same fabric always gives the same
//! ids, whichever way it was found. A fabric never changes once built: a new sweep builds a new
//! one, and [`diff`](mod@crate::diff) compares the two.

use std::fmt;
use std::ops::Range;

use lk_wire::{Guid, Lid, PortNum};

mod builder;

pub use builder::{Added, FabricBuilder, GraphError, NodeSpec};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in the arena.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// A node's place in [`Fabric::nodes`].
    NodeId
);
index!(
    /// A port's place in [`Fabric::ports`].
    PortId
);
index!(
    /// A switch's place in [`Fabric::switches`]: switches are numbered among themselves, in the
    /// order of their [`NodeId`]s.
    SwitchId
);

/// What a node is (NodeInfo.NodeType, IBA 14.2.5.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeKind {
    /// A channel adapter.
    Ca,
    /// A switch.
    Switch,
    /// A router.
    Router,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ca => "Channel Adapter",
            Self::Switch => "Switch",
            Self::Router => "Router",
        })
    }
}

/// A node of the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The node's GUID.
    pub guid: Guid,
    /// The system image's GUID; 0 where it is not known.
    pub system_guid: Guid,
    /// Channel adapter, switch or router.
    pub kind: NodeKind,
    /// NodeDescription, without trailing blanks.
    pub description: String,
    /// How many external ports the node has (1 to 254).
    pub num_ports: u8,
    /// Vendor id, 24 bits; 0 where it is not known.
    pub vendor_id: u32,
    /// Device id; 0 where it is not known.
    pub device_id: u16,
    /// Hardware revision; 0 where it is not known.
    pub revision: u32,
    /// Switches: whether port 0 is an enhanced one.
    pub enhanced_port0: bool,
    /// The slot of port number 0.
    pub first: PortId,
}

/// Widths and speeds of a link as codes of PortInfo; a zero means that it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct LinkRate {
    /// LinkWidthActive: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x.
    pub width: u8,
    /// LinkSpeedActive: 1 = SDR, 2 = DDR, 4 = QDR.
    pub speed: u8,
    /// LinkSpeedExtActive: 1 = FDR, 2 = EDR, 4 = HDR, 8 = NDR; 0 none. 16 stands for XDR, which
    /// that field of four bits cannot hold.
    pub speed_ext: u8,
    /// Whether a QDR link runs at the vendor's FDR10.
    pub fdr10: bool,
}

/// A port of a node. Slots that no port stands behind (port 0 of an adapter) are there too and
/// hold zeros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The port's GUID. A switch's external ports carry the GUID of port 0.
    pub guid: Guid,
    /// The base LID, 0 where none is assigned. External ports of a switch carry 0.
    pub lid: Lid,
    /// LID mask control: the port answers to 2^lmc LIDs.
    pub lmc: u8,
    /// The port at the other end of the cable.
    pub peer: Option<PortId>,
    /// The link's width and speed.
    pub rate: LinkRate,
}

/// A fabric as it was at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fabric {
    nodes: Vec<Node>,
    ports: Vec<Port>,
    owner: Vec<NodeId>,
    switches: Vec<NodeId>,
    switch_of: Vec<Option<SwitchId>>,
    by_guid: Vec<(Guid, NodeId)>,
}

impl Fabric {
    /// All nodes, in table order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All port slots, node by node, port number by port number.
    #[must_use]
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The switches, in table order.
    #[must_use]
    pub fn switches(&self) -> &[NodeId] {
        &self.switches
    }

    /// All node ids.
    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// All switch ids.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = SwitchId> + use<> {
        (0..self.switches.len() as u32).map(SwitchId)
    }

    /// The node behind an id.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The port behind an id.
    #[must_use]
    pub fn port(&self, id: PortId) -> &Port {
        &self.ports[id.index()]
    }

    /// The switch's node.
    #[must_use]
    pub fn switch_node(&self, id: SwitchId) -> NodeId {
        self.switches[id.index()]
    }

    /// The node's number among the switches, if it is one.
    #[must_use]
    pub fn as_switch(&self, id: NodeId) -> Option<SwitchId> {
        self.switch_of[id.index()]
    }

    /// The node that a port belongs to.
    #[must_use]
    pub fn owner(&self, port: PortId) -> NodeId {
        self.owner[port.index()]
    }

    /// The port's number on its node.
    #[must_use]
    pub fn port_num(&self, port: PortId) -> PortNum {
        PortNum((port.0 - self.node(self.owner(port)).first.0) as u8)
    }

    /// The slot of a node's port, if the node has that many.
    #[must_use]
    pub fn port_at(&self, node: NodeId, num: PortNum) -> Option<PortId> {
        let n = self.node(node);
        (num.0 <= n.num_ports).then(|| PortId(n.first.0 + u32::from(num.0)))
    }

    /// The slots of a node's external ports, 1 to `num_ports`.
    #[must_use]
    pub fn external_ports(&self, node: NodeId) -> impl ExactSizeIterator<Item = PortId> + use<> {
        let n = self.node(node);
        let range: Range<u32> = n.first.0 + 1..n.first.0 + 1 + u32::from(n.num_ports);
        range.map(PortId)
    }

    /// The far end of a port's cable.
    #[must_use]
    pub fn peer(&self, port: PortId) -> Option<PortId> {
        self.ports[port.index()].peer
    }

    /// The node with this GUID.
    #[must_use]
    pub fn node_by_guid(&self, guid: Guid) -> Option<NodeId> {
        let at = self.by_guid.partition_point(|(g, _)| *g < guid);
        self.by_guid.get(at).filter(|(g, _)| *g == guid).map(|(_, n)| *n)
    }

    /// The ports that have a LID of their own, in table order of their nodes: port 0 of each
    /// switch and each port of an adapter or router that has a GUID.
    pub fn end_ports(&self) -> impl Iterator<Item = PortId> + '_ {
        self.node_ids().flat_map(move |id| {
            let node = self.node(id);
            let slots = match node.kind {
                NodeKind::Switch => node.first.0..node.first.0 + 1,
                _ => node.first.0 + 1..node.first.0 + 1 + u32::from(node.num_ports),
            };
            slots.map(PortId).filter(move |p| {
                node.kind == NodeKind::Switch
                    || self.port(*p).guid != Guid(0)
                    || self.port(*p).peer.is_some()
            })
        })
    }

    /// Each cable once, as the pair of its ends, the lower [`PortId`] first.
    pub fn links(&self) -> impl Iterator<Item = (PortId, PortId)> + '_ {
        self.ports.iter().enumerate().filter_map(|(i, p)| {
            let (a, b) = (PortId(i as u32), p.peer?);
            (a <= b).then_some((a, b))
        })
    }

    /// A port's name for people: the node's description and the port's number, `name/3`.
    #[must_use]
    pub fn port_name(&self, port: PortId) -> String {
        let node = self.node(self.owner(port));
        format!("{}/{}", node.description, self.port_num(port))
    }
}
