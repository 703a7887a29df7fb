//! The verdict on a routing: whether everything is reached and nothing can deadlock, in words and
//! figures that a person can follow with a finger on the cables.
//!
//! [`Verdict::of`] runs [`lk_routing::check()`] and [`lk_routing::prove`] and puts names to what
//! they find. It is used before a sweep is applied, in a plan, and for tables from files. `lanes`
//! says which lanes the desired tables give; `hosts` tells traffic between adapters from that with
//! switches; `witness` finds whose traffic makes a circle; `change` asks in
//! which order tables may be written. `ledger` judges by what is known of the routes.

mod change;
mod hosts;
mod lanes;
pub(super) mod ledger;
mod witness;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::check::{Check, check};
use lk_routing::proof::{LaneMap, Lanes, OneLane, PathSls, SlSet, Wait};
use lk_routing::{Decline, End, GroupTree, LidMap, Routes, SlPlan};
use lk_wire::{PortNum, Sl};

use super::QosTables;
use crate::event::Event;
use crate::verdict::{AnySl, Lost, Named, Round, Step, Verdict};
pub(crate) use change::{concerns_traffic, writing_order};
use hosts::{BetweenHosts, Proofs};
use lanes::EgressLanes;

/// How many LIDs that are not reached, and how many forwarding loops, are named.
const NAMED: usize = 10;

pub use lk_routing::proof::Forwarding;

impl Verdict {
    /// Judges the traffic of end ports.
    #[must_use]
    pub fn of<L: Lanes, S: PathSls>(tables: &Forwarding<'_>, lanes: &L, sls: &S) -> Self {
        let Forwarding { fabric, lids, lfts, trees } = *tables;
        let check = check(fabric, lids, lfts);
        let Proofs { proof, free, switch_circle } = Proofs::new(tables, lanes, sls);
        let circle = proof.circle.as_deref().unwrap_or_default();
        Self {
            deadlock_free: free,
            groups: trees.len(),
            all_reached: check.end_ports_connected(),
            max_hops: check.max_hops,
            sls: numbers(sls.all()),
            lanes: proof.vls.iter().map(|vl| vl.0).collect(),
            channels: proof.channels,
            waits: proof.waits,
            circle: steps(tables, &BetweenHosts(lanes), sls, circle),
            switch_circle: steps(tables, lanes, sls, &switch_circle),
            forwarding_loops: rounds(fabric, &check),
            unreached: lost(fabric, lids, &check),
            dropped_sls: numbers(proof.dropped),
            any_sl: AnySl::Unknown,
        }
    }

    /// Whether no packet between adapters or routers can wait for ever: [`Self::of`] without the
    /// names.
    #[must_use]
    pub fn is_free<L: Lanes, S: PathSls>(tables: &Forwarding<'_>, lanes: &L, sls: &S) -> bool {
        Proofs::new(tables, lanes, sls).free
    }

    /// The verdict on routes, and on the trees of multicast groups, with the SL2VL tables that the
    /// ports will hold.
    ///
    /// Without QoS nobody programs these tables. Then all traffic is taken to share one lane,
    /// which is the worst case.
    pub(super) fn of_desired(
        fabric: &Fabric,
        lids: &LidMap,
        routes: &Routes,
        trees: &[GroupTree],
        qos: &QosTables,
    ) -> Self {
        let tables = Forwarding { fabric, lids, lfts: &routes.lfts, trees };
        let sls = routes.proof_sls(lids, Self::levels(routes));
        if qos.is_empty() {
            return Self::of(&tables, &OneLane, &sls);
        }
        let lanes = EgressLanes::new(fabric, qos);
        let mut verdict = Self::of(&tables, &lanes, &sls);
        let one_lane_each = lanes.keep_to_one_lane() && verdict.dropped_sls.is_empty();
        let free = if one_lane_each && verdict.sls.len() == 1 {
            // Each SL stays on one lane, and there makes the edges that this one makes.
            verdict.deadlock_free
        } else {
            Self::is_free(&tables, &lanes, &SlSet::ALL)
        };
        verdict.any_sl = if free { AnySl::Free } else { AnySl::Loop };
        verdict
    }

    /// The verdict on routes with the SL2VL tables that their engine asks for, or `configured`
    /// where it asks for none.
    #[must_use]
    pub fn of_routes(
        fabric: &Fabric,
        lids: &LidMap,
        routes: &Routes,
        configured: &LaneMap,
    ) -> Self {
        let tables = Forwarding { fabric, lids, lfts: &routes.lfts, trees: &[] };
        let sls = routes.proof_sls(lids, Self::levels(routes));
        Self::of(&tables, &routes.proof_lanes(fabric, configured), &sls)
    }

    /// The SLs that are asked for: 0, and where the engine decides by path within two levels of
    /// QoS (SL 0 to 7, 8 to 15), one of each.
    #[must_use]
    pub const fn levels(routes: &Routes) -> SlSet {
        match routes.sl {
            SlPlan::PerPair(_) => SlSet::one(Sl(0)).with(Sl(8)),
            SlPlan::Any | SlPlan::Constant(_) | SlPlan::PerPath(_) => SlSet::one(Sl(0)),
        }
    }

