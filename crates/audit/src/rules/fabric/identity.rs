//! GUIDs, LIDs and prefixes that have to be one port's, or everybody's.

use std::collections::BTreeMap;

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::{NodeKind, PortId};
use lk_wire::{Gid, Guid};

use super::Groups;
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static SAME_GUID: Rule = Rule {
    code: Code::new("QO110", "two nodes or ports have one GUID"),
    severity: Severity::Error,
    page: include_str!("../pages/QO110.md"),
    of_tables: false,
    look: same_guid,
};

pub(in crate::rules) static SAME_LID: Rule = Rule {
    code: Code::new("QO113", "two ports answer to one LID"),
    severity: Severity::Error,
    page: include_str!("../pages/QO113.md"),
    of_tables: false,
    look: same_lid,
};

pub(in crate::rules) static OTHER_PREFIX: Rule = Rule {
    code: Code::new("QO119", "ports of one subnet have different prefixes"),
    severity: Severity::Error,
    page: include_str!("../pages/QO119.md"),
    of_tables: false,
    look: other_prefix,
};

fn same_guid(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    for duplicate in &seen.snapshot.duplicates {
        found.push(
            SAME_GUID
                .found(format!(
                    "a second node with the GUID {} is behind {}",
                    duplicate.guid,
                    seen.name(duplicate.behind)
                ))
                .note("it is not judged here, and no manager sets it up")
                .help(
                    "give one of the two its own GUID, in its firmware; a cable that was moved \
                       while the fabric was read looks the same: read it again",
                ),
        );
    }
    let fabric = &seen.snapshot.fabric;
    let mut owners: BTreeMap<Guid, Vec<PortId>> = BTreeMap::new();
    for port in fabric.end_ports() {
        owners.entry(fabric.port(port).guid).or_default().push(port);
    }
    owners.remove(&Guid(0));
    for (guid, ports) in owners.into_iter().filter(|(_, ports)| ports.len() > 1) {
        found.push(
            SAME_GUID
                .found(format!(
                    "{} have the port GUID {guid}: {}",
                    super::ports(ports.len()),
                    seen.names(&ports)
                ))
                .help("give each port its own GUID, in its firmware"),
        );
    }
}

fn same_lid(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let mut ranges: Vec<(u16, u32, PortId)> = fabric
        .end_ports()
        .filter(|port| fabric.port(*port).lid.is_unicast())
        .map(|port| {
            let first = fabric.port(port).lid.0;
            (first, u32::from(first) + (1 << fabric.port(port).lmc), port)
        })
        .collect();
    ranges.sort_unstable();
    let mut holder: Option<(u32, PortId)> = None;
    for (first, end, port) in ranges {
        if let Some((taken, other)) = holder.filter(|(taken, _)| u32::from(first) < *taken) {
            let last = taken.min(end) - 1;
            let lids = match last == u32::from(first) {
                true => format!("LID {first}"),
                false => format!("LIDs {first} to {last}"),
            };
            found.push(
                SAME_LID
                    .found(format!(
                        "{lids} belongs to {} and {}",
                        seen.name(other),
                        seen.name(port)
                    ))
                    .note(format!("{} shows Lid and LMC", seen.smpquery("portinfo", port)))
                    .note("two fabrics were joined, or a manager came up with LIDs of its own")
                    .help(
                        "a heavy sweep gives one of the two another LID; reassign_lids gives all \
                           ports new ones",
                    ),
            );
        }
        if holder.is_none_or(|(taken, _)| end > taken) {
            holder = Some((end, port));
        }
    }
}

fn other_prefix(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let mut groups = Groups::new();
    for (port, info) in seen.end_ports() {
        // Nobody has set a port up that has no LID yet.
        let up =
            fabric.peer(port).is_some() || fabric.node(fabric.owner(port)).kind == NodeKind::Switch;
        if up && info.lid() != 0 {
            groups.add(info.gid_prefix(), port);
        }
    }
    let groups = groups.by_count();
    let Some(((usual, most), others)) = groups.split_first() else { return };
    for (prefix, ports) in others {
        let name = |prefix| Gid { prefix, guid: Guid(0) }.to_string();
        found.push(
            OTHER_PREFIX
                .found(format!(
                    "{} have the prefix {} and {} the prefix {}: {}",
                    super::ports(ports.len()),
                    name(*prefix),
                    most.len(),
                    name(*usual),
                    seen.names(ports)
                ))
                .note(format!("{} shows GidPrefix", seen.smpquery("portinfo", ports[0])))
                .help("the manager's subnet_prefix is for all ports: a heavy sweep sets it"),
        );
    }
}
