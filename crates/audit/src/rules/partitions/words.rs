//! Words of partitions.conf that do less, or something else, than they say.

use std::collections::BTreeMap;

use lk_config::PartitionsConf;
use lk_config::partitions::{Item, Member, Statement};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity};

use super::super::users::policy;
use crate::files::{Located, called, key_of, name_of, ports_of};
use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static SL_WHILE_OFF: Rule = Rule {
    code: Code::new("QO050", "the SL of a partition while QoS is off"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO050.md"),
    of_tables: false,
    look: sl_while_off,
};

pub(in crate::rules) static ONE_KEY: Rule = Rule {
    code: Code::new("QO051", "several statements for one partition"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO051.md"),
    of_tables: false,
    look: one_key,
};

pub(in crate::rules) static BOTH: Rule = Rule {
    code: Code::new("QO052", "full and limited without allow_both_pkeys"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO052.md"),
    of_tables: false,
    look: both,
};

pub(in crate::rules) static NO_GROUP: Rule = Rule {
    code: Code::new("QO053", "a broadcast group that cannot be made"),
    severity: Severity::Error,
    page: include_str!("../pages/QO053.md"),
    of_tables: false,
    look: no_group,
};

pub(in crate::rules) static SCOPE: Rule = Rule {
    code: Code::new("QO054", "a scope that the broadcast group does not get"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO054.md"),
    of_tables: false,
    look: scope,
};

pub(in crate::rules) static CHOSEN: Rule = Rule {
    code: Code::new("QO056", "which partition a query without P_Key gets"),
    severity: Severity::Info,
    page: include_str!("../pages/QO056.md"),
    of_tables: false,
    look: chosen,
};

pub(in crate::rules) static KEY_BITS: Rule = Rule {
    code: Code::new("QO062", "a P_Key with its membership bit"),
    severity: Severity::Info,
    page: include_str!("../pages/QO062.md"),
    of_tables: false,
    look: key_bits,
};

pub(in crate::rules) static OLD_TEXT: Rule = Rule {
    code: Code::new("QO063", "a group that takes old text for its flags in OpenSM"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO063.md"),
    of_tables: false,
    look: old_text,
};

/// partitions.conf, if it is used.
pub(super) fn conf<'a>(site: &Site<'a>) -> Option<&'a Located<PartitionsConf>> {
    site.files?.good_partitions()
}

fn sl_while_off(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site).filter(|_| !site.options().qos) else { return };
    let sls = conf.content.statements.iter().filter_map(|s| s.flags.sl).filter(|sl| sl.value != 0);
    let sls: Vec<_> = sls.collect();
    let Some(first) = sls.first() else { return };
    let mut finding = SL_WHILE_OFF
        .found("QoS is off, so that partitions have SL 0 whatever they say")
        .at(&conf.source, first.place, "not used");
    for sl in sls.iter().skip(1).take(4) {
        finding = finding.at(&conf.source, sl.place, "");
    }
    finding = site.also("qos", "", finding);
    found.push(
        finding
            .note("the SL of an mgid line is used all the same")
            .help("write `qos TRUE` or give -Q, or take the sl= out"),
    );
}

/// What two statements are about, if it is the same partition.
fn same_partition(a: &Statement, b: &Statement) -> bool {
    match (key_of(a), key_of(b)) {
        (Some(a), Some(b)) => a == b,
        _ => name_of(a).is_some() && name_of(a) == name_of(b),
    }
}

fn one_key(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site) else { return };
    let statements = &conf.content.statements;
    for (at, statement) in statements.iter().enumerate() {
        let earlier = statements[..at].iter().rev().find(|e| same_partition(e, statement));
        let Some(earlier) = earlier else { continue };
        let sl = |s: &Statement| s.flags.sl.map_or(0, |sl| sl.value);
        let names = name_of(earlier) != name_of(statement);
        let sls = site.options().qos && sl(earlier) != sl(statement);
        let mut finding = ONE_KEY.found(format!(
            "{} is given by an earlier statement too, and both are joined",
            called(statement)
        ));
        if !(names || sls) {
            finding.severity = Severity::Info;
        }
        finding = finding.at(&conf.source, statement.place.0, "the later one").also(
            &conf.source,
            earlier.place.0,
            "the earlier one",
        );
        if names {
            let name = name_of(earlier).unwrap_or("none");
            finding = finding.note(format!("the first name counts: {name}"));
        }
        if sls {
            finding = finding.note(format!(
                "the later SL counts, and without sl= it is 0: SL{} becomes SL{}",
                sl(earlier),
                sl(statement)
            ));
        }
        found.push(match names || sls {
            true => finding.help("give each partition one statement, or the same name and sl="),
            false => finding,
        });
    }
}

fn both(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site).filter(|_| !site.options().allow_both_pkeys) else { return };
    let all = conf.content.statements.iter().flat_map(ports_of);
    let places: Vec<_> = all.filter(|(_, m, _)| *m == Member::Both).map(|(_, _, p)| p).collect();
    let Some(first) = places.first() else { return };
    let mut finding = BOTH.found("`both` counts as full: allow_both_pkeys is not set").at(
        &conf.source,
        *first,
        "full",
    );
    for place in places.iter().skip(1).take(4) {
        finding = finding.at(&conf.source, *place, "");
    }
    finding = site.also("allow_both_pkeys", "", finding);
    found.push(finding.help("write `allow_both_pkeys TRUE` or give -W, or write full"));
}

