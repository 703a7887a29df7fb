//! What a policy says about itself: names that are missing, doubled or of no effect.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, nearest};

use super::{DEFAULT, QosPolicy, UlpKind, advice};
use crate::{Placed, codes};

pub(super) fn check(policy: &mut QosPolicy, source: &SourceFile, found: &mut Diagnostics) {
    let mut faults = Vec::new();
    default_level(policy, source, &mut faults);
    names_exist(policy, source, &mut faults);
    policy.refused |= !faults.is_empty();
    found.extend(faults);
    doubles(policy, source, found);
    ulps(policy, source, found);
    setup(policy, source, found);
}

fn default_level(policy: &QosPolicy, source: &SourceFile, faults: &mut Vec<Diagnostic>) {
    let by_rule = || policy.ulps.iter().any(|u| u.value.kind == UlpKind::Default);
    if policy.level(DEFAULT).is_none() && !by_rule() {
        let place = lk_diag::Span::point(source.text().len());
        faults.push(
            Diagnostic::error(codes::POLICY_REFUSED, "there is no default level")
                .at(source, place, "")
                .help(
                    "add a qos-level with `name: DEFAULT` and an sl, or `default : SL` in qos-ulps",
                ),
        );
    }
}

fn names_exist(policy: &QosPolicy, source: &SourceFile, faults: &mut Vec<Diagnostic>) {
    let missing = |what: &str, name: &Placed<String>, known: Vec<&str>| {
        let message = format!("there is no {what} `{}`", name.value);
        let fault = Diagnostic::error(codes::POLICY_REFUSED, message).at(source, name.place, "");
        match (nearest(&name.value, known.iter().copied()), known.is_empty()) {
            (Some(near), _) => fault.help(format!("did you mean `{near}`?")),
            (None, true) => fault.help(format!("add a {what} of this name")),
            (None, false) => fault.help(format!("there are: {}", known.join(", "))),
        }
    };
    let levels = || policy.levels.iter().map(|l| l.value.name.value.as_str()).collect();
    let groups = || policy.groups.iter().map(|g| g.value.name.value.as_str()).collect();
    for rule in policy.rules.iter().map(|r| &r.value) {
        // A rule without this line has been told already.
        let said = rule.level.value.is_empty();
        if !said && policy.level(&rule.level.value).is_none() {
            faults.push(missing("qos-level", &rule.level, levels()));
        }
        for name in rule.source.iter().chain(&rule.destination) {
            if policy.group(&name.value).is_none() {
                faults.push(missing("port-group", name, groups()));
            }
        }
    }
}

fn doubles(policy: &QosPolicy, source: &SourceFile, found: &mut Diagnostics) {
    let groups = policy.groups.iter().map(|g| ("port-group", &g.value.name));
    let levels = policy.levels.iter().map(|l| ("qos-level", &l.value.name));
    let mut seen: Vec<(&str, &Placed<String>)> = Vec::new();
    // A missing name has been told already.
    for (what, name) in groups.chain(levels).filter(|(_, name)| !name.value.is_empty()) {
        let same = |other: &&(&str, &Placed<String>)| {
            other.0 == what && other.1.value.eq_ignore_ascii_case(&name.value)
        };
        if let Some((_, first)) = seen.iter().find(same) {
            let message = format!("a second {what} `{}` is not used", name.value);
            found.push(
                Diagnostic::warning(codes::POLICY_UNUSED, message)
                    .at(source, name.place, "not used")
                    .also(source, first.place, "the first counts"),
            );
        } else {
            seen.push((what, name));
        }
    }
}

fn ulps(policy: &QosPolicy, source: &SourceFile, found: &mut Diagnostics) {
    let counts = policy.ulp_default().map(|u| u.place);
    for ulp in policy.ulps.iter().filter(|u| u.value.kind == UlpKind::Default) {
        if Some(ulp.place) == counts {
            continue;
        }
        let (place, text) = match (policy.level(DEFAULT), counts) {
            (Some(level), _) => (level.place, "this level counts"),
            (None, Some(last)) => (last, "the last rule counts"),
            (None, None) => continue,
        };
        found.push(
            Diagnostic::warning(codes::POLICY_UNUSED, "this default has no effect")
                .at(source, ulp.place, "no effect")
                .also(source, place, text),
        );
    }
    for ulp in &policy.ulps {
        let note = match ulp.value.kind {
            UlpKind::SourceAndTarget => {
                "both ends have to be among these GUIDs, not one of them as the documents say"
            }
            UlpKind::SrpTarget => "it fits all traffic to these ports, not only that of SRP",
            _ => continue,
        };
        let message = "the rule fits otherwise than its name says";
        let told = Diagnostic::info(codes::POLICY_NAME, message).at(source, ulp.place, "");
        found.push(told.note(note));
    }
}

/// One warning for each scope of qos-setup, with the lines that would do something.
fn setup(policy: &QosPolicy, source: &SourceFile, found: &mut Diagnostics) {
    for scope in &policy.setup {
        let lines = advice::lines_for(policy, &scope.value);
        let told = Diagnostic::warning(codes::POLICY_SETUP, "this table is never applied")
            .at(source, scope.place, "")
            .note("OpenSM has always read qos-setup and ignored it")
            .note(
                "opensm.conf knows classes of ports only: all adapters, all external ports of \
                 switches, all routers",
            );
        found.push(match lines.is_empty() {
            true => told,
            false => told.help(format!("write in opensm.conf: {}", lines.join("; "))),
        });
    }
}
