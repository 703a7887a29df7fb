//! Who manages the subnet, and how well the keys are kept.

use lk_diag::{Code, Diagnostics, Severity};
use lk_wire::SmState;

use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static TWO_MASTERS: Rule = Rule {
    code: Code::new("QO109", "two masters, or one that should have given way"),
    severity: Severity::Error,
    page: include_str!("../pages/QO109.md"),
    of_tables: false,
    look: two_masters,
};

pub(in crate::rules) static OPEN_KEYS: Rule = Rule {
    code: Code::new("QO118", "a key that anybody on the fabric can read"),
    severity: Severity::Warning,
    page: include_str!("../pages/QO118.md"),
    of_tables: false,
    look: open_keys,
};

fn two_masters(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let of = |state: SmState| {
        seen.snapshot.managers.iter().filter(move |(_, info)| info.state() == state)
    };
    let masters: Vec<_> = of(SmState::MASTER).collect();
    if masters.len() > 1 {
        let mut finding = TWO_MASTERS
            .found(format!("{} subnet managers say that they are the master", masters.len()));
        for (port, info) in &masters {
            finding = finding.note(format!("{}, priority {}", seen.name(*port), info.priority()));
        }
        found.push(
            finding
                .note("sminfo, with the LID of each, shows its state")
                .note("each undoes the other's LIDs and routes at every sweep")
                .help("stop all but one; one that ignores others (ignore_other_sm) must be alone"),
        );
    }
    let [(master, at)] = masters.as_slice() else { return };
    let rank = |info: &lk_wire::SmInfo| (info.priority(), std::cmp::Reverse(info.guid()));
    for (port, standby) in of(SmState::STANDBY).filter(|(_, info)| rank(info) > rank(at)) {
        let mut finding = TWO_MASTERS.found(format!(
            "{} has priority {} and stands by, while {} with priority {} is the master",
            seen.name(*port),
            standby.priority(),
            seen.name(*master),
            at.priority()
        ));
        finding.severity = Severity::Warning;
        found.push(finding.note(
            "a master gives way to a higher priority, and at equal ones to the lower GUID; this one \
             has not seen the other, or does not trust its SM_Key",
        ));
    }
}

/// The SM_Key of all managers that nobody has given another one: no secret.
const DEFAULT_SM_KEY: u64 = 1;

fn open_keys(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let open: Vec<_> = seen
        .end_ports()
        .filter(|(_, info)| info.m_key() != 0 && info.m_key_protect() < 2)
        .map(|(port, _)| port)
        .collect();
    // With the site's own key everything can be read, and nothing is shown by that.
    let own = site.options().m_key.0 != 0;
    if let Some(first) = open.first().filter(|_| !own) {
        found.push(
            OPEN_KEYS
                .found(format!(
                    "{} tell their M_Key to whoever asks: {}",
                    super::ports(open.len()),
                    seen.names(&open)
                ))
                .note(format!("{} shows Mkey and ProtectBits", seen.smpquery("portinfo", *first)))
                .note("with protection level 0 or 1 a Get needs no key, and its answer holds it")
                .help("`m_key_protection_level 2` hides it"),
        );
    }
    let secret = |key: u64| key != 0 && key != DEFAULT_SM_KEY;
    for (port, _) in seen.snapshot.managers.iter().filter(|(_, info)| secret(info.sm_key())) {
        found.push(
            OPEN_KEYS
                .found(format!(
                    "the subnet manager at {} tells its SM_Key to whoever asks",
                    seen.name(*port)
                ))
                .note("SMInfo holds the key only for those who have shown that they know it")
                .help("bring that manager up to date"),
        );
    }
}
