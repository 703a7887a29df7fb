//! From routes that stand to those of a fabric with other links.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::law::Law;
use super::stock::{WIDTH, columns, unreached};
use super::turns::{Turn, TurnCounts};
use super::way::{Aim, Way};
use super::{Afresh, Ledger, aim, law, nodes};
use crate::engines::{Outcome, first_named};
use crate::graph::{Graph, Link};
use crate::job::{RouteJob, Routes, SlPlan};
use crate::keep::{Kept, LIMIT};
use crate::paths::distances::{Distances, FAR};
use crate::relief::floor::floor;
use crate::tables::Lfts;
use crate::targets::{Target, Targets};

/// Cells of columns that are held at a time, at most; more would be slower than to route afresh.
const CELLS: usize = 1 << 26;

/// Switches of a fabric that takes long to be routed afresh.
const LARGE: usize = 256;

/// A LID whose column may change.
#[derive(Clone, Debug)]
struct Touched {
    lid: Lid,
    /// The switch that it hangs on.
    dest: usize,
    /// Whether any switch may have to send it elsewhere; otherwise only those with other links.
    anywhere: bool,
    aim: Aim,
    /// The LIDs of the same port: the base, and how many there are.
    range: (u16, u16),
    /// The port by which each switch sends to it.
    ports: Vec<u8>,
    /// End ports whose packets pass each switch.
    passing: Vec<u32>,
}

/// Routes in the making.
struct Patch<'a> {
    graph: &'a Graph,
    distances: &'a Distances,
    lfts: &'a Lfts,
    /// The switches that have other links now.
    changed: Vec<usize>,
    turns: TurnCounts,
    load: Vec<u64>,
    /// New entries: switch, LID and port.
    entries: Vec<(usize, Lid, u8)>,
    /// Whether all turns lead forward in the order of old.
    in_order: bool,
}

impl Ledger {
    /// Routes a fabric that differs only in links between switches from the one whose routes the
    /// ledger knows; these have to be in force. What stands in `job.previous` is not looked at.
    ///
    /// # Errors
    /// Why that has to be done afresh.
    pub fn reroute(&self, list: &str, job: &RouteJob<'_>) -> Result<(Outcome, Self), Afresh> {
        let same = first_named(list) == self.engine
            && *job.options == *self.options
            && *job.lids == self.lids
            && nodes(job.fabric) == self.nodes;
        if !same {
            return Err(Afresh::Changed);
        }
        let law = law(self.engine, job).ok_or(Afresh::Law)?;
        if !law.graph.has_hosts_of(&self.graph) {
            return Err(Afresh::Changed);
        }
        if law.order != self.order {
            return Err(Afresh::Law);
        }
        let distances = law.distances();
        let (graph, targets) = (&law.graph, Targets::new(job.fabric, &law.graph, job.lids));
        let changed: Vec<usize> =
            (0..graph.len()).filter(|s| graph.links(*s) != self.graph.links(*s)).collect();
        let touched = self.touched(job, graph, &targets, &distances, &changed);
        if touched.len() * graph.len() > CELLS {
            return Err(Afresh::Much);
        }
        let (touched, turns, load) = self.without(touched);
        let was = self.numbers(graph);
        let load = was.iter().map(|old| old.map_or(0, |old| load[old as usize])).collect();
        let mut patch = Patch {
            graph,
            distances: &distances,
            lfts: &self.lfts,
            changed,
            turns: turns.carry_to(graph, &was),
            load,
            entries: Vec::new(),
            in_order: true,
        };
        let mut new = Self { farthest: self.farthest.clone(), ..self.like() };
        patch.all(job, touched, &mut new).ok_or(Afresh::Loop)?;
        let reaches = |dest: usize, s: usize| distances.hops(dest, s) != FAR;
        let least = floor(job.lids, graph, &targets, &patch.load, reaches);
        let limit = least * LIMIT / 100;
        let Patch { mut turns, mut load, entries, in_order, .. } = patch;
        // With fewer links a routing made afresh is hardly better than the last one was.
        let fewer = was.len() < self.graph.link_count() && was.iter().all(Option::is_some);
        arrange(&mut turns, in_order, fewer)?;
        let mut kept = new.write(&self.lfts, &entries);
        let most = |load: &[u64]| load.iter().copied().max().unwrap_or(0);
        if most(&load) > limit {
            let moved = new.relieve(job, (&law, &distances), &targets, (&mut turns, &mut load));
            kept.moved = moves(&self.lfts, &new.lfts, &entries, moved);
        }
        let most = most(&load);
        let limit = if fewer && graph.len() >= LARGE { limit.max(self.fullest) } else { limit };
        if most > limit {
            return Err(Afresh::Full(most, limit));
        }
        let routes = self.routes(job, &law, &targets, &new.lfts);
        let Law { graph, order, .. } = law;
        let fullest = if fewer { self.fullest } else { most };
        let new = Self { graph, order, distances, turns, load, fullest, ..new };
        Ok((Outcome { routes: Some(routes), kept: Some(kept), ..Outcome::default() }, new))
    }

