//! Options of opensm.conf that do something else than they seem to.

use lk_config::QosSetName;
use lk_config::effective::{read_sl2vl, read_vlarb};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_qos::{ArbTables, Busy, PortClass, shares};
use lk_wire::{Vl, VlCode};

use super::fabric::wishes::held_while_off;
use super::weights::lanes_in_use;
use crate::rule::Rule;
use crate::site::{self, Site};

pub(super) static NUMBER_OF_LANES: Rule = Rule {
    code: Code::new("QO012", "max_op_vls that reads like a number of lanes"),
    severity: Severity::Info,
    page: include_str!("pages/QO012.md"),
    of_tables: false,
    look: number_of_lanes,
};

pub(super) static LONG_LIST: Rule = Rule {
    code: Code::new("QO013", "an arbitration list of more than 32 entries"),
    severity: Severity::Info,
    page: include_str!("pages/QO013.md"),
    of_tables: true,
    look: long_list,
};

pub(super) static BUILT_IN: Rule = Rule {
    code: Code::new("QO014", "lanes of one's own with the built-in arbitration"),
    severity: Severity::Info,
    page: include_str!("pages/QO014.md"),
    of_tables: true,
    look: built_in,
};

pub(super) static PORT_0: Rule = Rule {
    code: Code::new("QO015", "an SL2VL list for port 0 that traffic from outside does not meet"),
    severity: Severity::Warning,
    page: include_str!("pages/QO015.md"),
    of_tables: true,
    look: port_0,
};

pub(super) static NO_MAPPING: Rule = Rule {
    code: Code::new("QO016", "ports that do not map SLs"),
    severity: Severity::Warning,
    page: include_str!("pages/QO016.md"),
    of_tables: true,
    look: no_mapping,
};

pub(super) static REFUSED_TABLES: Rule = Rule {
    code: Code::new("QO017", "refusals of SL2VL tables are kept quiet"),
    severity: Severity::Warning,
    page: include_str!("pages/QO017.md"),
    of_tables: false,
    look: |site, found| {
        if site.options().suppress_sl2vl_mad_status_errors && site.options().qos {
            let finding = REFUSED_TABLES.found(
                "a port that refuses its SL2VL table counts as if it had taken it, and is not \
                 asked again",
            );
            let key = "suppress_sl2vl_mad_status_errors";
            found.push(
                site.at(key, "", finding)
                    .note("that is how OpenSM has it; Lanekeeper says it and asks again")
                    .help("take the line out and see which ports refuse"),
            );
        }
    },
};

/// How to be rid of tables.
const TAKE_BACK: &str = "to have plain tables, leave QoS on with `qos_sl2vl` all 0 for one sweep, \
                         or restart the switches";

pub(super) static TURNED_OFF: Rule = Rule {
    code: Code::new("QO018", "turning QoS off leaves the tables as they are"),
    severity: Severity::Warning,
    page: include_str!("pages/QO018.md"),
    of_tables: false,
    look: |site, found| {
        if let Some((count, names, query)) = held_while_off(site) {
            let ports = if count == 1 { "1 port holds" } else { &format!("{count} ports hold") };
            let finding = TURNED_OFF.found(format!(
                "QoS is off, and {ports} the SL2VL and arbitration tables of the file all the same: \
                 {names}"
            ));
            found.push(site.at("qos", "off here", finding).note(query).help(TAKE_BACK));
        }
        let before = site.files.and_then(|files| files.running.as_ref());
        if before.is_some_and(|before| before.options().qos) && !site.options().qos {
            let finding = TURNED_OFF.found(
                "QoS is on in the running manager: turned off, ports keep their SL2VL and \
                 arbitration tables and VLHighLimit, and partitions lose their SLs",
            );
            found.push(site.at("qos", "turned off here", finding).help(TAKE_BACK));
        }
    },
};

