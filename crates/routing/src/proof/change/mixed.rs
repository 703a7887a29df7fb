//! Follows all packets to one LID where several tables may be in force at a time: each switch may
//! use any of them for each packet.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum, Sl, Vl};

use crate::graph::{Graph, Link};
use crate::proof::lanes::{AnyLanes, Lanes, PathSls, SlSet, VlSet};
use crate::proof::trace::Start;
use crate::proof::waits::{Channel, Edge};
use crate::tables::{Lfts, LidMap};

/// Tables of which any may be in force: one or two of each kind.
pub(super) struct Force<'a> {
    pub(super) lfts: Vec<&'a Lfts>,
    /// SL2VL tables, each with the lanes that packets of end ports start on.
    pub(super) lanes: Vec<(AnyLanes<'a>, &'a [Start])>,
    /// Where entries that no packet follows are written apart from the others.
    pub(super) passed: Option<&'a Passed>,
}

/// The switches that packets to a LID may come to, by the old tables and by the new ones.
pub(super) struct Passed {
    pub(super) old: Vec<bool>,
    pub(super) new: Vec<bool>,
}

impl Passed {
    /// Whether an entry is written before all others.
    pub(super) fn is_early(&self, s: usize) -> bool {
        !self.old[s]
    }

    /// Whether an entry is written after all others.
    pub(super) fn is_late(&self, s: usize) -> bool {
        self.old[s] && !self.new[s]
    }
}

/// What is followed.
pub(super) struct Mixed<'a, S> {
    pub(super) fabric: &'a Fabric,
    pub(super) graph: &'a Graph,
    /// All directed links by their numbers.
    pub(super) links: &'a [Link],
    /// Whether each of them carries data.
    pub(super) live: &'a [bool],
    pub(super) lids: &'a LidMap,
    pub(super) sls: &'a S,
    pub(super) vls: &'a VlSet,
}

/// Room for one LID, kept from one to the next.
pub(super) struct Room {
    /// The SLs that were seen on each link and lane.
    seen: Vec<SlSet>,
    touched: Vec<usize>,
    work: Vec<(Channel, SlSet)>,
}

impl Room {
    fn push(&mut self, lanes: usize, to: Channel, sls: SlSet) {
        let at = to.link as usize * lanes + usize::from(to.lane);
        let new = SlSet(sls.0 & !self.seen[at].0);
        if new == SlSet::EMPTY {
            return;
        }
        if self.seen[at] == SlSet::EMPTY {
            self.touched.push(at);
        }
        self.seen[at].0 |= new.0;
        self.work.push((to, new));
    }
}

