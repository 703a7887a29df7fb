//! Everything that the ports of a fabric hold, read with smpquery.

use std::collections::BTreeMap;

use crate::discovery::{self, Kind, Node};
use crate::ibsim::Ibsim;
use crate::smpquery::{self, Arbitration, Fields};

/// What one port holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortReading {
    /// PortInfo by smpquery's names.
    pub info: Fields,
    /// SL2VL rows: ingress port and the VL of each SL. On an adapter one row, of ingress 0.
    pub sl2vl: Vec<(u8, [u8; 16])>,
    /// VL arbitration, low and high.
    pub vlarb: Arbitration,
    /// The P_Key table without the zeros at its end.
    pub pkeys: Vec<u16>,
}

/// What all ports of a fabric hold.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The nodes, as ibnetdiscover found them.
    pub nodes: Vec<Node>,
    /// By node GUID and port number.
    pub ports: BTreeMap<(u64, u8), PortReading>,
}

impl Reading {
    /// Reads every port of every node. The subnet must be up: the queries go by LID.
    ///
    /// # Panics
    /// If a query fails.
    #[must_use]
    pub fn of(ibsim: &Ibsim) -> Self {
        let nodes = discovery::discover(ibsim);
        let mut ports = BTreeMap::new();
        for node in &nodes {
            for (number, lid) in places(node) {
                ports.insert((node.guid, number), read(ibsim, node.kind, lid, number));
            }
        }
        Self { nodes, ports }
    }

    /// The ports where a part of the reading differs from another reading, a line each.
    ///
    /// # Panics
    /// If the readings are not of the same ports.
    #[must_use]
    pub fn differences<T: PartialEq + std::fmt::Debug>(
        &self,
        other: &Self,
        part: impl Fn(&PortReading) -> T,
    ) -> Vec<String> {
        let keys = |reading: &Self| reading.ports.keys().copied().collect::<Vec<_>>();
        assert_eq!(keys(self), keys(other), "not the same ports");
        let both = self.ports.iter().zip(other.ports.values());
        both.filter_map(|(((guid, number), one), two)| {
            let (one, two) = (part(one), part(two));
            (one != two).then(|| format!("{guid:#x} port {number}: {one:?} against {two:?}"))
        })
        .collect()
    }
}

/// The ports of a node with the LID by which each is asked.
fn places(node: &Node) -> Vec<(u8, u16)> {
    match node.kind {
        Kind::Switch => (0..=node.ports).map(|number| (number, node.end_ports[0].lid)).collect(),
        Kind::Ca | Kind::Router => node.end_ports.iter().map(|p| (p.number, p.lid)).collect(),
    }
}

fn read(ibsim: &Ibsim, kind: Kind, lid: u16, number: u8) -> PortReading {
    let query = |operation: &str, port: Option<u8>| {
        let lid = lid.to_string();
        let port = port.map(|p| p.to_string());
        let mut arguments = vec![operation, &lid];
        arguments.extend(port.as_deref());
        ibsim.client("smpquery", &arguments).success()
    };
    // An adapter's tables are asked for without a port: smpquery takes it as the ingress port.
    let table = (kind == Kind::Switch).then_some(number);
    let pkeys = keys(&query("pkeys", Some(number)));
    PortReading {
        info: smpquery::fields(&query("portinfo", Some(number))),
        sl2vl: smpquery::sl2vl(&query("sl2vl", table)),
        vlarb: smpquery::vlarb(&query("vlarb", table)),
        pkeys,
    }
}

/// The keys of an answer without the zeros at its end.
fn keys(text: &str) -> Vec<u16> {
    let mut keys = smpquery::pkeys(text);
    keys.truncate(keys.iter().rposition(|key| *key != 0).map_or(0, |last| last + 1));
    keys
}

/// The P_Key tables of all ports by node GUID and port number, without the zeros at their ends.
///
/// # Panics
/// If a query fails.
#[must_use]
pub fn pkeys(ibsim: &Ibsim) -> BTreeMap<(u64, u8), Vec<u16>> {
    let mut tables = BTreeMap::new();
    for node in &discovery::discover(ibsim) {
        for (number, lid) in places(node) {
            let (lid, port) = (lid.to_string(), number.to_string());
            let answer = ibsim.client("smpquery", &["pkeys", &lid, &port]).success();
            tables.insert((node.guid, number), keys(&answer));
        }
    }
    tables
}
