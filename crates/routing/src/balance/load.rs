//! What the links of one switch carry, and which of several is the least loaded.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use super::link_set::LinkSet;

/// What one link carries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct OnLink {
    weight: u64,
    lids: u32,
    foreseen: u32,
}

impl OnLink {
    /// The load by which links are compared where nothing is foreseen.
    fn key(&self, lid_mean: u64) -> (u64, u64) {
        ((u64::from(self.lids) * lid_mean).max(self.weight), self.weight)
    }
}

/// As many links are looked at side by side.
const HAND: usize = 8;

/// The load on the links of one switch, by place in its row.
///
/// Two things are counted: LIDs whose traffic passes, and the weight of that traffic (the number
/// of sources). On a tree they say the same. On other graphs a few LIDs may carry most of the
/// weight, and after a failure a switch may get many LIDs with one source each; a link is as
/// loaded as the worse of the two says.
///
/// On a tree the LIDs that each uplink will get are foreseen from their summits. Those that are
/// still to come count, too: else the links they will take would be filled up before with LIDs
/// that have a choice. The means are then those of the uplinks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Load {
    links: Vec<OnLink>,
    /// Links whose load is not counted; empty where all are.
    ignored: Vec<bool>,
    /// Whether a link is one of those that the means are made of.
    counts: Vec<bool>,
    counting: u64,
    guided: bool,
    all_weight: u64,
    all_lids: u64,
    all_foreseen: u64,
    lid_mean: u64,
    link_mean: u64,
}

impl Load {
    /// No load on `links` links.
    pub(crate) fn new(links: usize) -> Self {
        let (counts, counting) = (vec![true; links], links as u64);
        Self { links: vec![OnLink::default(); links], counts, counting, ..Self::default() }
    }

    /// Says on which links no load is counted.
    pub(crate) fn ignore(&mut self, links: &[bool]) {
        self.ignored = links.to_vec();
    }

