//! The limit of the high-priority list.

use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_qos::{ArbTables, Busy, shares};
use lk_wire::Vl;

use super::weights::lanes_in_use;
use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static STARVED: Rule = Rule {
    code: Code::new("QO007", "no limit for the high-priority list"),
    severity: Severity::Warning,
    page: include_str!("pages/QO007.md"),
    of_tables: true,
    look: |site, found| each(site, found, starved),
};

pub(super) static ONE_PACKET: Rule = Rule {
    code: Code::new("QO008", "the high-priority list may send one packet at a time"),
    severity: Severity::Info,
    page: include_str!("pages/QO008.md"),
    of_tables: true,
    look: |site, found| each(site, found, one_packet),
};

type Look = fn(&Site<'_>, &PortKind, &ArbTables, &[Busy]) -> Option<Diagnostic>;

fn each(site: &Site<'_>, found: &mut Diagnostics, look: Look) {
    if !site.programs_tables() {
        return;
    }
    for kind in site.distinct_kinds() {
        let held = site.held(kind);
        let Some(tables) = ArbTables::of_port(&held) else { continue };
        let busy: Vec<Busy> = lanes_in_use(&held)
            .into_iter()
            .map(|vl| Busy { vl: Vl(vl), packet: kind.full_packet() })
            .collect();
        found.extend(look(site, kind, &tables, &busy));
    }
}

fn lanes_of(list: &[lk_wire::VlArbEntry]) -> Vec<u8> {
    let mut lanes: Vec<u8> = list.iter().filter(|e| e.weight > 0).map(|e| e.vl.0).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

fn starved(
    site: &Site<'_>,
    kind: &PortKind,
    tables: &ArbTables,
    busy: &[Busy],
) -> Option<Diagnostic> {
    if tables.high_limit != 255 {
        return None;
    }
    let low = lanes_of(&tables.low);
    let starved: Vec<u8> =
        shares(tables, busy).starved().map(|vl| vl.0).filter(|vl| low.contains(vl)).collect();
    if starved.is_empty() {
        return None;
    }
    let finding = STARVED
        .found(format!(
            "{}: {} {} nothing while {} {} something to send, for high_limit 255 is no limit",
            kind.name(),
            super::numbers("VL", &starved),
            if starved.len() == 1 { "gets" } else { "get" },
            super::numbers("VL", &lanes_of(&tables.high)),
            if lanes_of(&tables.high).len() == 1 { "has" } else { "have" },
        ))
        .help("a limit from 0 to 254 lets one low-priority packet in after as many times 4 KiB");
    Some(site.at_set(site.wish(kind).origins.high_limit, "high_limit", "no limit", finding))
}

fn one_packet(
    site: &Site<'_>,
    kind: &PortKind,
    tables: &ArbTables,
    busy: &[Busy],
) -> Option<Diagnostic> {
    let origins = site.wish(kind).origins;
    let (high, low) = (lanes_of(&tables.high), lanes_of(&tables.low));
    let written = origins.high_limit.is_some() || origins.vlarb_high.is_some();
    if tables.high_limit != 0 || high.is_empty() || low.is_empty() || !written {
        return None;
    }
    let real = shares(tables, busy);
    let of = |lanes: &[u8]| {
        let counts = |lane: &&lk_qos::LaneShare| lanes.contains(&lane.vl.0);
        let bytes: u128 = real.lanes.iter().filter(counts).map(|lane| lane.bytes).sum();
        if real.period == 0 { 0.0 } else { bytes as f64 / real.period as f64 * 100.0 }
    };
    let finding = ONE_PACKET
        .found(format!(
            "{}: with high_limit 0 each packet of the high-priority list is followed by one of the \
             other: {} {} {:.0} % together when all lanes are busy",
            kind.name(),
            super::numbers("VL", &high),
            if high.len() == 1 { "gets" } else { "get" },
            of(&high)
        ))
        .note("weights of the high-priority list then say only who of it sends next");
    Some(site.at_set(origins.high_limit, "high_limit", "", finding))
}
