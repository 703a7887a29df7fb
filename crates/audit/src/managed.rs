//! What the manager makes of a fabric with the site's files: who brings it up says so here.

use std::sync::Arc;

use lk_fabric::{Fabric, NodeKind, PortId};
use lk_qos::policy::PartitionPorts;
use lk_wire::{Mtu, Rate};

/// A fabric as the manager has brought it up.
#[derive(Clone, Debug)]
pub struct Managed {
    /// The graph.
    pub fabric: Arc<Fabric>,
    /// The port of the manager.
    pub own: PortId,
    /// All partitions with their members.
    pub partitions: Vec<PartitionPorts>,
    /// What each port can carry, by [`PortId`].
    pub carries: Vec<Carries>,
    /// NodeInfo.PartitionCap by node: how many keys a table of its ports has room for.
    pub partition_cap: Vec<u16>,
    /// How it is routed.
    pub routing: Routing,
}

/// What a port can carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carries {
    /// The largest MTU that it is capable of.
    pub mtu: Mtu,
    /// The rate of its link.
    pub rate: Rate,
}

/// How a fabric is routed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Routing {
    /// The engine that routes; none where all of them have declined.
    pub engine: Option<String>,
    /// Engines that were asked for and have declined, with their reasons.
    pub declined: Vec<(String, String)>,
    /// What the engine that routes has to say.
    pub notes: Vec<String>,
    /// A shortest credit loop, one step a line; empty where there is none.
    pub circle: Vec<String>,
    /// SLs that paths have by the engine's own choice.
    pub sls: Vec<u8>,
}

/// A fabric that no engine of the list routes, so that the manager leaves it alone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Unrouted {
    /// The engines that were asked for, with their reasons.
    pub declined: Vec<(String, String)>,
}

impl Managed {
    /// The end ports of adapters and routers.
    pub fn hosts(&self) -> impl Iterator<Item = PortId> + '_ {
        let fabric = &self.fabric;
        let host = |port: &PortId| fabric.node(fabric.owner(*port)).kind != NodeKind::Switch;
        fabric.end_ports().filter(host)
    }

    /// A port's name.
    #[must_use]
    pub fn name(&self, port: PortId) -> String {
        self.fabric.port_name(port)
    }
}
