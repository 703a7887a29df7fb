//! Who is in which partition by the file, and who cannot talk to whom.

use std::collections::{BTreeMap, BTreeSet};

use lk_config::PartitionsConf;
use lk_config::partitions::{Member, Statement, Who};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity, Span};
use lk_wire::Guid;

use super::words::conf;
use crate::files::{DEFAULT_KEY, called, key_of, name_of, ports_of};
use crate::rule::Rule;
use crate::rules::fabric::members::nothing_at_index_0;
use crate::site::Site;

pub(in crate::rules) static INDEX_0: Rule = Rule {
    code: Code::new("QO055", "ports without a P_Key at index 0"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO055.md"),
    of_tables: false,
    look: index_0,
};

pub(in crate::rules) static OWN_PORT: Rule = Rule {
    code: Code::new("QO057", "a manager that limited members cannot reach"),
    severity: Severity::Error,
    page: include_str!("../pages/QO057.md"),
    of_tables: false,
    look: own_port,
};

pub(in crate::rules) static CANNOT_TALK: Rule = Rule {
    code: Code::new("QO058", "members that cannot talk to each other"),
    severity: Severity::Info,
    page: include_str!("../pages/QO058.md"),
    of_tables: false,
    look: cannot_talk,
};

/// Somebody whom the file tells from others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Entity {
    /// A port that is named by its GUID.
    Named(Guid),
    /// The manager's own port.
    Own,
    /// Adapters that are not named.
    OtherCas,
    /// Switches that are not named.
    OtherSwitches,
}

impl Entity {
    fn name(self) -> String {
        match self {
            Self::Named(guid) => guid.to_string(),
            Self::Own => "the manager's port".to_owned(),
            Self::OtherCas => "other adapters".to_owned(),
            Self::OtherSwitches => "switches".to_owned(),
        }
    }

    /// Whether there is more than one of it.
    const fn is_many(self) -> bool {
        matches!(self, Self::OtherCas | Self::OtherSwitches)
    }
}

/// Which entities are in a partition, and how.
type Members = BTreeMap<Entity, Member>;

fn join(statement: &Statement, own: Guid, all: &BTreeSet<Entity>, members: &mut Members) {
    for (who, member, _) in ports_of(statement) {
        let mut take = |entity| {
            members.insert(entity, member);
        };
        match who.value {
            Who::None | Who::VirtualCas | Who::Routers => {}
            Who::Own => take(Entity::Own),
            Who::Guid(guid) if guid == own => take(Entity::Own),
            Who::Guid(guid) => take(Entity::Named(guid)),
            Who::All => all.iter().for_each(|entity| take(*entity)),
            // Named GUIDs are those of adapters, as a rule, and the manager sits on one.
            Who::Cas => {
                all.iter().filter(|e| **e != Entity::OtherSwitches).for_each(|e| take(*e));
            }
            Who::Switches => take(Entity::OtherSwitches),
        }
    }
}

/// Everybody whom a file tells apart.
fn entities(conf: &PartitionsConf, own: Guid) -> BTreeSet<Entity> {
    let named =
        conf.statements.iter().flat_map(ports_of).filter_map(|(who, _, _)| match who.value {
            Who::Guid(guid) if guid != own => Some(Entity::Named(guid)),
            _ => None,
        });
    named.chain([Entity::Own, Entity::OtherCas, Entity::OtherSwitches]).collect()
}

/// Who is in the default partition, and the place that says so last.
fn default_members(site: &Site<'_>, conf: &PartitionsConf) -> (Members, Option<Span>) {
    let own = site.options().guid;
    let all = entities(conf, own);
    let mut members: Members = all.iter().map(|entity| (*entity, Member::Limited)).collect();
    members.insert(Entity::Own, Member::Full);
    let mut last = None;
    for statement in conf.statements.iter().filter(|s| key_of(s) == Some(DEFAULT_KEY)) {
        join(statement, own, &all, &mut members);
        last = Some(statement.place.0);
    }
    (members, last)
}

fn index_0(site: &Site<'_>, found: &mut Diagnostics) {
    index_0_held(site, found);
    let Some(file) = conf(site).filter(|_| site.options().allow_both_pkeys) else { return };
    let (members, last) = default_members(site, &file.content);
    let limited: Vec<String> = members
        .iter()
        .filter(|(entity, member)| **member == Member::Limited && **entity != Entity::OtherSwitches)
        .map(|(entity, _)| entity.name())
        .collect();
    let Some(first) = limited.first() else { return };
    let who = match limited.len() {
        1 => first.clone(),
        n => format!("{first} and {} more", n - 1),
    };
    let finding = INDEX_0.found(format!(
        "with allow_both_pkeys, limited members of the default partition have no key at index 0: \
         {who}"
    ));
    let finding = match last {
        Some(place) => finding.at(&file.source, place, "limited here"),
        None => finding.at(&file.source, Span::point(0), "no rule for the default partition"),
    };
    let finding = site.also("allow_both_pkeys", "", finding);
    found.push(
        finding
            .note("programs that take the key at index 0 without looking send with an invalid one")
            .help("make them full or both members of 0x7fff, or give `indx0` to another partition"),
    );
}

