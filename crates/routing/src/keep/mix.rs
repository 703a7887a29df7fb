//! Mixing the columns of two tables.

use std::sync::atomic::{AtomicU64, Ordering};

use lk_fabric::Fabric;
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::LIMIT;
use super::turns::Turns;
use crate::column::{Column, End};
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::tables::{Lfts, LidMap};

/// LIDs that are worked on together: their columns side by side, switch by switch.
const WIDTH: usize = 64;
/// How often loads are looked at again after LIDs have been moved.
const ROUNDS: usize = 4;
/// No link: the packet stays, is delivered, or is lost.
const NO_LINK: u8 = u8::MAX;

/// The tables that stand, the fresh ones, and what is known of these.
pub(super) struct Mixer<'a> {
    fabric: &'a Fabric,
    graph: &'a Graph,
    map: &'a LidMap,
    previous: &'a Lfts,
    fresh: &'a Lfts,
    lids: Vec<Lid>,
    turns: Turns,
    /// Whose turns have to be among these.
    law: Law,
    /// The load of the fullest link of the fresh tables.
    most: u64,
}

/// For which LIDs only allowed turns are taken: those whose fresh turns, all together, close no
/// circle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Law {
    /// For all.
    All,
    /// For those of end ports. Traffic to switches closes a circle.
    EndPorts,
    /// For none: the fresh routing can deadlock.
    Nobody,
}

/// Columns in the making, and what goes over each link.
struct Room {
    column: Column,
    /// The link that each switch takes.
    links: Vec<u8>,
    /// Whether all turns from a switch on are among the fresh ones.
    clean: Vec<bool>,
    /// End ports whose packets pass each switch.
    passing: Vec<u64>,
}

impl<'a> Mixer<'a> {
    /// Looks at the fresh tables.
    pub(super) fn new(
        job: &RouteJob<'a>,
        graph: &'a Graph,
        previous: &'a Lfts,
        fresh: &'a Lfts,
    ) -> Self {
        let turns = Turns::new(graph);
        let lids = job.lids.owned();
        let mut mixer = Self {
            fabric: job.fabric,
            graph,
            map: job.lids,
            previous,
            fresh,
            lids,
            turns,
            law: Law::All,
            most: 0,
        };
        let load = counters(graph);
        let of_end_ports = Turns::new(graph);
        mixer.lids.par_chunks(WIDTH).for_each(|chunk| {
            let mut room = mixer.room();
            for lid in chunk {
                mixer.load(&mut room, *lid);
                mixer.pass(&mut room, *lid);
                mixer.note_turns(&room, *lid, &mixer.turns);
                if !mixer.is_switch(*lid) {
                    mixer.note_turns(&room, *lid, &of_end_ports);
                }
                mixer.tally(&room, *lid, &load, true);
            }
        });
        if !mixer.turns.is_free_of_circles(graph) {
            let free = of_end_ports.is_free_of_circles(graph);
            mixer.law = if free { Law::EndPorts } else { Law::Nobody };
            mixer.turns = of_end_ports;
        }
        if mixer.law != Law::Nobody {
            mixer.allow_standing_turns();
        }
        mixer.most = most(&load);
        mixer
    }

    /// Whether a LID is a switch's own.
    fn is_switch(&self, lid: Lid) -> bool {
        let end = self.map.port(lid);
        end.is_none_or(|end| self.fabric.as_switch(self.fabric.owner(end)).is_some())
    }

    /// Whether only allowed turns are taken to a LID.
    fn binds(&self, lid: Lid) -> bool {
        match self.law {
            Law::All => true,
            Law::EndPorts => !self.is_switch(lid),
            Law::Nobody => false,
        }
    }

    /// Allows the turns of the tables that stand, too, if all together close no circle: what a
    /// fresh routing happens not to use may be as sound as what it uses.
    fn allow_standing_turns(&mut self) {
        // Ways to switches can lead down and up again where those to end ports do not.
        for switches_too in [true, false] {
            let both = self.turns.clone();
            self.lids.par_chunks(WIDTH).for_each(|chunk| {
                let mut room = self.room();
                let counts =
                    |lid: &Lid| self.binds(*lid) && (switches_too || !self.is_switch(*lid));
                for lid in chunk.iter().filter(|lid| counts(lid)) {
                    room.column.load(self.fabric, self.graph, self.previous, self.map, *lid);
                    for (link, stands) in room.links.iter_mut().zip(&room.column.links) {
                        *link = stands.unwrap_or(NO_LINK);
                    }
                    // Ways that end at a failed link count up to there: what remains of them may
                    // stay.
                    self.pass_from(&mut room, *lid, |end| end != End::Loop);
                    self.note_turns(&room, *lid, &both);
                }
            });
            if both.is_free_of_circles(self.graph) {
                self.turns = both;
                return;
            }
        }
    }

