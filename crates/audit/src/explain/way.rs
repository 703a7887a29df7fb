//! The way of a packet through the forwarding tables.

use lk_fabric::PortId;
use lk_snapshot::{MftBlock, Snapshot, Table};
use lk_wire::{Lid, LinearForwardingTable, MulticastForwardingTable, PortNum};

/// Switches that a way may have.
const MOST_HOPS: usize = 64;

/// One link of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// The number of the port by which the packet came into the node; 0 at its source.
    pub(super) ingress: u16,
    /// The port by which it leaves.
    pub(super) egress: PortId,
    /// The port at the other end.
    pub(super) peer: PortId,
    /// Copies that the node makes beside this one; 0 for unicast.
    pub(super) copies: usize,
}

/// The links from one end port to another, and why they do not lead there, if they do not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Steps {
    pub(super) steps: Vec<Step>,
    pub(super) broken: Option<String>,
}

impl Steps {
    fn broken(steps: Vec<Step>, why: String) -> Self {
        Self { steps, broken: Some(why) }
    }
}

/// The way to a LID, by the forwarding tables that the switches hold.
pub(super) fn unicast(snapshot: &Snapshot, from: PortId, (to, lid): (PortId, Lid)) -> Steps {
    let fabric = &*snapshot.fabric;
    let mut steps = Vec::new();
    if from == to {
        return Steps::default();
    }
    let mut at = from;
    if fabric.as_switch(fabric.owner(from)).is_none() {
        match fabric.peer(from) {
            Some(peer) => {
                steps.push(Step { ingress: 0, egress: from, peer, copies: 0 });
                at = peer;
            }
            None => {
                return Steps::broken(steps, format!("{} has no cable", fabric.port_name(from)));
            }
        }
    }
    while at != to {
        let node = fabric.owner(at);
        let Some(switch) = fabric.as_switch(node) else {
            let why = format!("the tables lead LID {lid} to {}", fabric.port_name(at));
            return Steps::broken(steps, why);
        };
        let name = || fabric.node(node).description.clone();
        if steps.len() > MOST_HOPS {
            return Steps::broken(steps, format!("LID {lid} goes round and never arrives"));
        }
        let block = snapshot.tables.block(Table::Lft(switch), lid.0 / 64);
        let Some(block) = block else {
            let why = format!("the forwarding table of {} was not read for LID {lid}", name());
            return Steps::broken(steps, why);
        };
        let port = LinearForwardingTable(block).get(usize::from(lid.0 % 64));
        let egress = port.and_then(|port| fabric.port_at(node, port));
        if egress == Some(to) {
            break;
        }
        let leave = egress.and_then(|egress| Some((egress, fabric.peer(egress)?)));
        let Some((egress, peer)) = leave else {
            let why = match port {
                Some(LinearForwardingTable::NO_PATH) | None => {
                    format!("{} has no entry for LID {lid}", name())
                }
                Some(port) => format!("{} sends LID {lid} to port {port}, a dead end", name()),
            };
            return Steps::broken(steps, why);
        };
        let ingress = u16::from(fabric.port_num(at).0);
        steps.push(Step { ingress, egress, peer, copies: 0 });
        at = peer;
    }
    Steps { steps, broken: None }
}

/// The way of one copy of a packet to a multicast LID, by the tables that the switches hold.
pub(super) fn multicast(snapshot: &Snapshot, from: PortId, to: PortId, mlid: Lid) -> Steps {
    let fabric = &*snapshot.fabric;
    let mut seen = vec![false; fabric.switches().len()];
    let mut stack: Vec<Vec<Step>> = Vec::new();
    let spread = |at: PortId, ingress: u16| -> Vec<Step> {
        let node = fabric.owner(at);
        let ports = copied_to(snapshot, at, mlid);
        let out = ports.into_iter().filter(|port| u16::from(port.0) != ingress && port.0 != 0);
        let links: Vec<(PortId, PortId)> = out
            .filter_map(|port| fabric.port_at(node, port))
            .filter_map(|egress| Some((egress, fabric.peer(egress)?)))
            .collect();
        let copies = links.len().saturating_sub(1);
        links.into_iter().map(|(egress, peer)| Step { ingress, egress, peer, copies }).collect()
    };
    if fabric.as_switch(fabric.owner(from)).is_some() {
        stack.extend(spread(from, 0).into_iter().map(|step| vec![step]));
    } else if let Some(peer) = fabric.peer(from) {
        stack.push(vec![Step { ingress: 0, egress: from, peer, copies: 0 }]);
    }
    while let Some(steps) = stack.pop() {
        let Some(last) = steps.last() else { continue };
        let (at, node) = (last.peer, fabric.owner(last.peer));
        if at == to || fabric.node(node).first == to {
            return Steps { steps, broken: None };
        }
        let Some(switch) = fabric.as_switch(node) else { continue };
        if std::mem::replace(&mut seen[switch.index()], true) {
            continue;
        }
        for step in spread(at, u16::from(fabric.port_num(at).0)) {
            let mut further = steps.clone();
            further.push(step);
            stack.push(further);
        }
    }
    let why = format!("the switches copy LID {:#06x} to no link that leads there", mlid.0);
    Steps::broken(Vec::new(), why)
}

/// The ports that a switch copies packets of a multicast LID to.
fn copied_to(snapshot: &Snapshot, at: PortId, mlid: Lid) -> Vec<PortNum> {
    let node = snapshot.fabric.owner(at);
    let Some(switch) = snapshot.fabric.as_switch(node) else { return Vec::new() };
    let block = MftBlock::block_of(mlid);
    let index = usize::from(mlid.0) % MulticastForwardingTable::ENTRIES;
    let last = snapshot.fabric.node(node).num_ports / MulticastForwardingTable::PORTS;
    let mut ports = Vec::new();
    for position in 0..=last {
        let code = MftBlock { block, position }.code();
        let Some(bytes) = snapshot.tables.block(Table::Mft(switch), code) else { continue };
        let mask = MulticastForwardingTable(bytes).get(index).unwrap_or(0);
        let here = (0..16).filter(|bit| mask & 1 << bit != 0);
        ports.extend(here.map(|bit| PortNum(position * MulticastForwardingTable::PORTS + bit)));
    }
    ports
}
