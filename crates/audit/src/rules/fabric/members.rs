//! P_Key tables against partitions.conf, and what stands first in them.

use std::collections::{BTreeMap, BTreeSet};

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::PortId;
use lk_wire::{PKey, SmState};

use super::Groups;
use super::keys::{first_key, keys};
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static OTHER_MEMBERS: Rule = Rule {
    code: Code::new("QO124", "ports hold other P_Keys than partitions.conf asks for"),
    severity: Severity::Error,
    page: include_str!("../pages/QO124.md"),
    of_tables: false,
    look: other_members,
};

/// Of keys in lists so many are named.
const NAMED: usize = 4;

fn list(keys: &[u16], full: &BTreeMap<u16, bool>) -> String {
    let word = |key: &u16| {
        let member = if full.get(key) == Some(&true) { "full" } else { "limited" };
        format!("{key:#06x} ({member})")
    };
    let mut words: Vec<String> = keys.iter().take(NAMED).map(word).collect();
    if keys.len() > NAMED {
        words.push(format!("{} more", keys.len() - NAMED));
    }
    words.join(", ")
}

fn other_members(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(seen), Some(asked)) = (&site.seen, site.asked_partitions) else { return };
    let fabric = &seen.snapshot.fabric;
    let mut wanted: BTreeMap<PortId, BTreeMap<u16, bool>> = BTreeMap::new();
    for partition in asked {
        let members = [(&partition.limited, false), (&partition.full, true)];
        for (port, full) in
            members.iter().flat_map(|(ports, full)| ports.iter().map(|p| (*p, *full)))
        {
            wanted.entry(port).or_default().insert(partition.key, full);
        }
    }
    let (mut groups, mut looked_at) = (Groups::new(), 0);
    let mut anywhere: BTreeSet<u16> = BTreeSet::new();
    for port in fabric.end_ports() {
        // Switches have no use for most keys, and managers write them or do not.
        if fabric.as_switch(fabric.owner(port)).is_some() || fabric.peer(port).is_none() {
            continue;
        }
        let Some(held) = keys(seen, port) else { continue };
        let want = wanted.remove(&port).unwrap_or_default();
        let room = seen.snapshot.partition_cap[fabric.owner(port).0 as usize];
        // What does not fit is another finding.
        if want.len() > usize::from(room) {
            continue;
        }
        looked_at += 1;
        let mut have: BTreeMap<u16, bool> = BTreeMap::new();
        held.iter().for_each(|key| *have.entry(key.base()).or_default() |= key.is_full());
        anywhere.extend(have.keys());
        if have != want {
            groups.add((have, want), port);
        }
    }
    let has_master = seen.snapshot.managers.iter().any(|(_, info)| info.state() == SmState::MASTER);
    for ((have, want), ports) in groups.by_count() {
        let other = |a: &BTreeMap<u16, bool>, b: &BTreeMap<u16, bool>| -> Vec<u16> {
            a.iter().filter(|(key, full)| b.get(key) != Some(full)).map(|(key, _)| *key).collect()
        };
        let (extra, missing) = (other(&have, &want), other(&want, &have));
        let mut finding = OTHER_MEMBERS.found(format!(
            "{} of {looked_at} hold other P_Keys than partitions.conf asks for: {}",
            super::ports(ports.len()),
            seen.names(&ports)
        ));
        if !missing.is_empty() {
            finding = finding.note(format!("asked for and not there: {}", list(&missing, &want)));
        }
        if !extra.is_empty() {
            finding = finding.note(format!("there and not asked for: {}", list(&extra, &have)));
        }
        if !has_master {
            finding = finding.note(
                "no manager answered: `SELF` was taken to be the port from which all was read",
            );
        }
        let nowhere = missing.iter().any(|key| !anywhere.contains(key));
        let cause = if nowhere || ports.len() == looked_at {
            "no port at all holds them: the manager in force has another file, or threw this one away for \
             an error (its log says so)"
        } else {
            "other ports hold theirs: these came up after the last heavy sweep, or refused the table"
        };
        found.push(finding.note(seen.smpquery("pkeys", ports[0])).note(cause).help(
            "a running manager reads the file again at SIGHUP; `lanekeeper check -P` says what \
                 OpenSM makes of it",
        ));
    }
}

/// Ports of adapters whose table is known and whose first key is none, though others are there.
pub(in crate::rules) fn nothing_at_index_0(
    site: &Site<'_>,
) -> Option<(Vec<PortId>, String, String)> {
    let seen = site.seen.as_ref()?;
    let fabric = &seen.snapshot.fabric;
    let host = |port: &PortId| {
        fabric.as_switch(fabric.owner(*port)).is_none() && fabric.peer(*port).is_some()
    };
    let empty = |port: &PortId| {
        first_key(seen, *port).is_some_and(|key| !PKey::is_valid(key))
            && keys(seen, *port).is_some_and(|keys| !keys.is_empty())
    };
    let ports: Vec<PortId> = fabric.end_ports().filter(host).filter(empty).collect();
    let first = *ports.first()?;
    let names = seen.names(&ports);
    Some((ports, names, seen.smpquery("pkeys", first)))
}
