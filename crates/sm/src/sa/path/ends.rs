//! Which ports and LIDs a query is about.

use lk_fabric::PortId;
use lk_wire::sa::sa_status;
use lk_wire::{Gid, Guid, Lid, Status};

use super::lids::LidRange;
use crate::sa::Context;

/// One end of the paths that are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// Any port.
    Any,
    /// This port, with these LIDs, under this GID if it was asked by one.
    Port { port: PortId, lids: LidRange, gid: Option<Gid> },
    /// No port is meant by it.
    Nobody,
}

/// The end that a GID and a LID name.
///
/// # Errors
/// They name different ports.
pub(super) fn end(
    context: &Context<'_>,
    gid: Option<Gid>,
    lid: Option<Lid>,
) -> Result<End, Status> {
    let by_gid = gid.map(|gid| port_by_gid(context, gid));
    let by_lid = lid.map(|lid| context.index().port_by_lid(lid));
    let port = match (by_gid, by_lid) {
        (None, None) => return Ok(End::Any),
        (Some(Some(a)), Some(Some(b))) if a != b => return Err(sa_status::REQ_INVALID),
        (Some(None), _) | (_, Some(None)) => return Ok(End::Nobody),
        (Some(Some(port)), _) | (None, Some(Some(port))) => port,
    };
    let lids = lid.map_or_else(|| lids_of(context, port), LidRange::one);
    Ok(End::Port { port, lids, gid })
}

/// The port with a GID of this subnet, or the router's port that leads to the GID's subnet.
pub(super) fn port_by_gid(context: &Context<'_>, gid: Gid) -> Option<PortId> {
    context.port_by_gid(gid)
}

/// All LIDs of an end port.
pub(super) fn lids_of(context: &Context<'_>, port: PortId) -> LidRange {
    let first = context.index().lid(port);
    let ranges = context.view().desired.lids.ranges();
    let lmc = ranges.binary_search_by_key(&first, |r| r.1).map_or(0, |at| ranges[at].2);
    // LIDs of a port stay below the multicast ones.
    LidRange { first, last: Lid(first.0 + ((1_u16 << lmc) - 1)) }
}

/// Whether a prefix is that of the subnet at hand, whichever that is: its ten highest bits say so.
const fn is_link_local(prefix: u64) -> bool {
    prefix >> 54 == 0xfe80 >> 6
}

/// Whether a GID belongs to another subnet.
pub(super) fn is_off_subnet(context: &Context<'_>, gid: Gid) -> bool {
    let own = context.view().settings.options.subnet_prefix;
    gid.prefix != own && !is_link_local(gid.prefix)
}

/// The port of the router that leads to another subnet, by prefix-routes.conf.
pub(super) fn router_to(context: &Context<'_>, gid: Gid) -> Option<PortId> {
    let view = context.view();
    let route = view.settings.prefix_routes.as_ref()?.find(gid.prefix)?;
    let fabric = &view.seen.fabric;
    let is_router = |p: &PortId| fabric.node(fabric.owner(*p)).kind == lk_fabric::NodeKind::Router;
    match route.value.router {
        Some(Guid(guid)) => context.index().port_by_guid(Guid(guid)).filter(is_router),
        None => context.index().end_ports().iter().copied().find(is_router),
    }
}
