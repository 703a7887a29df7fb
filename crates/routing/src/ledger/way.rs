//! The ways of all switches to one LID, and what goes over each link of them.

use crate::graph::Graph;
use crate::paths::distances::{Distances, FAR};

/// No link: the packet stays, is delivered, or is lost.
const NO_LINK: u8 = u8::MAX;

/// Where a LID is, and who sends to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Aim {
    /// The switch that it hangs on, and the port that leads to it there; none if on no switch.
    pub(super) home: Option<(u32, u8)>,
    /// Whether it is a switch's own: other switches do not send to it then.
    pub(super) of_switch: bool,
}

/// Who sends the packets that go over a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Senders {
    /// Nobody.
    None,
    /// Switches alone, or the LID is a switch's own.
    Switches,
    /// Hosts, to a host.
    Hosts,
}

/// The ways to one LID. Its buffers are kept from one LID to the next.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The place of the link that each switch takes.
    links: Vec<u8>,
    peers: Vec<u32>,
    /// The switches, each before the one that it sends to.
    order: Vec<u32>,
    waiting: Vec<u16>,
    /// Hops until the way ends; and whether that is at the port that has the LID.
    depths: Vec<u16>,
    arrives: Vec<bool>,
    /// End ports whose packets pass each switch.
    passing: Vec<u32>,
    /// Who sends the packets that leave each switch.
    busy: Vec<Senders>,
}

/// What was found beside the turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reached {
    /// Whether the LID is reached from everywhere.
    pub(super) whole: bool,
    /// The longest way that arrives.
    pub(super) farthest: u16,
}

impl Way {
    /// Room for the ways on a graph.
    pub(super) fn new(graph: &Graph) -> Self {
        let n = graph.len();
        Self {
            links: vec![NO_LINK; n],
            peers: vec![0; n],
            order: Vec::with_capacity(n),
            waiting: vec![0; n],
            depths: vec![0; n],
            arrives: vec![false; n],
            passing: vec![0; n],
            busy: vec![Senders::None; n],
        }
    }

    /// Follows a LID, given the port by which each switch sends to it. None if it goes round.
    pub(super) fn follow(&mut self, graph: &Graph, ports: &[u8], aim: Aim) -> Option<Reached> {
        self.waiting.fill(0);
        for (s, port) in ports.iter().enumerate() {
            let link = graph.link_at(s, lk_wire::PortNum(*port));
            self.links[s] = link.map_or(NO_LINK, |link| link as u8);
            if let Some(link) = link {
                let peer = graph.links(s)[link].peer.0;
                self.peers[s] = peer;
                self.waiting[peer as usize] += 1;
            }
        }
        self.order.clear();
        self.order.extend((0..ports.len() as u32).filter(|s| self.waiting[*s as usize] == 0));
        let mut at = 0;
        while let Some(s) = self.order.get(at).map(|s| *s as usize) {
            at += 1;
            if self.links[s] != NO_LINK {
                let peer = self.peers[s] as usize;
                self.waiting[peer] -= 1;
                if self.waiting[peer] == 0 {
                    self.order.push(peer as u32);
                }
            }
        }
        if self.order.len() != ports.len() {
            return None;
        }
        let mut reached = Reached { whole: true, farthest: 0 };
        for s in self.order.iter().rev().map(|s| *s as usize) {
            let peer = self.peers[s] as usize;
            let (arrives, depth) = match self.links[s] {
                NO_LINK => (aim.home == Some((s as u32, ports[s])), 0),
                _ => (self.arrives[peer], self.depths[peer] + 1),
            };
            (self.arrives[s], self.depths[s]) = (arrives, depth);
            reached.whole &= arrives;
            if arrives {
                reached.farthest = reached.farthest.max(depth);
            }
        }
        Some(reached)
    }

    /// Whether the way from each switch is as long as the distances say, where these have one, and
    /// arrives.
    pub(super) fn is_direct(&self, distances: &Distances, dest: u32) -> bool {
        let as_long = |(s, hops): (usize, &u8)| match *hops {
            FAR => !self.arrives[s],
            hops => self.arrives[s] && self.depths[s] == u16::from(hops),
        };
        distances.row(dest as usize).iter().enumerate().all(as_long)
    }

    /// Reports the links that are taken, each with the number of end ports whose packets it
    /// carries, and the turns, from a link to a place among those of the next switch, with those
    /// who make them.
    pub(super) fn tally(
        &mut self,
        graph: &Graph,
        aim: Aim,
        mut load: impl FnMut(usize, u32),
        mut turn: impl FnMut(usize, u8, Senders),
    ) {
        let home = aim.home.filter(|(_, port)| *port != 0).map(|(s, _)| s as usize);
        for s in 0..self.links.len() {
            let hosts = graph.hosts(s).len() as u32;
            self.busy[s] = match (hosts > 0, aim.of_switch) {
                (true, false) => Senders::Hosts,
                (false, true) => Senders::None,
                _ => Senders::Switches,
            };
            // The end port that has the LID does not send to itself.
            self.passing[s] = if self.arrives[s] { hosts - u32::from(home == Some(s)) } else { 0 };
        }
        for s in self.order.iter().map(|s| *s as usize) {
            if self.links[s] == NO_LINK {
                continue;
            }
            let (peer, link) =
                (self.peers[s] as usize, graph.first_link(s) + usize::from(self.links[s]));
            if !aim.of_switch && self.passing[s] > 0 {
                load(link, self.passing[s]);
            }
            self.passing[peer] += self.passing[s];
            if self.busy[s] != Senders::None {
                self.busy[peer] = self.busy[peer].max(self.busy[s]);
                if self.links[peer] != NO_LINK {
                    turn(link, self.links[peer], self.busy[s]);
                }
            }
        }
    }
}
