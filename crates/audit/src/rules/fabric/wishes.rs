//! Ports that hold something else than the files ask for.

use lk_config::QosSetName;
use lk_diag::{Code, Diagnostics, Severity};
use lk_qos::PortTables;

use super::Groups;
use crate::rule::Rule;
use crate::seen::Seen;
use crate::site::Site;

pub(in crate::rules) static OTHER_THAN_FILES: Rule = Rule {
    code: Code::new("QO101", "ports hold other tables than the files ask for"),
    severity: Severity::Error,
    page: include_str!("../pages/QO101.md"),
    of_tables: false,
    look,
};

/// Engines that decide on SL2VL and VLArb tables themselves.
const OWN_TABLES: [&str; 3] = ["torus-2QoS", "nue", "dfsssp"];

fn look(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = site.seen.as_ref().filter(|_| site.options().qos) else { return };
    let engines = site.options().routing_engine.as_deref().unwrap_or_default();
    let own_tables = OWN_TABLES.iter().any(|engine| engines.contains(engine));
    let mut groups = Groups::new();
    let mut looked_at = 0;
    for (port, info) in seen.active_ports() {
        // Of a far end that is not known nobody can say what both can do.
        let Some(wanted) = seen.wanted_lanes(port, info, site.options().max_op_vls) else {
            continue;
        };
        looked_at += 1;
        let mut wrong = Vec::new();
        if info.operational_vls() != wanted {
            wrong.push(What::OperVls(info.oper_vls(), wanted.0));
        }
        let egress = seen.egress(port, info, wanted);
        let tables = PortTables::new(&site.sets, &egress);
        if info.vl_high_limit() != tables.high_limit {
            wrong.push(What::HighLimit(info.vl_high_limit(), tables.high_limit));
        }
        if !own_tables {
            differing_tables(seen, port, &tables, &mut wrong);
        }
        if !wrong.is_empty() {
            groups.add(wrong, port);
        }
    }
    for (wrong, ports) in groups.by_count() {
        let first = ports[0];
        let mut what: Vec<&str> = wrong.iter().map(What::name).collect();
        what.dedup();
        let mut finding = OTHER_THAN_FILES.found(format!(
            "{} of {looked_at} hold another {} than the files ask for: {}",
            super::ports(ports.len()),
            what.join(", "),
            seen.names(&ports)
        ));
        for what in &wrong {
            finding =
                finding.note(format!("{}; {}", what.words(), seen.smpquery(what.query(), first)));
        }
        finding = finding.note(cause(&wrong, ports.len(), looked_at));
        found.push(finding.help(
            "`lanekeeper sm --plan` with the same files says what would be changed; a running \
             manager takes new files over at SIGHUP",
        ));
    }
}

/// Something that differs: held and asked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum What {
    OperVls(u8, u8),
    HighLimit(u8, u8),
    Sl2vl(String, String),
    VlArb(u8, bool),
}

impl What {
    const fn name(&self) -> &'static str {
        match self {
            Self::OperVls(..) => "OperVLs",
            Self::HighLimit(..) => "VLHighLimit",
            Self::Sl2vl(..) => "SL2VL table",
            Self::VlArb(..) => "VLArb table",
        }
    }

    const fn query(&self) -> &'static str {
        match self {
            Self::OperVls(..) | Self::HighLimit(..) => "portinfo",
            Self::Sl2vl(..) => "sl2vl",
            Self::VlArb(..) => "vlarb",
        }
    }

    fn words(&self) -> String {
        match self {
            Self::OperVls(have, want) => format!("OperVLs is code {have}, {want} is asked for"),
            Self::HighLimit(have, want) => format!("VLHighLimit is {have}, {want} is asked for"),
            Self::Sl2vl(have, want) => format!("SL2VL is {have}, {want} is asked for"),
            Self::VlArb(block, zero) => {
                let priority = if *block < 3 { "low" } else { "high" };
                let holds = if *zero { "has no weight at all" } else { "is another one" };
                format!("the VLArb table of {priority} priority (block {block}) {holds}")
            }
        }
    }
}

fn differing_tables(
    seen: &Seen<'_>,
    port: lk_fabric::PortId,
    tables: &PortTables,
    wrong: &mut Vec<What>,
) {
    let ingress = seen.snapshot.tables.ingress_ports(port);
    let other = (0..ingress).find_map(|n| {
        let (have, want) = (seen.snapshot.sl2vl(port, n)?, tables.sl2vl_from(n as u8)?);
        (have != want).then(|| What::Sl2vl(have.to_string(), want.to_string()))
    });
    wrong.extend(other);
    let held = seen.snapshot.tables.vlarb_blocks(port);
    for (block, (have, want)) in held.iter().zip(&tables.vlarb).enumerate() {
        if let (Some(have), Some(want)) = (have, want)
            && !want.is_held_as(have)
        {
            let zero = have.iter().take(usize::from(want.used)).all(|entry| entry.weight == 0);
            wrong.push(What::VlArb(block as u8 + 1, zero));
        }
    }
}

/// Ports that hold the tables that a file asks for, although QoS is off in it.
pub(in crate::rules) fn held_while_off(site: &Site<'_>) -> Option<(usize, String, String)> {
    let seen = site.seen.as_ref().filter(|_| !site.options().qos)?;
    let written = |set: QosSetName| {
        let set = site.options().qos_sets.get(set);
        set.sl2vl.is_some() && (set.vlarb_high.is_some() || set.vlarb_low.is_some())
    };
    // Tables that nobody has written down may be those that ports come with.
    if !QosSetName::ALL.into_iter().any(written) {
        return None;
    }
    let mut ports = Vec::new();
    for (port, info) in seen.active_ports() {
        let egress = seen.egress(port, info, info.operational_vls());
        let tables = PortTables::new(&site.sets, &egress);
        let mut wrong = Vec::new();
        differing_tables(seen, port, &tables, &mut wrong);
        let known = seen.arbitration(port, info).is_some() && !seen.lanes_of(port).is_empty();
        if wrong.is_empty() && known && info.oper_vls() > 1 {
            ports.push(port);
        }
    }
    let first = *ports.first()?;
    Some((ports.len(), seen.names(&ports), seen.smpquery("sl2vl", first)))
}

fn cause(wrong: &[What], ports: usize, all: usize) -> String {
    let one_lane = wrong.iter().any(|what| matches!(what, What::OperVls(1, _)));
    let zero = wrong.iter().any(|what| matches!(what, What::VlArb(_, true)));
    if ports == all && zero {
        "no port holds them: the manager in force has QoS off, so that it writes no tables"
            .to_owned()
    } else if ports == all && one_lane {
        "no port has more than one lane: max_op_vls of the manager in force is 1, or QoS is off there"
            .to_owned()
    } else if ports == all {
        "no port holds them: another manager, or one with other files, is in force".to_owned()
    } else {
        "other ports hold what they should: these refused the tables, were reset since, or came up \
         after the last heavy sweep"
            .to_owned()
    }
}
