//! QoS options that go badly with torus-2QoS, which has SL2VL tables of its own.
//!
//! Between switches it uses VLs 0 to 3 for one level of QoS and 4 to 7 for the other; packets of a
//! level are on any of its four lanes, so these should have equal shares. End ports have VL 0 and
//! VL 1.

use lk_config::{Effective, Placed, QosSetName, codes};
use lk_diag::{Diagnostic, Diagnostics};
use lk_qos::policy::PolicyFile;
use lk_qos::{PortClass, QosSet};

/// Says which options are overridden, which arbitration tables are unfair and which SLs of the
/// policy come down to others.
pub(in crate::commands) fn look(
    effective: &Effective,
    policy: Option<&PolicyFile>,
    said: &mut Diagnostics,
) {
    let options = effective.options();
    let asked = options.routing_engine.as_deref().unwrap_or_default();
    let wanted = |name: &str| name == "torus-2QoS";
    if !options.qos || !asked.split([',', ' ', '\t']).any(wanted) {
        return;
    }
    overridden(effective, said);
    for class in
        [PortClass::SwitchToSwitch, PortClass::Ca, PortClass::SwitchPort0, PortClass::Router]
    {
        arbitration(effective, class, said);
    }
    few_lanes(effective, said);
    if let Some(policy) = policy.filter(|file| !file.policy.refused) {
        folded(policy, said);
    }
}

/// At the line of an option, if it stands on one.
fn at(effective: &Effective, key: &str, finding: Diagnostic) -> Diagnostic {
    match effective.origin(key).place() {
        Some((source, span)) => finding.at(source, span, ""),
        None => finding,
    }
}

fn overridden(effective: &Effective, said: &mut Diagnostics) {
    for name in QosSetName::ALL {
        if effective.options().qos_sets.get(name).sl2vl.is_none() {
            continue;
        }
        let key = format!("{}sl2vl", name.prefix());
        let finding = Diagnostic::warning(
            codes::TORUS_QOS,
            format!("{key} is not used where torus-2QoS routes: it has SL2VL tables of its own"),
        );
        said.push(at(effective, &key, finding));
    }
}

/// The weights of each VL in a list, summed.
fn weights(list: &lk_qos::ArbList) -> [u32; 16] {
    let mut sums = [0; 16];
    for entry in list.0 {
        sums[usize::from(entry.vl.0 & 15)] += u32::from(entry.weight);
    }
    sums
}

fn arbitration(effective: &Effective, class: PortClass, said: &mut Diagnostics) {
    let set = QosSet::resolve(&effective.options().qos_sets, class);
    let lists = [
        ("vlarb_high", &set.vlarb_high, set.origins.vlarb_high),
        ("vlarb_low", &set.vlarb_low, set.origins.vlarb_low),
    ];
    for (field, list, origin) in lists {
        let sums = weights(list);
        let even = |vls: &[u32]| vls.iter().all(|weight| *weight == vls[0]);
        let problem = if class == PortClass::SwitchToSwitch {
            let uneven: Vec<&str> = [("0 to 3", &sums[..4]), ("4 to 7", &sums[4..8])]
                .into_iter()
                .filter(|(_, vls)| !even(vls))
                .map(|(vls, _)| vls)
                .collect();
            (!uneven.is_empty()).then(|| {
                format!(
                    "between switches it gives VLs {} unequal weights, and torus-2QoS spreads \
                     packets of one level over them",
                    uneven.join(" and ")
                )
            })
        } else {
            sums[2..8].iter().any(|weight| *weight > 0).then(|| {
                "at end ports it gives weight to VLs 2 to 7, and torus-2QoS uses VLs 0 and 1 there"
                    .to_owned()
            })
        };
        let Some(problem) = problem else { continue };
        let (key, which) = match origin {
            Some(name) => (format!("{}{field}", name.prefix()), "configured"),
            None => (format!("{}{field}", class.sets()[0].prefix()), "built-in"),
        };
        let finding =
            Diagnostic::warning(codes::TORUS_QOS, format!("the {which} {key}: {problem}"));
        said.push(at(effective, &key, finding));
    }
}

/// Numbers of VLs that are said and are too small for two levels. They have no effect.
fn few_lanes(effective: &Effective, said: &mut Diagnostics) {
    for name in QosSetName::ALL {
        let least = match name {
            QosSetName::Ca | QosSetName::Sw0 | QosSetName::Rtr => 2,
            QosSetName::Generic | QosSetName::Swe | QosSetName::Sw2sw => 8,
        };
        let set = effective.options().qos_sets.get(name).max_vls;
        if set == 0 || set >= least {
            continue;
        }
        let key = format!("{}max_vls", name.prefix());
        let finding = Diagnostic::warning(
            codes::TORUS_QOS,
            format!("{key} {set} is less than the {least} data VLs of torus-2QoS there"),
        );
        said.push(at(effective, &key, finding));
    }
}

