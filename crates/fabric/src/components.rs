//! Connected parts of a fabric.

use crate::graph::{Fabric, NodeId};

/// A connected part: its nodes in table order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The nodes, in table order.
    pub nodes: Vec<NodeId>,
    /// How many of them are switches.
    pub switches: usize,
}

/// The connected parts of a fabric, largest first; of two that are equally large, the one with
/// the earlier first node.
///
/// Nodes that are joined by any cable are one part, whatever kind they are: packets are not
/// forwarded by adapters, but datagrams on a directed route reach whatever has a switch, or its
/// own port, on the way.
#[must_use]
pub fn components(fabric: &Fabric) -> Vec<Component> {
    const NONE: u32 = u32::MAX;
    let mut part = vec![NONE; fabric.nodes().len()];
    let mut found: Vec<Component> = Vec::new();
    let mut todo: Vec<NodeId> = Vec::new();
    for start in fabric.node_ids() {
        if part[start.index()] != NONE {
            continue;
        }
        let number = found.len() as u32;
        part[start.index()] = number;
        todo.push(start);
        while let Some(node) = todo.pop() {
            for port in fabric.external_ports(node) {
                let Some(far) = fabric.peer(port).map(|p| fabric.owner(p)) else { continue };
                if part[far.index()] == NONE {
                    part[far.index()] = number;
                    todo.push(far);
                }
            }
        }
        found.push(Component { nodes: Vec::new(), switches: 0 });
    }
    for id in fabric.node_ids() {
        let component = &mut found[part[id.index()] as usize];
        component.nodes.push(id);
        component.switches += usize::from(fabric.as_switch(id).is_some());
    }
    found.sort_by_key(|c| std::cmp::Reverse(c.nodes.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{FabricBuilder, NodeKind, NodeSpec};
    use lk_wire::Guid;

    #[test]
    fn parts_come_largest_first() {
        let mut b = FabricBuilder::new();
        let mut add = |guid, kind| b.add_node(NodeSpec::new(Guid(guid), kind, "n", 4)).unwrap();
        let lone = add(1, NodeKind::Ca);
        let (s, t) = (add(2, NodeKind::Switch), add(3, NodeKind::Switch));
        let h = add(4, NodeKind::Ca);
        b.connect((s, 1), (t, 1)).unwrap();
        b.connect((t, 2), (h, 1)).unwrap();
        let _ = lone;
        let parts = components(&b.build());
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].nodes.len(), parts[0].switches), (3, 2));
        assert_eq!(parts[1].nodes, [NodeId(0)]);
    }

    #[test]
    fn an_empty_fabric_has_none() {
        assert!(components(&FabricBuilder::new().build()).is_empty());
    }
}