    fn room(&self) -> Room {
        let n = self.graph.len();
        Room {
            column: Column::new(self.graph),
            links: vec![NO_LINK; n],
            clean: vec![false; n],
            passing: vec![0; n],
        }
    }

    /// Takes in the fresh column of a LID.
    fn load(&self, room: &mut Room, lid: Lid) {
        room.column.load(self.fabric, self.graph, self.fresh, self.map, lid);
        for (link, fresh) in room.links.iter_mut().zip(&room.column.links) {
            *link = fresh.unwrap_or(NO_LINK);
        }
    }

    /// Works out how many end ports' packets pass each switch by the links of the room.
    fn pass(&self, room: &mut Room, lid: Lid) {
        self.pass_from(room, lid, |end| matches!(end, End::Delivered(_)));
    }

    /// The same for ways that end in one of some manners.
    fn pass_from(&self, room: &mut Room, lid: Lid, counts: impl Fn(End) -> bool) {
        let home = self.map.port(lid);
        let home =
            home.and_then(|end| Graph::attachment(self.fabric, end)).filter(|(_, p)| p.0 > 0);
        for (s, passing) in room.passing.iter_mut().enumerate() {
            // The end port that has the LID does not send to itself.
            let own = home.is_some_and(|(switch, _)| switch.index() == s);
            *passing = self.graph.hosts(s).len() as u64 - u64::from(own);
            if !counts(room.column.ends[s]) {
                *passing = 0;
            }
        }
        for s in room.column.order.iter().rev().map(|s| *s as usize) {
            if room.links[s] != NO_LINK && room.passing[s] > 0 {
                let peer = self.peer(s, room.links[s]);
                room.passing[peer] += room.passing[s];
            }
        }
    }

    fn peer(&self, s: usize, link: u8) -> usize {
        self.graph.links(s)[usize::from(link)].peer.index()
    }

    /// Whether packets that the proof looks at leave a switch: those of end ports, and to end ports
    /// those of switches, too.
    fn is_used(room: &Room, s: usize, to_switch: bool) -> bool {
        !to_switch || room.passing[s] > 0
    }

    fn note_turns(&self, room: &Room, lid: Lid, turns: &Turns) {
        let to_switch = self.is_switch(lid);
        for s in room.column.order.iter().map(|s| *s as usize) {
            if !Self::is_used(room, s, to_switch) || room.links[s] == NO_LINK {
                continue;
            }
            let (peer, into) = self.step(s, room.links[s]);
            if room.links[peer] != NO_LINK {
                turns.add(self.graph, into, peer, room.links[peer]);
            }
        }
    }

    /// The switch behind a link, and the link's number among all.
    fn step(&self, s: usize, link: u8) -> (usize, usize) {
        (self.peer(s, link), self.graph.first_link(s) + usize::from(link))
    }

    /// Adds the load of a column to links, or takes it away. Only traffic to end ports counts.
    fn tally(&self, room: &Room, lid: Lid, load: &[AtomicU64], add: bool) {
        if self.is_switch(lid) {
            return;
        }
        for s in 0..self.graph.len() {
            if room.links[s] != NO_LINK && room.passing[s] > 0 {
                let link = &load[self.graph.first_link(s) + usize::from(room.links[s])];
                if add {
                    link.fetch_add(room.passing[s], Ordering::Relaxed);
                } else {
                    link.fetch_sub(room.passing[s], Ordering::Relaxed);
                }
            }
        }
    }

    /// The tables that keep what they may; none where the fresh ones have to do.
    pub(super) fn rows(&self) -> Option<Vec<Vec<u8>>> {
        let load = counters(self.graph);
        let mut mixed: Vec<Vec<u8>> = self
            .lids
            .par_chunks(WIDTH)
            .map(|chunk| {
                let mut room = self.room();
                let mut columns = vec![NO_LINK; self.graph.len() * WIDTH];
                for (at, lid) in chunk.iter().enumerate() {
                    self.load(&mut room, *lid);
                    self.pass(&mut room, *lid);
                    self.mix(&mut room, *lid);
                    self.pass(&mut room, *lid);
                    self.tally(&room, *lid, &load, true);
                    for (s, link) in room.links.iter().enumerate() {
                        columns[s * WIDTH + at] = *link;
                    }
                }
                columns
            })
            .collect();
        let limit = self.most * LIMIT / 100;
        for _ in 0..ROUNDS {
            if most(&load) <= limit {
                return Some(self.write(&mixed));
            }
            self.relieve(&mut mixed, &load, limit);
        }
        (most(&load) <= limit).then(|| self.write(&mixed))
    }

