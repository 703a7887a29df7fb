//! Follows all packets to one LID at once.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum, Sl, Vl};
use rayon::prelude::*;

use super::Traffic;
use super::lanes::{LaneMap, Lanes, PathSls, SlSet, VlSet};
use super::waits::{Channel, Edge};
use crate::column::{Column, End};
use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// A packet of one SL goes from one channel to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) edge: Edge,
    pub(super) sl: Sl,
}

/// What is traced.
pub(super) struct Tracer<'a, L, S> {
    pub(super) fabric: &'a Fabric,
    pub(super) graph: &'a Graph,
    pub(super) lids: &'a LidMap,
    pub(super) lfts: &'a Lfts,
    pub(super) lanes: &'a L,
    pub(super) sls: &'a S,
    /// The lanes in use.
    pub(super) vls: &'a VlSet,
    /// Which packets count.
    pub(super) traffic: Traffic,
    /// See [`starts`].
    pub(super) starts: &'a [Start],
}

/// Room for one trace, kept from one LID to the next.
pub(super) struct Room {
    column: Column,
    /// For each switch and lane: the SLs that leave the switch on that lane by the link to the
    /// LID.
    leaving: Vec<SlSet>,
    /// The SLs of packets that were dropped on the way.
    dropped: SlSet,
}

impl Room {
    /// The SLs of packets that were dropped in all traces that this room was used for.
    pub(super) const fn dropped(&self) -> SlSet {
        self.dropped
    }
}

/// How packets of the end ports on a switch leave by one of its links.
#[derive(Clone, Copy, Default)]
pub(super) struct Start {
    /// For each SL the lanes, as a set of places.
    lanes: [u16; 16],
    /// The SLs of which some end port's packets are dropped.
    dropped: SlSet,
}

impl Start {
    /// The lanes of an SL, as a set of places.
    pub(super) const fn lanes(&self, sl: Sl) -> u16 {
        self.lanes[(sl.0 & 15) as usize]
    }
}

/// For each directed link how packets of the end ports at its switch leave by it.
pub(super) fn starts<L: Lanes>(graph: &Graph, lanes: &L, vls: &VlSet) -> Vec<Start> {
    let of_switch = |s: usize| {
        let of_link = move |out: PortNum| {
            let mut start = Start::default();
            for host in graph.hosts(s) {
                let map = lanes.lanes(SwitchId(s as u32), host.port, out);
                let first = lanes.of_sender(host.end);
                for sl in SlSet::ALL.iter() {
                    let lane = vls.place(map.vl(sl)).filter(|_| first.vl(sl) != Vl::DROP);
                    match lane {
                        Some(lane) => start.lanes[usize::from(sl.0)] |= 1 << lane,
                        None if first.vl(sl) == Vl::DROP || map.vl(sl) == Vl::DROP => {
                            start.dropped = start.dropped.with(sl);
                        }
                        None => {}
                    }
                }
            }
            start
        };
        graph.links(s).iter().map(|l| of_link(l.port)).collect::<Vec<_>>()
    };
    (0..graph.len()).into_par_iter().flat_map_iter(of_switch).collect()
}

