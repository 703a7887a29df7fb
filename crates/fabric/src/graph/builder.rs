//! Collects nodes and links in any order and freezes them to a [`Fabric`].

use std::fmt;

use lk_wire::{Guid, Lid};
use rustc_hash::FxHashMap;

use super::{Fabric, LinkRate, Node, NodeId, NodeKind, Port, PortId, SwitchId};

/// Why a link or a node was not taken into a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GraphError {
    /// Two nodes have one GUID.
    DuplicateNode(Guid),
    /// A port number is larger than the node's number of ports, or 0 on a link.
    PortOutOfRange {
        /// The node.
        node: Guid,
        /// The port number asked for.
        port: u16,
        /// How many ports the node has.
        num_ports: u8,
    },
    /// A port is cabled twice.
    PortTaken {
        /// The node.
        node: Guid,
        /// The port that already has a cable.
        port: u8,
        /// The node at the other end of the first cable.
        holder: Guid,
        /// The port at the other end of the first cable.
        holder_port: u8,
    },
    /// A node has more ports than a node may have (254).
    TooManyPorts {
        /// The node.
        node: Guid,
        /// How many it claims.
        num_ports: u16,
    },
    /// A link names a node that was never added.
    UnknownNode(Guid),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateNode(g) => write!(f, "two nodes have the GUID {g}"),
            Self::PortOutOfRange { node, port, num_ports } => {
                write!(f, "node {node} has ports 1 to {num_ports}, not {port}")
            }
            Self::PortTaken { node, port, holder, holder_port } => write!(
                f,
                "port {port} of node {node} already has a cable to port {holder_port} of {holder}"
            ),
            Self::TooManyPorts { node, num_ports } => {
                write!(f, "node {node} claims {num_ports} ports; a node has at most 254")
            }
            Self::UnknownNode(g) => write!(f, "there is no node {g}"),
        }
    }
}

impl std::error::Error for GraphError {}

/// What is known of a node before it stands in a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSpec {
    /// See [`Node::guid`].
    pub guid: Guid,
    /// See [`Node::system_guid`].
    pub system_guid: Guid,
    /// See [`Node::kind`].
    pub kind: NodeKind,
    /// See [`Node::description`].
    pub description: String,
    /// See [`Node::num_ports`].
    pub num_ports: u8,
    /// See [`Node::vendor_id`].
    pub vendor_id: u32,
    /// See [`Node::device_id`].
    pub device_id: u16,
    /// See [`Node::revision`].
    pub revision: u32,
    /// See [`Node::enhanced_port0`].
    pub enhanced_port0: bool,
}

impl NodeSpec {
    /// A node with a GUID, a kind, a name and a number of ports, and nothing else known.
    #[must_use]
    pub fn new(guid: Guid, kind: NodeKind, description: &str, num_ports: u8) -> Self {
        Self {
            guid,
            system_guid: guid,
            kind,
            description: description.to_owned(),
            num_ports,
            vendor_id: 0,
            device_id: 0,
            revision: 0,
            enhanced_port0: false,
        }
    }
}

/// A node that was added to a [`FabricBuilder`]. It is no [`NodeId`]: the order changes when
/// the fabric is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Added(u32);

impl Added {
    /// How many nodes were added before it: the index of the second value of
    /// [`FabricBuilder::build_with_map`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Collects nodes and links in any order and makes a [`Fabric`] of them.
#[derive(Clone, Default, Debug)]
pub struct FabricBuilder {
    specs: Vec<NodeSpec>,
    ports: Vec<Vec<BuildPort>>,
    by_guid: FxHashMap<Guid, Added>,
}

#[derive(Clone, Default, Debug)]
struct BuildPort {
    guid: Guid,
    lid: Lid,
    lmc: u8,
    rate: LinkRate,
    peer: Option<(Added, u8)>,
}

impl FabricBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    ///
    /// # Errors
    /// [`GraphError::DuplicateNode`] and [`GraphError::TooManyPorts`].
    pub fn add_node(&mut self, spec: NodeSpec) -> Result<Added, GraphError> {
        if spec.num_ports == 255 {
            return Err(GraphError::TooManyPorts { node: spec.guid, num_ports: 255 });
        }
        let id = Added(self.specs.len() as u32);
        if self.by_guid.contains_key(&spec.guid) {
            return Err(GraphError::DuplicateNode(spec.guid));
        }
        self.by_guid.insert(spec.guid, id);
        let mut ports = vec![BuildPort::default(); usize::from(spec.num_ports) + 1];
        if spec.kind == NodeKind::Switch {
            for port in &mut ports {
                port.guid = spec.guid;
            }
        }
        self.ports.push(ports);
        self.specs.push(spec);
        Ok(id)
    }

