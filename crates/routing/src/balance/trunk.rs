//! Gives each LID the switch at the top of the tree through which its traffic shall come down.
//!
//! From the LID's own switch the trunk climbs link by link, always to a switch that stands higher,
//! until there is none. Of the switches it could climb to it takes, in this order: one from which
//! the greatest height can be reached; one that the fewest other LIDs of the same port go through
//! (so that LMC gives different paths); the one whose links down to here carry the fewest LIDs;
//! the one that carries the fewest LIDs in all; the next in turn.
//!
//! LIDs come in the order of their offset from the base LID first, so that base LIDs, which carry
//! nearly all traffic, are balanced among themselves whatever the LMC.

use crate::graph::Graph;
use crate::job::LidMap;
use crate::targets::Targets;

/// No summit: the LID's switch has nothing above it.
pub(crate) const NO_SUMMIT: u32 = u32::MAX;

/// The summits of all LIDs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Summits {
    /// The switches that are the summit of some LID, ascending.
    pub(crate) switches: Vec<u32>,
    /// For each LID the place of its summit in `switches`, or [`NO_SUMMIT`].
    pub(crate) by_lid: Vec<u32>,
}

/// A switch that stands higher than another one, and the links between the two.
#[derive(Clone, Copy, Debug)]
struct Climb {
    peer: u32,
    links: u32,
}

/// What links and switches carry so far. Traffic for end ports and for the switches themselves is
/// counted apart: the second is little, and must not fill the gaps in the first.
#[derive(Clone, Debug)]
struct Carried {
    /// LIDs by place in [`Climbs::all`].
    links: Vec<u32>,
    /// LIDs by switch.
    switches: Vec<u32>,
}

struct Climbs {
    rows: Vec<u32>,
    all: Vec<Climb>,
    /// The greatest height that can be reached from each switch by climbing.
    best: Vec<u32>,
    /// How many links lead down from each switch.
    down: Vec<u32>,
}

impl Climbs {
    fn new(graph: &Graph, height: &[u32]) -> Self {
        let mut climbs = Self {
            rows: vec![0],
            all: Vec::new(),
            best: height.to_vec(),
            down: vec![0; height.len()],
        };
        for s in 0..graph.len() {
            let row = climbs.all.len();
            for peer in graph.links(s).iter().map(|l| l.peer.0) {
                if height[peer as usize] <= height[s] {
                    continue;
                }
                climbs.down[peer as usize] += 1;
                match climbs.all[row..].iter_mut().find(|c| c.peer == peer) {
                    Some(known) => known.links += 1,
                    None => climbs.all.push(Climb { peer, links: 1 }),
                }
            }
            climbs.rows.push(climbs.all.len() as u32);
        }
        let mut order: Vec<usize> = (0..graph.len()).collect();
        order.sort_by_key(|s| std::cmp::Reverse(height[*s]));
        for s in order {
            let above = climbs.row(s).iter().map(|c| climbs.best[c.peer as usize]).max();
            climbs.best[s] = climbs.best[s].max(above.unwrap_or(0));
        }
        climbs
    }

    fn row(&self, s: usize) -> &[Climb] {
        &self.all[self.rows[s] as usize..self.rows[s + 1] as usize]
    }
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
        self.through.binary_search_by_key(&switch, |(s, _)| *s).map_or(0, |at| self.through[at].1)
    }

    fn add(&mut self, switch: u32) {
        match self.through.binary_search_by_key(&switch, |(s, _)| *s) {
            Ok(at) => self.through[at].1 += 1,
            Err(at) => self.through.insert(at, (switch, 1)),
        }
    }
}

/// Gives each LID its summit, given how high each switch stands.
pub(crate) fn summits(graph: &Graph, targets: &Targets, map: &LidMap, height: &[u32]) -> Summits {
    let climbs = Climbs::new(graph, height);
    let fresh = || Carried { links: vec![0; climbs.all.len()], switches: vec![0; graph.len()] };
    let mut carried = [fresh(), fresh()];
    let mut pasts = vec![Past::default(); targets.len()];
    let mut by_lid = vec![NO_SUMMIT; usize::from(map.top().0) + 1];
    let most = map.ranges().iter().map(|(_, _, lmc)| *lmc).max().unwrap_or(0).min(7);
    for offset in 0..1_u32 << most {
        for s in 0..graph.len() {
            for (at, target) in targets.on(s).iter().enumerate() {
                let Some((_, lid)) = target.lids(map).find(|(o, _)| u32::from(*o) == offset) else {
                    continue;
                };
                let own = usize::from(target.exit.0 == 0);
                let past = &mut pasts[targets.first(s) + at];
                by_lid[usize::from(lid.0)] = climb(&climbs, &mut carried[own], past, s);
            }
        }
    }
    let mut switches: Vec<u32> = by_lid.iter().copied().filter(|s| *s != NO_SUMMIT).collect();
    switches.sort_unstable();
    switches.dedup();
    for summit in by_lid.iter_mut().filter(|s| **s != NO_SUMMIT) {
        *summit = switches.partition_point(|s| *s < *summit) as u32;
    }
    Summits { switches, by_lid }
}

fn climb(climbs: &Climbs, carried: &mut Carried, past: &mut Past, from: usize) -> u32 {
    /// Loads are compared by link: a share of this for each LID.
    const SHARE: u64 = 1 << 20;
    let mut here = from;
    let mut turn = past.first.map_or(0, |f| f + 1);
    while !climbs.row(here).is_empty() {
        let row = climbs.rows[here] as usize;
        let count = climbs.row(here).len();
        let key = |at: &usize| {
            let Climb { peer, links } = climbs.all[row + at];
            let (on_links, on_switch) = (carried.links[row + at], carried.switches[peer as usize]);
            (
                std::cmp::Reverse(climbs.best[peer as usize]),
                past.count(peer),
                u64::from(on_links) * SHARE / u64::from(links),
                u64::from(on_switch) * SHARE / u64::from(climbs.down[peer as usize]),
                (at + count - turn % count) % count,
            )
        };
        let Some(at) = (0..count).min_by_key(key) else { break };
        if here == from {
            past.first = Some(at);
        }
        turn = 0;
        carried.links[row + at] += 1;
        here = climbs.all[row + at].peer as usize;
        carried.switches[here] += 1;
        past.add(here as u32);
    }
    if here == from { NO_SUMMIT } else { here as u32 }
}
