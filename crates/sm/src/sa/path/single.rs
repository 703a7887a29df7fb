//! PathRecord (IBA 15.2.5.16).

use lk_fabric::PortId;
use lk_wire::sa::{PathRecord, Selector, path_mask, sa_status};
use lk_wire::{Gid, Lid, Rate, Status, method};

use super::choose::{Chosen, NoPath, choose};
use super::ends::{End, end, is_off_subnet, lids_of, router_to};
use super::lids::{LidRange, pairs};
use super::multicast;
use super::no_path::Refused;
use super::query::Wanted;
use crate::sa::request::{Records, Request};
use crate::sa::{Context, Effects};

/// The records that answer SubnAdmGet and SubnAdmGetTable.
///
/// # Errors
/// The status of a refusal.
pub(super) fn records(
    context: &Context<'_>,
    request: &Request<'_>,
    effects: &mut Effects,
) -> Result<Records, Status> {
    let asked: PathRecord = request.record();
    let wanted = Wanted::of_path(&asked, request.mask())?;
    let gid = |bit: u64, gid: Gid| request.has(bit).then_some(gid);
    let lid = |bit: u64, lid: u16| request.has(bit).then_some(Lid(lid));
    if is_multicast(request, &asked) {
        return Ok(multicast::path(context, request, &asked, &wanted));
    }
    let (sgid, dgid) = (gid(path_mask::SGID, asked.sgid()), gid(path_mask::DGID, asked.dgid()));
    let from = end(context, sgid, lid(path_mask::SLID, asked.slid()))?;
    let dlid = lid(path_mask::DLID, asked.dlid());
    let mut paths = Paths::new(context, &wanted, request);
    let off_subnet = dgid.filter(|g| is_off_subnet(context, *g));
    let to = match off_subnet {
        Some(gid) => beyond(context, gid, dlid)?,
        None => end(context, dgid, dlid)?,
    };
    paths.far = off_subnet.is_some();
    paths.between(from, to);
    paths.finish(effects)
}

/// Whether the destination is a group.
fn is_multicast(request: &Request<'_>, asked: &PathRecord) -> bool {
    (request.has(path_mask::DGID) && multicast::is_group(asked.dgid()))
        || (request.has(path_mask::DLID) && Lid(asked.dlid()).is_multicast())
}

/// The router that leads to another subnet.
fn beyond(context: &Context<'_>, gid: Gid, lid: Option<Lid>) -> Result<End, Status> {
    let Some(router) = router_to(context, gid) else { return Ok(End::Nobody) };
    if lid.is_some_and(|lid| context.index().port_by_lid(lid) != Some(router)) {
        return Err(sa_status::REQ_INVALID);
    }
    let lids = lid.map_or_else(|| lids_of(context, router), LidRange::one);
    Ok(End::Port { port: router, lids, gid: Some(gid) })
}

/// Pairs of ports that one query may look at: some 200 hosts with each other. A client that asks
/// for all paths of a large fabric would keep everybody else waiting.
const MOST_PAIRS: usize = 1 << 18;

