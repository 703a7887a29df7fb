//! Routing engines: what they need, what they override, and what came of them on a fabric.

use lk_config::effective::{Engine, EngineName, engine_list};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_wire::VlCode;

use super::users::policy;
use crate::files::called;
use crate::rule::Rule;
use crate::site::{self, Site};

pub(super) static NEEDS_QOS: Rule = Rule {
    code: Code::new("QO020", "a routing engine that needs QoS while it is off"),
    severity: Severity::Error,
    page: include_str!("pages/QO020.md"),
    of_tables: false,
    look: needs_qos,
};

pub(super) static FEW_LANES: Rule = Rule {
    code: Code::new("QO021", "a routing engine that needs more lanes than operate"),
    severity: Severity::Warning,
    page: include_str!("pages/QO021.md"),
    of_tables: false,
    look: few_lanes,
};

pub(super) static OWN_SLS: Rule = Rule {
    code: Code::new("QO036", "SLs that the routing engine replaces"),
    severity: Severity::Warning,
    page: include_str!("pages/QO036.md"),
    of_tables: false,
    look: own_sls,
};

pub(super) static CREDIT_LOOP: Rule = Rule {
    code: Code::new("QO072", "routes that can deadlock"),
    severity: Severity::Error,
    page: include_str!("pages/QO072.md"),
    of_tables: false,
    look: credit_loop,
};

pub(super) static DECLINED: Rule = Rule {
    code: Code::new("QO073", "a routing engine that this fabric does not suit"),
    severity: Severity::Error,
    page: include_str!("pages/QO073.md"),
    of_tables: false,
    look: declined,
};

