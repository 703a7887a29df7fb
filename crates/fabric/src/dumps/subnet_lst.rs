//! `opensm-subnet.lst`: each cabled port with its neighbour, one line each.
//!
//! ```text
//! { SW Ports:04 SystemGUID:… NodeGUID:… PortGUID:… VenID:0002C9 DevID:C738 Rev:000000A1 {sw1}
//!   LID:0002 PN:01 } { CA-SM Ports:01 … VenID:000002C9 DevID:10030000 Rev:000000A1 {n1 HCA-1}
//!   LID:0001 PN:01 } PHY=4x LOG=ACT SPD=2.5
//! ```
//!
//! (One line in the file.) OpenSM prints vendor and device of the right end in other widths than
//! those of the left one, the device shifted by 16 bits; ibdmchk and others read it so. The LID is
//! the base LID, a switch's that of port 0. `-SM` marks an end whose LID is its SM LID. A speed
//! that OpenSM has no word for is `??`: NDR and faster.

use std::fmt::{self, Write};

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use lk_wire::{Guid, Lid};
use rustc_hash::FxHashMap;

use crate::graph::{
    Added, Fabric, FabricBuilder, GraphError, LinkRate, NodeKind, NodeSpec, PortId,
};
use crate::text::findings::{CABLE_DISAGREES, Findings, GUID_TWICE, PORT_RANGE};

/// What a port is like at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortStatus {
    /// The base LID of the node's end: a switch's port 0, an adapter's port itself.
    pub lid: Lid,
    /// Whether that LID is the SM LID that the port holds.
    pub is_sm: bool,
    /// PortState (IBA 14.2.5.6): 1 down, 2 INIT, 3 ARMED, 4 ACTIVE.
    pub state: u8,
    /// Active width and speed. OpenSM takes the extended speed only if the *neighbour* says that
    /// it knows extended speeds.
    pub rate: LinkRate,
}

/// Writes a line for each cabled port, node by node in table order.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    status: impl Fn(PortId) -> PortStatus,
) -> fmt::Result {
    for id in fabric.node_ids() {
        for port in fabric.external_ports(id) {
            let Some(far) = fabric.peer(port) else { continue };
            let this = status(port);
            end(out, fabric, port, this, true)?;
            out.write_char(' ')?;
            end(out, fabric, far, status(far), false)?;
            write!(out, " PHY={} LOG={}", width(this.rate), state(this.state))?;
            writeln!(out, " SPD={}", speed(this.rate))?;
        }
    }
    Ok(())
}

fn end(
    out: &mut impl Write,
    fabric: &Fabric,
    at: PortId,
    status: PortStatus,
    left: bool,
) -> fmt::Result {
    let node = fabric.node(fabric.owner(at));
    let word = match node.kind {
        NodeKind::Ca => "CA",
        NodeKind::Switch => "SW",
        NodeKind::Router => "Rt",
    };
    let sm = if status.is_sm { "-SM" } else { "" };
    write!(out, "{{ {word}{sm} Ports:{:02X}", node.num_ports)?;
    write!(out, " SystemGUID:{:016x} NodeGUID:{:016x}", node.system_guid.0, node.guid.0)?;
    write!(out, " PortGUID:{:016x}", fabric.port(at).guid.0)?;
    if left {
        write!(out, " VenID:{:06X} DevID:{:04X}", node.vendor_id, node.device_id)?;
    } else {
        let device = u32::from(node.device_id) << 16;
        write!(out, " VenID:{:08X} DevID:{device:08X}", node.vendor_id)?;
    }
    write!(out, " Rev:{:08X} {{{}}}", node.revision, node.description)?;
    write!(out, " LID:{:04X} PN:{:02X} }}", status.lid.0, fabric.port_num(at).0)
}

fn width(rate: LinkRate) -> &'static str {
    match rate.width {
        1 => "1x",
        2 => "4x",
        4 => "8x",
        8 => "12x",
        16 => "2x",
        _ => "??",
    }
}

const fn state(code: u8) -> &'static str {
    match code {
        1 => "DWN",
        2 => "INI",
        3 => "ARM",
        4 => "ACT",
        _ => "??",
    }
}

