//! `opensm-lfts.dump`: the unicast forwarding tables with the owners of the LIDs.
//!
//! ```text
//! Unicast lids [0-6] of switch Lid 2 guid 0x0000000000200000 ('sw1'):
//! 0x0001 001 # Channel Adapter portguid 0x0000000000100011: 'n1 HCA-1'
//! 0x0002 000 # Switch portguid 0x0000000000200000: 'sw1'
//! 6 lids dumped
//! ```
//!
//! LIDs without a path are left out. The trailer counts up to the highest LID, not the lines.
//! What `ibroute` and `dump_fts` print differs in small things and is read too.

use std::fmt::{self, Write};

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid, PortNum};

use crate::graph::{Fabric, NodeKind, PortId, SwitchId};
use crate::text::findings::Findings;

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchTable {
    /// The switch's LID; 0 where the head line gives none.
    pub lid: Lid,
    /// The switch's GUID.
    pub guid: Guid,
    /// The switch's name.
    pub name: String,
    /// The highest LID of the table.
    pub top: Lid,
    /// The LIDs with a path, in the order of the file: port, and who owns the LID.
    pub entries: Vec<(Lid, PortNum, Option<Owner>)>,
}

/// Who answers to a LID.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// What the node is.
    pub kind: NodeKind,
    /// The port's GUID.
    pub port_guid: Guid,
    /// The node's name.
    pub name: String,
}

/// Writes the tables of all switches up to the LID `top`.
///
/// `lid` is the LID of a switch, `owner` the port that answers to a LID, `port` the way by which
/// a switch sends to a LID, if there is one.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    top: Lid,
    lid: impl Fn(SwitchId) -> Lid,
    owner: impl Fn(Lid) -> Option<PortId>,
    port: impl Fn(SwitchId, Lid) -> Option<PortNum>,
) -> fmt::Result {
    for switch in fabric.switch_ids() {
        let node = fabric.node(fabric.switch_node(switch));
        head(out, lid(switch), node.guid, &node.description, top)?;
        for to in (1..=top.0).map(Lid) {
            let Some(way) = port(switch, to) else { continue };
            write!(out, "0x{:04x} {:03} # ", to.0, way.0)?;
            match owner(to) {
                Some(end) => {
                    let far = fabric.node(fabric.owner(end));
                    owned(out, far.kind, fabric.port(end).guid, &far.description)?;
                }
                None => writeln!(out, "unknown node and type")?,
            }
        }
        tail(out, top)?;
    }
    Ok(())
}

/// Writes tables as they are.
///
/// # Errors
/// Those of `out`.
pub fn write_tables(out: &mut impl Write, tables: &[SwitchTable]) -> fmt::Result {
    for table in tables {
        head(out, table.lid, table.guid, &table.name, table.top)?;
        for (to, way, owner) in &table.entries {
            write!(out, "0x{:04x} {:03} # ", to.0, way.0)?;
            match owner {
                Some(end) => owned(out, end.kind, end.port_guid, &end.name)?,
                None => writeln!(out, "unknown node and type")?,
            }
        }
        tail(out, table.top)?;
    }
    Ok(())
}

fn head(out: &mut impl Write, lid: Lid, guid: Guid, name: &str, top: Lid) -> fmt::Result {
    writeln!(out, "Unicast lids [0-{top}] of switch Lid {lid} guid {guid} ('{name}'):")
}

fn owned(out: &mut impl Write, kind: NodeKind, guid: Guid, name: &str) -> fmt::Result {
    writeln!(out, "{kind} portguid {guid}: '{name}'")
}

fn tail(out: &mut impl Write, top: Lid) -> fmt::Result {
    writeln!(out, "{top} lids dumped")
}

/// Reads such a file, or what `ibroute` and `dump_fts` print.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<SwitchTable>, Diagnostics) {
    let mut tables: Vec<SwitchTable> = Vec::new();
    let mut findings = Findings::default();
    for (_, span, text) in source.lines() {
        if text.starts_with("Unicast lids") {
            match parse_head(text) {
                Some(table) => tables.push(table),
                None => super::malformed(&mut findings, source, span, "a switch's LIDs and GUID"),
            }
        } else if text.starts_with("0x") {
            match (parse(text), tables.last_mut()) {
                (Some(entry), Some(table)) => table.entries.push(entry),
                (None, _) => super::malformed(&mut findings, source, span, "LID and port"),
                (_, None) => {
                    super::malformed(&mut findings, source, span, "a switch's head line first");
                }
            }
        } else if !is_frame(text) {
            super::malformed(&mut findings, source, span, "a line of a forwarding table");
        }
    }
    (tables, findings.finish())
}

/// Whether a line belongs to a table's head or trailer.
fn is_frame(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || text.starts_with("Lid ")
        || text.starts_with("Port ")
        || text.ends_with("lids dumped")
        || text.starts_with('#')
}

fn parse_head(text: &str) -> Option<SwitchTable> {
    let (_, rest) = text.split_once('[')?;
    let (range, rest) = rest.split_once(']')?;
    let (_, top) = range.split_once('-')?;
    let top = match top.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16).ok()?,
        None => top.parse().ok()?,
    };
    let lid = rest.split_once("Lid ").and_then(|(_, after)| after.split_whitespace().next());
    let name = match (rest.find('('), rest.rfind(')')) {
        (Some(open), Some(close)) if open < close => &rest[open + 1..close],
        _ => "",
    };
    let bare = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\''));
    Some(SwitchTable {
        lid: Lid(lid.and_then(|l| l.parse().ok()).unwrap_or(0)),
        guid: super::guid_after(rest, "guid")?,
        name: bare.unwrap_or(name).to_owned(),
        top: Lid(top),
        entries: Vec::new(),
    })
}

fn parse(text: &str) -> Option<(Lid, PortNum, Option<Owner>)> {
    let (lid, rest) = text.split_once(' ')?;
    let lid = super::lid(lid)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (port, rest) = rest.split_at(end);
    Some((lid, PortNum(port.parse().ok()?), parse_owner(rest)))
}

fn parse_owner(text: &str) -> Option<Owner> {
    let (kind, rest) = text.trim_start_matches([' ', '#', ':', '(']).split_once(" portguid ")?;
    let kind = match kind.trim() {
        "Channel Adapter" => NodeKind::Ca,
        "Switch" => NodeKind::Switch,
        "Router" => NodeKind::Router,
        _ => return None,
    };
    let (guid, name) = rest.split_once(": ")?;
    let name = name.trim_end_matches(')');
    let name = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\'')).unwrap_or(name);
    let port_guid = crate::text::guid(guid)?;
    Some(Owner { kind, port_guid, name: name.to_owned() })
}
