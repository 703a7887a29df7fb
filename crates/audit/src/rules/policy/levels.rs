//! What the levels of a policy come to.

use std::collections::BTreeSet;

use lk_config::Placed;
use lk_config::qos_policy::{DEFAULT, QosLevel, QosPolicy, UlpKind};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_qos::policy::{PartitionPorts, RuleId};
use lk_wire::Rate;

use super::super::users::policy;
use crate::files::{called, key_of};
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static ASKED_FOR: Rule = Rule {
    code: Code::new("QO034", "rules for queries that say more than most do"),
    severity: Severity::Info,
    page: include_str!("../pages/QO034.md"),
    of_tables: false,
    look: asked_for,
};

pub(in crate::rules) static PARTITION_SL: Rule = Rule {
    code: Code::new("QO035", "the SL of a partition that the policy overrides"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO035.md"),
    of_tables: false,
    look: partition_sl,
};

pub(in crate::rules) static LEVEL_PKEY: Rule = Rule {
    code: Code::new("QO037", "a QoS level with a P_Key"),
    severity: Severity::Info,
    page: include_str!("../pages/QO037.md"),
    of_tables: false,
    look: level_pkey,
};

pub(in crate::rules) static UNUSED: Rule = Rule {
    code: Code::new("QO040", "a level or group of the policy that nothing uses"),
    severity: Severity::Info,
    page: include_str!("../pages/QO040.md"),
    of_tables: false,
    look: unused,
};

pub(in crate::rules) static NO_LIMIT: Rule = Rule {
    code: Code::new("QO041", "a limit that no link can meet"),
    severity: Severity::Info,
    page: include_str!("../pages/QO041.md"),
    of_tables: false,
    look: no_limit,
};

pub(in crate::rules) static NOT_SHARED: Rule = Rule {
    code: Code::new("QO042", "a P_Key of a level that the ends do not share"),
    severity: Severity::Error,
    page: include_str!("../pages/QO042.md"),
    of_tables: false,
    look: not_shared,
};

fn asked_for(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let policy = &file.policy;
    let who = [
        "few programs set it: rdma_cm does where the application gives a type of service, IPoIB \
         and SRP do not",
        "rdma_cm sets it for each connection; IPoIB, multicast and programs that exchange LIDs by \
         themselves do not",
        "IPoIB and rdma_cm set it; saquery and older programs do not",
    ];
    let mut places: [Vec<lk_diag::Span>; 3] = Default::default();
    for rule in &policy.rules {
        let value = &rule.value;
        for (at, ranges) in [&value.qos_class, &value.service_id, &value.pkeys].iter().enumerate() {
            places[at].extend(ranges.first().map(|range| range.place));
        }
    }
    for rule in &policy.ulps {
        match rule.value.kind {
            UlpKind::Default | UlpKind::SrpTarget | UlpKind::Target => {}
            UlpKind::Source | UlpKind::SourceAndTarget => {}
            UlpKind::Ipoib | UlpKind::IpoibPkey | UlpKind::Pkey => places[2].push(rule.place),
            _ => places[1].push(rule.place),
        }
    }
    for ((places, name), who) in places.iter().zip(["QoSClass", "ServiceID", "P_Key"]).zip(who) {
        let Some(first) = places.first() else { continue };
        let (count, verb) = match places.len() {
            1 => ("a rule".to_owned(), "is"),
            n => (format!("{n} rules"), "are"),
        };
        let finding: Diagnostic = ASKED_FOR
            .found(format!("{count} of the policy {verb} for queries that carry a {name} only"))
            .at(&file.source, *first, "");
        found.push(finding.note(format!("a query without it goes on to the next rule: {who}")));
    }
}

/// The SL of unicast in a partition for which no rule looks at more than the key; `None` where an
/// earlier rule may take it.
fn plain_sl(policy: &QosPolicy, key: u16) -> Option<u8> {
    let key = u64::from(key);
    for rule in &policy.rules {
        let value = &rule.value;
        let named = |list: &[Placed<String>]| {
            let all = |name: &Placed<String>| {
                policy.group(&name.value).is_some_and(|group| {
                    let types = &group.value.node_types;
                    types.iter().any(|t| t.value == lk_config::qos_policy::NodeType::All)
                })
            };
            !list.is_empty() && !list.iter().any(all)
        };
        let other_key = !value.pkeys.is_empty() && !value.pkeys.iter().any(|k| k.value.holds(key));
        if other_key || !value.qos_class.is_empty() || !value.service_id.is_empty() {
            continue;
        }
        if named(&value.source) || named(&value.destination) {
            return None;
        }
        return Some(policy.level(&value.level.value)?.value.sl.value);
    }
    for rule in &policy.ulps {
        let value = &rule.value;
        let fits = match value.kind {
            UlpKind::Ipoib => key == 0x7FFF,
            UlpKind::IpoibPkey | UlpKind::Pkey => value.values.iter().any(|k| k.value.holds(key)),
            _ => false,
        };
        if fits {
            return Some(value.sl.value);
        }
    }
    let default = policy.level(DEFAULT).map(|level| level.value.sl.value);
    default.or_else(|| policy.ulp_default().map(|rule| rule.value.sl.value))
}

fn partition_sl(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let Some(conf) = site.files.and_then(|files| files.good_partitions()) else { return };
    for statement in &conf.content.statements {
        let (Some(sl), Some(key)) = (statement.flags.sl, key_of(statement)) else { continue };
        let Some(given) = plain_sl(&file.policy, key).filter(|given| *given != sl.value) else {
            continue;
        };
        let finding = PARTITION_SL
            .found(format!(
                "the SL of partition {} does not reach unicast: the policy gives its queries SL \
                 {given}",
                called(statement)
            ))
            .at(&conf.source, sl.place, "for multicast only");
        let finding = match statement.ipoib {
            true => finding.note(format!(
                "IPoIB then has multicast on SL{} and unicast on SL{given}",
                sl.value
            )),
            false => finding,
        };
        found.push(
            finding
                .note("a policy counts before partitions, even one of a default level alone")
                .help(format!(
                    "give the key a rule in {} with an SL of {}, or take the policy away",
                    file.source.name(),
                    sl.value
                )),
        );
    }
}

fn level_pkey(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    for level in &file.policy.levels {
        let Some(first) = level.value.pkeys.first() else { continue };
        let name = &level.value.name.value;
        let finding = LEVEL_PKEY
            .found(format!("paths of level `{name}` are in these partitions only"))
            .at(&file.source, first.place, "");
        found.push(finding.note(
            "a query for another partition is refused, and the answer has the P_Key without its \
             membership bit: a client that takes it as it is sends as a limited member",
        ));
    }
}

fn unused(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let policy = &file.policy;
    let lower = |name: &Placed<String>| name.value.to_ascii_lowercase();
    let levels: BTreeSet<String> = policy.rules.iter().map(|r| lower(&r.value.level)).collect();
    let ends = policy.rules.iter().flat_map(|r| r.value.source.iter().chain(&r.value.destination));
    let groups: BTreeSet<String> = ends.map(lower).collect();
    let named = policy.levels.iter().map(|l| (&l.value.name, "level", &levels));
    let named = named.chain(policy.groups.iter().map(|g| (&g.value.name, "group", &groups)));
    for (name, what, used) in named {
        let default = what == "level" && name.value.eq_ignore_ascii_case(DEFAULT);
        // A missing name was told when the file was read.
        if default || name.value.is_empty() || used.contains(&lower(name)) {
            continue;
        }
        let message = format!("no match rule uses the {what} `{}`", name.value);
        let finding = UNUSED.found(message).at(&file.source, name.place, "");
        found.push(if what == "group" {
            finding.note("what qos-setup says of a group is never applied")
        } else {
            finding
        });
    }
}

fn no_limit(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(file), Some(managed)) = (policy(site), site.managed) else { return };
    let mtu = managed.hosts().map(|p| managed.carries[p.index()].mtu).max();
    let rate = managed.hosts().map(|p| managed.carries[p.index()].rate).max_by_key(|r| r.rank());
    let say = |level: &QosLevel, limit: Placed<u8>, what: String| {
        let name = &level.name.value;
        NO_LIMIT
            .found(format!("level `{name}` limits nothing: {what}"))
            .at(&file.source, limit.place, "")
            .note("a limit only lowers what the links of a path have in common")
    };
    for level in file.policy.levels.iter().map(|level| &level.value) {
        if let (Some(limit), Some(mtu)) = (level.mtu_limit, mtu)
            && limit.value > mtu.0
        {
            found.push(say(level, limit, format!("no adapter here has more than {mtu}")));
        }
        if let (Some(limit), Some(rate)) = (level.rate_limit, rate)
            && Rate(limit.value).rank() > rate.rank()
        {
            found.push(say(level, limit, format!("no adapter here has more than {rate}")));
        }
    }
}