    /// The node with this GUID, if it was added.
    #[must_use]
    pub fn find(&self, guid: Guid) -> Option<Added> {
        self.by_guid.get(&guid).copied()
    }

    /// How many nodes were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.specs.len()
    }

    /// Whether no node was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    /// What was said of a node, to be changed.
    pub fn spec_mut(&mut self, node: Added) -> &mut NodeSpec {
        &mut self.specs[node.0 as usize]
    }

    /// Sets GUID, LID and LMC of a port.
    ///
    /// # Errors
    /// [`GraphError::PortOutOfRange`].
    pub fn set_port(
        &mut self,
        node: Added,
        port: u8,
        guid: Guid,
        lid: Lid,
        lmc: u8,
    ) -> Result<(), GraphError> {
        let slot = self.slot(node, u16::from(port), true)?;
        slot.guid = guid;
        slot.lid = lid;
        slot.lmc = lmc;
        Ok(())
    }

    /// Sets width and speed of one end of a link.
    ///
    /// # Errors
    /// [`GraphError::PortOutOfRange`].
    pub fn set_rate(&mut self, node: Added, port: u8, rate: LinkRate) -> Result<(), GraphError> {
        self.slot(node, u16::from(port), true)?.rate = rate;
        Ok(())
    }

    /// The far end of a port's cable.
    #[must_use]
    pub fn peer(&self, node: Added, port: u8) -> Option<(Added, u8)> {
        self.ports[node.0 as usize].get(usize::from(port)).and_then(|p| p.peer)
    }

    /// Cables two ports. The same cable may be named any number of times.
    ///
    /// # Errors
    /// [`GraphError::PortOutOfRange`] and [`GraphError::PortTaken`].
    pub fn connect(&mut self, a: (Added, u8), b: (Added, u8)) -> Result<(), GraphError> {
        for (this, other) in [(a, b), (b, a)] {
            let guid = self.specs[this.0.0 as usize].guid;
            let held = self.slot(this.0, u16::from(this.1), false)?.peer;
            if let Some((holder, holder_port)) = held.filter(|h| *h != other) {
                let holder = self.specs[holder.0 as usize].guid;
                return Err(GraphError::PortTaken {
                    node: guid,
                    port: this.1,
                    holder,
                    holder_port,
                });
            }
        }
        self.slot(a.0, u16::from(a.1), false)?.peer = Some(b);
        self.slot(b.0, u16::from(b.1), false)?.peer = Some(a);
        Ok(())
    }

    fn slot(&mut self, node: Added, port: u16, zero: bool) -> Result<&mut BuildPort, GraphError> {
        let spec = &self.specs[node.0 as usize];
        if port > u16::from(spec.num_ports) || (port == 0 && !zero) {
            let (node, num_ports) = (spec.guid, spec.num_ports);
            return Err(GraphError::PortOutOfRange { node, port, num_ports });
        }
        Ok(&mut self.ports[node.0 as usize][usize::from(port)])
    }

    /// Puts the nodes in table order and freezes the graph.
    #[must_use]
    pub fn build(self) -> Fabric {
        self.build_with_map().0
    }

    /// As [`Self::build`], and says which node each added one became: the second value is
    /// indexed by the order of adding.
    #[must_use]
    pub fn build_with_map(self) -> (Fabric, Vec<NodeId>) {
        let mut order: Vec<u32> = (0..self.specs.len() as u32).collect();
        order.sort_by_key(|i| self.specs[*i as usize].guid.table_order());
        let mut place = vec![NodeId(0); order.len()];
        let mut first = vec![0_u32; order.len()];
        let mut next = 0;
        for (new, old) in order.iter().enumerate() {
            place[*old as usize] = NodeId(new as u32);
            first[*old as usize] = next;
            next += u32::from(self.specs[*old as usize].num_ports) + 1;
        }
        let mut fabric = Fabric {
            nodes: Vec::with_capacity(order.len()),
            ports: Vec::with_capacity(next as usize),
            owner: Vec::with_capacity(next as usize),
            switches: Vec::new(),
            switch_of: Vec::with_capacity(order.len()),
            by_guid: Vec::with_capacity(order.len()),
        };
        let mut specs: Vec<Option<NodeSpec>> = self.specs.into_iter().map(Some).collect();
        for old in order {
            let Some(spec) = specs[old as usize].take() else { continue };
            let id = place[old as usize];
            fabric.switch_of.push((spec.kind == NodeKind::Switch).then(|| {
                fabric.switches.push(id);
                SwitchId(fabric.switches.len() as u32 - 1)
            }));
            fabric.by_guid.push((spec.guid, id));
            for port in &self.ports[old as usize] {
                fabric.owner.push(id);
                fabric.ports.push(Port {
                    guid: port.guid,
                    lid: port.lid,
                    lmc: port.lmc,
                    rate: port.rate,
                    peer: port.peer.map(|(n, p)| PortId(first[n.0 as usize] + u32::from(p))),
                });
            }
            fabric.nodes.push(Node {
                guid: spec.guid,
                system_guid: spec.system_guid,
                kind: spec.kind,
                description: spec.description,
                num_ports: spec.num_ports,
                vendor_id: spec.vendor_id,
                device_id: spec.device_id,
                revision: spec.revision,
                enhanced_port0: spec.enhanced_port0,
                first: PortId(first[old as usize]),
            });
        }
        fabric.by_guid.sort_unstable();
        (fabric, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_wire::PortNum;

    fn two() -> (FabricBuilder, Added, Added) {
        let mut b = FabricBuilder::new();
        let s = b.add_node(NodeSpec::new(Guid(0x20), NodeKind::Switch, "s", 4)).unwrap();
        let h = b.add_node(NodeSpec::new(Guid(0x10), NodeKind::Ca, "h", 1)).unwrap();
        (b, s, h)
    }

    #[test]
    fn a_link_is_seen_from_both_ends() {
        let (mut b, s, h) = two();
        b.connect((s, 3), (h, 1)).unwrap();
        b.set_port(h, 1, Guid(0x11), Lid(7), 0).unwrap();
        let f = b.build();
        assert_eq!(f.node(NodeId(0)).guid, Guid(0x10));
        let near = f.port_at(NodeId(1), PortNum(3)).unwrap();
        let far = f.peer(near).unwrap();
        assert_eq!((f.port_name(far), f.port(far).lid), ("h/1".to_owned(), Lid(7)));
        assert_eq!(f.peer(far), Some(near));
        assert_eq!(f.links().count(), 1);
        assert_eq!(f.end_ports().count(), 2);
        assert_eq!(f.node_by_guid(Guid(0x20)), Some(NodeId(1)));
        assert_eq!(f.as_switch(NodeId(1)), Some(SwitchId(0)));
    }

    #[test]
    fn wrong_links_are_refused() {
        let (mut b, s, h) = two();
        assert!(matches!(b.connect((s, 5), (h, 1)), Err(GraphError::PortOutOfRange { .. })));
        assert!(matches!(b.connect((s, 0), (h, 1)), Err(GraphError::PortOutOfRange { .. })));
        b.connect((s, 1), (h, 1)).unwrap();
        b.connect((h, 1), (s, 1)).unwrap();
        assert!(matches!(b.connect((s, 2), (h, 1)), Err(GraphError::PortTaken { .. })));
        let twin = NodeSpec::new(Guid(0x20), NodeKind::Ca, "", 1);
        assert_eq!(b.add_node(twin), Err(GraphError::DuplicateNode(Guid(0x20))));
    }
}
