//! From routes that stand to those of a fabric with other links.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lk_wire::Lid;

use super::choose::Patch;
use super::law::Law;
use super::moving::{Ahead, Moving};
use super::stock::{columns, unreached};
use super::turns::TurnCounts;
use super::way::{Reached, Way};
use super::ways::Ways;
use super::{Afresh, Ledger, law, nodes};
use crate::engines::{Outcome, first_named};
use crate::graph::Graph;
use crate::job::{RouteJob, Routes, SlPlan};
use crate::keep::{Kept, LIMIT};
use crate::paths::distances::{Distances, FAR};
use crate::relief::floor::floor;
use crate::tables::Lfts;
use crate::targets::Targets;

/// Entries that move one by one, at most; with more it would be slower than to route afresh.
const SITES: usize = 1 << 17;

/// Switches of a fabric that takes long to be routed afresh.
const LARGE: usize = 256;

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
        let ahead = Ahead { graph, distances: &distances, changed: &changed };
        let moving = self.moving(job, &targets, &ahead);
        if moving.iter().map(|moving| moving.sites.len()).sum::<usize>() > SITES {
            return Err(Afresh::Much);
        }
        let was = self.numbers(graph);
        let load = was.iter().map(|old| old.map_or(0, |old| self.load[old as usize])).collect();
        let turns = self.turns.carry_to(graph, &was);
        let mut patch = Patch::new(graph, &distances, &self.lfts, turns, load);
        let mut new = Self { farthest: self.farthest.clone(), ..self.like() };
        self.move_all(job, &mut patch, moving, &mut new).ok_or(Afresh::Loop)?;
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
            direct: self.direct,
            fullest: self.fullest,
        }
    }

    /// Moves what has to move, LID by LID, and writes down what is known of the new ways. None if
    /// something goes round.
    fn move_all(
        &self,
        job: &RouteJob<'_>,
        patch: &mut Patch<'_>,
        mut all: Vec<Moving>,
        new: &mut Self,
    ) -> Option<()> {
        let gone: Vec<Lid> = all.iter().map(|moving| moving.lid).collect();
        new.unreached.retain(|lost| gone.binary_search(&lost.lid).is_err());
        let mut ways = Ways::new(&self.graph, patch.graph, &self.lfts);
        let mut way = Way::new(patch.graph);
        // What goes elsewhere weighs on nothing until it is known where.
        for moving in &mut all {
            ways.turn_to(moving);
            patch.unload(&ways, moving);
        }
        for moving in &all {
            ways.turn_to(moving);
            patch.choose(&mut ways, moving);
            patch.in_order &= ways.tally(moving, &mut patch.turns);
            let (dest, lid) = (moving.dest, moving.lid);
            let column = || {
                let mut ports = columns(&self.lfts, &[lid]);
                moving.sites.iter().for_each(|site| ports[site.switch] = ways.port(site.switch));
                ports
            };
            let (whole, farthest) = patch.distances.reached(dest);
            let reached = match self.direct {
                true => Reached { whole, farthest },
                false => way.follow(patch.graph, &column(), moving.aim)?,
            };
            if !reached.whole {
                new.unreached.extend(unreached(job, patch.graph, &column(), lid, reached));
            }
            new.farthest[usize::from(lid.0)] = reached.farthest;
        }
        new.unreached.sort_by_key(|lost| lost.lid);
        Some(())
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
        if all.arrange() {
            *turns = all;
            return Ok(());
        }
    }
    if in_order || turns.arrange() {
        return Ok(());
    }
    turns.leave_out_switches();
    turns.arrange().then_some(()).ok_or(Afresh::Circle)
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