    /// What a log has to hold of it.
    pub(super) fn events(&self, engine: &'static str) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(first) = self.forwarding_loops.first.first() {
            let lids = self.forwarding_loops.lids;
            events.push(Event::ForwardingLoops { engine, lids, first: first.clone() });
        }
        if let Some(first) = self.unreached.first.first() {
            let lids = self.unreached.lids;
            events.push(Event::NotReached { engine, lids, first: first.clone() });
        }
        let proved = Event::Proved { waits: self.waits, lanes: self.lanes.len() };
        events.extend(self.credit_loop(engine).or(self.deadlock_free.then_some(proved)));
        events
    }

    /// Why the routes of this engine may not be used where `require_loop_free` is set; nothing if
    /// they may.
    #[must_use]
    pub fn refusal(&self, engine: &'static str) -> Option<Decline> {
        let what = match self.circle.as_slice() {
            [] => "packets could go round until their lifetime ends".to_owned(),
            circle @ [first, ..] => format!(
                "packets could wait for each other in a circle of {} links, one from {} \
                 to {}",
                circle.len(),
                first.from,
                first.to
            ),
        };
        let reason = format!("{what}, and require_loop_free is set");
        (!self.deadlock_free).then_some(Decline { engine, reason })
    }

    /// What a log has to hold of a circle in which packets can wait for ever.
    pub(super) fn credit_loop(&self, engine: &'static str) -> Option<Event> {
        let circle = || Event::CreditLoop { engine, circle: self.circle.clone() };
        (!self.circle.is_empty()).then(circle)
    }
}

fn numbers(sls: SlSet) -> Vec<u8> {
    sls.iter().map(|sl| sl.0).collect()
}

/// The name of a switch's port, and of the port at the other end of its cable.
fn link(fabric: &Fabric, switch: SwitchId, port: PortNum) -> (String, String) {
    let at = fabric.port_at(fabric.switch_node(switch), port);
    let far = at.and_then(|at| fabric.peer(at));
    let name = |port: Option<PortId>| port.map(|p| fabric.port_name(p)).unwrap_or_default();
    (name(at), name(far))
}

fn steps<L: Lanes, S: PathSls>(
    tables: &Forwarding<'_>,
    lanes: &L,
    sls: &S,
    circle: &[Wait],
) -> Vec<Step> {
    let Forwarding { fabric, lids, .. } = *tables;
    let waits = circle.iter().zip(circle.iter().cycle().skip(1));
    waits
        .map(|(held, next)| {
            let (from, to) = link(fabric, held.switch, held.port);
            let source = witness::source(tables, lanes, sls, held, next);
            let name = |port: Option<PortId>| port.map(|p| fabric.port_name(p)).unwrap_or_default();
            Step {
                from,
                from_guid: fabric.node(fabric.switch_node(held.switch)).guid.to_string(),
                from_port: held.port.0,
                to,
                vl: held.vl.0,
                sl: held.sl.0,
                source: name(source),
                destination: if held.lid.is_multicast() {
                    format!("the group of {:#06x}", held.lid.0)
                } else {
                    name(lids.port(held.lid))
                },
                lid: held.lid.0,
            }
        })
        .collect()
}

fn switch_name(fabric: &Fabric, switch: SwitchId) -> String {
    fabric.node(fabric.switch_node(switch)).description.clone()
}

fn rounds(fabric: &Fabric, check: &Check) -> Named<Round> {
    let round = |circle: &lk_routing::check::Circle| Round {
        lid: circle.lid.0,
        switches: circle.switches.iter().map(|s| switch_name(fabric, *s)).collect(),
    };
    Named { lids: check.loops.len(), first: check.loops.iter().take(NAMED).map(round).collect() }
}

/// The LIDs of end ports that are not reached by end ports: what happens between switches alone
/// concerns nobody.
fn lost(fabric: &Fabric, lids: &LidMap, check: &Check) -> Named<Lost> {
    let missed = || check.unreached.iter().filter(|u| !u.of_switch && u.from_leaves > 0);
    let lost = |u: &lk_routing::check::Unreached| Lost {
        lid: u.lid.0,
        port: lids.port(u.lid).map(|p| fabric.port_name(p)).unwrap_or_default(),
        from_switches: u.from,
        first_switch: switch_name(fabric, u.first),
        why: fate(u.end),
    };
    Named { lids: missed().count(), first: missed().take(NAMED).map(lost).collect() }
}

const fn fate(end: End) -> &'static str {
    match end {
        End::Delivered(_) => "arrives",
        End::NoEntry => "comes to a switch that has no entry for it",
        End::DeadPort => "is sent to a port that leads nowhere",
        End::Stranger => "arrives at another port",
        End::Loop => "goes round until its lifetime ends",
    }
}

#[cfg(test)]
mod tests;
