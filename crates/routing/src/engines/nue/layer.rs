//! One lane: its turns, and the columns of its destinations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::deps::assign::heaviest_first;
use crate::deps::escape::Escape;
use crate::deps::lane::{Lane, Verdict};
use crate::deps::turns::Turns;
use crate::deps::walk::{Nearest, Walk};
use crate::sssp::columns::NO_LINK;
use crate::sssp::flow::{Flow, sources};
use crate::sssp::round::{is_crowded, steep, unit};
use crate::sssp::slope::Slope;

/// Columns of LIDs on one switch.
pub(super) struct Share<'a> {
    /// Their switch.
    pub(super) home: usize,
    /// Whether these are the switch's own LIDs. What other switches without end ports send there
    /// does not matter.
    pub(super) to_switch: bool,
    /// Shortest paths, until better ones are found.
    pub(super) cells: &'a mut [u8],
}

/// A lane with room for the work on it.
pub(super) struct Layer<'a> {
    turns: &'a Turns<'a>,
    nearest: &'a Nearest,
    escape: &'a Escape,
    lane: Lane,
    /// What each link carries, and the unit in which that is counted.
    loads: Vec<u64>,
    unit: u32,
    slope: Slope,
    walk: Walk,
    flow: Flow,
    /// What comes from each switch to an end port, and to a switch.
    sources: [Vec<u64>; 2],
    home: usize,
    /// For each switch the place of the link that it sends by.
    out: Vec<u8>,
    hops: Vec<u32>,
    costs: Vec<u64>,
    choices: Vec<Choice>,
    /// The ways of the tree to a destination, and the switches that have to take theirs.
    tree: Vec<u8>,
    by_tree: Vec<u32>,
}

/// How often ways are looked for with ever more switches on the tree before all are.
const TREE_ROUNDS: usize = 8;

/// A step that a switch could take: those whose turn is in use come first, then the one with the
/// lightest path, then the one that it had.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Choice {
    fresh: bool,
    cost: u64,
    other: bool,
    place: u8,
    next: u32,
}

impl<'a> Layer<'a> {
    /// A lane without turns.
    pub(super) fn new(
        turns: &'a Turns<'a>,
        nearest: &'a Nearest,
        escape: &'a Escape,
        loads: Vec<u64>,
    ) -> Self {
        let graph = turns.graph;
        let lane = Lane::new(turns, &escape.link_ranks(graph));
        Self {
            turns,
            nearest,
            escape,
            lane,
            unit: unit(&loads),
            loads,
            slope: Slope::default(),
            walk: Walk::default(),
            flow: Flow::default(),
            sources: [false, true].map(|to_switch| sources(graph, to_switch)),
            home: 0,
            out: vec![NO_LINK; graph.len()],
            hops: vec![0; graph.len()],
            costs: vec![0; graph.len()],
            choices: Vec::new(),
            tree: Vec::new(),
            by_tree: Vec::new(),
        }
    }

    /// Makes all columns fit. Returns how many had to be changed, and how many of these go by the
    /// tree from some switches. `groups`: packets from hosts to hosts along the tree have to fit
    /// in, too.
    pub(super) fn route(mut self, mut shares: Vec<Share<'_>>, groups: bool) -> (usize, usize) {
        let heavy = self.heaviest_first(&shares);
        if heavy.iter().all(|turn| self.admit(*turn))
            && (!groups || self.escape.join(self.turns, &mut self.lane))
        {
            return (0, 0);
        }
        // From here on there must be a way out, whatever else is in use.
        self.lane = Lane::new(self.turns, &self.escape.link_ranks(self.turns.graph));
        let (lane, turns) = (&mut self.lane, self.turns);
        self.escape.turns(turns, |turn| _ = lane.admit(turns, turn));
        for turn in heavy {
            self.admit(turn);
        }
        let (mut around, mut escaped) = (0, 0);
        let n = self.turns.graph.len().max(1);
        for share in &mut shares {
            self.home = share.home;
            self.slope.load(self.turns.graph, share.home);
            for column in share.cells.chunks_mut(n) {
                if self.fits(column, share.to_switch) {
                    continue;
                }
                around += 1;
                self.carry(column, share.to_switch, u64::wrapping_sub);
                self.by_tree.clear();
                if !self.find(column) {
                    escaped += 1;
                    self.find_with_tree(column);
                }
                column.copy_from_slice(&self.out);
                self.carry(column, share.to_switch, u64::wrapping_add);
            }
        }
        self.relieve(&mut shares);
        (around, escaped)
    }

