//! Gives each LID the switch at the top of the tree through which its traffic shall come down,
//! and others to fall back on.
//!
//! From the LID's own switch the trunk climbs link by link, always to a switch that stands higher,
//! until there is none: that is the LID's *summit*. Of the switches it could climb to it takes, in
//! this order: one from which the greatest height can be reached; one that the fewest other LIDs
//! of the same port go through (so that LMC gives different paths); the one whose links down to
//! here carry the fewest LIDs; the one that carries the fewest LIDs in all; the next in turn.
//!
//! Where links have failed, some switches cannot go by a LID's summit. If each of them looked for
//! a way by itself, the traffic for one LID would come down everywhere. So a LID has second
//! choices, the same for all switches: one for each step of the trunk, which leaves it at that
//! step. LIDs with one summit have different second choices, so that a failure's load is shared.
//!
//! LIDs come in the order of their offset from the base LID first, so that base LIDs, which carry
//! nearly all traffic, are balanced among themselves whatever the LMC.

use std::cmp::Reverse;
use std::ops::Range;

use super::climbs::Climbs;
use super::ties::{Taste, Ties};
use super::turns::Turn;
use crate::tables::LidMap;

/// No summit.
pub(crate) const NO_SUMMIT: u32 = u32::MAX;

/// How many summits a LID has at most: enough for a tree of five levels.
const CHOICES: usize = 5;

/// The summits of one LID by preference, as places in [`Summits::switches`], with [`NO_SUMMIT`]
/// at the end.
pub(crate) type Course = [u32; CHOICES];

/// The summits of all LIDs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Summits {
    /// The switches that are a summit of some LID, ascending.
    pub(crate) switches: Vec<u32>,
    /// For each LID its summits.
    pub(crate) courses: Vec<Course>,
}

/// How many LIDs links (by place in [`Climbs::all`]) and switches carry so far.
#[derive(Clone, Debug)]
struct Carried {
    links: Vec<u32>,
    switches: Vec<u32>,
}

impl Carried {
    fn new(climbs: &Climbs) -> Self {
        Self { links: vec![0; climbs.all.len()], switches: vec![0; climbs.len()] }
    }

    /// Load on the links of a climb and on its switch, each by link.
    fn by_link(&self, climbs: &Climbs, place: usize) -> (u64, u64) {
        /// A LID's share of one link, for a division without fractions.
        const SHARE: u64 = 1 << 20;
        let climb = climbs.all[place];
        let peer = climb.peer as usize;
        let on_links = u64::from(self.links[place]) * SHARE / u64::from(climb.links);
        let on_switch = u64::from(self.switches[peer]) * SHARE / u64::from(climbs.down[peer]);
        (on_links, on_switch)
    }

    /// LIDs on all climbs of a row.
    fn on_row(&self, row: Range<usize>) -> usize {
        self.links[row].iter().map(|n| *n as usize).sum()
    }

    fn add(&mut self, climbs: &Climbs, place: usize) {
        if climbs.all[place].ignored {
            return;
        }
        self.links[place] += 1;
        self.switches[climbs.all[place].peer as usize] += 1;
    }
}

/// The load of one kind of traffic. That for end ports and that for the switches themselves are
/// counted apart: the second is little, and must not fill the gaps in the first.
#[derive(Clone, Debug)]
struct Ledger {
    first: Carried,
    second: Carried,
    /// How many LIDs have each switch as their summit.
    summits: Vec<u32>,
}

/// The trunks of one end port so far.
#[derive(Clone, Default, Debug)]
struct Past {
    /// Switches that its LIDs go through, ascending, and how many of them.
    through: Vec<(u32, u32)>,
    /// The place in its row of the first climb of the last LID.
    first: Option<usize>,
}

impl Past {
    fn count(&self, switch: u32) -> u32 {
        let at = self.through.binary_search_by_key(&switch, |(s, _)| *s);
        at.map_or(0, |at| self.through[at].1)
    }

    fn add(&mut self, switch: u32) {
        match self.through.binary_search_by_key(&switch, |(s, _)| *s) {
            Ok(at) => self.through[at].1 += 1,
            Err(at) => self.through.insert(at, (switch, 1)),
        }
    }
}

/// Gives each LID its summits.
pub(crate) fn summits(climbs: &Climbs, turns: &[Turn], map: &LidMap, taste: &Taste) -> Summits {
    let ledger = || Ledger {
        first: Carried::new(climbs),
        second: Carried::new(climbs),
        summits: vec![0; climbs.len()],
    };
    let mut ledgers = [ledger(), ledger()];
    let mut pasts = vec![Past::default(); turns.iter().map(|turn| turn.targets.len()).sum()];
    let mut courses = vec![[NO_SUMMIT; CHOICES]; usize::from(map.top().0) + 1];
    let most = map.ranges().iter().map(|(_, _, lmc)| *lmc).max().unwrap_or(0).min(7);
    for offset in 0..1_u32 << most {
        let mut pasts = pasts.iter_mut();
        for turn in turns {
            let from = turn.dest as usize;
            for ((target, digits), past) in turn.targets.iter().zip(&mut pasts) {
                let Some((_, lid)) = target.lids(map).find(|(o, _)| u32::from(*o) == offset) else {
                    continue;
                };
                let own = usize::from(target.is_switch() && !taste.count_switches);
                let call = Call { from, lid: lid.0, digits: *digits, taste };
                courses[usize::from(lid.0)] = course(climbs, &mut ledgers[own], past, &call);
            }
            for digits in turn.gaps.iter().filter(|_| offset == 0) {
                let call = Call { from, lid: 0, digits: *digits, taste };
                course(climbs, &mut ledgers[0], &mut Past::default(), &call);
            }
        }
    }
    number(courses)
}

