//! Arbitration tables as ports hold them, where no file says what was meant. With files the rules
//! of their lists say the same, and point at the lines.

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::PortId;
use lk_qos::{ArbTables, Busy, shares};
use lk_wire::{PortInfo, Vl};

use super::Groups;
use crate::kinds::OVERHEAD;
use crate::rule::Rule;
use crate::seen::{Seen, data_vls};
use crate::site::Site;

pub(in crate::rules) static NO_LIMIT: Rule = Rule {
    code: Code::new("QO121", "ports on which lanes may wait for ever"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO121.md"),
    of_tables: false,
    look: no_limit,
};

pub(in crate::rules) static ROUNDED_UP: Rule = Rule {
    code: Code::new("QO126", "ports with weights that are no whole packets"),
    severity: Severity::Info,
    page: include_str!("../pages/QO126.md"),
    of_tables: false,
    look: rounded_up,
};

/// A port that arbitrates.
struct Arbiter {
    port: PortId,
    tables: ArbTables,
    busy: Vec<Busy>,
    mtu: u32,
}

/// Ports that arbitrate between lanes that SLs use.
fn arbiters<'a>(seen: &'a Seen<'_>) -> impl Iterator<Item = Arbiter> + 'a {
    seen.active_ports().filter_map(|(port, info): (PortId, &PortInfo)| {
        let lanes = data_vls(info);
        let tables = seen.arbitration(port, info).filter(|_| lanes > 1)?;
        let mtu = u32::from(info.active_mtu().bytes()?);
        let used = seen.lanes_of(port).into_keys().filter(|vl| vl.0 < lanes);
        let busy: Vec<Busy> = used.map(|vl| Busy { vl, packet: mtu + OVERHEAD }).collect();
        (busy.len() > 1).then_some(Arbiter { port, tables, busy, mtu })
    })
}

/// Whether files say what the tables should be.
fn by_files(site: &Site<'_>) -> bool {
    site.options().qos
}

fn no_limit(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = site.seen.as_ref().filter(|_| !by_files(site)) else { return };
    let mut groups = Groups::new();
    for Arbiter { port, tables, busy, .. } in arbiters(seen).filter(|a| a.tables.high_limit == 255)
    {
        let weighs = |vl: Vl| tables.low.iter().any(|entry| entry.vl == vl && entry.weight > 0);
        let waits: Vec<u8> =
            shares(&tables, &busy).starved().filter(|vl| weighs(*vl)).map(|vl| vl.0).collect();
        if !waits.is_empty() {
            groups.add(waits, port);
        }
    }
    for (waits, ports) in groups.by_count() {
        found.push(
            NO_LIMIT
                .found(format!(
                    "{} send nothing from {} while their high-priority table has packets: {}",
                    super::ports(ports.len()),
                    crate::rules::numbers("VL", &waits),
                    seen.names(&ports)
                ))
                .note(format!(
                    "VLHighLimit is 255, which is no limit: {} and {}",
                    seen.smpquery("portinfo", ports[0]),
                    seen.smpquery("vlarb", ports[0])
                ))
                .help(
                    "set `qos_high_limit` to a number of 4 KiB steps, or give the lanes entries in \
                       the high-priority list, too",
                ),
        );
    }
}

fn rounded_up(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = site.seen.as_ref().filter(|_| !by_files(site)) else { return };
    let mut groups = Groups::new();
    let mut got: Vec<(PortId, String)> = Vec::new();
    for Arbiter { port, tables, busy, mtu } in arbiters(seen) {
        let packet = mtu / 64;
        let odd = [&tables.high, &tables.low].into_iter().any(|list| {
            let weights = || list.iter().filter(|entry| entry.weight > 0);
            // Equal weights are rounded up alike.
            let differ = weights().any(|e| Some(e.weight) != weights().next().map(|e| e.weight));
            differ && weights().any(|entry| !u32::from(entry.weight).is_multiple_of(packet.max(1)))
        });
        if !odd {
            continue;
        }
        let key = (mtu, tables.high_limit, words(&tables), busy.len());
        if !groups.has(&key) {
            let real = shares(&tables, &busy);
            let cells: Vec<String> = busy
                .iter()
                .map(|b| format!("VL{} {:.1} %", b.vl.0, real.of(b.vl) * 100.0))
                .collect();
            got.push((port, cells.join(", ")));
        }
        groups.add(key, port);
    }
    for ((mtu, ..), ports) in groups.by_count() {
        let cells = got.iter().find(|(port, _)| *port == ports[0]).map(|(_, cells)| cells.as_str());
        found.push(
            ROUNDED_UP
                .found(format!(
                    "{} have arbitration weights that are no multiple of {}, a packet of {mtu} \
                     bytes, and count as if rounded up: {}",
                    super::ports(ports.len()),
                    mtu / 64,
                    seen.names(&ports)
                ))
                .note(format!(
                    "when all lanes have full packets to send they get: {}",
                    cells.unwrap_or_default()
                ))
                .note(seen.smpquery("vlarb", ports[0]))
                .help(
                    "write weights in whole packets, if the lanes are to have shares of their own",
                ),
        );
    }
}

/// Both tables as bytes, to tell ports apart.
fn words(tables: &ArbTables) -> Vec<(u8, u8)> {
    let list = tables.low.iter().chain(&tables.high);
    list.map(|entry| (entry.vl.0, entry.weight)).collect()
}
