//! The way of a packet through the forwarding tables.

use lk_fabric::{NodeKind, PortId};
use lk_wire::{Lid, Mtu, PortNum, Rate};

use super::ports::{ALL_SLS, Ports};
use crate::io::View;

/// Switches that a way may have.
const MOST_HOPS: usize = 64;

/// What a way can carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The largest MTU.
    pub mtu: Mtu,
    /// The fastest rate.
    pub rate: Rate,
    /// The SLs that no port on it drops, by bit.
    pub usable: u16,
    /// How many switches it passes.
    pub hops: usize,
}

/// Why there is no way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A switch has no entry for the LID.
    NoRoute,
    /// An entry leads to a port without a cable.
    NoPeer,
    /// The way ends at another port.
    ElsewhereEnds,
    /// It has more than 64 hops.
    TooLong,
}

/// The way from an end port to a LID of another, by the tables that the switches should hold.
///
/// `calls` is told each egress port with the number of its ingress port, from the source on; an
/// adapter's ingress is 0.
///
/// # Errors
/// [`Broken`] where the tables do not lead there.
pub fn walk(
    view: &View,
    ports: &Ports,
    (from, to): (PortId, PortId),
    dlid: Lid,
    mut calls: impl FnMut(PortId, u16),
) -> Result<Way, Broken> {
    let fabric = &*view.seen.fabric;
    let lfts = &view.desired.routes.as_ref().ok_or(Broken::NoRoute)?.lfts;
    let mut way = Way { mtu: ports.mtu(from), rate: ports.rate(from), usable: ALL_SLS, hops: 0 };
    if from == to {
        return Ok(way);
    }
    let is_switch = |p: PortId| fabric.node(fabric.owner(p)).kind == NodeKind::Switch;
    let mut leave = |way: &mut Way, egress: PortId, ingress: u16| {
        calls(egress, ingress);
        let peer = fabric.peer(egress).ok_or(Broken::NoPeer)?;
        for port in [egress, peer] {
            way.mtu = way.mtu.min(ports.mtu(port));
            way.rate = way.rate.min(ports.rate(port));
        }
        way.usable &= ports.usable(view, egress, ingress);
        Ok(peer)
    };
    let mut at = if is_switch(from) { from } else { leave(&mut way, from, 0)? };
    while at != to {
        let node = fabric.owner(at);
        let switch = fabric.as_switch(node).ok_or(Broken::ElsewhereEnds)?;
        way.hops += 1;
        if way.hops > MOST_HOPS {
            return Err(Broken::TooLong);
        }
        let out = lfts.port(switch, dlid).ok_or(Broken::NoRoute)?;
        let egress = fabric.port_at(node, out).ok_or(Broken::NoRoute)?;
        if out == PortNum(0) {
            way.mtu = way.mtu.min(ports.mtu(egress));
            way.rate = way.rate.min(ports.rate(egress));
            way.usable &= ports.usable(view, egress, u16::from(fabric.port_num(at).0));
            return if egress == to { Ok(way) } else { Err(Broken::ElsewhereEnds) };
        }
        at = leave(&mut way, egress, u16::from(fabric.port_num(at).0))?;
    }
    Ok(way)
}
