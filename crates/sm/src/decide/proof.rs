//! The verdict on a routing: whether everything is reached and nothing can deadlock, in words and
//! figures that a person can follow with a finger on the cables.
//!
//! [`Verdict::of`] runs [`lk_routing::check()`] and [`lk_routing::prove`] and puts names to what
//! they find. It is used before a sweep is applied, in a plan, and for tables from files. `lanes`
//! says which lanes the desired tables give; `hosts` tells traffic between adapters from that with
//! switches; `witness` finds whose traffic makes a circle.

mod hosts;
mod lanes;
mod witness;

use std::fmt;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::check::{Check, check};
use lk_routing::proof::{Lanes, OneLane, PathSls, SlSet, Wait};
use lk_routing::{End, Lfts, LidMap, Routes, SlPlan};
use lk_wire::{PortNum, Sl};
use serde::Serialize;

use super::QosTables;
use crate::event::Event;
use hosts::{BetweenHosts, Proofs};
use lanes::EgressLanes;

/// How many LIDs that are not reached, and how many forwarding loops, are named.
const NAMED: usize = 10;

/// Unicast forwarding as it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Forwarding<'a> {
    /// The graph.
    pub fabric: &'a Fabric,
    /// Who answers to which LID.
    pub lids: &'a LidMap,
    /// The tables.
    pub lfts: &'a Lfts,
}

/// What is to be said of a routing. The JSON form of this is stable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verdict {
    /// Whether no packet between adapters or routers can wait for ever: no credit loop and no
    /// forwarding loop.
    pub deadlock_free: bool,
    /// Whether each end port reaches each LID of every other end port.
    pub all_reached: bool,
    /// The longest way, in hops between switches.
    pub max_hops: u16,
    /// The SLs of the traffic that was judged.
    pub sls: Vec<u8>,
    /// The lanes (VLs) that this traffic can be on between switches.
    pub lanes: Vec<u8>,
    /// Links between switches, by direction and lane, on which packets wait or are waited for.
    pub channels: u64,
    /// Pairs of these of which a packet can hold the first and wait for the second.
    pub waits: u64,
    /// A shortest credit loop; empty if there is none.
    pub circle: Vec<Step>,
    /// A shortest credit loop that is there only if adapters send to switches on data lanes too, or
    /// switches to them, as perfquery does from every host at a time; empty if there is none, or
    /// one without that.
    pub switch_circle: Vec<Step>,
    /// LIDs for which the tables go round, and the first few of them.
    pub forwarding_loops: Named<Round>,
    /// LIDs that some end port does not reach, and the first few of them.
    pub unreached: Named<Lost>,
    /// SLs of this traffic that the SL2VL table of some switch drops (VL 15).
    pub dropped_sls: Vec<u8>,
    /// What becomes of it if programs send with any SL, without asking the SA.
    pub any_sl: AnySl,
}

/// What there is in all, and the first few with their names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Named<T> {
    /// How many LIDs.
    pub lids: usize,
    /// The first of them, at most ten.
    pub first: Vec<T>,
}

/// A packet of a credit loop: it holds a link and waits for that of the next one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// The sending end of the link, as `node/port`.
    pub from: String,
    /// Its node's GUID, as in `0x…`.
    pub from_guid: String,
    /// Its port's number.
    pub from_port: u8,
    /// The receiving end of the link.
    pub to: String,
    /// The lane.
    pub vl: u8,
    /// The SL of the packet.
    pub sl: u8,
    /// The port that sends such packets.
    pub source: String,
    /// The port that they go to.
    pub destination: String,
    /// The LID that they go to.
    pub lid: u16,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, vl, sl, source, destination, lid, .. } = self;
        write!(f, "{from} -> {to} on VL {vl}: {source} to {destination}, LID {lid}, SL {sl}")
    }
}

/// A forwarding loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Round {
    /// The LID.
    pub lid: u16,
    /// The switches of the loop, in the order in which a packet meets them.
    pub switches: Vec<String>,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LID {} goes round through {}", self.lid, self.switches.join(", "))
    }
}

/// A LID that is not reached from everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lost {
    /// The LID.
    pub lid: u16,
    /// The port that has it.
    pub port: String,
    /// From how many switches it is not reached.
    pub from_switches: u32,
    /// The first of these.
    pub first_switch: String,
    /// What becomes of a packet from there.
    pub why: &'static str,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lid, port, from_switches, first_switch, why } = self;
        let s = if *from_switches == 1 { "switch" } else { "switches" };
        write!(
            f,
            "LID {lid} ({port}) is not reached from {from_switches} {s}, the first of them \
             {first_switch}: the packet {why}"
        )
    }
}

/// The verdict on traffic with any SL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnySl {
    /// No credit loop with any SL.
    Free,
    /// Some SL, or some together, can make a credit loop.
    Loop,
    /// SL2VL tables are not known, so nobody can say.
    Unknown,
}

