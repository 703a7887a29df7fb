//! P_Key tables: who may talk to whom.

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

pub(in crate::rules) static ENFORCED_AGAINST: Rule = Rule {
    code: Code::new("QO117", "a switch port drops keys that the port behind it has"),
    severity: Severity::Error,
    page: include_str!("../pages/QO117.md"),
    of_tables: false,
    look: enforced_against,
};

/// The keys of a port; `None` where a part of its table is not known.
pub(super) fn keys(seen: &Seen<'_>, port: PortId) -> Option<Vec<PKey>> {
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

/// What stands at index 0 of a port's table, be it a key or not.
pub(super) fn first_key(seen: &Seen<'_>, port: PortId) -> Option<PKey> {
    let block = seen.snapshot.tables.pkey_blocks(port).first().copied().flatten()?;
    PKeyTable(block).iter().next()
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
