//! The output of `ibnetdiscover` (infiniband-diags).
//!
//! ```text
//! vendid=0x2c9
//! devid=0xd2f0
//! sysimgguid=0x2c90200400001
//! switchguid=0x2c90200400001(2c90200400001)
//! Switch  40 "S-0002c90200400001"   # "leaf 1" enhanced port 0 lid 12 lmc 0
//! [7]     "H-0002c90300000010"[1](2c90300000011)    # "cn001 HCA-1" lid 3 4xHDR
//! ```
//!
//! Records are read as they come. What stands between them is kept apart: comments and the
//! headings of `-g` are skipped, any other line (tools write errors into the same stream) is
//! reported and skipped too. `-f` and `-g` add to some lines; the additions are understood or
//! skipped.

use lk_diag::{Diagnostic, SourceFile, Span};
use lk_wire::Guid;

use super::draft::{Draft, DraftEnd, DraftNode, DraftPort, Place};
use super::findings::{
    BAD_NUMBER, Findings, GUID_DISAGREES, MALFORMED, NODE_TWICE, ORPHAN_PORT, PORT_RANGE,
    STRAY_LINE,
};
use super::record::{self, Address, Cursor, Flaw};
use crate::graph::{NodeKind, NodeSpec};

/// The lines `name=value` that stand before a header.
#[derive(Clone, Copy, Default, Debug)]
struct Ids {
    vendor: u32,
    device: u16,
    system: Guid,
    node: Option<Guid>,
    port: Option<Guid>,
}

/// To what a port line belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Current {
    /// To nothing: no header came yet, or it could not be read.
    None,
    /// To a record that is left out; that was said already.
    LeftOut,
    /// To this node.
    Node(u32),
}

struct Reader<'f> {
    source: SourceFile,
    draft: Draft,
    findings: &'f mut Findings,
    ids: Ids,
    current: Current,
}

/// Collects the records of a file.
pub(super) fn read(source: &SourceFile, findings: &mut Findings) -> Draft {
    let mut reader = Reader {
        source: source.clone(),
        draft: Draft::of(source),
        findings,
        ids: Ids::default(),
        current: Current::None,
    };
    for (_, span, text) in source.lines() {
        reader.line(span, text);
    }
    reader.draft
}

/// The keyword of a header line, and the line from behind it on.
pub(super) fn node_kind(line: &str) -> Option<(NodeKind, Cursor<'_>)> {
    let mut cursor = Cursor::new(line);
    let kind = match cursor.run(|c| c.is_ascii_alphabetic()) {
        "Switch" => NodeKind::Switch,
        "Ca" | "Hca" => NodeKind::Ca,
        "Rt" | "Router" => NodeKind::Router,
        _ => return None,
    };
    // "Ca" alone or followed by a letter-less word is a header; "Switchboard" is none.
    cursor.rest().starts_with(|c: char| c.is_whitespace() || c == '"').then_some((kind, cursor))
}