pub(super) static NO_CONFIG: Rule = Rule {
    code: Code::new("QO019", "prefix routes without an opensm.conf"),
    severity: Severity::Info,
    page: include_str!("pages/QO019.md"),
    of_tables: false,
    look: |site, found| {
        let Some(files) = site.files else { return };
        if let Some(routes) = files.prefix_routes.as_ref().filter(|_| !files.has_config) {
            let name = routes.source.name();
            let message = format!("OpenSM reads {name} only where there is an opensm.conf");
            let finding = site.at("prefix_routes_file", "", NO_CONFIG.found(message));
            found.push(finding.note("Lanekeeper reads it in any case").help(
                "let there be an opensm.conf, if only an empty one, as long as OpenSM may run",
            ));
        }
    },
};

pub(super) static OTHER_MANAGERS: Rule = Rule {
    code: Code::new("QO023", "other managers are ignored"),
    severity: Severity::Warning,
    page: include_str!("pages/QO023.md"),
    of_tables: false,
    look: |site, found| {
        if site.options().ignore_other_sm {
            let finding = OTHER_MANAGERS.found(
                "this manager takes the fabric whoever else manages it: with a standby there may \
                 be two masters",
            );
            found.push(
                site.at("ignore_other_sm", "", finding)
                    .note("two masters overwrite each other's LIDs, routes and tables")
                    .help("leave it FALSE where another manager may run; sm_priority decides"),
            );
        }
    },
};

pub(super) static POLICY_OFF: Rule = Rule {
    code: Code::new("QO024", "a QoS policy while QoS is off"),
    severity: Severity::Warning,
    page: include_str!("pages/QO024.md"),
    of_tables: false,
    look: |site, found| {
        let Some(policy) = site.files.and_then(|files| files.policy.as_ref()) else { return };
        if !site.options().qos {
            let message = format!("QoS is off, so {} is not even read", policy.source.name());
            let finding = site.at("qos_policy_file", "", POLICY_OFF.found(message));
            let finding = site.also("qos", "", finding);
            found.push(finding.help("write `qos TRUE` or give -Q"));
        }
    },
};

/// The most that lists and counts name, as a number of lanes, and the option that names it.
fn lanes_named(site: &Site<'_>) -> Option<(u32, String)> {
    let mut most: Option<(u32, String)> = None;
    let mut take = |lanes: u32, key: String| {
        if lanes > 0 && most.as_ref().is_none_or(|(before, _)| lanes > *before) {
            most = Some((lanes, key));
        }
    };
    for name in QosSetName::ALL {
        let set = site.options().qos_sets.get(name);
        let prefix = name.prefix();
        if let Some(text) = set.sl2vl.as_deref() {
            let lanes = read_sl2vl(text).into_iter().filter(|vl| *vl < 15).max();
            take(lanes.map_or(0, |vl| u32::from(vl) + 1), format!("{prefix}sl2vl"));
        }
        for (field, list) in [("vlarb_high", &set.vlarb_high), ("vlarb_low", &set.vlarb_low)] {
            if let Some(text) = list.as_deref() {
                let lanes = read_vlarb(text).into_iter().filter(|e| e.weight > 0).map(|e| e.vl);
                let lanes = lanes.max().map_or(0, |vl| u32::from(vl) + 1);
                take(lanes, format!("{prefix}{field}"));
            }
        }
        take(set.max_vls, format!("{prefix}max_vls"));
    }
    most
}

fn number_of_lanes(site: &Site<'_>, found: &mut Diagnostics) {
    let code = site.options().max_op_vls;
    if !site.options().qos || !site.is_set("max_op_vls") || !(3..=5).contains(&code) {
        return;
    }
    let Some((named, key)) = lanes_named(site).filter(|(named, _)| *named == u32::from(code))
    else {
        return;
    };
    let operate = VlCode(code);
    let needed = (1..=5).map(VlCode).find(|c| u32::from(c.data_vls()) >= named);
    let finding = NUMBER_OF_LANES.found(format!(
        "`max_op_vls {code}` lets {} operate, and nothing here uses more than {named} lanes",
        site::lanes(operate)
    ));
    let finding = site.at("max_op_vls", "a code, not a number", finding);
    let finding = site.also(&key, &format!("{named} lanes"), finding);
    found.push(match needed {
        Some(needed) => finding.help(format!(
            "if {named} lanes are meant, `max_op_vls {}` is {}: each then has a larger buffer",
            needed.0,
            site::lanes(needed)
        )),
        None => finding,
    });
}

