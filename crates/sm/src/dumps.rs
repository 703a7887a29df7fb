//! The state of the subnet in the form of OpenSM's dump files.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use lk_fabric::dumps::{fdbs, lfts, lid_matrix, mcfdbs, sl2vl, subnet_lst, torus};
use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_routing::graph::Graph;
use lk_routing::{Hops, PairSls, RouteJob, SlPlan};
use lk_wire::{Lid, PortInfo, PortNum, Sl, cap_mask};

use crate::decide::route_options;
use crate::io::View;

/// `opensm-subnet.lst`: each cabled port with its neighbour.
///
/// # Errors
/// Those of `out`.
pub fn subnet_lst(view: &View, out: &mut impl Write) -> fmt::Result {
    subnet_lst::write(out, &view.seen.fabric, |port| status(view, port))
}

fn status(view: &View, port: PortId) -> subnet_lst::PortStatus {
    let seen = &view.seen;
    let fabric = &seen.fabric;
    let node = fabric.node(fabric.owner(port));
    let end = if node.kind == NodeKind::Switch { node.first } else { port };
    let (lid, sm_lid) = seen.port_info(end).map_or((0, 0), |i| (i.lid(), i.sm_lid()));
    // The extended speed counts only if the neighbour knows extended speeds, as in OpenSM.
    let knows = fabric
        .peer(port)
        .and_then(|p| seen.node_port_info(p))
        .is_some_and(|i| i.capability_mask() & cap_mask::EXTENDED_SPEEDS != 0);
    let mut rate = fabric.port(port).rate;
    if !knows {
        rate.speed_ext = 0;
    }
    subnet_lst::PortStatus {
        lid: Lid(lid),
        is_sm: lid != 0 && lid == sm_lid,
        state: seen.port_info(port).map_or(0, PortInfo::port_state),
        rate,
    }
}

/// The port by which a switch sends to a LID, as the switch holds it.
fn way(view: &View, switch: SwitchId, lid: Lid) -> Option<PortNum> {
    view.desired.routes.as_ref()?.lfts.port(switch, lid)
}

fn top(view: &View) -> Lid {
    view.desired.routes.as_ref().map_or(Lid(0), |r| r.lfts.top)
}

/// `opensm-ftree-ca-order.dump`: the compute nodes in the order that the routes suit; `None` where
/// the engine that routed has no such order.
#[must_use]
pub fn ca_order(view: &View) -> Option<String> {
    let options = &route_options(&view.seen, &view.settings);
    let (fabric, lids) = (&view.seen.fabric, &view.desired.lids);
    let job = RouteJob { fabric, lids, options, previous: None };
    let engine = lk_routing::find(view.desired.routes.as_ref()?.engine)?;
    let order = engine.ca_order(&job)?;
    let lids: BTreeMap<PortId, Lid> =
        view.desired.lids.ranges().iter().map(|(port, lid, _)| (*port, *lid)).collect();
    let mut text = String::new();
    let lid = |port| lids.get(&port).copied().unwrap_or(Lid(0));
    // Writing to a String cannot fail.
    order.write(&mut text, &view.seen.fabric, lid).ok()?;
    Some(text)
}

/// Distances under the law of the engine that routed: up/down paths may be longer than the
/// shortest.
fn hops(view: &View) -> Hops {
    let options = &route_options(&view.seen, &view.settings);
    let (fabric, lids) = (&view.seen.fabric, &view.desired.lids);
    let job = RouteJob { fabric, lids, options, previous: None };
    let engine = view.desired.routes.as_ref().and_then(|r| lk_routing::find(r.engine));
    engine.and_then(|e| e.hops(&job).ok()).unwrap_or_else(|| Hops::new(&view.seen.fabric))
}

/// `opensm.fdbs`: forwarding tables with hops.
///
/// # Errors
/// Those of `out`.
pub fn fdbs(view: &View, out: &mut impl Write) -> fmt::Result {
    let fabric = &view.seen.fabric;
    let hops = hops(view);
    fdbs::write(out, fabric, top(view), |switch, lid| {
        let Some(port) = way(view, switch, lid) else { return fdbs::Entry::Unreachable };
        let (hops, better) = distance(view, &hops, switch, lid, port);
        fdbs::Entry::Path { port, hops, better }
    })
}

