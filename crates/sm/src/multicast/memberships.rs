//! Who is in the groups of each multicast LID at one moment: what trees are made of.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::PortId;
use lk_wire::{Guid, Lid, Sl};

use super::Groups;

/// The members of one multicast LID.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MlidMembers {
    /// The end ports in any of its groups, ascending. All ways of being in a group are alike here,
    /// as in OpenSM.
    pub ports: Vec<PortId>,
    /// The SLs of its groups.
    pub sls: BTreeSet<Sl>,
}

/// The members of multicast LIDs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Memberships {
    /// By LID. One without groups is there where its tree has to go.
    pub of: BTreeMap<Lid, MlidMembers>,
    /// Whether these are all LIDs in use, not only those that have changed.
    pub all: bool,
}

impl Groups {
    /// The members of all LIDs. `port` finds an end port by its GUID or one of its aliases.
    pub fn memberships(&mut self, port: impl Fn(Guid) -> Option<PortId>) -> Memberships {
        self.changed.clear();
        let lids: Vec<Lid> = self.mlids.iter().map(|(lid, _)| lid).collect();
        let of = lids.into_iter().map(|lid| (lid, self.members_of(lid, &port))).collect();
        Memberships { of, all: true }
    }

    /// The members of the LIDs that have changed since this or [`Self::memberships`] was asked.
    pub fn changes(&mut self, port: impl Fn(Guid) -> Option<PortId>) -> Memberships {
        let lids = std::mem::take(&mut self.changed);
        let of = lids.into_iter().map(|lid| (lid, self.members_of(lid, &port))).collect();
        Memberships { of, all: false }
    }

    fn members_of(&self, lid: Lid, port: impl Fn(Guid) -> Option<PortId>) -> MlidMembers {
        let mut members = MlidMembers::default();
        for group in self.mlids.of(lid).filter_map(|mgid| self.all.get(&mgid)) {
            members.sls.insert(group.params.sl);
            members.ports.extend(group.members().filter_map(|(guid, _)| port(guid)));
        }
        members.ports.sort_unstable();
        members.ports.dedup();
        members
    }
}