/// SLs of the policy of which torus-2QoS keeps nothing but the highest bit: the other three say
/// which datelines a path crosses. All are named in one warning.
fn folded(file: &PolicyFile, said: &mut Diagnostics) {
    let (policy, source) = (&file.policy, &file.source);
    let levels = policy.levels.iter().map(|level| {
        let level = &level.value;
        (format!("level {:?}", level.name.value), level.sl)
    });
    let ulps = policy.ulps.iter().map(|rule| {
        let (name, values) = rule.value.kind.form();
        let form = if values.is_empty() { name.to_owned() } else { format!("{name}, {values}") };
        (format!("rule {form:?}"), rule.value.sl)
    });
    // With an SL above 15 a query fails, whatever routes.
    let lost = |sl: &Placed<u8>| sl.value < 16 && sl.value & 7 != 0;
    let lost: Vec<_> = levels.chain(ulps).filter(|(_, sl)| lost(sl)).collect();
    let Some((_, first)) = lost.first() else { return };
    let named = lost.iter().map(|(what, sl)| {
        let line = source.line_of(sl.place.start);
        format!("{what} (SL {} counts as {}, line {line})", sl.value, sl.value & 8)
    });
    let named: Vec<String> = named.collect();
    let message = format!(
        "torus-2QoS has two levels of QoS, by SLs 0 to 7 and 8 to 15; the SL of a path is not the \
         one that the policy says for {}",
        named.join(", ")
    );
    let finding = Diagnostic::warning(codes::TORUS_QOS, message)
        .at(source, first.place, "")
        .help("say SL 0 or SL 8, so that the policy shows which of them share lanes");
    said.push(finding);
}

#[cfg(test)]
mod tests {
    use lk_config::{opensm_conf, qos_policy};
    use lk_diag::SourceFile;

    use super::*;

    /// The messages, each with its line; 0 where it has none.
    fn said(text: &str) -> Vec<(usize, String)> {
        let source = SourceFile::new("opensm.conf", text.as_bytes().to_vec());
        let mut effective = Effective::new(None);
        let (conf, _) = opensm_conf::parse(&source);
        effective.load(&conf);
        let mut found = Diagnostics::new();
        look(&effective, None, &mut found);
        let line =
            |d: &Diagnostic| d.labels.first().map_or(0, |label| source.line_of(label.span.start));
        found.iter().map(|d| (line(d), d.message.clone())).collect()
    }

    const ON: &str = "routing_engine torus-2QoS\nqos TRUE\n";

    #[test]
    fn overridden_and_unfair_options_are_named_with_their_lines() {
        let text = format!(
            "{ON}qos_swe_sl2vl 0,1\nqos_swe_vlarb_high 0:4,1:4,2:4,3:4\n\
             qos_swe_vlarb_low 4:1,5:1,6:2,7:1\nqos_vlarb_low 0:1,1:1\nqos_vlarb_high 0:1\n\
             qos_ca_max_vls 1\n"
        );
        let found = said(&text);
        let has = |line: usize, words: &[&str]| {
            let mut all = found.iter().filter(|(at, _)| *at == line);
            all.any(|(_, text)| words.iter().all(|word| text.contains(word)))
        };
        assert!(has(3, &["qos_swe_sl2vl", "own"]), "{found:?}");
        assert!(has(5, &["configured qos_swe_vlarb_low", "VLs 4 to 7"]), "{found:?}");
        assert!(has(8, &["qos_ca_max_vls 1", "2 data VLs"]), "{found:?}");
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn the_built_in_lists_are_unfair_in_five_places() {
        let found = said(ON);
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(found.iter().all(|(line, text)| *line == 0 && text.starts_with("the built-in")));
    }

    #[test]
    fn other_engines_and_qos_off_are_let_alone() {
        assert_eq!(said("routing_engine minhop\nqos TRUE\nqos_sl2vl 0\n"), []);
        assert_eq!(said("routing_engine torus-2QoS\nqos_sl2vl 0\n"), []);
    }

    const POLICY: &str = "qos-ulps\n default : 8\n sdp : 9\nend-qos-ulps\nqos-levels\n\
        qos-level\n name: calm\n sl: 0\n end-qos-level\n\
        qos-level\n name: storage\n sl: 3\n end-qos-level\n\
        qos-level\n name: high\n sl: 11\n end-qos-level\nend-qos-levels\n";

    /// What is said of a policy beside what is said without one.
    fn said_of(text: &str, policy: &str) -> Vec<Diagnostic> {
        let source = SourceFile::new("qos-policy.conf", policy.as_bytes().to_vec());
        let (policy, _) = qos_policy::parse(&source);
        let mut effective = Effective::new(None);
        effective.load(&opensm_conf::parse(&SourceFile::new("opensm.conf", text)).0);
        let file = PolicyFile { source, policy };
        let mut found = Diagnostics::new();
        look(&effective, Some(&file), &mut found);
        found.iter().filter(|d| d.message.contains("policy")).cloned().collect()
    }

    #[test]
    fn the_levels_of_a_policy_that_come_down_to_others_are_named_once() {
        let found = said_of(ON, POLICY);
        assert_eq!(found.len(), 1, "{found:?}");
        let text = &found[0].message;
        let named = "level \"storage\" (SL 3 counts as 0, line 12), level \"high\" (SL 11 \
                     counts as 8, line 16), rule \"sdp\" (SL 9 counts as 8, line 3)";
        assert!(text.ends_with(named), "{text}");
        assert!(!text.contains("calm") && !text.contains("default"), "{text}");
        assert_eq!(found[0].primary().map(|label| label.position().line), Some(12));
    }

    #[test]
    fn a_policy_is_let_alone_where_its_sls_count_or_it_does_not() {
        assert!(said_of("routing_engine minhop\nqos TRUE\n", POLICY).is_empty());
        assert!(said_of("routing_engine torus-2QoS\n", POLICY).is_empty());
        let bad = POLICY.replace("end-qos-levels", "");
        assert!(said_of(ON, &bad).is_empty(), "a policy that is refused");
        let kept = POLICY.replace(": 3", ": 8").replace(": 11", ": 0").replace(": 9", ": 8");
        assert!(said_of(ON, &kept).is_empty());
    }
}
