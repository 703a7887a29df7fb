//! MCMemberRecord: joining, leaving and looking at multicast groups (IBA 15.2.5.17).
//!
//! Checks and status codes are OpenSM's, as it was seen to answer.

use lk_config::sa_db;
use lk_fabric::PortId;
use lk_wire::sa::{MCMemberRecord, Selector, member_mask, sa_status};
use lk_wire::{Gid, Guid, Lid, PKey, Sl, Status, Trap, method};

use super::request::{Answer, Records, Request};
use super::{Aliases, Effects, Served};
use crate::multicast::limits::{self, Wanted};
use crate::multicast::well_known::{broadcast_of, is_ip};
use crate::multicast::{Group, Groups, Join, Member, Params};

/// What a join and a leave have to give.
const WHO_AND_HOW: u64 = member_mask::MGID | member_mask::PORT_GID | member_mask::JOIN_STATE;
/// Where ProxyJoin stands in the record; its place is the highest bit.
const PROXY_JOIN_BYTE: usize = 49;
/// What a join that makes a group has to give besides.
const TO_CREATE: u64 = member_mask::QKEY
    | member_mask::TCLASS
    | member_mask::FLOW_LABEL
    | member_mask::PKEY
    | member_mask::SL;

/// Answers a request about multicast groups. What has to be told to others, and what has to be
/// done to the fabric, goes into `effects`.
#[must_use]
pub fn answer(
    served: &Served,
    aliases: &Aliases,
    groups: &mut Groups,
    request: &Request<'_>,
    effects: &mut Effects,
) -> Answer {
    let asked = Asked { served, aliases, request, record: request.record() };
    let known = asked.asks_for_what_there_is();
    let done = match request.method() {
        method::SET | method::DELETE | method::GET | method::GET_TABLE if !known => {
            Err(sa_status::REQ_INVALID)
        }
        method::SET => asked.join(groups, effects),
        method::DELETE => asked.leave(groups, effects),
        method::GET | method::GET_TABLE => return asked.query(groups),
        _ => Err(Status::METHOD_ATTR_UNSUPPORTED),
    };
    effects.groups_changed |= groups.has_changed();
    done.map_or_else(Answer::Refused, |record| Answer::one(&record))
}

struct Asked<'a> {
    served: &'a Served,
    aliases: &'a Aliases,
    request: &'a Request<'a>,
    record: MCMemberRecord,
}

