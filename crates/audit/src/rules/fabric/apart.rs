//! Ports that cannot talk to each other for want of a partition, where that looks like an accident.
//!
//! Tenants that are kept apart are none: a port that can talk to others within a partition of its
//! own is where somebody has put it. An accident is a port with no partner at all, one that is left
//! as a limited member of the default partition alone, and a partition that has no full member.

use std::collections::{BTreeMap, BTreeSet};

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::{Fabric, PortId};
use lk_wire::PKey;

use super::keys::keys;
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static ALONE: Rule = Rule {
    code: Code::new("QO116", "end ports that share no partition in which they can talk"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO116.md"),
    of_tables: false,
    look,
};

/// A port with the bases of its keys: those with full membership, and all.
struct Member {
    port: PortId,
    full: BTreeSet<u16>,
    all: BTreeSet<u16>,
}

/// Who is in which partition: as ports hold it, or as the manager would write it.
struct Members<'a> {
    fabric: &'a Fabric,
    /// Ports on which managers are known to sit.
    managers: Vec<PortId>,
    ports: Vec<Member>,
    /// Full members and all members, by the base of the key.
    count: BTreeMap<u16, (usize, usize)>,
}

fn look(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(members) = held(site).or_else(|| planned(site)) else { return };
    if members.ports.len() < 2 {
        return;
    }
    let query = |port: PortId| site.seen.as_ref().map(|seen| seen.smpquery("pkeys", port));
    let alone = members.with(|usable| usable.is_empty());
    members.tell_alone(&alone, &query, found);
    members.tell_default_only(&query, found);
    members.tell_no_full_member(&alone, found);
}

/// What the ports' tables say.
fn held<'a>(site: &'a Site<'_>) -> Option<Members<'a>> {
    let seen = site.seen.as_ref()?;
    let fabric = &*seen.snapshot.fabric;
    let member = |port: PortId| {
        let keys = keys(seen, port)?;
        let full = keys.iter().filter(|key| key.is_full()).map(|key| key.base()).collect();
        Some(Member { port, full, all: keys.iter().map(|key| key.base()).collect() })
    };
    let managers = seen.snapshot.managers.iter().map(|(port, _)| *port).collect();
    Some(Members::new(fabric, managers, hosts(fabric).filter_map(member).collect()))
}

/// What the site's files make of a fabric.
fn planned<'a>(site: &'a Site<'_>) -> Option<Members<'a>> {
    let managed = site.managed?;
    // Without a file everybody is a full member of one partition.
    site.files?.partitions.as_ref()?;
    let fabric = &*managed.fabric;
    let mut of: BTreeMap<PortId, (BTreeSet<u16>, BTreeSet<u16>)> = BTreeMap::new();
    for partition in &managed.partitions {
        for port in &partition.full {
            let (full, all) = of.entry(*port).or_default();
            full.insert(partition.key);
            all.insert(partition.key);
        }
        for port in &partition.limited {
            of.entry(*port).or_default().1.insert(partition.key);
        }
    }
    let mut member = |port: PortId| {
        let (full, all) = of.remove(&port).unwrap_or_default();
        Member { port, full, all }
    };
    Some(Members::new(fabric, vec![managed.own], hosts(fabric).map(&mut member).collect()))
}

/// Ports that talk to each other: switches are reached by management only.
fn hosts(fabric: &Fabric) -> impl Iterator<Item = PortId> + '_ {
    let host = |port: &PortId| fabric.as_switch(fabric.owner(*port)).is_none();
    fabric.end_ports().filter(host).filter(|port| fabric.peer(*port).is_some())
}

impl<'a> Members<'a> {
    fn new(fabric: &'a Fabric, managers: Vec<PortId>, ports: Vec<Member>) -> Self {
        let mut count: BTreeMap<u16, (usize, usize)> = BTreeMap::new();
        for member in &ports {
            for base in &member.all {
                let (full, all) = count.entry(*base).or_default();
                *all += 1;
                *full += usize::from(member.full.contains(base));
            }
        }
        Self { fabric, managers, ports, count }
    }

