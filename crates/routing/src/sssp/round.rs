//! One pass over all groups: their routes are chosen anew.

use rayon::prelude::*;

use super::columns::NO_LINK;
use super::groups::Group;
use super::slope::Slope;
use crate::deps::turn_set::TurnSet;
use crate::deps::turns::Turns;
use crate::graph::Graph;

/// Groups that are routed side by side at most. They do not see each other's changes.
const BATCH: usize = 8;

/// Fewer than so many batches make no round: what moves at once must be a small part of all.
const BATCHES: usize = 120;

/// How often a round looks whether some link carries too much.
const LOOKS: usize = 16;

/// The weight of a route from an end port, against 1 for a route from a switch's own port.
pub(crate) const HOST: u64 = 256;

/// What is done with the routes of each group.
#[derive(Clone, Copy)]
pub(crate) enum Round<'a> {
    /// They are chosen for the first time.
    First,
    /// They are taken off the links, chosen anew and added again.
    Improve,
    /// Where a column has a link that carries more than this, its routes are taken off the links,
    /// chosen anew and added again.
    Relieve(u64),
    /// All routes are taken off the links, chosen anew and added again, and turns that are not in
    /// the set are shunned.
    Steer(&'a Turns<'a>, &'a TurnSet),
}

/// What a turn that is shunned costs: as much as a few links of the mean weight.
const SHUNNED: u64 = 8 * MEAN * MEAN;

/// The mean weight of a link, in the units in which costs are counted.
const MEAN: u64 = 1 << 10;

/// Goes once over all groups, or until some link carries more than `most`; `false` then.
pub(crate) fn round(
    graph: &Graph,
    groups: &[Group],
    weights: &mut [u64],
    cells: &mut [u8],
    what: Round<'_>,
    most: u64,
) -> bool {
    let size = (groups.len() / BATCHES).clamp(1, BATCH);
    let mut rooms: Vec<Room> = std::iter::repeat_with(Room::default).take(size).collect();
    let mut left = cells;
    let looks = groups.len().div_ceil(size).div_ceil(LOOKS);
    for (at, batch) in groups.chunks(size).enumerate() {
        if at > 0 && at % looks == 0 && weights.iter().any(|weight| *weight > most) {
            return false;
        }
        let mut work = Vec::with_capacity(batch.len());
        for (group, room) in batch.iter().zip(&mut rooms) {
            let (cells, rest) = left.split_at_mut(group.columns.len() * graph.len());
            left = rest;
            work.push((group, room, cells));
        }
        let seen = &*weights;
        work.into_par_iter().for_each(|(group, room, cells)| {
            room.route(graph, group, seen, cells, what);
        });
        for room in &rooms[..batch.len()] {
            room.add_to(weights);
        }
    }
    true
}

/// What a link of this weight costs: its square, for the fullest links matter most. A unit is a
/// power of two.
#[inline]
pub(crate) fn steep(weight: u64, unit: u32) -> u64 {
    let units = (weight >> unit).min(1 << 18);
    units * units
}

/// Whether a column has a link that carries more than `most`.
pub(crate) fn is_crowded(graph: &Graph, weights: &[u64], column: &[u8], most: u64) -> bool {
    column.iter().enumerate().any(|(s, place)| {
        let link = graph.first_link(s) + usize::from(*place);
        *place != NO_LINK && weights[link] > most
    })
}

/// The unit in which these weights are counted.
pub(crate) fn unit(weights: &[u64]) -> u32 {
    let mean = weights.iter().sum::<u64>() / weights.len().max(1) as u64;
    (mean / MEAN + 1).ilog2()
}

/// Room for the work on a group, kept from one to the next.
#[derive(Default)]
struct Room {
    slope: Slope,
    /// The weight of each step's link, and what it was at first.
    weights: Vec<u64>,
    before: Vec<u64>,
    /// How many LIDs of the same port took each step.
    taken: Vec<u8>,
    /// By place: the least weight of a path from there.
    costs: Vec<u64>,
    /// By place: the step taken.
    chosen: Vec<u32>,
    /// By place: the weight of what passes.
    passing: Vec<u64>,
}

