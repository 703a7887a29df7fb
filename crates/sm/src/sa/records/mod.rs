//! Records that only repeat what the last view holds: nodes, ports, links and tables.
//!
//! A record is made, compared with what was asked for, and shown where the asker shares a
//! partition with the port that it is about. A LID or a GUID in the query picks the port at once;
//! nothing is looked through that cannot match.

mod link;
mod node;
mod port;
mod tables;

use lk_fabric::{NodeKind, PortId};
use lk_wire::sa::{Component, Record, matches, sa_attr};
use lk_wire::{Lid, Status};

use super::Context;
use super::request::{Answer, Records, Request};

/// Answers a query; `None` for an attribute that is not served here.
#[must_use]
pub fn answer(context: &Context<'_>, request: &Request<'_>) -> Option<Answer> {
    let kind: fn(&Context<'_>, &Request<'_>) -> Answer = match request.header.attr_id() {
        sa_attr::NODE_RECORD => node::nodes,
        sa_attr::SWITCH_INFO_RECORD => node::switches,
        sa_attr::SM_INFO_RECORD => node::managers,
        sa_attr::PORT_INFO_RECORD => port::ports,
        sa_attr::LINK_RECORD => link::links,
        sa_attr::SL2VL_RECORD => tables::sl_to_vl,
        sa_attr::VLARB_RECORD => tables::arbitration,
        sa_attr::PKEY_RECORD => tables::p_keys,
        sa_attr::LFT_RECORD => tables::forwarding,
        sa_attr::MFT_RECORD => tables::multicast,
        _ => return None,
    };
    Some(match request.is_query() {
        true => kind(context, request),
        false => Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED),
    })
}

/// Records that match, one after the other.
struct Found<'a, 'b> {
    context: &'a Context<'a>,
    request: &'a Request<'b>,
    /// The components that are compared.
    mask: u64,
    components: &'static [Component],
    records: Records,
}

impl<'a, 'b> Found<'a, 'b> {
    /// None yet. The components in `done` have been looked at already.
    fn new<R: Record + Default>(
        context: &'a Context<'a>,
        request: &'a Request<'b>,
        components: &'static [Component],
        done: u64,
    ) -> Self {
        let mask = request.mask() & !done;
        Self { context, request, mask, components, records: Records::none::<R>() }
    }

    /// Takes a record about a port, if it matches and may be seen.
    fn push<R: Record>(&mut self, about: PortId, record: &R) {
        if self.wants(about, record) {
            self.records.push(record);
        }
    }

    /// Whether a record matches and may be seen.
    fn wants<R: Record>(&self, about: PortId, record: &R) -> bool {
        matches(self.components, self.mask, self.request.data, record.bytes())
            && self.may_see(about)
    }

    fn may_see(&self, about: PortId) -> bool {
        self.context.index().partitions().share(self.request.requester, about)
    }

    fn answer(self) -> Answer {
        self.records.into()
    }
}

/// The end ports that a query is about: the one with the LID if one is asked for, else all.
fn end_ports(context: &Context<'_>, lid: Option<u16>) -> Vec<PortId> {
    match lid {
        Some(lid) => context.index().port_by_lid(Lid(lid)).into_iter().collect(),
        None => context.index().end_ports().to_vec(),
    }
}

/// The ports that an end port speaks for: all of a switch, else itself.
fn spoken_for(context: &Context<'_>, speaker: PortId) -> impl Iterator<Item = PortId> + use<> {
    let fabric = &context.view().seen.fabric;
    let node = fabric.node(fabric.owner(speaker));
    let last = match node.kind {
        NodeKind::Switch => speaker.0 + u32::from(node.num_ports),
        _ => speaker.0,
    };
    (speaker.0..=last).map(PortId)
}