fn speed(rate: LinkRate) -> &'static str {
    match rate.speed_name() {
        Some("SDR") => "2.5",
        Some("DDR") => "5",
        Some("QDR") => "10",
        Some("FDR10") => "FDR10",
        Some("FDR") => "14",
        Some("EDR") => "25",
        Some("HDR") => "50",
        _ => "??",
    }
}

/// A fabric as it stood in such a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubnetList {
    /// The fabric.
    pub fabric: Fabric,
    /// Each cabled port's status, in the order of the ports.
    pub status: Vec<(PortId, PortStatus)>,
}

/// One end of a line, taken apart.
struct End<'t> {
    spec: NodeSpec,
    port_guid: Guid,
    lid: Lid,
    port: u8,
    is_sm: bool,
    /// The text between the braces.
    text: &'t str,
}

/// Reads such a file, also without speeds, as old versions write it.
#[must_use]
pub fn read(source: &SourceFile) -> (SubnetList, Diagnostics) {
    let mut reader = Reader {
        source,
        builder: FabricBuilder::new(),
        seen: FxHashMap::default(),
        left: Vec::new(),
        findings: Findings::default(),
    };
    for (_, span, text) in source.lines() {
        if !text.trim().is_empty() {
            reader.line(span, text);
        }
    }
    let (fabric, map) = reader.builder.build_with_map();
    let mut status: Vec<(PortId, PortStatus)> = reader
        .left
        .into_iter()
        .filter_map(|(node, port, status)| {
            let node = *map.get(node.index())?;
            Some((fabric.port_at(node, lk_wire::PortNum(port))?, status))
        })
        .collect();
    status.sort_by_key(|(port, _)| *port);
    status.dedup_by_key(|(port, _)| *port);
    (SubnetList { fabric, status }, reader.findings.finish())
}

struct Reader<'s> {
    source: &'s SourceFile,
    builder: FabricBuilder,
    /// Nodes, and whether a left end has described them: only there the ids are whole.
    seen: FxHashMap<Guid, (Added, bool)>,
    left: Vec<(Added, u8, PortStatus)>,
    findings: Findings,
}

impl Reader<'_> {
    fn line(&mut self, span: Span, text: &str) {
        let Some((near, far, status)) = parse(text) else {
            let expected = "two ports in braces and the link's state";
            return super::malformed(&mut self.findings, self.source, span, expected);
        };
        let (Some(a), Some(b)) = (self.node(span, &near, true), self.node(span, &far, false))
        else {
            return;
        };
        for (node, end) in [(a, &near), (b, &far)] {
            self.addresses(node, end);
        }
        if let Err(error) = self.builder.connect((a, near.port), (b, far.port)) {
            let code = match error {
                GraphError::PortTaken { .. } => CABLE_DISAGREES,
                _ => PORT_RANGE,
            };
            self.refuse(span, code, &error.to_string());
            return;
        }
        // Both ports are in range: they have just been cabled.
        let done = self.builder.set_rate(a, near.port, status.rate);
        debug_assert!(done.is_ok());
        self.left.push((a, near.port, PortStatus { lid: near.lid, is_sm: near.is_sm, ..status }));
    }

    fn refuse(&mut self, span: Span, code: lk_diag::Code, message: &str) {
        let finding = Diagnostic::error(code, format!("{message}; the line is left out"));
        self.findings.push(finding.at(self.source, span, ""));
    }

    fn node(&mut self, span: Span, end: &End<'_>, left: bool) -> Option<Added> {
        if let Some((node, described)) = self.seen.get_mut(&end.spec.guid) {
            let (node, was_described) = (*node, std::mem::replace(described, *described || left));
            let known = self.builder.spec_mut(node);
            if known.kind != end.spec.kind || known.num_ports != end.spec.num_ports {
                let message = format!("the node {} is another one above", end.spec.guid);
                self.refuse(span, GUID_TWICE, &message);
                return None;
            }
            if left && !was_described {
                *known = end.spec.clone();
            }
            return Some(node);
        }
        match self.builder.add_node(end.spec.clone()) {
            Ok(node) => {
                self.seen.insert(end.spec.guid, (node, left));
                Some(node)
            }
            Err(error) => {
                self.refuse(span, PORT_RANGE, &error.to_string());
                None
            }
        }
    }

    fn addresses(&mut self, node: Added, end: &End<'_>) {
        let is_switch = end.spec.kind == NodeKind::Switch;
        let at = if is_switch { 0 } else { end.port };
        // A port out of range is reported where it is cabled.
        let _ = self.builder.set_port(node, at, end.port_guid, end.lid, 0);
        if is_switch && end.port_guid != end.spec.guid {
            let _ = self.builder.set_port(node, end.port, end.port_guid, Lid(0), 0);
        }
    }
}

