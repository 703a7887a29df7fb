//! Follows all packets to one LID at once.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum, Sl};
use rayon::prelude::*;

use super::Traffic;
use super::lanes::{Lanes, PathSls, SlSet, VlSet};
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
    pub(super) starts: &'a [[u16; 16]],
}

/// Room for one trace, kept from one LID to the next.
pub(super) struct Room {
    column: Column,
    /// For each switch and lane: the SLs that leave the switch on that lane by the link to the
    /// LID.
    leaving: Vec<SlSet>,
}

/// For each directed link and SL the lanes (as a set of places) on which packets of the end ports
/// at the link's switch leave by it.
pub(super) fn starts<L: Lanes>(graph: &Graph, lanes: &L, vls: &VlSet) -> Vec<[u16; 16]> {
    let of_switch = |s: usize| {
        let of_link = move |out: PortNum| {
            let mut sets = [0_u16; 16];
            for host in graph.hosts(s) {
                let map = lanes.lanes(SwitchId(s as u32), host.port, out);
                for sl in SlSet::ALL.iter() {
                    let lane = vls.place(map.vl(sl));
                    sets[usize::from(sl.0)] |= lane.map_or(0, |lane| 1 << lane);
                }
            }
            sets
        };
        graph.links(s).iter().map(|l| of_link(l.port)).collect::<Vec<_>>()
    };
    (0..graph.len()).into_par_iter().flat_map_iter(of_switch).collect()
}

impl<L: Lanes, S: PathSls> Tracer<'_, L, S> {
    /// Room for traces.
    pub(super) fn room(&self) -> Room {
        let leaving = vec![SlSet::EMPTY; self.graph.len() * self.vls.len()];
        Room { column: Column::new(self.graph), leaving }
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
        let Room { column, leaving } = room;
        column.load(self.fabric, self.graph, self.lfts, self.lids, lid);
        leaving.fill(SlSet::EMPTY);
        for s in column.order.iter().rev().map(|s| *s as usize) {
            let Some(link) = column.links[s].map(usize::from) else { continue };
            self.start(lid, s, link, own, leaving);
            let peer = self.graph.links(s)[link].peer.index();
            if let Some(next) = column.links[peer].map(usize::from) {
                self.turn(s, link, next, leaving, report);
            }
        }
        column.ends.contains(&End::Loop)
    }

    /// Adds the packets that start at a switch: those of its end ports, and its own.
    fn start(&self, lid: Lid, s: usize, link: usize, own: bool, leaving: &mut [SlSet]) {
        let switch = SwitchId(s as u32);
        let hosts = &self.starts[self.graph.first_link(s) + link];
        let map = self.lanes.lanes(switch, PortNum(0), self.graph.links(s)[link].port);
        for sl in self.sls.sls(switch, lid).iter() {
            let mut lanes = hosts[usize::from(sl.0)];
            if own && let Some(lane) = self.vls.place(map.vl(sl)) {
                lanes |= 1 << lane;
            }
            for lane in crate::paths::bits(u64::from(lanes)) {
                let set = &mut leaving[s * self.vls.len() + lane];
                *set = set.with(sl);
            }
        }
    }

    /// Moves what leaves a switch on to the next link after the switch at the other end.
    fn turn(
        &self,
        s: usize,
        link: usize,
        next: usize,
        leaving: &mut [SlSet],
        report: &mut impl FnMut(Turn),
    ) {
        let lanes = self.vls.len();
        if leaving[s * lanes..(s + 1) * lanes].iter().all(|set| *set == SlSet::EMPTY) {
            return;
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
                let Some(lane) = self.vls.place(map.vl(sl)) else { continue };
                let to = Channel { link: to, lane: lane as u8 };
                report(Turn { edge: Edge { from, to }, sl });
                let set = &mut leaving[peer * lanes + lane];
                *set = set.with(sl);
            }
        }
    }
}