/// The engines that are asked for, by name; those of NVIDIA's OpenSM by what comes nearest.
pub(super) fn asked(site: &Site<'_>) -> Vec<&'static str> {
    let name = |word| match word {
        EngineName::Known(engine) | EngineName::Vendor { instead: Some(engine), .. } => {
            Some(engine.name())
        }
        _ => None,
    };
    let list = engine_list(site.options().routing_engine.as_deref());
    list.into_iter().filter_map(name).collect()
}

/// The first engine of the list that keeps packets apart by lanes.
pub(super) fn by_lanes(site: &Site<'_>) -> Option<&'static str> {
    let with_lanes = [Engine::Lash, Engine::Dfsssp, Engine::Nue, Engine::Torus2Qos];
    let named = |name: &&'static str| with_lanes.iter().any(|engine| engine.name() == *name);
    asked(site).into_iter().find(named)
}

fn needs_qos(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(engine) = by_lanes(site).filter(|_| !site.options().qos) else { return };
    let finding = if engine == "torus-2QoS" {
        NEEDS_QOS
            .found("torus-2QoS does not route while QoS is off")
            .note("the next engine of the list does, or minhop, which can deadlock on a torus")
    } else {
        let message = format!(
            "{engine} keeps packets apart by lanes, and while QoS is off no SL2VL table is \
             programmed"
        );
        Diagnostic::new(NEEDS_QOS.code, Severity::Warning, message)
            .note("what the ports hold decides then; with zeros all is on VL0 and can deadlock")
    };
    let finding = site.at("routing_engine", "", finding);
    found.push(site.also("qos", "", finding).help("write `qos TRUE` or give -Q"));
}

fn few_lanes(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(engine) = by_lanes(site) else { return };
    let code = site.options().max_op_vls;
    let (least, why) = match engine {
        "torus-2QoS" => (4, "two levels of QoS take four lanes each"),
        _ => (2, "with one lane it cannot keep packets apart"),
    };
    if code >= least || code == 0 {
        return;
    }
    let finding = FEW_LANES.found(format!(
        "{engine} wants {}, and only {} operate: {why}",
        site::lanes(VlCode(least)),
        site::lanes(VlCode(code))
    ));
    let finding = site.at("max_op_vls", "", finding);
    let finding = site.also("routing_engine", "", finding);
    found.push(finding.help(format!("`max_op_vls {least}` lets them operate")));
}

fn own_sls(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(engine) = by_lanes(site).filter(|_| site.options().qos) else { return };
    let mut places = Vec::new();
    if let Some(file) = policy(site) {
        let levels = file.policy.levels.iter().map(|l| (l.value.sl, &l.value.name.value));
        for (sl, name) in levels.filter(|(sl, _)| sl.value != 0 && sl.value < 16) {
            places.push((&file.source, sl.place, format!("SL{} of level `{name}`", sl.value)));
        }
        for rule in file.policy.ulps.iter().filter(|rule| rule.value.sl.value != 0) {
            let sl = rule.value.sl;
            places.push((&file.source, sl.place, format!("SL{}", sl.value)));
        }
    }
    if let Some(file) = site.files.and_then(|files| files.good_partitions()) {
        for statement in &file.content.statements {
            if let Some(sl) = statement.flags.sl.filter(|sl| sl.value != 0) {
                let what = format!("SL{} of partition {}", sl.value, called(statement));
                places.push((&file.source, sl.place, what));
            }
        }
    }
    let Some((source, place, what)) = places.first() else { return };
    let mut finding = OWN_SLS
        .found(format!(
            "{engine} chooses the SL of each path by its route: SLs of policies and partitions do \
             not reach unicast"
        ))
        .at(source, *place, what.clone());
    for (source, place, what) in places.iter().skip(1).take(4) {
        finding = finding.also(source, *place, what.clone());
    }
    finding = site.also("routing_engine", "this engine", finding);
    let finding = finding.note(
        "a client that asks for the SL of its level gets no path, unless they happen to agree",
    );
    found.push(if engine == "torus-2QoS" {
        finding
            .help("with torus-2QoS an SL of 8 or more means the second level of QoS: write 0 or 8")
    } else {
        finding
            .help("where classes matter take an engine without lanes: updn, ftree, or torus-2QoS")
    });
}

fn credit_loop(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(routing) = site.managed.map(|managed| &managed.routing) else { return };
    if routing.circle.is_empty() {
        return;
    }
    let engine = routing.engine.as_deref().unwrap_or("the engine");
    let default = if site.is_set("routing_engine") { "" } else { ", the engine by default," };
    let finding = CREDIT_LOOP.found(format!(
        "the routes of {engine}{default} have a credit loop on this fabric: packets can wait for each other \
         for ever"
    ));
    let mut finding = routing.circle.iter().take(16).cloned().fold(finding, Diagnostic::note);
    // Without any file of options nobody has said that this engine is to route it.
    let has_config = site.files.is_some_and(|files| files.has_config);
    if !has_config && !site.is_set("routing_engine") {
        finding.severity = Severity::Warning;
    }
    let finding = site.at("routing_engine", "", finding);
    found.push(finding.help(
        "`routing_engine auto` takes an engine that suits the topology; updn, and lash, dfsssp and \
         nue with QoS on, cannot deadlock",
    ));
}

/// No engine routes the fabric, and none may stand in: the manager writes nothing at all.
fn nobody_routes(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(unrouted) = site.unrouted else { return };
    let list = site.options().routing_engine.as_deref().unwrap_or("minhop");
    let mut finding = DECLINED.found(format!(
        "no engine of `{list}` routes this fabric, so nothing would be written to it"
    ));
    for (engine, reason) in &unrouted.declined {
        finding = finding.note(format!("{engine}: {reason}"));
    }
    let finding = site.at("routing_engine", "and no other may stand in", finding);
    found.push(
        finding
            .note("ports are judged by the options alone, as if there were no fabric")
            .help("mend what the engine asks for, take another engine, or take `no_fallback` out"),
    );
}

fn declined(site: &Site<'_>, found: &mut Diagnostics) {
    nobody_routes(site, found);
    let Some(routing) = site.managed.map(|managed| &managed.routing) else { return };
    for (engine, reason) in &routing.declined {
        let message = format!("{engine} does not route this fabric: {reason}");
        let finding = Diagnostic::warning(DECLINED.code, message);
        let finding = site.at("routing_engine", "", finding);
        found.push(match &routing.engine {
            Some(instead) => finding.note(format!("{instead} routes in its place")),
            None => finding,
        });
    }
    let engine = routing.engine.as_deref().unwrap_or("the engine");
    for note in &routing.notes {
        let finding = Diagnostic::info(DECLINED.code, format!("{engine} on this fabric: {note}"));
        found.push(site.at("routing_engine", "", finding));
    }
}