    /// The weight on each link.
    pub(crate) fn weights(&self) -> impl Iterator<Item = u64> + '_ {
        self.links.iter().map(|link| link.weight)
    }

    /// The LIDs on each link.
    pub(crate) fn lids(&self) -> impl Iterator<Item = u32> + '_ {
        self.links.iter().map(|link| link.lids)
    }

    /// Foresees LIDs on links.
    pub(crate) fn foresee(&mut self, lids: &[u32]) {
        self.all_foreseen = lids.iter().map(|n| u64::from(*n)).sum();
        if self.all_foreseen > 0 {
            self.guided = true;
            self.counts = lids.iter().map(|n| *n > 0).collect();
            self.counting = self.counts.iter().filter(|c| **c).count() as u64;
        }
        for (link, lids) in self.links.iter_mut().zip(lids) {
            link.foreseen = *lids;
        }
    }

    /// A LID that was foreseen on a link has its turn, whichever way it goes now.
    pub(crate) fn arrive(&mut self, link: usize) {
        let foreseen = &mut self.links[link].foreseen;
        *foreseen = foreseen.saturating_sub(1);
        self.all_foreseen = self.all_foreseen.saturating_sub(1);
    }

    /// Counts one LID with the weight of its sources, on the link it takes. Without sources it
    /// is no load.
    pub(crate) fn add(&mut self, link: usize, weight: u32) {
        if weight == 0 || self.ignored.get(link) == Some(&true) {
            return;
        }
        self.links[link].weight += u64::from(weight);
        self.links[link].lids += 1;
        if self.counts[link] {
            self.all_weight += u64::from(weight);
            self.all_lids += 1;
        }
    }

    /// Gives each of some LIDs, by the weight of its sources, the least loaded link of a set, as
    /// [`Self::least`] has it, and counts it there. LIDs without sources are passed over. Nothing
    /// may be foreseen, and no link ignored.
    pub(crate) fn deal<const W: usize>(
        &mut self,
        set: LinkSet<W>,
        weights: &[AtomicU16],
        chosen: &mut [u8],
    ) {
        let (mut places, mut keys, mut count) = ([0; HAND], [(0, 0); HAND], 0);
        set.each(|link| {
            if count < HAND {
                (places[count], keys[count]) = (link as u8, self.links[link].key(self.lid_mean));
            }
            count += 1;
        });
        if count == 0 || count > HAND {
            return self.deal_many(set, weights, chosen);
        }
        for (weight, chosen) in weights.iter().zip(chosen) {
            let weight = u32::from(weight.load(Relaxed));
            if weight == 0 {
                continue;
            }
            let mut least = 0;
            for at in 1..count {
                if keys[at] < keys[least] {
                    least = at;
                }
            }
            *chosen = places[least];
            let on = &mut self.links[usize::from(places[least])];
            on.weight += u64::from(weight);
            on.lids += 1;
            keys[least] = on.key(self.lid_mean);
            self.all_weight += u64::from(weight);
            self.all_lids += 1;
        }
    }

    /// The same for a set of any size.
    fn deal_many<const W: usize>(
        &mut self,
        set: LinkSet<W>,
        weights: &[AtomicU16],
        chosen: &mut [u8],
    ) {
        for (weight, chosen) in weights.iter().zip(chosen) {
            let weight = u32::from(weight.load(Relaxed));
            if let Some(link) = self.least(set, |_| 0).filter(|_| weight > 0) {
                *chosen = link as u8;
                self.add(link, weight);
            }
        }
    }

    /// Brings the means up to date with what was added. They need not be exact, and a division
    /// for each LID is slow, so this is called once for a group of LIDs. `most` is the greatest
    /// weight in the group; it stands for the mean as long as there is none.
    pub(crate) fn settle(&mut self, most: u32) {
        self.settle_lids(most);
        let all = self.all_weight + self.all_foreseen * self.lid_mean;
        self.link_mean = all / self.counting.max(1);
    }

    /// The same where only the mean of LIDs is asked for.
    pub(crate) fn settle_lids(&mut self, most: u32) {
        self.lid_mean = match self.all_lids {
            0 => u64::from(most),
            lids => self.all_weight / lids,
        };
    }

    /// The load of a link, in units of weight: its LIDs count with the mean weight.
    #[inline]
    fn of(&self, link: usize) -> u64 {
        let on = &self.links[link];
        let lids = u64::from(on.lids) * self.lid_mean;
        let seen = if self.guided { lids } else { lids.max(on.weight) };
        seen + u64::from(on.foreseen) * self.lid_mean
    }

    /// The least loaded link of a set; of equal ones that with the least weight, and then the one
    /// for which `tie` is least, or else the first. `None` for the empty set.
    #[inline]
    pub(crate) fn least<const W: usize>(
        &self,
        set: LinkSet<W>,
        tie: impl Fn(usize) -> u64,
    ) -> Option<usize> {
        let mut best = None;
        let mut least = (u64::MAX, u64::MAX);
        set.each(|link| {
            let load = (self.of(link), self.links[link].weight);
            let better = match load.cmp(&least) {
                Ordering::Equal => best.is_none_or(|best| tie(link) < tie(best)),
                order => order == Ordering::Less,
            };
            if better {
                (best, least) = (Some(link), load);
            }
        });
        best
    }

    /// The same, but of equal links the first one from a place on that the load of the whole set
    /// says.
    pub(crate) fn least_shifted<const W: usize>(&self, set: LinkSet<W>) -> Option<usize> {
        let mut links = Vec::new();
        set.each(|link| links.push(link));
        let count = links.len().max(1);
        let sum: usize = links.iter().map(|link| self.links[*link].lids as usize).sum();
        let start = sum / count % count;
        let place = |at: usize| (self.of(links[at]), (at + count - start) % count);
        (0..links.len()).min_by_key(|at| place(*at)).map(|at| links[at])
    }

    /// Whether one more LID would load a link above the mean, so that it is worth looking for
    /// another.
    pub(crate) fn stands_out(&self, link: usize) -> bool {
        over(self.of(link) + self.lid_mean, self.link_mean)
    }

    /// Whether one more LID would load the first link so much more than the second that it should
    /// rather take the second.
    pub(crate) fn outweighs(&self, link: usize, other: usize) -> bool {
        over(self.of(link) + self.lid_mean, self.of(other) + self.lid_mean)
    }
}

/// More by a tenth.
fn over(load: u64, other: u64) -> bool {
    load > other + other / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dealt_links_are_those_that_are_the_least_loaded_one_by_one() {
        const LINKS: usize = 70;
        let (mut dealt, mut one_by_one) = (Load::new(LINKS), Load::new(LINKS));
        for turn in 0..400_u64 {
            let scrambled = |salt: u64| (turn + salt).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            // Sets of one link, of few and of many.
            let bits = scrambled(1) & scrambled(2).rotate_left((turn % 60) as u32);
            let set = LinkSet([if turn % 3 == 0 { 0 } else { bits }, 1 << (turn % 6)]);
            let weights: Vec<AtomicU16> =
                (0..5).map(|at| AtomicU16::new((scrambled(at) >> 61) as u16)).collect();
            let mut chosen = [u8::MAX; 5];
            dealt.settle_lids(9);
            dealt.deal(set, &weights, &mut chosen);
            one_by_one.settle_lids(9);
            for (weight, chosen) in weights.iter().map(|w| w.load(Relaxed)).zip(chosen) {
                let least = one_by_one.least(set, |_| 0).filter(|_| weight > 0);
                assert_eq!(chosen, least.map_or(u8::MAX, |link| link as u8), "turn {turn}");
                least.iter().for_each(|link| one_by_one.add(*link, weight.into()));
            }
        }
        assert_eq!(dealt.links, one_by_one.links);
    }
}