/// Replaces switches by their places in a list of those that occur.
fn number(mut courses: Vec<Course>) -> Summits {
    let all = courses.iter().flatten().copied().filter(|s| *s != NO_SUMMIT);
    let mut switches: Vec<u32> = all.collect();
    switches.sort_unstable();
    switches.dedup();
    for summit in courses.iter_mut().flatten().filter(|s| **s != NO_SUMMIT) {
        *summit = switches.partition_point(|s| *s < *summit) as u32;
    }
    Summits { switches, courses }
}

/// The LID whose turn it is.
#[derive(Clone, Copy, Debug)]
struct Call<'a> {
    /// The switch that it hangs on.
    from: usize,
    lid: u16,
    /// Which of several equals it would take; see [`Turn::targets`].
    digits: u32,
    taste: &'a Taste,
}

/// The summits of one LID.
fn course(climbs: &Climbs, ledger: &mut Ledger, past: &mut Past, call: &Call<'_>) -> Course {
    let mut course = [NO_SUMMIT; CHOICES];
    let trunk = trunk(climbs, &mut ledger.first, past, call);
    let Some(last) = trunk.last() else { return course };
    let summit = climbs.all[*last].peer;
    course[0] = summit;
    // LIDs of one summit take turns, and each summit starts elsewhere.
    let turn = ledger.summits[summit as usize] as usize + summit as usize;
    ledger.summits[summit as usize] += 1;
    // The nearer to the summit the way turns off, the more of it is still shared.
    let mut branches: Vec<usize> = (0..trunk.len()).take(CHOICES - 1).collect();
    branches.reverse();
    let mut next = 1;
    for step in branches {
        let here = if step == 0 { call.from } else { climbs.all[trunk[step - 1]].peer as usize };
        if let Some(summit) = branch(climbs, &mut ledger.second, here, trunk[step], turn) {
            course[next] = summit;
            next += 1;
        }
    }
    course
}

/// Climbs from a switch to the top: the places of the climbs, in order.
fn trunk(climbs: &Climbs, carried: &mut Carried, past: &mut Past, call: &Call<'_>) -> Vec<usize> {
    let ties = call.taste.ties(call.lid);
    let mut steps = Vec::new();
    let mut here = call.from;
    let mut turn = past.first.map_or(0, |f| f + 1);
    let mut digits = call.digits as usize;
    loop {
        let row = climbs.row(here);
        let count = row.len();
        if count == 0 {
            return steps;
        }
        let start = match ties {
            Ties::Shift => carried.on_row(row.clone()) / count,
            Ties::First | Ties::Random(_) => turn + digits,
        };
        let key = |place: &usize| {
            let peer = climbs.all[*place].peer;
            let (on_links, on_switch) = carried.by_link(climbs, *place);
            let wait = match ties {
                Ties::Random(_) => ties.random(call.lid, here, *place - row.start),
                _ => ((*place - row.start + count - start % count) % count) as u64,
            };
            (Reverse(climbs.best[peer as usize]), past.count(peer), on_links, on_switch, wait)
        };
        let Some(place) = row.clone().min_by_key(key) else { return steps };
        if here == call.from {
            past.first = Some(place - row.start);
        }
        turn = 0;
        digits /= count;
        carried.add(climbs, place);
        here = climbs.all[place].peer as usize;
        past.add(here as u32);
        steps.push(place);
    }
}

/// Climbs from `here` to the top, but not by way of the climb `barred`; the switch that it ends
/// at. `turn` says whose turn it is among the others.
fn branch(
    climbs: &Climbs,
    carried: &mut Carried,
    here: usize,
    barred: usize,
    turn: usize,
) -> Option<u32> {
    let row = climbs.row(here);
    let best = |place: &usize| Reverse(climbs.best[climbs.all[*place].peer as usize]);
    let others = row.len().saturating_sub(1);
    let after = (0..others).map(|n| {
        let step = 1 + (turn + n) % others;
        row.start + (barred - row.start + step) % row.len()
    });
    let mut place = after.min_by_key(best)?;
    loop {
        carried.add(climbs, place);
        let here = climbs.all[place].peer;
        let key = |place: &usize| {
            let best = climbs.best[climbs.all[*place].peer as usize];
            (Reverse(best), carried.by_link(climbs, *place))
        };
        match climbs.row(here as usize).min_by_key(key) {
            Some(next) => place = next,
            None => return Some(here),
        }
    }
}
