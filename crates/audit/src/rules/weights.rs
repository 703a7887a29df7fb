//! Weights of the arbitration tables.

use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_qos::{ArbTables, Busy, PortTables, shares};
use lk_wire::{Sl, Vl, VlArbEntry};

use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static NO_WEIGHT: Rule = Rule {
    code: Code::new("QO003", "a lane with traffic and without weight"),
    severity: Severity::Error,
    page: include_str!("pages/QO003.md"),
    of_tables: true,
    look: |site, found| each(site, found, no_weight),
};

pub(super) static PART_OF_A_PACKET: Rule = Rule {
    code: Code::new("QO004", "weights that are no whole packets"),
    severity: Severity::Warning,
    page: include_str!("pages/QO004.md"),
    of_tables: true,
    look: |site, found| each(site, found, part_of_a_packet),
};

pub(super) static NOTHING_SENT: Rule = Rule {
    code: Code::new("QO011", "arbitration tables that let nothing be sent"),
    severity: Severity::Error,
    page: include_str!("pages/QO011.md"),
    of_tables: true,
    look: |site, found| each(site, found, nothing_sent),
};

/// A rule about the tables of one kind of ports.
type Look = fn(&Site<'_>, &PortKind, &PortTables, &ArbTables) -> Option<Diagnostic>;

fn each(site: &Site<'_>, found: &mut Diagnostics, look: Look) {
    if !site.programs_tables() {
        return;
    }
    for kind in site.distinct_kinds() {
        let held = site.held(kind);
        if let Some(tables) = ArbTables::of_port(&held) {
            found.extend(look(site, kind, &held, &tables));
        }
    }
}

/// The lanes that SLs map to, ascending.
pub(super) fn lanes_in_use(held: &PortTables) -> Vec<u8> {
    let mut lanes: Vec<u8> = match held.sl2vl {
        Some(table) => (0..16).map(|sl| table.get(Sl(sl)).0).filter(|vl| *vl < 15).collect(),
        None => vec![0],
    };
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

/// SLs on a lane, in words.
fn sls_on(held: &PortTables, vl: u8) -> String {
    let on = |sl: &u8| held.sl2vl.is_some_and(|table| table.get(Sl(*sl)) == Vl(vl));
    super::numbers("SL", &(0..16).filter(on).collect::<Vec<_>>())
}

fn has_weight(tables: &ArbTables, vl: u8) -> bool {
    let serves = |entry: &VlArbEntry| entry.vl == Vl(vl) && entry.weight > 0;
    tables.high.iter().chain(&tables.low).any(serves)
}

fn no_weight(
    site: &Site<'_>,
    kind: &PortKind,
    held: &PortTables,
    tables: &ArbTables,
) -> Option<Diagnostic> {
    let lanes = lanes_in_use(held);
    let bare: Vec<u8> = lanes.iter().copied().filter(|vl| !has_weight(tables, *vl)).collect();
    // Tables without any weight are another rule's.
    if bare.is_empty() || bare.len() == lanes.len() {
        return None;
    }
    let origins = site.wish(kind).origins;
    if origins.vlarb_low.is_none() && origins.vlarb_high.is_none() && origins.sl2vl.is_none() {
        return None;
    }
    let mut finding = NO_WEIGHT.found(format!(
        "{}: {} {} no weight in either arbitration table, so packets there are never sent",
        kind.name(),
        super::numbers("VL", &bare),
        if bare.len() == 1 { "has" } else { "have" }
    ));
    for vl in &bare {
        finding = finding.note(format!("{} map to VL{vl}", sls_on(held, *vl)));
    }
    finding = site.at_set(origins.vlarb_low.or(origins.vlarb_high), "vlarb_low", "", finding);
    finding = match origins.vlarb_high {
        Some(set) => site.also(&format!("{}vlarb_high", set.prefix()), "", finding),
        None => finding,
    };
    Some(finding.help("give each lane that SLs map to a weight in one of the tables"))
}

fn nothing_sent(
    site: &Site<'_>,
    kind: &PortKind,
    held: &PortTables,
    tables: &ArbTables,
) -> Option<Diagnostic> {
    let lanes = lanes_in_use(held);
    if lanes.iter().any(|vl| has_weight(tables, *vl)) {
        return None;
    }
    let origins = site.wish(kind).origins;
    let finding = NOTHING_SENT.found(format!(
        "{}: no lane that SLs map to has weight, so nothing is ever sent",
        kind.name()
    ));
    let finding = site.at_set(origins.vlarb_low, "vlarb_low", "", finding);
    Some(
        finding
            .help("take the qos_ vlarb lines away to have the built-in tables, or write weights"),
    )
}

fn part_of_a_packet(
    site: &Site<'_>,
    kind: &PortKind,
    held: &PortTables,
    tables: &ArbTables,
) -> Option<Diagnostic> {
    let origins = site.wish(kind).origins;
    let packet = kind.packet_weight();
    let mut lists = Vec::new();
    for (name, set, list) in [
        ("vlarb_high", origins.vlarb_high, &tables.high),
        ("vlarb_low", origins.vlarb_low, &tables.low),
    ] {
        let odd = |e: &&VlArbEntry| !u32::from(e.weight).is_multiple_of(packet);
        // A list with one lane alone has nothing to weigh it against.
        if set.is_some() && list.iter().any(|e| odd(&e)) && shares_a_list(list) {
            lists.push((name, set));
        }
    }
    let (name, set) = *lists.first()?;
    let finding = PART_OF_A_PACKET.found(format!(
        "{}: weights that are not a multiple of {packet} count as if they were rounded up to whole \
         packets of {} bytes",
        kind.name(),
        kind.mtu
    ));
    let mut finding = site.at_set(set, name, "a packet weighs more, or no whole part", finding);
    if [&tables.high, &tables.low].into_iter().all(|list| weights_are_equal(list)) {
        finding.severity = Severity::Info;
        finding =
            finding.note("all weights of a list are equal here, so they are rounded up alike");
    }
    for (name, set) in lists.iter().skip(1) {
        if let Some(set) = set {
            finding = site.also(&format!("{}{name}", set.prefix()), "here, too", finding);
        }
    }
    let busy: Vec<Busy> =
        lanes_in_use(held).into_iter().map(|vl| Busy { vl: Vl(vl), packet: kind.mtu }).collect();
    let real = shares(tables, &busy);
    let cells: Vec<String> =
        busy.iter().map(|b| format!("VL{} {:.1} %", b.vl.0, real.of(b.vl) * 100.0)).collect();
    Some(
        finding
            .note(format!(
                "when all lanes have full packets to send they get: {}",
                cells.join(", ")
            ))
            .help(format!(
                "write multiples of {packet}: {packet} is one packet of {} bytes",
                kind.mtu
            )),
    )
}

/// Whether all weights of a list are the same.
fn weights_are_equal(list: &[VlArbEntry]) -> bool {
    let mut weights = list.iter().map(|e| e.weight).filter(|weight| *weight > 0);
    weights.next().is_none_or(|first| weights.all(|weight| weight == first))
}

/// Whether more than one lane has weight in a list.
fn shares_a_list(list: &[VlArbEntry]) -> bool {
    let mut lanes = list.iter().filter(|e| e.weight > 0).map(|e| e.vl);
    lanes.next().is_some_and(|first| lanes.any(|vl| vl != first))
}
