//! LIDs for a fabric from a file: those of the file, or new ones.

use lk_fabric::{Fabric, NodeKind, PortId};
use lk_routing::LidMap;
use lk_wire::Lid;

use crate::failure::Failure;

/// Where the LIDs come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::commands) enum Origin {
    /// Every port had its own in the file.
    File,
    /// They were given out here, in OpenSM's order.
    Assigned,
}

/// Who answers to which LIDs.
#[derive(Debug)]
pub(in crate::commands) struct Numbered {
    pub(in crate::commands) map: LidMap,
    pub(in crate::commands) origin: Origin,
}

/// Takes the file's LIDs where they are whole and no LMC is asked for; gives out new ones
/// otherwise.
///
/// # Errors
/// If there are not as many LIDs as the ports need.
pub(in crate::commands) fn number(fabric: &Fabric, lmc: Option<u8>) -> Result<Numbered, Failure> {
    let map = LidMap::of_fabric(fabric);
    if lmc.is_none() && is_whole(fabric, &map) {
        return Ok(Numbered { map, origin: Origin::File });
    }
    Ok(Numbered { map: assign(fabric, lmc.unwrap_or(0))?, origin: Origin::Assigned })
}

/// The ports that need LIDs: those that have a cable, and port 0 of every switch.
fn wanted(fabric: &Fabric) -> impl Iterator<Item = PortId> + '_ {
    let is_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    fabric.end_ports().filter(move |port| is_switch(*port) || fabric.peer(*port).is_some())
}

/// Whether every port that needs LIDs has a range that nobody else claims.
fn is_whole(fabric: &Fabric, map: &LidMap) -> bool {
    wanted(fabric).all(|id| {
        let port = fabric.port(id);
        let range = u32::from(port.lid.0)..u32::from(port.lid.0) + (1 << port.lmc);
        port.lid.is_unicast()
            && range.end <= u32::from(Lid::MAX_UNICAST.0) + 1
            && range.into_iter().all(|lid| map.port(Lid(lid as u16)) == Some(id))
    })
}

/// Ascending LIDs in table order: by port GUID, its last byte first, as OpenSM has it.
fn assign(fabric: &Fabric, lmc: u8) -> Result<LidMap, Failure> {
    let mut ports: Vec<PortId> = wanted(fabric).collect();
    ports.sort_by_key(|port| fabric.port(*port).guid.0.swap_bytes());
    let mut next = 1_u32;
    let mut ranges = Vec::with_capacity(ports.len());
    for port in ports {
        let is_switch = fabric.node(fabric.owner(port)).kind == NodeKind::Switch;
        let lmc = if is_switch { 0 } else { lmc };
        let first = next.next_multiple_of(1 << lmc);
        next = first + (1 << lmc);
        if next > u32::from(Lid::MAX_UNICAST.0) + 1 {
            return Err(Failure::Refused(anyhow::anyhow!(
                "this fabric needs more LIDs than there are ({})",
                Lid::MAX_UNICAST.0
            )));
        }
        ranges.push((port, Lid(first as u16), lmc));
    }
    Ok(LidMap::new(ranges))
}
