//! Gives each switch its place, starting from those that the seed names.
//!
//! A switch belongs next to its neighbours. While some of them have places, those that are free
//! beside all of these are where it may belong; as soon as only one is left, it gets that. Where
//! a switch has but one neighbour with a place, rings of four links tell more: two links of a
//! switch that belong to such a ring lie in different dimensions, unless the ring is a whole
//! dimension of size 4. The switch is placed when that leaves one dimension and one side.
//!
//! Nothing is guessed, so a fabric that is cabled as the file says is placed in one way only.
//! Switches that fit nowhere are left over.

use lk_fabric::SwitchId;

use super::lattice::{Lattice, Way};
use crate::graph::Graph;

/// Switches at places and places of switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Places {
    /// The switch at each place.
    pub(crate) at: Vec<Option<SwitchId>>,
    /// The place of each switch.
    pub(crate) of: Vec<Option<u32>>,
}

impl Places {
    fn put(&mut self, switch: SwitchId, place: usize) {
        self.at[place] = Some(switch);
        self.of[switch.index()] = Some(place as u32);
    }
}

/// Two switches that fit equally well in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) place: usize,
    pub(crate) switches: [SwitchId; 2],
}

/// Places the switches of a fabric.
///
/// # Errors
/// [`Conflict`], which a right seed and right sizes never lead to.
pub(crate) fn place(
    graph: &Graph,
    lattice: &Lattice,
    start: &[(usize, SwitchId)],
) -> Result<Places, Conflict> {
    let places = Places { at: vec![None; lattice.len()], of: vec![None; graph.len()] };
    let peers = (0..graph.len())
        .map(|s| {
            let mut peers: Vec<SwitchId> = graph.links(s).iter().map(|l| l.peer).collect();
            peers.sort_unstable();
            peers.dedup();
            peers
        })
        .collect();
    let mut placer = Placer { lattice, peers, places, frontier: Vec::new(), contested: None };
    for (place, switch) in start {
        placer.put(*switch, *place);
    }
    loop {
        placer.contested = None;
        if placer.round(Placer::only_place) || placer.round(Placer::best_place) {
            continue;
        }
        return placer.contested.map_or(Ok(placer.places), Err);
    }
}

struct Placer<'a> {
    lattice: &'a Lattice,
    /// The switches next to each switch, each once, ascending.
    peers: Vec<Vec<SwitchId>>,
    places: Places,
    /// Switches without a place that have a neighbour with one; some may stand here twice or
    /// have a place by now.
    frontier: Vec<SwitchId>,
    /// A place that two switches claimed since one was last given away.
    contested: Option<Conflict>,
}

/// Where a switch may belong, with the number of neighbours that say so.
struct Options {
    /// Neighbours that have a place.
    neighbours: usize,
    /// Free places.
    votes: Vec<Vote>,
    /// Whether one neighbour alone is enough evidence.
    certain: bool,
}

/// What speaks for a place.
struct Vote {
    place: usize,
    /// Neighbours that leave it free.
    count: usize,
    /// The same, where a neighbour counts twice that leaves one dimension only.
    weight: usize,
}

