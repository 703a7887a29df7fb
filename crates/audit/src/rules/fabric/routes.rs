//! Where the forwarding tables lead, and what can stand still on the way.

use lk_diag::{Code, Diagnostics, Severity};
use lk_fabric::SwitchId;
use lk_routing::check::{Check, check};
use lk_routing::proof::{Forwarding, LaneMap, Lanes, OneLane, Proof, SlSet, Traffic, prove_all};
use lk_routing::{End, Lfts, LidMap};
use lk_wire::{PortNum, Sl, Vl};

use crate::forwarding::Held;
use crate::rule::Rule;
use crate::seen::{Seen, sls};
use crate::site::Site;

pub(in crate::rules) static NOT_REACHED: Rule = Rule {
    code: Code::new("QO111", "LIDs that are not reached from everywhere"),
    severity: Severity::Error,
    page: include_str!("../pages/QO111.md"),
    of_tables: false,
    look: not_reached,
};

pub(in crate::rules) static CREDIT_LOOP: Rule = Rule {
    code: Code::new("QO112", "routes that can bring the fabric to a standstill"),
    severity: Severity::Error,
    page: include_str!("../pages/QO112.md"),
    of_tables: false,
    look: credit_loop,
};

pub(in crate::rules) static SOMETIMES_DROPPED: Rule = Rule {
    code: Code::new("QO114", "an SL that some ports pass and others drop"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO114.md"),
    of_tables: false,
    look: sometimes_dropped,
};

pub(in crate::rules) static TOP_TOO_LOW: Rule = Rule {
    code: Code::new("QO120", "a forwarding table ends below LIDs that are in use"),
    severity: Severity::Error,
    page: include_str!("../pages/QO120.md"),
    of_tables: false,
    look: top_too_low,
};

fn switch_name(held: &Held, switch: SwitchId) -> &str {
    &held.fabric.node(held.fabric.switch_node(switch)).description
}

fn not_reached(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let held = seen.held();
    if !has_tables(held) {
        return;
    }
    let Check { unreached, loops, .. } = check(&held.fabric, &held.lids, &held.lfts);
    if let Some(first) = loops.first() {
        let names: Vec<&str> = first.switches.iter().map(|s| switch_name(held, *s)).collect();
        found.push(
            NOT_REACHED
                .found(format!(
                    "packets to {} go round in circles: those to LID {} between {}",
                    count(loops.len()),
                    first.lid,
                    names.join(", ")
                ))
                .note("ibtracert from any of these to that LID does not end")
                .help("a heavy sweep writes the tables anew"),
        );
    }
    let lost: Vec<_> = unreached
        .iter()
        .filter(|lost| !lost.of_switch && lost.from_leaves > 0 && lost.end != End::Loop)
        .collect();
    let Some(first) = lost.first() else { return };
    let owner = held.lids.port(first.lid).map(|port| seen.name(port)).unwrap_or_default();
    let from = switch_name(held, first.first);
    found.push(
        NOT_REACHED
            .found(format!(
                "{} {} not reached from everywhere: LID {} ({owner}) not from {from}",
                count(lost.len()),
                if lost.len() == 1 { "is" } else { "are" },
                first.lid
            ))
            .note(format!(
                "ibroute {} shows where the table of {from} leads",
                seen.snapshot
                    .fabric
                    .port(seen.snapshot.fabric.node(held.fabric.switch_node(first.first)).first)
                    .lid
            ))
            .help("a heavy sweep writes the tables anew"),
    );
}

fn count(lids: usize) -> String {
    if lids == 1 { "1 LID".to_owned() } else { format!("{lids} LIDs") }
}

/// Whether anybody has set the switches up.
fn has_tables(held: &Held) -> bool {
    held.lfts.rows.iter().any(|row| row.iter().any(|byte| *byte != Lfts::NO_PATH))
}

/// Engines that keep free of loops by giving paths SLs of their own.
const BY_SL: [&str; 4] = ["torus-2QoS", "lash", "dfsssp", "nue"];

fn credit_loop(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let held = seen.held();
    if !has_tables(held) {
        return;
    }
    let traffic = SlSet::one(Sl(0));
    let proof = match held.lanes.known {
        true => prove(held, &held.lanes, traffic),
        false => prove(held, &OneLane, traffic),
    };
    let Some(circle) = proof.circle.as_ref().filter(|circle| !circle.is_empty()) else { return };
    let mut names: Vec<String> = Vec::new();
    for wait in circle {
        let at = held.fabric.port_at(held.fabric.switch_node(wait.switch), wait.port);
        names.extend(at.map(|port| seen.name(port)));
    }
    let engine = site.options().routing_engine.as_deref();
    let sure = one_lane(seen, held)
        || engine.is_some_and(|engine| !BY_SL.iter().any(|name| engine.contains(name)));
    let mut finding = CREDIT_LOOP
        .found(format!(
            "packets that all have SL 0 can wait for each other in a circle of {} links: {}",
            names.len(),
            names.join(", ")
        ))
        .note("`lanekeeper verify` on the same fabric names the traffic of each link")
        .help(
            "take an engine that cannot deadlock here: updn or ftree on trees, torus-2QoS (with -Q) \
             on tori",
        );
    if !sure {
        finding.severity = Severity::Warning;
        finding = finding.note(
            "an engine that gives paths SLs of their own may keep free of it: the manager knows them, \
             and `verify --path-sls` takes them; programs that use SL 0 without asking are at risk \
             all the same",
        );
    }
    found.push(finding);
}

/// Looks for circles of packets between adapters.
fn prove<L: Lanes>(held: &Held, lanes: &L, sls: SlSet) -> Proof {
    let fabric = &held.fabric;
    let is_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    let ranges = held.lids.ranges().iter().filter(|(port, ..)| !is_switch(*port)).copied();
    let hosts = LidMap::new(ranges.collect());
    let tables = Forwarding { lids: &hosts, ..held.forwarding() };
    let between = |switch: SwitchId, from: PortNum, to: PortNum| match from {
        PortNum(0) => LaneMap::new(|_| Vl::DROP),
        _ => lanes.lanes(switch, from, to),
    };
    prove_all(&tables, &between, &sls, Traffic::EndPorts)
}

/// Whether no table tells SLs apart, so that no choice of SLs can help.
fn one_lane(seen: &Seen<'_>, held: &Held) -> bool {
    !held.lanes.known
        || seen.snapshot.fabric.switches().iter().all(|node| {
            let ports = seen.snapshot.fabric.external_ports(*node);
            ports.into_iter().all(|port| {
                let one = seen.snapshot.port_info(port).is_some_and(|info| info.oper_vls() == 1);
                one || seen.lanes_of(port).len() <= 1
            })
        })
}

fn sometimes_dropped(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let held = seen.held();
    let in_use = seen.active_ports().next().is_some() || !seen.knows_ports();
    if !held.lanes.known || held.lanes.dropped == SlSet::EMPTY || !in_use {
        return;
    }
    let fabric = &held.fabric;
    // What adapters let in should pass.
    let mut passed = SlSet::EMPTY;
    for (port, _) in seen.up_ports().filter(|(p, _)| fabric.as_switch(fabric.owner(*p)).is_none()) {
        let lanes = seen.lanes_of(port).into_iter().filter(|(vl, _)| *vl != Vl::DROP);
        passed = lanes.fold(passed, |all, (_, sls)| SlSet(all.0 | sls.0));
    }
    let mut first: Option<(SwitchId, PortNum, PortNum, SlSet)> = None;
    for switch in fabric.switch_ids() {
        let node = fabric.switch_node(switch);
        let cabled = fabric.external_ports(node).filter(|port| fabric.peer(*port).is_some());
        let numbers: Vec<PortNum> = cabled.map(|port| fabric.port_num(port)).collect();
        for (from, to) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b))) {
            if from == to
                || seen
                    .snapshot
                    .fabric
                    .port_at(node, to)
                    .is_none_or(|egress| seen.snapshot.sl2vl(egress, u16::from(from.0)).is_none())
            {
                continue;
            }
            let map = held.lanes.lanes(switch, from, to);
            let (mut through, mut lost) = (SlSet::EMPTY, SlSet::EMPTY);
            for sl in SlSet::ALL.iter() {
                match map.vl(sl) {
                    Vl::DROP => lost = lost.with(sl),
                    _ => through = through.with(sl),
                }
            }
            passed = SlSet(passed.0 | through.0);
            if lost != SlSet::EMPTY && first.is_none() {
                first = Some((switch, from, to, lost));
            }
        }
    }
    let mixed = SlSet(passed.0 & held.lanes.dropped.0);
    let Some((switch, from, to, _)) = first.filter(|_| mixed != SlSet::EMPTY) else { return };
    let egress = fabric.port_at(fabric.switch_node(switch), to);
    let mut finding = SOMETIMES_DROPPED.found(format!(
        "packets of {} pass some ports and are dropped by others, the first of them {} from port \
         {from} to port {to}",
        sls(mixed),
        switch_name(held, switch)
    ));
    if let Some(egress) = egress {
        finding = finding.note(seen.smpquery("sl2vl", egress));
    }
    found.push(finding.help("write VL 15 for the SL everywhere, or a lane everywhere"));
}

fn top_too_low(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let last = fabric.end_ports().filter(|port| fabric.port(*port).lid.is_unicast()).map(|port| {
        let range = fabric.port(port);
        range.lid.0.saturating_add((1 << range.lmc) - 1)
    });
    let Some(last) = last.max() else { return };
    let low: Vec<(SwitchId, u16)> = fabric
        .switch_ids()
        .filter_map(|switch| {
            let top = seen.snapshot.switch_info(switch)?.linear_fdb_top();
            (top < last).then_some((switch, top))
        })
        .collect();
    let Some((switch, top)) = low.first() else { return };
    let node = fabric.node(fabric.switch_node(*switch));
    found.push(
        TOP_TOO_LOW
            .found(format!(
                "LinearFDBTop of {} is {top}, and LIDs up to {last} are in use{}",
                node.description,
                match low.len() {
                    1 => String::new(),
                    n => format!("; the same of {} more switches", n - 1),
                }
            ))
            .note(format!("smpquery switchinfo {}", fabric.port(node.first).lid))
            .note(
                "packets to LIDs above its top are dropped, whatever its table holds; 0 is the top \
                   of a switch that nobody has set up",
            )
            .help("a heavy sweep sets it"),
    );
}
