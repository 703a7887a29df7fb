//! `opensm.mcfdbs`: the multicast forwarding tables.
//!
//! ```text
//!
//! Switch 0x0000000000200000
//! LID    : Out Port(s)
//! 0xC000 : 0x001  0x003
//! ```
//!
//! Each switch that has an entry starts with an empty line; each port has a blank on both sides.
//! Switches without an entry are left out, so the file may be empty.

use std::fmt::{self, Write};

use lk_diag::{Diagnostics, SourceFile};
use lk_wire::{Guid, Lid, PortNum};

use crate::graph::{Fabric, SwitchId};
use crate::text::findings::Findings;

/// The table of one switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchTable {
    /// The switch's GUID.
    pub guid: Guid,
    /// The multicast LIDs in the order of the file, and the ports that packets are copied to.
    pub entries: Vec<(Lid, Vec<PortNum>)>,
}

/// Writes the tables of all switches. `entries` gives those of one, by ascending LID; entries
/// without a port are left out.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut impl Write,
    fabric: &Fabric,
    entries: impl Fn(SwitchId) -> Vec<(Lid, Vec<PortNum>)>,
) -> fmt::Result {
    for switch in fabric.switch_ids() {
        let mut entries = entries(switch);
        entries.retain(|(_, ports)| !ports.is_empty());
        if entries.is_empty() {
            continue;
        }
        let guid = fabric.node(fabric.switch_node(switch)).guid.0;
        writeln!(out, "\nSwitch {guid:#018x}\nLID    : Out Port(s)")?;
        for (lid, ports) in entries {
            write!(out, "0x{:04X} :", lid.0)?;
            ports.iter().try_for_each(|port| write!(out, " 0x{:03X} ", port.0))?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Reads such a file.
#[must_use]
pub fn read(source: &SourceFile) -> (Vec<SwitchTable>, Diagnostics) {
    let mut tables: Vec<SwitchTable> = Vec::new();
    let mut findings = Findings::default();
    for (_, span, text) in source.lines() {
        if text.trim_start().starts_with("Switch ") {
            match super::guid_after(text, "Switch") {
                Some(guid) => tables.push(SwitchTable { guid, entries: Vec::new() }),
                None => super::malformed(&mut findings, source, span, "the GUID of a switch"),
            }
        } else if text.starts_with("0x") {
            match (entry(text), tables.last_mut()) {
                (Some(entry), Some(table)) => table.entries.push(entry),
                (None, _) => {
                    super::malformed(&mut findings, source, span, "a multicast LID and ports");
                }
                (_, None) => {
                    super::malformed(&mut findings, source, span, "a switch's head line first");
                }
            }
        } else if !text.trim().is_empty() && !text.starts_with("LID ") {
            super::malformed(&mut findings, source, span, "a line of a multicast table");
        }
    }
    (tables, findings.finish())
}

fn entry(text: &str) -> Option<(Lid, Vec<PortNum>)> {
    let (lid, ports) = text.split_once(':')?;
    let port = |word: &str| {
        let number = u8::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
        Some(PortNum(number))
    };
    let lid = super::lid(lid).filter(|lid| lid.is_multicast())?;
    Some((lid, ports.split_whitespace().map(port).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FabricBuilder, NodeKind, NodeSpec};

    const TEXT: &str = "\nSwitch 0x0000000000200000\nLID    : Out Port(s)\n\
                        0xC000 : 0x001  0x003 \n0xC00A : 0x000  0x0FE \n";

    fn entries() -> Vec<(Lid, Vec<PortNum>)> {
        let ports = |of: &[u8]| of.iter().map(|p| PortNum(*p)).collect::<Vec<_>>();
        vec![(Lid(0xC000), ports(&[1, 3])), (Lid(0xC00A), ports(&[0, 254]))]
    }

    #[test]
    fn what_is_written_is_read() {
        let mut builder = FabricBuilder::new();
        for guid in [0x20_0000, 0x20_0001] {
            builder.add_node(NodeSpec::new(Guid(guid), NodeKind::Switch, "s", 254)).unwrap();
        }
        let fabric = builder.build();
        let first = fabric.as_switch(fabric.node_by_guid(Guid(0x20_0000)).unwrap());
        let mut text = String::new();
        let of = |switch| {
            if Some(switch) == first { entries() } else { vec![(Lid(0xC000), Vec::new())] }
        };
        write(&mut text, &fabric, of).unwrap();
        assert_eq!(text, TEXT);
        let (tables, said) = read(&SourceFile::new("opensm.mcfdbs", text.into_bytes()));
        assert!(!said.has_errors());
        assert_eq!(tables, [SwitchTable { guid: Guid(0x20_0000), entries: entries() }]);
    }

    #[test]
    fn wrong_lines_are_reported_and_the_others_taken() {
        let text =
            "0xC000 : 0x001\nSwitch 0x5\n0x0001 : 0x001\n0xC001 : 0x100\n0xC002 : 0x004\nx\n";
        let (tables, said) = read(&SourceFile::new("opensm.mcfdbs", text.as_bytes().to_vec()));
        assert_eq!(said.iter().count(), 4);
        assert_eq!(tables[0].entries, [(Lid(0xC002), vec![PortNum(4)])]);
    }
}
