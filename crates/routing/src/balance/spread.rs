//! Fills the tables, destination by destination from the farthest switches inwards.
//!
//! For a wave of destinations the rounds go by distance. In each, all switches at that distance
//! choose their ports, in parallel, for each looks at its own load only; then the weight that
//! arrived at them is handed on to the switches they chose, in parallel by destination. So the
//! result is the same on any number of threads.

use std::sync::Arc;

use rayon::prelude::*;

use super::link_set::LinkSet;
use super::load::Load;
use super::trunk::{NO_SUMMIT, Summits};
use super::wave::{Batch, Wave, waves};
use crate::graph::Graph;
use crate::job::{Lfts, LidMap};
use crate::paths::min_hops::MinHops;
use crate::paths::{PathRule, Reach, push_link_sets};
use crate::targets::Targets;

/// The weight of one end port as a source.
const HOST: u32 = 64;
/// The weight of a switch's own port 0 as a source: management traffic only.
const SWITCH: u32 = 1;

/// What tables are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread<'a, R> {
    pub(crate) graph: &'a Graph,
    pub(crate) targets: &'a Targets,
    pub(crate) map: &'a LidMap,
    pub(crate) rule: &'a R,
    pub(crate) summits: &'a Summits,
}

/// One switch at work.
struct Desk {
    /// Its row of the tables.
    row: Arc<[u8]>,
    /// The links that the rule allows towards each destination of the wave.
    allowed: Vec<u64>,
    /// The links on shortest paths to each summit.
    to_summit: Vec<u64>,
    /// For each link the links to the same neighbour. Empty where no port has several LIDs.
    parallel: Vec<u64>,
    /// Load by LIDs of end ports.
    hosts: Load,
    /// Load by base LIDs of end ports alone, where some port has several.
    bases: Load,
    /// Load by LIDs of switches.
    own: Load,
}

