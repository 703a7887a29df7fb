//! A column as a tree.

use rayon::prelude::*;

use super::turns::Turns;
use crate::graph::Graph;
use crate::paths::MAX_HOPS;

/// The switches by their distance from each switch, where that is small enough to be kept.
#[derive(Clone, Debug)]
pub(crate) struct Nearest(Vec<Vec<u32>>);

impl Nearest {
    /// More numbers than this are not kept, but found out again and again.
    const MOST: usize = 1 << 26;

    /// Searches from each switch.
    pub(crate) fn new(graph: &Graph) -> Self {
        let n = graph.len();
        if n.saturating_mul(n) > Self::MOST {
            return Self(Vec::new());
        }
        let search = |seen: &mut Vec<u32>, home| {
            let mut order = Vec::with_capacity(n);
            nearest(graph, home, seen, &mut order);
            order
        };
        Self((0..n).into_par_iter().map_init(Vec::new, search).collect())
    }
}

/// The switches that reach one of them, it first, by ascending distance.
fn nearest(graph: &Graph, home: usize, hops: &mut Vec<u32>, order: &mut Vec<u32>) {
    const FAR: u32 = u32::MAX;
    hops.clear();
    hops.resize(graph.len(), FAR);
    hops[home] = 0;
    order.clear();
    order.push(home as u32);
    let mut at = 0;
    while let Some(s) = order.get(at).map(|s| *s as usize) {
        at += 1;
        let further = hops[s] + 1;
        if further as usize > MAX_HOPS {
            continue;
        }
        for link in graph.links(s) {
            let hops = &mut hops[link.peer.index()];
            if *hops == FAR {
                *hops = further;
                order.push(link.peer.0);
            }
        }
    }
}

/// A column from its LID's switch outwards.
#[derive(Clone, Default, Debug)]
pub(crate) struct Walk {
    /// The switches with a path, the LID's own first, each after the one it sends to.
    pub(crate) order: Vec<u32>,
    /// By place in the order: the place of the switch that it sends to.
    pub(crate) parent: Vec<u32>,
    /// By place in the order: the turn at the end of the link that it sends by.
    turn: Vec<u32>,
    /// For each switch its place.
    place: Vec<u32>,
    hops: Vec<u32>,
    home: Option<u32>,
}

/// Stands for a way that makes no turn.
const NO_TURN: u32 = u32::MAX;

impl Walk {
    /// Takes in a column of shortest paths to a switch.
    pub(crate) fn load(&mut self, turns: &Turns<'_>, nearest: &Nearest, home: u32, cells: &[u8]) {
        let graph = turns.graph;
        self.start(graph, nearest, home);
        self.parent.clear();
        self.turn.clear();
        // The LID's own switch has no link, and it comes first.
        self.parent.push(0);
        self.turn.push(NO_TURN);
        for s in self.order[1..].iter().map(|s| *s as usize) {
            let next =
                graph.links(s).get(usize::from(cells[s])).map_or(home, |l| l.peer.0) as usize;
            let parent = self.place[next];
            let link = graph.first_link(s) + usize::from(cells[s]);
            let turn = match parent {
                0 => NO_TURN,
                _ => turns.turn(link, cells[next]) as u32,
            };
            self.parent.push(parent);
            self.turn.push(turn);
        }
    }

    /// Takes in the order of the switches before a switch.
    pub(crate) fn start(&mut self, graph: &Graph, near: &Nearest, home: u32) {
        if self.home == Some(home) {
            return;
        }
        match near.0.get(home as usize) {
            Some(order) => self.order.clone_from(order),
            None => nearest(graph, home as usize, &mut self.hops, &mut self.order),
        }
        self.place.resize(graph.len(), 0);
        for (place, s) in (0..).zip(&self.order) {
            self.place[*s as usize] = place;
        }
        self.home = Some(home);
    }

    /// The turn that a path makes at the end of its first link; none if it has arrived there.
    #[inline]
    pub(crate) fn turn(&self, at: usize) -> Option<usize> {
        let turn = self.turn[at];
        (turn != NO_TURN).then_some(turn as usize)
    }

    /// Shows all turns of a path.
    pub(crate) fn path(&self, at: usize, mut show: impl FnMut(usize)) {
        let mut at = at;
        while let Some(turn) = self.turn(at) {
            show(turn);
            at = self.parent[at] as usize;
        }
    }
}