    /// What stays the same whatever the links, and nothing of the rest.
    fn like(&self) -> Self {
        Self {
            engine: self.engine,
            options: Arc::clone(&self.options),
            nodes: Arc::clone(&self.nodes),
            lids: self.lids.clone(),
            lfts: self.lfts.clone(),
            graph: Graph::default(),
            order: None,
            distances: Distances::default(),
            turns: TurnCounts::new(&Graph::default()),
            load: Vec::new(),
            entries: self.entries,
            farthest: Vec::new(),
            unreached: self.unreached.clone(),
            fullest: self.fullest,
        }
    }

    /// The LIDs that some switch may have to send elsewhere, ascending.
    fn touched(
        &self,
        job: &RouteJob<'_>,
        graph: &Graph,
        targets: &Targets,
        distances: &Distances,
        changed: &[usize],
    ) -> Vec<Touched> {
        let stays = |dest: usize, lid: Lid, s: usize| {
            let port = self.lfts.port(lk_fabric::SwitchId(s as u32), lid);
            let link = port.and_then(|port| graph.link_at(s, port));
            match link {
                Some(link) => distances.leads(graph, dest, s, link),
                None => s == dest || (port.is_none() && distances.hops(dest, s) == FAR),
            }
        };
        let of_switch = |dest: usize| {
            let anywhere = !distances.same(&self.distances, dest);
            let of_target = |target: &Target| {
                let range = (target.base.0, 1_u16 << target.lmc.min(7));
                let lids: Vec<Lid> = target.lids(job.lids).map(|(_, lid)| lid).collect();
                let moves = |lid: &Lid| anywhere || changed.iter().any(|s| !stays(dest, *lid, *s));
                let touch = move |lid: Lid| {
                    let (ports, passing) = (Vec::new(), Vec::new());
                    let aim = aim(job.fabric, job.lids, lid);
                    Touched { lid, dest, anywhere, aim, range, ports, passing }
                };
                lids.into_iter().filter(moves).map(touch).collect::<Vec<_>>()
            };
            targets.on(dest).iter().flat_map(of_target).collect::<Vec<_>>()
        };
        let mut touched: Vec<Touched> =
            (0..graph.len()).into_par_iter().flat_map_iter(of_switch).collect();
        touched.sort_by_key(|touched| touched.lid);
        touched
    }

