//! Lanes by which a routing engine keeps packets apart, and lists that put them together.

use lk_diag::{Code, Diagnostics, Severity};
use lk_qos::PortClass;
use lk_qos::sets::DEFAULT_SL2VL;
use lk_wire::{Sl, Vl};

use super::engines::by_lanes;
use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::{self, Site};

pub(super) static MERGED: Rule = Rule {
    code: Code::new("QO025", "lanes of a routing engine that are one lane"),
    severity: Severity::Error,
    page: include_str!("pages/QO025.md"),
    of_tables: true,
    look: |site, found| {
        if !site.programs_tables() {
            return;
        }
        let Some((engine, sls)) = counted_on(site) else { return };
        let between = |kind: &&PortKind| kind.port.class == PortClass::SwitchToSwitch;
        let switch = |kind: &&PortKind| kind.port.class == PortClass::SwitchExternal;
        let mut kinds: Vec<&PortKind> = site.kinds.iter().filter(between).collect();
        if kinds.is_empty() && site.managed.is_none() {
            // Which ports of a switch lead to others is not known.
            kinds = site.kinds.iter().filter(switch).collect();
        }
        kinds.dedup_by_key(|kind| kind.port.oper_vls);
        kinds.into_iter().for_each(|kind| look(site, kind, engine, &sls, found));
    },
};

/// The engine that counts on SL2VL tables, and its SLs: those that its paths have, or, where no
/// fabric says that, those that it may use. torus-2QoS has tables of its own.
fn counted_on<'a>(site: &'a Site<'_>) -> Option<(&'a str, Vec<u8>)> {
    let counts = |engine: &&str| ["lash", "dfsssp", "nue"].contains(engine);
    if let Some(managed) = site.managed {
        let engine = managed.routing.engine.as_deref().filter(counts)?;
        return Some((engine, managed.routing.sls.clone()));
    }
    let engine = by_lanes(site).filter(counts)?;
    let switch = |kind: &&PortKind| {
        matches!(kind.port.class, PortClass::SwitchExternal | PortClass::SwitchToSwitch)
    };
    let lanes = site.kinds.iter().filter(switch).map(|kind| kind.port.oper_vls.data_vls());
    let have = lanes.min()?.min(15);
    let options = site.options();
    Some(match (engine, options.nue_max_num_vls) {
        ("lash", _) => (engine, (options.lash_start_vl..have).collect()),
        ("nue", 1..) => (engine, (0..options.nue_max_num_vls.min(have)).collect()),
        _ => (engine, (0..have).collect()),
    })
}

fn look(site: &Site<'_>, kind: &PortKind, engine: &str, sls: &[u8], found: &mut Diagnostics) {
    let wish = site.wish(kind);
    let Some(held) = site.held(kind).sl2vl else { return };
    let on = |vl: u8| -> Vec<u8> {
        sls.iter().copied().filter(|sl| held.get(Sl(*sl)) == Vl(vl)).collect()
    };
    let shared: Vec<(u8, Vec<u8>)> =
        (0..15).map(|vl| (vl, on(vl))).filter(|(_, sls)| sls.len() > 1).collect();
    if shared.is_empty() {
        return;
    }
    let has = if site.managed.is_some() { "has" } else { "can have" };
    let mut finding = MERGED.found(format!(
        "{engine} keeps packets apart by SL so that they cannot deadlock, and {} put together SLs \
         that it {has}",
        kind.name()
    ));
    for (vl, sls) in &shared {
        finding = finding.note(format!("{} are on VL{vl}", super::numbers("SL", sls)));
    }
    let folded =
        shared.iter().any(|(vl, sls)| sls.iter().any(|sl| wish.sl2vl.get(Sl(*sl)) != Vl(*vl)));
    if folded {
        let lanes = site::lanes(kind.port.oper_vls);
        finding =
            finding.note(format!("only {lanes} operate, and other lanes are folded to these"));
    }
    finding = site.at_set(wish.origins.sl2vl, "sl2vl", "puts SLs on one lane", finding);
    finding = site.also("routing_engine", "this engine counts on separate lanes", finding);
    if site.managed.is_some_and(|managed| managed.routing.circle.is_empty()) {
        finding.severity = Severity::Warning;
        finding = finding.note("no circle comes of it on this fabric as it is");
    }
    let set = wish.origins.sl2vl.map_or("qos_", |set| set.prefix());
    found.push(finding.help(format!(
        "leave the list out, or write `{set}sl2vl {DEFAULT_SL2VL}`: each SL has the lane of its \
         number"
    )));
}