fn long_list(site: &Site<'_>, found: &mut Diagnostics) {
    if !site.programs_tables() {
        return;
    }
    for name in QosSetName::ALL {
        let set = site.options().qos_sets.get(name);
        for (field, list) in [("vlarb_high", &set.vlarb_high), ("vlarb_low", &set.vlarb_low)] {
            let Some(text) = list.as_deref() else { continue };
            let entries = read_vlarb(text);
            let behind = entries.iter().skip(32).filter(|e| e.weight > 0).count();
            if behind == 0 {
                continue;
            }
            let key = format!("{}{field}", name.prefix());
            let finding = LONG_LIST.found(format!(
                "the list has {} entries; on a port whose table has room for 64 OpenSM loses those \
                 from the 33rd on",
                entries.len()
            ));
            found.push(
                site.at(&key, "", finding)
                    .note("Lanekeeper writes all of them; most adapters have room for 8 or fewer")
                    .help("join entries of the same lane"),
            );
        }
    }
}

fn built_in(site: &Site<'_>, found: &mut Diagnostics) {
    if !site.programs_tables() {
        return;
    }
    for kind in site.distinct_kinds() {
        let origins = site.wish(kind).origins;
        let held = site.held(kind);
        let lanes = lanes_in_use(&held);
        let Some(tables) = ArbTables::of_port(&held) else { continue };
        let own = origins.vlarb_low.is_some() || origins.vlarb_high.is_some();
        if own || origins.sl2vl.is_none() || lanes.len() < 2 {
            continue;
        }
        let packet = kind.full_packet();
        let busy: Vec<Busy> = lanes.iter().map(|vl| Busy { vl: Vl(*vl), packet }).collect();
        let real = shares(&tables, &busy);
        let cells: Vec<String> =
            busy.iter().map(|b| format!("VL{} {:.0} %", b.vl.0, real.of(b.vl) * 100.0)).collect();
        let finding = BUILT_IN.found(format!(
            "{}: SLs are mapped to lanes and no arbitration list is given: the built-in one puts \
             VL0 before all others, one packet at a time",
            kind.name()
        ));
        let finding = finding
            .note(format!("when all lanes have full packets to send: {}", cells.join(", ")))
            .help("write vlarb_low and vlarb_high lists with the weights that are meant");
        found.push(site.at_set(origins.sl2vl, "sl2vl", "", finding));
        return;
    }
}

fn port_0(site: &Site<'_>, found: &mut Diagnostics) {
    let own = site.options().qos_sets.get(QosSetName::Sw0).sl2vl.is_some();
    let (inside, outside) =
        (site.sets.get(PortClass::SwitchPort0), site.sets.get(PortClass::SwitchExternal));
    if !site.programs_tables() || !own || inside.sl2vl == outside.sl2vl {
        return;
    }
    let finding = PORT_0.found(
        "packets that come from the fabric to a switch's port 0 go by the table of its external \
         ports; this list is for what port 0 sends to itself",
    );
    let finding = site.at("qos_sw0_sl2vl", "", finding);
    let finding = match outside.origins.sl2vl {
        Some(set) => site.also(&format!("{}sl2vl", set.prefix()), "this one counts", finding),
        None => finding.note("the built-in table counts for them"),
    };
    found.push(finding.help("set `qos_swe_sl2vl`, or take the line out"));
}

fn no_mapping(site: &Site<'_>, found: &mut Diagnostics) {
    if !site.programs_tables() {
        return;
    }
    for kind in site.kinds.iter().filter(|kind| !kind.port.sl_mapping) {
        let written = site.wish(kind).origins.sl2vl;
        let finding: Diagnostic = NO_MAPPING.found(format!(
            "{} have no SL2VL table (IsSLMappingSupported is not set): all their SLs are on VL0",
            kind.name()
        ));
        found.push(match written {
            Some(_) => site.at_set(written, "sl2vl", "not for these ports", finding),
            None => finding,
        });
    }
}
