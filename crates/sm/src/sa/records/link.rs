//! LinkRecord.

use lk_fabric::{NodeKind, PortId};
use lk_wire::sa::{LinkRecord, link_mask};
use lk_wire::{Lid, PortState};

use super::{Context, Found, spoken_for};
use crate::sa::request::{Answer, Request};

/// SubnAdmGet and SubnAdmGetTable of LinkRecord: each link in both directions.
pub(super) fn links(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: LinkRecord = request.record();
    let done = link_mask::FROM_LID | link_mask::TO_LID;
    let components = link_mask::COMPONENTS;
    let mut found = Found::new::<LinkRecord>(context, request, components, done);
    let index = context.index();
    let from = request.has(link_mask::FROM_LID).then(|| index.port_by_lid(Lid(asked.from_lid())));
    let to = request.has(link_mask::TO_LID).then(|| index.port_by_lid(Lid(asked.to_lid())));
    match (from, to) {
        (Some(None), _) | (_, Some(None)) => {}
        (Some(Some(from)), to) => {
            for port in spoken_for(context, from) {
                link(context, port, to.flatten(), &mut found);
            }
        }
        (None, Some(Some(to))) => {
            // Whoever is at the other end of one of its links.
            let fabric = &context.view().seen.fabric;
            let mut ends: Vec<PortId> =
                spoken_for(context, to).filter_map(|p| fabric.peer(p)).collect();
            ends.sort_by_key(|p| (fabric.node(fabric.owner(*p)).guid.table_order(), p.0));
            for port in ends {
                link(context, port, Some(to), &mut found);
            }
        }
        (None, None) => {
            for id in index.nodes() {
                let node = context.view().seen.fabric.node(*id);
                for number in 1..=u32::from(node.num_ports) {
                    link(context, PortId(node.first.0 + number), None, &mut found);
                }
            }
        }
    }
    found.answer()
}

/// The link from a port, if it has one; only to what `to` speaks for, where that is given.
fn link(context: &Context<'_>, from: PortId, to: Option<PortId>, found: &mut Found<'_, '_>) {
    let seen = &context.view().seen;
    let fabric = &seen.fabric;
    let Some(peer) = fabric.peer(from) else { return };
    if PortState(seen.state(from).0) == PortState::DOWN {
        return;
    }
    let speaker = |port: PortId| {
        let node = fabric.node(fabric.owner(port));
        if node.kind == NodeKind::Switch { node.first } else { port }
    };
    if to.is_some_and(|to| speaker(peer) != to) || !found.may_see(peer) {
        return;
    }
    let mut record = LinkRecord::default();
    record.set_from_lid(context.index().lid(speaker(from)).0);
    record.set_from_port(fabric.port_num(from).0);
    record.set_to_port(fabric.port_num(peer).0);
    record.set_to_lid(context.index().lid(speaker(peer)).0);
    found.push(from, &record);
}