fn not_shared(site: &Site<'_>, found: &mut Diagnostics) {
    let (Some(file), Some(managed)) = (policy(site), site.managed) else { return };
    let Some((Some(compiled), _)) = super::compiled(site) else { return };
    let levels = &file.policy.levels;
    for (at, rule) in file.policy.rules.iter().enumerate() {
        let same = |l: &&Placed<QosLevel>| {
            l.value.name.value.eq_ignore_ascii_case(&rule.value.level.value)
        };
        let Some(level) = levels.iter().find(same).filter(|l| !l.value.pkeys.is_empty()) else {
            continue;
        };
        let [sources, destinations] = compiled.ends(RuleId(at as u32), &managed.fabric);
        if sources.is_empty() || destinations.is_empty() {
            continue;
        }
        let [from, to] = [sources, destinations].map(BTreeSet::from_iter);
        let allowed = |p: &&PartitionPorts| {
            level.value.pkeys.iter().any(|key| key.value.holds(u64::from(p.key)))
        };
        let joins = |partition: &PartitionPorts| {
            let count = |ports: &[lk_fabric::PortId], ends: &BTreeSet<lk_fabric::PortId>| {
                ports.iter().filter(|port| ends.contains(port)).count()
            };
            let (full, limited) = (&partition.full, &partition.limited);
            let pairs = count(full, &from) * (count(full, &to) + count(limited, &to))
                + count(limited, &from) * count(full, &to);
            // A port that is at both ends makes a pair with itself.
            let itself = full.iter().filter(|p| from.contains(p) && to.contains(p)).count();
            pairs > itself
        };
        if managed.partitions.iter().filter(allowed).any(joins) {
            continue;
        }
        let key = level.value.pkeys.first().map_or(level.place, |key| key.place);
        let finding = NOT_SHARED
            .found(format!(
                "no source and destination of this rule share a P_Key of level `{}`: its queries \
                 are answered by no path",
                level.value.name.value
            ))
            .at(&file.source, rule.value.level.place, "")
            .also(&file.source, key, "these keys");
        found
            .push(finding.help("make the ends members of one of the partitions, one of them full"));
    }
}
