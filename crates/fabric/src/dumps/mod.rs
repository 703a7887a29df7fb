//! OpenSM's dump files: writers that give its text byte for byte, and readers.
//!
//! | module | file |
//! |---|---|
//! | [`subnet_lst`] | `opensm-subnet.lst`: each cabled port with its neighbour |
//! | [`fdbs`] | `opensm.fdbs`: unicast tables with hops |
//! | [`lfts`] | `opensm-lfts.dump`: unicast tables, also what `ibroute` prints |
//! | [`unicast`] | either of the last two, whichever it is |
//! | [`lid_matrix`] | `opensm-lid-matrix.dump`: hops by each port |
//! | [`mcfdbs`] | `opensm.mcfdbs`: multicast tables |
//! | [`sl2vl`] | `opensm-sl2vl.dump`: SL to VL tables |
//! | [`torus`] | `opensm-torus.dump`: coordinates of switches |
//!
//! A writer is given the fabric and functions that say what a port holds, so that it does not
//! matter where the tables are. It writes what it is given and decides nothing. Switches come in
//! table order, as [`Fabric`](crate::Fabric) numbers them.
//!
//! The readers take the same text and older forms of it; they never fail, and report each line
//! that they cannot use.

pub mod fdbs;
pub mod lfts;
pub mod lid_matrix;
pub mod mcfdbs;
pub mod sl2vl;
pub mod subnet_lst;
pub mod torus;
pub mod unicast;

use lk_diag::{Diagnostic, SourceFile, Span};

use crate::text::findings::{Findings, MALFORMED};

/// Reports a line that cannot be taken apart.
fn malformed(findings: &mut Findings, source: &SourceFile, span: Span, expected: &str) {
    findings.push(
        Diagnostic::error(MALFORMED, format!("expected {expected}; the line is left out"))
            .at(source, span, ""),
    );
}

/// A LID as `0x` and hexadecimal digits.
fn lid(text: &str) -> Option<lk_wire::Lid> {
    let digits = text.trim().strip_prefix("0x")?;
    u16::from_str_radix(digits, 16).ok().map(lk_wire::Lid)
}

/// The GUID behind the word `before` in a line.
fn guid_after(line: &str, before: &str) -> Option<lk_wire::Guid> {
    let (_, rest) = line.split_once(before)?;
    let digits = rest.trim_start().strip_prefix("0x")?;
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], 16).ok().map(lk_wire::Guid)
}