impl Asked<'_> {
    /// The port that is to join or leave, its GUID, and how.
    fn member(&self) -> Result<(PortId, Guid, Join), Status> {
        if !self.request.has(WHO_AND_HOW) {
            return Err(sa_status::INSUFFICIENT_COMPONENTS);
        }
        let gid = self.record.port_gid();
        if gid.prefix != self.served.view.settings.options.subnet_prefix {
            return Err(sa_status::INVALID_GID);
        }
        let index = &self.served.index;
        let port = index.port_by_guid(gid.guid).or_else(|| {
            let owner = self.aliases.owner(gid.guid)?;
            index.port_by_guid(owner)
        });
        let port = port.ok_or(sa_status::REQ_INVALID)?;
        if !index.partitions().share(self.request.requester, port) {
            return Err(sa_status::REQ_INVALID);
        }
        let join = Join::new(self.record.join_state());
        if join.is_none() {
            return Err(sa_status::REQ_INVALID);
        }
        Ok((port, gid.guid, join))
    }

    fn join(&self, groups: &mut Groups, effects: &mut Effects) -> Result<MCMemberRecord, Status> {
        let (port, guid, join) = self.member()?;
        let asked = self.record.mgid();
        let mgid = match groups.get(asked) {
            Some(group) => {
                self.may_join(group, port, guid)?;
                asked
            }
            None => {
                let mgid = self.create(groups, port, join)?;
                effects.notices.push(Trap::GroupCreated(mgid));
                mgid
            }
        };
        let proxy = self.request.requester != port;
        let member = groups.join(mgid, guid, join, proxy).ok_or(sa_status::REQ_INVALID)?;
        let group = groups.get(mgid).ok_or(sa_status::REQ_INVALID)?;
        let mut record = describe(mgid, group);
        record.set_port_gid(self.record.port_gid());
        record.set_join_state(member.join.bits());
        record.set_proxy_join(self.record.proxy_join());
        Ok(record)
    }

    /// Whether the port fits a group that is there, and the group what the request says of it.
    fn may_join(&self, group: &Group, port: PortId, guid: Guid) -> Result<(), Status> {
        let params = &group.params;
        let others = !self.may_change(group, port, guid);
        let options = &self.served.view.settings.options;
        let agrees = !options.mcgroup_join_validation || self.agrees(params);
        let (mtu, rate) = self.can_do(port);
        let fits = params.mtu <= mtu && limits::rate_fits(params.rate, rate);
        match !others && agrees && fits && self.holds(port, params.pkey) {
            true => Ok(()),
            false => Err(sa_status::REQ_INVALID),
        }
    }

    /// Only the port itself changes what it is in a group, unless somebody else had joined for it.
    fn may_change(&self, group: &Group, port: PortId, guid: Guid) -> bool {
        self.request.requester == port || group.member(guid).is_none_or(|m| m.proxy)
    }

    /// Whether a port is in a partition, in any way.
    fn holds(&self, port: PortId, pkey: PKey) -> bool {
        let keys = self.served.index.partitions().keys(port);
        pkey.is_valid() && keys.iter().any(|k| k.base() == pkey.base())
    }

    /// The MTU and rate of a port, as codes.
    fn can_do(&self, port: PortId) -> (u8, u8) {
        let seen = &self.served.view.seen;
        let mtu = seen.port_info(port).map_or(0, |i| match i.neighbor_mtu() {
            0 => i.mtu_cap(),
            mtu => mtu.min(i.mtu_cap()),
        });
        (mtu, limits::port_rate(seen.fabric.port(port).rate))
    }

    fn wanted(&self, component: u64, selector: u8, value: u8) -> Option<Wanted> {
        let wanted = Wanted { selector: Selector(selector), value };
        self.request.has(component).then_some(wanted)
    }

    /// Whether the MTU and the rate that the request names are codes of such.
    fn asks_for_what_there_is(&self) -> bool {
        let (r, has) = (&self.record, |component| self.request.has(component));
        (!has(member_mask::MTU_SELECTOR | member_mask::MTU) || limits::is_mtu(r.mtu()))
            && (!has(member_mask::RATE_SELECTOR | member_mask::RATE) || limits::is_rate(r.rate()))
    }

    fn wanted_mtu(&self) -> Option<Wanted> {
        let r = &self.record;
        self.wanted(member_mask::MTU_SELECTOR, r.mtu_selector(), r.mtu())
    }

    fn wanted_rate(&self) -> Option<Wanted> {
        let r = &self.record;
        self.wanted(member_mask::RATE_SELECTOR, r.rate_selector(), r.rate())
    }

    /// Whether a group is what the request says that it should be, but for its packet life, which
    /// nobody looks at.
    fn agrees(&self, have: &Params) -> bool {
        let (r, has) = (&self.record, |component| self.request.has(component));
        (!has(member_mask::QKEY) || r.qkey() == have.qkey)
            && (!has(member_mask::PKEY) || PKey(r.pkey()).base() == have.pkey.base())
            && (!has(member_mask::TCLASS) || r.tclass() == have.tclass)
            && (!has(member_mask::SL) || r.sl() == have.sl.0)
            && (!has(member_mask::FLOW_LABEL) || r.flow_label() == have.flow_label)
            && (!has(member_mask::HOP_LIMIT) || r.hop_limit() == have.hop_limit)
            && self.wanted_mtu().is_none_or(|w| limits::number_meets(have.mtu, w))
            && self.wanted_rate().is_none_or(|w| limits::rate_meets(have.rate, w))
    }

    /// Makes the group that a port wants to join.
    fn create(&self, groups: &mut Groups, port: PortId, join: Join) -> Result<Gid, Status> {
        let (r, invalid) = (&self.record, sa_status::REQ_INVALID);
        if !join.is_full() {
            return Err(invalid);
        }
        if !self.request.has(TO_CREATE) {
            return Err(sa_status::INSUFFICIENT_COMPONENTS);
        }
        let options = &self.served.view.settings.options;
        let scope = if self.request.has(member_mask::SCOPE) { r.scope() } else { 2 };
        let asked = r.mgid();
        if asked != Gid::default() && !may_be_made(asked) {
            return Err(invalid);
        }
        let pkey = PKey(r.pkey());
        if !self.holds(port, pkey) {
            return Err(invalid);
        }
        let (mtu, rate) = self.can_do(port);
        let has = |component| self.request.has(component);
        // "Less than" and "exactly" want a value.
        let lacks = |selector, bits, value| {
            has(selector) && !has(value) && matches!(bits, Selector::LESS | Selector::EXACTLY)
        };
        if lacks(member_mask::MTU_SELECTOR, Selector(r.mtu_selector()), member_mask::MTU)
            || lacks(member_mask::RATE_SELECTOR, Selector(r.rate_selector()), member_mask::RATE)
        {
            return Err(invalid);
        }
        let params = Params {
            qkey: r.qkey(),
            mtu: limits::mtu(self.wanted_mtu(), mtu).ok_or(invalid)?,
            tclass: r.tclass(),
            pkey,
            rate: limits::rate(self.wanted_rate(), rate).ok_or(invalid)?,
            // As it stands in the request, whether or not the mask names it; so the hop limit and
            // the scope.
            life: r.life(),
            sl: Sl(r.sl()),
            flow_label: r.flow_label(),
            hop_limit: r.hop_limit(),
            scope: r.scope(),
            made_with: join,
            well_known: false,
        };
        if options.ipoib_mcgroup_creation_validation && !fits_broadcast(groups, asked, &params) {
            return Err(invalid);
        }
        let mgid = match asked == Gid::default() {
            true => groups.make_mgid(scope, options.subnet_prefix),
            false => asked,
        };
        let mlid = has(member_mask::MLID).then_some(Lid(r.mlid()));
        groups.create(mgid, params, mlid).ok_or(sa_status::NO_RESOURCES)?;
        Ok(mgid)
    }

    fn leave(&self, groups: &mut Groups, effects: &mut Effects) -> Result<MCMemberRecord, Status> {
        let (port, guid, join) = self.member()?;
        let mgid = self.record.mgid();
        let group = groups.get(mgid).filter(|g| self.may_change(g, port, guid));
        let scope = group.ok_or(sa_status::REQ_INVALID)?.params.scope;
        let left = groups.leave(mgid, guid, join).ok_or(sa_status::REQ_INVALID)?;
        if left.deleted {
            effects.notices.push(Trap::GroupDeleted(mgid));
        }
        // The answer is the request, with what the port still is.
        let mut record = self.record;
        exactly(&mut record);
        record.set_scope(scope);
        record.set_join_state(left.remains.bits());
        record.set_proxy_join(0);
        Ok(record)
    }

    /// Who is trusted sees each member, others each group of their partitions once.
    fn query(&self, groups: &Groups) -> Answer {
        let mut found = Records::none::<MCMemberRecord>();
        let has = |component| self.request.has(component);
        let asked = self.record.mgid();
        let one = has(member_mask::MGID);
        let single = groups.get(asked).filter(|_| one).map(|g| (asked, g));
        let all = groups.iter().filter(|_| !one);
        for (mgid, group) in single.into_iter().chain(all) {
            let params = &group.params;
            let wanted = self.holds(self.request.requester, params.pkey)
                && (!has(member_mask::MLID) || self.record.mlid() == group.mlid.0)
                && (!has(member_mask::SCOPE) || self.record.scope() == params.scope)
                && self.agrees(params);
            if wanted {
                self.push(mgid, group, &mut found);
            }
        }
        found.into()
    }

    fn push(&self, mgid: Gid, group: &Group, found: &mut Records) {
        let has = |component| self.request.has(component);
        let asked = self.record.port_gid().guid;
        let how =
            |join: Join| !has(member_mask::JOIN_STATE) || join.bits() == self.record.join_state();
        let one = has(member_mask::PORT_GID);
        if !self.request.trusted {
            let is_in = !one || group.member(asked).is_some();
            if is_in && how(group.params.made_with) {
                found.push(&describe(mgid, group));
            }
            return;
        }
        let single = group.member(asked).filter(|_| one).map(|m| (asked, m));
        let prefix = self.served.view.settings.options.subnet_prefix;
        for (guid, member) in single.into_iter().chain(group.members().filter(|_| !one)) {
            if how(member.join) {
                let mut record = describe(mgid, group);
                record.set_port_gid(Gid { prefix, guid });
                record.set_join_state(member.join.bits());
                record.set_proxy_join(u8::from(member.proxy));
                // The lowest bit of the byte is where OpenSM has it, and where saquery reads it.
                record.0[PROXY_JOIN_BYTE] |= u8::from(member.proxy);
                found.push(&record);
            }
        }
    }
}