/// Collects paths.
pub(super) struct Paths<'a> {
    context: &'a Context<'a>,
    wanted: &'a Wanted,
    requester: PortId,
    /// The most paths of one pair of ports.
    most: usize,
    /// Whether one path is enough.
    only_one: bool,
    /// How many pairs of ports may still be looked at; `None` once it was not enough.
    left: Option<usize>,
    /// Whether the destination is in another subnet.
    pub(super) far: bool,
    found: Records,
    /// The first pair without a path.
    refused: Option<Refused>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(context: &'a Context<'a>, wanted: &'a Wanted, request: &Request<'_>) -> Self {
        // A Get is answered by one path whatever NumbPath says, also 0.
        let only_one = request.method() == method::GET;
        Self {
            context,
            wanted,
            requester: request.requester,
            most: if only_one { 1 } else { wanted.numb_path.map_or(usize::MAX, usize::from) },
            only_one,
            left: Some(MOST_PAIRS),
            far: false,
            found: Records::none::<PathRecord>(),
            refused: None,
        }
    }

    fn is_full(&self) -> bool {
        self.left.is_none() || (self.only_one && !self.found.is_empty())
    }

    /// What was found; where that is nothing, `effects` gets the reason.
    ///
    /// # Errors
    /// It would be too much.
    pub(super) fn finish(self, effects: &mut Effects) -> Result<Records, Status> {
        effects.pairs += self.left.map_or(0, |left| MOST_PAIRS - left);
        if self.found.is_empty() {
            effects.no_path = self.refused;
        }
        self.left.map(|_| self.found).ok_or(sa_status::NO_RESOURCES)
    }

    /// All paths between two ends.
    pub(super) fn between(&mut self, from: End, to: End) {
        let partitions = self.context.index().partitions();
        let seen = |port: &&PortId| partitions.share(self.requester, **port);
        let all: Vec<PortId> = match (from, to) {
            (End::Any, _) | (_, End::Any) => {
                self.context.index().end_ports().iter().filter(seen).copied().collect()
            }
            _ => Vec::new(),
        };
        let any = |port: PortId| End::Port { port, lids: lids_of(self.context, port), gid: None };
        match (from, to) {
            (End::Nobody, _) | (_, End::Nobody) => {}
            // That it would be too much need not be found out by doing it.
            (End::Any, End::Any) if !self.only_one && all.len().pow(2) > MOST_PAIRS => {
                self.left = None;
            }
            (End::Any, End::Any) => {
                for to in &all {
                    for from in &all {
                        if self.is_full() {
                            return;
                        }
                        self.pair(any(*from), any(*to));
                    }
                }
            }
            (End::Any, to) => all.iter().for_each(|from| self.pair(any(*from), to)),
            (from, End::Any) => all.iter().for_each(|to| self.pair(from, any(*to))),
            (from, to) => self.pair(from, to),
        }
    }

    /// One path from each of two sources, each to another of two destinations: those two that
    /// have fewer hops together. They are meant to stand in for each other.
    pub(super) fn two_apart(&mut self, from: [End; 2], to: [End; 2]) {
        let hops = |a: End, b: End| {
            let (End::Port { port: a, lids: slids, .. }, End::Port { port: b, lids: dlids, .. }) =
                (a, b)
            else {
                return usize::MAX / 2;
            };
            let lids = (slids.first, dlids.first);
            choose(self.context, self.wanted, (a, b), lids).map_or(usize::MAX / 2, |c| c.hops)
        };
        let straight = hops(from[0], to[0]) + hops(from[1], to[1]);
        let crossed = hops(from[0], to[1]) + hops(from[1], to[0]);
        let order = if straight <= crossed { [0, 1] } else { [1, 0] };
        self.most = 1;
        for (from, to) in from.into_iter().zip(order.map(|at| to[at])) {
            self.pair(from, to);
        }
    }

    /// All paths between two ports.
    fn pair(&mut self, from: End, to: End) {
        let (End::Port { port: a, lids: slids, .. }, End::Port { port: b, lids: dlids, .. }) =
            (from, to)
        else {
            return;
        };
        let partitions = self.context.index().partitions();
        let visible = partitions.share(self.requester, a) && partitions.share(self.requester, b);
        if !visible || self.is_full() {
            return;
        }
        if !partitions.share(a, b) {
            let why = NoPath::Partition(None);
            self.refused.get_or_insert(Refused { from: a, to: b, back: false, why });
            return;
        }
        self.left = self.left.and_then(|left| left.checked_sub(1));
        let mut left = self.most;
        for (slid, dlid, preference) in pairs(slids, dlids) {
            if left == 0 || self.is_full() {
                return;
            }
            if let Some(mut record) = self.path((a, b), (slid, dlid)) {
                record.set_preference(preference);
                record.set_sgid(self.gid(from, a));
                record.set_dgid(self.gid(to, b));
                self.found.push(&record);
                left -= 1;
            }
        }
    }

    fn gid(&self, end: End, port: PortId) -> Gid {
        match end {
            End::Port { gid: Some(gid), .. } => gid,
            _ => self.context.served.gid(port),
        }
    }

    /// One path; `None` where there is none that satisfies the client.
    fn path(&mut self, ports: (PortId, PortId), lids: (Lid, Lid)) -> Option<PathRecord> {
        let (from, to) = ports;
        let refused = |back, why| Refused { from, to, back, why };
        let chosen = match choose(self.context, self.wanted, ports, lids) {
            Ok(chosen) => chosen,
            Err(why) => {
                self.refused.get_or_insert(refused(false, why));
                return None;
            }
        };
        let back = choose(self.context, self.wanted, (to, from), (lids.1, lids.0));
        let reversible = back.is_ok();
        if let Err(why) = back
            && self.wanted.reversible
        {
            self.refused.get_or_insert(refused(true, why));
            return None;
        }
        let mut record = record(self.context, &chosen, ports, lids, reversible);
        record.set_numb_path(0);
        if self.far {
            record.set_hop_limit(0xFF);
        }
        Some(record)
    }
}

/// A path as a record, without its GIDs.
pub(super) fn record(
    context: &Context<'_>,
    chosen: &Chosen,
    (from, to): (PortId, PortId),
    (slid, dlid): (Lid, Lid),
    reversible: bool,
) -> PathRecord {
    let mut record = PathRecord::default();
    record.set_slid(slid.0);
    record.set_dlid(dlid.0);
    record.set_reversible(u8::from(reversible));
    record.set_pkey(chosen.pkey.0);
    record.set_sl(chosen.sl.0);
    record.set_mtu_selector(Selector::EXACTLY.0);
    record.set_mtu(chosen.mtu.0);
    record.set_rate_selector(Selector::EXACTLY.0);
    record.set_rate(reported(context, chosen.rate, (from, to), reversible).0);
    record.set_life_selector(Selector::EXACTLY.0);
    record.set_life(chosen.life);
    record
}

/// The rate as a code that the ends understand and the site wants to hear.
fn reported(
    context: &Context<'_>,
    rate: Rate,
    (from, to): (PortId, PortId),
    reversible: bool,
) -> Rate {
    let options = &context.view().settings.options;
    let ports = &context.served.paths;
    let understood = ports.knows_new_rates(from) && (!reversible || ports.knows_new_rates(to));
    if options.use_original_extended_sa_rates_only || (rate.0 > 18 && !understood) {
        return rate.original();
    }
    rate.at_most_code(options.max_rate_enum)
}
