//! Tables with which traffic stands still, is dropped or is not told apart.

use lk_diag::{Code, Diagnostics, Severity};
use lk_routing::proof::SlSet;
use lk_wire::Vl;

use super::Groups;
use crate::rule::Rule;
use crate::seen::{data_vls, sls};
use crate::site::Site;

pub(in crate::rules) static NO_ARBITRATION: Rule = Rule {
    code: Code::new("QO103", "a port may send nothing: its arbitration tables are all zero"),
    severity: Severity::Error,
    page: include_str!("../pages/QO103.md"),
    of_tables: false,
    look: no_arbitration,
};

pub(in crate::rules) static ONE_LANE_FOR_ALL: Rule = Rule {
    code: Code::new("QO104", "all SLs share one lane although more operate"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO104.md"),
    of_tables: false,
    look: one_lane_for_all,
};

pub(in crate::rules) static NO_SUCH_LANE: Rule = Rule {
    code: Code::new("QO105", "an SL is sent to a lane that does not operate"),
    severity: Severity::Error,
    page: include_str!("../pages/QO105.md"),
    of_tables: false,
    look: no_such_lane,
};

pub(in crate::rules) static WITHOUT_WEIGHT: Rule = Rule {
    code: Code::new("QO106", "a lane that SLs use has no arbitration weight"),
    severity: Severity::Error,
    page: include_str!("../pages/QO106.md"),
    of_tables: false,
    look: without_weight,
};

fn no_arbitration(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let mut silent = Vec::new();
    let mut looked_at = 0;
    for (port, info) in seen.active_ports().filter(|(_, info)| data_vls(info) > 1) {
        let Some(tables) = seen.arbitration(port, info) else { continue };
        let mut all = tables.low.iter().chain(&tables.high).peekable();
        if all.peek().is_none() {
            continue;
        }
        looked_at += 1;
        if all.all(|entry| entry.weight == 0) {
            silent.push(port);
        }
    }
    let Some(first) = silent.first() else { return };
    let cause = if silent.len() == looked_at {
        "no port has any weight: QoS is off in the manager in force, and nothing has written tables \
         since the ports came up"
    } else {
        "other ports have weights: these refused the tables or were reset since"
    };
    found.push(
        NO_ARBITRATION
            .found(format!(
                "{} with several lanes have no weight in either VLArb table: {}",
                super::ports(silent.len()),
                seen.names(&silent)
            ))
            .note(seen.smpquery("vlarb", *first))
            .note(cause)
            .help(
                "switch QoS on (`qos TRUE`) with weights for all lanes in use, or let one lane \
                   operate (`max_op_vls 1`)",
            ),
    );
}

fn one_lane_for_all(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let mut flat = Vec::new();
    let mut looked_at = 0;
    for (port, _) in seen.active_ports().filter(|(_, info)| data_vls(info) > 1) {
        let lanes = seen.lanes_of(port);
        looked_at += usize::from(!lanes.is_empty());
        let used = lanes.keys().filter(|vl| **vl != Vl::DROP).count();
        if used == 1 {
            flat.push(port);
        }
    }
    let Some(first) = flat.first() else { return };
    let cause = if flat.len() == looked_at {
        "no port tells SLs apart: QoS is off in the manager in force, or its sl2vl list has one lane"
    } else {
        "other ports tell SLs apart: these refused the table or were reset since"
    };
    found.push(
        ONE_LANE_FOR_ALL
            .found(format!(
                "{} put all SLs on one lane although more operate: {}",
                super::ports(flat.len()),
                seen.names(&flat)
            ))
            .note(seen.smpquery("sl2vl", *first))
            .note(cause)
            .help(
                "switch QoS on with an sl2vl list that uses the lanes, if SLs are to be told apart",
            ),
    );
}

fn no_such_lane(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let mut groups = Groups::new();
    for (port, info) in seen.active_ports() {
        let lanes = data_vls(info);
        // With one lane the table is not looked at.
        if lanes < 2 {
            continue;
        }
        let over =
            seen.lanes_of(port).into_iter().filter(|(vl, _)| *vl != Vl::DROP && vl.0 >= lanes);
        let lost = over.fold(SlSet::EMPTY, |all, (_, sls)| SlSet(all.0 | sls.0));
        if lost != SlSet::EMPTY {
            groups.add((lost.0, lanes), port);
        }
    }
    for ((lost, lanes), ports) in groups.by_count() {
        found.push(
            NO_SUCH_LANE
                .found(format!(
                    "{} send {} to lanes above VL{}, the last that operates: {}",
                    super::ports(ports.len()),
                    sls(SlSet(lost)),
                    lanes - 1,
                    seen.names(&ports)
                ))
                .note(format!(
                    "{} and {}",
                    seen.smpquery("sl2vl", ports[0]),
                    seen.smpquery("portinfo", ports[0])
                ))
                .note("the table was written when more lanes operated, or by another manager")
                .help(
                    "with QoS on, a heavy sweep writes tables that fit (`kill -HUP` of the manager)",
                ),
        );
    }
}

fn without_weight(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let mut groups = Groups::new();
    for (port, info) in seen.active_ports() {
        let lanes = data_vls(info);
        let Some(tables) = seen.arbitration(port, info).filter(|_| lanes > 1) else { continue };
        let entries = || tables.low.iter().chain(&tables.high).filter(|entry| entry.weight > 0);
        // A port without any weight is another finding.
        if entries().next().is_none() {
            continue;
        }
        let starved: Vec<(u8, u16)> = seen
            .lanes_of(port)
            .into_iter()
            .filter(|(vl, _)| vl.0 < lanes && !entries().any(|entry| entry.vl == *vl))
            .map(|(vl, sls)| (vl.0, sls.0))
            .collect();
        if !starved.is_empty() {
            groups.add(starved, port);
        }
    }
    for (starved, ports) in groups.by_count() {
        let words: Vec<String> =
            starved.iter().map(|(vl, set)| format!("VL{vl} ({})", sls(SlSet(*set)))).collect();
        found.push(
            WITHOUT_WEIGHT
                .found(format!(
                    "{} never send from {}: {}",
                    super::ports(ports.len()),
                    words.join(" and "),
                    seen.names(&ports)
                ))
                .note(format!(
                    "{} and {}",
                    seen.smpquery("sl2vl", ports[0]),
                    seen.smpquery("vlarb", ports[0])
                ))
                .help("give each lane that an SL maps to a weight in one of the two VLArb lists"),
        );
    }
}
