//! Lanes that the ports have and do not operate, and the SL by which they reach the manager.

use lk_diag::{Code, Diagnostics, Severity};
use lk_wire::{Sl, Vl, VlCode};

use super::Groups;
use crate::rule::Rule;
use crate::seen::{Seen, data_vls};
use crate::site::{Site, lanes};

pub(in crate::rules) static MANAGER_CUT_OFF: Rule = Rule {
    code: Code::new("QO122", "the SL by which ports ask the manager is dropped"),
    severity: Severity::Error,
    page: include_str!("../pages/QO122.md"),
    of_tables: false,
    look: manager_cut_off,
};

pub(in crate::rules) static LANES_AT_REST: Rule = Rule {
    code: Code::new("QO123", "fewer lanes operate than the ports have"),
    severity: Severity::Info,
    page: include_str!("../pages/QO123.md"),
    of_tables: false,
    look: lanes_at_rest,
};

fn manager_cut_off(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let fabric = &seen.snapshot.fabric;
    let of_hosts =
        seen.active_ports().filter(|(p, _)| fabric.as_switch(fabric.owner(*p)).is_none());
    let mut asked: Vec<u8> = of_hosts.map(|(_, info)| info.master_sm_sl()).collect();
    asked.sort_unstable();
    asked.dedup();
    for sl in asked {
        let drops = |port: &_| dropped(seen, *port, Sl(sl));
        let ports: Vec<_> = seen.active_ports().map(|(port, _)| port).filter(drops).collect();
        let Some(first) = ports.first() else { continue };
        found.push(
            MANAGER_CUT_OFF
                .found(format!(
                    "ports ask the manager by SL {sl}, and {} drop it: {}",
                    super::ports(ports.len()),
                    seen.names(&ports)
                ))
                .note(format!(
                    "{} shows VL 15 for it, or a lane that does not operate; SMSL in {} is the SL",
                    seen.smpquery("sl2vl", *first),
                    seen.smpquery("portinfo", *first)
                ))
                .note("no program gets a path, and no port joins a group such as that of IPoIB")
                .help(
                    "give the SL a lane in all sl2vl lists, or the manager another one by `sm_sl`",
                ),
        );
    }
}

/// Whether a port drops packets of an SL, whencesoever they come.
fn dropped(seen: &Seen<'_>, port: lk_fabric::PortId, sl: Sl) -> bool {
    let operate = seen.snapshot.port_info(port).map_or(0, data_vls);
    // With one lane the table is not looked at.
    operate > 1
        && seen
            .lanes_of(port)
            .iter()
            .any(|(vl, sls)| sls.0 & (1 << sl.0) != 0 && (*vl == Vl::DROP || vl.0 >= operate))
}

fn lanes_at_rest(site: &Site<'_>, found: &mut Diagnostics) {
    // A file that names the number says it, too, and is what the ports are compared with.
    let Some(seen) = site.seen.as_ref().filter(|_| !site.is_set("max_op_vls")) else { return };
    let mut groups = Groups::new();
    for (port, info) in seen.active_ports() {
        let Some(most) = seen.wanted_lanes(port, info, VlCode::VL0_14.0) else { continue };
        let now = info.operational_vls();
        if now.is_defined() && most.is_defined() && now.data_vls() < most.data_vls() {
            groups.add((now.0, most.0), port);
        }
    }
    for ((now, most), ports) in groups.by_count() {
        found.push(
            LANES_AT_REST
                .found(format!(
                    "{} operate {} alone, and could at both ends {}: {}",
                    super::ports(ports.len()),
                    lanes(VlCode(now)),
                    lanes(VlCode(most)),
                    seen.names(&ports)
                ))
                .note(format!(
                    "OperVLs and VLCap in {}: a design for more lanes is folded onto these",
                    seen.smpquery("portinfo", ports[0])
                ))
                .help(format!(
                    "`max_op_vls {most}` of the manager lets them operate (it is a code); the change \
                     takes all links down and up",
                )),
        );
    }
}
