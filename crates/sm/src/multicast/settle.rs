//! What a new view of the fabric makes of the groups: those of partitions come and go, and ports
//! that are gone leave.

use std::collections::BTreeSet;

use lk_wire::{Gid, Guid, Trap};

use super::Groups;
use super::well_known::{self, WellKnown, broadcast_of, is_ip};
use crate::decide::{Partitions, Settings};
use crate::observe::Observed;

/// A group of a partition that cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotMade {
    /// Its MGID.
    pub mgid: Gid,
    /// Why.
    pub why: String,
}

impl Groups {
    /// Brings the groups in line with partitions and fabric. `there` says whether a port GUID,
    /// also an alias, is still there. What subscribers are to hear of, and what could not be made.
    pub fn settle(
        &mut self,
        seen: &Observed,
        partitions: &Partitions,
        settings: &Settings,
        there: impl Fn(Guid) -> bool,
    ) -> (Vec<Trap>, Vec<NotMade>) {
        self.mlids.set_consolidate(settings.options.consolidate_ipv6_snm_req);
        self.mlids.set_capacity(capacity(seen));
        let wanted = well_known::groups(partitions, settings);
        let mut traps = self.drop_gone(&wanted, &there);
        let mut faults = Vec::new();
        let check = settings.options.ipoib_mcgroup_creation_validation;
        for one in wanted {
            let fault = one.fault.clone().or_else(|| self.no_broadcast(&one).filter(|_| check));
            if let Some(why) = fault {
                faults.push(NotMade { mgid: one.mgid, why });
                continue;
            }
            traps.extend(self.make(&one));
        }
        (traps, faults)
    }

    /// Members whose ports are gone, and groups for which nothing is left.
    fn drop_gone(&mut self, wanted: &[WellKnown], there: &impl Fn(Guid) -> bool) -> Vec<Trap> {
        let wanted: BTreeSet<Gid> = wanted.iter().map(|w| w.mgid).collect();
        let mut over = Vec::new();
        for (mgid, group) in &mut self.all {
            if group.keep(there) {
                self.changed.insert(group.mlid);
            }
            group.params.well_known &= wanted.contains(mgid);
            if !group.lives() {
                over.push(*mgid);
            }
        }
        for mgid in &over {
            self.delete(*mgid);
        }
        over.into_iter().map(Trap::GroupDeleted).collect()
    }

    /// An IP group without the broadcast group of its scope.
    fn no_broadcast(&self, one: &WellKnown) -> Option<String> {
        let broadcast = broadcast_of(one.mgid);
        let lacks = is_ip(one.mgid) && broadcast != one.mgid && self.get(broadcast).is_none();
        lacks.then(|| format!("there is no broadcast group {broadcast}"))
    }

    /// Makes a group of a partition, or takes one over that is there. What its members share can
    /// change only while it has none.
    fn make(&mut self, one: &WellKnown) -> Option<Trap> {
        if let Some(group) = self.all.get_mut(&one.mgid) {
            if group.members().len() == 0 {
                group.params = one.params;
            }
            group.params.well_known = true;
            return None;
        }
        self.create(one.mgid, one.params, None)?;
        Some(Trap::GroupCreated(one.mgid))
    }
}

/// How many multicast LIDs all switches that have any can forward.
fn capacity(seen: &Observed) -> Option<u16> {
    let caps = seen.switches.iter().flatten().map(lk_wire::SwitchInfo::multicast_fdb_cap);
    caps.filter(|cap| *cap > 0).min()
}