impl<R: PathRule> Spread<'_, R> {
    /// The tables.
    pub(crate) fn fill(&self) -> Lfts {
        let top = self.map.top();
        let mut desks = self.desks();
        self.find_summits(&mut desks);
        for wave in waves(self.targets, self.map, self.summits, self.graph.len()) {
            self.route(&wave, &mut desks);
        }
        Lfts { top, rows: desks.into_iter().map(|d| d.row).collect() }
    }

    /// Whether some port has more than one LID.
    fn several_lids(&self) -> bool {
        self.map.ranges().iter().any(|(_, _, lmc)| *lmc > 0)
    }

    /// Empty tables but for what hangs on each switch itself.
    fn desks(&self) -> Vec<Desk> {
        let several = self.several_lids();
        let len = Lfts::row_len(self.map.top());
        let desk = |s: usize| {
            let links = self.graph.links(s).len();
            let mut row = vec![Lfts::NO_PATH; len];
            for target in self.targets.on(s) {
                for (_, lid) in target.lids(self.map) {
                    row[usize::from(lid.0)] = target.exit.0;
                }
            }
            Desk {
                row: row.into(),
                allowed: Vec::new(),
                to_summit: Vec::new(),
                parallel: if several { self.parallel(s) } else { Vec::new() },
                hosts: Load::new(links),
                bases: Load::new(if several { links } else { 0 }),
                own: Load::new(links),
            }
        };
        (0..self.graph.len()).into_par_iter().map(desk).collect()
    }

    fn parallel(&self, s: usize) -> Vec<u64> {
        let words = self.graph.words(s);
        let links = self.graph.links(s);
        let mut sets = vec![0; links.len() * words];
        for (a, link) in links.iter().enumerate() {
            for (b, _) in links.iter().enumerate().filter(|(_, l)| l.peer == link.peer) {
                sets[a * words + b / 64] |= 1 << (b % 64);
            }
        }
        sets
    }

    fn find_summits(&self, desks: &mut [Desk]) {
        let rule = MinHops { graph: self.graph };
        for summits in self.summits.switches.chunks(64) {
            let reach = rule.reach(summits);
            desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
                push_link_sets(self.graph, &rule, &reach, s, &mut desk.to_summit);
            });
        }
    }

    fn route(&self, wave: &Wave, desks: &mut [Desk]) {
        let reach = self.rule.reach(&wave.dests);
        desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
            desk.allowed.clear();
            push_link_sets(self.graph, self.rule, &reach, s, &mut desk.allowed);
        });
        let mut weights: Vec<Vec<u32>> =
            wave.batches.par_iter().map(|batch| self.sources(batch.lids.len())).collect();
        for h in (1..reach.levels.len()).rev() {
            desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
                self.choose_all(wave, &reach, h, s, desk, &weights);
            });
            if h > 1 {
                let level = &reach.levels[h];
                wave.batches.par_iter().zip(&mut weights).for_each(|(batch, weights)| {
                    self.hand_on(batch, level, desks, weights);
                });
            }
        }
    }

    /// The weight of the sources on each switch itself, for each of `lids` LIDs.
    fn sources(&self, lids: usize) -> Vec<u32> {
        let mut out = Vec::with_capacity(self.graph.len() * lids);
        for s in 0..self.graph.len() {
            let weight = self.graph.hosts(s).len() as u32 * HOST + SWITCH;
            out.resize(out.len() + lids, weight);
        }
        out
    }

    /// Adds what arrived at the switches of a level to the switches they send to.
    fn hand_on(&self, batch: &Batch, level: &[u64], desks: &[Desk], weights: &mut [u32]) {
        let count = batch.lids.len();
        for (s, desk) in desks.iter().enumerate() {
            if level[s] >> batch.bit & 1 == 0 {
                continue;
            }
            for (at, routed) in batch.lids.iter().enumerate() {
                let port = desk.row[usize::from(routed.lid)].into();
                if let Some(peer) = self.graph.peer(s, port) {
                    let weight = weights[s * count + at];
                    let sum = &mut weights[peer.index() * count + at];
                    *sum = sum.saturating_add(weight);
                }
            }
        }
    }

    fn choose_all(
        &self,
        wave: &Wave,
        reach: &Reach,
        h: usize,
        s: usize,
        desk: &mut Desk,
        weights: &[Vec<u32>],
    ) {
        for (batch, weights) in wave.batches.iter().zip(weights) {
            if reach.levels[h][s] >> batch.bit & 1 == 0 {
                continue;
            }
            let count = batch.lids.len();
            let weights = &weights[s * count..(s + 1) * count];
            match self.graph.words(s) {
                1 => self.choose::<1>(s, batch, desk, weights),
                2 => self.choose::<2>(s, batch, desk, weights),
                3 => self.choose::<3>(s, batch, desk, weights),
                _ => self.choose::<4>(s, batch, desk, weights),
            }
        }
    }

    /// Chooses the ports of one switch for the LIDs of one batch.
    fn choose<const W: usize>(&self, s: usize, batch: &Batch, desk: &mut Desk, weights: &[u32]) {
        let Desk { row, allowed, to_summit, parallel, hosts, bases, own } = desk;
        // Each row has one owner until the tables are handed out.
        let Some(row) = Arc::get_mut(row) else { return };
        let links = self.graph.links(s);
        let allowed = LinkSet::<W>::nth(allowed, batch.bit);
        let only = allowed.single();
        let several = !parallel.is_empty();
        let mut taken = vec![LinkSet::<W>::EMPTY; if several { batch.ports } else { 0 }];
        for load in [&mut *hosts, &mut *bases, &mut *own] {
            load.settle();
        }
        for (at, routed) in batch.lids.iter().enumerate() {
            let weight = weights[at];
            let base = several && !batch.own && at < batch.bases;
            let load = match (batch.own, base) {
                (true, _) => &mut *own,
                (false, true) => &mut *bases,
                (false, false) => &mut *hosts,
            };
            let link = only.or_else(|| {
                let mut free = allowed;
                if several {
                    free = allowed.without(taken[usize::from(routed.port)]);
                    if free.is_empty() {
                        taken[usize::from(routed.port)] = LinkSet::EMPTY;
                        free = allowed;
                    }
                }
                let wanted = match routed.summit {
                    NO_SUMMIT => free,
                    summit => free.and(LinkSet::nth(to_summit, summit as usize)).or_if_empty(free),
                };
                pick(load, free, wanted, weight)
            });
            let Some(link) = link else { continue };
            if several {
                taken[usize::from(routed.port)].union(LinkSet::nth(parallel, link));
            }
            let used = weight >= HOST;
            load.add(link, weight, used);
            if base {
                hosts.add(link, weight, used);
            }
            row[usize::from(routed.lid)] = links[link].port.0;
        }
    }
}

/// The least loaded of the wanted links, unless it carries far more than another free one.
fn pick<const W: usize>(
    load: &Load,
    free: LinkSet<W>,
    wanted: LinkSet<W>,
    weight: u32,
) -> Option<usize> {
    let best = match wanted.single() {
        Some(link) => link,
        None => load.least(wanted.iter())?,
    };
    if wanted == free || !load.stands_out(best, weight) {
        return Some(best);
    }
    let other = load.least(free.iter())?;
    Some(if load.outweighs(best, other, weight) { other } else { best })
}
