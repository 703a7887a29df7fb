//! Which port a word of the command line means.

use std::net::Ipv6Addr;

use lk_diag::nearest;
use lk_fabric::{Fabric, NodeId, NodeKind, PortId};
use lk_snapshot::Snapshot;
use lk_wire::{Guid, Lid, PortNum};
use thiserror::Error;

/// Up to so many ports are listed where a word could mean several.
const LISTED: usize = 12;

/// A port and the LID by which it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The end port: of a switch port 0.
    pub port: PortId,
    /// Its LID: the one that was named, else the base LID.
    pub lid: Lid,
}

/// Why a word means no port.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum NoSpot {
    /// Nothing has that name or number.
    #[error("the fabric has no port {word}{}", meant(.near.as_deref()))]
    Unknown {
        /// The word.
        word: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// Several ports could be meant.
    #[error("{word} could be any of {}", .candidates.join(", "))]
    Ambiguous {
        /// The word.
        word: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// It is a port without a cable, or of a node that was not reached.
    #[error("{name} has no LID: its link is down, or nobody has set it up")]
    NoLid {
        /// The port.
        name: String,
    },
}

fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// The port that a word means: a LID, a GUID of a port or node, a GID, a node's description or its
/// first word, each of the last also with `/` and the port's number behind it.
///
/// # Errors
/// [`NoSpot`].
pub fn spot(snapshot: &Snapshot, word: &str) -> Result<Spot, NoSpot> {
    let word = word.trim();
    let fabric = &*snapshot.fabric;
    let mut found = by_name(fabric, word);
    if found.is_empty() {
        if let Some(lid) = lid_of(word) {
            let port = fabric.end_ports().find(|port| has_lid(snapshot, *port, lid));
            let port = port.ok_or_else(|| unknown(fabric, word))?;
            return Ok(Spot { port, lid });
        }
        found = by_guid(fabric, word);
    }
    if found.is_empty() {
        found = by_node_and_port(fabric, word);
    }
    // A port that carries no traffic is only meant where no other one is.
    if found.len() > 1 && found.iter().any(|port| base_lid(snapshot, *port).is_unicast()) {
        found.retain(|port| base_lid(snapshot, *port).is_unicast());
    }
    match found.as_slice() {
        [] => Err(unknown(fabric, word)),
        [port] => {
            let lid = base_lid(snapshot, *port);
            let name = || fabric.port_name(*port);
            if lid.is_unicast() {
                Ok(Spot { port: *port, lid })
            } else {
                Err(NoSpot::NoLid { name: name() })
            }
        }
        several => {
            let mut candidates: Vec<String> =
                several.iter().take(LISTED).map(|port| fabric.port_name(*port)).collect();
            if several.len() > LISTED {
                candidates.push(format!("{} more", several.len() - LISTED));
            }
            Err(NoSpot::Ambiguous { word: word.to_owned(), candidates })
        }
    }
}

/// The base LID of an end port; 0 where it has none.
pub(super) fn base_lid(snapshot: &Snapshot, port: PortId) -> Lid {
    let told = snapshot.ports.get(port.index()).and_then(Option::as_ref).map(|i| i.base_lid());
    told.unwrap_or(snapshot.fabric.port(port).lid)
}

/// Whether an end port answers to a LID, by its base LID and its LMC.
fn has_lid(snapshot: &Snapshot, port: PortId, lid: Lid) -> bool {
    let told = snapshot.ports.get(port.index()).and_then(Option::as_ref).map(|info| info.lmc());
    let lmc = told.unwrap_or(snapshot.fabric.port(port).lmc);
    let base = base_lid(snapshot, port);
    base.is_unicast() && lid >= base && lid.0 - base.0 < 1 << lmc.min(7)
}

fn unknown(fabric: &Fabric, word: &str) -> NoSpot {
    let names = fabric.nodes().iter().flat_map(|node| {
        let first = node.description.split_whitespace().next().unwrap_or_default();
        [node.description.as_str(), first]
    });
    let near = nearest(word, names).map(str::to_owned);
    NoSpot::Unknown { word: word.to_owned(), near }
}

/// The end ports of a node.
fn ports_of(fabric: &Fabric, id: NodeId) -> Vec<PortId> {
    let node = fabric.node(id);
    match node.kind {
        NodeKind::Switch => vec![node.first],
        NodeKind::Ca | NodeKind::Router => fabric.external_ports(id).collect(),
    }
}

/// Nodes by description, or, where none has it, by the first word of it.
fn nodes_named(fabric: &Fabric, word: &str) -> Vec<NodeId> {
    let with = |fits: &dyn Fn(&str) -> bool| -> Vec<NodeId> {
        fabric.node_ids().filter(|id| fits(&fabric.node(*id).description)).collect()
    };
    let exact = with(&|name| name == word);
    if !exact.is_empty() {
        return exact;
    }
    let folded = with(&|name| name.eq_ignore_ascii_case(word));
    if !folded.is_empty() {
        return folded;
    }
    with(&|name| name.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case(word)))
}

fn by_name(fabric: &Fabric, word: &str) -> Vec<PortId> {
    nodes_named(fabric, word).into_iter().flat_map(|id| ports_of(fabric, id)).collect()
}

/// A decimal number, or a hexadecimal one of up to four digits.
fn lid_of(word: &str) -> Option<Lid> {
    let number = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) if digits.len() <= 4 => u16::from_str_radix(digits, 16).ok()?,
        Some(_) => return None,
        None => word.parse().ok()?,
    };
    Some(Lid(number)).filter(|lid| lid.is_unicast())
}

/// A GUID by itself, or the lower half of a GID.
fn guid_of(word: &str) -> Option<Guid> {
    if word.contains(':') {
        let gid: Ipv6Addr = word.parse().ok()?;
        return Some(Guid(u128::from(gid) as u64));
    }
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let digits = digits.or((word.len() == 16).then_some(word))?;
    u64::from_str_radix(digits, 16).ok().map(Guid)
}

fn by_guid(fabric: &Fabric, word: &str) -> Vec<PortId> {
    let Some(guid) = guid_of(word) else { return Vec::new() };
    let port = fabric.end_ports().find(|port| fabric.port(*port).guid == guid);
    match (port, fabric.node_by_guid(guid)) {
        (Some(port), _) => vec![port],
        (None, Some(node)) => ports_of(fabric, node),
        (None, None) => Vec::new(),
    }
}

fn by_node_and_port(fabric: &Fabric, word: &str) -> Vec<PortId> {
    let Some((node, port)) = word.rsplit_once('/') else { return Vec::new() };
    let Ok(number) = port.trim().parse::<u8>() else { return Vec::new() };
    let by_guid = guid_of(node).and_then(|guid| fabric.node_by_guid(guid));
    let mut nodes = nodes_named(fabric, node);
    nodes.extend(by_guid);
    let end_port = |id: NodeId| {
        let is_switch = fabric.node(id).kind == NodeKind::Switch;
        let port = fabric.port_at(id, PortNum(number))?;
        // A switch has one LID, whichever of its ports is named.
        let port = if is_switch { fabric.node(id).first } else { port };
        (is_switch || number > 0).then_some(port)
    };
    nodes.into_iter().filter_map(end_port).collect()
}
