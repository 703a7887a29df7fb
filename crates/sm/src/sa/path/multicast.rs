//! Paths to multicast groups: what the group says, and nothing of the QoS policy.

use lk_wire::sa::{PathRecord, Selector, path_mask};
use lk_wire::{Gid, Guid};

use super::query::Wanted;
use crate::multicast::Group;
use crate::sa::Context;
use crate::sa::request::{Records, Request};

/// Whether a GID is that of a group (IBA 4.1.1).
pub(super) const fn is_group(gid: Gid) -> bool {
    gid.prefix >> 56 == 0xFF
}

/// The path to the group that a query names by its MGID, if all that the query says of it is so.
///
/// A LID alone names no group, since several may share one. MTU, rate and life time are not
/// compared.
pub(super) fn path(
    context: &Context<'_>,
    request: &Request<'_>,
    asked: &PathRecord,
    wanted: &Wanted,
) -> Records {
    let mut records = Records::none::<PathRecord>();
    let by_gid = request.has(path_mask::DGID).then(|| asked.dgid());
    let group = by_gid.and_then(|mgid| context.groups.get(mgid));
    if let Some(group) = group.filter(|group| fits(context, request, asked, wanted, group)) {
        records.push(&record(asked, group));
    }
    records
}

fn fits(
    context: &Context<'_>,
    request: &Request<'_>,
    asked: &PathRecord,
    wanted: &Wanted,
    group: &Group,
) -> bool {
    let params = &group.params;
    let is_member = |guid: Guid| group.member(guid).is_some();
    let by_lid = || {
        let port = context.index().port_by_lid(lk_wire::Lid(asked.slid()));
        port.is_some_and(|port| is_member(context.served.gid(port).guid))
    };
    (!request.has(path_mask::SGID) || is_member(asked.sgid().guid))
        && (!request.has(path_mask::SLID) || by_lid())
        && (!request.has(path_mask::DLID) || asked.dlid() == group.mlid.0)
        && wanted.pkey.is_none_or(|key| key == params.pkey)
        && wanted.sl.is_none_or(|sl| sl == params.sl)
        && wanted.flow_label.is_none_or(|label| label == params.flow_label)
        && wanted.hop_limit.is_none_or(|limit| limit == params.hop_limit)
        && wanted.tclass.is_none_or(|class| class == params.tclass)
}

/// The path, with the source as the query names it.
fn record(asked: &PathRecord, group: &Group) -> PathRecord {
    let params = &group.params;
    let mut record = PathRecord::default();
    record.set_dgid(asked.dgid());
    record.set_sgid(asked.sgid());
    record.set_slid(asked.slid());
    record.set_dlid(group.mlid.0);
    record.set_numb_path(1);
    record.set_flow_label(params.flow_label);
    record.set_hop_limit(params.hop_limit);
    record.set_tclass(params.tclass);
    record.set_pkey(params.pkey.0);
    record.set_sl(params.sl.0);
    record.set_mtu_selector(Selector::EXACTLY.0);
    record.set_mtu(params.mtu);
    record.set_rate_selector(Selector::EXACTLY.0);
    record.set_rate(params.rate);
    record.set_life_selector(Selector::EXACTLY.0);
    record.set_life(params.life);
    record
}
