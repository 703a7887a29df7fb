//! Whether tables can be changed under traffic, and in which order.
//!
//! Tables are written one after the other while packets are on their way. In between, a packet may
//! follow an old entry at one switch and a new one at the next. So the edges of both, and those of
//! every mixture, must close no circle together ([`mixed`]).
//!
//! Where they do, entries that no packet follows by the old tables are written first, and those
//! that none follows by the new tables last. The others change in stages, LIDs by switches that
//! have them ([`mod@stages`]). Before each stage the switches hold the new entries of the stages
//! before and the old ones of those to come, and only the entries of the stage itself are mixed.
//! LIDs for which there is no such stage are dropped for a moment: their entries that change are
//! taken away, and put back new when the packets that followed the old ones have gone. That is
//! always safe.

mod advance;
mod mixed;
mod stages;

use std::collections::BTreeMap;

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::lanes::{AnyLanes, PathSls, VlSet};
use super::multicast::{self, Flood, GroupTree};
use super::waits::Waits;
use super::{circle, trace, used_lanes};
use crate::alike;
use crate::graph::{Graph, Link};
use crate::tables::{Lfts, LidMap};
use mixed::{Force, Mixed};

/// LIDs that one thread follows with the same room.
const CHUNK: usize = 16;

/// Tables as they are and as they will be.
pub struct Change<'a, S> {
    /// The graph.
    pub fabric: &'a Fabric,
    /// Who will answer to which LID.
    pub lids: &'a LidMap,
    /// The entries that are in force now.
    pub old: &'a Lfts,
    /// Those that will be.
    pub new: &'a Lfts,
    /// The SL2VL tables that are in force now.
    pub old_lanes: AnyLanes<'a>,
    /// Those that will be.
    pub new_lanes: AnyLanes<'a>,
    /// Whether these differ on a link that carries data.
    pub lanes_change: bool,
    /// The SLs of paths, old and new.
    pub sls: &'a S,
    /// The trees of multicast groups as they will be.
    pub trees: &'a [GroupTree],
    /// Whether a port of a switch carries data now.
    pub live: &'a (dyn Fn(SwitchId, PortNum) -> bool + Sync),
}

/// How tables may be written. `W` says why there is no safe order: who knows more than [`order()`]
/// has more reasons.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Order<W = Why> {
    /// No entry changes that packets follow now.
    #[default]
    Nothing,
    /// In any order: so many waits of old and new tables together close no circle.
    Any(u64),
    /// In stages.
    Staged(Box<Stages>),
    /// There is no order that is known to be safe.
    Unsafe(W),
}

impl<W> Order<W> {
    /// The same with another reason, if it has one.
    pub fn map_why<V>(self, map: impl FnOnce(W) -> V) -> Order<V> {
        match self {
            Self::Nothing => Order::Nothing,
            Self::Any(waits) => Order::Any(waits),
            Self::Staged(stages) => Order::Staged(stages),
            Self::Unsafe(why) => Order::Unsafe(map(why)),
        }
    }
}

/// Why no order is safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The tables in force have a circle already.
    Old,
    /// Those that are wanted have one.
    New,
    /// SL2VL tables change, and old and new ones make a circle together even on the ways that stay.
    Lanes,
}

/// When SL2VL tables are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LanesAt {
    /// Before the first stage.
    First,
    /// After the stage with this number.
    After(u8),
}

/// The stages of forwarding tables. Each begins when the writes of the one before are answered and
/// the packets that followed older entries have gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stages {
    of_lid: Vec<u8>,
    /// The stages of entries that change before or after others of their LID.
    of_entry: BTreeMap<(Lid, SwitchId), u8>,
    /// How many stages there are.
    pub count: u8,
    /// The stage that takes the changed entries of the next one away, if there is one.
    pub drops: Option<u8>,
    /// When SL2VL tables are written.
    pub lanes: LanesAt,
    /// How many LIDs are dropped for a moment.
    pub dropped: usize,
}

impl Stages {
    /// So many stages, with the entries for all LIDs below a bound in one of them.
    pub(crate) fn new(lids: usize, stage: u8, count: u8) -> Self {
        let (drops, lanes, dropped) = (None, LanesAt::First, 0);
        let (of_lid, of_entry) = (vec![stage; lids], BTreeMap::new());
        Self { of_lid, of_entry, count, drops, lanes, dropped }
    }

