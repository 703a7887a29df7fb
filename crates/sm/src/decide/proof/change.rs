//! In which order tables may be written while packets are on their way.
//!
//! What is in force now is what was read: forwarding entries up to LinearFDBTop and SL2VL tables.
//! Links that are not active carry no data, so that tables on the way to them do not count. The
//! SLs of paths are those of the routes before until all is written, where this manager made them
//! for the same LIDs, and then also those of the routes that are wanted.

use std::sync::Arc;

use lk_fabric::{PortId, SwitchId};
use lk_routing::proof::change::{Change, Order, Why, order};
use lk_routing::proof::{AnyLanes, Forwarding, OneLane, PathSls, SlSet, Traffic};
use lk_routing::{GroupTree, Lfts, LidMap, RouteJob, RouteOptions, RouteSls, prove_all};
use lk_wire::{Lid, PortState};

use super::hosts::{BetweenHosts, hosts_only};
use super::lanes::EgressLanes;
use crate::decide::Desired;
use crate::observe::{Observed, Table};
use crate::plan::{NoOrder, Plan, WritingOrder};
use crate::verdict::Verdict;

/// Whether a link between switches carries data; asked at the end that sends.
fn is_live(seen: &Observed, port: PortId) -> bool {
    let is_switch = |p: PortId| seen.fabric.as_switch(seen.fabric.owner(p)).is_some();
    let active = |p: PortId| seen.state(p) == PortState::ACTIVE && is_switch(p);
    active(port) && seen.fabric.peer(port).is_some_and(active)
}

/// Whether a plan writes SL2VL tables that packets between switches go by now.
fn changes_lanes(plan: &Plan, seen: &Observed) -> bool {
    let of_table = plan.tables.iter().any(|run| match run.table {
        Table::Sl2vl(port) => is_live(seen, port),
        _ => false,
    });
    let of_switch = |switch: SwitchId| {
        let node = seen.fabric.switch_node(switch);
        seen.fabric.external_ports(node).any(|port| is_live(seen, port))
    };
    of_table || plan.wildcards.iter().any(|(switch, _)| of_switch(*switch))
}

/// Whether a plan writes tables that packets between switches go by now, so that the order in
/// which it does so has to be worked out.
pub(crate) fn concerns_traffic(plan: &Plan, seen: &Observed) -> bool {
    let forwards = |switch: SwitchId| {
        let node = seen.fabric.switch_node(switch);
        seen.fabric.external_ports(node).any(|port| is_live(seen, port))
    };
    let of_table = plan.tables.iter().any(|run| match run.table {
        Table::Lft(switch) => forwards(switch),
        _ => false,
    });
    of_table || changes_lanes(plan, seen)
}

/// Works out the order.
pub(crate) fn writing_order(
    plan: &Plan,
    seen: &Observed,
    desired: &Desired,
    before: Option<&Desired>,
) -> WritingOrder {
    let Some(routes) = &desired.routes else { return Order::Nothing };
    let verdict = desired.verdict.as_ref();
    if let Some(order) = known_order(plan, seen, desired, before) {
        return order;
    }
    let (old, new) = held(seen, &routes.lfts);
    if verdict.is_some_and(|verdict| !verdict.deadlock_free) {
        return Order::Unsafe(NoOrder::Tables(Why::New));
    }
    let fabric = &seen.fabric;
    let tables = (!desired.qos.is_empty()).then(|| {
        let old = EgressLanes::of(fabric, |port, ingress| seen.tables.sl2vl(port, ingress));
        (old, EgressLanes::new(fabric, &desired.qos))
    });
    let lanes = match &tables {
        Some((old, new)) => [AnyLanes(old), AnyLanes(new)],
        None => [AnyLanes(&OneLane), AnyLanes(&OneLane)],
    };
    let earlier = before.filter(|before| before.lids == desired.lids);
    let earlier = earlier.and_then(|before| Some((before, before.routes.as_ref()?)));
    let new_sls = routes.proof_sls(&desired.lids, Verdict::levels(routes));
    let old_sls = earlier.map(|(before, old)| old.proof_sls(&before.lids, Verdict::levels(old)));
    let question = Question {
        seen,
        old: &old,
        new: &new,
        trees: &desired.multicast.trees,
        lanes_count: tables.is_some(),
        lanes_change: tables.is_some() && changes_lanes(plan, seen),
        new_sls,
        old_sls,
    };
    let of_old = |why: &NoOrder| !matches!(why, NoOrder::Tables(Why::New | Why::Lanes));
    let needs_switches = |verdict: &Verdict| !verdict.switch_circle.is_empty();
    if !verdict.is_some_and(needs_switches) {
        let order = question.order(&desired.lids, lanes);
        if !matches!(&order, Order::Unsafe(why) if of_old(why)) {
            return order;
        }
    }
    // Where old or new tables are safe for traffic between adapters only, that alone can stay so.
    let wrapped = [BetweenHosts(&lanes[0]), BetweenHosts(&lanes[1])];
    let wrapped = [AnyLanes(&wrapped[0]), AnyLanes(&wrapped[1])];
    question.order(&hosts_only(fabric, &desired.lids), wrapped)
}

/// What the order depends on, but for whose packets are looked at.
struct Question<'a> {
    seen: &'a Observed,
    old: &'a Lfts,
    new: &'a Lfts,
    trees: &'a [GroupTree],
    /// Whether there are SL2VL tables.
    lanes_count: bool,
    /// Whether some of them change that carry data.
    lanes_change: bool,
    new_sls: RouteSls<'a>,
    /// Those of the routes before, where they are known.
    old_sls: Option<RouteSls<'a>>,
}

