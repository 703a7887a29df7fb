//! Rules of a policy that never count, or not for all that they name.

use lk_config::qos_policy::{Range, Ranges, UlpKind};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity, Span};
use lk_qos::policy::{FileRule, PolicyFile, Reach, RuleId, extents_of_file, reach};

use super::super::users::policy;
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static DEAD: Rule = Rule {
    code: Code::new("QO033", "a rule of the policy that can never match"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO033.md"),
    of_tables: false,
    look: dead,
};

pub(in crate::rules) static OVERLAP: Rule = Rule {
    code: Code::new("QO039", "rules of the policy that overlap"),
    severity: Severity::Info,
    page: include_str!("../pages/QO039.md"),
    of_tables: false,
    look: overlap,
};

/// With more rules than this the work grows with their square.
const MANY: usize = 4096;

/// The place of a rule without the text of its sections: the line that it begins with.
fn heading(file: &PolicyFile, place: Span) -> Span {
    let line = file.source.line_span(file.source.line_of(place.start));
    Span::new(place.start, place.end.min(line.end))
}

fn dead(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let rules = extents_of_file(&file.policy);
    if rules.len() > MANY {
        return;
    }
    let extents = match super::compiled(site) {
        Some((Some(compiled), _)) => {
            // The same rules in the same order, unless one names a level that is not there.
            let places_agree = compiled.rule_count() == rules.len()
                && rules.iter().enumerate().all(|(at, rule)| {
                    compiled.rule_place(RuleId(at as u32)) == file.source.position(rule.place.start)
                });
            if !places_agree {
                return;
            }
            let fabric = site.managed.map(|managed| &managed.fabric);
            fabric.map(|fabric| compiled.extents(fabric)).unwrap_or_default()
        }
        _ => rules.iter().map(|rule| rule.extent.clone()).collect(),
    };
    for (rule, fate) in rules.iter().zip(reach(&extents)) {
        found.extend(one(file, &rules, rule, &fate));
    }
}

fn one(file: &PolicyFile, rules: &[FileRule], rule: &FileRule, fate: &Reach) -> Option<Diagnostic> {
    let at = |finding: Diagnostic| {
        finding.at(&file.source, heading(file, rule.place), "never the first that fits")
    };
    match fate {
        Reach::Reached => None,
        Reach::Nothing(criterion) => Some(
            at(DEAD.found(format!("this rule matches nothing: no {criterion} fits it")))
                .help("mend the group or the list that it names, or take the rule out"),
        ),
        Reach::Covered(takers) => {
            let takers: Vec<&FileRule> = takers.iter().filter_map(|n| rules.get(*n)).collect();
            let same = takers.iter().all(|taker| taker.sl == rule.sl);
            let message = match takers.len() {
                1 => "this rule never counts: an earlier one takes all that it is for",
                _ => "this rule never counts: earlier ones together take all that it is for",
            };
            let mut finding = at(DEAD.found(message));
            if same {
                finding.severity = Severity::Info;
                finding = finding.note("they give the same SL, so that it makes no difference");
            }
            for taker in takers.iter().take(4) {
                let place = heading(file, taker.place);
                finding = finding.also(&file.source, place, "this one fits first");
            }
            Some(finding.help("the first rule that fits counts: put the narrower one first"))
        }
    }
}

/// Ranges of two rules that have a part in common, and each a part of its own.
fn partly(a: &Ranges, b: &Ranges) -> Option<Range> {
    let within = |one: &Ranges, other: &Ranges| {
        let inside = |r: &lk_config::Placed<Range>| {
            other.iter().any(|o| o.value.low <= r.value.low && r.value.high <= o.value.high)
        };
        one.iter().all(inside)
    };
    if within(a, b) || within(b, a) {
        return None;
    }
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x.value, y.value)));
    let mut common = pairs.filter_map(|(x, y)| {
        let (low, high) = (x.low.max(y.low), x.high.min(y.high));
        (low <= high).then(|| Range::new(low, high))
    });
    common.next()
}

fn overlap(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    if file.policy.rules.len() + file.policy.ulps.len() > MANY {
        return;
    }
    match_rules(file, found);
    ulps(file, found);
}

fn match_rules(file: &PolicyFile, found: &mut Diagnostics) {
    let rules = &file.policy.rules;
    for (at, rule) in rules.iter().enumerate() {
        for earlier in &rules[..at] {
            let (a, b) = (&earlier.value, &rule.value);
            let other_level = !a.level.value.eq_ignore_ascii_case(&b.level.value);
            if !other_level || a.source != b.source || a.destination != b.destination {
                continue;
            }
            let criteria = [
                (&a.qos_class, &b.qos_class, "QoS classes"),
                (&a.service_id, &b.service_id, "service IDs"),
                (&a.pkeys, &b.pkeys, "P_Keys"),
            ];
            let differ: Vec<_> = criteria.iter().filter(|(a, b, _)| a != b).collect();
            if let [(a, b, what)] = differ.as_slice()
                && let Some(common) = partly(a, b)
            {
                found.push(both(file, earlier.place, rule.place, &format!("{what} {common}")));
            }
        }
    }
}

fn ulps(file: &PolicyFile, found: &mut Diagnostics) {
    let ulps = &file.policy.ulps;
    for (at, rule) in ulps.iter().enumerate() {
        let same = |earlier: &&lk_config::Placed<lk_config::qos_policy::UlpRule>| {
            earlier.value.kind == rule.value.kind && earlier.value.sl != rule.value.sl
        };
        for earlier in ulps[..at].iter().filter(same) {
            if let Some(common) = partly(&earlier.value.values, &rule.value.values) {
                found.push(both(file, earlier.place, rule.place, &common.to_string()));
            }
        }
    }
    // A rule by port takes every protocol.
    let by_port = |kind| {
        use UlpKind::{Source, SourceAndTarget, SrpTarget, Target};
        matches!(kind, SrpTarget | Target | Source | SourceAndTarget)
    };
    let Some(at) = ulps.iter().position(|rule| by_port(rule.value.kind)) else { return };
    let later = ulps[at + 1..].iter().find(|rule| {
        !by_port(rule.value.kind)
            && rule.value.kind != UlpKind::Default
            && rule.value.sl != ulps[at].value.sl
    });
    if let Some(later) = later {
        let finding = OVERLAP
            .found("a rule by port takes all protocols of that port from the rules behind it")
            .at(&file.source, ulps[at].place, "by port")
            .also(&file.source, later.place, "not for those ports");
        found.push(finding.help("put rules by port last, if the protocols are to come first"));
    }
}

fn both(file: &PolicyFile, earlier: Span, later: Span, what: &str) -> Diagnostic {
    OVERLAP
        .found(format!("two rules with different levels name {what}; the first of them counts"))
        .at(&file.source, heading(file, later), "not for these")
        .also(&file.source, heading(file, earlier), "this one counts")
}
