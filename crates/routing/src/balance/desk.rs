//! One switch, choosing its ports.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use super::forecast::{Forecast, NO_LEAD};
use super::link_set::LinkSet;
use super::load::Load;
use super::ties::{Taste, Ties};
use super::trunk::{Course, NO_SUMMIT};
use super::wave::{Batch, Routed};
use crate::graph::Graph;
use crate::tables::Lfts;

/// No link was chosen. A switch has 254 ports at most, so no link has this place.
pub(crate) const NO_LINK: u8 = u8::MAX;

/// One switch at work.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    /// Its row of the tables.
    pub(crate) row: Vec<u8>,
    /// The links that the rule allows towards each destination of the wave.
    pub(crate) allowed: Vec<u64>,
    /// The links on shortest paths to each summit.
    pub(crate) to_summit: Vec<u64>,
    /// For each summit that link, where there is one only.
    lead: Vec<u8>,
    /// The switches below, as a set of bits. LIDs on them were not foreseen.
    below: Vec<u64>,
    /// For each link the links to the same neighbour. Empty where no port has several LIDs.
    parallel: Vec<u64>,
    /// Load by LIDs of end ports.
    hosts: Load,
    /// Load by base LIDs of end ports alone, where some port has several.
    bases: Load,
    /// Load by LIDs of switches.
    own: Load,
}

impl Desk {
    /// A switch with a row of the tables. `several` says whether some port has several LIDs.
    pub(crate) fn new(graph: &Graph, s: usize, row: Vec<u8>, several: bool, taste: &Taste) -> Self {
        let links = graph.links(s).len();
        let mut desk = Self {
            row,
            allowed: Vec::new(),
            to_summit: Vec::new(),
            lead: Vec::new(),
            below: Vec::new(),
            parallel: if several { parallel(graph, s) } else { Vec::new() },
            hosts: Load::new(links),
            bases: Load::new(if several { links } else { 0 }),
            own: Load::new(links),
        };
        if !taste.ignored.is_empty() {
            let ignored = &taste.ignored[graph.first_link(s)..][..links];
            for load in [&mut desk.hosts, &mut desk.bases, &mut desk.own] {
                load.ignore(ignored);
            }
        }
        desk
    }

    /// The load of its links by LIDs of end ports.
    pub(crate) const fn load(&self) -> &Load {
        &self.hosts
    }

    /// Notes where a single link leads to a summit, and foresees the LIDs of that summit on it.
    pub(crate) fn foresee(&mut self, graph: &Graph, s: usize, forecast: &Forecast<'_>) {
        let single = |set: &[u64]| {
            let ones: u32 = set.iter().map(|w| w.count_ones()).sum();
            let word = set.iter().position(|w| *w != 0).filter(|_| ones == 1)?;
            Some((word * 64) as u8 + set[word].trailing_zeros() as u8)
        };
        let sets = self.to_summit.chunks_exact(graph.words(s));
        self.lead = sets.map(|set| single(set).unwrap_or(NO_LEAD)).collect();
        let counts = forecast.of_switch(s, &self.lead, graph.links(s).len());
        self.hosts.foresee(&counts.hosts);
        self.own.foresee(&counts.own);
        if !self.parallel.is_empty() {
            self.bases.foresee(&counts.bases);
        }
        self.below = forecast.below(s).to_vec();
    }

    /// Chooses ports for the LIDs of one batch, given the number of end ports whose traffic for
    /// each arrives here. Where there is none, any port will do: only the switch itself sends. The
    /// links that were chosen, or [`NO_LINK`], go to `wave`, which has a place for each LID of the
    /// wave.
    pub(crate) fn choose(
        &mut self,
        (graph, s): (&Graph, usize),
        batch: &Batch,
        weights: &[AtomicU16],
        wave: &mut [u8],
        taste: &Taste,
    ) {
        let at = (graph, s);
        if let Some(link) = batch.like.map(|like| wave[like]) {
            let port = graph.links(s).get(usize::from(link)).map(|link| link.port.0);
            for (routed, chosen) in batch.lids.iter().zip(&mut wave[batch.first..]) {
                *chosen = link;
                self.row[usize::from(routed.lid)] = port.unwrap_or(Lfts::NO_PATH);
            }
            return;
        }
        let chosen = &mut wave[batch.first..][..batch.lids.len()];
        match graph.words(s) {
            1 => self.choose_by::<1>(at, batch, weights, chosen, taste),
            2 => self.choose_by::<2>(at, batch, weights, chosen, taste),
            3 => self.choose_by::<3>(at, batch, weights, chosen, taste),
            _ => self.choose_by::<4>(at, batch, weights, chosen, taste),
        }
    }