    /// Partitions in which a port has somebody to talk to. Two limited members of a partition may
    /// not.
    fn usable(&self, member: &Member) -> BTreeSet<u16> {
        let talks = |base: &&u16| {
            let (full, all) = self.count.get(*base).copied().unwrap_or_default();
            if member.full.contains(*base) { all > 1 } else { full > 0 }
        };
        member.all.iter().filter(talks).copied().collect()
    }

    fn with(&self, is: impl Fn(&BTreeSet<u16>) -> bool) -> Vec<PortId> {
        self.ports.iter().filter(|m| is(&self.usable(m))).map(|m| m.port).collect()
    }

    fn names(&self, ports: &[PortId]) -> String {
        let name = |port: &PortId| self.fabric.port_name(*port);
        match ports {
            [] => String::new(),
            [one] => name(one),
            [one, two] => format!("{} and {}", name(one), name(two)),
            [one, rest @ ..] => format!("{} and {} more", name(one), rest.len()),
        }
    }

    fn tell_alone(
        &self,
        alone: &[PortId],
        query: &impl Fn(PortId) -> Option<String>,
        found: &mut Diagnostics,
    ) {
        let Some(first) = alone.first() else { return };
        let mut finding = ALONE.found(format!(
            "{} can talk to no other by any partition: {}",
            super::ports(alone.len()),
            self.names(alone)
        ));
        finding = query(*first).into_iter().fold(finding, lk_diag::Diagnostic::note);
        found.push(
            finding
                .note(
                    "two ports need a partition in common, of which at least one is a full member",
                )
                .help(
                    "look at the members of partitions.conf, by GUID; `ALL=full` opens a partition",
                ),
        );
    }

    /// Ports that are left as limited members of the default partition: they reach its full
    /// members, as a rule the manager, and not each other.
    fn tell_default_only(
        &self,
        query: &impl Fn(PortId) -> Option<String>,
        found: &mut Diagnostics,
    ) {
        let base = PKey::DEFAULT_FULL.base();
        let only = BTreeSet::from([base]);
        let left: Vec<PortId> = self
            .ports
            .iter()
            .filter(|m| !m.full.contains(&base) && self.usable(m) == only)
            .map(|m| m.port)
            .collect();
        if left.len() < 2 {
            return;
        }
        let full = self.ports.iter().filter(|m| m.full.contains(&base)).map(|m| m.port);
        let full: Vec<PortId> = full.collect();
        // A manager that has ended does not say where it was; it is the one full member then.
        let managers = full.iter().all(|port| self.managers.contains(port)) || full.len() == 1;
        let whom = if managers { "the subnet manager" } else { "full members" };
        let mut finding = ALONE.found(format!(
            "{} can talk to {whom} ({}) and not to each other: {}",
            super::ports(left.len()),
            self.names(&full),
            self.names(&left)
        ));
        if !managers {
            finding.severity = Severity::Info;
        }
        finding = query(left[0]).into_iter().fold(finding, lk_diag::Diagnostic::note);
        found.push(
            finding
                .note(
                    "they are limited members of the default partition, and in no other in which \
                     somebody could talk to them",
                )
                .help(
                    "`Default=0x7fff, ipoib : ALL=full ;` in partitions.conf lets all talk; ports of a \
                     partition of their own need its key, by GUID",
                ),
        );
    }

    /// Partitions in which nobody can talk.
    fn tell_no_full_member(&self, alone: &[PortId], found: &mut Diagnostics) {
        let silent: Vec<u16> = self
            .count
            .iter()
            .filter(|(base, (full, all))| {
                **base != PKey::DEFAULT_FULL.base() && *full == 0 && *all > 1
            })
            .map(|(base, _)| *base)
            .collect();
        for base in silent {
            let members = self.ports.iter().filter(|m| m.all.contains(&base)).map(|m| m.port);
            let members: Vec<PortId> = members.collect();
            // Ports without any partner have been named.
            if members.iter().all(|port| alone.contains(port)) {
                continue;
            }
            found.push(
                ALONE
                    .found(format!(
                        "nobody can talk in the partition {base:#06x}: all its {} members are limited, \
                         {}",
                        members.len(),
                        self.names(&members)
                    ))
                    .help("make members that serve the others full, or all (`defmember=full`)"),
            );
        }
    }
}
