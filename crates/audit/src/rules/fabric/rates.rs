//! Links that look slow where no PortInfo says what their ends support: beside what the same nodes
//! run elsewhere.

use lk_diag::{Diagnostic, Diagnostics, Severity};
use lk_fabric::{Fabric, LinkRate, NodeId, PortId};

use super::links::BELOW_RATE;

/// So many links are named.
const NAMED: usize = 5;

/// Reports links by what the graph alone knows of them.
pub(super) fn by_graph(fabric: &Fabric, found: &mut Diagnostics) {
    let rate = |port: PortId| fabric.port(port).rate;
    let known = |(a, _): &(PortId, PortId)| rate(*a).decigigabits() > 0;
    let links: Vec<(PortId, PortId)> = fabric.links().filter(known).collect();
    let widest = links.iter().map(|(a, _)| rate(*a).lanes()).max().unwrap_or(0);
    let mut best = vec![LinkRate::default(); fabric.nodes().len()];
    for (a, b) in &links {
        for node in [fabric.owner(*a), fabric.owner(*b)] {
            let so_far = &mut best[node.0 as usize];
            if rate(*a).decigigabits() > so_far.decigigabits() {
                *so_far = rate(*a);
            }
        }
    }
    let elsewhere = |node: NodeId| best[node.0 as usize].decigigabits();
    let (mut sure, mut perhaps) = (Vec::new(), Vec::new());
    for (a, b) in &links {
        let runs = rate(*a);
        let (one, two) = (elsewhere(fabric.owner(*a)), elsewhere(fabric.owner(*b)));
        let words = format!("{} to {}: {runs}", fabric.port_name(*a), fabric.port_name(*b));
        // Links begin at SDR, and those that fail to train further stay there.
        let stuck = runs.speed_name() == Some("SDR") && one.max(two) > SDR_AMONG_FASTER;
        if runs.lanes() < 4 && runs.lanes() < widest {
            sure.push(format!("{words}, and other links have {widest} lanes"));
        } else if stuck {
            sure.push(format!("{words}, the speed at which links begin"));
        } else if runs.decigigabits() < one.min(two) {
            perhaps.push(words);
        }
    }
    if !sure.is_empty() {
        let finding = BELOW_RATE.found(format!(
            "{} of the fabric run{} as links do that have not come up fully",
            super::links(sure.len()),
            if sure.len() == 1 { "s" } else { "" }
        ));
        found.push(named(finding, &sure).help(
            "look at the cable first, then at what is enabled (LinkWidthEnabled, LinkSpeedEnabled, and \
             force_link_width and force_link_speed of the manager)",
        ));
    }
    if !perhaps.is_empty() {
        let mut finding = BELOW_RATE.found(format!(
            "{} of the fabric run{} below what both ends run elsewhere",
            super::links(perhaps.len()),
            if perhaps.len() == 1 { "s" } else { "" }
        ));
        finding.severity = Severity::Info;
        found.push(named(finding, &perhaps).note(
            "ports of a node may differ: a live fabric or a snapshot says what each supports",
        ));
    }
}

/// 4x QDR, in tenths of Gbit/s: ports that are faster do not stay at SDR.
const SDR_AMONG_FASTER: u32 = 400;

fn named(finding: Diagnostic, links: &[String]) -> Diagnostic {
    let finding = links.iter().take(NAMED).cloned().fold(finding, Diagnostic::note);
    match links.len() {
        n if n > NAMED => finding.note(format!("and {} more", n - NAMED)),
        _ => finding,
    }
}