impl<L: Lanes, S: PathSls> Tracer<'_, L, S> {
    /// Room for traces.
    pub(super) fn room(&self) -> Room {
        let leaving = vec![SlSet::EMPTY; self.graph.len() * self.vls.len()];
        Room { column: Column::new(self.graph), leaving, dropped: SlSet::EMPTY }
    }

    /// Whether switches send packets of their own to a LID.
    pub(super) fn has_own(&self, lid: Lid) -> bool {
        let to_switch = || {
            let end = self.lids.port(lid);
            end.is_some_and(|end| self.fabric.as_switch(self.fabric.owner(end)).is_some())
        };
        self.traffic == Traffic::All || !to_switch()
    }

    /// Reports each turn of the packets to a LID; with `own` those of the switches as well.
    /// Returns whether some of them go round in a loop; these are not followed.
    pub(super) fn trace(
        &self,
        lid: Lid,
        own: bool,
        room: &mut Room,
        report: &mut impl FnMut(Turn),
    ) -> bool {
        let Room { column, leaving, dropped } = room;
        column.load(self.fabric, self.graph, self.lfts, self.lids, lid);
        leaving.fill(SlSet::EMPTY);
        for s in column.order.iter().rev().map(|s| *s as usize) {
            let Some(link) = column.links[s].map(usize::from) else { continue };
            *dropped = dropped.and(self.start(lid, s, link, own, leaving));
            let peer = self.graph.links(s)[link].peer.index();
            if let Some(next) = column.links[peer].map(usize::from) {
                *dropped = dropped.and(self.turn(s, link, next, leaving, report));
            }
        }
        column.ends.contains(&End::Loop)
    }

    /// The SLs of packets to a LID that the last switch drops, by the lanes on which they come to
    /// it: those of the trace that the room was last used for, whose LIDs lie on one switch.
    pub(super) fn dropped_at_last(&self, lid: Lid, room: &Room) -> SlSet {
        let mut dropped = SlSet::EMPTY;
        let Some(end) = self.lids.port(lid) else { return dropped };
        let Some(door) = self.fabric.peer(end) else { return dropped };
        let Some(switch) = self.fabric.as_switch(self.fabric.owner(door)) else { return dropped };
        if self.fabric.as_switch(self.fabric.owner(end)).is_some() {
            return dropped;
        }
        let out = self.fabric.port_num(door);
        if self.lfts.port(switch, lid) != Some(out) {
            return dropped;
        }
        let lost = |map: LaneMap, sls: SlSet| sls.iter().filter(move |sl| map.vl(*sl) == Vl::DROP);
        let lanes = self.vls.len();
        for back in self.graph.links(switch.index()) {
            // Links go both ways: what leaves the other end towards here comes in at this port.
            let peer = back.peer.index();
            let towards =
                room.column.links[peer].map(|link| self.graph.links(peer)[usize::from(link)]);
            if towards.is_none_or(|l| l.port != back.peer_port) {
                continue;
            }
            let leaving = &room.leaving[peer * lanes..(peer + 1) * lanes];
            let sls = leaving.iter().fold(SlSet::EMPTY, |all, set| all.and(*set));
            let map = self.lanes.lanes(switch, back.port, out);
            dropped = lost(map, sls).fold(dropped, SlSet::with);
        }
        let sls = self.sls.sls(switch, lid);
        for host in self.graph.hosts(switch.index()).iter().filter(|host| host.end != end) {
            dropped =
                lost(self.lanes.lanes(switch, host.port, out), sls).fold(dropped, SlSet::with);
            dropped = lost(self.lanes.of_sender(host.end), sls).fold(dropped, SlSet::with);
        }
        dropped
    }

    /// Adds the packets that start at a switch: those of its end ports, and its own. Gives the SLs
    /// of packets of its end ports that are dropped.
    fn start(&self, lid: Lid, s: usize, link: usize, own: bool, leaving: &mut [SlSet]) -> SlSet {
        let switch = SwitchId(s as u32);
        let hosts = &self.starts[self.graph.first_link(s) + link];
        let sls = self.sls.sls(switch, lid);
        for sl in sls.iter() {
            for lane in crate::paths::bits(u64::from(hosts.lanes(sl))) {
                let set = &mut leaving[s * self.vls.len() + lane];
                *set = set.with(sl);
            }
        }
        if own {
            let map = self.lanes.lanes(switch, PortNum(0), self.graph.links(s)[link].port);
            for sl in self.sls.own(switch, lid).iter() {
                if let Some(lane) = self.vls.place(map.vl(sl)) {
                    let set = &mut leaving[s * self.vls.len() + lane];
                    *set = set.with(sl);
                }
            }
        }
        SlSet(hosts.dropped.0 & sls.0)
    }

    /// Moves what leaves a switch on to the next link after the switch at the other end. Gives the
    /// SLs of packets that are dropped there.
    fn turn(
        &self,
        s: usize,
        link: usize,
        next: usize,
        leaving: &mut [SlSet],
        report: &mut impl FnMut(Turn),
    ) -> SlSet {
        let mut dropped = SlSet::EMPTY;
        let lanes = self.vls.len();
        if leaving[s * lanes..(s + 1) * lanes].iter().all(|set| *set == SlSet::EMPTY) {
            return dropped;
        }
        let held = self.graph.links(s)[link];
        let peer = held.peer.index();
        let map = self.lanes.lanes(held.peer, held.peer_port, self.graph.links(peer)[next].port);
        let from = (self.graph.first_link(s) + link) as u32;
        let to = (self.graph.first_link(peer) + next) as u32;
        for lane in 0..lanes {
            let from = Channel { link: from, lane: lane as u8 };
            for sl in leaving[s * lanes + lane].iter() {
                // Lane 15 is none: such packets are dropped.
                let Some(lane) = self.vls.place(map.vl(sl)) else {
                    dropped = dropped.with(sl);
                    continue;
                };
                let to = Channel { link: to, lane: lane as u8 };
                report(Turn { edge: Edge { from, to }, sl });
                let set = &mut leaving[peer * lanes + lane];
                *set = set.with(sl);
            }
        }
        dropped
    }
}
