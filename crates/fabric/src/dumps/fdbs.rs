//! `opensm.fdbs`: the unicast forwarding tables of all switches with hop counts.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0000000000200000
//! LID    : Port : Hops : Optimal
//! 0x0001 : 003  : 01   : yes
//! 0x0002 : UNREACHABLE
//! 0x0003 : 001  : HOPS UNKNOWN
//! 0x0004 : 005  : 02   : No 1 hop path possible via port 7!
//! ```

use std::fmt::{self, Write};

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid, PortNum};

use crate::graph::{Fabric, SwitchId};
use crate::text::findings::Findings;

/// What a switch does with a LID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// It drops the packet.
    Unreachable,
    /// It sends it out of a port.
    Path {
        /// The port; 0 is the switch itself.
        port: PortNum,
        /// How many hops that takes, where the routing engine's hop counts say so.
        hops: Option<u8>,
        /// A path with fewer hops, and the port where it starts, if there is one.
        better: Option<(u8, PortNum)>,
    },
}

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchTable {
    /// The switch's GUID.
    pub guid: Guid,
    /// The LIDs in the order of the file.
    pub entries: Vec<(Lid, Entry)>,
}

/// Writes the tables of all switches for the LIDs 1 to `top`.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    top: Lid,
    entry: impl Fn(SwitchId, Lid) -> Entry,
) -> fmt::Result {
    for switch in fabric.switch_ids() {
        head(out, fabric.node(fabric.switch_node(switch)).guid)?;
        for lid in (1..=top.0).map(Lid) {
            line(out, lid, entry(switch, lid))?;
        }
    }
    Ok(())
}

/// Writes tables as they are.
///
/// # Errors
/// Those of `out`.
pub fn write_tables(out: &mut impl Write, tables: &[SwitchTable]) -> fmt::Result {
    for table in tables {
        head(out, table.guid)?;
        for (lid, entry) in &table.entries {
            line(out, *lid, *entry)?;
        }
    }
    Ok(())
}

fn head(out: &mut impl Write, guid: Guid) -> fmt::Result {
    writeln!(out, "dump_ucast_routes: Switch {guid}\nLID    : Port : Hops : Optimal")
}

fn line(out: &mut impl Write, lid: Lid, entry: Entry) -> fmt::Result {
    write!(out, "0x{:04X} : ", lid.0)?;
    match entry {
        Entry::Unreachable => writeln!(out, "UNREACHABLE"),
        Entry::Path { port, hops: None, .. } => writeln!(out, "{:03}  : HOPS UNKNOWN", port.0),
        Entry::Path { port, hops: Some(hops), better } => {
            write!(out, "{:03}  : {hops:02}   : ", port.0)?;
            match better {
                None => writeln!(out, "yes"),
                Some((n, port)) => writeln!(out, "No {n} hop path possible via port {}!", port.0),
            }
        }
    }
}

/// Reads such a file. Blank lines between the switches, as old versions write them, are skipped.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<SwitchTable>, Diagnostics) {
    let mut tables: Vec<SwitchTable> = Vec::new();
    let mut findings = Findings::default();
    for (_, span, text) in source.lines() {
        if is_head(text) {
            match super::guid_after(text, "Switch") {
                Some(guid) => tables.push(SwitchTable { guid, entries: Vec::new() }),
                None => super::malformed(&mut findings, source, span, "a switch's GUID"),
            }
        } else if !(text.trim().is_empty() || text.starts_with("LID")) {
            match (parse(text), tables.last_mut()) {
                (Some(entry), Some(table)) => table.entries.push(entry),
                (None, _) => super::malformed(&mut findings, source, span, "LID, port and hops"),
                (_, None) => {
                    super::malformed(&mut findings, source, span, "a switch's head line first");
                }
            }
        }
    }
    (tables, findings.finish())
}

/// Whether a line begins a switch's table. Older programs, and ibdiagnet, write the whole name of
/// the function that dumps.
pub(super) fn is_head(text: &str) -> bool {
    let name = text.split_once("dump_ucast_routes:").map(|(before, _)| before);
    name.is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
}

fn parse(text: &str) -> Option<(Lid, Entry)> {
    let mut fields = text.split(" : ").map(str::trim);
    let lid = super::lid(fields.next()?)?;
    let first = fields.next()?;
    if first == "UNREACHABLE" {
        return Some((lid, Entry::Unreachable));
    }
    let port = PortNum(first.parse().ok()?);
    let second = fields.next()?;
    if second == "HOPS UNKNOWN" {
        return Some((lid, Entry::Path { port, hops: None, better: None }));
    }
    let hops = Some(second.parse().ok()?);
    let better = match fields.next()? {
        "yes" => None,
        other => {
            let (n, rest) =
                other.strip_prefix("No ")?.split_once(" hop path possible via port ")?;
            Some((n.parse().ok()?, PortNum(rest.strip_suffix('!')?.parse().ok()?)))
        }
    };
    Some((lid, Entry::Path { port, hops, better }))
}
