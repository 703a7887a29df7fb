//! Finds the two ends of each cable among the port lines.
//!
//! A cable stands where two lines name each other. In the output of ibnetdiscover, a line whose
//! far port has no line of its own is taken as a cable too, unless something else in the file
//! contradicts it. Everything else is reported and left out.

use lk_diag::Diagnostic;

use super::Form;
use super::draft::{Draft, DraftEnd};
use super::findings::{
    CABLE_DISAGREES, Findings, ONE_SIDED, PORT_RANGE, PORT_TO_ITSELF, PORT_TWICE, UNKNOWN_NODE,
};

/// A cable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cable {
    /// The line of one end, as index of [`Draft::ends`].
    pub(super) near: u32,
    /// The line of the other end, if there is one.
    pub(super) far: Option<u32>,
    /// Node (index of [`Draft::nodes`]) and port of the other end.
    pub(super) far_at: (u32, u8),
}

/// A port of the draft by number: all ports of all nodes side by side.
type Slot = usize;

struct Pairing<'d> {
    draft: &'d Draft,
    form: Form,
    /// The slot of each node's port 0.
    first: Vec<Slot>,
    /// The line of each port.
    line: Vec<Option<u32>>,
    /// How many lines name each port as their far end.
    named: Vec<u32>,
}

/// All cables of a draft, by the order of their first lines.
pub(super) fn pair(draft: &Draft, form: Form, findings: &mut Findings) -> Vec<Cable> {
    let mut first = Vec::with_capacity(draft.nodes.len());
    let mut slots = 0;
    for node in &draft.nodes {
        first.push(slots);
        slots += usize::from(node.spec.num_ports) + 1;
    }
    let mut pairing =
        Pairing { draft, form, first, line: vec![None; slots], named: vec![0; slots] };
    pairing.place_lines(findings);
    let targets: Vec<Option<(u32, u8)>> =
        draft.ends.iter().map(|end| pairing.target(end, findings)).collect();
    for (index, target) in targets.iter().enumerate() {
        if let (Some(at), true) = (target, pairing.counts(index)) {
            let slot = pairing.slot(*at);
            pairing.named[slot] += 1;
        }
    }
    let mut cables = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        if let (Some(at), true) = (target, pairing.counts(index)) {
            cables.extend(pairing.cable(index as u32, *at, &targets, findings));
        }
    }
    cables
}

impl Pairing<'_> {
    fn slot(&self, (node, port): (u32, u8)) -> Slot {
        self.first[node as usize] + usize::from(port)
    }

    fn end(&self, index: u32) -> &DraftEnd {
        &self.draft.ends[index as usize]
    }

    /// Whether a line is the one that counts for its port.
    fn counts(&self, index: usize) -> bool {
        let end = &self.draft.ends[index];
        self.line[self.slot((end.node, end.port))] == Some(index as u32)
    }

    fn place_lines(&mut self, findings: &mut Findings) {
        for (index, end) in self.draft.ends.iter().enumerate() {
            let slot = self.slot((end.node, end.port));
            let Some(earlier) = self.line[slot] else {
                self.line[slot] = Some(index as u32);
                continue;
            };
            let message =
                format!("port {} of {} is described twice", end.port, self.name(end.node));
            let finding = Diagnostic::error(PORT_TWICE, message);
            let finding = self.draft.at(finding, end.place, "this line is left out");
            findings.push(self.draft.also(finding, self.end(earlier).place, "the first one"));
        }
    }

    fn name(&self, node: u32) -> String {
        let node = &self.draft.nodes[node as usize];
        let description = self.draft.description(node);
        let id = self.draft.text(node.name);
        if description == id { format!("`{id}`") } else { format!("`{id}` ({description})") }
    }

    /// Where a line says that its cable ends.
    fn target(&self, end: &DraftEnd, findings: &mut Findings) -> Option<(u32, u8)> {
        let Some(node) = self.draft.node_named(end.far) else {
            let message = format!(
                "port {} of {} is cabled to `{}`, which is described nowhere in the file",
                end.port,
                self.name(end.node),
                self.draft.text(end.far)
            );
            let finding = Diagnostic::error(UNKNOWN_NODE, message);
            findings.push(self.draft.at(finding, end.place, "the cable is left out"));
            return None;
        };
        let ports = self.draft.nodes[node as usize].spec.num_ports;
        let Some(port) = u8::try_from(end.far_port).ok().filter(|p| (1..=ports).contains(p)) else {
            let message =
                format!("{} has ports 1 to {ports}, not {}", self.name(node), end.far_port);
            let finding = Diagnostic::error(PORT_RANGE, message);
            let finding = self.draft.at(finding, end.place, "the cable is left out");
            let place = self.draft.nodes[node as usize].place;
            findings.push(self.draft.also(finding, place, "the node at the far end"));
            return None;
        };
        Some((node, port))
    }

    fn cable(
        &self,
        index: u32,
        at: (u32, u8),
        targets: &[Option<(u32, u8)>],
        findings: &mut Findings,
    ) -> Option<Cable> {
        let end = self.end(index);
        let here = (end.node, end.port);
        if at == here {
            let message = format!("port {} of {} is cabled to itself", here.1, self.name(here.0));
            let finding = Diagnostic::error(PORT_TO_ITSELF, message);
            findings.push(self.draft.at(finding, end.place, "the cable is left out"));
            return None;
        }
        let Some(other) = self.line[self.slot(at)] else {
            return self.one_sided(index, at, findings);
        };
        if targets[other as usize] == Some(here) {
            return (index < other).then_some(Cable { near: index, far: Some(other), far_at: at });
        }
        let message = format!(
            "port {} of {} says that it is cabled to port {} of {}, and that port says {}",
            here.1,
            self.name(here.0),
            at.1,
            self.name(at.0),
            match targets[other as usize] {
                Some(there) => format!("port {} of {}", there.1, self.name(there.0)),
                None => "something else".to_owned(),
            }
        );
        let finding = Diagnostic::error(CABLE_DISAGREES, message);
        let finding = self.draft.at(finding, end.place, "this cable is left out");
        findings.push(self.draft.also(finding, self.end(other).place, "the far port's own line"));
        None
    }

    fn one_sided(&self, index: u32, at: (u32, u8), findings: &mut Findings) -> Option<Cable> {
        let end = self.end(index);
        let here = (end.node, end.port);
        let contradicted = self.named[self.slot(at)] > 1 || self.named[self.slot(here)] > 0;
        let ends = format!(
            "port {} of {} and port {} of {}",
            here.1,
            self.name(here.0),
            at.1,
            self.name(at.0)
        );
        if contradicted {
            let message = format!("{ends} are one cable by this line and not by others");
            let finding = Diagnostic::error(CABLE_DISAGREES, message);
            findings.push(self.draft.at(finding, end.place, "this cable is left out"));
            return None;
        }
        if end.by_alias {
            return Some(Cable { near: index, far: None, far_at: at });
        }
        let message = format!("only one end of the cable between {ends} is in the file");
        if self.form == Form::Ibsim {
            let finding = Diagnostic::error(ONE_SIDED, format!("{message}; ibsim refuses it"));
            findings.push(self.draft.at(finding, end.place, "this cable is left out"));
            return None;
        }
        let finding = Diagnostic::warning(ONE_SIDED, message);
        findings.push(self.draft.at(finding, end.place, "it is taken as a cable"));
        Some(Cable { near: index, far: None, far_at: at })
    }
}