impl Verdict {
    /// Judges the traffic of end ports.
    #[must_use]
    pub fn of<L: Lanes, S: PathSls>(tables: &Forwarding<'_>, lanes: &L, sls: &S) -> Self {
        let Forwarding { fabric, lids, lfts } = *tables;
        let check = check(fabric, lids, lfts);
        let Proofs { proof, free, switch_circle } = Proofs::new(tables, lanes, sls);
        let dropped = lanes::dropped(fabric, lanes, sls.all());
        let circle = proof.circle.as_deref().unwrap_or_default();
        Self {
            deadlock_free: free,
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
            dropped_sls: numbers(dropped),
            any_sl: AnySl::Unknown,
        }
    }

    /// Whether no packet between adapters or routers can wait for ever: [`Self::of`] without the
    /// names.
    #[must_use]
    pub fn is_free<L: Lanes, S: PathSls>(tables: &Forwarding<'_>, lanes: &L, sls: &S) -> bool {
        Proofs::new(tables, lanes, sls).free
    }

    /// The verdict on routes with the SL2VL tables that the ports will hold.
    ///
    /// Without QoS nobody programs these tables. Then all traffic is taken to share one lane,
    /// which is the worst case.
    pub(super) fn of_desired(
        fabric: &Fabric,
        lids: &LidMap,
        routes: &Routes,
        qos: &QosTables,
    ) -> Self {
        let tables = Forwarding { fabric, lids, lfts: &routes.lfts };
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

    /// The verdict on routes with the SL2VL tables that their engine asks for, or one lane where
    /// it asks for none.
    #[must_use]
    pub fn of_routes(fabric: &Fabric, lids: &LidMap, routes: &Routes) -> Self {
        let tables = Forwarding { fabric, lids, lfts: &routes.lfts };
        let sls = routes.proof_sls(lids, Self::levels(routes));
        Self::of(&tables, &routes.proof_lanes(fabric, &OneLane), &sls)
    }

    /// The SLs that are asked for: 0, and where the engine decides by path within two levels of
    /// QoS (SL 0 to 7, 8 to 15), one of each.
    #[must_use]
    pub const fn levels(routes: &Routes) -> SlSet {
        match routes.sl {
            SlPlan::PerPair(_) => SlSet::one(Sl(0)).with(Sl(8)),
            SlPlan::Any | SlPlan::Constant(_) => SlSet::one(Sl(0)),
        }
    }

    /// Whether there is nothing to complain of.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.deadlock_free && self.all_reached && self.dropped_sls.is_empty()
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
        if !self.circle.is_empty() {
            events.push(Event::CreditLoop { engine, circle: self.circle.clone() });
        } else if self.deadlock_free {
            events.push(Event::Proved { waits: self.waits, lanes: self.lanes.len() });
        }
        events
    }

    /// The verdict as lines for a person.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        let lanes = match self.lanes.as_slice() {
            [] => String::new(),
            [one] => format!(" on VL {one}"),
            [first, .., last] => format!(" on {} lanes, VL {first} to {last}", self.lanes.len()),
        };
        if self.circle.is_empty() {
            lines.push(format!("no credit loop: {} waits{lanes} close no circle", self.waits));
        } else {
            let n = self.circle.len();
            lines.push(format!(
                "CREDIT LOOP of {n} links: each packet holds its link and waits for the next one"
            ));
            lines.extend(self.circle.iter().map(|step| format!("  {step}")));
        }
        if !self.switch_circle.is_empty() {
            lines.push(
                "a credit loop is possible if adapters and switches send to each other as well:"
                    .into(),
            );
            lines.extend(self.switch_circle.iter().map(|step| format!("  {step}")));
        }
        lines.push(if self.all_reached {
            format!("every end port reaches every other, in at most {} hops", self.max_hops)
        } else {
            format!("NOT REACHED by some end port: {} LIDs", self.unreached.lids)
        });
        lines.extend(named(&self.unreached));
        if self.forwarding_loops.lids > 0 {
            lines.push(format!("FORWARDING LOOPS for {} LIDs", self.forwarding_loops.lids));
            lines.extend(named(&self.forwarding_loops));
        }
        if !self.dropped_sls.is_empty() {
            lines.push(format!("DROPPED by some switch (VL 15): SL {}", list(&self.dropped_sls)));
        }
        match (self.any_sl, self.deadlock_free) {
            (AnySl::Free, _) => lines.push("the same holds for programs that use any SL".into()),
            (AnySl::Loop, true) => {
                lines.push("a credit loop is possible if programs choose SLs themselves".into());
            }
            (AnySl::Loop | AnySl::Unknown, _) => {}
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }
}

/// Some of the LIDs, and how many more there are.
fn named<T: fmt::Display>(all: &Named<T>) -> Vec<String> {
    let mut lines: Vec<String> = all.first.iter().map(|one| format!("  {one}")).collect();
    if all.lids > all.first.len() {
        lines.push(format!("  and {} more", all.lids - all.first.len()));
    }
    lines
}

/// Numbers with commas between them.
fn list(numbers: &[u8]) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
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
                destination: name(lids.port(held.lid)),
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
