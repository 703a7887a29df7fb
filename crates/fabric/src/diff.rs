//! The difference of two snapshots of a fabric.
//!
//! Nodes are told apart by their GUIDs and ports by their numbers: a node whose GUID is in both
//! snapshots is the same node, whatever else changed. All lists are in the table order of the
//! nodes and the order of the ports.

use std::fmt;

use lk_wire::{Guid, PortNum};

use crate::graph::{Fabric, LinkRate, NodeId, NodeKind, PortId};

/// A node as the difference names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeRef {
    /// Its GUID.
    pub guid: Guid,
    /// What it is.
    pub kind: NodeKind,
    /// Its description.
    pub description: String,
}

/// A port as the difference names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortRef {
    /// The node's GUID.
    pub node: Guid,
    /// The node's description.
    pub description: String,
    /// The port's number.
    pub port: PortNum,
}

impl fmt::Display for PortRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.description, self.port)
    }
}

/// A cable by its two ends, in the order of the ports.
pub type LinkRef = (PortRef, PortRef);

/// A node that is another by something else than its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeChange {
    /// The node as it is in the new snapshot.
    pub node: NodeRef,
    /// What changed, as `field: before -> after`.
    pub what: Vec<String>,
}

/// What differs between an old and a new snapshot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FabricDiff {
    /// Nodes of the new snapshot only.
    pub nodes_added: Vec<NodeRef>,
    /// Nodes of the old snapshot only.
    pub nodes_removed: Vec<NodeRef>,
    /// Nodes with another description: the node as it is now, and the old description.
    pub renamed: Vec<(NodeRef, String)>,
    /// Nodes with another kind, number of ports, system GUID, vendor, device, revision or port
    /// GUID.
    pub nodes_changed: Vec<NodeChange>,
    /// Cables of the new snapshot only. A cable whose one end was plugged elsewhere is one that
    /// was removed and one that was added.
    pub links_added: Vec<LinkRef>,
    /// Cables of the old snapshot only.
    pub links_removed: Vec<LinkRef>,
    /// Cables whose first end runs at another width or speed: before and after. Where only the
    /// second end reports another rate, it stands first here.
    pub rates_changed: Vec<(LinkRef, LinkRate, LinkRate)>,
}

impl FabricDiff {
    /// Whether nothing differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes_added.is_empty()
            && self.nodes_removed.is_empty()
            && self.renamed.is_empty()
            && self.nodes_changed.is_empty()
            && !self.is_recabled()
            && self.rates_changed.is_empty()
    }

    /// Whether a cable came or went: routes may have to change.
    #[must_use]
    pub const fn is_recabled(&self) -> bool {
        !(self.links_added.is_empty() && self.links_removed.is_empty())
    }
}

/// What differs between two snapshots. LIDs are no part of it: they are set, not found.
#[must_use]
pub fn diff(old: &Fabric, new: &Fabric) -> FabricDiff {
    let mut found = FabricDiff::default();
    for id in old.node_ids() {
        if new.node_by_guid(old.node(id).guid).is_none() {
            found.nodes_removed.push(node_ref(old, id));
        }
    }
    for id in new.node_ids() {
        let Some(before) = old.node_by_guid(new.node(id).guid) else {
            found.nodes_added.push(node_ref(new, id));
            continue;
        };
        if old.node(before).description != new.node(id).description {
            let description = old.node(before).description.clone();
            found.renamed.push((node_ref(new, id), description));
        }
        let what = changes(old, before, new, id);
        if !what.is_empty() {
            found.nodes_changed.push(NodeChange { node: node_ref(new, id), what });
        }
    }
    for (a, b) in old.links() {
        if same_link(old, (a, b), new).is_none() {
            found.links_removed.push(link_ref(old, a, b));
        }
    }
    for (a, b) in new.links() {
        let Some((x, y)) = same_link(new, (a, b), old) else {
            found.links_added.push(link_ref(new, a, b));
            continue;
        };
        let changed = [(a, b, x), (b, a, y)]
            .into_iter()
            .find(|(now, _, then)| new.port(*now).rate != old.port(*then).rate);
        if let Some((now, far, then)) = changed {
            let rates = (old.port(then).rate, new.port(now).rate);
            found.rates_changed.push((link_ref(new, now, far), rates.0, rates.1));
        }
    }
    found
}

fn node_ref(fabric: &Fabric, id: NodeId) -> NodeRef {
    let node = fabric.node(id);
    NodeRef { guid: node.guid, kind: node.kind, description: node.description.clone() }
}

fn port_ref(fabric: &Fabric, port: PortId) -> PortRef {
    let node = fabric.node(fabric.owner(port));
    PortRef { node: node.guid, description: node.description.clone(), port: fabric.port_num(port) }
}

fn link_ref(fabric: &Fabric, a: PortId, b: PortId) -> LinkRef {
    (port_ref(fabric, a), port_ref(fabric, b))
}

/// The same port in another snapshot.
fn same_port(fabric: &Fabric, port: PortId, other: &Fabric) -> Option<PortId> {
    let node = other.node_by_guid(fabric.node(fabric.owner(port)).guid)?;
    other.port_at(node, fabric.port_num(port))
}