/// The hops from a switch to a LID by a port, and the least hops with a port that has them, where
/// that is fewer.
fn distance(
    view: &View,
    hops: &Hops,
    from: SwitchId,
    lid: Lid,
    port: PortNum,
) -> (Option<u8>, Option<(u8, PortNum)>) {
    let fabric = &view.seen.fabric;
    let Some(end) = view.desired.lids.port(lid) else { return (None, None) };
    let (leaf, extra) = match fabric.as_switch(fabric.owner(end)) {
        Some(switch) => (switch, 0),
        None => match Graph::attachment(fabric, end) {
            Some((switch, _)) => (switch, 1),
            None => return (None, None),
        },
    };
    if leaf == from {
        return (Some(extra), None);
    }
    let by_port = hops.via(from, port, leaf).map(|h| h + extra);
    let least = hops.between(from, leaf).map(|h| h + extra);
    let better = match (by_port, least) {
        (Some(by_port), Some(least)) if least < by_port => {
            let node = fabric.node(fabric.switch_node(from));
            (1..=node.num_ports)
                .map(PortNum)
                .find(|p| hops.via(from, *p, leaf).map(|h| h + extra) == Some(least))
                .map(|p| (least, p))
        }
        _ => None,
    };
    (by_port, better)
}

/// `opensm.mcfdbs`: multicast forwarding tables.
///
/// # Errors
/// Those of `out`.
pub fn mcfdbs(view: &View, out: &mut impl Write) -> fmt::Result {
    mcfdbs::write(out, &view.seen.fabric, |switch| {
        let entries = view.desired.multicast.entries(switch);
        entries.map(|(lid, ports)| (lid, ports.to_vec())).collect()
    })
}

/// `opensm-lfts.dump`: forwarding tables with the owners of the LIDs.
///
/// # Errors
/// Those of `out`.
pub fn lfts(view: &View, out: &mut impl Write) -> fmt::Result {
    let fabric = &view.seen.fabric;
    lfts::write(
        out,
        fabric,
        top(view),
        |switch| switch_lid(view, switch),
        |lid| view.desired.lids.port(lid),
        |switch, lid| way(view, switch, lid),
    )
}

fn switch_lid(view: &View, switch: SwitchId) -> Lid {
    let port0 = view.seen.fabric.node(view.seen.fabric.switch_node(switch)).first;
    Lid(view.seen.port_info(port0).map_or(0, PortInfo::lid))
}

/// `opensm-lid-matrix.dump`: hops from each switch to each switch by each port.
///
/// # Errors
/// Those of `out`.
pub fn lid_matrix(view: &View, out: &mut impl Write) -> fmt::Result {
    let fabric = &view.seen.fabric;
    let hops = hops(view);
    let mut lids: Vec<(Lid, SwitchId)> =
        fabric.switch_ids().map(|s| (switch_lid(view, s), s)).collect();
    lids.sort_unstable();
    lid_matrix::write(out, fabric, &lids, |from, to, port| {
        let count = match (port, from == to) {
            (0, _) => hops.between(from, to),
            (_, true) => None,
            _ => hops.via(from, PortNum(port), to),
        };
        count.unwrap_or(lid_matrix::NO_WAY)
    })
}

/// `opensm-sl2vl.dump`: the SL2VL tables as the ports hold them.
///
/// # Errors
/// Those of `out`.
pub fn sl2vl(view: &View, out: &mut impl Write) -> fmt::Result {
    let seen = &view.seen;
    let lid = |end: PortId| Lid(seen.port_info(end).map_or(0, PortInfo::lid));
    sl2vl::write(out, &seen.fabric, lid, |end, from, to| {
        let node = seen.fabric.node(seen.fabric.owner(end));
        let egress = match node.kind {
            NodeKind::Switch => PortId(node.first.0 + u32::from(to.0)),
            NodeKind::Ca | NodeKind::Router => end,
        };
        let table = seen.tables.sl2vl(egress, u16::from(from.0)).unwrap_or_default();
        std::array::from_fn(|sl| table.get(Sl(sl as u8)).0)
    })
}

/// Whether torus-2QoS routes, so that there is an `opensm-torus.dump`.
#[must_use]
pub fn has_torus(view: &View) -> bool {
    path_sls_of(view).is_some()
}

fn path_sls_of(view: &View) -> Option<&PairSls> {
    match &view.desired.routes.as_ref()?.sl {
        SlPlan::PerPair(sls) => Some(sls),
        _ => None,
    }
}

/// `opensm-torus.dump`: the coordinates of the switches.
///
/// # Errors
/// Those of `out`.
pub fn torus(view: &View, out: &mut impl Write) -> fmt::Result {
    let sls = path_sls_of(view);
    torus::write(out, &view.seen.fabric, |switch| sls?.coordinates(switch))
}
