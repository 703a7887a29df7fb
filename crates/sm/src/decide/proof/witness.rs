//! Whose packets make a step of a credit loop.

use std::collections::BTreeSet;

use lk_fabric::{PortId, SwitchId};
use lk_routing::proof::{Lanes, PathSls, Wait};
use lk_wire::{PortNum, Vl};

use super::Forwarding;

/// An end port whose packets to the LID of `held`, on its SL, hold its channel and wait for that
/// of `next`: the first adapter's or router's, else a switch.
pub(super) fn source<L: Lanes, S: PathSls>(
    tables: &Forwarding<'_>,
    lanes: &L,
    sls: &S,
    held: &Wait,
    next: &Wait,
) -> Option<PortId> {
    let fabric = tables.fabric;
    if held.lid.is_multicast() {
        return sender(tables, lanes, held, next);
    }
    let destination = tables.lids.port(held.lid);
    let others = || fabric.end_ports().filter(|p| Some(*p) != destination);
    let passes = |port: &PortId| passes(tables, lanes, sls, *port, held, next);
    let is_switch = |port: &PortId| fabric.as_switch(fabric.owner(*port)).is_some();
    others()
        .filter(|p| !is_switch(p))
        .find(passes)
        .or_else(|| others().filter(is_switch).find(passes))
}

/// Whether packets of an end port do that.
fn passes<L: Lanes, S: PathSls>(
    tables: &Forwarding<'_>,
    lanes: &L,
    sls: &S,
    source: PortId,
    held: &Wait,
    next: &Wait,
) -> bool {
    let fabric = tables.fabric;
    // An adapter's packets come in at the port that its cable leads to; a switch's own at port 0.
    let own = fabric.as_switch(fabric.owner(source)).is_some();
    let Some(mut at) = (if own { Some(source) } else { fabric.peer(source) }) else { return false };
    let Some(first) = fabric.as_switch(fabric.owner(at)) else { return false };
    let sent = if own { sls.own(first, held.lid) } else { sls.sls(first, held.lid) };
    let held_back = !own && lanes.of_sender(source).vl(held.sl) == Vl::DROP;
    if held_back || sent.iter().all(|sl| sl != held.sl) {
        return false;
    }
    let mut before = None;
    // A way that is longer than there are switches goes round.
    for _ in 0..=fabric.switches().len() {
        let node = fabric.owner(at);
        let Some(switch) = fabric.as_switch(node) else { return false };
        let Some(out) = tables.lfts.port(switch, held.lid).filter(|out| *out != PortNum(0)) else {
            return false;
        };
        let vl = lanes.lanes(switch, fabric.port_num(at), out).vl(held.sl);
        if before == Some((held.switch, held.port, held.vl)) {
            return (switch, out, vl) == (next.switch, next.port, next.vl);
        }
        before = Some((switch, out, vl));
        let Some(far) = fabric.port_at(node, out).and_then(|p| fabric.peer(p)) else {
            return false;
        };
        at = far;
    }
    false
}

/// A link by the switch and port that send on it, and a lane.
type Channel = (SwitchId, PortNum, Vl);

/// The same for packets to a multicast group.
fn sender<L: Lanes>(
    tables: &Forwarding<'_>,
    lanes: &L,
    held: &Wait,
    next: &Wait,
) -> Option<PortId> {
    let fabric = tables.fabric;
    let tree = tables.trees.iter().find(|tree| tree.mlid == held.lid)?;
    let copies = |switch: SwitchId, door: PortNum| {
        let ports = tree.ports.iter().find(|(s, _)| *s == switch).map(|(_, ports)| ports);
        ports.into_iter().flatten().copied().filter(move |p| *p != door && p.0 != 0)
    };
    let passes = |source: &PortId| {
        let own = fabric.as_switch(fabric.owner(*source)).is_some();
        let Some(door) = (if own { Some(*source) } else { fabric.peer(*source) }) else {
            return false;
        };
        let mut packets: Vec<(PortId, Option<Channel>)> = vec![(door, None)];
        let mut seen = BTreeSet::new();
        while let Some((door, came)) = packets.pop() {
            let node = fabric.owner(door);
            let Some(switch) = fabric.as_switch(node) else { continue };
            let door = fabric.port_num(door);
            for out in copies(switch, door) {
                let vl = lanes.lanes(switch, door, out).vl(held.sl);
                let holds = came == Some((held.switch, held.port, held.vl));
                if holds && (switch, out, vl) == (next.switch, next.port, next.vl) {
                    return true;
                }
                let far = fabric.port_at(node, out).and_then(|p| fabric.peer(p));
                if let Some(far) = far.filter(|_| vl != Vl::DROP && seen.insert((switch, out, vl)))
                {
                    packets.push((far, Some((switch, out, vl))));
                }
            }
        }
        false
    };
    let is_switch = |port: &PortId| fabric.as_switch(fabric.owner(*port)).is_some();
    let hosts = fabric.end_ports().filter(|p| !is_switch(p)).find(passes);
    hosts.or_else(|| fabric.end_ports().filter(is_switch).find(passes))
}
