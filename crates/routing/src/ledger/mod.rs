//! What is known of routes that stand, so that after a change of few links only what these concern
//! has to be routed and proved again.
//!
//! A [`Ledger`] is made of finished routes whose packets share one lane and cannot deadlock. It
//! holds distances, the load of each link, for each turn (from a link into a link) the number of
//! LIDs that make it, and an order of the links in which all turns lead forward, which is the
//! proof. [`Ledger::reroute`] takes it to a fabric of the same nodes with other links between
//! switches:
//!
//! * Distances are measured anew; that is the lesser part of the work. Where they are the same
//!   towards a switch, entries stay but for those that led over a link that is gone.
//! * An entry that has to move goes to the step with the least load along its way among those that
//!   the law of the engine allows, and among these to one whose turns lead forward in the order.
//! * The turns and routes of what moves are taken out of the counts, and put back with the new
//!   ways. If the new turns lead forward, the order stands, and so does the proof; else another
//!   order is looked for. Ways that stay are not followed.
//! * Turns of packets between hosts and those of packets of switches are counted apart. Where the
//!   latter close a circle and the former close none, only these are looked at; see
//!   [`Ledger::hosts_only`]. That is so with minhop from the first failed link on.
//! * Where a link got too full it is relieved ([`crate::relief`]), by turns that lead forward.
//! * The fullest link must not carry more than 1.2 times what it has to carry in any routing of
//!   these distances ([`crate::LIMIT`]), or, on a large fabric that only lost links, than it did
//!   when that was last routed afresh. Where it would, and where anything else changed, there is
//!   no short way and the fabric is routed afresh.

mod choose;
mod law;
mod marks;
mod mixture;
mod moving;
mod patch;
mod relieve;
mod stock;
mod turns;
mod way;
mod ways;

use std::fmt;
use std::sync::Arc;

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Guid, Lid, PortNum, Vl};

use crate::check::{Check, Unreached};
use crate::graph::Graph;
use crate::job::{RouteJob, RouteOptions, Routes};
use crate::paths::distances::Distances;
use crate::proof::{GroupTree, LaneMap, OneLane, group_turns};
use crate::tables::{Lfts, LidMap};
pub(crate) use law::Law;
use turns::TurnCounts;
use way::Way;

/// What is known of routes on one lane that cannot deadlock.
#[derive(Clone)]
pub struct Ledger {
    engine: &'static str,
    options: Arc<RouteOptions>,
    nodes: Arc<[(Guid, u8)]>,
    lids: LidMap,
    lfts: Lfts,
    graph: Graph,
    order: Option<Vec<u32>>,
    distances: Distances,
    turns: TurnCounts,
    /// Routes by directed link.
    load: Vec<u64>,
    /// Entries for LIDs that are in use.
    entries: usize,
    /// For each LID the longest way that arrives.
    farthest: Vec<u16>,
    /// LIDs that are not reached from everywhere, ascending.
    unreached: Vec<Unreached>,
    /// Whether each way that arrives is as long as the distances say, and each does that can.
    direct: bool,
    /// The load of the fullest link when the fabric was last routed afresh, or got more links.
    fullest: u64,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, switches) = (self.engine, self.graph.len());
        f.debug_struct("Ledger").field("engine", &engine).field("switches", &switches).finish()
    }
}

/// What the ledger proves, in figures as those of [`crate::Proof`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proved {
    /// Links, by direction, on which packets wait or are waited for.
    pub channels: u64,
    /// Pairs of these of which a packet can hold the first and wait for the second.
    pub waits: u64,
}

/// Why a fabric has to be routed afresh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Afresh {
    /// Nodes, LIDs, options or the list of engines are others.
    Changed,
    /// The engine does not take the fabric as it is now, or by other ups and downs.
    Law,
    /// So much would have to move that the short way would be the longer one.
    Much,
    /// The fullest link would carry so many routes, and more than the second number are too many.
    Full(u64, u64),
    /// Something would go round.
    Loop,
    /// Packets could deadlock.
    Circle,
}

impl fmt::Display for Afresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("nodes, LIDs or options are others"),
            Self::Law => f.write_str("the engine goes by other ups and downs now"),
            Self::Much => f.write_str("too much would move"),
            Self::Full(most, limit) => {
                write!(f, "the fullest link would carry {most} routes, more than {limit}")
            }
            Self::Loop => f.write_str("packets would go round"),
            Self::Circle => f.write_str("packets could deadlock"),
        }
    }
}

impl Ledger {
    /// The tables that it knows.
    #[must_use]
    pub const fn lfts(&self) -> &Lfts {
        &self.lfts
    }

    /// What [`crate::check()`] finds in these tables.
    #[must_use]
    pub fn check(&self) -> Check {
        Check {
            ways: self.graph.len() as u64 * self.lids.owned().len() as u64,
            max_hops: self.farthest.iter().copied().max().unwrap_or(0),
            unreached: self.unreached.clone(),
            loops: Vec::new(),
        }
    }

