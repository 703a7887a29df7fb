//! One spanning tree, of which the tree of every group is a part.
//!
//! An engine that has such a tree has looked at all of its turns together with those of its unicast
//! routes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lk_fabric::SwitchId;
use lk_wire::PortNum;

/// A spanning tree of switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MasterTree {
    root: SwitchId,
    /// The way towards the root, by switch.
    up: Arc<[Option<Up>]>,
}

/// The links from a switch to the next one towards the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Up {
    pub(crate) parent: SwitchId,
    /// Ports of the switch and of the parent, one pair for each parallel link; at least one.
    pub(crate) links: Vec<(PortNum, PortNum)>,
}

/// The ports of a multicast group on one switch, ascending.
pub type GroupPorts = (SwitchId, Vec<PortNum>);

impl MasterTree {
    /// The tree with this way towards the root from each switch, by number.
    pub(crate) fn new(root: SwitchId, up: Vec<Option<Up>>) -> Self {
        Self { root, up: up.into() }
    }

    /// The root.
    #[must_use]
    pub const fn root(&self) -> SwitchId {
        self.root
    }

    /// The next switch towards the root; none for the root itself and for switches that are not
    /// part of the tree.
    #[must_use]
    pub fn parent(&self, switch: SwitchId) -> Option<SwitchId> {
        self.up.get(switch.index())?.as_ref().map(|up| up.parent)
    }

    /// The ports that a multicast group needs, by switch: those of its members (port 0 for the
    /// switch itself) and those that join them along the tree. Switches that lead to no other
    /// member are left out, also the root. Of parallel links the group takes one by `mlid`.
    ///
    /// Members on switches that are not part of the tree cannot be reached and are left out.
    #[must_use]
    pub fn group(&self, members: &[(SwitchId, PortNum)], mlid: u16) -> Vec<GroupPorts> {
        let mut ports: BTreeMap<SwitchId, BTreeSet<PortNum>> = BTreeMap::new();
        let mut below: BTreeMap<SwitchId, usize> = BTreeMap::new();
        let inside = |s: SwitchId| s == self.root || self.parent(s).is_some();
        let homes: BTreeSet<SwitchId> =
            members.iter().map(|(s, _)| *s).filter(|s| inside(*s)).collect();
        // How many switches with members lie at or behind each switch, seen from the root.
        for home in &homes {
            let mut at = Some(*home);
            while let Some(s) = at {
                *below.entry(s).or_insert(0) += 1;
                at = self.parent(s);
            }
        }
        for (switch, port) in members.iter().filter(|(s, _)| inside(*s)) {
            ports.entry(*switch).or_default().insert(*port);
        }
        // A link is needed where members are on both of its sides.
        for (switch, count) in below {
            let Some(up) = self.up.get(switch.index()).and_then(Option::as_ref) else { continue };
            if count == homes.len() || up.links.is_empty() {
                continue;
            }
            let (own, parents) = up.links[usize::from(mlid) % up.links.len()];
            ports.entry(switch).or_default().insert(own);
            ports.entry(up.parent).or_default().insert(parents);
        }
        ports.into_iter().map(|(s, ports)| (s, ports.into_iter().collect())).collect()
    }
}
