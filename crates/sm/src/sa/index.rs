//! Where things are: end ports by LID, by GUID and by GID, and which of them share a partition.
//!
//! Made once for each view, so that no query has to look through the fabric.

use lk_fabric::{Fabric, NodeId, NodeKind, PortId};
use lk_wire::{Gid, Guid, Lid};
use rustc_hash::FxHashMap;

use super::partitions::Partitions;
use crate::io::View;

/// No port has this LID.
const NOBODY: u32 = u32::MAX;

/// What a view's ports are found by.
#[derive(Debug)]
pub struct Index {
    /// The port of each unicast LID.
    by_lid: Vec<u32>,
    by_guid: FxHashMap<Guid, PortId>,
    /// The base LID of each end port, 0 elsewhere.
    lids: Vec<Lid>,
    /// End ports that have a LID, in the order of OpenSM's tables of ports.
    end_ports: Vec<PortId>,
    /// Nodes in the order of OpenSM's table of nodes.
    nodes: Vec<NodeId>,
    partitions: Partitions,
}

impl Index {
    /// The index of a view.
    #[must_use]
    pub fn of(view: &View) -> Self {
        let fabric = &*view.seen.fabric;
        let mut by_lid = vec![NOBODY; usize::from(view.desired.lids.top().0) + 1];
        let mut lids = vec![Lid(0); fabric.ports().len()];
        let mut by_guid = FxHashMap::default();
        let mut end_ports = Vec::new();
        for (port, first, lmc) in view.desired.lids.ranges().iter().copied() {
            let first_at = usize::from(first.0);
            for slot in by_lid.iter_mut().skip(first_at).take(1 << lmc) {
                *slot = port.0;
            }
            lids[port.index()] = first;
            by_guid.insert(fabric.port(port).guid, port);
            end_ports.push(port);
        }
        end_ports.sort_by_key(|p| (fabric.port(*p).guid.table_order(), p.0));
        let mut nodes: Vec<NodeId> = fabric.node_ids().collect();
        nodes.sort_by_key(|n| fabric.node(*n).guid.table_order());
        let partitions = Partitions::of(view);
        Self { by_lid, by_guid, lids, end_ports, nodes, partitions }
    }

    /// The end port that answers to a LID: any of those that its LMC gives it.
    #[must_use]
    pub fn port_by_lid(&self, lid: Lid) -> Option<PortId> {
        let port = *self.by_lid.get(usize::from(lid.0))?;
        (port != NOBODY).then_some(PortId(port))
    }

    /// The end port with a GUID.
    #[must_use]
    pub fn port_by_guid(&self, guid: Guid) -> Option<PortId> {
        self.by_guid.get(&guid).copied()
    }

    /// The end port with a GID of this subnet, whose prefix is `prefix`, or of the default one.
    #[must_use]
    pub fn port_by_gid(&self, gid: Gid, prefix: u64) -> Option<PortId> {
        let here = gid.prefix == prefix || gid.prefix == 0xfe80_0000_0000_0000;
        here.then(|| self.port_by_guid(gid.guid)).flatten()
    }

    /// The base LID of an end port; 0 where it has none.
    #[must_use]
    pub fn lid(&self, port: PortId) -> Lid {
        self.lids[port.index()]
    }

    /// The LID under which a port of any kind is found: of a switch's external port that of the
    /// switch.
    #[must_use]
    pub fn lid_of_any(&self, fabric: &Fabric, port: PortId) -> Lid {
        self.lid(speaker(fabric, port))
    }

    /// The end ports that have a LID, in OpenSM's order.
    #[must_use]
    pub fn end_ports(&self) -> &[PortId] {
        &self.end_ports
    }

    /// The nodes in OpenSM's order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Who shares a partition with whom.
    #[must_use]
    pub fn partitions(&self) -> &Partitions {
        &self.partitions
    }
}

/// The end port that speaks for a port: port 0 for a switch's, else the port itself.
#[must_use]
pub fn speaker(fabric: &Fabric, port: PortId) -> PortId {
    let node = fabric.node(fabric.owner(port));
    if node.kind == NodeKind::Switch { node.first } else { port }
}
