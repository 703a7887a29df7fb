//! Groups as sets of ports of the subnet.

use std::collections::BTreeMap;

use lk_config::Placed;
use lk_config::codes;
use lk_config::qos_policy::{NodeType, PortGroup, Ranges};
use lk_diag::{Diagnostic, Diagnostics, SourceFile};
use lk_fabric::{NodeId, NodeKind, PortId};
use lk_wire::PortNum;

use super::{PartitionPorts, Subnet};

/// Finds the ports of groups.
pub(super) struct Resolver<'a> {
    subnet: Subnet<'a>,
    source: &'a SourceFile,
    /// End ports by GUID, ascending.
    guids: Vec<(u64, PortId)>,
    /// Nodes by name; of several with one name one is found.
    nodes: BTreeMap<String, NodeId>,
    pub(super) found: Diagnostics,
    /// Whether OpenSM does not take the policy for this subnet.
    pub(super) refused: bool,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(subnet: Subnet<'a>, source: &'a SourceFile) -> Self {
        let fabric = subnet.fabric;
        let mut guids: Vec<(u64, PortId)> =
            fabric.end_ports().map(|p| (fabric.port(p).guid.0, p)).collect();
        guids.sort_unstable();
        let nodes = fabric.node_ids().map(|n| ((subnet.node_name)(n), n)).collect();
        Self { subnet, source, guids, nodes, found: Diagnostics::new(), refused: false }
    }

    /// All ports of a group, ascending.
    pub(super) fn group(&mut self, group: &PortGroup) -> Vec<PortId> {
        let mut ports = self.by_guids(&group.guids);
        for name in &group.port_names {
            ports.extend(self.by_name(&name.value.node, name.value.port, name.place));
        }
        for key in &group.pkeys {
            let members: Vec<&PartitionPorts> = self
                .subnet
                .partitions
                .iter()
                .filter(|p| key.value.holds(u64::from(p.key)))
                .collect();
            if members.is_empty() {
                self.absent(key.place, format!("no partition has a P_Key of {}", key.value));
            }
            ports.extend(members.into_iter().flat_map(members_of));
        }
        for name in &group.partitions {
            match self.subnet.partitions.iter().find(|p| p.name == name.value) {
                Some(partition) => ports.extend(members_of(partition)),
                None => self.absent(name.place, format!("there is no partition `{}`", name.value)),
            }
        }
        ports.extend(group.node_types.iter().flat_map(|kind| self.by_type(kind)));
        ports.sort_unstable();
        ports.dedup();
        if ports.is_empty() {
            let name = &group.name;
            self.absent(name.place, format!("the group `{}` has no port", name.value));
        }
        ports
    }

    /// The ports whose GUIDs lie in ranges.
    pub(super) fn by_guids(&mut self, ranges: &Ranges) -> Vec<PortId> {
        let mut ports = Vec::new();
        for range in ranges {
            let first = self.guids.partition_point(|g| g.0 < range.value.low);
            let behind = self.guids.partition_point(|g| g.0 <= range.value.high);
            if first >= behind {
                self.absent(range.place, format!("no port has a GUID of {}", range.value));
            }
            ports.extend(self.guids.get(first..behind).unwrap_or_default().iter().map(|g| g.1));
        }
        ports
    }

    /// The end port that speaks for a port of a node.
    fn by_name(&mut self, node: &str, port: u32, place: lk_diag::Span) -> Option<PortId> {
        let Some(id) = self.nodes.get(node).copied() else {
            self.absent(place, format!("no node is called `{node}`"));
            return None;
        };
        let fabric = self.subnet.fabric;
        let number = u8::try_from(port).ok().map(PortNum);
        let Some(port_id) = number.and_then(|n| fabric.port_at(id, n)) else {
            self.refused = true;
            let ports = fabric.node(id).num_ports;
            self.found.push(
                Diagnostic::error(
                    codes::POLICY_REFUSED,
                    format!("`{node}` has no port {port}; it has {ports}"),
                )
                .at(self.source, place, "")
                .note("the whole policy is not used because of it, as in OpenSM"),
            );
            return None;
        };
        match fabric.node(id).kind {
            NodeKind::Switch => Some(fabric.node(id).first),
            NodeKind::Ca | NodeKind::Router => Some(port_id),
        }
    }

    fn by_type(&self, kind: &Placed<NodeType>) -> Vec<PortId> {
        let fabric = self.subnet.fabric;
        let wanted = |port: &PortId| {
            let node = fabric.node(fabric.owner(*port)).kind;
            match kind.value {
                NodeType::All => true,
                NodeType::Ca => node == NodeKind::Ca,
                NodeType::Switch => node == NodeKind::Switch,
                NodeType::Router => node == NodeKind::Router,
                NodeType::Own => *port == self.subnet.own,
            }
        };
        self.guids.iter().map(|g| g.1).filter(wanted).collect()
    }

    /// Says what the subnet does not have. It has no other consequence than that rules do not
    /// fit.
    pub(super) fn absent(&mut self, place: lk_diag::Span, message: String) {
        let found = Diagnostic::warning(codes::POLICY_ABSENT, message);
        self.found.push(found.at(self.source, place, ""));
    }
}

fn members_of(partition: &PartitionPorts) -> impl Iterator<Item = PortId> + '_ {
    partition.full.iter().chain(&partition.limited).copied()
}