/// A group as it is kept over restarts.
pub(super) fn kept(mgid: Gid, group: &Group, prefix: u64) -> sa_db::Group {
    let mut record = describe(mgid, group);
    record.set_join_state(group.params.made_with.bits());
    let member = |(guid, member): (Guid, &Member)| {
        let mut record = MCMemberRecord::default();
        record.set_port_gid(Gid { prefix, guid });
        record.set_scope(group.params.scope);
        record.set_join_state(member.join.bits());
        record.set_proxy_join(u8::from(member.proxy));
        record
    };
    let members = group.members().map(member).collect();
    sa_db::Group { well_known: group.params.well_known, record, members }
}

/// Takes a kept group in, without members that are gone. One that is there keeps what it is; one
/// that no partition asks for and that nobody keeps there is left out.
pub(super) fn restore(groups: &mut Groups, kept: &sa_db::Group, there: impl Fn(Guid) -> bool) {
    let r = &kept.record;
    let mgid = r.mgid();
    let members = kept
        .members
        .iter()
        .map(|m| (m.port_gid().guid, Join::new(m.join_state()), m.proxy_join() == 1));
    let members: Vec<_> = members.filter(|(g, j, _)| there(*g) && !j.is_none()).collect();
    if groups.get(mgid).is_none() {
        let lives = members.iter().any(|(_, join, _)| join.is_full());
        if !lives || mgid.prefix >> 56 != 0xFF {
            return;
        }
        let params = Params {
            qkey: r.qkey(),
            mtu: r.mtu(),
            tclass: r.tclass(),
            pkey: PKey(r.pkey()),
            rate: r.rate(),
            life: r.life(),
            sl: Sl(r.sl()),
            flow_label: r.flow_label(),
            hop_limit: r.hop_limit(),
            scope: r.scope(),
            made_with: Join::new(r.join_state()),
            well_known: false,
        };
        if groups.create(mgid, params, Some(Lid(r.mlid()))).is_none() {
            return;
        }
    }
    for (guid, join, proxy) in members {
        // The group was found or made above.
        let _ = groups.join(mgid, guid, join, proxy);
    }
}

