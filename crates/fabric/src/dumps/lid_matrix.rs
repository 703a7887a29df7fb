//! `opensm-lid-matrix.dump`: how many hops it is from each switch to each switch by each port.
//!
//! ```text
//! Switch: guid 0x0000000000200000
//! 0x0002: 00 02 02 ff ff # portguid 0x0000000000200000
//! ```
//!
//! One column for each port, port 0 first: there stands the least of all. `ff` stands for no
//! way. LIDs that a switch cannot reach at all are left out.

use std::fmt::{self, Write};

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid};

use crate::graph::{Fabric, SwitchId};
use crate::text::findings::Findings;

/// The byte that stands for "no way".
pub const NO_WAY: u8 = 0xFF;

/// The rows of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchMatrix {
    /// The switch's GUID.
    pub guid: Guid,
    /// LID, hops by each port, GUID of the port that owns the LID.
    pub rows: Vec<(Lid, Vec<u8>, Guid)>,
}

/// Writes the rows of all switches. `lids` are the LIDs of the switches, ascending; `hops` is the
/// count from the first switch to the second by a port, [`NO_WAY`] if there is none; for port 0 it
/// is the least count by any.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    lids: &[(Lid, SwitchId)],
    hops: impl Fn(SwitchId, SwitchId, u8) -> u8,
) -> fmt::Result {
    for from in fabric.switch_ids() {
        let node = fabric.node(fabric.switch_node(from));
        writeln!(out, "Switch: guid {}", node.guid)?;
        for (lid, to) in lids {
            let mut ports = (0..=node.num_ports).map(|port| hops(from, *to, port)).peekable();
            if ports.peek() == Some(&NO_WAY) {
                continue;
            }
            let far = fabric.node(fabric.switch_node(*to)).first;
            line(out, *lid, ports, fabric.port(far).guid)?;
        }
    }
    Ok(())
}

/// Writes rows as they are.
///
/// # Errors
/// Those of `out`.
pub fn write_matrices(out: &mut impl Write, matrices: &[SwitchMatrix]) -> fmt::Result {
    for matrix in matrices {
        writeln!(out, "Switch: guid {}", matrix.guid)?;
        for (lid, hops, guid) in &matrix.rows {
            line(out, *lid, hops.iter().copied(), *guid)?;
        }
    }
    Ok(())
}

fn line(out: &mut impl Write, lid: Lid, hops: impl Iterator<Item = u8>, guid: Guid) -> fmt::Result {
    write!(out, "0x{:04x}:", lid.0)?;
    for count in hops {
        write!(out, " {count:02x}")?;
    }
    writeln!(out, " # portguid {guid}")
}

/// Reads such a file.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<SwitchMatrix>, Diagnostics) {
    let mut matrices: Vec<SwitchMatrix> = Vec::new();
    let mut findings = Findings::default();
    for (_, span, text) in source.lines() {
        if text.starts_with("Switch:") {
            match super::guid_after(text, "guid") {
                Some(guid) => matrices.push(SwitchMatrix { guid, rows: Vec::new() }),
                None => super::malformed(&mut findings, source, span, "a switch's GUID"),
            }
        } else if !text.trim().is_empty() {
            match (parse(text), matrices.last_mut()) {
                (Some(row), Some(matrix)) => matrix.rows.push(row),
                (None, _) => super::malformed(&mut findings, source, span, "LID and hop counts"),
                (_, None) => {
                    super::malformed(&mut findings, source, span, "a switch's head line first");
                }
            }
        }
    }
    (matrices, findings.finish())
}

fn parse(text: &str) -> Option<(Lid, Vec<u8>, Guid)> {
    let (lid, rest) = text.split_once(':')?;
    let (hops, comment) = rest.split_once('#').unwrap_or((rest, ""));
    let hops: Option<Vec<u8>> =
        hops.split_whitespace().map(|h| u8::from_str_radix(h, 16).ok()).collect();
    let guid = super::guid_after(comment, "portguid").unwrap_or(Guid(0));
    Some((super::lid(lid)?, hops?, guid))
}