    /// Puts the entries that stand in the place of fresh ones, from the LID's own switch outwards.
    fn mix(&self, room: &mut Room, lid: Lid) {
        let at = usize::from(lid.0);
        let (binds, to_switch) = (self.binds(lid), self.is_switch(lid));
        for place in 0..room.column.order.len() {
            let s = room.column.order[place] as usize;
            let End::Delivered(hops) = room.column.ends[s] else { continue };
            let fresh = room.links[s];
            if hops == 0 || fresh == NO_LINK {
                room.clean[s] = true;
                continue;
            }
            let byte = self.previous.rows[s].get(at).copied().unwrap_or(Lfts::NO_PATH);
            let stood = self.graph.link_at(s, PortNum(byte)).map(|link| link as u8);
            let nearer =
                |link: u8| room.column.ends[self.peer(s, link)] == End::Delivered(hops - 1);
            let clean = |link: u8| {
                let (peer, into) = self.step(s, link);
                let out = room.links[peer];
                room.clean[peer] && (out == NO_LINK || self.turns.has(self.graph, into, peer, out))
            };
            let stood = stood.filter(|link| nearer(*link));
            let used = Self::is_used(room, s, to_switch);
            let chosen = if !binds || !used {
                stood.or(Some(fresh))
            } else {
                let others = (0..self.graph.links(s).len() as u8).filter(|link| nearer(*link));
                let mut all = stood.into_iter().chain([fresh]).chain(others);
                all.find(|link| clean(*link))
            };
            let Some(chosen) = chosen else {
                // The column as it was fresh is sound as a whole.
                self.load(room, lid);
                return;
            };
            let is_clean = clean(chosen);
            room.links[s] = chosen;
            room.clean[s] = is_clean || !binds;
        }
    }

    /// Gives LIDs on links above the limit their fresh columns, LID by LID, until no more is
    /// above it by what is known.
    fn relieve(&self, mixed: &mut [Vec<u8>], load: &[AtomicU64], limit: u64) {
        let mut room = self.room();
        let full = |link: usize| load[link].load(Ordering::Relaxed) > limit;
        let full_links: Vec<(usize, u8, usize)> = (0..self.graph.len())
            .flat_map(|s| (0..self.graph.links(s).len()).map(move |at| (s, at)))
            .map(|(s, at)| (s, at as u8, self.graph.first_link(s) + at))
            .filter(|(_, _, link)| full(*link))
            .collect();
        for (chunk, columns) in self.lids.chunks(WIDTH).zip(mixed) {
            for (at, lid) in chunk.iter().enumerate() {
                let on_full = full_links
                    .iter()
                    .any(|(s, link, all)| columns[s * WIDTH + at] == *link && full(*all));
                if !on_full {
                    continue;
                }
                self.load(&mut room, *lid);
                for (s, link) in room.links.iter_mut().enumerate() {
                    *link = columns[s * WIDTH + at];
                }
                self.pass(&mut room, *lid);
                let carries = |(s, link, all): &(usize, u8, usize)| {
                    room.links[*s] == *link && room.passing[*s] > 0 && full(*all)
                };
                if !full_links.iter().any(carries) {
                    continue;
                }
                self.tally(&room, *lid, load, false);
                self.load(&mut room, *lid);
                self.pass(&mut room, *lid);
                self.tally(&room, *lid, load, true);
                for (s, link) in room.links.iter().enumerate() {
                    columns[s * WIDTH + at] = *link;
                }
            }
        }
    }

    /// The fresh rows with the links of the columns in them.
    fn write(&self, mixed: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let row = |s: usize| {
            let mut row = self.fresh.rows[s].to_vec();
            for (chunk, columns) in self.lids.chunks(WIDTH).zip(mixed) {
                for (at, lid) in chunk.iter().enumerate() {
                    let link = columns[s * WIDTH + at];
                    if link != NO_LINK {
                        row[usize::from(lid.0)] = self.graph.links(s)[usize::from(link)].port.0;
                    }
                }
            }
            row
        };
        (0..self.graph.len()).into_par_iter().map(row).collect()
    }
}

fn counters(graph: &Graph) -> Vec<AtomicU64> {
    (0..graph.link_count()).map(|_| AtomicU64::new(0)).collect()
}

fn most(load: &[AtomicU64]) -> u64 {
    load.iter().map(|link| link.load(Ordering::Relaxed)).max().unwrap_or(0)
}
