//! Which LIDs each switch will send over which of its uplinks, as far as summits tell.

use super::climbs::Climbs;
use super::trunk::{NO_SUMMIT, Summits};
use crate::tables::LidMap;
use crate::targets::{Target, Targets};

/// No single link leads to a summit.
pub(crate) const NO_LEAD: u8 = u8::MAX;

/// Numbers of LIDs by link, or by summit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    /// LIDs of end ports.
    pub(crate) hosts: Vec<u32>,
    /// Base LIDs of end ports.
    pub(crate) bases: Vec<u32>,
    /// LIDs of switches.
    pub(crate) own: Vec<u32>,
}

impl Counts {
    fn new(len: usize) -> Self {
        Self { hosts: vec![0; len], bases: vec![0; len], own: vec![0; len] }
    }
}

/// What is needed to tell.
#[derive(Clone, Debug)]
pub(crate) struct Forecast<'a> {
    targets: &'a Targets,
    map: &'a LidMap,
    summits: &'a Summits,
    below: Vec<Vec<u64>>,
    all: Counts,
    count_switches: bool,
}

impl<'a> Forecast<'a> {
    /// Counts the LIDs of each summit.
    pub(crate) fn new(
        targets: &'a Targets,
        map: &'a LidMap,
        summits: &'a Summits,
        climbs: &Climbs,
        count_switches: bool,
    ) -> Self {
        let below = if summits.switches.is_empty() { Vec::new() } else { climbs.below() };
        let all = Counts::new(summits.switches.len());
        let mut forecast = Self { targets, map, summits, below, all, count_switches };
        let mut all = std::mem::take(&mut forecast.all);
        for s in 0..climbs.len() {
            forecast.add(s, &mut all, 1, |summit| Some(summit as usize));
        }
        forecast.all = all;
        forecast
    }

    /// The switches that stand below a switch, itself among them, as a set of bits.
    pub(crate) fn below(&self, s: usize) -> &[u64] {
        self.below.get(s).map_or(&[], Vec::as_slice)
    }

    /// The LIDs to come on each of the switch's `links` links, given the only link to each summit
    /// (or [`NO_LEAD`]). To what is below the way is down, so that is left out.
    pub(crate) fn of_switch(&self, s: usize, lead: &[u8], links: usize) -> Counts {
        let mut counts = Counts::new(links);
        let place = |summit: u32| Some(lead[summit as usize]).filter(|l| *l != NO_LEAD);
        if lead.iter().all(|l| *l == NO_LEAD) {
            return counts;
        }
        for (summit, link) in lead.iter().take(self.summits.switches.len()).enumerate() {
            if *link != NO_LEAD {
                counts.hosts[usize::from(*link)] += self.all.hosts[summit];
                counts.bases[usize::from(*link)] += self.all.bases[summit];
                counts.own[usize::from(*link)] += self.all.own[summit];
            }
        }
        for (word, set) in self.below(s).iter().enumerate() {
            for bit in crate::paths::bits(*set) {
                self.add(word * 64 + bit, &mut counts, -1, |summit| place(summit).map(usize::from));
            }
        }
        counts
    }

    /// Adds the LIDs on one destination switch to counts, or takes them away.
    fn add(&self, s: usize, counts: &mut Counts, sign: i32, place: impl Fn(u32) -> Option<usize>) {
        for target in self.targets.on(s) {
            for (offset, lid) in target.lids(self.map) {
                let summit = self.summits.courses[usize::from(lid.0)][0];
                let Some(at) = Some(summit).filter(|s| *s != NO_SUMMIT).and_then(&place) else {
                    continue;
                };
                let of_switch = Target::is_switch(target) && !self.count_switches;
                let kinds = [
                    (of_switch, &mut counts.own),
                    (!of_switch, &mut counts.hosts),
                    (!of_switch && offset == 0, &mut counts.bases),
                ];
                for (_, count) in kinds.into_iter().filter(|(is, _)| *is) {
                    count[at] = count[at].saturating_add_signed(sign);
                }
            }
        }
    }
}
