//! Who uses which SL, as far as files and the fabric show it.

use std::collections::BTreeMap;

use lk_config::partitions::Item;
use lk_config::qos_policy::{DEFAULT, UlpKind};
use lk_diag::{Code, Diagnostic, Diagnostics, Severity, SourceFile, Span};
use lk_qos::policy::PolicyFile;
use lk_wire::{Sl, Vl};

use crate::files::called;
use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static SHARED_LANE: Rule = Rule {
    code: Code::new("QO022", "classes that are kept apart by SL and share a lane"),
    severity: Severity::Warning,
    page: include_str!("pages/QO022.md"),
    of_tables: true,
    look: |site, found| {
        // torus-2QoS has tables of its own.
        if site.programs_tables() && !super::engines::asked(site).contains(&"torus-2QoS") {
            for kind in site.distinct_kinds() {
                shared_lane(site, kind, found);
            }
        }
    },
};

/// What uses an SL.
#[derive(Clone, Debug)]
pub(super) struct User {
    /// The SL.
    pub(super) sl: u8,
    /// What it is, in words.
    pub(super) what: String,
    /// Whether somebody chose this SL to keep it apart from others.
    pub(super) class: bool,
    /// Where it is said.
    pub(super) place: Option<(SourceFile, Span)>,
}

/// The policy that is in force.
pub(super) fn policy<'a>(site: &Site<'a>) -> Option<&'a PolicyFile> {
    site.files.filter(|_| site.options().qos)?.good_policy()
}

/// All users of SLs that are known, those of SL 0 first.
pub(super) fn users(site: &Site<'_>) -> Vec<User> {
    let mut users = vec![User {
        sl: 0,
        what: "SL0 is what all traffic uses that asks for nothing else".to_owned(),
        class: false,
        place: None,
    }];
    let sm_sl = site.options().sm_sl & 15;
    if sm_sl != 0 {
        users.push(User {
            sl: sm_sl,
            what: format!("sm_sl is {sm_sl}: hosts ask the SA on this SL"),
            class: false,
            place: site.config.origin("sm_sl").place().map(|(s, p)| (s.clone(), p)),
        });
    }
    if let Some(file) = policy(site) {
        of_policy(file, &mut users);
    }
    of_partitions(site, &mut users);
    if let Some(managed) = site.managed {
        let engine = managed.routing.engine.as_deref().unwrap_or("the routing engine");
        users.extend(managed.routing.sls.iter().map(|sl| User {
            sl: *sl,
            what: format!("{engine} has paths with SL{sl}"),
            class: false,
            place: None,
        }));
    }
    users
}

fn of_policy(file: &PolicyFile, users: &mut Vec<User>) {
    let policy = &file.policy;
    for level in &policy.levels {
        let name = &level.value.name.value;
        let ruled = |r: &lk_config::Placed<lk_config::qos_policy::MatchRule>| {
            r.value.level.value.eq_ignore_ascii_case(name)
        };
        let default = name.eq_ignore_ascii_case(DEFAULT);
        if default || policy.rules.iter().any(ruled) {
            users.push(User {
                sl: level.value.sl.value,
                what: format!("level `{name}` of the policy has SL{}", level.value.sl.value),
                class: true,
                place: Some((file.source.clone(), level.value.sl.place)),
            });
        }
    }
    let default = policy.ulp_default().map(|rule| rule.place);
    for rule in &policy.ulps {
        if rule.value.kind == UlpKind::Default && Some(rule.place) != default {
            continue;
        }
        let text = file.source.slice(rule.place).split(':').next().unwrap_or_default().trim();
        users.push(User {
            sl: rule.value.sl.value,
            what: format!("the policy gives SL{} to `{text}`", rule.value.sl.value),
            class: true,
            place: Some((file.source.clone(), rule.place)),
        });
    }
}

fn of_partitions(site: &Site<'_>, users: &mut Vec<User>) {
    let Some(file) = site.files.and_then(|files| files.good_partitions()) else { return };
    // Unicast in a partition goes by the policy, where there is one.
    let unicast = policy(site).is_none();
    for statement in &file.content.statements {
        if let Some(sl) = statement.flags.sl.filter(|_| site.options().qos)
            && (unicast || statement.ipoib)
        {
            let what = if unicast { "partition" } else { "the broadcast group of partition" };
            users.push(User {
                sl: sl.value,
                what: format!("{what} {} has SL{}", called(statement), sl.value),
                class: unicast,
                place: Some((file.source.clone(), sl.place)),
            });
        }
        for item in &statement.items {
            let Item::Group { mgid, flags } = item else { continue };
            if let Some(sl) = flags.sl {
                users.push(User {
                    sl: sl.value,
                    what: format!("multicast group {} has SL{}", mgid.value, sl.value),
                    class: false,
                    place: Some((file.source.clone(), sl.place)),
                });
            }
        }
    }
}

fn shared_lane(site: &Site<'_>, kind: &PortKind, found: &mut Diagnostics) {
    let Some(held) = site.held(kind).sl2vl else { return };
    let mut lanes: BTreeMap<u8, Vec<User>> = BTreeMap::new();
    for user in users(site).into_iter().filter(|user| user.class && user.sl < 16) {
        let vl = held.get(Sl(user.sl));
        if vl != Vl::DROP {
            lanes.entry(vl.0).or_default().push(user);
        }
    }
    for (vl, users) in lanes {
        let mut sls: Vec<u8> = users.iter().map(|user| user.sl).collect();
        sls.sort_unstable();
        sls.dedup();
        if sls.len() < 2 {
            continue;
        }
        let mut finding = SHARED_LANE.found(format!(
            "{}: {} are classes of their own and share VL{vl}: one buffer and one share of the \
             link",
            kind.name(),
            super::numbers("SL", &sls)
        ));
        for user in &users {
            finding = match &user.place {
                Some((source, place)) => finding.at(source, *place, user.what.clone()),
                None => finding.note(user.what.clone()),
            };
        }
        let set = site.wish(kind).origins.sl2vl;
        if let Some(set) = set {
            finding = site.also(&format!("{}sl2vl", set.prefix()), "the table", finding);
        }
        found.push(with_remedy(site, kind, &sls, finding));
    }
}

fn with_remedy(site: &Site<'_>, kind: &PortKind, sls: &[u8], finding: Diagnostic) -> Diagnostic {
    let wish = site.wish(kind);
    let apart = sls.iter().any(|sl| wish.sl2vl.get(Sl(*sl)) != wish.sl2vl.get(Sl(sls[0])));
    if apart {
        let lanes = crate::site::lanes(kind.port.oper_vls);
        return finding
            .note(format!("the table keeps them apart, and only {lanes} operate"))
            .help("raise `max_op_vls`, or give the classes SLs on lanes that operate");
    }
    finding.help("give them different lanes in the SL2VL list, or one SL if that is meant")
}
