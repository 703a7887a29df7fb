//! In which order new entries may be written while old ones are in force.
//!
//! Where old and new entries together close no circle they may be written as they come. Where they
//! do, it is mostly for entries that no packet follows before or after: a switch that lost its link
//! down to a part of a tree sends its own packets there by a way round, down and up again, and none
//! of others. Entries that no packet follows before the change are written first then, and those
//! that no packet follows after it last, when the packets that came here have gone.

use std::sync::Arc;

use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::marks::Marks;
use super::turns::TurnCounts;
use super::way::Aim;
use super::{Ledger, aim};
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::proof::GroupTree;
use crate::proof::change::{Order, Stages};
use crate::tables::Lfts;

/// LIDs that one thread looks at with the same room.
const CHUNK: usize = 32;

/// An entry that changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Site {
    switch: usize,
    /// Whether no packet comes to the switch by the old entries, and by the new ones.
    idle: [bool; 2],
}

/// A LID with an entry that changes.
#[derive(Clone, Debug)]
struct Changed {
    lid: Lid,
    aim: Aim,
    sites: Vec<Site>,
}

/// Which entries are written before and after all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Apart {
    /// Those that no packet follows by the old tables, first.
    early: bool,
    /// Those that no packet follows by the new tables, last.
    late: bool,
}

/// What is in force at a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Force {
    Old,
    New,
    Both,
}

impl Apart {
    /// What may be in force while the most entries change.
    const fn at(self, site: &Site) -> Force {
        match site.idle {
            [true, _] if self.early => Force::New,
            [_, true] if self.late => Force::Old,
            _ => Force::Both,
        }
    }
}

impl Ledger {
    /// In which order the tables of the ledger may be written while those of an earlier one are in
    /// force and all links carry data. None where the short way does not tell.
    ///
    /// Where packets of switches can deadlock with either tables, it is about those between hosts.
    #[must_use]
    pub fn order_after(
        &self,
        job: &RouteJob<'_>,
        old: &Self,
        trees: &[GroupTree],
    ) -> Option<Order> {
        if old.lids != self.lids || old.nodes != self.nodes {
            return None;
        }
        let changed = self.changed(job, &old.lfts);
        if changed.is_empty() {
            return Some(Order::Nothing);
        }
        let hosts_only = self.hosts_only() || old.hosts_only();
        let mut between_hosts = None;
        if hosts_only && !self.hosts_only() {
            let turns: &mut TurnCounts = between_hosts.insert(self.turns.clone());
            turns.leave_out_switches();
        }
        let turns = between_hosts.as_ref().unwrap_or(&self.turns);
        let groups = self.group_turns(trees, hosts_only);
        let mixed = Tables { graph: &self.graph, old: &old.lfts, new: &self.lfts, hosts_only };
        let mut all = mixed.turns(&changed, |_| Force::Both);
        all.extend(&groups);
        all.sort_unstable();
        all.dedup();
        if turns.bear(&all) {
            return Some(Order::Any(turns.figures(&all).1));
        }
        let changed = mixed.with_idle(changed);
        let mut before = mixed.turns(&changed, |_| Force::Old);
        before.extend(&groups);
        for (early, late) in [(false, true), (true, false), (true, true)] {
            let apart = Apart { early, late };
            let mut others = mixed.turns(&changed, |site| apart.at(site));
            others.extend(&before);
            others.sort_unstable();
            others.dedup();
            if turns.bear(&others) {
                return Some(Order::Staged(Box::new(self.stages(&changed, apart))));
            }
        }
        None
    }

    /// The LIDs with an entry that changes, ascending.
    fn changed(&self, job: &RouteJob<'_>, old: &Lfts) -> Vec<Changed> {
        let mut changes: Vec<Vec<Site>> = vec![Vec::new(); self.farthest.len()];
        let mut moves = vec![false; self.farthest.len()];
        for (switch, (was, now)) in old.rows.iter().zip(&self.lfts.rows).enumerate() {
            // A switch without links to others forwards nothing.
            if Arc::ptr_eq(was, now) || self.graph.links(switch).is_empty() {
                continue;
            }
            for (lid, (was, now)) in was.iter().zip(&**now).enumerate().take(changes.len()) {
                if was != now {
                    moves[lid] |= *was != Lfts::NO_PATH;
                    changes[lid].push(Site { switch, idle: [false; 2] });
                }
            }
        }
        let lids = self.lids.owned().into_iter().filter(|lid| moves[usize::from(lid.0)]);
        let changed = |lid: Lid| {
            let sites = std::mem::take(&mut changes[usize::from(lid.0)]);
            Changed { lid, aim: aim(job.fabric, job.lids, lid), sites }
        };
        lids.map(changed).collect()
    }

    /// The stages in which some entries are written apart from the others.
    fn stages(&self, changed: &[Changed], apart: Apart) -> Stages {
        let most = u8::from(apart.early);
        let mut stages = Stages::new(self.farthest.len(), most, most + 1 + u8::from(apart.late));
        for Changed { lid, sites, .. } in changed {
            for site in sites {
                match apart.at(site) {
                    Force::New => stages.put(*lid, site.switch, 0),
                    Force::Old => stages.put(*lid, site.switch, most + 1),
                    Force::Both => {}
                }
            }
        }
        stages
    }
}

/// Old and new tables on one graph.
struct Tables<'a> {
    graph: &'a Graph,
    old: &'a Lfts,
    new: &'a Lfts,
    /// Whether only packets between hosts count.
    hosts_only: bool,
}