impl Room {
    /// Works on a group, whose columns hold its routes of the round before.
    fn route(
        &mut self,
        graph: &Graph,
        group: &Group,
        seen: &[u64],
        cells: &mut [u8],
        what: Round<'_>,
    ) {
        self.before.clear();
        self.weights.clear();
        self.slope.links.clear();
        let crowded = |column: &[u8]| match what {
            Round::Relieve(most) => is_crowded(graph, seen, column, most),
            _ => true,
        };
        if !cells.chunks(graph.len()).any(crowded) {
            return;
        }
        self.slope.load(graph, group.home as usize);
        self.before.extend(self.slope.links.iter().map(|l| seen[*l as usize]));
        self.weights.clone_from(&self.before);
        self.taken.clear();
        self.taken.resize(self.weights.len(), 0);
        let unit = unit(&self.before);
        let several = group.further.contains(&true);
        for (column, further) in cells.chunks_mut(graph.len()).zip(&group.further) {
            if matches!(what, Round::First) {
                self.chosen.clear();
                self.chosen.extend_from_slice(&self.slope.first[..self.slope.order.len()]);
            } else {
                self.recall(graph, column);
                // All LIDs of a port are chosen together.
                if let Round::Relieve(most) = what
                    && !several
                    && self.chosen[1..].iter().all(|step| self.weights[*step as usize] <= most)
                {
                    continue;
                }
                self.carry(graph, group, u64::wrapping_sub);
            }
            if several && !further {
                self.taken.fill(0);
            }
            // A link that this port's other LIDs do not use comes first.
            let cost = |weight, taken| steep(weight, unit) + (u64::from(taken) << 48);
            match what {
                Round::Steer(turns, liked) => self.choose(cost, |slope: &Slope, step, next| {
                    let turn = slope.turn(graph, turns, step, next);
                    if liked.has(turn) { 0 } else { SHUNNED }
                }),
                Round::Relieve(most) if !several => {
                    self.choose_apart(graph, unit, most);
                    self.write(graph, column);
                    continue;
                }
                _ if several => self.choose(cost, |_: &Slope, _, _| 0),
                _ => self.choose(|weight, _| steep(weight, unit), |_: &Slope, _, _| 0),
            }
            if several {
                for step in &self.chosen[1..] {
                    let taken = &mut self.taken[*step as usize];
                    *taken = taken.saturating_add(1);
                }
            }
            self.carry(graph, group, u64::wrapping_add);
            self.write(graph, column);
        }
    }

    /// Adds what the links of the last group gained, modulo 2^64.
    fn add_to(&self, sum: &mut [u64]) {
        let changes = self.slope.links.iter().zip(self.weights.iter().zip(&self.before));
        for (link, (now, was)) in changes {
            let cell = &mut sum[*link as usize];
            *cell = cell.wrapping_add(now.wrapping_sub(*was));
        }
    }

    /// Takes at each switch the step with the lightest path, the nearest switches first. The step
    /// that it has is kept unless there is a lighter one.
    fn choose(
        &mut self,
        cost: impl Fn(u64, u8) -> u64,
        turn: impl Fn(&Slope, usize, usize) -> u64,
    ) {
        let places = self.slope.order.len();
        self.costs.clear();
        self.costs.resize(places, 0);
        for at in 1..places {
            let steps = self.slope.first[at] as usize..self.slope.first[at + 1] as usize;
            let old = self.chosen[at] as usize;
            let step_cost = |room: &Self, step: usize| {
                let next = room.slope.next[step] as usize;
                let after = match next {
                    0 => 0,
                    _ => turn(&room.slope, step, room.chosen[next] as usize),
                };
                room.costs[next] + after + cost(room.weights[step], room.taken[step])
            };
            let (mut best, mut least) = (old, step_cost(self, old));
            for step in steps {
                let cost = step_cost(self, step);
                if cost < least {
                    (best, least) = (step, cost);
                }
            }
            self.chosen[at] = best as u32;
            self.costs[at] = least;
        }
    }

    /// As [`Self::choose`], but only for what would go by links that carry more than `most`, and
    /// what comes from each switch is added to its links before the next one chooses, so that one
    /// destination's routes part where that helps.
    fn choose_apart(&mut self, graph: &Graph, unit: u32, most: u64) {
        for at in 1..self.slope.order.len() {
            let own = graph.hosts(self.slope.order[at] as usize).len() as u64 * HOST + 1;
            let steps = self.slope.first[at] as usize..self.slope.first[at + 1] as usize;
            let old = self.chosen[at] as usize;
            let path_cost = |room: &Self, step: usize| {
                room.path(step).map(|step| steep(room.weights[step] + own, unit)).sum::<u64>()
            };
            let stays = self.path(old).all(|step| self.weights[step] + own <= most);
            let (mut best, mut least) = (old, if stays { 0 } else { path_cost(self, old) });
            for step in steps.filter(|_| !stays) {
                let cost = path_cost(self, step);
                if cost < least {
                    (best, least) = (step, cost);
                }
            }
            self.chosen[at] = best as u32;
            let mut next = Some(best);
            while let Some(step) = next {
                self.weights[step] += own;
                next = self.after(step);
            }
        }
    }

