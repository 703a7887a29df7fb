//! A port by its node's GUID and its number, `0x0002c90300001234/5`.

use std::fmt::Write;

use lk_fabric::{Fabric, PortId};
use lk_wire::{Guid, PortNum};

/// Writes the name of a port.
pub(super) fn push(to: &mut String, fabric: &Fabric, port: PortId) {
    let guid = fabric.node(fabric.owner(port)).guid;
    // Writing to a string cannot fail.
    let _ = write!(to, "{guid}/{}", fabric.port_num(port));
}

/// The GUID and the number.
pub(super) fn parse(word: &str) -> Option<(Guid, PortNum)> {
    let (guid, number) = word.split_once('/')?;
    Some((guid_of(guid)?, PortNum(number.parse().ok()?)))
}

/// A GUID, `0x` and hexadecimal digits.
pub(super) fn guid_of(word: &str) -> Option<Guid> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(Guid)
}

/// The port, if the fabric has it.
pub(super) fn find(fabric: &Fabric, (guid, number): (Guid, PortNum)) -> Option<PortId> {
    fabric.port_at(fabric.node_by_guid(guid)?, number)
}
