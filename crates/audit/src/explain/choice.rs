//! Who set the SL of a path, and what it overrode.

use lk_fabric::PortId;
use lk_qos::policy::{CompiledPolicy, Explanation, PartitionPorts, PathQuery};
use lk_wire::{PKey, Rate, Sl};

use super::held::keys;
use super::question::{Answer, Answered, Design, Subject};
use super::report::{Choice, Level, Partition, Path, Rule};

/// What is to be said of the SL in one direction; `None` where neither the site's files nor an
/// answer are known.
pub(super) fn choice(
    subject: &Subject<'_>,
    (from, to): (PortId, PortId),
    answer: &Answer,
) -> Option<Choice> {
    let answered = match answer {
        Answer::Path(path) => Some(path),
        Answer::NotAsked | Answer::NoPath(_) => None,
    };
    let Some(design) = subject.design else {
        return without_files(subject, (from, to), answered);
    };
    let question = subject.question;
    let query = PathQuery {
        source: from,
        destination: to,
        qos_class: question.qos_class,
        service_id: question.service_id,
        pkey: question.pkey,
    };
    let qos = design.config.options().qos;
    let policy = design.policy.filter(|_| qos);
    let explained = policy.map(|policy| (policy, policy.explain(&query)));
    let partition = partition(subject, (from, to), answered);
    let decided = Decided {
        asked: question.sl,
        level: explained.as_ref().map(|(_, e)| (e.level.name.as_str(), e.level.sl)),
        partition: partition.as_ref(),
        engine: design.engine,
    };
    let (sl, set_by, overrode) = decided.by(answered.map(|path| path.sl));
    let (rule, missed, level) = match &explained {
        Some((policy, explained)) => {
            let (rule, missed) = rules(policy, explained);
            (rule, missed, Some(level(policy, explained)))
        }
        None => (None, Vec::new(), None),
    };
    Some(Choice {
        sl,
        set_by,
        overrode,
        rule,
        has_policy: policy.is_some(),
        missed,
        level,
        partition,
        path: answered.map(path),
    })
}

/// From a fabric alone: what the client asked for, or what was answered.
fn without_files(
    subject: &Subject<'_>,
    ends: (PortId, PortId),
    answered: Option<&Answered>,
) -> Option<Choice> {
    let asked = subject.question.sl;
    let (sl, set_by) = match (answered, asked) {
        (Some(path), Some(asked)) if path.sl == asked => (asked, "the client's own request"),
        (Some(path), _) => (path.sl, "the subnet administration that was asked"),
        (None, Some(asked)) => (asked, "the client, who was taken to use it unasked"),
        (None, None) => return None,
    };
    Some(Choice {
        sl: Some(sl.0),
        set_by: set_by.to_owned(),
        overrode: Vec::new(),
        rule: None,
        has_policy: false,
        missed: Vec::new(),
        level: None,
        partition: partition(subject, ends, answered),
        path: answered.map(path),
    })
}

/// All who have a say in the SL, in the order of their weight.
struct Decided<'a> {
    asked: Option<Sl>,
    level: Option<(&'a str, u8)>,
    partition: Option<&'a Partition>,
    engine: &'a str,
}

impl Decided<'_> {
    /// The SL, who set it, and what does not count.
    fn by(&self, answered: Option<Sl>) -> (Option<u8>, String, Vec<String>) {
        let level = self.level.map(|(name, sl)| (sl, format!("level `{name}` of the QoS policy")));
        let partition = self.partition.and_then(|p| {
            let name = p.name.as_ref().map_or_else(|| p.pkey.clone(), |name| format!("`{name}`"));
            Some((p.sl?, format!("partition {name}")))
        });
        let asked = self.asked.map(|sl| (sl.0, "the client's own request".to_owned()));
        let say = [asked, level, partition].into_iter().flatten();
        let mut say = say.collect::<Vec<_>>().into_iter();
        let first = say.next();
        let mut overrode: Vec<String> =
            say.map(|(sl, who)| format!("SL {sl} of {who} does not count")).collect();
        match (answered, first) {
            (Some(got), Some((sl, who))) if got.0 != sl => {
                overrode.insert(0, format!("SL {sl} of {who} does not count"));
                (Some(got.0), format!("the routing engine {}", self.engine), overrode)
            }
            (Some(_) | None, Some((sl, who))) => (Some(sl), who, overrode),
            (Some(got), None) => {
                let who = match got.0 {
                    0 => "nobody: it is the default".to_owned(),
                    _ => format!("the routing engine {}, or the first that passes", self.engine),
                };
                (Some(got.0), who, overrode)
            }
            (None, None) => (None, "nobody".to_owned(), overrode),
        }
    }
}