    /// Reads the columns of some LIDs, and takes their turns and their load away.
    fn without(&self, mut touched: Vec<Touched>) -> (Vec<Touched>, TurnCounts, Vec<u64>) {
        let mut turns = self.turns.clone();
        let shared = turns.share();
        let load: Vec<AtomicU64> = self.load.iter().map(|load| AtomicU64::new(*load)).collect();
        let n = self.graph.len();
        touched.par_chunks_mut(WIDTH).for_each(|chunk| {
            let lids: Vec<Lid> = chunk.iter().map(|touched| touched.lid).collect();
            let mut way = Way::new(&self.graph);
            for (touched, ports) in chunk.iter_mut().zip(columns(&self.lfts, &lids).chunks(n)) {
                // Nothing goes round: a ledger has no such routes.
                way.follow(&self.graph, ports, touched.aim);
                let take = |link: usize, routes: u32| {
                    load[link].fetch_sub(u64::from(routes), Ordering::Relaxed);
                };
                way.tally(&self.graph, touched.aim, take, |link, out, who| {
                    shared.take(link, out, who)
                });
                touched.ports = ports.to_vec();
                touched.passing.clone_from(&way.passing);
            }
        });
        let counts = shared.finish();
        turns.set(counts);
        (touched, turns, load.into_iter().map(AtomicU64::into_inner).collect())
    }

    /// For each link of another graph the number that it has in this one.
    fn numbers(&self, graph: &Graph) -> Vec<Option<u32>> {
        let mut was = Vec::with_capacity(graph.link_count());
        for s in 0..graph.len() {
            for link in graph.links(s) {
                let old = self.graph.link_at(s, link.port);
                let old = old.filter(|old| self.graph.links(s)[*old] == *link);
                was.push(old.map(|old| (self.graph.first_link(s) + old) as u32));
            }
        }
        was
    }

    /// Writes new entries into the tables.
    fn write(&mut self, before: &Lfts, entries: &[(usize, Lid, u8)]) -> Kept {
        let mut kept = Kept { stood: self.entries, moved: 0 };
        let mut rows: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (s, lid, port) in entries {
            let row = rows.entry(*s).or_insert_with(|| before.rows[*s].to_vec());
            let was = std::mem::replace(&mut row[usize::from(lid.0)], *port);
            kept.moved += usize::from(was != Lfts::NO_PATH);
            self.entries += usize::from(*port != Lfts::NO_PATH);
            self.entries -= usize::from(was != Lfts::NO_PATH);
        }
        for (s, row) in rows {
            self.lfts.rows[s] = row.into();
        }
        kept
    }

    fn routes(&self, job: &RouteJob<'_>, law: &Law, targets: &Targets, lfts: &Lfts) -> Routes {
        let mut notes = law.notes.clone();
        if law.says_unconnected {
            notes.extend(crate::engines::unconnected(job, &law.graph, targets, lfts));
        }
        Routes {
            engine: self.engine,
            lfts: lfts.clone(),
            sl: SlPlan::Any,
            lanes: None,
            master_tree: None,
            notes,
        }
    }
}

/// Finds an order of the links for turns again, unless it stands. Where switches' packets close a
/// circle these are left out, until there are more links.
fn arrange(turns: &mut TurnCounts, in_order: bool, fewer: bool) -> Result<(), Afresh> {
    if turns.hosts_only() && !fewer {
        let mut all = turns.clone();
        all.count_switches();
        if all.arrange(&[]) {
            *turns = all;
            return Ok(());
        }
    }
    if in_order || turns.arrange(&[]) {
        return Ok(());
    }
    turns.leave_out_switches();
    turns.arrange(&[]).then_some(()).ok_or(Afresh::Circle)
}

/// How many entries that stood lead elsewhere: of those that were given and those that were moved
/// after that.
fn moves(
    before: &Lfts,
    now: &Lfts,
    entries: &[(usize, Lid, u8)],
    mut moved: BTreeSet<(Lid, u32)>,
) -> usize {
    moved.extend(entries.iter().map(|(s, lid, _)| (*lid, *s as u32)));
    let byte =
        |lfts: &Lfts, s: u32, lid: Lid| lfts.rows[s as usize].get(usize::from(lid.0)).copied();
    let moves = |(lid, s): &&(Lid, u32)| {
        let was = byte(before, *s, *lid);
        was != Some(Lfts::NO_PATH) && was != byte(now, *s, *lid)
    };
    moved.iter().filter(moves).count()
}

