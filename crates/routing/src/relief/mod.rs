//! Takes routes off the fullest links.
//!
//! The engines choose entry by entry, and each switch sees its own links alone. On a whole tree
//! that is enough. Where links have failed it is not: all switches whose way to a LID is gone look
//! alike from where each of them stands, take the same other way, and a link far off carries twice
//! what it should. What is done about that, with the load of all links known:
//!
//! * A limit is set: what the fullest link has to carry at least ([`floor`]). Links above it are
//!   relieved, the fullest first. Where that does not work out, the limit is set nearer to the
//!   fullest, and lower again afterwards.
//! * To relieve a link, the LIDs that go over it are looked at one by one. [`shift`] moves a LID's
//!   entry at the switch itself, or at one before it on the way, to another step that the law of
//!   the engine allows, if no link of the new way comes above the limit.
//!
//! * A moved piece makes a LID's ways more. Where a link leads up a tree, it takes no more LIDs
//!   than about its share of those that its switch sends up ([`Lids`]): whatever the pattern of
//!   the traffic is, LIDs are what shares a link then.
//!
//! So no link gets fuller than the limit by it, and the fullest link never gets fuller. Ways keep
//! their length. The work is one thread's, so that it comes out the same on any number of them, and
//! is bounded: fabrics whose loads cannot be evened out are many. It goes LID by LID, so where
//! there is much of it the tables are turned on their side first ([`entries`]).

mod entries;
pub(crate) mod floor;
mod shift;

use std::collections::BTreeSet;

use lk_wire::Lid;

use crate::graph::Graph;
use crate::paths::distances::Distances;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;
use entries::Entries;
use shift::Room;

/// Which turns packets may make.
pub(crate) trait Turning {
    /// Whether those that come by a directed link, given by the switch that it leaves and its
    /// number among all, may go on from a switch by a link, given by its place in the row.
    fn may(&self, from: usize, link: usize, at: usize, out: u8) -> bool;
}

/// Turns that lead down and up again are left out, but for those that there are.
#[derive(Clone, Debug)]
pub(crate) struct NoValley<'a> {
    /// The switches and links.
    pub(crate) graph: &'a Graph,
    /// How high each switch stands; nothing where that does not count.
    pub(crate) height: Vec<u32>,
}

impl Turning for NoValley<'_> {
    fn may(&self, from: usize, _link: usize, at: usize, out: u8) -> bool {
        let to = self.graph.links(at)[usize::from(out)].peer.index();
        self.height.is_empty()
            || self.height[at] >= self.height[from]
            || self.height[at] >= self.height[to]
    }
}

/// How many LIDs of end ports each link carries, where that counts: on links that lead up.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lids {
    /// By directed link.
    carried: Vec<u32>,
    /// The switch that the link leaves, if the link leads up.
    from: Vec<Option<u32>>,
    /// For each switch how many links lead up, and the LIDs on all of them.
    ups: Vec<(u32, u32)>,
}

impl Lids {
    /// The LIDs that each directed link carries, given how high each switch stands.
    pub(crate) fn new(graph: &Graph, height: &[u32], carried: Vec<u32>) -> Self {
        let mut lids = Self { from: vec![None; carried.len()], carried, ups: Vec::new() };
        for s in 0..graph.len() {
            let mut ups = (0, 0);
            for (at, link) in graph.links(s).iter().enumerate() {
                if height[link.peer.index()] > height[s] {
                    let number = graph.first_link(s) + at;
                    lids.from[number] = Some(s as u32);
                    ups = (ups.0 + 1, ups.1 + lids.carried[number]);
                }
            }
            lids.ups.push(ups);
        }
        lids
    }

    /// Whether a link carries a seventh more than its share already, or an eighth where the share
    /// is small: one LID counts for more there. Parts of a LID do not count, for the share shrinks
    /// while LIDs leave the switch.
    fn is_full(&self, link: usize) -> bool {
        let Some(s) = self.from.get(link).copied().flatten() else { return false };
        let (links, all) = self.ups[s as usize];
        let share = all / links;
        let part = if share < 32 { 8 } else { 7 };
        self.carried[link] >= all.div_ceil(links).max(share + share / part)
    }

    /// Whether it counts how many LIDs a link carries.
    fn counts(&self, link: usize) -> bool {
        self.from.get(link).is_some_and(Option::is_some)
    }

    fn add(&mut self, link: usize) {
        if let Some(s) = self.from.get(link).copied().flatten() {
            self.carried[link] += 1;
            self.ups[s as usize].1 += 1;
        }
    }

    fn take(&mut self, link: usize) {
        if let Some(s) = self.from.get(link).copied().flatten() {
            self.carried[link] = self.carried[link].saturating_sub(1);
            self.ups[s as usize].1 = self.ups[s as usize].1.saturating_sub(1);
        }
    }
}

/// A LID of an end port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Goal {
    lid: Lid,
    /// The switch that it hangs on.
    home: u32,
    /// The LIDs of the same port: the base, and how many there are.
    range: (u16, u16),
}

