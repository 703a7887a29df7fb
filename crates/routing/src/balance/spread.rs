//! Fills the tables, destination by destination from the farthest switches inwards.
//!
//! For a wave of destinations the rounds go by distance. In each, all switches at that distance
//! choose their ports, in parallel, for each looks at its own load only; then the weight that
//! arrived at them is handed on to the switches they chose, in parallel by destination. So the
//! result is the same on any number of threads.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;

use super::climbs::Climbs;
use super::desk::{Desk, NO_LINK};
use super::forecast::Forecast;
use super::ties::Taste;
use super::trunk::Summits;
use super::turns::Turn;
use super::wave::{Batch, Switches, Wave, waves};
use crate::graph::Graph;
use crate::paths::min_hops::MinHops;
use crate::paths::{ByDestination, PathRule, bits, push_link_sets};
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// What tables are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread<'a, R> {
    /// The switches.
    pub(crate) graph: &'a Graph,
    /// The destinations.
    pub(crate) targets: &'a Targets,
    /// Their LIDs.
    pub(crate) map: &'a LidMap,
    /// The order in which they are routed.
    pub(crate) turns: &'a [Turn],
    /// The ports that may be used.
    pub(crate) rule: &'a R,
    /// Distances, for the ways to the summits.
    pub(crate) roads: MinHops<'a>,
    /// What options say of the choice of links.
    pub(crate) taste: &'a Taste,
    /// Up and down, as the summits were found by it.
    pub(crate) climbs: &'a Climbs,
    /// The ports that should be used.
    pub(crate) summits: &'a Summits,
}

impl<R: PathRule> Spread<'_, R> {
    /// The tables, and how many routes between end ports each directed link carries and how many
    /// LIDs, as far as its load is counted.
    pub(crate) fn fill_and_weigh(&self) -> (Lfts, Vec<u64>, Vec<u32>) {
        let top = self.map.top();
        let mut desks = self.desks();
        self.find_summits(&mut desks);
        for wave in waves(self.turns, self.map, self.summits, self.graph.len(), self.switches()) {
            self.route(&wave, &mut desks);
        }
        let load = desks.iter().flat_map(|desk| desk.load().weights()).collect();
        let lids = desks.iter().flat_map(|desk| desk.load().lids()).collect();
        (Lfts { top, rows: desks.into_par_iter().map(|d| d.row.into()).collect() }, load, lids)
    }

    /// Where load alone decides, the LIDs of switches need no look of their own: they get little
    /// traffic.
    fn switches(&self) -> Switches {
        let several = self.map.ranges().iter().any(|(_, _, lmc)| *lmc > 0);
        match self.taste.count_switches {
            true => Switches::Together,
            false if self.summits.switches.is_empty() && self.taste.is_plain() && !several => {
                Switches::Alike
            }
            false => Switches::Apart,
        }
    }

    /// Empty tables but for what hangs on each switch itself.
    fn desks(&self) -> Vec<Desk> {
        let several = self.map.ranges().iter().any(|(_, _, lmc)| *lmc > 0);
        let len = Lfts::row_len(self.map.top());
        let desk = |s: usize| {
            let mut row = vec![Lfts::NO_PATH; len];
            for target in self.targets.on(s) {
                for (_, lid) in target.lids(self.map) {
                    row[usize::from(lid.0)] = target.exit.0;
                }
            }
            Desk::new(self.graph, s, row, several, self.taste)
        };
        (0..self.graph.len()).into_par_iter().map(desk).collect()
    }

    /// Tells each switch its ways to the summits.
    fn find_summits(&self, desks: &mut [Desk]) {
        let rule = self.roads;
        for summits in self.summits.switches.chunks(64) {
            let reach = rule.reach(summits);
            desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
                push_link_sets(self.graph, &rule, &reach, s, &mut desk.to_summit);
            });
        }
        let forecast = Forecast::new(
            self.targets,
            self.map,
            self.summits,
            self.climbs,
            self.taste.count_switches,
        );
        desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
            desk.foresee(self.graph, s, &forecast);
        });
    }

    fn route(&self, wave: &Wave, desks: &mut [Desk]) {
        let reach = self.rule.reach(&wave.dests);
        desks.par_iter_mut().enumerate().for_each(|(s, desk)| {
            desk.allowed.clear();
            push_link_sets(self.graph, self.rule, &reach, s, &mut desk.allowed);
        });
        let weights = self.sources(wave.size);
        // By switch, then by LID of the wave: the links that were chosen.
        let mut chosen = vec![NO_LINK; self.graph.len() * wave.size];
        for (h, level) in reach.levels.iter().enumerate().skip(1).rev() {
            let work = desks.par_iter_mut().zip(chosen.par_chunks_mut(wave.size)).enumerate();
            work.filter(|(s, _)| level[*s] != 0).for_each(|(s, (desk, chosen))| {
                for at in bits(level[s]).flat_map(|bit| wave.of(bit)) {
                    let batch = &wave.batches[at];
                    let count = batch.lids.len();
                    let weights = &weights[s * wave.size + batch.first..][..count];
                    desk.choose((self.graph, s), batch, weights, chosen, self.taste);
                }
            });
            if h > 1 {
                let senders = ByDestination::new(level);
                wave.batches.par_iter().filter(|batch| batch.like.is_none()).for_each(|batch| {
                    let senders = senders.switches(batch.bit);
                    self.hand_on(batch, senders, (&chosen, wave.size), &weights);
                });
            }
        }
    }

    /// The end ports on each switch itself as sources, for each of `lids` LIDs, switch by switch.
    /// There are fewer than 2^16 LIDs, so fewer sources; what is above counts as the most.
    fn sources(&self, lids: usize) -> Vec<AtomicU16> {
        let mut out = Vec::with_capacity(self.graph.len() * lids);
        for s in 0..self.graph.len() {
            let hosts = u16::try_from(self.graph.hosts(s).len()).unwrap_or(u16::MAX);
            out.extend(std::iter::repeat_with(|| AtomicU16::new(hosts)).take(lids));
        }
        out
    }

    /// Adds what arrived at some switches to the switches they send to. The weights of a batch are
    /// one thread's alone.
    fn hand_on(
        &self,
        batch: &Batch,
        senders: impl Iterator<Item = usize>,
        (chosen, size): (&[u8], usize),
        weights: &[AtomicU16],
    ) {
        for s in senders {
            let links = self.graph.links(s);
            let first = s * size + batch.first;
            for (at, link) in chosen[first..][..batch.lids.len()].iter().enumerate() {
                let weight = weights[first + at].load(Relaxed);
                if weight == 0 {
                    continue;
                }
                if let Some(link) = links.get(usize::from(*link)) {
                    let sum = &weights[link.peer.index() * size + batch.first + at];
                    sum.store(sum.load(Relaxed).saturating_add(weight), Relaxed);
                }
            }
        }
    }
}