    /// Puts an entry in another stage than the others of its LID.
    pub(crate) fn put(&mut self, lid: Lid, switch: usize, stage: u8) {
        self.of_entry.insert((lid, SwitchId(switch as u32)), stage);
    }

    /// The stage in which a switch's entry for a LID becomes new.
    #[must_use]
    pub fn of(&self, switch: SwitchId, lid: Lid) -> u8 {
        let of_lid = || self.of_lid.get(usize::from(lid.0)).copied().unwrap_or(0);
        self.of_entry.get(&(lid, switch)).copied().unwrap_or_else(of_lid)
    }

    /// What a switch's entry has to hold after a stage, where it holds `old` before and `new` in
    /// the end.
    #[must_use]
    pub fn entry(&self, stage: u8, (switch, lid): (SwitchId, Lid), old: u8, new: u8) -> u8 {
        let at = self.of(switch, lid);
        if at <= stage || old == new {
            new
        } else if self.drops == Some(stage) && at == stage + 1 {
            Lfts::NO_PATH
        } else {
            old
        }
    }
}

/// Of LIDs that are forwarded alike one for all that have the same SLs: an adapter's where there is
/// one, for packets of switches go there as well.
fn one_of_each<S: PathSls>(change: &Change<'_, S>, lids: &[Lid]) -> Vec<Lid> {
    let is_host = |lid: &Lid| {
        let end = change.lids.port(*lid);
        end.is_some_and(|p| change.fabric.as_switch(change.fabric.owner(p)).is_none())
    };
    let mut ones: Vec<Lid> = Vec::new();
    for lid in lids {
        match ones.iter_mut().find(|one| change.sls.alike(**one, *lid)) {
            Some(one) if is_host(lid) && !is_host(one) => *one = *lid,
            Some(_) => {}
            None => ones.push(*lid),
        }
    }
    ones
}

/// Which tables may be in force.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Old,
    New,
    Both,
}

/// What all questions about a change need.
struct Desk<'a, S> {
    change: &'a Change<'a, S>,
    graph: &'a Graph,
    vls: &'a VlSet,
    links: Vec<Link>,
    live: Vec<bool>,
    starts: [Vec<trace::Start>; 2],
    /// LIDs with an entry that changes.
    changed: Vec<Lid>,
    /// Of the others one for all that are alike.
    others: Vec<Lid>,
}

/// Works out how the tables may be written.
#[must_use]
pub fn order<S: PathSls>(change: &Change<'_, S>) -> Order {
    let graph = &Graph::new(change.fabric);
    let every = super::SlSet(change.sls.all().0 | multicast::all_sls(change.trees).0);
    let used = |lanes: AnyLanes<'_>| used_lanes(change.fabric, graph, &lanes, every).bits();
    let vls = &VlSet::new(used(change.old_lanes) | used(change.new_lanes));
    let desk = Desk::new(change, graph, vls);
    if desk.changed.is_empty() && !change.lanes_change {
        return Order::Nothing;
    }
    let (old, new) = (change.old, change.new);
    let both = if change.lanes_change { Which::Both } else { Which::New };
    let mixture = desk.waits(&[old, new], both);
    if circle::is_free(&mixture) {
        return Order::Any(mixture.count().1);
    }
    let free = |lfts: &Lfts, lanes| circle::is_free(&desk.waits(&[lfts], lanes));
    if !free(old, Which::Old) {
        return Order::Unsafe(Why::Old);
    }
    if !free(new, Which::New) {
        return Order::Unsafe(Why::New);
    }
    if !change.lanes_change || free(old, Which::Both) {
        return Order::Staged(Box::new(stages::find(&desk, Which::New, LanesAt::First)));
    }
    if free(new, Which::Both) {
        let mut stages = stages::find(&desk, Which::Old, LanesAt::First);
        stages.lanes = LanesAt::After(stages.count - 1);
        return Order::Staged(Box::new(stages));
    }
    if free(&drained(old, new), Which::Both) {
        return Order::Staged(Box::new(stages::all_dropped(&desk)));
    }
    Order::Unsafe(Why::Lanes)
}

/// The old tables without the entries that change.
fn drained(old: &Lfts, new: &Lfts) -> Lfts {
    let row = |(old, new): (&std::sync::Arc<[u8]>, &std::sync::Arc<[u8]>)| {
        let keep = |(at, byte): (usize, &u8)| {
            if new.get(at) == Some(byte) { *byte } else { Lfts::NO_PATH }
        };
        old.iter().enumerate().map(keep).collect()
    };
    Lfts { top: old.top, rows: old.rows.iter().zip(&new.rows).map(row).collect() }
}

