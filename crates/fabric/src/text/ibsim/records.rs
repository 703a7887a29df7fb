//! Header and port lines of ibsim net files.

use lk_diag::Diagnostic;

use super::super::draft::{DraftEnd, DraftNode, DraftPort, Enabled, Place};
use super::super::findings::{
    BAD_NUMBER, IBSIM_DIFFERS, MALFORMED, NODE_TWICE, PORT_RANGE, UNKNOWN_NODE,
};
use super::super::record::{self, Address, Comment, Cursor};
use super::{Reader, Record, kind_index, modifiers};
use crate::graph::{NodeKind, NodeSpec};

impl Reader<'_> {
    pub(super) fn header(
        &mut self,
        place: Place,
        kind: NodeKind,
        keyword: usize,
        text: &str,
    ) -> Record {
        let header = match record::header(Self::behind(text, keyword)) {
            Ok(header) => header,
            Err(flaw) => {
                self.malformed(place, flaw.at, flaw.expected);
                return Record::LeftOut;
            }
        };
        if header.id.contains(['#', '@']) {
            let message = "ibsim allows neither # nor @ in a node's id";
            self.say(Diagnostic::error(MALFORMED, message), place, "left out");
            return Record::LeftOut;
        }
        let Some(num_ports) = u8::try_from(header.ports).ok().filter(|n| (1..=254).contains(n))
        else {
            let message = format!("a node has 1 to 254 ports, not {}", header.ports);
            self.say(Diagnostic::error(PORT_RANGE, message), place, "left out");
            return Record::LeftOut;
        };
        let guid = self.next[kind_index(kind)];
        let step = if kind == NodeKind::Switch { 1 } else { u64::from(num_ports) + 1 };
        let mut port0 = self.address(place, header.comment.far);
        if kind == NodeKind::Switch {
            port0.guid = self.port0.take();
        }
        let id = self.expand(header.id);
        let spec =
            NodeSpec::new(guid.into(), kind, header.comment.name.unwrap_or_default(), num_ports);
        let node = DraftNode {
            name: self.draft.name(&id),
            place,
            spec: NodeSpec {
                system_guid: self.system.unwrap_or(spec.system_guid),
                vendor_id: self.vendor,
                device_id: self.device,
                enhanced_port0: header.comment.enhanced_port0 == Some(true),
                ..spec
            },
            port0,
        };
        match self.draft.add(node) {
            Ok(index) => {
                self.next[kind_index(kind)] = guid.wrapping_add(step);
                self.vendor = 0;
                self.system = None;
                Record::Node(index, num_ports)
            }
            Err(first) => {
                let finding = Diagnostic::error(NODE_TWICE, format!("the id `{id}` is used twice"));
                let first = self.draft.nodes[first as usize].place;
                let finding = self.draft.at(finding, place, "this node is left out");
                self.findings.push(self.draft.also(finding, first, "the first one"));
                Record::LeftOut
            }
        }
    }

    /// Takes a port line of a node; false where it is left out.
    pub(super) fn port(&mut self, place: Place, node: u32, text: &str) -> bool {
        let is_alias = text.starts_with('@');
        let line = match record::port_line(Self::behind(text, usize::from(is_alias))) {
            Ok(line) => line,
            Err(flaw) => {
                self.malformed(place, flaw.at, flaw.expected);
                return false;
            }
        };
        let num_ports = self.draft.nodes[node as usize].spec.num_ports;
        let Some(port) = u8::try_from(line.port).ok().filter(|p| (1..=num_ports).contains(p))
        else {
            let message = format!("the node has ports 1 to {num_ports}, not {}", line.port);
            self.say(Diagnostic::error(PORT_RANGE, message), place, "left out");
            return false;
        };
        if is_alias {
            return self.alias(place, (node, port), line.far);
        }
        let mut enabled = self.enabled;
        if modifiers::take(line.tail, &mut enabled).is_err() {
            let message = "a modifier is out of range: w is 1 to 31, s 0 to 7, e 0 to 15";
            self.say(Diagnostic::error(BAD_NUMBER, message), place, "the modifier is left out");
        }
        let Some((far, far_port, by_alias)) = self.far_end(place, &line) else { return false };
        let comment = Comment::of_port(line.tail);
        if let Some(name) = comment.name {
            self.draft.hint(far, name);
        }
        let this = self.address(place, comment.own);
        let far_lid = self.address(place, comment.far).lid;
        self.ends.entry((node, port)).or_insert(self.draft.ends.len());
        self.draft.ends.push(DraftEnd {
            node,
            port,
            place,
            this: DraftPort { guid: line.guid, ..this },
            far,
            far_port,
            far_guid: line.far_guid,
            far_lid,
            rate: comment.rate.unwrap_or_default(),
            enabled: (enabled != Enabled::default()).then_some(enabled),
            by_alias,
        });
        true
    }

    fn far_end(
        &mut self,
        place: Place,
        line: &record::PortLine<'_>,
    ) -> Option<(super::super::draft::NameId, u32, bool)> {
        if line.far.contains('@') {
            let alias = match line.far.strip_prefix('@') {
                Some(_) => format!("{}{}", self.prefix, line.far),
                None => line.far.to_owned(),
            };
            let Some((node, port)) = self.aliases.get(&alias) else {
                let message = format!("no port above this line has the alias `{alias}`");
                self.say(Diagnostic::error(UNKNOWN_NODE, message), place, "the cable is left out");
                return None;
            };
            return Some((self.draft.nodes[*node as usize].name, u32::from(*port), true));
        }
        let far = self.expand(line.far);
        let far_port = match line.far_port {
            Some(port) if line.gap => {
                if port != 1 {
                    let message = format!(
                        "ibsim takes port 1, not {port}, because of the blank before the bracket"
                    );
                    let finding = Diagnostic::warning(IBSIM_DIFFERS, message)
                        .help(format!("write `\"{}\"[{port}]`", line.far));
                    self.say(finding, place, "port 1 is taken");
                }
                1
            }
            Some(port) => port,
            None => 1,
        };
        Some((self.draft.name(&far), far_port, false))
    }

    fn alias(&mut self, place: Place, at: (u32, u8), name: &str) -> bool {
        if name.contains(['#', '@']) {
            let message = "ibsim allows neither # nor @ in an alias";
            self.say(Diagnostic::error(MALFORMED, message), place, "left out");
            return false;
        }
        let alias = format!("{}@{name}", self.prefix);
        if self.aliases.contains_key(&alias) {
            let message = format!("the alias `{alias}` is used twice");
            self.say(Diagnostic::error(NODE_TWICE, message), place, "left out");
            return false;
        }
        self.aliases.insert(alias, at);
        true
    }

    fn address(&mut self, place: Place, address: Address) -> DraftPort {
        let (port, wrong) = DraftPort::with_address(address);
        for finding in wrong {
            self.say(finding, place, "");
        }
        port
    }

    /// The node id in quotes and the port number in brackets behind it, and where they end.
    pub(super) fn operand<'t>(cursor: &mut Cursor<'t>) -> Option<(&'t str, Option<u64>)> {
        cursor.through('"')?;
        let id = cursor.through('"')?;
        let mut ahead = *cursor;
        let port = if ahead.eat('[') {
            let text = ahead.through(']')?;
            *cursor = ahead;
            Some(modifiers::number(text)?)
        } else {
            None
        };
        Some((id, port))
    }
}
