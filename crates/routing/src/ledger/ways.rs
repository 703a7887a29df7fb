//! The ways of a LID before and after some of its entries moved: what that changes, without a look
//! at the ways that stay.

use lk_wire::{Lid, PortNum};

use super::marks::Marks;
use super::moving::{Moving, carried};
use super::turns::TurnCounts;
use super::way::{Aim, Senders};
use crate::graph::{Graph, Link};
use crate::tables::Lfts;

/// The ways of one LID after the other.
pub(super) struct Ways<'a> {
    /// The links as they were, and as they are.
    was: &'a Graph,
    graph: &'a Graph,
    /// The entries as they were.
    lfts: &'a Lfts,
    lid: Lid,
    /// The switches whose entries are others now, and what they hold.
    sites: Marks,
    now: Vec<u8>,
    /// The switches that packets come to from these, by the old ways or by the new ones.
    near: Marks,
    below: Vec<usize>,
    /// Those of them that packets of end ports come to, by the old ways and by the new ones.
    fed: [Marks; 2],
}

/// Ways as they were, and as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    Old,
    New,
}

impl<'a> Ways<'a> {
    /// Room for the ways on two graphs of the same switches.
    pub(super) fn new(was: &'a Graph, graph: &'a Graph, lfts: &'a Lfts) -> Self {
        let marks = || Marks::new(graph.len());
        Self {
            was,
            graph,
            lfts,
            lid: Lid(0),
            sites: marks(),
            now: vec![Lfts::NO_PATH; graph.len()],
            near: marks(),
            below: Vec::new(),
            fed: [marks(), marks()],
        }
    }

    /// Turns to another LID. Entries that move lead nowhere until they are put.
    pub(super) fn turn_to(&mut self, moving: &Moving) {
        self.lid = moving.lid;
        self.sites.clear();
        for site in &moving.sites {
            self.sites.set(site.switch);
            self.now[site.switch] =
                if site.moves { Lfts::NO_PATH } else { self.old_port(site.switch) };
        }
    }

    /// Puts a new entry.
    pub(super) fn put(&mut self, s: usize, port: u8) {
        self.now[s] = port;
    }

    fn old_port(&self, s: usize) -> u8 {
        self.lfts.rows[s].get(usize::from(self.lid.0)).copied().unwrap_or(Lfts::NO_PATH)
    }

    /// The port by which a switch sends now.
    pub(super) fn port(&self, s: usize) -> u8 {
        if self.sites.has(s) { self.now[s] } else { self.old_port(s) }
    }

    /// The place of the link by which a switch sends now.
    pub(super) fn place(&self, s: usize) -> Option<usize> {
        self.graph.link_at(s, PortNum(self.port(s)))
    }

    /// The link by which a switch sends.
    fn link(&self, when: When, s: usize) -> Option<Link> {
        let (graph, port) = match when {
            When::Old => (self.was, self.old_port(s)),
            When::New => (self.graph, self.port(s)),
        };
        graph.link_at(s, PortNum(port)).map(|at| graph.links(s)[at])
    }

    /// The switches that send to a switch, before and now.
    fn senders(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        let sends = |link: &&Link| {
            let peer = link.peer.index();
            !self.sites.has(peer) && self.old_port(peer) == link.peer_port.0
        };
        self.graph.links(s).iter().filter(sends).map(|link| link.peer.index())
    }

    /// The end ports whose packets come to a switch whatever becomes of entries that move.
    pub(super) fn brings(&self, s: usize) -> u64 {
        let mut routes = 0;
        let mut open = vec![s];
        while let Some(at) = open.pop() {
            routes += self.graph.hosts(at).len() as u64;
            open.extend(self.senders(at));
        }
        routes
    }

    /// The switches that send packets of end ports to a switch, whatever becomes of entries that
    /// move.
    pub(super) fn feeders(&self, s: usize) -> Vec<usize> {
        self.senders(s).filter(|from| self.is_fed(*from, &|_| false)).collect()
    }

    /// Whether packets of end ports come to a switch, by ways that stay and pass none of some
    /// switches.
    fn is_fed(&self, s: usize, passes: &dyn Fn(usize) -> bool) -> bool {
        let mut open = vec![s];
        while let Some(at) = open.pop() {
            if !self.graph.hosts(at).is_empty() {
                return true;
            }
            open.extend(self.senders(at).filter(|from| !passes(*from)));
        }
        false
    }

