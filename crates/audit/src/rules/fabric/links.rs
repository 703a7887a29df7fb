//! Links whose ends do not agree, or that run below what they could.

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::{LinkRate, PortId};
use lk_wire::{MlnxExtPortInfo, Mtu, PhysState, PortInfo};

use super::rates;
use crate::rule::Rule;
use crate::seen::Seen;
use crate::site::Site;

pub(in crate::rules) static ENDS_DISAGREE: Rule = Rule {
    code: Code::new("QO102", "the ends of a link do not agree"),
    severity: Severity::Error,
    page: include_str!("../pages/QO102.md"),
    of_tables: false,
    look: ends_disagree,
};

pub(in crate::rules) static BELOW_RATE: Rule = Rule {
    code: Code::new("QO107", "a link runs below the width or speed that both ends support"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO107.md"),
    of_tables: false,
    look: below_rate,
};

pub(in crate::rules) static BELOW_MTU: Rule = Rule {
    code: Code::new("QO108", "a link's MTU is below what both ends support"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO108.md"),
    of_tables: false,
    look: below_mtu,
};

/// Links that are up, of which both ends are known.
fn links<'a>(
    seen: &'a Seen<'_>,
) -> impl Iterator<Item = ((PortId, &'a PortInfo), (PortId, &'a PortInfo))> {
    let snapshot = seen.snapshot;
    snapshot.fabric.links().filter_map(move |(a, b)| {
        let up = |port| {
            let info = snapshot.port_info(port)?;
            (PhysState(info.port_physical_state()) == PhysState::LINK_UP).then_some((port, info))
        };
        Some((up(a)?, up(b)?))
    })
}

fn ends_disagree(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let mut wrong: Vec<(PortId, PortId, String)> = Vec::new();
    for ((a, one), (b, two)) in links(seen) {
        let mut said = Vec::new();
        if one.oper_vls() != two.oper_vls() {
            said.push(format!("OperVLs is code {} and {}", one.oper_vls(), two.oper_vls()));
        }
        if one.neighbor_mtu() != two.neighbor_mtu() {
            let mtu = |info: &PortInfo| {
                info.active_mtu().bytes().map_or("none".to_owned(), |bytes| bytes.to_string())
            };
            said.push(format!("NeighborMTU is {} and {}", mtu(one), mtu(two)));
        }
        if !said.is_empty() {
            wrong.push((a, b, said.join("; ")));
        }
    }
    let Some((a, b, said)) = wrong.first() else { return };
    let (one, two) = (seen.name(*a), seen.name(*b));
    found.push(
        ENDS_DISAGREE
            .found(format!(
                "the ends of {} do not agree: between {one} and {two} {said}",
                super::links(wrong.len())
            ))
            .note(format!(
                "{} and {}",
                seen.smpquery("portinfo", *a),
                seen.smpquery("portinfo", *b)
            ))
            .note(
                "an end refused what it was told, was reset since, or belongs to another manager's \
                 half of the fabric",
            )
            .help("a heavy sweep sets both ends (`kill -HUP` of the manager)"),
    );
}

/// The widest that both ends support, as a code of one width.
fn widest(both: u8) -> u8 {
    [8, 4, 2, 16, 1].into_iter().find(|code| both & code != 0).unwrap_or(0)
}

/// The highest bit.
const fn highest(mask: u8) -> u8 {
    if mask == 0 { 0 } else { 1 << mask.ilog2() }
}

fn below_rate(site: &Site<'_>, found: &mut Diagnostics) {
    let known = site.seen.as_ref().filter(|seen| seen.knows_ports());
    let Some(seen) = known else {
        let graph = site.seen.as_ref().map(|seen| &seen.snapshot.fabric);
        let graph = graph.or_else(|| site.managed.map(|managed| &managed.fabric));
        return graph.into_iter().for_each(|fabric| rates::by_graph(fabric, found));
    };
    let mut slow: Vec<(PortId, PortId, String)> = Vec::new();
    for ((a, one), (b, two)) in links(seen) {
        let vendor = |port| seen.snapshot.vendor_ports.get(&port);
        let has = |port, of: fn(&MlnxExtPortInfo) -> u8| {
            vendor(port).is_some_and(|info| of(info) & MlnxExtPortInfo::FDR10 != 0)
        };
        let extended = one.link_speed_ext_supported() & two.link_speed_ext_supported();
        let could = LinkRate {
            width: widest(one.link_width_supported() & two.link_width_supported()),
            speed: highest(one.link_speed_supported() & two.link_speed_supported() & 7),
            speed_ext: highest(extended & 15),
            fdr10: has(a, MlnxExtPortInfo::link_speed_supported)
                && has(b, MlnxExtPortInfo::link_speed_supported),
        };
        let runs = LinkRate {
            width: one.link_width_active(),
            speed: one.link_speed_active(),
            speed_ext: one.link_speed_ext_active(),
            fdr10: has(a, MlnxExtPortInfo::link_speed_active),
        };
        let (most, now) = (could.decigigabits(), runs.decigigabits());
        // Codes without a meaning here are not judged.
        if most > now && now > 0 {
            let name = |rate: LinkRate| {
                format!("{}x {}", rate.lanes(), rate.speed_name().unwrap_or("unknown"))
            };
            slow.push((a, b, format!("{} in place of {}", name(runs), name(could))));
        }
    }
    let Some((a, _, _)) = slow.first() else { return };
    let mut finding = BELOW_RATE.found(format!(
        "{} of the fabric run below what both ends support",
        super::links(slow.len())
    ));
    for (a, b, said) in slow.iter().take(5) {
        finding = finding.note(format!("{} to {}: {said}", seen.name(*a), seen.name(*b)));
    }
    if slow.len() > 5 {
        finding = finding.note(format!("and {} more", slow.len() - 5));
    }
    found.push(finding.note(seen.smpquery("portinfo", *a)).help(
        "look at the cable first, then at what is enabled (LinkWidthEnabled, LinkSpeedEnabled, and \
         force_link_width and force_link_speed of the manager)",
    ));
}

fn below_mtu(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let small: Vec<(PortId, PortId, u8, u8)> = links(seen)
        .filter_map(|((a, one), (b, two))| {
            let (runs, could) = (one.neighbor_mtu(), one.mtu_cap().min(two.mtu_cap()));
            // Ends that differ are another finding, and a code of 0 is no MTU.
            let same = runs == two.neighbor_mtu();
            (same && runs > 0 && runs < could).then_some((a, b, runs, could))
        })
        .collect();
    let Some((a, b, runs, could)) = small.first() else { return };
    let bytes = |code| Mtu(code).bytes().unwrap_or(0);
    found.push(
        BELOW_MTU
            .found(format!(
                "the MTU of {} is below what both ends support: {} to {} runs at {} and could at {}",
                super::links(small.len()),
                seen.name(*a),
                seen.name(*b),
                bytes(*runs),
                bytes(*could)
            ))
            .note(seen.smpquery("portinfo", *a))
            .note("an end port had a lower limit when the link was set up, or nobody set it")
            .help("a heavy sweep sets it again; the change takes the link down and up"),
    );
}