impl Reader<'_> {
    fn line(&mut self, span: Span, whole: &str) {
        let text = whole.trim_start();
        let place =
            Place { file: 0, span: Span::new(span.start + (whole.len() - text.len()), span.end) };
        match text.chars().next() {
            None => {
                self.ids = Ids::default();
                self.current = Current::None;
            }
            Some('#') => self.comment(text),
            Some('[') => self.port(place, text),
            _ => {
                if let Some((kind, rest)) = node_kind(text) {
                    self.header(place, kind, rest);
                } else if !self.assignment(place, text) && !is_heading(text) {
                    self.findings.push(
                        Diagnostic::warning(
                            STRAY_LINE,
                            "this is no line of ibnetdiscover's; it is left out",
                        )
                        .at(&self.source, place.span, ""),
                    );
                }
            }
        }
    }

    fn comment(&mut self, text: &str) {
        let Some(at) = text.find("Initiated from node ") else { return };
        let mut words = text[at..].split_whitespace().skip(3);
        let node = words.next().and_then(record::hex);
        let port = words.nth(1).and_then(record::hex);
        if let (Some(node), Some(port)) = (node, port) {
            self.draft.initiated_from.get_or_insert((node, port));
        }
    }

    /// Takes a line `name=value`; false where it is none of those that are known.
    fn assignment(&mut self, place: Place, text: &str) -> bool {
        let Some((name, value)) = text.split_once('=') else { return false };
        let (value, rest) = match value.find(|c: char| c.is_whitespace() || c == '(') {
            Some(end) => value.split_at(end),
            None => (value, ""),
        };
        let number = record::hex(value.strip_prefix("0x").unwrap_or(value));
        let known = match name {
            "vendid" => {
                self.ids.vendor = number.and_then(|n| u32::try_from(n.0).ok()).unwrap_or(0);
                number.filter(|n| n.0 <= 0xFF_FFFF)
            }
            "devid" => {
                let id = number.and_then(|n| u16::try_from(n.0).ok());
                self.ids.device = id.unwrap_or(0);
                number.filter(|_| id.is_some())
            }
            "sysimgguid" => {
                self.ids.system = number.unwrap_or(Guid(0));
                number
            }
            "switchguid" | "caguid" | "hcaguid" | "rtguid" | "routerguid" => {
                self.ids.node = number;
                let inner = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
                self.ids.port = inner.and_then(|(guid, _)| record::hex(guid.trim()));
                number
            }
            _ => return false,
        };
        if known.is_none() {
            self.findings.push(
                Diagnostic::error(BAD_NUMBER, format!("`{value}` is no value of {name}")).at(
                    &self.source,
                    place.span,
                    "",
                ),
            );
        }
        true
    }

    fn malformed(&mut self, place: Place, flaw: Flaw) {
        let at = (place.span.start + flaw.at).min(place.span.end);
        self.findings.push(
            Diagnostic::error(
                MALFORMED,
                format!("expected {}; the line is left out", flaw.expected),
            )
            .at(&self.source, Span::new(at, place.span.end.min(at + 1)), flaw.expected),
        );
    }

    fn header(&mut self, place: Place, kind: NodeKind, rest: Cursor<'_>) {
        let ids = std::mem::take(&mut self.ids);
        self.current = Current::LeftOut;
        let header = match record::header(rest) {
            Ok(header) => header,
            Err(flaw) => return self.malformed(place, flaw),
        };
        let Some(guid) = ids.node.or_else(|| record::guid_of_id(header.id)) else {
            let message = format!("`{}` holds no GUID and no line before gives one", header.id);
            let finding = Diagnostic::error(BAD_NUMBER, message);
            return self.findings.push(finding.at(&self.source, place.span, "left out"));
        };
        if let Some(other) = record::guid_of_id(header.id).filter(|g| *g != guid) {
            let message = format!("the node is {other} by its id and {guid} by the line before");
            self.findings.push(
                Diagnostic::warning(GUID_DISAGREES, message)
                    .at(&self.source, place.span, "")
                    .note(format!("{guid} is used")),
            );
        }
        let Some(num_ports) = u8::try_from(header.ports).ok().filter(|n| (1..=254).contains(n))
        else {
            let message = format!("a node has 1 to 254 ports, not {}", header.ports);
            let finding = Diagnostic::error(PORT_RANGE, message);
            return self.findings.push(finding.at(&self.source, place.span, "left out"));
        };
        let address = self.address(place, header.comment.far);
        let node = DraftNode {
            name: self.draft.name(header.id),
            place,
            spec: NodeSpec {
                system_guid: ids.system,
                vendor_id: ids.vendor & 0xFF_FFFF,
                device_id: ids.device,
                enhanced_port0: header.comment.enhanced_port0 == Some(true),
                ..NodeSpec::new(guid, kind, header.comment.name.unwrap_or_default(), num_ports)
            },
            port0: DraftPort { guid: ids.port, ..address },
        };
        match self.draft.add(node) {
            Ok(index) => self.current = Current::Node(index),
            Err(first) => {
                let message = format!("the node `{}` is described twice", header.id);
                let finding = Diagnostic::error(NODE_TWICE, message);
                let finding = self.draft.at(finding, place, "this one is left out");
                let first = self.draft.nodes[first as usize].place;
                self.findings.push(self.draft.also(finding, first, "first described here"));
            }
        }
    }

    fn port(&mut self, place: Place, text: &str) {
        let node = match self.current {
            Current::Node(node) => node,
            Current::LeftOut => return,
            Current::None => {
                let finding = Diagnostic::error(
                    ORPHAN_PORT,
                    "no node's header line stands before this port line; it is left out",
                );
                return self.findings.push(finding.at(&self.source, place.span, ""));
            }
        };
        let line = match record::port_line(Cursor::new(text)) {
            Ok(line) => line,
            Err(flaw) => return self.malformed(place, flaw),
        };
        let num_ports = self.draft.nodes[node as usize].spec.num_ports;
        let Some(port) = u8::try_from(line.port).ok().filter(|p| (1..=num_ports).contains(p))
        else {
            let message = format!("the node has ports 1 to {num_ports}, not {}", line.port);
            let finding = Diagnostic::error(PORT_RANGE, message);
            return self.findings.push(finding.at(&self.source, place.span, "left out"));
        };
        let comment = record::Comment::of_port(line.tail);
        let far = self.draft.name(line.far);
        if let Some(name) = comment.name {
            self.draft.hint(far, name);
        }
        let this = self.address(place, comment.own);
        let far_lid = self.address(place, comment.far).lid;
        self.draft.ends.push(DraftEnd {
            node,
            port,
            place,
            this: DraftPort { guid: line.guid, ..this },
            far,
            far_port: line.far_port.unwrap_or(1),
            far_guid: line.far_guid,
            far_lid,
            rate: comment.rate.unwrap_or_default(),
            enabled: None,
            by_alias: false,
        });
    }

    fn address(&mut self, place: Place, address: Address) -> DraftPort {
        let (port, wrong) = DraftPort::with_address(address);
        for finding in wrong {
            self.findings.push(finding.at(&self.source, place.span, ""));
        }
        port
    }
}

/// Whether a line is a heading that `ibnetdiscover -g` prints between the records.
fn is_heading(text: &str) -> bool {
    ["Chassis ", "Non-Chassis Nodes", "Hostname:"].iter().any(|h| text.starts_with(h))
}