impl Patch<'_> {
    /// Moves what has to move, LID by LID, and writes down what is known of the new ways. None if
    /// something goes round.
    fn all(&mut self, job: &RouteJob<'_>, touched: Vec<Touched>, new: &mut Ledger) -> Option<()> {
        let gone: Vec<Lid> = touched.iter().map(|touched| touched.lid).collect();
        new.unreached.retain(|lost| gone.binary_search(&lost.lid).is_err());
        let mut way = Way::new(self.graph);
        for mut touched in touched {
            self.one(&mut touched);
            let Touched { lid, aim, ports, .. } = touched;
            let reached = way.follow(self.graph, &ports, aim)?;
            let (turns, load) = (&mut self.turns, &mut self.load);
            let mut in_order = true;
            way.tally(
                self.graph,
                aim,
                |link, routes| load[link] += u64::from(routes),
                |link, out, who| in_order &= turns.add(link, out, who),
            );
            self.in_order &= in_order;
            new.farthest[usize::from(lid.0)] = reached.farthest;
            new.unreached.extend(unreached(job, self.graph, &ports, lid, reached));
        }
        new.unreached.sort_by_key(|lost| lost.lid);
        Some(())
    }

    /// Moves the entries of one LID, those of the nearest switches first.
    fn one(&mut self, touched: &mut Touched) {
        let dest = touched.dest;
        let stays = |s: &usize| {
            let port = touched.ports[*s];
            match self.graph.link_at(*s, PortNum(port)) {
                Some(link) => self.distances.leads(self.graph, dest, *s, link),
                None => {
                    *s == dest || (port == Lfts::NO_PATH && self.distances.hops(dest, *s) == FAR)
                }
            }
        };
        let all: Vec<usize> = match touched.anywhere {
            true => (0..self.graph.len()).filter(|s| !stays(s)).collect(),
            false => self.changed.iter().copied().filter(|s| !stays(s)).collect(),
        };
        let mut moving = all.clone();
        moving.sort_by_key(|s| (self.distances.hops(dest, *s), *s));
        let mut ahead = Vec::new();
        for s in moving {
            let links = (0..self.graph.links(s).len() as u8)
                .filter(|link| self.distances.leads(self.graph, dest, s, usize::from(*link)));
            let best = self.best(touched, s, links);
            let port = best.map(|link| self.graph.links(s)[usize::from(link)].port.0);
            let port = port.unwrap_or(Lfts::NO_PATH);
            touched.ports[s] = port;
            self.entries.push((s, touched.lid, port));
            if !touched.aim.of_switch {
                let routes = self.brings(touched, &all, s);
                self.send_ahead(touched, s, routes, &mut ahead);
            }
        }
        // The whole column is counted when it is done.
        ahead.into_iter().for_each(|(link, routes)| self.load[link] -= routes);
    }

    /// Adds what a switch sends to the links of its new way, so that the next one sees it.
    fn send_ahead(
        &mut self,
        touched: &Touched,
        s: usize,
        routes: u64,
        ahead: &mut Vec<(usize, u64)>,
    ) {
        let mut at = s;
        for _ in 0..self.graph.len() {
            let Some(link) = self.graph.link_at(at, PortNum(touched.ports[at])) else { break };
            let number = self.graph.first_link(at) + link;
            self.load[number] += routes;
            ahead.push((number, routes));
            at = self.graph.links(at)[link].peer.index();
        }
    }

    /// The end ports whose packets come to a switch whatever becomes of those that move.
    fn brings(&self, touched: &Touched, moving: &[usize], s: usize) -> u64 {
        let mut routes = 0;
        let mut open = vec![s];
        while let Some(at) = open.pop() {
            routes += self.graph.hosts(at).len() as u64;
            // Ways that stay lead nearer and nearer, so none comes here again.
            let sends = |link: &&Link| touched.ports[link.peer.index()] == link.peer_port.0;
            let peers = self.graph.links(at).iter().filter(sends).map(|link| link.peer.index());
            open.extend(peers.filter(|peer| moving.binary_search(peer).is_err()));
        }
        routes
    }

    /// The best of some links of a switch. Of those that make turns that are quite new, one that
    /// closes no circle, if there is any.
    fn best(&self, touched: &Touched, s: usize, links: impl Iterator<Item = u8>) -> Option<u8> {
        let mut all: Vec<(Cost, u8)> =
            links.map(|link| (self.cost(touched, s, link), link)).collect();
        let best = *all.iter().min()?;
        if best.0.turn != Turn::New {
            return Some(best.1);
        }
        all.sort_unstable();
        let opens =
            |link: &u8| !self.turns_of(touched, s, *link).any(|(a, b)| self.turns.closes(a, b));
        let open = all.iter().map(|(_, link)| *link).find(opens);
        Some(open.unwrap_or(best.1))
    }

    /// The place of the link by which a switch sends to a LID.
    fn place(&self, touched: &Touched, s: usize) -> Option<u8> {
        self.graph.link_at(s, PortNum(touched.ports[s])).map(|link| link as u8)
    }

    /// The turns that a LID makes onto and from a link of a switch.
    fn turns_of(&self, touched: &Touched, s: usize, link: u8) -> impl Iterator<Item = (usize, u8)> {
        let graph = self.graph;
        let peer = graph.links(s)[usize::from(link)].peer.index();
        let onward =
            self.place(touched, peer).map(|out| (graph.first_link(s) + usize::from(link), out));
        let sends = |from: &&Link| {
            let peer = from.peer.index();
            touched.ports[peer] == from.peer_port.0 && touched.passing[peer] > 0
        };
        let from = graph.links(s).iter().filter(sends).map(move |from| {
            let peer = from.peer.index();
            let back = graph.link_at(peer, from.peer_port).unwrap_or(0);
            (graph.first_link(peer) + back, link)
        });
        onward.into_iter().chain(from).collect::<Vec<_>>().into_iter()
    }

    /// What speaks against a link.
    fn cost(&self, touched: &Touched, s: usize, link: u8) -> Cost {
        let graph = self.graph;
        let number = |s: usize, link: u8| graph.first_link(s) + usize::from(link);
        let near = graph.links(s)[usize::from(link)].peer.index();
        let turns = self.turns_of(touched, s, link);
        let turn = turns.map(|(a, b)| self.turns.kind(a, b)).max().unwrap_or(Turn::Forward);
        let mut loads = [0; 4];
        let (mut at, mut next) = (s, Some(link));
        for _ in 0..graph.len() {
            let Some(link) = next else { break };
            insert(&mut loads, self.load[number(at, link)]);
            at = graph.links(at)[usize::from(link)].peer.index();
            next = self.place(touched, at);
        }
        let (base, count) = touched.range;
        let others = (base..base.saturating_add(count)).filter(|lid| *lid != touched.lid.0);
        let row = &self.lfts.rows[s];
        let peer_of = |port: u8| graph.peer(s, PortNum(port)).map(|peer| peer.index());
        let alike = others
            .filter_map(|lid| row.get(usize::from(lid)))
            .filter(|port| peer_of(**port) == Some(near))
            .count();
        // The fewer turns there are that are quite new, the less they close circles.
        let loads = if turn == Turn::New { [0; 4] } else { loads };
        Cost { alike, turn, loads, link }
    }
}

/// What speaks against a link, the gravest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost {
    /// How many other LIDs of the port go to the same switch.
    alike: usize,
    /// Its worst turn.
    turn: Turn,
    /// The load of the fullest links of the way, the fullest first.
    loads: [u64; 4],
    /// The place of the link itself.
    link: u8,
}

/// Puts a load among the greatest ones, if it is one of them.
fn insert(loads: &mut [u64; 4], load: u64) {
    let mut load = load;
    for slot in loads {
        if load > *slot {
            std::mem::swap(slot, &mut load);
        }
    }
}