    /// The steps of a path that starts with one of them.
    fn path(&self, step: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(step), |step| self.after(*step))
    }

    /// The step that follows another one; none at the destination.
    fn after(&self, step: usize) -> Option<usize> {
        let next = self.slope.next[step] as usize;
        (next != 0).then(|| self.chosen[next] as usize)
    }

    /// Brings the sources of all switches to the destination, the farthest first, and changes
    /// the weights of the links that they use.
    fn carry(&mut self, graph: &Graph, group: &Group, change: impl Fn(u64, u64) -> u64) {
        let sources = |s: &u32| match group.of_switch() {
            true => 1,
            false => graph.hosts(*s as usize).len() as u64 * HOST + 1,
        };
        self.passing.clear();
        self.passing.extend(self.slope.order.iter().map(sources));
        for at in (1..self.passing.len()).rev() {
            let step = self.chosen[at] as usize;
            let passing = self.passing[at];
            self.weights[step] = change(self.weights[step], passing);
            self.passing[self.slope.next[step] as usize] += passing;
        }
    }

    /// Reads the steps taken from a column.
    fn recall(&mut self, graph: &Graph, column: &[u8]) {
        self.chosen.clear();
        for (at, s) in self.slope.order.iter().enumerate() {
            let link = graph.first_link(*s as usize) as u32 + u32::from(column[*s as usize]);
            let (first, last) = (self.slope.first[at], self.slope.first[at + 1]);
            let steps = &self.slope.links[first as usize..last as usize];
            // Links of a switch ascend, and the destination has none.
            self.chosen.push(first + steps.partition_point(|l| *l < link) as u32);
        }
    }

    /// Writes the steps taken into a column.
    fn write(&self, graph: &Graph, column: &mut [u8]) {
        column.fill(NO_LINK);
        for (s, step) in self.slope.order.iter().zip(&self.chosen).skip(1) {
            let link = self.slope.links[*step as usize] as usize;
            column[*s as usize] = (link - graph.first_link(*s as usize)) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
    use lk_wire::Guid;

    use super::*;

    /// A destination, two switches next to it, and two with a host each behind both.
    fn diamond() -> Graph {
        let mut builder = FabricBuilder::new();
        let switch = |s: u64| NodeSpec::new(Guid(1 + s), NodeKind::Switch, "switch", 8);
        let switches: Vec<_> = (0..5).map(|s| builder.add_node(switch(s)).unwrap()).collect();
        let host = |s: usize| NodeSpec::new(Guid(100 + s as u64), NodeKind::Ca, "h", 1);
        for (a, b) in [(0, 1), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4)] {
            builder.connect((switches[a], 1 + b as u8), (switches[b], 1 + a as u8)).unwrap();
        }
        for s in [0, 3, 4] {
            let host = builder.add_node(host(s)).unwrap();
            builder.connect((switches[s], 8), (host, 1)).unwrap();
        }
        Graph::new(&builder.build())
    }

    /// What the two links into the destination carry, and by which of them the two far switches
    /// send, after a round that starts with all on the first.
    fn after(what: Round<'_>) -> ([u64; 2], [u8; 2]) {
        let graph = diamond();
        let group = Group { home: 0, columns: 0..1, class: 2, further: vec![false] };
        // At each switch the links come by port: to the destination or to switch 1 is first.
        let mut cells = [NO_LINK, 0, 0, 0, 0];
        let mut weights = vec![1; graph.link_count()];
        let into = [1, 2].map(|s| graph.first_link(s));
        weights[into[0]] += 2 * (HOST + 1) + 1;
        weights[into[1]] += 1;
        for s in [3, 4] {
            weights[graph.first_link(s)] += HOST + 1;
        }
        round(&graph, &[group], &mut weights, &mut cells, what, u64::MAX);
        (into.map(|link| weights[link]), [cells[3], cells[4]])
    }

    #[test]
    fn routes_to_one_destination_part_only_where_a_link_carries_too_much() {
        let (together, apart) = (2 * (HOST + 1) + 2, HOST + 3);
        assert_eq!(after(Round::Relieve(together)), ([together, 2], [0, 0]));
        assert_eq!(after(Round::Relieve(together - 1)), ([apart, apart], [0, 1]));
        // All that is at one switch goes one way: no way is better than the one there is.
        assert_eq!(after(Round::Improve), ([together, 2], [0, 0]));
    }
}
