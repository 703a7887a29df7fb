//! `opensm-sl2vl.dump`: the SL to VL tables of all ports.
//!
//! ```text
//! Switch 0x0000000000200000, base LID 2, "sw1"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! #--------------------------------------------------------
//! 0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//! #--------------------------------------------------------
//! ```
//!
//! Each row ends with a blank, each block with an empty line. Ports come in the table order of
//! their port GUIDs. A switch has a row for each way in, port 0 included, to each cabled port
//! out; an adapter has one row.

use std::fmt::{self, Write};

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid, PortNum};

use crate::graph::{Fabric, NodeKind, PortId};
use crate::text::findings::Findings;

/// The VL of each SL.
pub type Vls = [u8; 16];

/// The tables of one end port: an adapter's port, or a switch with its port 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortTables {
    /// What the node is.
    pub kind: NodeKind,
    /// The port's GUID.
    pub port_guid: Guid,
    /// The base LID.
    pub lid: Lid,
    /// The node's name.
    pub name: String,
    /// The way in, the way out, the VLs. Adapters have the ports 0 and 0.
    pub rows: Vec<(PortNum, PortNum, Vls)>,
}

const COLUMNS: &str = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15";
const RULER: &str = "#--------------------------------------------------------";

/// Writes the tables of all ports of a fabric. `lid` is the base LID of an end port; `table` is
/// what an end port holds for a way in and a way out (0 and 0 for adapters).
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    lid: impl Fn(PortId) -> Lid,
    table: impl Fn(PortId, PortNum, PortNum) -> Vls,
) -> fmt::Result {
    let mut ends: Vec<PortId> = fabric.end_ports().collect();
    ends.sort_by_key(|p| fabric.port(*p).guid.table_order());
    for end in ends {
        let node = fabric.node(fabric.owner(end));
        head(out, node.kind, fabric.port(end).guid, lid(end), &node.description)?;
        if node.kind == NodeKind::Switch {
            for egress in fabric.external_ports(fabric.owner(end)) {
                if fabric.peer(egress).is_none() {
                    continue;
                }
                let to = fabric.port_num(egress);
                for from in (0..=node.num_ports).map(PortNum) {
                    row(out, from, to, &table(end, from, to))?;
                }
            }
        } else {
            row(out, PortNum(0), PortNum(0), &table(end, PortNum(0), PortNum(0)))?;
        }
        writeln!(out, "{RULER}\n")?;
    }
    Ok(())
}

/// Writes tables as they are.
///
/// # Errors
/// Those of `out`.
pub fn write_tables(out: &mut impl Write, tables: &[PortTables]) -> fmt::Result {
    for port in tables {
        head(out, port.kind, port.port_guid, port.lid, &port.name)?;
        for (from, to, vls) in &port.rows {
            row(out, *from, *to, vls)?;
        }
        writeln!(out, "{RULER}\n")?;
    }
    Ok(())
}

fn head(out: &mut impl Write, kind: NodeKind, guid: Guid, lid: Lid, name: &str) -> fmt::Result {
    writeln!(out, "{kind} {guid}, base LID {lid}, \"{name}\"\n{COLUMNS}\n{RULER}")
}

fn row(out: &mut impl Write, from: PortNum, to: PortNum, vls: &Vls) -> fmt::Result {
    write!(out, "{:<3} {:<3} :", from.0, to.0)?;
    for vl in vls {
        write!(out, " {vl:<2}")?;
    }
    out.write_char('\n')
}

/// Reads such a file.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<PortTables>, Diagnostics) {
    let mut tables: Vec<PortTables> = Vec::new();
    let mut findings = Findings::default();
    for (_, span, text) in source.lines() {
        if text.starts_with('#') || text.trim().is_empty() {
            continue;
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            match (parse(text), tables.last_mut()) {
                (Some(row), Some(port)) => port.rows.push(row),
                (None, _) => {
                    super::malformed(&mut findings, source, span, "two ports and sixteen VLs");
                }
                (_, None) => {
                    super::malformed(&mut findings, source, span, "a port's head line first");
                }
            }
        } else {
            match parse_head(text) {
                Some(port) => tables.push(port),
                None => {
                    super::malformed(&mut findings, source, span, "a port's GUID, LID and name")
                }
            }
        }
    }
    (tables, findings.finish())
}

fn parse_head(text: &str) -> Option<PortTables> {
    let kinds = [NodeKind::Ca, NodeKind::Switch, NodeKind::Router];
    let kind = kinds.into_iter().find(|k| text.starts_with(&k.to_string()))?;
    let (guid, rest) = text.split_once(", base LID ")?;
    let port_guid = super::guid_after(guid, &kind.to_string())?;
    let (lid, name) = rest.split_once(", \"")?;
    Some(PortTables {
        kind,
        port_guid,
        lid: Lid(lid.parse().ok()?),
        name: name.strip_suffix('"')?.to_owned(),
        rows: Vec::new(),
    })
}

fn parse(text: &str) -> Option<(PortNum, PortNum, Vls)> {
    let (ports, vls) = text.split_once(':')?;
    let mut ports = ports.split_whitespace();
    let from = ports.next()?.parse().ok()?;
    let to = ports.next()?.parse().ok()?;
    let mut row: Vls = [0; 16];
    let mut numbers = vls.split_whitespace();
    for slot in &mut row {
        *slot = numbers.next()?.parse().ok().filter(|vl| *vl <= 15)?;
    }
    (ports.next().is_none() && numbers.next().is_none()).then_some((
        PortNum(from),
        PortNum(to),
        row,
    ))
}
