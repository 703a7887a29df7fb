//! The nodes of a fabric, as ibnetdiscover prints them.

use crate::ibsim::Ibsim;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A channel adapter.
    Ca,
    /// A switch.
    Switch,
    /// A router.
    Router,
}

/// A port that has LIDs of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndPort {
    /// The port's number; 0 on a switch.
    pub number: u8,
    /// Its base LID.
    pub lid: u16,
    /// Its LMC.
    pub lmc: u8,
}

/// A node that ibnetdiscover found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The node GUID.
    pub guid: u64,
    /// The node description.
    pub name: String,
    /// External ports.
    pub ports: u8,
    /// The ports that have LIDs.
    pub end_ports: Vec<EndPort>,
    /// Cables: own port, far node's GUID, far port.
    pub cables: Vec<(u8, u64, u8)>,
}

/// Discovers a fabric from its first node.
///
/// # Panics
/// If ibnetdiscover fails or prints something that it never does.
#[must_use]
pub fn discover(ibsim: &Ibsim) -> Vec<Node> {
    parse(&ibsim.client("ibnetdiscover", &[]).success())
}

/// Reads ibnetdiscover's output.
///
/// # Panics
/// On text that ibnetdiscover never prints.
#[must_use]
pub fn parse(text: &str) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for line in text.lines() {
        let kind = match line.split_whitespace().next() {
            Some("Switch") => Some(Kind::Switch),
            Some("Ca") => Some(Kind::Ca),
            Some("Rt") => Some(Kind::Router),
            _ => None,
        };
        if let Some(kind) = kind {
            nodes.push(header(kind, line).unwrap_or_else(|| panic!("no node in: {line}")));
        } else if line.starts_with('[') {
            let node = nodes.last_mut().expect("a cable belongs to a node");
            cable(node, line).unwrap_or_else(|| panic!("no cable in: {line}"));
        }
    }
    nodes
}

/// `Switch 4 "S-0000000000200003" # "L0-3" enhanced port 0 lid 5 lmc 0`
fn header(kind: Kind, line: &str) -> Option<Node> {
    let ports = line.split_whitespace().nth(1)?.parse().ok()?;
    let (_, rest) = line.split_once('"')?;
    let (id, rest) = rest.split_once('"')?;
    let name = rest.split('"').nth(1)?.to_owned();
    let end_ports = if kind == Kind::Switch { vec![lids(rest, 0)?] } else { Vec::new() };
    Some(Node { kind, guid: guid(id)?, name, ports, end_ports, cables: Vec::new() })
}

/// `[1](100081) "S-0000000000200003"[4] # lid 20 lmc 0 "L0-3" lid 5 4xSDR`
fn cable(node: &mut Node, line: &str) -> Option<()> {
    let (number, rest) = line.strip_prefix('[')?.split_once(']')?;
    let number = number.parse().ok()?;
    let (_, rest) = rest.split_once('"')?;
    let (id, rest) = rest.split_once('"')?;
    let (far, rest) = rest.strip_prefix('[')?.split_once(']')?;
    node.cables.push((number, guid(id)?, far.parse().ok()?));
    if node.kind != Kind::Switch {
        node.end_ports.push(lids(rest, number)?);
    }
    Some(())
}

/// The first `lid N lmc N` of a line.
fn lids(text: &str, number: u8) -> Option<EndPort> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = words.windows(4).find(|w| w[0] == "lid" && w[2] == "lmc")?;
    Some(EndPort { number, lid: place[1].parse().ok()?, lmc: place[3].parse().ok()? })
}

/// `S-0000000000200003`
fn guid(id: &str) -> Option<u64> {
    u64::from_str_radix(id.split_once('-')?.1, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_and_adapters_are_read_with_their_lids_and_cables() {
        let text = "# Topology file\n\nvendid=0x2c9\nswitchguid=0x200003(200003)\n\
            Switch\t4 \"S-0000000000200003\"\t\t# \"L0 3\" enhanced port 0 lid 5 lmc 0\n\
            [4]\t\"H-0000000000100080\"[1](100081) \t\t# \"node8 HCA-1\" lid 20 4xSDR\n\n\
            caguid=0x100080\nCa\t2 \"H-0000000000100080\"\t\t# \"node8 HCA-1\"\n\
            [1](100081) \t\"S-0000000000200003\"[4]\t\t# lid 20 lmc 1 \"L0 3\" lid 5 4xSDR\n";
        let nodes = parse(text);
        let switch = Node {
            kind: Kind::Switch,
            guid: 0x20_0003,
            name: "L0 3".to_owned(),
            ports: 4,
            end_ports: vec![EndPort { number: 0, lid: 5, lmc: 0 }],
            cables: vec![(4, 0x10_0080, 1)],
        };
        let adapter = Node {
            kind: Kind::Ca,
            guid: 0x10_0080,
            name: "node8 HCA-1".to_owned(),
            ports: 2,
            end_ports: vec![EndPort { number: 1, lid: 20, lmc: 1 }],
            cables: vec![(1, 0x20_0003, 4)],
        };
        assert_eq!(nodes, [switch, adapter]);
    }
}