impl Placer<'_> {
    fn put(&mut self, switch: SwitchId, place: usize) {
        self.places.put(switch, place);
        self.frontier.extend(&self.peers[switch.index()]);
    }

    /// Places all switches for which `choose` finds a place as things stand. Returns whether
    /// there were any. What two claim alike waits until more is known of their neighbours.
    fn round(&mut self, choose: fn(&Options) -> Option<usize>) -> bool {
        self.frontier.sort_unstable();
        self.frontier.dedup();
        let of = &self.places.of;
        self.frontier.retain(|s| of[s.index()].is_none());
        let mut found: Vec<(usize, std::cmp::Reverse<usize>, SwitchId)> = self
            .frontier
            .iter()
            .filter_map(|s| {
                let options = self.options(*s);
                Some((choose(&options)?, std::cmp::Reverse(options.neighbours), *s))
            })
            .collect();
        found.sort_unstable();
        let mut any = false;
        for claims in found.chunk_by(|a, b| a.0 == b.0) {
            let (place, neighbours, switch) = claims[0];
            match claims.get(1) {
                Some((_, others, other)) if *others == neighbours => {
                    let conflict = Conflict { place, switches: [switch, *other] };
                    self.contested.get_or_insert(conflict);
                }
                _ => {
                    self.put(switch, place);
                    any = true;
                }
            }
        }
        any
    }

    /// The one place that all neighbours leave.
    fn only_place(options: &Options) -> Option<usize> {
        let mut all = options.votes.iter().filter(|v| v.count == options.neighbours);
        let place = all.next()?.place;
        let alone = all.next().is_none();
        (alone && (options.neighbours > 1 || options.certain)).then_some(place)
    }

    /// The place that most speaks for, where some neighbours say otherwise: a cable is plugged in
    /// wrongly, or closes a ring that the file calls open.
    fn best_place(options: &Options) -> Option<usize> {
        let most = options.votes.iter().map(|v| v.weight).max().filter(|n| *n > 1)?;
        let mut best = options.votes.iter().filter(|v| v.weight == most);
        let vote = best.next()?;
        (best.next().is_none() && vote.count < options.neighbours).then_some(vote.place)
    }

    fn options(&self, switch: SwitchId) -> Options {
        let mut options = Options { neighbours: 0, votes: Vec::new(), certain: false };
        for near in &self.peers[switch.index()] {
            let Some(base) = self.places.of[near.index()] else { continue };
            let base = base as usize;
            let dimensions = self.dimensions(switch, *near, base);
            options.neighbours += 1;
            options.certain = dimensions.iter().filter(|d| **d).count() == 1;
            let weight = 1 + usize::from(options.certain);
            for way in Way::all().filter(|way| dimensions[way.dimension()]) {
                let Some(place) = self.lattice.step(base, way) else { continue };
                if self.places.at[place].is_some() {
                    continue;
                }
                match options.votes.iter_mut().find(|v| v.place == place) {
                    Some(vote) => {
                        vote.count += 1;
                        vote.weight += weight;
                    }
                    None => options.votes.push(Vote { place, count: 1, weight }),
                }
            }
        }
        options
    }

    /// The dimensions in which a switch may lie from a neighbour that has a place.
    fn dimensions(&self, switch: SwitchId, near: SwitchId, base: usize) -> [bool; 3] {
        let mut may = self.lattice.radix.map(|r| r > 1);
        for way in Way::all() {
            let d = way.dimension();
            let beside = self.lattice.step(base, way);
            let Some(other) = beside.and_then(|p| self.places.at[p]) else { continue };
            if may[d] && self.tells(base, way) && self.ring_of_four(switch, near, other) {
                may[d] = false;
            }
        }
        may
    }

    /// Whether rings of four links through a place and the next one in a direction are never a
    /// whole dimension: it has not four places, or enough of them are taken.
    fn tells(&self, base: usize, way: Way) -> bool {
        let d = way.dimension();
        let taken = |place: Option<usize>| place.is_some_and(|p| self.places.at[p].is_some());
        let opposite = self.lattice.step(base, way).and_then(|p| self.lattice.step(p, way));
        self.lattice.radix[d] != 4
            || self.lattice.open[d]
            || taken(self.lattice.step(base, way.back()))
            || taken(opposite)
    }

    /// Whether two neighbours of `near` have another one in common that has no place yet.
    fn ring_of_four(&self, a: SwitchId, near: SwitchId, b: SwitchId) -> bool {
        let others = &self.peers[b.index()];
        self.peers[a.index()].iter().any(|m| {
            *m != near && self.places.of[m.index()].is_none() && others.binary_search(m).is_ok()
        })
    }
}
