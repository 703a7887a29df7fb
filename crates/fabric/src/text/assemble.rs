//! Puts a draft together: nodes, cables, addresses.

use lk_diag::Diagnostic;
use lk_wire::{Guid, Lid};

use super::cables::{self, Cable};
use super::draft::{Draft, DraftEnd, Enabled, Place};
use super::findings::{
    Findings, GUID_DISAGREES, GUID_TWICE, LID_DISAGREES, NO_COMMON_RATE, NO_NODE, RATE_DISAGREES,
    STRAY_LINE,
};
use super::{FabricFile, Form, checks};
use crate::graph::{Added, FabricBuilder, GraphError, LinkRate, NodeKind};

/// The fabric of a draft; `None` if it has no node.
pub(super) fn assemble(draft: &Draft, form: Form, findings: &mut Findings) -> Option<FabricFile> {
    let mut assembly = Assembly { draft, builder: FabricBuilder::new(), added: Vec::new() };
    assembly.add_nodes(findings);
    if assembly.builder.is_empty() {
        // A file of another kind has no line that is right; one finding says enough.
        findings.forget(STRAY_LINE);
        findings.push(match draft.files.first() {
            Some(file) => Diagnostic::error(
                NO_NODE,
                format!("{} holds no node of a fabric", file.name()),
            )
            .help(
                "a fabric is the output of ibnetdiscover or a net file of ibsim, with lines such \
                 as `Switch 36 \"S-0002c90200400001\"`, a topology of ibdm or ibdiagnet's db_csv",
            ),
            None => Diagnostic::error(NO_NODE, "there is no file"),
        });
        return None;
    }
    let cables = cables::pair(draft, form, findings);
    for cable in &cables {
        assembly.cable(cable, findings);
    }
    let first = assembly.first(form)?;
    let (fabric, map) = assembly.builder.build_with_map();
    let first = *map.get(first.index())?;
    let initiated_from = draft.initiated_from.and_then(|(node, port)| {
        let node = fabric.node_by_guid(node)?;
        let mut ports = fabric.external_ports(node);
        ports.find(|p| fabric.port(*p).guid == port).or_else(|| {
            fabric.port_at(node, lk_wire::PortNum(0)).filter(|_| fabric.as_switch(node).is_some())
        })
    });
    checks::run(draft, &fabric, findings);
    Some(FabricFile { fabric, form, first, initiated_from })
}

struct Assembly<'d> {
    draft: &'d Draft,
    builder: FabricBuilder,
    /// What each node of the draft became; `None` where it was left out.
    added: Vec<Option<Added>>,
}

