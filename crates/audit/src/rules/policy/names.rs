//! What a policy names, against the other files.

use std::collections::BTreeSet;

use lk_config::partitions::{Member, Who};
use lk_config::qos_policy::{Range, UlpKind};
use lk_config::{PartitionsConf, Placed};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity, Span};
use lk_wire::Guid;

use super::super::users::policy;
use crate::files::{DEFAULT_KEY, key_of, name_of, ports_of};
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static IPOIB: Rule = Rule {
    code: Code::new("QO030", "an ipoib rule for a partition without two full members"),
    severity: Severity::Error,
    page: include_str!("../pages/QO030.md"),
    of_tables: false,
    look: ipoib,
};

pub(in crate::rules) static NO_PARTITION: Rule = Rule {
    code: Code::new("QO031", "a partition that partitions.conf does not have"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO031.md"),
    of_tables: false,
    look: no_partition,
};

pub(in crate::rules) static NODE_NAMES: Rule = Rule {
    code: Code::new("QO032", "names of nodes in the policy beside a node name map"),
    severity: Severity::Info,
    page: include_str!("../pages/QO032.md"),
    of_tables: false,
    look: node_names,
};

pub(in crate::rules) static HUGE_RANGE: Rule = Rule {
    code: Code::new("QO038", "a range of GUIDs that OpenSM walks one by one"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO038.md"),
    of_tables: false,
    look: huge_range,
};

/// Whether a partition has two full members at most by the file alone; `None` where it cannot be
/// told.
fn too_few_full(conf: &PartitionsConf, key: u16) -> Option<bool> {
    let mut full: BTreeSet<Guid> = BTreeSet::new();
    // The manager's own port is a full member of the default partition.
    let (mut own, mut many) = (key == DEFAULT_KEY, false);
    let unknown = conf.statements.iter().any(|s| key_of(s).is_none());
    for statement in conf.statements.iter().filter(|s| key_of(s) == Some(key)) {
        for (who, member, _) in ports_of(statement) {
            let is_full = member != Member::Limited;
            match who.value {
                Who::None | Who::VirtualCas => {}
                Who::Own => own = is_full,
                Who::Guid(guid) if is_full => drop(full.insert(guid)),
                Who::Guid(guid) => drop(full.remove(&guid)),
                _ if is_full => many = true,
                Who::All => {
                    full.clear();
                    (own, many) = (false, false);
                }
                // Which of them it takes the membership from is not known.
                _ => many = true,
            }
        }
    }
    (!unknown || key == DEFAULT_KEY).then_some(!many && full.len() + usize::from(own) < 2)
}

fn ipoib(site: &Site<'_>, found: &mut Diagnostics) {
    // On a fabric the members are counted, and that is CF060.
    let (Some(file), None) = (policy(site), site.managed) else { return };
    let Some(conf) = site.files.and_then(|files| files.good_partitions()) else { return };
    for rule in &file.policy.ulps {
        let keys: Vec<u16> = match rule.value.kind {
            UlpKind::Ipoib => vec![DEFAULT_KEY],
            UlpKind::IpoibPkey => {
                let low = |r: &Placed<Range>| (r.value.low & 0x7FFF) as u16;
                rule.value.values.iter().map(low).collect()
            }
            _ => continue,
        };
        for key in keys.into_iter().filter(|key| too_few_full(&conf.content, *key) == Some(true)) {
            let finding = IPOIB
                .found(format!(
                    "the partition 0x{key:04x} has no two full members, and so the whole policy is \
                     not used"
                ))
                .at(&file.source, rule.place, "an ipoib rule")
                .note(format!("by {}, as it stands", conf.source.name()));
            found.push(finding.help(
                "give the partition full members (`Default=0x7fff, ipoib : ALL=full ;`), or write \
                 `any, pkey` for `ipoib`",
            ));
        }
    }
}

fn no_partition(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let Some(conf) = site.files.and_then(|files| files.good_partitions()) else { return };
    let statements = &conf.content.statements;
    let known = |range: Range| {
        range.holds(u64::from(DEFAULT_KEY))
            || statements.iter().any(|s| match key_of(s) {
                Some(key) => range.holds(u64::from(key)),
                // The manager chooses this one.
                None => true,
            })
    };
    let absent = |place: Span, what: String, fails: bool, found: &mut Diagnostics| {
        let finding = NO_PARTITION
            .found(format!("{} has no partition {what}", conf.source.name()))
            .at(&file.source, place, "");
        found.push(if fails {
            finding.note("a query that gets this level is answered by no path")
        } else {
            finding
        });
    };
    for level in &file.policy.levels {
        let keys = &level.value.pkeys;
        if let (Some(first), true) = (keys.first(), keys.iter().all(|key| !known(key.value))) {
            absent(first.place, first.value.to_string(), true, found);
        }
    }
    if site.managed.is_some() {
        // What else is absent shows there (CF066).
        return;
    }
    let groups = file.policy.groups.iter().flat_map(|group| &group.value.pkeys);
    let rules = file.policy.rules.iter().flat_map(|rule| &rule.value.pkeys);
    let ulps = file
        .policy
        .ulps
        .iter()
        .filter(|rule| matches!(rule.value.kind, UlpKind::Pkey | UlpKind::IpoibPkey));
    let ulps = ulps.flat_map(|rule| &rule.value.values);
    for key in groups.chain(rules).chain(ulps).filter(|key| !known(key.value)) {
        absent(key.place, key.value.to_string(), false, found);
    }
    for name in file.policy.groups.iter().flat_map(|group| &group.value.partitions) {
        let has = |s: &lk_config::partitions::Statement| name_of(s) == Some(&name.value);
        if name.value != "Default" && !statements.iter().any(has) {
            absent(name.place, format!("called `{}`", name.value), false, found);
        }
    }
}

fn node_names(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = policy(site) else { return };
    let Some(map) = site.files.and_then(|files| files.names.as_ref()) else { return };
    let known: BTreeSet<&str> = map.content.iter().map(|(_, name, _)| name).collect();
    let names = file.policy.groups.iter().flat_map(|group| &group.value.port_names);
    let strangers: Vec<_> =
        names.filter(|name| !known.contains(name.value.node.as_str())).collect();
    let Some(first) = strangers.first() else { return };
    let mut finding: Diagnostic = NODE_NAMES
        .found(format!(
            "the policy goes by the names of the node name map, and {} in it",
            match strangers.len() {
                1 => format!("`{}` is not", first.value.node),
                n => format!("{n} names, `{}` among them, are not", first.value.node),
            }
        ))
        .at(&file.source, first.place, "not in the map");
    for name in strangers.iter().skip(1).take(4) {
        finding = finding.at(&file.source, name.place, "");
    }
    found.push(
        finding
            .note(format!("{} stands in for what nodes call themselves", map.source.name()))
            .help("write the name of the map; of nodes that it does not rename, their own"),
    );
}

fn huge_range(site: &Site<'_>, found: &mut Diagnostics) {
    const HUGE: u64 = 1 << 20;
    let Some(file) = policy(site) else { return };
    let groups = file.policy.groups.iter().flat_map(|group| &group.value.guids);
    let by_port = |rule: &&Placed<lk_config::qos_policy::UlpRule>| {
        use UlpKind::{Source, SourceAndTarget, SrpTarget, Target};
        matches!(rule.value.kind, SrpTarget | Target | Source | SourceAndTarget)
    };
    let ulps = file.policy.ulps.iter().filter(by_port).flat_map(|rule| &rule.value.values);
    for range in groups.chain(ulps).filter(|r| r.value.high - r.value.low >= HUGE) {
        let count = u128::from(range.value.high - range.value.low) + 1;
        let finding = HUGE_RANGE
            .found(format!(
                "OpenSM looks up each of these {count} GUIDs, and serves nobody meanwhile"
            ))
            .at(&file.source, range.place, "");
        found.push(
            finding
                .note("Lanekeeper looks up the ports that there are")
                .help("take `node-type`, or the range that is really in use"),
        );
    }
}