impl<'a, S: PathSls> Desk<'a, S> {
    fn new(change: &'a Change<'a, S>, graph: &'a Graph, vls: &'a VlSet) -> Self {
        let links: Vec<Link> = (0..graph.len()).flat_map(|s| graph.links(s)).copied().collect();
        let of_switch = |s: usize| {
            let switch = SwitchId(s as u32);
            graph.links(s).iter().map(move |link| {
                (change.live)(switch, link.port) && (change.live)(link.peer, link.peer_port)
            })
        };
        let live: Vec<bool> = (0..graph.len()).flat_map(of_switch).collect();
        let starts = [change.old_lanes, change.new_lanes].map(|l| trace::starts(graph, &l, vls));
        // A switch from which no link carries data forwards nothing yet.
        let at_work = |s: &usize| {
            let first = graph.first_link(*s);
            live[first..first + graph.links(*s).len()].contains(&true)
        };
        let at_work: Vec<usize> = (0..graph.len()).filter(at_work).collect();
        let changes = |lid: &Lid| {
            let port = |lfts: &Lfts, s: &usize| lfts.port(SwitchId(*s as u32), *lid);
            at_work.iter().any(|s| {
                let old = port(change.old, s);
                old.is_some() && old != port(change.new, s)
            })
        };
        let groups = alike::groups(change.fabric, change.lids, change.new);
        let split: Vec<(Vec<Lid>, Vec<Lid>)> = groups
            .into_par_iter()
            .map(|group| {
                let (changed, others): (Vec<Lid>, Vec<Lid>) = group.into_iter().partition(changes);
                (changed, one_of_each(change, &others))
            })
            .collect();
        let mut changed: Vec<Lid> =
            split.iter().flat_map(|(changed, _)| changed).copied().collect();
        changed.sort_unstable();
        let others = split.iter().flat_map(|(_, others)| others).copied().collect();
        Self { change, graph, vls, links, live, starts, changed, others }
    }

    fn mixed(&self) -> Mixed<'_, S> {
        Mixed {
            fabric: self.change.fabric,
            graph: self.graph,
            links: &self.links,
            live: &self.live,
            lids: self.change.lids,
            sls: self.change.sls,
            vls: self.vls,
        }
    }

    fn force<'b>(&'b self, lfts: &[&'b Lfts], lanes: Which) -> Force<'b> {
        let tables = [self.change.old_lanes, self.change.new_lanes];
        let which = match lanes {
            Which::Old => 0..1,
            Which::New => 1..2,
            Which::Both => 0..2,
        };
        Force {
            lfts: lfts.to_vec(),
            lanes: which.map(|n| (tables[n], self.starts[n].as_slice())).collect(),
            passed: None,
        }
    }

    /// The edges of all packets.
    fn waits(&self, lfts: &[&Lfts], lanes: Which) -> Waits {
        let waits = self.waits_of_others(lanes);
        self.add(&waits, lfts, lanes, &self.changed);
        waits
    }

    /// The edges of packets to LIDs whose entries stay, and of those to groups.
    fn waits_of_others(&self, lanes: Which) -> Waits {
        let waits = Waits::new(self.graph, self.vls.len());
        self.add(&waits, &[self.change.new], lanes, &self.others);
        for (tables, _) in self.force(&[], lanes).lanes {
            let flood = Flood { graph: self.graph, lanes: &tables, vls: self.vls };
            flood.trace_all(self.change.trees, |turn| {
                if self.live[turn.edge.from.link as usize] && self.live[turn.edge.to.link as usize]
                {
                    waits.add(turn.edge);
                }
            });
        }
        waits
    }

    /// Adds the edges of packets to some LIDs.
    fn add(&self, waits: &Waits, lfts: &[&Lfts], lanes: Which, lids: &[Lid]) {
        let (mixed, force) = (self.mixed(), self.force(lfts, lanes));
        lids.par_chunks(CHUNK).for_each(|chunk| {
            let mut room = mixed.room();
            for lid in chunk {
                mixed.trace(&force, *lid, &mut room, &mut |edge| waits.add(edge));
            }
        });
    }
}