/// The ends of the same cable in another snapshot.
fn same_link(
    fabric: &Fabric,
    (a, b): (PortId, PortId),
    other: &Fabric,
) -> Option<(PortId, PortId)> {
    let (x, y) = (same_port(fabric, a, other)?, same_port(fabric, b, other)?);
    (other.peer(x) == Some(y)).then_some((x, y))
}

fn changes(old: &Fabric, before: NodeId, new: &Fabric, after: NodeId) -> Vec<String> {
    let (x, y) = (old.node(before), new.node(after));
    let mut what = Vec::new();
    let mut compare = |name: &str, before: String, after: String| {
        if before != after {
            what.push(format!("{name}: {before} -> {after}"));
        }
    };
    compare("kind", x.kind.to_string(), y.kind.to_string());
    compare("ports", x.num_ports.to_string(), y.num_ports.to_string());
    compare("system GUID", x.system_guid.to_string(), y.system_guid.to_string());
    compare("vendor", format!("0x{:x}", x.vendor_id), format!("0x{:x}", y.vendor_id));
    compare("device", format!("0x{:x}", x.device_id), format!("0x{:x}", y.device_id));
    compare("revision", format!("0x{:x}", x.revision), format!("0x{:x}", y.revision));
    compare("port GUID", old.port(x.first).guid.to_string(), new.port(y.first).guid.to_string());
    what
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{FabricBuilder, NodeSpec};

    /// Two switches and two hosts; `shape` may change it before it is built.
    fn fabric(shape: impl FnOnce(&mut FabricBuilder)) -> Fabric {
        let mut b = FabricBuilder::new();
        let mut add =
            |guid, kind, name| b.add_node(NodeSpec::new(Guid(guid), kind, name, 4)).unwrap();
        let (s, t) = (add(1, NodeKind::Switch, "s"), add(2, NodeKind::Switch, "t"));
        let (h, i) = (add(3, NodeKind::Ca, "h"), add(4, NodeKind::Ca, "i"));
        b.connect((s, 1), (t, 1)).unwrap();
        b.connect((s, 2), (h, 1)).unwrap();
        b.connect((t, 2), (i, 1)).unwrap();
        shape(&mut b);
        b.build()
    }

    #[test]
    fn a_fabric_does_not_differ_from_itself() {
        assert!(diff(&fabric(|_| ()), &fabric(|_| ())).is_empty());
    }

    #[test]
    fn nodes_and_links_come_and_go() {
        let old = fabric(|_| ());
        let new = fabric(|b| {
            let j = b.add_node(NodeSpec::new(Guid(9), NodeKind::Ca, "j", 1)).unwrap();
            let s = b.find(Guid(1)).unwrap();
            b.connect((s, 3), (j, 1)).unwrap();
        });
        let forth = diff(&old, &new);
        assert_eq!(forth.nodes_added.len(), 1);
        assert_eq!(forth.nodes_added[0].description, "j");
        assert_eq!(forth.links_added.len(), 1);
        assert_eq!(forth.links_added[0].1.to_string(), "j/1");
        assert!(forth.is_recabled());
        let back = diff(&new, &old);
        assert_eq!(back.nodes_removed, forth.nodes_added);
        assert_eq!(back.links_removed, forth.links_added);
        assert!(back.links_added.is_empty() && back.nodes_added.is_empty());
    }

    #[test]
    fn names_hardware_and_rates_change() {
        let old = fabric(|_| ());
        let new = fabric(|b| {
            let s = b.find(Guid(1)).unwrap();
            b.spec_mut(s).description = "spine".to_owned();
            b.spec_mut(s).device_id = 7;
            let t = b.find(Guid(2)).unwrap();
            b.set_rate(t, 1, LinkRate::HDR_4X).unwrap();
        });
        let found = diff(&old, &new);
        assert_eq!(found.renamed.len(), 1);
        assert_eq!(found.renamed[0].1, "s");
        assert_eq!(found.nodes_changed[0].what, ["device: 0x0 -> 0x7"]);
        let (link, before, after) = &found.rates_changed[0];
        assert_eq!(link.0.to_string(), "t/1");
        assert!(before.is_unknown());
        assert_eq!(*after, LinkRate::HDR_4X);
        assert!(!found.is_recabled() && !found.is_empty());
    }

    #[test]
    fn a_cable_that_moved_went_and_came() {
        let old = fabric(|_| ());
        let new = {
            let mut b = FabricBuilder::new();
            let mut add =
                |guid, kind, name| b.add_node(NodeSpec::new(Guid(guid), kind, name, 4)).unwrap();
            let (s, t) = (add(1, NodeKind::Switch, "s"), add(2, NodeKind::Switch, "t"));
            let (h, i) = (add(3, NodeKind::Ca, "h"), add(4, NodeKind::Ca, "i"));
            b.connect((s, 1), (t, 4)).unwrap();
            b.connect((s, 2), (h, 1)).unwrap();
            b.connect((t, 2), (i, 1)).unwrap();
            b.build()
        };
        let found = diff(&old, &new);
        assert_eq!((found.links_removed.len(), found.links_added.len()), (1, 1));
        assert_eq!(found.links_removed[0].1.port, PortNum(1));
        assert_eq!(found.links_added[0].1.port, PortNum(4));
    }
}