/// The rule that matches, and those before it.
fn rules(policy: &CompiledPolicy, explained: &Explanation<'_>) -> (Option<Rule>, Vec<Rule>) {
    let rule = |id: lk_qos::policy::RuleId, missed: Option<String>| Rule {
        number: id.0 + 1,
        file: policy.source().name().to_owned(),
        line: policy.rule_place(id).line,
        used_for: used_for(policy.rule_text(id)),
        missed,
    };
    let missed = explained.missed.iter().map(|m| rule(m.rule, Some(m.to_string())));
    (explained.rule.map(|id| rule(id, None)), missed.collect())
}

/// What a rule is for: of a rule in several lines its `use`, else the line.
fn used_for(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, second) = (lines.next()?, lines.next());
    let named = || text.lines().find_map(|line| line.trim().strip_prefix("use:"));
    let used = if second.is_none() { Some(first) } else { named() };
    used.map(str::trim).filter(|used| !used.is_empty()).map(str::to_owned)
}

fn level(policy: &CompiledPolicy, explained: &Explanation<'_>) -> Level {
    let level = explained.level;
    let range = |(low, high): &(u16, u16)| match low == high {
        true => format!("{low:#06x}"),
        false => format!("{low:#06x}-{high:#06x}"),
    };
    Level {
        name: level.name.clone(),
        file: policy.source().name().to_owned(),
        line: policy.source().position(level.place.start).line,
        sl: level.sl,
        mtu_limit: level.mtu_limit.and_then(|mtu| mtu.bytes()).map(u32::from),
        rate_limit: level.rate_limit.map(|code| Rate(code).to_string()),
        packet_life: level.packet_life,
        pkeys: level.pkeys.iter().map(range).collect(),
    }
}

fn path(answered: &Answered) -> Path {
    Path {
        sl: answered.sl.0,
        mtu: answered.mtu.bytes().map_or(0, u32::from),
        rate: answered.rate.to_string(),
        life: answered.life,
        pkey: answered.pkey.to_string(),
        reversible: answered.reversible,
    }
}

/// The partition that is answered, else the one that is asked for, else one that both are in.
fn partition(
    subject: &Subject<'_>,
    (from, to): (PortId, PortId),
    answered: Option<&Answered>,
) -> Option<Partition> {
    let (ours, theirs) = (keys(subject.snapshot, from), keys(subject.snapshot, to));
    let mut both: Vec<u16> = ours.iter().map(|key| key.base()).collect();
    both.retain(|base| theirs.iter().any(|key| key.base() == *base));
    both.sort_unstable();
    both.dedup();
    let named = answered.map(|path| path.pkey).or(subject.question.pkey);
    let key = named.or_else(|| both.first().map(|base| PKey(*base)))?;
    let known = subject.design.and_then(|design: Design<'_>| {
        design.partitions.iter().find(|p: &&PartitionPorts| p.key == key.base())
    });
    both.retain(|base| *base != key.base());
    Some(Partition {
        pkey: key.to_string(),
        name: known.map(|p| p.name.clone()),
        sl: known.map(|p| p.sl.0),
        source: membership(&ours, key),
        destination: membership(&theirs, key),
        others: both.into_iter().map(|base| PKey(base).to_string()).collect(),
    })
}

/// How a port is in a partition, by its keys.
fn membership(keys: &[PKey], key: PKey) -> &'static str {
    let has = |full: bool| keys.iter().any(|k| k.base() == key.base() && k.is_full() == full);
    match (has(true), has(false)) {
        (true, true) => "both",
        (true, false) => "full",
        (false, true) => "limited",
        (false, false) => "not",
    }
}
