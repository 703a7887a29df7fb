//! Where entries that move go to.

use lk_wire::{Lid, PortNum};

use super::moving::{Moving, Site};
use super::turns::{Turn, TurnCounts};
use super::ways::Ways;
use crate::graph::Graph;
use crate::paths::distances::Distances;
use crate::tables::Lfts;

/// Routes in the making.
pub(super) struct Patch<'a> {
    pub(super) graph: &'a Graph,
    pub(super) distances: &'a Distances,
    /// The entries as they were.
    lfts: &'a Lfts,
    pub(super) turns: TurnCounts,
    pub(super) load: Vec<u64>,
    /// New entries: switch, LID and port.
    pub(super) entries: Vec<(usize, Lid, u8)>,
    /// Whether all turns lead forward in the order of old.
    pub(super) in_order: bool,
}

/// A switch that needs another step to a LID.
struct Stand<'a, 'b> {
    ways: &'b Ways<'a>,
    moving: &'b Moving,
    s: usize,
    /// The links, by number, by which packets of end ports come.
    into: Vec<usize>,
}

impl<'a> Patch<'a> {
    /// Nothing has moved yet.
    pub(super) const fn new(
        graph: &'a Graph,
        distances: &'a Distances,
        lfts: &'a Lfts,
        turns: TurnCounts,
        load: Vec<u64>,
    ) -> Self {
        Self { graph, distances, lfts, turns, load, entries: Vec::new(), in_order: true }
    }

    /// Takes the routes that go elsewhere off the links of their old ways.
    pub(super) fn unload(&mut self, ways: &Ways<'_>, moving: &mut Moving) {
        if moving.aim.of_switch {
            return;
        }
        for site in &mut moving.sites {
            site.brings = ways.brings(site.switch);
            if site.brings > 0 {
                let way = ways.old_way(site.switch, moving.aim);
                way.into_iter().for_each(|link| self.load[link] -= site.brings);
            }
        }
    }

    /// Moves the entries of one LID, those of the nearest switches first.
    pub(super) fn choose(&mut self, ways: &mut Ways<'_>, moving: &Moving) {
        let mut sites: Vec<Site> = moving.sites.clone();
        sites.sort_by_key(|site| (self.distances.hops(moving.dest, site.switch), site.switch));
        for Site { switch: s, moves, brings } in sites {
            if moves {
                let best = self.best(ways, moving, s);
                let port = best.map(|link| self.graph.links(s)[usize::from(link)].port.0);
                let port = port.unwrap_or(Lfts::NO_PATH);
                ways.put(s, port);
                self.entries.push((s, moving.lid, port));
            }
            if brings > 0 {
                let way = ways.new_way(s, moving.aim);
                way.into_iter().for_each(|link| self.load[link] += brings);
            }
        }
    }

    /// The best of the links of a switch that lead to a LID. Of those that make turns that are
    /// quite new, one that closes no circle, if there is any.
    fn best(&self, ways: &Ways<'_>, moving: &Moving, s: usize) -> Option<u8> {
        let stand = Stand { ways, moving, s, into: self.into(ways, s) };
        let leads =
            |link: &u8| self.distances.leads(self.graph, moving.dest, s, usize::from(*link));
        let links = (0..self.graph.links(s).len() as u8).filter(leads);
        let mut all: Vec<(Cost, u8)> = links.map(|link| (self.cost(&stand, link), link)).collect();
        let best = *all.iter().min()?;
        if best.0.turn != Turn::New {
            return Some(best.1);
        }
        all.sort_unstable();
        let opens = |link: &u8| !self.turns_of(&stand, *link).any(|(a, b)| self.turns.closes(a, b));
        let open = all.iter().map(|(_, link)| *link).find(opens);
        Some(open.unwrap_or(best.1))
    }

    /// The links by which packets of end ports come to a switch on ways that stay.
    fn into(&self, ways: &Ways<'_>, s: usize) -> Vec<usize> {
        let link = |from: usize| Some(self.graph.first_link(from) + ways.place(from)?);
        ways.feeders(s).into_iter().filter_map(link).collect()
    }

    /// The turns that a LID makes onto and from a link of a switch, as far as they count.
    fn turns_of(&self, stand: &Stand<'_, '_>, link: u8) -> impl Iterator<Item = (usize, u8)> {
        let graph = self.graph;
        let Stand { ways, s, into, .. } = stand;
        let fed = !into.is_empty() || !graph.hosts(*s).is_empty();
        let counts = !self.turns.hosts_only() || (fed && !stand.moving.aim.of_switch);
        let peer = graph.links(*s)[usize::from(link)].peer.index();
        let onward = ways.place(peer).filter(|_| counts);
        let onward = onward.map(|out| (graph.first_link(*s) + usize::from(link), out as u8));
        let into = if counts { into.as_slice() } else { &[] };
        onward.into_iter().chain(into.iter().map(move |from| (*from, link)))
    }

    /// What speaks against a link.
    fn cost(&self, stand: &Stand<'_, '_>, link: u8) -> Cost {
        let (graph, s) = (self.graph, stand.s);
        let turns = self.turns_of(stand, link);
        let turn = turns.map(|(a, b)| self.turns.kind(a, b)).max().unwrap_or(Turn::Forward);
        let mut loads = [0; 4];
        let (mut at, mut next) = (s, Some(usize::from(link)));
        for _ in 0..graph.len() {
            let Some(link) = next else { break };
            insert(&mut loads, self.load[graph.first_link(at) + link]);
            at = graph.links(at)[link].peer.index();
            next = stand.ways.place(at);
        }
        // The fewer turns there are that are quite new, the less they close circles.
        let loads = if turn == Turn::New { [0; 4] } else { loads };
        let near = graph.links(s)[usize::from(link)].peer.index();
        Cost { alike: self.alike(stand, near), turn, loads, link }
    }

    /// How many other LIDs of the port go from a switch to one that is next to it.
    fn alike(&self, stand: &Stand<'_, '_>, near: usize) -> usize {
        let (base, count) = stand.moving.range;
        let lids = (base..base.saturating_add(count)).filter(|lid| *lid != stand.moving.lid.0);
        let port = |lid: u16| {
            let recent = self.entries.iter().rev().take_while(|(_, other, _)| other.0 >= base);
            let moved = recent.into_iter().find(|(s, other, _)| (*s, other.0) == (stand.s, lid));
            let stood = || self.lfts.rows[stand.s].get(usize::from(lid)).copied();
            moved.map(|(.., port)| *port).or_else(stood)
        };
        let peer = |port: u8| self.graph.peer(stand.s, PortNum(port)).map(|peer| peer.index());
        lids.filter(|lid| port(*lid).and_then(peer) == Some(near)).count()
    }
}

/// What speaks against a link, the gravest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost {
    /// How many other LIDs of the port go to the same switch.
    alike: usize,
    /// Its worst turn.
    turn: Turn,
    /// The load of the fullest links of the way, the fullest first.
    loads: [u64; 4],
    /// The place of the link itself.
    link: u8,
}

/// Puts a load among the greatest ones, if it is one of them.
fn insert(loads: &mut [u64; 4], load: u64) {
    let mut load = load;
    for slot in loads {
        if load > *slot {
            std::mem::swap(slot, &mut load);
        }
    }
}