    /// The links, by their numbers now, of the old way from a switch, as far as they are still
    /// there; none where it does not arrive.
    pub(super) fn old_way(&self, s: usize, aim: Aim) -> Vec<usize> {
        let carry = |at: usize| carried(self.was, self.graph, at, self.old_port(at));
        self.way(When::Old, s, aim, carry)
    }

    /// The links of the way from a switch as it is now.
    pub(super) fn new_way(&self, s: usize, aim: Aim) -> Vec<usize> {
        self.way(When::New, s, aim, |at| self.place(at))
    }

    fn way(
        &self,
        when: When,
        s: usize,
        aim: Aim,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Vec<usize> {
        let (mut at, mut links) = (s, Vec::new());
        for _ in 0..self.graph.len() {
            let Some(link) = self.link(when, at) else {
                let port = if when == When::Old { self.old_port(at) } else { self.port(at) };
                let arrives = aim.home == Some((at as u32, port));
                return if arrives { links } else { Vec::new() };
            };
            links.extend(place(at).map(|place| self.graph.first_link(at) + place));
            at = link.peer.index();
        }
        Vec::new()
    }

    /// Takes the turns away that packets make no longer, and adds those that they make now. Whether
    /// the latter lead forward in the order.
    pub(super) fn tally(&mut self, moving: &Moving, turns: &mut TurnCounts) -> bool {
        self.find_near(moving);
        let of_switch = moving.aim.of_switch;
        let mut in_order = true;
        let mut change = |s: usize, fed: [bool; 2]| {
            let turn = |when, fed| {
                let (link, out) = self.turn(when, s)?;
                let who = senders(of_switch, fed);
                (who != Senders::None).then_some((link, out, who))
            };
            let (old, new) = (turn(When::Old, fed[0]), turn(When::New, fed[1]));
            if old == new {
                return;
            }
            if let Some((link, out, who)) = old {
                turns.take(link, out, who);
            }
            if let Some((link, out, who)) = new {
                in_order &= turns.add(link, out, who);
            }
        };
        for s in &self.below {
            change(*s, [self.fed[0].has(*s), self.fed[1].has(*s)]);
        }
        for site in &moving.sites {
            for from in self.senders(site.switch).filter(|from| !self.near.has(*from)) {
                let fed = self.is_fed(from, &|_| false);
                change(from, [fed, fed]);
            }
        }
        in_order
    }

    /// Finds the switches that packets come to from those with new entries, and who sends them.
    fn find_near(&mut self, moving: &Moving) {
        self.near.clear();
        self.below.clear();
        self.fed.iter_mut().for_each(Marks::clear);
        let mut open: Vec<usize> = moving.sites.iter().map(|site| site.switch).collect();
        while let Some(s) = open.pop() {
            if self.near.set(s) {
                self.below.push(s);
                let next = [When::Old, When::New].map(|when| self.link(when, s));
                open.extend(next.into_iter().flatten().map(|link| link.peer.index()));
            }
        }
        for at in 0..self.below.len() {
            let start = self.below[at];
            // Where it is known already that packets come, it is so for all that follows.
            if self.fed.iter().all(|fed| fed.has(start))
                || !self.is_fed(start, &|s| self.near.has(s))
            {
                continue;
            }
            self.feed(When::Old, start);
            self.feed(When::New, start);
        }
    }

    /// Writes down that packets of end ports come to a switch, and to all that follow.
    fn feed(&mut self, when: When, start: usize) {
        let mut at = Some(start);
        while let Some(s) = at.filter(|s| self.fed[when as usize].set(*s)) {
            at = self.link(when, s).map(|link| link.peer.index());
        }
    }

    /// The turn that packets make which a switch sends: the number of its link, and the place of
    /// the next one; none where one of them is gone.
    fn turn(&self, when: When, s: usize) -> Option<(usize, u8)> {
        let next = self.link(when, s)?.peer.index();
        let place = |s: usize| match when {
            When::Old => carried(self.was, self.graph, s, self.old_port(s)),
            When::New => self.place(s),
        };
        Some((self.graph.first_link(s) + place(s)?, place(next)? as u8))
    }
}

/// Who sends packets to a LID over a link that packets of end ports come to or not.
const fn senders(of_switch: bool, fed: bool) -> Senders {
    match (of_switch, fed) {
        (false, true) => Senders::Hosts,
        (false, false) | (true, true) => Senders::Switches,
        (true, false) => Senders::None,
    }
}
