//! SLs whose packets are dropped.

use lk_diag::{Code, Diagnostic, Diagnostics, Severity};
use lk_wire::{Sl, Vl};

use crate::kinds::PortKind;
use crate::rule::Rule;
use crate::site::Site;

pub(super) static DROPPED: Rule = Rule {
    code: Code::new("QO002", "packets of an SL are dropped"),
    severity: Severity::Error,
    page: include_str!("pages/QO002.md"),
    look: |site, found| {
        if site.options().qos {
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
    let users = users(site, &dropped);
    let message = format!(
        "{}: packets of {} are dropped, for VL15 in an SL2VL table means so",
        kind.name(),
        super::numbers("SL", &dropped)
    );
    let finding = if users.is_empty() {
        Diagnostic::new(DROPPED.code, Severity::Info, message)
            .note("nothing that is known here uses these SLs; programs that choose their own might")
    } else {
        users
            .into_iter()
            .fold(DROPPED.found(message), Diagnostic::note)
            .help("give these SLs a lane from 0 to 14, or let nothing use them")
    };
    found.push(site.at_set(set, "sl2vl", "15 drops an SL", finding));
}

/// What is known to use one of these SLs.
fn users(site: &Site<'_>, sls: &[u8]) -> Vec<String> {
    let sm_sl = site.options().sm_sl & 15;
    let mut users = Vec::new();
    if sls.contains(&0) {
        users.push("SL0 is what all traffic uses that asks for nothing else".to_owned());
    }
    if sm_sl != 0 && sls.contains(&sm_sl) {
        users.push(format!("sm_sl is {sm_sl}: hosts ask the SA on this SL"));
    }
    users
}