/// Tables, and what goes over each link by them.
pub(crate) struct Relief<'a, T> {
    graph: &'a Graph,
    distances: &'a Distances,
    turning: &'a T,
    /// By LID.
    goals: Vec<Option<Goal>>,
    entries: Entries<'a>,
    load: &'a mut [u64],
    lids: Lids,
    /// How often entries and links may still be looked at.
    looks: usize,
    /// The entries that were moved.
    moved: BTreeSet<(Lid, u32)>,
}

/// What of the gap between the fullest link and the least that it has to carry is tried to be
/// closed at once: at first all of it, then less; a sixteenth is not worth the work.
const FIRST_SHARE: u64 = 1;
const LAST_SHARE: u64 = 8;

/// How often entries and links are looked at, at most: for each entry of the tables, and in all on
/// a small fabric and on a large one, where it makes a second or two of work.
const LOOKS: usize = 8;
const FEWEST_LOOKS: usize = 1 << 24;
const MOST_LOOKS: usize = 1 << 28;

/// The same where no switch stands above others: as many looks for so many entries, and in all on a
/// small fabric. Loads are never quite even there, and what more work brings is little.
const FLAT_ENTRIES: usize = 8;
const FEWEST_FLAT_LOOKS: usize = 1 << 18;

/// More links than these are relieved LID by LID from turned tables, if each entry may be looked
/// at.
const FEW: usize = 64;

/// As good as the least that the fullest link has to carry.
pub(crate) const fn good(floor: u64) -> u64 {
    floor + floor / 32
}

impl<'a, T: Turning> Relief<'a, T> {
    /// Tables by a law of distances, and the routes between end ports that each link carries by
    /// them.
    pub(crate) fn new(
        graph: &'a Graph,
        (targets, map): (&Targets, &LidMap),
        distances: &'a Distances,
        turning: &'a T,
        (lfts, load, lids): (&'a mut Lfts, &'a mut [u64], Lids),
    ) -> Self {
        let mut goals = vec![None; usize::from(map.top().0) + 1];
        for home in 0..graph.len() {
            for target in targets.on(home).iter().filter(|target| !target.is_switch()) {
                let range = (target.base.0, 1 << target.lmc.min(7));
                let home = home as u32;
                for (_, lid) in target.lids(map) {
                    goals[usize::from(lid.0)] = Some(Goal { lid, home, range });
                }
            }
        }
        let all = graph.len() * goals.len();
        let looks = match lids.from.iter().any(Option::is_some) {
            true => (LOOKS * all).clamp(FEWEST_LOOKS, MOST_LOOKS),
            false => (all / FLAT_ENTRIES).max(FEWEST_FLAT_LOOKS),
        };
        let moved = BTreeSet::new();
        let entries = Entries::new(lfts);
        Self { graph, distances, turning, goals, entries, load, lids, looks, moved }
    }

    /// Brings the load of the fullest link down as far as that goes, but not below what is as good
    /// as it has to be. The entries that were moved.
    pub(crate) fn run(mut self, enough: u64) -> BTreeSet<(Lid, u32)> {
        let mut share = FIRST_SHARE;
        while share <= LAST_SHARE && self.looks > 0 {
            let most = self.fullest();
            if most <= enough {
                break;
            }
            let limit = most - (most - enough).div_ceil(share);
            self.round(limit);
            if self.fullest() > limit {
                share *= 2;
            }
        }
        self.moved
    }

    fn fullest(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Relieves all links above a limit, the fullest first, unless one stays far above it.
    fn round(&mut self, limit: u64) {
        let all = |s: usize| (0..self.graph.links(s).len()).map(move |at| (s, at));
        let number = |(s, at): (usize, usize)| self.graph.first_link(s) + at;
        let full = |link: &(usize, usize)| self.load[number(*link)] > limit;
        let mut links: Vec<(usize, usize)> =
            (0..self.graph.len()).flat_map(all).filter(full).collect();
        links.sort_by_key(|link| std::cmp::Reverse(self.load[number(*link)]));
        if links.len() > FEW && self.looks > self.graph.len() * self.goals.len() {
            self.entries.turn();
        }
        let before = self.looks;
        self.looks = before / 2;
        // A link that is left after less than a quarter of the way makes the round hopeless.
        let hopeless = limit + (self.fullest() - limit) / 4 * 3;
        let mut room = Room::default();
        for (s, at) in links {
            self.link(s, at, limit, &mut room);
            if self.load[number((s, at))] > hopeless {
                break;
            }
        }
        self.looks += before - before / 2;
    }

    /// Moves LIDs off a link until it is not above the limit.
    fn link(&mut self, s: usize, at: usize, limit: u64, room: &mut Room) {
        let number = self.graph.first_link(s) + at;
        let port = self.graph.links(s)[at].port.0;
        let mut next = 0;
        while let Some(lid) = self.entries.next_by(s, port, next) {
            if self.load[number] <= limit || self.looks == 0 {
                return;
            }
            next = lid + 1;
            let goal = self.goals.get(lid).copied().flatten();
            if let Some(goal) = goal.filter(|goal| goal.home as usize != s) {
                self.lid((s, number), goal, limit, room);
            }
        }
    }
}