/// What the ports of a fabric hold there.
fn index_0_held(site: &Site<'_>, found: &mut Diagnostics) {
    let Some((ports, names, query)) = nothing_at_index_0(site) else { return };
    found.push(
        INDEX_0
            .found(format!("{} have keys, and none at index 0: {names}", counted(ports.len())))
            .note(query)
            .note("programs that take the key at index 0 without looking send with an invalid one")
            .help("make them full or both members of 0x7fff, or give `indx0` to another partition"),
    );
}

fn counted(ports: usize) -> String {
    if ports == 1 { "1 port".to_owned() } else { format!("{ports} ports") }
}

fn own_port(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = conf(site) else { return };
    let (members, last) = default_members(site, &file.content);
    let limited = |entity: &Entity| members.get(entity) == Some(&Member::Limited);
    let others: Vec<&Entity> =
        members.keys().filter(|e| **e != Entity::Own && **e != Entity::OtherSwitches).collect();
    let cut: Vec<String> = others.iter().filter(|e| limited(e)).map(|e| e.name()).collect();
    let (Some(first), true, Some(place)) = (cut.first(), limited(&Entity::Own), last) else {
        return;
    };
    // On a fabric it is known who the manager's port is.
    if let Some(managed) = site.managed {
        let default = managed.partitions.iter().find(|p| p.key == DEFAULT_KEY);
        if default.is_some_and(|p| p.full.contains(&managed.own)) {
            return;
        }
    }
    let finding = OWN_PORT
        .found(format!(
            "the manager's port is a limited member of the default partition: {first}{} cannot \
             ask it",
            match cut.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            }
        ))
        .at(&file.source, place, "");
    found.push(
        finding
            .note("limited members talk to full ones only; without the SA there are no paths")
            .help("add `SELF=full` behind the others"),
    );
}

/// Entities with the same memberships, by these.
type Profiles = BTreeMap<Vec<(u16, bool)>, Vec<Entity>>;

fn cannot_talk(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(file) = conf(site) else { return };
    let own = site.options().guid;
    let all = entities(&file.content, own);
    let mut partitions: BTreeMap<u16, (Members, &Statement)> = BTreeMap::new();
    let mut named: BTreeMap<&str, u16> = BTreeMap::new();
    for (at, statement) in file.content.statements.iter().enumerate() {
        let known = name_of(statement).and_then(|name| named.get(name).copied());
        // Keys that the manager chooses are as good as others here: numbers above all keys.
        let key = key_of(statement).or(known).unwrap_or(0x8000 | (at as u16 & 0x7FFF));
        if let Some(name) = name_of(statement) {
            named.entry(name).or_insert(key);
        }
        let members = &mut partitions.entry(key).or_insert((Members::new(), statement)).0;
        join(statement, own, &all, members);
    }
    let mut profiles: Profiles = BTreeMap::new();
    for entity in &all {
        let keys = partitions.iter().filter_map(|(key, (members, _))| {
            members.get(entity).map(|member| (*key, *member != Member::Limited))
        });
        profiles.entry(keys.collect()).or_default().push(*entity);
    }
    // Partitions with more than one limited member.
    let of_limited = |members: &Members| {
        let limited = members.iter().filter(|(_, member)| **member == Member::Limited);
        let limited: Vec<Entity> = limited.map(|(entity, _)| *entity).collect();
        limited.len() > 1 || limited.iter().any(|entity| entity.is_many())
    };
    let places: Vec<&Statement> = partitions
        .values()
        .filter(|(m, _)| of_limited(m))
        .map(|(_, statement)| *statement)
        .collect();
    if places.is_empty() {
        return;
    }
    let mut finding: Diagnostic =
        CANNOT_TALK.found("limited members of a partition cannot talk to each other in it");
    for statement in places.iter().take(4) {
        finding = finding.at(&file.source, statement.place.0, called(statement));
    }
    let apart = pairs(&profiles);
    if apart.is_empty() {
        found.push(finding.note("all of them can talk in another partition"));
        return;
    }
    finding = finding.note("these share no partition in which they can talk:");
    for (a, b) in apart.iter().take(12) {
        finding = finding.note(match a == b {
            true => format!("{a}, among each other"),
            false => format!("{a} with {b}"),
        });
    }
    if let Some(more @ 1..) = apart.len().checked_sub(12) {
        finding = finding.note(format!("and {more} more such pairs"));
    }
    found.push(finding.help("if they shall talk make one of the two a full member"));
}

/// Who shares partitions with whom as limited members only.
fn pairs(profiles: &Profiles) -> Vec<(String, String)> {
    let list: Vec<_> = profiles.iter().collect();
    let mut apart = Vec::new();
    for (at, (a, a_who)) in list.iter().enumerate() {
        for (b, b_who) in &list[at..] {
            let same = std::ptr::eq(*a, *b);
            if same && a_who.len() == 1 && !a_who[0].is_many() {
                continue;
            }
            // Of each partition that both are in, whether one of them is full there.
            let shared = a.iter().filter_map(|(key, full)| {
                let other = b.iter().find(|(k, _)| k == key)?;
                Some(*full || other.1)
            });
            let shared: Vec<bool> = shared.collect();
            if !shared.is_empty() && shared.iter().all(|talk| !talk) {
                apart.push((names(a_who), names(b_who)));
            }
        }
    }
    apart
}

fn names(who: &[Entity]) -> String {
    let mut words: Vec<String> = who.iter().take(4).map(|entity| entity.name()).collect();
    if let Some(more @ 1..) = who.len().checked_sub(4) {
        words.push(format!("{more} more"));
    }
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}
