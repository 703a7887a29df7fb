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

/// No way, in hops.
const FAR: u16 = u16::MAX - 1;

impl Slope {
    /// Finds the steps towards a switch. What was there before is overwritten; its room is kept.
    pub(crate) fn load(&mut self, graph: &Graph, home: usize) {
        self.find_order(graph, home);
        self.steps(graph);
    }

    /// Finds the switches by their distance, and no steps. What is next in the order is written
    /// whether it is new or not, and counted if it is: which of the two cannot be foretold, and a
    /// wrong guess of the processor costs more than the work.
    pub(crate) fn find_order(&mut self, graph: &Graph, home: usize) {
        let n = graph.len();
        self.hops.clear();
        self.hops.resize(n, FAR);
        self.place.resize(n, 0);
        self.order.resize(n + 1, 0);
        let (hops, place, order) = (&mut self.hops[..], &mut self.place[..], &mut self.order[..]);
        order[0] = home as u32;
        hops[home] = 0;
        let (mut at, mut count) = (0, 1);
        while at < count {
            let s = order[at] as usize;
            place[s] = at as u32;
            at += 1;
            let further = hops[s] + 1;
            if usize::from(further) > MAX_HOPS {
                continue;
            }
            for link in graph.links(s) {
                let hops = &mut hops[link.peer.index()];
                order[count] = link.peer.0;
                count += usize::from(*hops == FAR);
                *hops = further.min(*hops);
            }
        }
        self.order.truncate(count);
    }

    /// The turn from one step to the next.
    pub(crate) fn turn(&self, graph: &Graph, turns: &Turns<'_>, step: usize, next: usize) -> usize {
        let middle = self.order[self.next[step] as usize] as usize;
        let place = self.links[next] as usize - graph.first_link(middle);
        turns.turn(self.links[step] as usize, place as u8)
    }

    fn steps(&mut self, graph: &Graph) {
        self.first.clear();
        let (hops, place) = (&self.hops[..], &self.place[..]);
        let mut count = 0;
        for s in self.order.iter().map(|s| *s as usize) {
            self.first.push(count as u32);
            let row = graph.links(s);
            let end = count + row.len();
            if self.links.len() < end {
                self.links.resize(2 * end, 0);
                self.next.resize(2 * end, 0);
            }
            let (links, next) = (&mut self.links[count..end], &mut self.next[count..end]);
            let number = graph.first_link(s) as u32;
            let mut steps = 0;
            for (link, number) in row.iter().zip(number..) {
                let peer = link.peer.index();
                links[steps] = number;
                next[steps] = place[peer];
                steps += usize::from(hops[peer] + 1 == hops[s]);
            }
            count += steps;
        }
        self.first.push(count as u32);
        self.links.truncate(count);
        self.next.truncate(count);
    }
}