    fn choose_by<const W: usize>(
        &mut self,
        (graph, s): (&Graph, usize),
        batch: &Batch,
        weights: &[AtomicU16],
        chosen: &mut [u8],
        taste: &Taste,
    ) {
        let links = graph.links(s);
        let allowed = LinkSet::<W>::nth(&self.allowed, batch.bit);
        let several = !self.parallel.is_empty();
        let most = weights.iter().map(|weight| u32::from(weight.load(Relaxed))).max().unwrap_or(0);
        if taste.is_plain() && self.lead.is_empty() && !several {
            return self.deal((graph, s), allowed, batch, (weights, most), chosen);
        }
        let only = allowed.single();
        let mut taken = vec![LinkSet::<W>::EMPTY; if several { batch.ports } else { 0 }];
        match (batch.own, several) {
            (true, _) => self.own.settle(most),
            (false, false) => self.hosts.settle(most),
            (false, true) => {
                self.hosts.settle(most);
                self.bases.settle(most);
            }
        }
        let dest = batch.dest as usize;
        let below = self.below.get(dest / 64).is_some_and(|w| w >> (dest % 64) & 1 == 1);
        let foreseen = !below && !self.lead.is_empty();
        let row_len = links.len() as u32;
        let lids = batch.lids.iter().zip(weights).zip(chosen);
        for (at, ((routed, weight), chosen)) in lids.enumerate() {
            let weight = u32::from(weight.load(Relaxed));
            let base = several && !batch.own && at < batch.bases;
            if foreseen {
                self.arrive(routed, batch.own, base);
            }
            let link = only.or_else(|| {
                let free = match taken.get_mut(usize::from(routed.port)) {
                    Some(taken) => still_free(allowed, taken),
                    None => allowed,
                };
                if weight == 0 {
                    return free.next((u32::from(routed.lid) % row_len) as usize);
                }
                self.pick((allowed, free), routed, (batch.own, base), (s, taste))
            });
            let Some(link) = link else {
                *chosen = NO_LINK;
                continue;
            };
            *chosen = link as u8;
            self.row[usize::from(routed.lid)] = links[link].port.0;
            if let Some(taken) = taken.get_mut(usize::from(routed.port)) {
                taken.union(LinkSet::nth(&self.parallel, link));
            }
            if weight == 0 {
                continue;
            }
            let load = if batch.own { &mut self.own } else { &mut self.hosts };
            load.add(link, weight);
            if base {
                self.bases.add(link, weight);
            }
        }
    }

    /// Chooses where nothing but the load counts.
    fn deal<const W: usize>(
        &mut self,
        (graph, s): (&Graph, usize),
        allowed: LinkSet<W>,
        batch: &Batch,
        (weights, most): (&[AtomicU16], u32),
        chosen: &mut [u8],
    ) {
        let links = graph.links(s);
        let load = if batch.own { &mut self.own } else { &mut self.hosts };
        load.settle_lids(most);
        load.deal(allowed, weights, chosen);
        for ((routed, weight), chosen) in batch.lids.iter().zip(weights).zip(chosen) {
            if weight.load(Relaxed) == 0 {
                let place = u32::from(routed.lid) % links.len() as u32;
                *chosen = allowed.next(place as usize).map_or(NO_LINK, |link| link as u8);
            }
            if let Some(link) = links.get(usize::from(*chosen)) {
                self.row[usize::from(routed.lid)] = link.port.0;
            }
        }
    }

    /// A LID has its turn. If it was foreseen on a link, it no longer is.
    fn arrive(&mut self, routed: &Routed, own: bool, base: bool) {
        let lead = self.lead.get(routed.course[0] as usize).copied();
        let Some(lead) = lead.filter(|lead| *lead != NO_LEAD).map(usize::from) else { return };
        let load = if own { &mut self.own } else { &mut self.hosts };
        load.arrive(lead);
        if base {
            self.bases.arrive(lead);
        }
    }

    /// The link for one LID: the least loaded of those towards its summits, unless that one
    /// carries far more than another free one.
    fn pick<const W: usize>(
        &self,
        (allowed, free): (LinkSet<W>, LinkSet<W>),
        routed: &Routed,
        (own, base): (bool, bool),
        (s, taste): (usize, &Taste),
    ) -> Option<usize> {
        let load = match (own, base) {
            (true, _) => &self.own,
            (false, true) => &self.bases,
            (false, false) => &self.hosts,
        };
        let ties = taste.ties(routed.lid);
        let least = |set: LinkSet<W>| match ties {
            Ties::First => load.least(set, |_| 0),
            Ties::Random(_) => load.least(set, |link| ties.random(routed.lid, s, link)),
            Ties::Shift => load.least_shifted(set),
        };
        let (wanted, led) = narrow(allowed, &routed.course, &self.to_summit);
        // The summits of a port's LIDs differ already. Keeping to one's own matters more than
        // leaving by another port than the LID before, which may not even pass here.
        let wanted = if led { wanted.and(free).or_if_empty(wanted) } else { free };
        let best = match wanted.single() {
            Some(link) => link,
            None => least(wanted)?,
        };
        if wanted == free || taste.strict || !load.stands_out(best) {
            return Some(best);
        }
        let other = least(free)?;
        Some(if load.outweighs(best, other) { other } else { best })
    }
}

/// The allowed links that lie towards the summits of a LID, and whether that is fewer than all.
/// Each summit narrows down what the ones before it left.
fn narrow<const W: usize>(
    allowed: LinkSet<W>,
    course: &Course,
    to_summit: &[u64],
) -> (LinkSet<W>, bool) {
    let mut wanted = allowed;
    for summit in course.iter().take_while(|s| **s != NO_SUMMIT) {
        let nearer = wanted.and(LinkSet::nth(to_summit, *summit as usize));
        wanted = nearer.or_if_empty(wanted);
        if wanted.single().is_some() {
            break;
        }
    }
    (wanted, wanted != allowed)
}

/// The allowed links that lead to no neighbour which another LID of the same port uses; all, once
/// each neighbour has one.
fn still_free<const W: usize>(allowed: LinkSet<W>, taken: &mut LinkSet<W>) -> LinkSet<W> {
    let free = allowed.without(*taken);
    if free.is_empty() {
        *taken = LinkSet::EMPTY;
        return allowed;
    }
    free
}

fn parallel(graph: &Graph, s: usize) -> Vec<u64> {
    let words = graph.words(s);
    let links = graph.links(s);
    let mut sets = vec![0; links.len() * words];
    for (a, link) in links.iter().enumerate() {
        for (b, _) in links.iter().enumerate().filter(|(_, l)| l.peer == link.peer) {
            sets[a * words + b / 64] |= 1 << (b % 64);
        }
    }
    sets
}
