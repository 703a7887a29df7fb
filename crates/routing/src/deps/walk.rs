//! A column as a tree.

use super::turns::Turns;
use crate::graph::Graph;
use crate::sssp::slope::Slope;

/// A column from its LID's switch outwards.
#[derive(Clone, Default, Debug)]
pub(crate) struct Walk {
    /// The switches with a path, the LID's own first, each after the one it sends to.
    pub(crate) order: Vec<u32>,
    /// By place in the order: the place of the switch that it sends to.
    pub(crate) parent: Vec<u32>,
    /// By place in the order: the link that it sends by.
    link: Vec<u32>,
    place: Vec<u32>,
}

impl Walk {
    /// Takes in a column of shortest paths to the switch that a slope leads to.
    pub(crate) fn load(&mut self, graph: &Graph, cells: &[u8], slope: &Slope) {
        self.order.clone_from(&slope.order);
        self.place.resize(cells.len(), 0);
        self.parent.clear();
        self.link.clear();
        for (at, s) in self.order.iter().map(|s| *s as usize).enumerate() {
            self.place[s] = at as u32;
            let number = graph.first_link(s) + usize::from(cells[s]);
            let next = graph.links(s).get(usize::from(cells[s]));
            // Only the LID's own switch has no link, and it comes first.
            self.parent.push(next.map_or(0, |link| self.place[link.peer.index()]));
            self.link.push(number as u32);
        }
    }

    /// The turn that a path makes at the end of its first link; none if it has arrived there.
    pub(crate) fn turn(&self, turns: &Turns<'_>, at: usize) -> Option<usize> {
        let parent = self.parent[at] as usize;
        if parent == 0 {
            return None;
        }
        let s = self.order[parent] as usize;
        let place = self.link[parent] as usize - turns.graph.first_link(s);
        Some(turns.turn(self.link[at] as usize, place as u8))
    }

    /// Shows all turns of a path.
    pub(crate) fn path(&self, turns: &Turns<'_>, at: usize, mut show: impl FnMut(usize)) {
        let mut at = at;
        while let Some(turn) = self.turn(turns, at) {
            show(turn);
            at = self.parent[at] as usize;
        }
    }
}