/// Room for one LID, kept from one to the next.
struct Room {
    at: InForce,
    near: Marks,
    below: Vec<usize>,
    search: Search,
}

/// What is in force for one LID: at switches where nothing is said the new entries, which are the
/// old ones.
struct InForce {
    lid: Lid,
    sites: Marks,
    force: Vec<Force>,
}

/// Room for a search.
struct Search {
    seen: Marks,
    open: Vec<usize>,
}

impl Tables<'_> {
    fn room(&self) -> Room {
        let n = self.graph.len();
        let marks = || Marks::new(n);
        Room {
            at: InForce { lid: Lid(0), sites: marks(), force: vec![Force::Both; n] },
            near: marks(),
            below: Vec::new(),
            search: Search { seen: marks(), open: Vec::new() },
        }
    }

    /// The turns, ascending, that packets can make where these are in force, but for such as they
    /// make by the new tables.
    fn turns(&self, changed: &[Changed], force: impl Fn(&Site) -> Force + Sync) -> Vec<(u32, u32)> {
        let of_chunk = |chunk: &[Changed]| {
            let (mut room, mut turns) = (self.room(), Vec::new());
            for changed in chunk.iter().filter(|changed| !self.is_silent(changed.aim)) {
                room.turn_to(changed, &force);
                self.mix(changed, &mut room, &mut turns);
            }
            turns.sort_unstable();
            turns.dedup();
            turns
        };
        let mut all: Vec<(u32, u32)> = changed.par_chunks(CHUNK).flat_map_iter(of_chunk).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Finds out which entries no packet follows.
    fn with_idle(&self, mut changed: Vec<Changed>) -> Vec<Changed> {
        changed.par_chunks_mut(CHUNK).for_each(|chunk| {
            let mut room = self.room();
            for changed in chunk {
                for (at, force) in [Force::Old, Force::New].into_iter().enumerate() {
                    room.turn_to(changed, &|_| force);
                    for site in &mut changed.sites {
                        site.idle[at] =
                            !self.is_passed(site.switch, changed.aim, &room.at, &mut room.search);
                    }
                }
            }
        });
        changed
    }

    /// Whether nobody sends packets that count to a LID.
    const fn is_silent(&self, aim: Aim) -> bool {
        aim.of_switch && self.hosts_only
    }

    /// The places of the links by which a switch may send.
    fn ways(&self, at: &InForce, s: usize) -> impl Iterator<Item = usize> + use<> {
        let port = |lfts: &Lfts| lfts.rows[s].get(usize::from(at.lid.0)).copied();
        let way = |lfts: &Lfts| self.graph.link_at(s, PortNum(port(lfts)?));
        let force = if at.sites.has(s) { at.force[s] } else { Force::New };
        let old = if force == Force::New { None } else { way(self.old) };
        let new = if force == Force::Old { None } else { way(self.new) };
        old.into_iter().chain(new.filter(|new| old != Some(*new)))
    }

    /// The switches that may send to a switch.
    fn senders(&self, at: &InForce, s: usize) -> impl Iterator<Item = usize> {
        let links = self.graph.links(s).iter().map(|link| (link.peer.index(), link.peer_port));
        let sends = move |(peer, port): &(usize, PortNum)| {
            self.ways(at, *peer).any(|place| self.graph.links(*peer)[place].port == *port)
        };
        links.filter(sends).map(|(peer, _)| peer)
    }

    /// Whether packets that count come to a switch.
    fn is_passed(&self, s: usize, aim: Aim, at: &InForce, search: &mut Search) -> bool {
        if self.is_silent(aim) {
            return false;
        }
        if !self.hosts_only && !aim.of_switch {
            return true;
        }
        let Search { seen, open } = search;
        seen.clear();
        seen.set(s);
        open.clear();
        open.push(s);
        while let Some(s) = open.pop() {
            if !self.graph.hosts(s).is_empty() {
                return true;
            }
            open.extend(self.senders(at, s).filter(|from| seen.set(*from)));
        }
        false
    }

    /// Adds the turns at switches with new entries, before them, and on the ways from them.
    fn mix(&self, changed: &Changed, room: &mut Room, turns: &mut Vec<(u32, u32)>) {
        let Room { at, near, below, search } = room;
        search.open.clear();
        search.open.extend(changed.sites.iter().map(|site| site.switch));
        while let Some(s) = search.open.pop() {
            if near.set(s) {
                below.push(s);
                let peer = |place: usize| self.graph.links(s)[place].peer.index();
                search.open.extend(self.ways(at, s).map(peer));
            }
        }
        for site in &changed.sites {
            below.extend(self.senders(at, site.switch).filter(|from| near.set(*from)));
        }
        for s in below.drain(..) {
            if !self.is_passed(s, changed.aim, at, search) {
                continue;
            }
            for place in self.ways(at, s) {
                let link = (self.graph.first_link(s) + place) as u32;
                let peer = self.graph.links(s)[place].peer.index();
                let first = self.graph.first_link(peer);
                turns.extend(self.ways(at, peer).map(|out| (link, (first + out) as u32)));
            }
        }
    }
}

impl Room {
    /// Turns to another LID.
    fn turn_to(&mut self, changed: &Changed, force: &impl Fn(&Site) -> Force) {
        self.near.clear();
        self.below.clear();
        self.at.lid = changed.lid;
        self.at.sites.clear();
        for site in &changed.sites {
            self.at.sites.set(site.switch);
            self.at.force[site.switch] = force(site);
        }
    }
}