impl<S: PathSls> Mixed<'_, S> {
    pub(super) fn room(&self) -> Room {
        let seen = vec![SlSet::EMPTY; self.links.len() * self.vls.len()];
        Room { seen, touched: Vec::new(), work: Vec::new() }
    }

    /// The links by which a switch may send to a LID, by their places in its row.
    fn ways(&self, force: &Force<'_>, s: usize, lid: Lid) -> impl Iterator<Item = usize> {
        let way = |lfts: &&Lfts| {
            let at = self.graph.link_at(s, lfts.port(SwitchId(s as u32), lid)?)?;
            self.live[self.graph.first_link(s) + at].then_some(at)
        };
        // Of entries that are written apart one alone is in force.
        let apart = |is: fn(&Passed, usize) -> bool| force.passed.is_some_and(|p| is(p, s));
        let first = force.lfts.first().filter(|_| !apart(Passed::is_early)).and_then(way);
        let second = force.lfts.get(1).filter(|_| !apart(Passed::is_late)).and_then(way);
        let second = second.filter(|at| Some(*at) != first);
        first.into_iter().chain(second)
    }

    /// Reports each edge of the packets to a LID at least once.
    pub(super) fn trace(
        &self,
        force: &Force<'_>,
        lid: Lid,
        room: &mut Room,
        report: &mut impl FnMut(Edge),
    ) {
        self.follow(force, lid, room, report);
        room.touched.drain(..).for_each(|at| room.seen[at] = SlSet::EMPTY);
    }

    /// The switches that packets to a LID may come to. More than these do no harm.
    pub(super) fn passed(&self, force: &Force<'_>, lid: Lid, room: &mut Room) -> Vec<bool> {
        let own = !self.is_of_switch(lid);
        let speaks = |s: usize| {
            let links =
                self.graph.first_link(s)..self.graph.first_link(s) + self.graph.links(s).len();
            let lanes = force.lanes.iter().map(|(lanes, _)| lanes);
            let maps = lanes.flat_map(|lanes| {
                let out = |link: usize| self.links[link].port;
                links
                    .clone()
                    .map(move |link| lanes.lanes(SwitchId(s as u32), PortNum(0), out(link)))
            });
            let sls = self.sls.own(SwitchId(s as u32), lid);
            maps.into_iter().any(|map| sls.iter().any(|sl| map.vl(sl) != Vl::DROP))
        };
        let starts = |s: usize| !self.graph.hosts(s).is_empty() || (own && speaks(s));
        let mut passed: Vec<bool> = (0..self.graph.len()).map(starts).collect();
        if passed.contains(&false) {
            self.follow(force, lid, room, &mut |_| {});
            for at in room.touched.drain(..) {
                room.seen[at] = SlSet::EMPTY;
                passed[self.links[at / self.vls.len()].peer.index()] = true;
            }
        }
        passed
    }

    fn is_of_switch(&self, lid: Lid) -> bool {
        let end = self.lids.port(lid);
        end.is_some_and(|p| self.fabric.as_switch(self.fabric.owner(p)).is_some())
    }

    fn follow(&self, force: &Force<'_>, lid: Lid, room: &mut Room, report: &mut impl FnMut(Edge)) {
        let own = !self.is_of_switch(lid);
        for s in 0..self.graph.len() {
            for at in self.ways(force, s, lid) {
                self.start(force, s, at, (lid, own), room);
            }
        }
        while let Some((from, sls)) = room.work.pop() {
            let Link { peer, peer_port, .. } = self.links[from.link as usize];
            for at in self.ways(force, peer.index(), lid) {
                let link = self.graph.first_link(peer.index()) + at;
                for (lanes, _) in &force.lanes {
                    let map = lanes.lanes(peer, peer_port, self.links[link].port);
                    for sl in sls.iter() {
                        let Some(lane) = self.vls.place(map.vl(sl)) else { continue };
                        let to = Channel { link: link as u32, lane: lane as u8 };
                        report(Edge { from, to });
                        room.push(self.vls.len(), to, SlSet::one(sl));
                    }
                }
            }
        }
    }

    /// Adds the packets that start at a switch.
    fn start(
        &self,
        force: &Force<'_>,
        s: usize,
        at: usize,
        (lid, own): (Lid, bool),
        room: &mut Room,
    ) {
        let switch = SwitchId(s as u32);
        let link = self.graph.first_link(s) + at;
        for (lanes, starts) in &force.lanes {
            let map = lanes.lanes(switch, PortNum(0), self.links[link].port);
            for sl in self.sls.sls(switch, lid).iter() {
                self.begin(link, starts[link].lanes(sl), sl, room);
            }
            for sl in self.sls.own(switch, lid).iter().filter(|_| own) {
                let lane = self.vls.place(map.vl(sl));
                self.begin(link, lane.map_or(0, |lane| 1 << lane), sl, room);
            }
        }
    }

    fn begin(&self, link: usize, places: u16, sl: Sl, room: &mut Room) {
        for lane in crate::paths::bits(u64::from(places)) {
            let to = Channel { link: link as u32, lane: lane as u8 };
            room.push(self.vls.len(), to, SlSet::one(sl));
        }
    }
}
