//! Proves that tables cannot deadlock, or shows how they can.
//!
//! A packet that holds the buffer of one link waits for that of the next. A *channel* is a
//! directed link between switches together with a lane (VL). If some packet may hold channel `a`
//! and wait for `b`, there is an edge from `a` to `b`. If these edges close no circle, the routing
//! cannot deadlock (Dally and Seitz); if they do, it can. End ports take packets in without
//! waiting, so their links are left out.
//!
//! What is proved is exact for the given tables, SL2VL tables and path SLs, where all end ports of
//! a switch send with the SLs of any of them ([`PathSls`] knows the switch only). It covers every
//! LID of the map, LMC included; [`Traffic`] says from where. Packets to multicast groups make
//! edges in the same graph ([`multicast`]).
//!
//! The work goes by destination, not by pair: for one LID the tables form a tree, and each link of
//! the tree is visited once with the set of SLs that arrives on each lane.
//! [`mod@lanes`] says what is asked of SL2VL tables and path SLs; `waits` keeps the edges; `trace`
//! finds those of one LID; `circle` looks for a circle. [`change`] asks the same while tables are
//! written.

pub mod change;
pub mod lanes;
pub mod multicast;

mod circle;
mod trace;
mod waits;
mod witness;

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum, Sl, Vl};
use rayon::prelude::*;

pub use lanes::{AnyLanes, LaneMap, Lanes, OneLane, PathSls, SlSet};
pub use multicast::GroupTree;

use crate::alike;
use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};
use lanes::VlSet;
use multicast::Flood;
use trace::Tracer;
use waits::Waits;

/// Which packets the proof looks at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Traffic {
    /// Those from or to an end port of an adapter or router, or both: between hosts, and between
    /// hosts and switches. Nothing else is sent on data lanes in a fabric at work.
    #[default]
    EndPorts,
    /// Those from one switch to another as well. Shortest paths between the spines of a tree lead
    /// down and up again, so this fails for minhop where [`Traffic::EndPorts`] does not.
    All,
}

/// What the proof found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The lanes that packets of the path SLs can be on, ascending.
    pub vls: Vec<Vl>,
    /// Channels that a packet can hold while it waits for another, or be waited for.
    pub channels: u64,
    /// Pairs of channels of which a packet can hold the first and wait for the second.
    pub waits: u64,
    /// A shortest circle of waiting packets, if there is any.
    pub circle: Option<Vec<Wait>>,
    /// SLs of packets from an end port that are dropped on their way: by an SL2VL table that maps
    /// their SL to VL 15 (IBA 7.6.6).
    pub dropped: SlSet,
    /// LIDs for which the tables go round in a loop, ascending. Such packets never arrive, and
    /// the proof does not hold for them.
    pub loops: Vec<Lid>,
}

/// One packet of a circle: it holds a channel and waits for that of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The switch that sent the packet on the link it holds.
    pub switch: SwitchId,
    /// The port of that switch.
    pub port: PortNum,
    /// The lane.
    pub vl: Vl,
    /// A LID to which such packets go: the lowest; that of a multicast group only where no other
    /// packets do this.
    pub lid: Lid,
    /// An SL that such packets have: the lowest for that LID.
    pub sl: Sl,
}

impl Proof {
    /// Whether nothing can deadlock.
    #[must_use]
    pub fn deadlock_free(&self) -> bool {
        self.circle.is_none() && self.loops.is_empty()
    }
}

/// The tables that are judged.
#[derive(Clone, Copy, Debug)]
pub struct Forwarding<'a> {
    /// The graph.
    pub fabric: &'a Fabric,
    /// Who answers to which LID.
    pub lids: &'a LidMap,
    /// The linear forwarding tables.
    pub lfts: &'a Lfts,
    /// The multicast forwarding tables, by LID.
    pub trees: &'a [GroupTree],
}

/// Passes that one thread makes with the same room.
const PASSES: usize = 16;

/// Looks for circles of waiting packets, unicast alone.
#[must_use]
pub fn prove<L: Lanes, S: PathSls>(
    fabric: &Fabric,
    lids: &LidMap,
    lfts: &Lfts,
    lanes: &L,
    sls: &S,
    traffic: Traffic,
) -> Proof {
    prove_all(&Forwarding { fabric, lids, lfts, trees: &[] }, lanes, sls, traffic)
}

