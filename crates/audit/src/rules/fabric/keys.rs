//! P_Key tables: who may talk to whom.

use std::collections::{BTreeMap, BTreeSet};

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::PortId;
use lk_wire::{PKey, PKeyTable, SmState};

use crate::rule::Rule;
use crate::seen::Seen;
use crate::site::Site;

pub(in crate::rules) static MANAGER_NOT_FULL: Rule = Rule {
    code: Code::new("QO115", "the manager's port is no full member of the default partition"),
    severity: Severity::Error,
    page: include_str!("../pages/QO115.md"),
    of_tables: false,
    look: manager_not_full,
};

pub(in crate::rules) static ALONE: Rule = Rule {
    code: Code::new("QO116", "an end port that shares no partition with any other"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO116.md"),
    of_tables: false,
    look: alone,
};

pub(in crate::rules) static ENFORCED_AGAINST: Rule = Rule {
    code: Code::new("QO117", "a switch port drops keys that the port behind it has"),
    severity: Severity::Error,
    page: include_str!("../pages/QO117.md"),
    of_tables: false,
    look: enforced_against,
};

/// The keys of a port; `None` where a part of its table is not known.
fn keys(seen: &Seen<'_>, port: PortId) -> Option<Vec<PKey>> {
    let blocks = seen.snapshot.tables.pkey_blocks(port);
    if blocks.is_empty() {
        return None;
    }
    let mut keys = Vec::new();
    for block in blocks {
        keys.extend(PKeyTable((*block)?).iter().filter(|key| key.is_valid()));
    }
    Some(keys)
}

fn manager_not_full(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let masters = seen.snapshot.managers.iter().filter(|(_, info)| info.state() == SmState::MASTER);
    for (port, _) in masters {
        let Some(keys) = keys(seen, *port) else { continue };
        if keys.contains(&PKey::DEFAULT_FULL) {
            continue;
        }
        let has = if keys.contains(&PKey::DEFAULT_LIMITED) { "only a limited" } else { "no" };
        found.push(
            MANAGER_NOT_FULL
                .found(format!(
                    "the subnet manager's port {} is {has} member of the default partition",
                    seen.name(*port)
                ))
                .note(seen.smpquery("pkeys", *port))
                .note("limited members reach the subnet administration only if it is a full member")
                .help("`Default=0x7fff, ipoib: ALL, SELF=full;` in partitions.conf"),
        );
    }
}

fn alone(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let mut members: BTreeMap<u16, (usize, usize)> = BTreeMap::new();
    let mut ports = Vec::new();
    for port in fabric.end_ports() {
        // Switches are reached by management only.
        if fabric.as_switch(fabric.owner(port)).is_some() || fabric.peer(port).is_none() {
            continue;
        }
        let Some(keys) = keys(seen, port) else { continue };
        let full: BTreeSet<u16> = keys.iter().filter(|k| k.is_full()).map(|k| k.base()).collect();
        let all: BTreeSet<u16> = keys.iter().map(|k| k.base()).collect();
        for base in &all {
            let (full_members, members) = members.entry(*base).or_default();
            *members += 1;
            *full_members += usize::from(full.contains(base));
        }
        ports.push((port, full, all));
    }
    // Two limited members of a partition may not talk to each other.
    let talks = |base: &u16, full: bool| {
        let (full_members, all) = members.get(base).copied().unwrap_or_default();
        if full { all > 1 } else { full_members > 0 }
    };
    let alone: Vec<PortId> = ports
        .iter()
        .filter(|(_, full, all)| !all.iter().any(|base| talks(base, full.contains(base))))
        .map(|(port, ..)| *port)
        .collect();
    if ports.len() < 2 || alone.is_empty() {
        return;
    }
    found.push(
        ALONE
            .found(format!(
                "{} can talk to no other by any partition: {}",
                super::ports(alone.len()),
                seen.names(&alone)
            ))
            .note(seen.smpquery("pkeys", alone[0]))
            .note("two ports need a partition in common, of which at least one is a full member")
            .help("look at the members of partitions.conf, by GUID; `ALL=full` opens a partition"),
    );
}

fn enforced_against(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let mut wrong: Vec<(PortId, PortId, Vec<PKey>)> = Vec::new();
    for (port, info) in seen.up_ports() {
        let enforces =
            info.partition_enforcement_inbound() != 0 || info.partition_enforcement_outbound() != 0;
        let is_switch = |port: PortId| fabric.as_switch(fabric.owner(port)).is_some();
        let Some(far) = fabric.peer(port).filter(|far| is_switch(port) && !is_switch(*far)) else {
            continue;
        };
        let (Some(here), Some(there)) = (keys(seen, port), keys(seen, far)) else { continue };
        let missing: Vec<PKey> = there
            .into_iter()
            .filter(|key| !here.iter().any(|own| own.base() == key.base()))
            .collect();
        if enforces && !missing.is_empty() {
            wrong.push((port, far, missing));
        }
    }
    let Some((port, far, missing)) = wrong.first() else { return };
    let list: Vec<String> = missing.iter().map(PKey::to_string).collect();
    found.push(
        ENFORCED_AGAINST
            .found(format!(
                "{} drop packets of keys that the port behind has: {} has not {} of {}",
                super::ports(wrong.len()),
                seen.name(*port),
                list.join(", "),
                seen.name(*far)
            ))
            .note(format!("{} and {}", seen.smpquery("pkeys", *port), seen.smpquery("pkeys", *far)))
            .help(
                "a heavy sweep writes both tables; `part_enforce off` lets switches pass all keys",
            ),
    );
}
