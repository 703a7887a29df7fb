//! What has to move when links between switches are others than they were.

use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::way::Aim;
use super::{Ledger, aim};
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::distances::{Distances, FAR};
use crate::targets::{Target, Targets};

/// An entry of a LID that cannot stay what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Site {
    /// The switch.
    pub(super) switch: usize,
    /// Whether it takes another port; else another switch is behind the port.
    pub(super) moves: bool,
    /// End ports whose packets come here and pass no other such switch before.
    pub(super) brings: u64,
}

/// A LID with entries that cannot stay what they are.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    pub(super) lid: Lid,
    /// The switch that it hangs on.
    pub(super) dest: usize,
    pub(super) aim: Aim,
    /// The LIDs of the same port: the base, and how many there are.
    pub(super) range: (u16, u16),
    /// By ascending switch.
    pub(super) sites: Vec<Site>,
}

/// Another graph of the same switches, and its distances.
pub(super) struct Ahead<'a> {
    pub(super) graph: &'a Graph,
    pub(super) distances: &'a Distances,
    /// The switches that have other links now.
    pub(super) changed: &'a [usize],
}

impl Ledger {
    /// The LIDs that some switch has to send elsewhere, ascending.
    pub(super) fn moving(
        &self,
        job: &RouteJob<'_>,
        targets: &Targets,
        ahead: &Ahead<'_>,
    ) -> Vec<Moving> {
        let of_switch = |dest: usize| {
            let switches = self.concerned(ahead, dest);
            let of_target = |target: &Target| {
                let range = (target.base.0, 1_u16 << target.lmc.min(7));
                let moving = |(_, lid): (u8, Lid)| {
                    let sites = |s: &usize| self.site(ahead, dest, lid, *s);
                    let sites: Vec<Site> = switches.iter().filter_map(sites).collect();
                    let aim = aim(job.fabric, job.lids, lid);
                    (!sites.is_empty()).then_some(Moving { lid, dest, aim, range, sites })
                };
                target.lids(job.lids).filter_map(moving).collect::<Vec<_>>()
            };
            targets.on(dest).iter().flat_map(of_target).collect::<Vec<_>>()
        };
        let mut moving: Vec<Moving> =
            (0..ahead.graph.len()).into_par_iter().flat_map_iter(of_switch).collect();
        moving.sort_by_key(|moving| moving.lid);
        moving
    }

    /// The switches whose step towards another one can be a bad one now, ascending: those with
    /// other links, those with another distance, and the neighbours of these.
    fn concerned(&self, ahead: &Ahead<'_>, dest: usize) -> Vec<usize> {
        let mut switches = ahead.changed.to_vec();
        if !ahead.distances.same(&self.distances, dest) {
            for s in ahead.distances.others(&self.distances, dest) {
                switches.push(s);
                switches.extend(ahead.graph.links(s).iter().map(|link| link.peer.index()));
            }
            switches.sort_unstable();
            switches.dedup();
        }
        switches
    }

    /// What becomes of an entry; none if it stays.
    fn site(&self, ahead: &Ahead<'_>, dest: usize, lid: Lid, s: usize) -> Option<Site> {
        let site = |moves| Some(Site { switch: s, moves, brings: 0 });
        let port = self.lfts.port(lk_fabric::SwitchId(s as u32), lid);
        let Some(link) = port.and_then(|port| ahead.graph.link_at(s, port)) else {
            let stays = s == dest || (port.is_none() && ahead.distances.hops(dest, s) == FAR);
            return if stays { None } else { site(true) };
        };
        if !ahead.distances.leads(ahead.graph, dest, s, link) {
            return site(true);
        }
        let now = ahead.graph.links(s)[link];
        let was = self.graph.link_at(s, now.port).map(|link| self.graph.links(s)[link]);
        if was == Some(now) { None } else { site(false) }
    }
}

/// The directed link by which a switch sends by a port, if it is the same in two graphs: its place
/// in the second one.
pub(super) fn carried(was: &Graph, graph: &Graph, s: usize, port: u8) -> Option<usize> {
    let [old, new] = [was, graph].map(|graph| graph.link_at(s, PortNum(port)));
    let (old, new) = (old?, new?);
    (was.links(s)[old] == graph.links(s)[new]).then_some(new)
}
