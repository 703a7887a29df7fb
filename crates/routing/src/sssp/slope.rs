//! All steps that lead nearer to one switch.

use crate::deps::turns::Turns;
use crate::graph::Graph;
use crate::paths::MAX_HOPS;

/// The switches by their distance from a destination, each with its steps towards it.
///
/// Switches are named by their place in the order, so that a pass over all of them reads memory
/// from one end to the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Slope {
    /// The switches that reach the destination, itself first, by ascending distance.
    pub(crate) order: Vec<u32>,
    /// For each place the first of its steps; one more at the end.
    pub(crate) first: Vec<u32>,
    /// The link of each step, by its number among all directed links.
    pub(crate) links: Vec<u32>,
    /// The place to which each step leads.
    pub(crate) next: Vec<u32>,
    /// For each switch its distance.
    hops: Vec<u16>,
    /// For each switch its place.
    place: Vec<u32>,
}

impl Slope {
    /// Finds the steps towards a switch. What was there before is overwritten; its room is kept.
    pub(crate) fn load(&mut self, graph: &Graph, home: usize) {
        const FAR: u16 = u16::MAX;
        self.hops.clear();
        self.hops.resize(graph.len(), FAR);
        self.place.resize(graph.len(), 0);
        self.order.clear();
        self.order.push(home as u32);
        self.hops[home] = 0;
        let mut at = 0;
        while let Some(s) = self.order.get(at).map(|s| *s as usize) {
            self.place[s] = at as u32;
            at += 1;
            let further = self.hops[s] + 1;
            if usize::from(further) > MAX_HOPS {
                continue;
            }
            for link in graph.links(s) {
                let hops = &mut self.hops[link.peer.index()];
                if *hops == FAR {
                    *hops = further;
                    self.order.push(link.peer.0);
                }
            }
        }
        self.steps(graph);
    }

    /// The turn from one step to the next.
    pub(crate) fn turn(&self, graph: &Graph, turns: &Turns<'_>, step: usize, next: usize) -> usize {
        let middle = self.order[self.next[step] as usize] as usize;
        let place = self.links[next] as usize - graph.first_link(middle);
        turns.turn(self.links[step] as usize, place as u8)
    }

    fn steps(&mut self, graph: &Graph) {
        self.first.clear();
        self.links.clear();
        self.next.clear();
        for s in self.order.iter().map(|s| *s as usize) {
            self.first.push(self.links.len() as u32);
            let number = graph.first_link(s) as u32;
            for (link, number) in graph.links(s).iter().zip(number..) {
                let peer = link.peer.index();
                if self.hops[peer].checked_add(1) == Some(self.hops[s]) {
                    self.links.push(number);
                    self.next.push(self.place[peer]);
                }
            }
        }
        self.first.push(self.links.len() as u32);
    }
}
