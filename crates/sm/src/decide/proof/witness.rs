//! Whose packets make a step of a credit loop.

use lk_fabric::PortId;
use lk_routing::proof::{Lanes, PathSls, Wait};
use lk_wire::PortNum;

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
    if sls.sls(first, held.lid).iter().all(|sl| sl != held.sl) {
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
