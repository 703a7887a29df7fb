//! Partitions on a fabric: who is not there, who is shut out, whose table is full.

use std::collections::BTreeMap;

use lk_config::partitions::Who;
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_fabric::PortId;
use lk_wire::{Mtu, Rate};

use super::words::conf;
use crate::files::{called, key_of, ports_of};
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static NOT_THERE: Rule = Rule {
    code: Code::new("QO059", "members of partitions that the fabric does not have"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO059.md"),
    of_tables: false,
    look: not_there,
};

pub(in crate::rules) static SHUT_OUT: Rule = Rule {
    code: Code::new("QO060", "a broadcast group that shuts members out"),
    severity: Severity::Error,
    page: include_str!("../pages/QO060.md"),
    of_tables: false,
    look: shut_out,
};

pub(in crate::rules) static TABLE_FULL: Rule = Rule {
    code: Code::new("QO061", "more partitions than a port's table has room for"),
    severity: Severity::Error,
    page: include_str!("../pages/QO061.md"),
    of_tables: false,
    look: table_full,
};

/// What a broadcast group is made with where the file says nothing: 2048 bytes, 10 Gb/s.
const GROUP: (Mtu, Rate) = (Mtu::M2048, Rate(3));

fn not_there(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(file), Some(managed)) = (conf(site), site.managed) else { return };
    let fabric = &managed.fabric;
    let known: std::collections::BTreeSet<u64> =
        fabric.end_ports().map(|p| fabric.port(p).guid.0).collect();
    let mut missing = Vec::new();
    for statement in &file.content.statements {
        for (who, _, _) in ports_of(statement) {
            if let Who::Guid(guid) = who.value
                && !known.contains(&guid.0)
            {
                missing.push((guid, who.place));
            }
        }
    }
    let Some((first, place)) = missing.first() else { return };
    let mut finding: Diagnostic = NOT_THERE
        .found(match missing.len() {
            1 => format!("no port of this fabric has the GUID {first}"),
            n => format!("{n} members are not ports of this fabric, {first} the first of them"),
        })
        .at(&file.source, *place, "not there");
    for (_, place) in missing.iter().skip(1).take(9) {
        finding = finding.at(&file.source, *place, "");
    }
    if let Some((guid, node)) =
        missing.iter().find_map(|(guid, _)| Some((guid, fabric.node_by_guid(*guid)?)))
    {
        let name = &fabric.node(node).description;
        finding = finding.note(format!("{guid} is the GUID of the node {name}, not of a port"));
    }
    found.push(finding.help("members are named by port GUIDs: `ibstat -p` on the host shows them"));
}

fn shut_out(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(file), Some(managed)) = (conf(site), site.managed) else { return };
    for statement in file.content.statements.iter().filter(|s| s.ipoib) {
        let Some(key) = key_of(statement) else { continue };
        let Some(partition) = managed.partitions.iter().find(|p| p.key == key) else { continue };
        let flags = &statement.flags;
        let mtu = flags.mtu.map_or(GROUP.0, |mtu| Mtu(mtu.value));
        let rate = flags.rate.map_or(GROUP.1, |rate| Rate(rate.value));
        if mtu.bytes().is_none() || rate.rank().is_none() {
            continue; // there is no such group, which is another finding
        }
        let members = partition.full.iter().chain(&partition.limited).copied();
        let hosts: std::collections::BTreeSet<PortId> = managed.hosts().collect();
        let members: Vec<PortId> = members.filter(|p| hosts.contains(p)).collect();
        let small: Vec<PortId> =
            members.iter().copied().filter(|p| managed.carries[p.index()].mtu < mtu).collect();
        let slow = |p: &PortId| managed.carries[p.index()].rate.rank() < rate.rank();
        let slow: Vec<PortId> = members.iter().copied().filter(slow).collect();
        for (ports, what, place) in [
            (small, format!("an MTU of {mtu}"), flags.mtu.map(|f| f.place)),
            (slow, format!("a rate of {rate}"), flags.rate.map(|f| f.place)),
        ] {
            let Some(first) = ports.first() else { continue };
            let carries = managed.carries[first.index()];
            let finding = SHUT_OUT
                .found(format!(
                    "{} of {} members of {} cannot join its broadcast group: it has {what}",
                    ports.len(),
                    members.len(),
                    called(statement)
                ))
                .at(&file.source, place.unwrap_or(statement.place.0), "");
            found.push(
                finding
                    .note(format!(
                        "{} has {} and {}",
                        managed.name(*first),
                        carries.mtu,
                        carries.rate
                    ))
                    .note("IPoIB on these hosts stays down")
                    .help("give the group what the slowest member has"),
            );
        }
    }
}

fn table_full(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(file), Some(managed)) = (conf(site), site.managed) else { return };
    let mut keys: BTreeMap<PortId, usize> = BTreeMap::new();
    for partition in &managed.partitions {
        for port in partition.full.iter().chain(&partition.limited) {
            *keys.entry(*port).or_default() += 1;
        }
    }
    let room =
        |port: PortId| usize::from(managed.partition_cap[managed.fabric.owner(port).index()]);
    let over: Vec<(PortId, usize)> =
        keys.into_iter().filter(|(port, keys)| *keys > room(*port) && room(*port) > 0).collect();
    let Some((port, count)) = over.iter().max_by_key(|(_, keys)| *keys) else { return };
    let finding = TABLE_FULL.found(format!(
        "{} of the fabric's ports are in more partitions than their P_Key tables have room for: {} \
         in {count}, and has room for {}",
        over.len(),
        managed.name(*port),
        room(*port)
    ));
    let place = file.content.statements.last().map(|s| s.place.0);
    found.push(match place {
        Some(place) => finding.at(&file.source, place, "keys of later partitions are left out"),
        None => finding,
    });
}
