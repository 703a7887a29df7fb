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
//! * The LIDs that are touched are taken out of the counts and put back with their new ways. If all
//!   of their turns lead forward, the order stands, and so does the proof; else another order is
//!   looked for.
//! * Where packets from and to switches close a circle and those between hosts close none, only
//!   the latter are counted; see [`Ledger::hosts_only`].
//! * The fullest link must not carry more than 1.2 times what it has to carry in any routing of
//!   these distances ([`crate::LIMIT`]), or, on a large fabric that only lost links, than it did
//!   when that was last routed afresh. Where it would, and where anything else changed, there is
//!   no short way and the fabric is routed afresh.

mod law;
mod mixture;
mod patch;
mod stock;
mod turns;
mod way;

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
    /// Whether only turns of packets between hosts are counted: with those from and to switches
    /// there is a circle.
    hosts_only: bool,
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
        let others = self.group_turns(trees);
        let free = self.turns.all_lead_forward(&others) || self.turns.clone().arrange(&others);
        let (channels, waits) = self.turns.figures(&others);
        free.then_some(Proved { channels, waits })
    }

    /// Whether this is about packets between hosts alone: packets from or to switches can deadlock.
    #[must_use]
    pub const fn hosts_only(&self) -> bool {
        self.hosts_only
    }

    /// The turns of packets to groups.
    fn group_turns(&self, trees: &[GroupTree]) -> Vec<(u32, u32)> {
        let silent = |_: SwitchId, from: PortNum, _: PortNum| match from {
            PortNum(0) => LaneMap::new(|_| Vl::DROP),
            _ => LaneMap::new(|_| Vl(0)),
        };
        match self.hosts_only {
            true => group_turns(&self.graph, &silent, trees),
            false => group_turns(&self.graph, &OneLane, trees),
        }
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
fn aim(job: &RouteJob<'_>, lid: Lid, hosts_only: bool) -> way::Aim {
    let end = job.lids.port(lid);
    let home = end.and_then(|end| Graph::attachment(job.fabric, end));
    let of_switch = end.is_some_and(|end| job.fabric.as_switch(job.fabric.owner(end)).is_some());
    way::Aim { home: home.map(|(switch, port)| (switch.0, port.0)), of_switch, hosts_only }
}