impl Assembly<'_> {
    /// The node where programs sit by default: the first of the file, but in the forms that do not
    /// say who comes first the first adapter.
    fn first(&self, form: Form) -> Option<Added> {
        let mut all = self.draft.nodes.iter().zip(&self.added);
        let adapter = matches!(form, Form::Ibdm | Form::DbCsv)
            .then(|| all.clone().find(|(node, _)| node.spec.kind == NodeKind::Ca))
            .flatten();
        let any = || all.find(|(_, added)| added.is_some());
        adapter.filter(|(_, added)| added.is_some()).or_else(any).and_then(|(_, added)| *added)
    }

    fn add_nodes(&mut self, findings: &mut Findings) {
        for node in &self.draft.nodes {
            let mut spec = node.spec.clone();
            spec.description = self.draft.description(node);
            let (kind, guid) = (spec.kind, spec.guid);
            let added = match self.builder.add_node(spec) {
                Ok(added) => added,
                Err(error) => {
                    findings.push(self.refused(node.place, guid, &error));
                    self.added.push(None);
                    continue;
                }
            };
            self.added.push(Some(added));
            if kind == NodeKind::Switch {
                let port = node.port0;
                let port_guid = port.guid.unwrap_or(guid);
                let lid = Lid(port.lid.unwrap_or(0));
                self.set_port(added, 0, port_guid, lid, port.lmc);
                if port_guid != guid {
                    for external in 1..=node.spec.num_ports {
                        self.set_port(added, external, port_guid, Lid(0), 0);
                    }
                }
            }
        }
    }

    fn refused(&self, place: Place, guid: Guid, error: &GraphError) -> Diagnostic {
        let finding = Diagnostic::error(GUID_TWICE, error.to_string());
        let finding = self.draft.at(finding, place, "this one is left out");
        let first = self.draft.nodes.iter().find(|n| n.spec.guid == guid);
        match first {
            Some(first) => self.draft.also(finding, first.place, "the first one"),
            None => finding,
        }
    }

    /// Every port number that comes here was checked against its node's number of ports.
    fn set_port(&mut self, node: Added, port: u8, guid: Guid, lid: Lid, lmc: u8) {
        let done = self.builder.set_port(node, port, guid, lid, lmc);
        debug_assert!(done.is_ok());
    }

    fn cable(&mut self, cable: &Cable, findings: &mut Findings) {
        let (near, far) = (&self.draft.ends[cable.near as usize], cable.far.map(|i| i as usize));
        let far = far.map(|i| &self.draft.ends[i]);
        let ends = [(near.node, near.port), cable.far_at];
        let [Some(a), Some(b)] = ends.map(|(n, _)| self.added[n as usize]) else { return };
        if self.builder.connect((a, ends[0].1), (b, ends[1].1)).is_err() {
            // Pairing has checked the numbers, and a port is in one cable only.
            debug_assert!(false);
            return;
        }
        let rates = self.rates(near, far, findings);
        for (i, added) in [a, b].into_iter().enumerate() {
            let (node, port) = ends[i];
            let done = self.builder.set_rate(added, port, rates[i]);
            debug_assert!(done.is_ok());
            if self.draft.nodes[node as usize].spec.kind != NodeKind::Switch {
                let (own, other) = if i == 0 { (Some(near), far) } else { (far, Some(near)) };
                self.adapter_port(added, (node, port), own, other, findings);
            } else if let (Some(other), None) =
                (if i == 0 { far } else { Some(near) }, self.draft.nodes[node as usize].port0.lid)
                && let Some(lid) = other.far_lid
            {
                let port0 = self.draft.nodes[node as usize].port0;
                let guid = port0.guid.unwrap_or(self.draft.nodes[node as usize].spec.guid);
                self.set_port(added, 0, guid, Lid(lid), port0.lmc);
            }
        }
    }

    /// GUID and LID of an adapter's port: from its own line, else from the far end's, else the
    /// GUID is the node's plus the port's number.
    fn adapter_port(
        &mut self,
        added: Added,
        (node, port): (u32, u8),
        own: Option<&DraftEnd>,
        other: Option<&DraftEnd>,
        findings: &mut Findings,
    ) {
        let by_other = other.and_then(|e| e.far_guid);
        let by_own = own.and_then(|e| e.this.guid);
        if let (Some(x), Some(y), Some(o)) = (by_own, by_other, own)
            && x != y
        {
            let message =
                format!("the port's GUID is {x} by its own line and {y} by the other end");
            findings.push(self.two_lines(GUID_DISAGREES, message, o, other));
        }
        let lid_other = other.and_then(|e| e.far_lid);
        let lid_own = own.and_then(|e| e.this.lid);
        if let (Some(x), Some(y), Some(o)) = (lid_own, lid_other, own)
            && x != y
        {
            let message = format!("the port's LID is {x} by its own line and {y} by the other end");
            findings.push(self.two_lines(LID_DISAGREES, message, o, other));
        }
        let node_guid = self.draft.nodes[node as usize].spec.guid.0;
        let guid = by_own.or(by_other).unwrap_or(Guid(node_guid.wrapping_add(u64::from(port))));
        let lid = Lid(lid_own.or(lid_other).unwrap_or(0));
        self.set_port(added, port, guid, lid, own.map_or(0, |e| e.this.lmc));
    }

    fn two_lines(
        &self,
        code: lk_diag::Code,
        message: String,
        own: &DraftEnd,
        other: Option<&DraftEnd>,
    ) -> Diagnostic {
        let finding = self.draft.at(Diagnostic::warning(code, message), own.place, "taken");
        match other {
            Some(other) => self.draft.also(finding, other.place, "the other end"),
            None => finding,
        }
    }

    /// The rates of the two ends. Where one end says nothing, it has the other's.
    fn rates(
        &self,
        near: &DraftEnd,
        far: Option<&DraftEnd>,
        findings: &mut Findings,
    ) -> [LinkRate; 2] {
        let Some(far) = far else { return [near.rate, near.rate] };
        if near.enabled.is_some() || far.enabled.is_some() {
            let rate = self.common_rate(near, far, findings);
            return [rate, rate];
        }
        match (near.rate.is_unknown(), far.rate.is_unknown()) {
            (true, _) => [far.rate, far.rate],
            (_, true) => [near.rate, near.rate],
            _ => {
                if near.rate != far.rate {
                    let message = format!(
                        "the ends of this cable report different rates, {} and {}",
                        near.rate, far.rate
                    );
                    let finding = Diagnostic::warning(RATE_DISAGREES, message);
                    let finding = self.draft.at(finding, near.place, &near.rate.to_string());
                    findings.push(self.draft.also(finding, far.place, &far.rate.to_string()));
                }
                [near.rate, far.rate]
            }
        }
    }

    /// The highest width and speed that both ends enable, as ibsim takes them.
    fn common_rate(&self, a: &DraftEnd, b: &DraftEnd, findings: &mut Findings) -> LinkRate {
        let masks = [a, b].map(|end| {
            let stated = end.enabled.unwrap_or_default();
            let named = Enabled::of_rate(end.rate);
            Enabled {
                width: stated.width.or(named.width),
                speed: stated.speed.or(named.speed),
                speed_ext: stated.speed_ext.or(named.speed_ext),
            }
        });
        let mut missing = Vec::new();
        let mut common = |x: Option<u8>, y: Option<u8>, default: u8, order: &[u8], what: &str| {
            if x.is_none() && y.is_none() {
                return 0;
            }
            let both = x.unwrap_or(default) & y.unwrap_or(default);
            let best = order.iter().copied().find(|bit| both & bit != 0).unwrap_or(0);
            if best == 0 && default != 0 {
                missing.push(what.to_owned());
            }
            best
        };
        let [x, y] = masks;
        let width = common(x.width, y.width, 2, &[8, 4, 2, 16, 1], "width");
        let speed = common(x.speed, y.speed, 1, &[4, 2, 1], "speed");
        let speed_ext = common(x.speed_ext, y.speed_ext, 0, &[8, 4, 2, 1], "extended speed");
        if !missing.is_empty() {
            let message = format!(
                "the ends of this cable enable no {} in common; ibsim refuses the file",
                missing.join(" and no ")
            );
            let finding = Diagnostic::error(NO_COMMON_RATE, message);
            let finding = self.draft.at(finding, a.place, "");
            findings.push(self.draft.also(finding, b.place, "the other end").note(
                "w= is a mask: 1 = 1x, 2 = 4x, 4 = 8x, 8 = 12x, 16 = 2x; a port that says nothing \
                 enables 4x and SDR",
            ));
        }
        LinkRate { width, speed, speed_ext, fdr10: false }
    }
}

impl Enabled {
    /// What ibsim enables on a port whose comment names this rate.
    const fn of_rate(rate: LinkRate) -> Self {
        let width = match rate.width {
            0 => None,
            2 => Some(3),
            8 => Some(11),
            other => Some(other),
        };
        let (speed, speed_ext) = match (rate.speed_ext, rate.speed) {
            (0, 0) => (None, None),
            (0, 1) => (Some(1), None),
            (0, 2) => (Some(3), None),
            (0, _) => (Some(7), None),
            (ext, _) => (Some(7), Some(ext | (ext - 1))),
        };
        Self { width, speed, speed_ext }
    }
}