    /// Finds other ways once more for columns that have a link which is much fuller than others.
    fn relieve(&mut self, shares: &mut [Share<'_>]) {
        let graph = self.turns.graph;
        let used = self.loads.iter().filter(|load| **load > 1).count() as u64;
        let mean = self.loads.iter().sum::<u64>() / used.max(1);
        let fullest = self.loads.iter().copied().max().unwrap_or(0);
        let most = mean + fullest.saturating_sub(mean) * 3 / 4;
        for share in shares {
            self.home = share.home;
            let mut loaded = false;
            for column in share.cells.chunks_mut(graph.len().max(1)) {
                if !is_crowded(graph, &self.loads, column, most) {
                    continue;
                }
                if !std::mem::replace(&mut loaded, true) {
                    self.slope.load(graph, share.home);
                }
                let fullest = self.fullest(column);
                self.carry(column, share.to_switch, u64::wrapping_sub);
                self.by_tree.clear();
                let had = column.to_vec();
                if self.find(column) {
                    column.copy_from_slice(&self.out);
                }
                self.carry(column, share.to_switch, u64::wrapping_add);
                if self.fullest(column) >= fullest {
                    self.carry(column, share.to_switch, u64::wrapping_sub);
                    column.copy_from_slice(&had);
                    self.carry(column, share.to_switch, u64::wrapping_add);
                }
            }
        }
    }

    /// What the fullest link of a column carries.
    fn fullest(&self, column: &[u8]) -> u64 {
        let graph = self.turns.graph;
        let used = column.iter().enumerate().filter(|(_, place)| **place != NO_LINK);
        let loads = used.map(|(s, place)| self.loads[graph.first_link(s) + usize::from(*place)]);
        loads.max().unwrap_or(0)
    }

    /// Lets a turn in if it closes no circle.
    fn admit(&mut self, turn: u32) -> bool {
        self.lane.admit(self.turns, turn as usize) != Verdict::Barred
    }

    /// The turns of all paths, those that most paths make first.
    fn heaviest_first(&mut self, shares: &[Share<'_>]) -> Vec<u32> {
        let graph = self.turns.graph;
        let mut weights = vec![0_u32; self.turns.len()];
        let mut passing: Vec<u32> = Vec::new();
        for share in shares {
            for column in share.cells.chunks(graph.len().max(1)) {
                self.walk.load(self.turns, self.nearest, share.home as u32, column);
                let counts = |s: &u32| u32::from(matters(self.turns, share.to_switch, *s as usize));
                passing.clear();
                passing.extend(self.walk.order.iter().map(counts));
                for at in (1..passing.len()).rev() {
                    if let Some(turn) = self.walk.turn(at) {
                        weights[turn] = weights[turn].saturating_add(passing[at]);
                    }
                    passing[self.walk.parent[at] as usize] += passing[at];
                }
            }
        }
        heaviest_first(&weights)
    }

    /// Whether all turns of a column's paths are in use.
    fn fits(&mut self, column: &[u8], to_switch: bool) -> bool {
        self.walk.load(self.turns, self.nearest, self.home as u32, column);
        let walk = &self.walk;
        let has = |at: usize| walk.turn(at).is_none_or(|turn| self.lane.has(turn));
        if !to_switch {
            return (1..walk.order.len()).all(has);
        }
        let mut fits = vec![true; walk.order.len()];
        for at in 1..walk.order.len() {
            fits[at] = fits[walk.parent[at] as usize] && has(at);
            if !fits[at] && matters(self.turns, true, walk.order[at] as usize) {
                return false;
            }
        }
        true
    }

    /// Adds the sources of a column to its links, or takes them off.
    fn carry(&mut self, column: &[u8], to_switch: bool, change: impl Fn(u64, u64) -> u64) {
        let (loads, sources) = (&mut self.loads, &self.sources[usize::from(to_switch)]);
        self.flow.carry(self.turns.graph, column, sources, |link, passing| {
            loads[link] = change(loads[link], passing);
        });
    }

    /// Finds ways of which those that find none otherwise go by the tree, and with them what they
    /// come through; all of them if it takes too long.
    fn find_with_tree(&mut self, had: &[u8]) {
        self.tree.resize(self.turns.graph.len(), NO_LINK);
        self.escape.ways(self.turns.graph, self.home, &mut self.tree);
        for _ in 0..TREE_ROUNDS {
            let stuck = self.slope.order[1..].iter().filter(|s| !self.is_reached(**s as usize));
            let stuck: Vec<u32> = stuck.copied().collect();
            self.by_tree.extend(stuck);
            if self.find(had) {
                return;
            }
        }
        self.out.clone_from(&self.tree);
    }

    /// Sends the switches that have to go by the tree along it.
    fn start_with_tree(&mut self) {
        let graph = self.turns.graph;
        let mut way = Vec::new();
        for s in &self.by_tree {
            let mut at = *s as usize;
            while !self.is_reached(at) {
                way.push(at);
                at = graph.links(at)[usize::from(self.tree[at])].peer.index();
            }
            while let Some(s) = way.pop() {
                let place = self.tree[s];
                let next = graph.links(s)[usize::from(place)].peer.index();
                self.out[s] = place;
                self.hops[s] = self.hops[next] + 1;
                let link = graph.first_link(s) + usize::from(place);
                self.costs[s] = self.costs[next] + self.cost(link);
            }
        }
    }

    /// Finds ways over turns that close no circle; `false` if some switch finds none.
    fn find(&mut self, had: &[u8]) -> bool {
        self.out.fill(NO_LINK);
        self.hops[self.home] = 0;
        self.costs[self.home] = 0;
        self.start_with_tree();
        self.shortest(had);
        let mut left: Vec<u32> = self.slope.order[1..].to_vec();
        loop {
            left.retain(|s| self.out[*s as usize] == NO_LINK);
            if left.is_empty() {
                return true;
            }
            self.longer(&left);
            left.retain(|s| self.out[*s as usize] == NO_LINK);
            if !left.is_empty() && !left.iter().any(|s| self.bend(*s as usize)) {
                return false;
            }
        }
    }

    fn cost(&self, link: usize) -> u64 {
        steep(self.loads[link], self.unit)
    }

    fn is_reached(&self, s: usize) -> bool {
        s == self.home || self.out[s] != NO_LINK
    }

    /// The turn from a link to the way on from the switch at its end; none at the destination.
    fn turn(&self, link: usize, next: usize) -> Option<usize> {
        (next != self.home).then(|| self.turns.turn(link, self.out[next]))
    }

    /// Sends from `s` by a link if its turn closes no circle.
    fn take(&mut self, s: usize, place: u8, next: usize) -> bool {
        let link = self.turns.graph.first_link(s) + usize::from(place);
        if let Some(turn) = self.turn(link, next)
            && self.lane.admit(self.turns, turn) == Verdict::Barred
        {
            return false;
        }
        self.out[s] = place;
        self.hops[s] = self.hops[next] + 1;
        self.costs[s] = self.costs[next] + self.cost(link);
        true
    }

    /// Shortest ways, where there are any.
    fn shortest(&mut self, had: &[u8]) {
        let graph = self.turns.graph;
        for at in 1..self.slope.order.len() {
            let s = self.slope.order[at] as usize;
            if self.is_reached(s) {
                continue;
            }
            let steps = self.slope.first[at] as usize..self.slope.first[at + 1] as usize;
            let mut choices = std::mem::take(&mut self.choices);
            choices.clear();
            for step in steps {
                let next = self.slope.order[self.slope.next[step] as usize];
                if !self.is_reached(next as usize) {
                    continue;
                }
                let link = self.slope.links[step] as usize;
                let place = (link - graph.first_link(s)) as u8;
                let turn = self.turn(link, next as usize);
                if turn.is_some_and(|turn| self.lane.bars(turn)) {
                    continue;
                }
                choices.push(Choice {
                    fresh: turn.is_some_and(|turn| !self.lane.has(turn)),
                    cost: self.costs[next as usize] + self.cost(link),
                    other: had[s] != place,
                    place,
                    next,
                });
            }
            // Mostly the first one will do, so they are not sorted.
            while let Some(best) = (0..choices.len()).min_by_key(|at| choices[*at]) {
                let choice = choices.swap_remove(best);
                if self.take(s, choice.place, choice.next as usize) {
                    break;
                }
            }
            self.choices = choices;
        }
    }

    /// Ways of any length for those that have none, over switches that have one.
    fn longer(&mut self, left: &[u32]) {
        let graph = self.turns.graph;
        let mut heap = BinaryHeap::new();
        let offer = |this: &Self, heap: &mut BinaryHeap<_>, s: usize, place: usize| {
            let next = graph.links(s)[place].peer.index();
            let link = graph.first_link(s) + place;
            if this.turn(link, next).is_some_and(|turn| this.lane.bars(turn)) {
                return;
            }
            let cost = this.costs[next] + this.cost(link);
            heap.push(Reverse((this.hops[next], cost, s as u32, place as u8)));
        };
        for s in left.iter().map(|s| *s as usize) {
            for (place, link) in graph.links(s).iter().enumerate() {
                if self.is_reached(link.peer.index()) {
                    offer(self, &mut heap, s, place);
                }
            }
        }
        while let Some(Reverse((_, _, s, place))) = heap.pop() {
            let s = s as usize;
            let next = graph.links(s)[usize::from(place)].peer.index();
            if self.is_reached(s) || !self.take(s, place, next) {
                continue;
            }
            for link in graph.links(s) {
                let peer = link.peer.index();
                if !self.is_reached(peer)
                    && let Some(back) = graph.link_at(peer, link.peer_port)
                {
                    offer(self, &mut heap, peer, back);
                }
            }
        }
    }

    /// Finds a way for `s` over a neighbour that is given another way on for it.
    fn bend(&mut self, s: usize) -> bool {
        let graph = self.turns.graph;
        for (place, link) in graph.links(s).iter().enumerate() {
            let over = link.peer.index();
            if over == self.home || !self.is_reached(over) {
                continue;
            }
            for (way, onward) in graph.links(over).iter().enumerate() {
                let next = onward.peer.index();
                let new = way as u8 != self.out[over];
                if !new || !self.is_reached(next) {
                    continue;
                }
                let first = graph.first_link(s) + place;
                let link = graph.first_link(over) + way;
                let closes = self.lane.bars(self.turns.turn(first, way as u8))
                    || self.turn(link, next).is_some_and(|turn| self.lane.bars(turn));
                if closes || self.leads_over(next, over) {
                    continue;
                }
                if self.redirect(over, way as u8, first) {
                    self.out[s] = place as u8;
                    self.hops[s] = self.hops[over] + 1;
                    self.costs[s] = self.costs[over] + self.cost(first);
                    return true;
                }
            }
        }
        false
    }

    /// Whether the way of one switch leads over another.
    fn leads_over(&self, s: usize, over: usize) -> bool {
        let mut at = s;
        while at != self.home {
            if at == over {
                return true;
            }
            at = self.turns.graph.links(at)[usize::from(self.out[at])].peer.index();
        }
        false
    }

    /// Sends on from `over` by another link, with all that comes there already and what will come
    /// by the link `first`, unless one of their turns closes a circle.
    fn redirect(&mut self, over: usize, way: u8, first: usize) -> bool {
        let graph = self.turns.graph;
        let link = graph.first_link(over) + usize::from(way);
        let next = graph.links(over)[usize::from(way)].peer.index();
        let mut needed: Vec<usize> = self.turn(link, next).into_iter().collect();
        needed.push(self.turns.turn(first, way));
        for place in 0..graph.links(over).len() {
            let peer = graph.links(over)[place].peer.index();
            let into = self.turns.back(graph.first_link(over) + place);
            let sends =
                peer != self.home && usize::from(self.out[peer]) + graph.first_link(peer) == into;
            if sends {
                needed.push(self.turns.turn(into, way));
            }
        }
        let mut joined = Vec::new();
        for turn in needed {
            match self.lane.admit(self.turns, turn) {
                Verdict::Had => {}
                Verdict::Joined => joined.push(turn),
                Verdict::Barred => {
                    joined.iter().for_each(|turn| self.lane.take_back(self.turns, *turn));
                    return false;
                }
            }
        }
        self.out[over] = way;
        self.hops[over] = self.hops[next] + 1;
        self.costs[over] = self.costs[next] + self.cost(link);
        true
    }
}

/// Whether what a switch sends to a LID matters: only what end ports send to a switch does.
fn matters(turns: &Turns<'_>, to_switch: bool, s: usize) -> bool {
    !to_switch || !turns.graph.hosts(s).is_empty()
}