/// What a group is; no member.
fn describe(mgid: Gid, group: &Group) -> MCMemberRecord {
    let p = &group.params;
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    record.set_mlid(group.mlid.0);
    record.set_qkey(p.qkey);
    record.set_mtu(p.mtu);
    record.set_tclass(p.tclass);
    record.set_pkey(p.pkey.0);
    record.set_rate(p.rate);
    record.set_life(p.life);
    record.set_sl(p.sl.0);
    record.set_flow_label(p.flow_label);
    record.set_hop_limit(p.hop_limit);
    record.set_scope(p.scope);
    exactly(&mut record);
    record
}

fn exactly(record: &mut MCMemberRecord) {
    record.set_mtu_selector(Selector::EXACTLY.0);
    record.set_rate_selector(Selector::EXACTLY.0);
    record.set_life_selector(Selector::EXACTLY.0);
}

/// Whether a group with this MGID may be made: a multicast GID that is permanent or transient
/// (IBA 4.1.1), and none of those that only the subnet administration gives out (0xA01B).
fn may_be_made(mgid: Gid) -> bool {
    let flags = mgid.prefix >> 52 & 0xF;
    mgid.prefix >> 56 == 0xFF && flags <= 1 && mgid.prefix >> 32 & 0xFFFF != 0xA01B
}

/// An IP group has to agree with the broadcast group of its partition and scope (RFC 4391 6).
fn fits_broadcast(groups: &Groups, mgid: Gid, params: &Params) -> bool {
    let broadcast = broadcast_of(mgid);
    if !is_ip(mgid) || broadcast == mgid {
        return true;
    }
    let Some(group) = groups.get(broadcast) else { return false };
    let b = &group.params;
    (b.qkey, b.tclass, b.sl, b.flow_label, b.pkey.base())
        == (params.qkey, params.tclass, params.sl, params.flow_label, params.pkey.base())
}

#[cfg(test)]
mod tests;
