//! One multicast group.

use std::collections::BTreeMap;

use lk_wire::{Guid, Lid, PKey, Sl};

/// How a port is in a group: the bits of JoinState (IBA 15.2.5.17).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Join(u8);

impl Join {
    /// Not at all.
    pub const NONE: Self = Self(0);
    /// Sends and receives, and keeps the group there.
    pub const FULL: Self = Self(1);
    /// Sends and receives.
    pub const NON_MEMBER: Self = Self(2);
    /// Sends.
    pub const SEND_ONLY_NON_MEMBER: Self = Self(4);
    /// Sends, and keeps the group there.
    pub const SEND_ONLY_FULL: Self = Self(8);

    /// The low four bits of a number.
    #[must_use]
    pub const fn new(bits: u8) -> Self {
        Self(bits & 0xF)
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether no bit is set.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether the group stays there for it.
    #[must_use]
    pub const fn is_full(self) -> bool {
        self.0 & (Self::FULL.0 | Self::SEND_ONLY_FULL.0) != 0
    }

    /// Whether it has all bits of another, and that has any.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        other.0 != 0 && self.0 & other.0 == other.0
    }
}

/// A port in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// What it is.
    pub join: Join,
    /// Whether it was another port that first joined for it (ProxyJoin).
    pub proxy: bool,
}

/// What all members of a group share.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Params {
    /// The Q_Key.
    pub qkey: u32,
    /// The code of the MTU.
    pub mtu: u8,
    /// The traffic class.
    pub tclass: u8,
    /// The partition.
    pub pkey: PKey,
    /// The code of the rate.
    pub rate: u8,
    /// The exponent of the packet's life time.
    pub life: u8,
    /// The SL that members send with.
    pub sl: Sl,
    /// The flow label.
    pub flow_label: u32,
    /// The hop limit.
    pub hop_limit: u8,
    /// The scope as it was given when the group was made, 0 where it was not.
    pub scope: u8,
    /// The join state with which it was made.
    pub made_with: Join,
    /// Whether a partition asks for it: it stays without members.
    pub well_known: bool,
}

/// A group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its LID, which others may share.
    pub mlid: Lid,
    /// What all members share.
    pub params: Params,
    members: BTreeMap<Guid, Member>,
    /// How many of them keep it there.
    full: usize,
}

impl Group {
    /// A group without members.
    #[must_use]
    pub const fn new(mlid: Lid, params: Params) -> Self {
        Self { mlid, params, members: BTreeMap::new(), full: 0 }
    }

    /// Its members by port GUID.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (Guid, &Member)> {
        self.members.iter().map(|(guid, member)| (*guid, member))
    }

    /// A port in it.
    #[must_use]
    pub fn member(&self, port: Guid) -> Option<&Member> {
        self.members.get(&port)
    }

    /// Whether something keeps it there.
    #[must_use]
    pub const fn lives(&self) -> bool {
        self.params.well_known || self.full > 0
    }

    /// A port joins. What it is now, and whether it was not in the group before.
    pub(super) fn join(&mut self, port: Guid, join: Join, proxy: bool) -> (Member, bool) {
        let known = self.members.contains_key(&port);
        let member = self.members.entry(port).or_insert(Member { join: Join::NONE, proxy });
        let was_full = member.join.is_full();
        member.join = Join(member.join.0 | join.0);
        self.full += usize::from(member.join.is_full() && !was_full);
        (*member, !known)
    }

    /// A port leaves. What it still is; none if it was not all of that.
    pub(super) fn leave(&mut self, port: Guid, join: Join) -> Option<Join> {
        let member = self.members.get_mut(&port).filter(|m| m.join.has(join))?;
        let was_full = member.join.is_full();
        member.join = Join(member.join.0 & !join.0);
        let remains = member.join;
        self.full -= usize::from(was_full && !remains.is_full());
        if remains.is_none() {
            self.members.remove(&port);
        }
        Some(remains)
    }

    /// Takes out ports that are gone. Whether there were any.
    pub(super) fn keep(&mut self, there: impl Fn(Guid) -> bool) -> bool {
        let before = self.members.len();
        self.members.retain(|guid, _| there(*guid));
        self.full = self.members.values().filter(|m| m.join.is_full()).count();
        self.members.len() != before
    }
}