fn no_group(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site) else { return };
    for statement in conf.content.statements.iter().filter(|s| s.ipoib) {
        let mtu = statement.flags.mtu.filter(|mtu| !(1..=5).contains(&mtu.value));
        let rate = statement.flags.rate.filter(|rate| !(2..=24).contains(&rate.value));
        for (code, what, help) in [
            (mtu, "MTU", "codes are 1 to 5: `mtu=4` is 2048 bytes, `mtu=5` is 4096"),
            (rate, "rate", "codes are 2 to 24: `rate=3` is 10 Gb/s, `rate=7` is 40, `rate=16` 100"),
        ] {
            let Some(code) = code else { continue };
            let finding = NO_GROUP
                .found(format!(
                    "partition {} gets no broadcast group: there is no {what} of code {}",
                    called(statement),
                    code.value
                ))
                .at(&conf.source, code.place, "")
                .note("the partition itself is made; IPoIB in it stays down");
            found.push(finding.help(help));
        }
    }
}

fn scope(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site) else { return };
    for statement in conf.content.statements.iter().filter(|s| s.ipoib) {
        let groups = statement.items.iter().any(|item| matches!(item, Item::Group { .. }));
        let Some(scope) = statement.flags.scopes.first().filter(|scope| scope.value != 2) else {
            continue;
        };
        let finding = SCOPE
            .found(format!(
                "the broadcast group of {} has link-local scope (2) all the same",
                called(statement)
            ))
            .at(&conf.source, scope.place, "not for the broadcast group");
        found.push(match groups {
            true => finding.note("groups by mgid lines get it"),
            false => finding.help("take it out; write the group as an mgid line to have it"),
        });
    }
}

fn chosen(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site).filter(|_| site.options().qos) else { return };
    if policy(site).is_some() {
        return; // the policy has the SL then
    }
    let mut sls: BTreeMap<u16, (u8, &Statement)> = BTreeMap::new();
    for statement in &conf.content.statements {
        let Some(key) = key_of(statement) else { continue };
        // In the order of bytes from behind, as OpenSM compares them.
        let order = (key | 0x8000).swap_bytes();
        sls.insert(order, (statement.flags.sl.map_or(0, |sl| sl.value), statement));
    }
    let different: std::collections::BTreeSet<u8> = sls.values().map(|(sl, _)| *sl).collect();
    if different.len() < 2 {
        return;
    }
    let order: Vec<String> =
        sls.values().take(16).map(|(sl, s)| format!("{} (SL{sl})", called(s))).collect();
    let first = sls.values().next().map(|(_, statement)| statement.place.0);
    let finding = CHOSEN.found(
        "a query without a P_Key gets the first of these partitions that both ends are in, and \
         its SL",
    );
    let finding = match first {
        Some(place) => finding.at(&conf.source, place, "the first of them"),
        None => finding,
    };
    found.push(
        finding
            .note(format!(
                "the order is that of the keys' bytes, the last one first: {}",
                order.join(", ")
            ))
            .help("have clients ask with a P_Key, or give the partitions that ports share one SL"),
    );
}

fn key_bits(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site) else { return };
    for statement in &conf.content.statements {
        let Some(key) = statement.pkey else { continue };
        let written = conf.source.slice(key.place).trim();
        let hex = written.strip_prefix("0x").or(written.strip_prefix("0X"));
        let number = match hex {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => written.parse(),
        };
        if number.is_ok_and(|n| n & 0x8000 != 0 && n <= 0xFFFF) {
            let finding = KEY_BITS
                .found(format!(
                    "`{written}` is the partition 0x{:04x}: the highest bit is not a part of the \
                     key",
                    key.value
                ))
                .at(&conf.source, key.place, "");
            found.push(finding.note(
                "who is a full member is said behind the colon; ports show the bit in their tables",
            ));
        }
    }
}

/// What OpenSM's line buffer holds behind the end of each line: the rest of longer ones before it.
fn old_text(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(conf) = conf(site) else { return };
    let groups =
        conf.content.statements.iter().flat_map(|s| &s.items).filter_map(|item| match item {
            Item::Group { mgid, flags } if *flags == Default::default() => Some(mgid.place),
            _ => None,
        });
    let places: Vec<_> = groups.collect();
    if places.is_empty() {
        return;
    }
    let mut buffer: Vec<u8> = Vec::new();
    for (_, line, text) in conf.source.lines() {
        let bytes = text.as_bytes();
        if buffer.len() < bytes.len() + 2 {
            buffer.resize(bytes.len() + 2, 0);
        }
        buffer[..bytes.len()].copy_from_slice(bytes);
        buffer[bytes.len()] = b'\n';
        buffer[bytes.len() + 1] = 0;
        let group = places.iter().find(|p| line.start <= p.start && p.end <= line.end);
        let Some(place) = group.filter(|p| text[p.end - line.start..].trim().is_empty()) else {
            continue;
        };
        let behind = buffer.get(bytes.len() + 2..).unwrap_or_default();
        let behind = behind.split(|b| *b == 0).next().unwrap_or_default();
        let behind = String::from_utf8_lossy(behind).trim().to_owned();
        if let Some(flag) = behind.split(',').map(str::trim).find(|word| is_flag(word)) {
            let finding: Diagnostic = OLD_TEXT
                .found(format!(
                    "OpenSM reads on behind this line, into what is left of a longer one before \
                     it, and takes `{flag}` for a flag of the group"
                ))
                .at(&conf.source, *place, "");
            found.push(
                finding
                    .note("Lanekeeper does not")
                    .help("write a flag of its own behind the group, or make the line the longest"),
            );
        }
    }
}

fn is_flag(word: &str) -> bool {
    let Some((key, value)) = word.split_once('=') else { return false };
    let (key, value) = (key.trim(), value.trim());
    let known = ["mtu", "rate", "scope", "Q_Key", "TClass", "sl", "FlowLabel"];
    !key.is_empty()
        && value.starts_with(|c: char| c.is_ascii_digit())
        && known.iter().any(|k| k.starts_with(key))
}