    /// Proves that nothing can deadlock where packets to multicast groups share the lane; `None` if
    /// it can.
    #[must_use]
    pub fn prove(&self, trees: &[GroupTree]) -> Option<Proved> {
        let others = self.group_turns(trees, self.hosts_only());
        let free = self.turns.bear(&others);
        let (channels, waits) = self.turns.figures(&others);
        free.then_some(Proved { channels, waits })
    }

    /// Whether this is about packets between hosts alone: packets from or to switches can deadlock.
    #[must_use]
    pub const fn hosts_only(&self) -> bool {
        self.turns.hosts_only()
    }

    /// A circle of turns that needs packets from or to switches: for each the switch and the port
    /// by which its packets leave before it, and a LID to which they go. None where there is none.
    #[must_use]
    pub fn switch_circle(&self, fabric: &Fabric) -> Option<Vec<(SwitchId, PortNum, Lid)>> {
        let circle = if self.hosts_only() { self.turns.circle() } else { Vec::new() };
        let next = circle.iter().cycle().skip(1);
        let steps = circle.iter().zip(next).map(|(from, to)| self.step(fabric, *from, *to));
        steps.collect::<Option<Vec<_>>>().filter(|steps| !steps.is_empty())
    }

    /// A LID, the lowest, whose packets go from a link into a link.
    fn step(&self, fabric: &Fabric, from: u32, to: u32) -> Option<(SwitchId, PortNum, Lid)> {
        let end = |link: u32| {
            let link = self.graph.link(link as usize);
            (link.peer.index(), link.peer_port)
        };
        // The far end of a link knows where it comes from.
        let start = |link: u32| {
            let (peer, port) = end(link);
            let back = self.graph.link_at(peer, port)?;
            let back = self.graph.links(peer)[back];
            Some((back.peer, back.peer_port))
        };
        let (first, second) = (start(from)?, start(to)?);
        let by = |lid: Lid, (switch, port)| self.lfts.port(switch, lid) == Some(port);
        let mut way = Way::new(&self.graph);
        let makes = |lid: &Lid| {
            let ports = stock::columns(&self.lfts, &[*lid]);
            let aim = aim(fabric, &self.lids, *lid);
            let mut found = false;
            if way.follow(&self.graph, &ports, aim).is_some() {
                let onto = to as usize - self.graph.first_link(second.0.index());
                let turn = |link: usize, out: u8, _| {
                    found |= link == from as usize && usize::from(out) == onto;
                };
                way.tally(&self.graph, aim, |_, _| {}, turn);
            }
            found
        };
        let both = |lid: &Lid| by(*lid, first) && by(*lid, second);
        let lid = self.lids.owned().into_iter().filter(both).find(makes)?;
        Some((first.0, first.1, lid))
    }

    /// The turns of packets to groups.
    fn group_turns(&self, trees: &[GroupTree], hosts_only: bool) -> Vec<(u32, u32)> {
        let silent = |_: SwitchId, from: PortNum, _: PortNum| match from {
            PortNum(0) => LaneMap::new(|_| Vl::DROP),
            _ => LaneMap::new(|_| Vl(0)),
        };
        match hosts_only {
            true => group_turns(&self.graph, &silent, trees),
            false => group_turns(&self.graph, &OneLane, trees),
        }
    }

    /// Whether two ledgers know the same of the same tables. The orders of the links that prove it
    /// may be others, and so may the loads that are taken for good.
    #[must_use]
    pub fn knows_as_much(&self, other: &Self) -> bool {
        self.lfts == other.lfts
            && self.distances == other.distances
            && self.load == other.load
            && self.turns.as_many(&other.turns)
            && (self.entries, self.direct) == (other.entries, other.direct)
            && (&self.farthest, &self.unreached) == (&other.farthest, &other.unreached)
    }

    /// The load of the fullest link, in routes between end ports.
    #[must_use]
    pub fn max_routes_per_link(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }
}

/// The nodes of a fabric as far as they decide what the numbers of switches and ports mean.
fn nodes(fabric: &Fabric) -> Arc<[(Guid, u8)]> {
    fabric.nodes().iter().map(|node| (node.guid, node.num_ports)).collect()
}

/// The law of the routes, if the options leave it to the engine alone which links are good.
fn law(engine: &str, job: &RouteJob<'_>) -> Option<Law> {
    let shaping = &job.options.shaping;
    let plain = shaping.port_orders.is_empty()
        && shaping.hop_weights.is_empty()
        && shaping.throttled.is_empty();
    if !plain {
        return None;
    }
    crate::engines::law(engine, job)
}

/// Whether routes have no SLs or lanes of their own.
fn is_plain(routes: &Routes) -> bool {
    routes.sl == crate::job::SlPlan::Any && routes.lanes.is_none() && routes.master_tree.is_none()
}

/// Where each LID is.
fn aim(fabric: &Fabric, lids: &LidMap, lid: Lid) -> way::Aim {
    let end = lids.port(lid);
    let home = end.and_then(|end| Graph::attachment(fabric, end));
    let of_switch = end.is_some_and(|end| fabric.as_switch(fabric.owner(end)).is_some());
    way::Aim { home: home.map(|(switch, port)| (switch.0, port.0)), of_switch }
}
