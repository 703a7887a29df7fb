//! SLs whose packets are dropped.

use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_wire::{Sl, Vl};

use super::users::{User, users};
use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static DROPPED: Rule = Rule {
    code: Code::new("QO002", "packets of an SL are dropped"),
    severity: Severity::Error,
    page: include_str!("pages/QO002.md"),
    of_tables: true,
    look: |site, found| {
        if site.programs_tables() {
            site.distinct_kinds().for_each(|kind| look(site, kind, found));
        }
    },
};

fn look(site: &Site<'_>, kind: &PortKind, found: &mut Diagnostics) {
    let Some(held) = site.held(kind).sl2vl else { return };
    let dropped: Vec<u8> = (0..16).filter(|sl| held.get(Sl(*sl)) == Vl::DROP).collect();
    if dropped.is_empty() {
        return;
    }
    let set = site.wish(kind).origins.sl2vl;
    let users: Vec<User> =
        users(site).into_iter().filter(|user| dropped.contains(&user.sl)).collect();
    let message = format!(
        "{}: packets of {} are dropped, for VL15 in an SL2VL table means so",
        kind.name(),
        super::numbers("SL", &dropped)
    );
    let finding = if users.is_empty() {
        Diagnostic::new(DROPPED.code, Severity::Info, message)
            .note("nothing that is known here uses these SLs; programs that choose their own might")
    } else {
        let with = |finding: Diagnostic, user: User| match user.place {
            Some((source, place)) => finding.also(&source, place, user.what),
            None => finding.note(user.what),
        };
        users
            .into_iter()
            .fold(DROPPED.found(message), with)
            .help("give these SLs a lane from 0 to 14, or let nothing use them")
    };
    found.push(site.at_set(set, "sl2vl", "15 drops an SL", finding));
}
