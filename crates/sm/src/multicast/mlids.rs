//! Which multicast LID a group gets.
//!
//! Each group has one of its own while there are enough. Groups share one where the switches'
//! tables are too small, and IPv6 solicited-node groups of hosts where the site wants that
//! (`consolidate_ipv6_snm_req`): there is one for each host, and nearly nobody is in it.

use std::collections::{BTreeMap, BTreeSet};

use lk_wire::{Gid, Lid};

/// The first multicast LID.
const FIRST: u16 = 0xC000;
/// LIDs up to 0xFFFE, where no switch sets a limit.
const MOST: u16 = 0xFFFF - FIRST;

/// The LIDs in use and the groups of each.
#[derive(Clone, Default, Debug)]
pub(super) struct Mlids {
    groups: BTreeMap<Lid, BTreeSet<Gid>>,
    /// How many LIDs there are: what the smallest table of a switch holds.
    capacity: Option<u16>,
    consolidate: bool,
    /// Below this all are taken.
    next: u16,
}

/// What IPv6 solicited-node groups have in common that may share a LID: all but the last 24 bits
/// (RFC 4291 2.7.1, RFC 4391 4).
fn solicited(mgid: Gid) -> Option<Gid> {
    let signature = (mgid.prefix >> 32) & 0xFFFF == 0x601B;
    let is_one = mgid.guid.0 >> 24 == 0x01FF && mgid.prefix >> 56 == 0xFF;
    (signature && is_one).then_some(Gid { guid: lk_wire::Guid(0x01FF << 24), ..mgid })
}

impl Mlids {
    /// How many LIDs the smallest multicast table of a switch has room for; none where no switch
    /// has one.
    pub(super) fn set_capacity(&mut self, capacity: Option<u16>) {
        self.capacity = capacity.map(|c| c.min(MOST));
    }

    /// Whether solicited-node groups share LIDs from now on.
    pub(super) fn set_consolidate(&mut self, consolidate: bool) {
        self.consolidate = consolidate;
    }

    /// The highest LID that may be used.
    fn top(&self) -> Option<Lid> {
        let count = self.capacity.unwrap_or(MOST);
        count.checked_sub(1).map(|last| Lid(FIRST + last))
    }

    /// A LID for a group: the one that is asked for if it is free, else the lowest free one, else
    /// one that is shared.
    pub(super) fn take(&mut self, mgid: Gid, asked: Option<Lid>) -> Option<Lid> {
        let top = self.top()?;
        let mlid = self
            .alike(mgid)
            .or_else(|| asked.filter(|lid| self.is_free(*lid) && *lid <= top))
            .or_else(|| self.lowest(top))
            .or_else(|| self.least_shared(mgid, top))?;
        self.groups.entry(mlid).or_default().insert(mgid);
        Some(mlid)
    }

    /// Gives a group's LID back.
    pub(super) fn release(&mut self, mgid: Gid, mlid: Lid) {
        if let Some(groups) = self.groups.get_mut(&mlid) {
            groups.remove(&mgid);
            if groups.is_empty() {
                self.groups.remove(&mlid);
                self.next = self.next.min(mlid.0 - FIRST);
            }
        }
    }

    /// The LIDs in use with their groups.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Lid, &BTreeSet<Gid>)> {
        self.groups.iter().map(|(lid, groups)| (*lid, groups))
    }

    /// The groups of a LID.
    pub(super) fn of(&self, mlid: Lid) -> impl Iterator<Item = Gid> {
        self.groups.get(&mlid).into_iter().flatten().copied()
    }

    fn is_free(&self, lid: Lid) -> bool {
        lid.is_multicast() && !self.groups.contains_key(&lid)
    }

    /// The LID of groups that differ from this one in the last 24 bits only.
    fn alike(&self, mgid: Gid) -> Option<Lid> {
        let common = solicited(mgid).filter(|_| self.consolidate)?;
        let alike = |groups: &BTreeSet<Gid>| {
            groups.range(common..).next().is_some_and(|g| solicited(*g) == Some(common))
        };
        self.groups.iter().find(|(_, groups)| alike(groups)).map(|(lid, _)| *lid)
    }

    fn lowest(&mut self, top: Lid) -> Option<Lid> {
        while FIRST + self.next <= top.0 && !self.is_free(Lid(FIRST + self.next)) {
            self.next += 1;
        }
        (FIRST + self.next <= top.0).then_some(Lid(FIRST + self.next))
    }

    /// The LID with the fewest groups; among equals one whose groups are of the same partition,
    /// as far as their MGIDs say it.
    fn least_shared(&self, mgid: Gid, top: Lid) -> Option<Lid> {
        let other = |groups: &BTreeSet<Gid>| {
            groups
                .first()
                .is_none_or(|g| g.prefix & !0xF_0000_0000_0000 != mgid.prefix & !0xF_0000_0000_0000)
        };
        self.groups
            .range(..=top)
            .min_by_key(|(lid, groups)| (groups.len(), other(groups), **lid))
            .map(|(lid, _)| *lid)
    }
}

#[cfg(test)]
mod tests {
    use lk_wire::Guid;

    use super::*;

    fn gid(n: u64) -> Gid {
        Gid { prefix: 0xff12 << 48, guid: Guid(n) }
    }

    fn of_host(n: u64) -> Gid {
        Gid { prefix: 0xff12_601b_ffff_0000, guid: Guid(0x1_ff00_0000 | n) }
    }

    #[test]
    fn the_lowest_free_lid_or_the_one_that_is_asked_for() {
        let mut mlids = Mlids::default();
        mlids.set_capacity(Some(16));
        assert_eq!(mlids.take(gid(1), None), Some(Lid(0xc000)));
        assert_eq!(mlids.take(gid(2), Some(Lid(0xc005))), Some(Lid(0xc005)));
        for unfit in [0xc005, 0xc010, 0x55, 0xffff, 0] {
            let got = mlids.take(gid(u64::from(unfit)), Some(Lid(unfit))).unwrap();
            assert!((0xc001..0xc008).contains(&got.0) && got.0 != 0xc005, "{unfit:x}: {got}");
        }
        mlids.release(gid(1), Lid(0xc000));
        assert_eq!(mlids.take(gid(9), None), Some(Lid(0xc000)));
    }

    #[test]
    fn groups_share_lids_when_there_are_no_more() {
        let mut mlids = Mlids::default();
        mlids.set_capacity(Some(2));
        let got: Vec<u16> = (1..=5).map(|n| mlids.take(gid(n), None).unwrap().0).collect();
        assert_eq!(got, [0xc000, 0xc001, 0xc000, 0xc001, 0xc000]);
        mlids.release(gid(2), Lid(0xc001));
        mlids.release(gid(4), Lid(0xc001));
        assert_eq!(mlids.take(gid(6), None), Some(Lid(0xc001)));
        mlids.set_capacity(Some(0));
        assert_eq!(mlids.take(gid(7), None), None);
    }

    #[test]
    fn solicited_node_groups_share_one_where_that_is_wanted() {
        let mut mlids = Mlids::default();
        mlids.set_capacity(Some(100));
        assert_ne!(mlids.take(of_host(1), None), mlids.take(of_host(2), None));
        mlids.set_consolidate(true);
        let first = mlids.take(of_host(3), None);
        assert_eq!(first, mlids.take(of_host(4), None));
        let other = Gid { prefix: 0xff12_601b_8001_0000, ..of_host(3) };
        assert_ne!(mlids.take(other, None), first);
        assert_ne!(mlids.take(gid(1), None), first);
    }
}
