//! Multicast groups: who is in them, and what they ask of the fabric.
//!
//! [`Groups`] is the state behind MCMemberRecords. It changes at once when a port joins or leaves
//! and remembers which multicast LIDs need another tree; trees are made of a [`Memberships`], what
//! the groups of each LID have for members at one moment.
//!
//! * `group`: one group
//! * `mlids`: which LID a new group gets
//! * `limits`: MTU, rate and packet life: what is asked for and what a port can do
//! * `well_known`: the groups of partitions
//! * `settle`: what a new view of the fabric makes of the groups

pub mod group;
pub mod limits;
mod memberships;
mod mlids;
mod settle;
pub mod well_known;

use std::collections::{BTreeMap, BTreeSet};

use lk_wire::{Gid, Guid, Lid};

pub use group::{Group, Join, Member, Params};
pub use memberships::{Memberships, MlidMembers};
use mlids::Mlids;
pub use settle::NotMade;

/// All groups of the subnet.
#[derive(Clone, Default, Debug)]
pub struct Groups {
    /// By MGID, in OpenSM's order: that of the bytes.
    all: BTreeMap<Gid, Group>,
    /// Which groups use each LID.
    mlids: Mlids,
    /// LIDs whose members are others than when this was last taken.
    changed: BTreeSet<Lid>,
    /// How many MGIDs were made here.
    made: u32,
}

/// What leaving a group comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// What the port still is in the group.
    pub remains: Join,
    /// Whether the group is gone with it.
    pub deleted: bool,
}

impl Groups {
    /// The groups by ascending MGID.
    pub fn iter(&self) -> impl Iterator<Item = (Gid, &Group)> {
        self.all.iter().map(|(mgid, group)| (*mgid, group))
    }

    /// A group.
    #[must_use]
    pub fn get(&self, mgid: Gid) -> Option<&Group> {
        self.all.get(&mgid)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Makes a group without members. It gets the LID that is asked for if that is free, else the
    /// lowest free one; where none is free it shares one. None: no switch forwards multicast.
    pub fn create(&mut self, mgid: Gid, params: Params, asked: Option<Lid>) -> Option<Lid> {
        if let Some(known) = self.all.get(&mgid) {
            return Some(known.mlid);
        }
        let mlid = self.mlids.take(mgid, asked)?;
        self.all.insert(mgid, Group::new(mlid, params));
        Some(mlid)
    }

    /// An MGID that no group has, for a group that was created without one (IBA 4.1.1, 15.2.5.17):
    /// made of the scope, the subnet's prefix and a count, as OpenSM makes it.
    pub fn make_mgid(&mut self, scope: u8, subnet_prefix: u64) -> Gid {
        loop {
            let mut bytes = [0; 16];
            bytes[0] = 0xFF;
            bytes[1] = 0x10 | scope & 0xF;
            bytes[2..4].copy_from_slice(&[0xA0, 0x1B]);
            bytes[4..12].copy_from_slice(&subnet_prefix.to_be_bytes());
            bytes[10..14].copy_from_slice(&self.made.to_le_bytes());
            self.made = self.made.wrapping_add(1);
            let all = u128::from_be_bytes(bytes);
            let mgid = Gid { prefix: (all >> 64) as u64, guid: Guid(all as u64) };
            if !self.all.contains_key(&mgid) {
                return mgid;
            }
        }
    }

    /// A port joins a group that is there, or becomes more in it than it was. What it is then.
    pub fn join(&mut self, mgid: Gid, port: Guid, join: Join, proxy: bool) -> Option<Member> {
        let group = self.all.get_mut(&mgid)?;
        let (member, is_new) = group.join(port, join, proxy);
        if is_new {
            self.changed.insert(group.mlid);
        }
        Some(member)
    }

    /// A port leaves a group, or is less in it than it was; a group that is not well known goes
    /// with its last full member. None: it is not in it, or not in that way.
    pub fn leave(&mut self, mgid: Gid, port: Guid, join: Join) -> Option<Left> {
        let group = self.all.get_mut(&mgid)?;
        let remains = group.leave(port, join)?;
        if remains.is_none() {
            self.changed.insert(group.mlid);
        }
        let deleted = !group.lives();
        if deleted {
            self.delete(mgid);
        }
        Some(Left { remains: if deleted { Join::NONE } else { remains }, deleted })
    }

    fn delete(&mut self, mgid: Gid) {
        if let Some(group) = self.all.remove(&mgid) {
            self.changed.insert(group.mlid);
            self.mlids.release(mgid, group.mlid);
        }
    }

    /// Whether some LID needs another tree.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use lk_wire::PKey;

    use super::*;

    fn gid(n: u64) -> Gid {
        Gid { prefix: 0xff12 << 48, guid: Guid(n) }
    }

    fn params() -> Params {
        Params { pkey: PKey(0xffff), mtu: 4, rate: 3, ..Params::default() }
    }

    fn groups() -> Groups {
        let mut groups = Groups::default();
        groups.mlids.set_capacity(Some(4));
        groups
    }

    #[test]
    fn a_group_goes_with_its_last_full_member() {
        let mut groups = groups();
        assert_eq!(groups.create(gid(1), params(), None), Some(Lid(0xc000)));
        groups.join(gid(1), Guid(1), Join::FULL, false).unwrap();
        groups.join(gid(1), Guid(2), Join::SEND_ONLY_NON_MEMBER, false).unwrap();
        groups.join(gid(1), Guid(3), Join::SEND_ONLY_FULL, false).unwrap();
        let left = |groups: &mut Groups, n, join| groups.leave(gid(1), Guid(n), join);
        assert_eq!(left(&mut groups, 2, Join::FULL), None, "it is none");
        assert_eq!(left(&mut groups, 9, Join::FULL), None);
        let one = left(&mut groups, 1, Join::FULL).unwrap();
        assert_eq!((one.remains, one.deleted), (Join::NONE, false));
        assert!(left(&mut groups, 3, Join::SEND_ONLY_FULL).unwrap().deleted);
        assert!(groups.is_empty() && groups.has_changed());
    }

    #[test]
    fn only_a_port_that_comes_or_goes_asks_for_another_tree() {
        let mut groups = groups();
        groups.create(gid(1), params(), None).unwrap();
        groups.join(gid(1), Guid(1), Join::FULL, false).unwrap();
        groups.changed.clear();
        let member = groups.join(gid(1), Guid(1), Join::NON_MEMBER, false).unwrap();
        assert_eq!(member.join.bits(), 3);
        let left = groups.leave(gid(1), Guid(1), Join::NON_MEMBER).unwrap();
        assert_eq!((left.remains, groups.has_changed()), (Join::FULL, false));
        groups.join(gid(1), Guid(2), Join::FULL, false).unwrap();
        assert!(groups.has_changed());
    }

    #[test]
    fn made_mgids_are_those_of_opensm() {
        let mut groups = groups();
        let prefix = 0xfe80 << 48;
        let made = groups.make_mgid(2, prefix);
        assert_eq!(made.to_string(), "ff12:a01b:fe80::");
        assert_eq!(groups.make_mgid(5, prefix).to_string(), "ff15:a01b:fe80::100:0:0");
    }
}