fn parse(text: &str) -> Option<(End<'_>, End<'_>, PortStatus)> {
    let near = parse_end(text, true)?;
    let rest = text.get(near.text.len()..)?;
    let gap = rest.len() - rest.trim_start().len();
    let far = parse_end(&rest[gap..], false)?;
    let mut status = PortStatus { lid: Lid(0), is_sm: false, state: 0, rate: LinkRate::default() };
    for word in rest.get(gap + far.text.len()..)?.split_whitespace() {
        match word.split_once('=')? {
            ("PHY", text) => status.rate.width = LinkRate::parse(&format!("{text}???"))?.width,
            ("LOG", text) => {
                status.state = (1..=4).find(|code| state(*code) == text).unwrap_or(0);
            }
            ("SPD", text) => {
                let named = match text {
                    "2.5" => "SDR",
                    "5" => "DDR",
                    "10" => "QDR",
                    "14" => "FDR",
                    "25" => "EDR",
                    "50" => "HDR",
                    "FDR10" => "FDR10",
                    _ => "???",
                };
                let width = status.rate.width;
                status.rate = LinkRate { width, ..LinkRate::parse(&format!("4x{named}"))? };
            }
            _ => {}
        }
    }
    Some((near, far, status))
}

/// Takes `{ … }` apart. The name in inner braces may hold braces itself.
fn parse_end(text: &str, left: bool) -> Option<End<'_>> {
    let head_end = text.find(" {")?;
    let head = text[..head_end].strip_prefix("{ ")?;
    let inner = &text[head_end + 2..];
    // The name ends where the LID follows.
    let name_end = inner.find("} LID:")?;
    let name = &inner[..name_end];
    let tail = &inner[name_end + 2..];
    let close = tail.find(" }")?;
    let length = head_end + 2 + name_end + 2 + close + 2;
    let mut words = head.split_whitespace();
    let (word, is_sm) = match words.next()?.split_once("-SM") {
        Some((word, "")) => (word, true),
        Some(_) => return None,
        None => (head.split_whitespace().next()?, false),
    };
    let kind = match word {
        "CA" => NodeKind::Ca,
        "SW" => NodeKind::Switch,
        "Rt" => NodeKind::Router,
        _ => return None,
    };
    let fields: FxHashMap<&str, &str> = words
        .chain(tail[..close].split_whitespace())
        .filter_map(|field| field.split_once(':'))
        .collect();
    let number = |key: &str| u64::from_str_radix(fields.get(key)?, 16).ok();
    let narrow = |key: &str| number(key).and_then(|n| u8::try_from(n).ok());
    // An id of eight digits is one of 16 bits shifted, at the right end and in old files.
    let device = number("DevID")?;
    let wide = !left || fields.get("DevID").is_some_and(|d| d.len() > 4);
    let device = if wide { device >> 16 } else { device };
    let spec = NodeSpec {
        system_guid: Guid(number("SystemGUID")?),
        vendor_id: u32::try_from(number("VenID")?).ok()? & 0xFF_FFFF,
        device_id: u16::try_from(device).ok()?,
        revision: u32::try_from(number("Rev")?).ok()?,
        ..NodeSpec::new(Guid(number("NodeGUID")?), kind, name.trim_end(), narrow("Ports")?)
    };
    Some(End {
        spec,
        port_guid: Guid(number("PortGUID")?),
        lid: Lid(u16::try_from(number("LID")?).ok()?),
        port: narrow("PN").filter(|n| *n > 0)?,
        is_sm,
        text: &text[..length],
    })
}
