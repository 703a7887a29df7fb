//! What is to be said of a fabric as a whole once it is read.

use lk_diag::Diagnostic;
use lk_wire::Guid;
use rustc_hash::FxHashMap;

use super::draft::{Draft, Place};
use super::findings::{Findings, GUID_TWICE, IN_PARTS, LID_TWICE, LOOPBACK, NO_SWITCH};
use crate::components::components;
use crate::graph::{Fabric, NodeId, PortId};

/// Reports loops, GUIDs and LIDs that are used twice, and parts that are cut off.
pub(super) fn run(draft: &Draft, fabric: &Fabric, findings: &mut Findings) {
    let places: FxHashMap<Guid, Place> =
        draft.nodes.iter().rev().map(|n| (n.spec.guid, n.place)).collect();
    let checks = Checks { draft, fabric, places };
    checks.loopbacks(findings);
    checks.port_guids(findings);
    checks.lids(findings);
    checks.parts(findings);
}

struct Checks<'d> {
    draft: &'d Draft,
    fabric: &'d Fabric,
    places: FxHashMap<Guid, Place>,
}

impl Checks<'_> {
    fn at(&self, finding: Diagnostic, node: NodeId) -> Diagnostic {
        match self.places.get(&self.fabric.node(node).guid) {
            Some(place) => self.draft.at(finding, *place, ""),
            None => finding,
        }
    }

    fn loopbacks(&self, findings: &mut Findings) {
        for (a, b) in self.fabric.links() {
            let node = self.fabric.owner(a);
            if node != self.fabric.owner(b) {
                continue;
            }
            let message = format!(
                "ports {} and {} of {} are cabled to each other",
                self.fabric.port_num(a),
                self.fabric.port_num(b),
                self.fabric.node(node).description
            );
            let finding = Diagnostic::warning(LOOPBACK, message);
            findings.push(self.at(finding, node).note("such a cable carries no traffic"));
        }
    }

    fn port_guids(&self, findings: &mut Findings) {
        let mut used: Vec<(Guid, PortId)> = self
            .fabric
            .end_ports()
            .map(|p| (self.fabric.port(p).guid, p))
            .filter(|(guid, _)| *guid != Guid(0))
            .collect();
        used.sort_unstable();
        for pair in used.windows(2) {
            if let [(x, a), (y, b)] = pair
                && x == y
            {
                let message = format!(
                    "the port GUID {x} belongs to {} and to {}",
                    self.fabric.port_name(*a),
                    self.fabric.port_name(*b)
                );
                let finding = Diagnostic::error(GUID_TWICE, message);
                findings.push(self.at(finding, self.fabric.owner(*b)));
            }
        }
    }

    fn lids(&self, findings: &mut Findings) {
        let mut used: Vec<(u32, u32, PortId)> = self
            .fabric
            .end_ports()
            .map(|p| (self.fabric.port(p), p))
            .filter(|(port, _)| port.lid.is_unicast())
            .map(|(port, p)| (u32::from(port.lid.0), u32::from(port.lid.0) + (1 << port.lmc), p))
            .collect();
        used.sort_unstable();
        for pair in used.windows(2) {
            if let [(_, end, a), (start, _, b)] = pair
                && start < end
            {
                let message = format!(
                    "LID {start} belongs to {} and to {}",
                    self.fabric.port_name(*a),
                    self.fabric.port_name(*b)
                );
                let finding = Diagnostic::warning(LID_TWICE, message);
                findings.push(self.at(finding, self.fabric.owner(*b)));
            }
        }
    }

    fn parts(&self, findings: &mut Findings) {
        if self.fabric.switches().is_empty() {
            findings.push(if self.fabric.links().next().is_none() {
                Diagnostic::error(NO_SWITCH, "no switch and no cable: there is nothing to route")
                    .help("was the file made on a host whose port is down?")
            } else {
                Diagnostic::info(NO_SWITCH, "no switch: adapters that are cabled to each other")
            });
            return;
        }
        let parts = components(self.fabric);
        if parts.len() < 2 {
            return;
        }
        let message = format!("the fabric is in {} parts that no cable connects", parts.len());
        let mut finding = Diagnostic::warning(IN_PARTS, message);
        for part in parts.iter().take(10) {
            let names: Vec<&str> = part
                .nodes
                .iter()
                .take(3)
                .map(|n| self.fabric.node(*n).description.as_str())
                .collect();
            let more = if part.nodes.len() > names.len() { ", …" } else { "" };
            finding = finding.note(format!(
                "{} nodes, {} of them switches: {}{more}",
                part.nodes.len(),
                part.switches,
                names.join(", ")
            ));
        }
        if parts.len() > 10 {
            finding = finding.note(format!("and {} parts more", parts.len() - 10));
        }
        findings.push(finding);
    }
}