/// Looks for circles of waiting packets, unicast and multicast together.
#[must_use]
pub fn prove_all<L: Lanes, S: PathSls>(
    tables: &Forwarding<'_>,
    lanes: &L,
    sls: &S,
    traffic: Traffic,
) -> Proof {
    let Forwarding { fabric, lids, lfts, trees } = *tables;
    let graph = &Graph::new(fabric);
    let every = SlSet(sls.all().0 | multicast::all_sls(trees).0);
    let vls = used_lanes(fabric, graph, lanes, every);
    let waits = &Waits::new(graph, vls.len());
    let starts = &trace::starts(graph, lanes, &vls);
    let tracer = Tracer { fabric, graph, lids, lfts, lanes, sls, vls: &vls, traffic, starts };
    let passes = passes(&tracer);
    let of_chunk = |chunk: &[Vec<Lid>]| {
        let mut room = tracer.room();
        let mut looping = Vec::new();
        let mut dropped = SlSet::EMPTY;
        for pass in chunk {
            let own = pass.iter().any(|lid| tracer.has_own(*lid));
            if tracer.trace(pass[0], own, &mut room, &mut |turn| waits.add(turn.edge)) {
                looping.extend_from_slice(pass);
            }
            let last = pass.iter().map(|lid| tracer.dropped_at_last(*lid, &room));
            dropped = last.fold(dropped, SlSet::and);
        }
        (looping, dropped.and(room.dropped()))
    };
    let (loops, dropped): (Vec<Vec<Lid>>, Vec<SlSet>) =
        passes.par_chunks(PASSES).map(of_chunk).unzip();
    let mut loops = loops.concat();
    loops.sort_unstable();
    let dropped = dropped.into_iter().fold(SlSet::EMPTY, SlSet::and);
    let flood = Flood { graph, lanes, vls: &vls };
    flood.trace_all(trees, |turn| waits.add(turn.edge));
    let circle = circle::shortest(waits)
        .map(|circle| witness::find(&tracer, &passes, &flood, trees, &circle));
    let (channels, count) = waits.count();
    Proof { vls: vls.iter().collect(), channels, waits: count, circle, dropped, loops }
}

/// The turns, from directed link to directed link, of packets to multicast groups on one lane, each
/// once, ascending.
pub(crate) fn group_turns<L: Lanes>(
    graph: &Graph,
    lanes: &L,
    trees: &[GroupTree],
) -> Vec<(u32, u32)> {
    let vls = &VlSet::new(1);
    let found = std::sync::Mutex::new(Vec::new());
    Flood { graph, lanes, vls }.trace_all(trees, |turn| {
        let turn = (turn.edge.from.link, turn.edge.to.link);
        found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(turn);
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_unstable();
    found.dedup();
    found
}

/// The lanes that packets of these SLs can come to be on.
fn used_lanes<L: Lanes>(fabric: &Fabric, graph: &Graph, lanes: &L, sls: SlSet) -> VlSet {
    let of_switch = |s: usize| {
        let switch = SwitchId(s as u32);
        let ins = fabric.external_ports(fabric.switch_node(switch)).map(|p| fabric.port_num(p));
        let mut used = 0_u16;
        for port in std::iter::once(PortNum(0)).chain(ins) {
            for link in graph.links(s) {
                let map = lanes.lanes(switch, port, link.port);
                used |= sls.iter().fold(0, |all, sl| all | 1 << map.vl(sl).0);
            }
        }
        used
    };
    let used = (0..graph.len()).into_par_iter().map(of_switch).reduce(|| 0, |a, b| a | b);
    VlSet::new(used)
}

/// LIDs whose packets make the same turns, each with those that are like it.
fn passes<L: Lanes, S: PathSls>(tracer: &Tracer<'_, L, S>) -> Vec<Vec<Lid>> {
    let groups = alike::groups(tracer.fabric, tracer.lids, tracer.lfts);
    let mut passes: Vec<Vec<Lid>> = Vec::with_capacity(groups.len());
    for group in groups {
        let first = passes.len();
        for lid in group {
            let alike = |pass: &&mut Vec<Lid>| tracer.sls.alike(pass[0], lid);
            match passes[first..].iter_mut().find(alike) {
                Some(pass) => pass.push(lid),
                None => passes.push(vec![lid]),
            }
        }
    }
    passes
}