impl<'a> Question<'a> {
    /// The order for packets to some LIDs. Until all is written they have the SLs of before; then
    /// those of both.
    fn order(&self, lids: &LidMap, lanes: [AnyLanes<'_>; 2]) -> WritingOrder {
        let Self { new_sls, old_sls, .. } = *self;
        let both = Sls { new: Some(new_sls), old: old_sls };
        match self.ordered(lids, lanes, &both) {
            Order::Unsafe(Why::Old) if old_sls.is_none() && self.lanes_count => {
                Order::Unsafe(NoOrder::UnknownSls)
            }
            Order::Unsafe(_) if old_sls.is_some() => {
                match self.ordered(lids, lanes, &Sls { new: None, old: old_sls }) {
                    Order::Unsafe(Why::New) => Order::Unsafe(NoOrder::KeptSls),
                    order @ Order::Unsafe(_) => order.map_why(NoOrder::Tables),
                    _ if !self.new_bears(lids, lanes[1], &both) => Order::Unsafe(NoOrder::KeptSls),
                    order => order.map_why(NoOrder::Tables),
                }
            }
            order => order.map_why(NoOrder::Tables),
        }
    }

    /// The order where packets have these SLs all the time.
    fn ordered(
        &self,
        lids: &LidMap,
        [old_lanes, new_lanes]: [AnyLanes<'_>; 2],
        sls: &Sls<'a>,
    ) -> Order {
        let fabric = &self.seen.fabric;
        order(&Change {
            fabric,
            lids,
            old: self.old,
            new: self.new,
            old_lanes,
            new_lanes,
            lanes_change: self.lanes_change,
            sls,
            trees: self.trees,
            live: &|switch, port| {
                let port = fabric.port_at(fabric.switch_node(switch), port);
                port.is_some_and(|port| is_live(self.seen, port))
            },
        })
    }

    /// Whether packets with these SLs cannot deadlock on the new tables.
    fn new_bears(&self, lids: &LidMap, lanes: AnyLanes<'_>, sls: &Sls<'a>) -> bool {
        let fabric = &self.seen.fabric;
        let tables = Forwarding { fabric, lids, lfts: self.new, trees: self.trees };
        prove_all(&tables, &lanes, sls, Traffic::EndPorts).deadlock_free()
    }
}

/// The order by what is known of the routes before and of those that are wanted, where all links
/// between switches carry data.
fn known_order(
    plan: &Plan,
    seen: &Observed,
    desired: &Desired,
    before: Option<&Desired>,
) -> Option<WritingOrder> {
    let new = desired.ledger.as_deref()?;
    let old = before?.ledger.as_deref()?;
    let fabric = &seen.fabric;
    let is_switch = |p: &PortId| fabric.as_switch(fabric.owner(*p)).is_some();
    let mut between = fabric.links().filter(|(a, b)| is_switch(a) && is_switch(b));
    let known = between.all(|(a, _)| is_live(seen, a))
        && !changes_lanes(plan, seen)
        && seen.holds(old.lfts());
    if !known {
        return None;
    }
    let options = RouteOptions::default();
    let job = RouteJob { fabric, lids: &desired.lids, options: &options, previous: None };
    let order = new.order_after(&job, old, &desired.multicast.trees)?;
    Some(order.map_why(NoOrder::Tables))
}

/// The entries in force, and the wanted ones in rows of the same length.
fn held(seen: &Observed, new: &Lfts) -> (Lfts, Lfts) {
    let tops = seen.fabric.switch_ids().filter_map(|s| seen.switch_info(s));
    let top = tops.map(|info| info.linear_fdb_top()).max().unwrap_or(0).max(new.top.0);
    let top = Lid(top.min(Lid::MAX_UNICAST.0));
    let row = |switch: SwitchId| -> Arc<[u8]> {
        let mut row = vec![Lfts::NO_PATH; Lfts::row_len(top)];
        let last = seen.switch_info(switch).map_or(0, |info| info.linear_fdb_top());
        let (bytes, known) = seen.tables.lft(switch);
        let in_force = usize::from(last.min(top.0)) + 1;
        for (lid, (entry, byte)) in row.iter_mut().zip(bytes).enumerate().take(in_force) {
            if known.contains((lid / Lfts::BLOCK) as u16) {
                *entry = *byte;
            }
        }
        row.into()
    };
    let longer = |row: &Arc<[u8]>| -> Arc<[u8]> {
        let mut row = row.to_vec();
        row.resize(Lfts::row_len(top), Lfts::NO_PATH);
        row.into()
    };
    let old = Lfts { top, rows: seen.fabric.switch_ids().map(row).collect() };
    (old, Lfts { top, rows: new.rows.iter().map(longer).collect() })
}

/// The SLs of paths by the routes before, by those that are wanted, or by both.
#[derive(Clone, Copy)]
struct Sls<'a> {
    new: Option<RouteSls<'a>>,
    old: Option<RouteSls<'a>>,
}

impl<'a> Sls<'a> {
    fn each(&self) -> impl Iterator<Item = RouteSls<'a>> {
        self.new.into_iter().chain(self.old)
    }
}

impl PathSls for Sls<'_> {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        self.each().fold(SlSet::EMPTY, |all, sls| all.and(sls.sls(from, to)))
    }

    fn all(&self) -> SlSet {
        self.each().fold(SlSet::EMPTY, |all, sls| all.and(sls.all()))
    }

    fn alike(&self, one: Lid, other: Lid) -> bool {
        self.each().all(|sls| sls.alike(one, other))
    }
}
