//! What a program sees of the node on which it sits: a device and its ports.

use lk_fabric::{Fabric, LinkRate, NodeId, NodeKind, PortId};
use lk_sim::SimFabric;
use lk_umad_standin::protocol::{Device, Port};
use lk_wire::{Guid, PKeyTable, PortNum};

/// The name of every node's device on its own machine.
const NAME: &str = "sim0";

/// The node of a name: its description, or its GUID or that of one of its ports.
pub(super) fn find(fabric: &Fabric, name: &str) -> Result<NodeId, String> {
    let digits = name.strip_prefix("0x");
    let guid = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(Guid);
    if let Some(guid) = guid {
        let port = || fabric.end_ports().find(|port| fabric.port(*port).guid == guid);
        let node = fabric.node_by_guid(guid).or_else(|| port().map(|port| fabric.owner(port)));
        return node.ok_or_else(|| format!("the fabric has no node with the GUID {guid}"));
    }
    let mut named = fabric.node_ids().filter(|node| fabric.node(*node).description == name);
    match (named.next(), named.next()) {
        (Some(node), None) => Ok(node),
        (Some(_), Some(_)) => Err(format!("several nodes are called {name}: take a GUID")),
        (None, _) => Err(format!("the fabric has no node called {name}")),
    }
}

/// The ports of a node that a program can open: port 0 of a switch, all ports of an adapter.
pub(super) fn ports(fabric: &Fabric, node: NodeId) -> Vec<PortId> {
    match fabric.node(node).kind {
        NodeKind::Switch => fabric.port_at(node, PortNum(0)).into_iter().collect(),
        NodeKind::Ca | NodeKind::Router => fabric.external_ports(node).collect(),
    }
}

/// The port with a number.
pub(super) fn port(fabric: &Fabric, node: NodeId, number: u32) -> Option<PortId> {
    ports(fabric, node).into_iter().find(|port| u32::from(fabric.port_num(*port).0) == number)
}

/// The node as a device, as it is just now.
pub(super) fn device(sim: &SimFabric, node: NodeId) -> Device {
    let fabric = sim.fabric();
    let own = fabric.node(node);
    Device {
        name: NAME.to_owned(),
        node_type: match own.kind {
            NodeKind::Ca => 1,
            NodeKind::Switch => 2,
            NodeKind::Router => 3,
        },
        node_guid: own.guid.0,
        system_guid: own.system_guid.0,
        ports: ports(fabric, node).into_iter().map(|port| describe(sim, port)).collect(),
    }
}

fn describe(sim: &SimFabric, port: PortId) -> Port {
    let info = sim.port_info(port);
    let rate = LinkRate {
        width: info.link_width_active(),
        speed: info.link_speed_active(),
        speed_ext: info.link_speed_ext_active(),
        fdr10: false,
    };
    let gid = sim.gid_at(port, 0);
    Port {
        number: sim.fabric().port_num(port).0.into(),
        guid: gid.guid.0,
        prefix: gid.prefix,
        numbers: [
            info.lid().into(),
            info.lmc().into(),
            info.sm_lid().into(),
            info.master_sm_sl().into(),
            info.port_state().into(),
            info.port_physical_state().into(),
            rate.decigigabits() / 10,
            info.capability_mask(),
        ],
        pkeys: pkeys(sim, port),
    }
}

/// The whole P_Key table.
fn pkeys(sim: &SimFabric, port: PortId) -> Vec<u16> {
    let fabric = sim.fabric();
    let kind = fabric.node(fabric.owner(port)).kind;
    let entries = sim.options().of_kind(kind).partition_cap;
    let blocks = (0..entries).step_by(PKeyTable::ENTRIES);
    let tables = blocks.map(|first| sim.pkeys(port, first / PKeyTable::ENTRIES as u16));
    let mut keys: Vec<u16> =
        tables.flat_map(|table| table.iter().collect::<Vec<_>>()).map(|key| key.0).collect();
    keys.truncate(entries.into());
    keys
}
