//! Links that are up and that no manager has taken into use.

use lk_diag::{Code, Diagnostics, Severity};
use lk_wire::PortState;

use crate::rule::Rule;
use crate::site::Site;

pub(in crate::rules) static NOT_ACTIVE: Rule = Rule {
    code: Code::new("QO125", "links that are up and not active"),
    severity: Severity::Error,
    page: include_str!("../pages/QO125.md"),
    of_tables: false,
    look: not_active,
};

fn not_active(site: &Site<'_>, found: &mut Diagnostics) {
    let Some(seen) = &site.seen else { return };
    let idle = |info: &lk_wire::PortInfo| {
        let state = info.state();
        state == PortState::INIT || state == PortState::ARMED
    };
    let (mut ports, mut all) = (Vec::new(), 0);
    for (port, info) in seen.up_ports() {
        all += 1;
        if idle(info) {
            ports.push(port);
        }
    }
    let Some(first) = ports.first() else { return };
    let cause = if ports.len() == all {
        "nothing here is in use: no subnet manager runs, or it ends before it is done, which its log \
         says"
    } else {
        "the manager has not come to them, was refused, or keeps off: its log names them"
    };
    found.push(
        NOT_ACTIVE
            .found(format!(
                "{} of {all} have a link that carries no data, for nobody has made it active: {}",
                super::ports(ports.len()),
                seen.names(&ports)
            ))
            .note(format!("{} shows LinkState", seen.smpquery("portinfo", *first)))
            .note(cause)
            .note("their tables are those that they came with, and are not judged"),
    );
}
