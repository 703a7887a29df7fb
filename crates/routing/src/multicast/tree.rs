//! A tree and the ports that a group needs of it.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::SwitchId;
use lk_wire::PortNum;

use super::master_tree::GroupPorts;

/// Where a member of a group hangs: a switch and its port, port 0 for the switch itself.
pub type Member = (SwitchId, PortNum);

/// The link from a switch to the next one towards the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Up {
    /// The next switch.
    pub parent: SwitchId,
    /// The port of the switch.
    pub own: PortNum,
    /// The port of the next switch.
    pub parents: PortNum,
}

/// A tree of switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// Its root.
    pub root: SwitchId,
    /// The way towards the root of every other switch in it.
    pub up: BTreeMap<SwitchId, Up>,
}

impl Tree {
    /// A tree of one switch.
    #[must_use]
    pub const fn new(root: SwitchId) -> Self {
        Self { root, up: BTreeMap::new() }
    }

    /// Whether a switch is in it.
    #[must_use]
    pub fn has(&self, switch: SwitchId) -> bool {
        switch == self.root || self.up.contains_key(&switch)
    }

    /// The ports that a group needs, by switch, ascending: those of its members, and those of the
    /// links that have members on both sides. Members outside the tree are left out.
    #[must_use]
    pub fn ports(&self, members: &[Member]) -> Vec<GroupPorts> {
        let mut ports: BTreeMap<SwitchId, BTreeSet<PortNum>> = BTreeMap::new();
        for (switch, port) in members.iter().filter(|(s, _)| self.has(*s)) {
            ports.entry(*switch).or_default().insert(*port);
        }
        let homes: Vec<SwitchId> = ports.keys().copied().collect();
        // How many switches with members lie at or behind each switch, seen from the root.
        let mut behind: BTreeMap<SwitchId, usize> = BTreeMap::new();
        for home in &homes {
            let mut at = *home;
            *behind.entry(at).or_default() += 1;
            while let Some(up) = self.up.get(&at) {
                at = up.parent;
                *behind.entry(at).or_default() += 1;
            }
        }
        for (switch, count) in behind {
            let Some(up) = self.up.get(&switch).filter(|_| count < homes.len()) else { continue };
            ports.entry(switch).or_default().insert(up.own);
            ports.entry(up.parent).or_default().insert(up.parents);
        }
        ports.into_iter().map(|(s, p)| (s, p.into_iter().collect())).collect()
    }
}
