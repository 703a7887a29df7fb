//! Multicast: what packets to groups hold and wait for.
//!
//! A switch copies a packet to a group to each port that its multicast forwarding table names, but
//! not to the one by which it came (IBA 18.2.4.3.3). The packet keeps the buffer of the link that
//! it came by until the last copy has left, so it holds that channel and waits for each channel
//! that a copy takes. The copies do not wait for each other: each lies whole in the buffer at the
//! other end of its link, and goes on by itself.
//!
//! The senders are all end ports on the switches of a tree, members or not, and the switches
//! themselves: a switch does not ask who sends.

use std::collections::BTreeMap;

use lk_fabric::SwitchId;
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::lanes::{Lanes, SlSet, VlSet};
use super::trace::Turn;
use super::waits::{Channel, Edge};
use crate::graph::Graph;
use crate::multicast::GroupPorts;

/// The multicast forwarding tables' entries for one LID.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupTree {
    /// The multicast LID.
    pub mlid: Lid,
    /// The SLs of packets to the groups that use it.
    pub sls: SlSet,
    /// The ports that each switch copies to, port 0 for the switch itself; each switch once.
    /// Switches without an entry drop such packets.
    pub ports: Vec<GroupPorts>,
}

/// Trees that are followed.
pub(super) struct Flood<'a, L> {
    pub(super) graph: &'a Graph,
    pub(super) lanes: &'a L,
    /// The lanes in use.
    pub(super) vls: &'a VlSet,
}

/// The SLs of all groups.
pub(super) fn all_sls(trees: &[GroupTree]) -> SlSet {
    SlSet(trees.iter().fold(0, |all, tree| all | tree.sls.0))
}

/// A link of a tree, in one direction.
#[derive(Clone, Copy)]
struct Branch {
    /// The number of the link among all directed links.
    link: u32,
    /// The port that sends on it.
    port: PortNum,
    /// The switch at its end and the port there.
    to: (SwitchId, PortNum),
}

/// A tree as it is followed.
struct Branches {
    /// The switches, ascending, each with its place in `branches`; the next one's is its end.
    switches: Vec<(SwitchId, usize)>,
    branches: Vec<Branch>,
}

impl Branches {
    fn new(graph: &Graph, ports: &[GroupPorts]) -> Self {
        let mut by_switch: Vec<&GroupPorts> =
            ports.iter().filter(|(switch, _)| switch.index() < graph.len()).collect();
        by_switch.sort_by_key(|(switch, _)| *switch);
        let mut all = Self { switches: Vec::with_capacity(ports.len()), branches: Vec::new() };
        for (switch, ports) in by_switch {
            let s = switch.index();
            all.switches.push((*switch, all.branches.len()));
            for port in ports {
                let Some(at) = graph.link_at(s, *port) else { continue };
                let link = graph.links(s)[at];
                all.branches.push(Branch {
                    link: (graph.first_link(s) + at) as u32,
                    port: *port,
                    to: (link.peer, link.peer_port),
                });
            }
        }
        all
    }

    /// The links by which a switch copies what came by `door`, by their places.
    fn copies(&self, switch: SwitchId, door: PortNum) -> impl Iterator<Item = usize> + '_ {
        let at = self.switches.binary_search_by_key(&switch, |(s, _)| *s);
        let range = at.map_or(0..0, |at| {
            let end = self.switches.get(at + 1).map_or(self.branches.len(), |(_, start)| *start);
            self.switches[at].1..end
        });
        range.filter(move |place| self.branches[*place].port != door)
    }
}

impl<L: Lanes> Flood<'_, L> {
    /// Reports the turns of all packets to all groups. Groups whose trees are alike are followed
    /// once.
    pub(super) fn trace_all(&self, trees: &[GroupTree], report: impl Fn(Turn) + Sync) {
        let mut alike: BTreeMap<&[GroupPorts], SlSet> = BTreeMap::new();
        for tree in trees {
            alike.entry(&tree.ports).or_default().0 |= tree.sls.0;
        }
        let alike: Vec<_> = alike.into_iter().collect();
        alike.into_par_iter().for_each(|(ports, sls)| self.trace(ports, sls, &mut |t| report(t)));
    }

    /// Reports each turn of the packets to one group at least once.
    pub(super) fn trace(&self, ports: &[GroupPorts], sls: SlSet, report: &mut impl FnMut(Turn)) {
        let tree = Branches::new(self.graph, ports);
        let lanes = self.vls.len();
        // The SLs that were seen on each branch and lane, and those that are to be followed.
        let mut seen = vec![SlSet::EMPTY; tree.branches.len() * lanes];
        let mut work: Vec<(usize, usize, SlSet)> = Vec::new();
        for (switch, _) in &tree.switches {
            let hosts = self.graph.hosts(switch.index()).iter().map(|host| host.port);
            for door in std::iter::once(PortNum(0)).chain(hosts) {
                for branch in tree.copies(*switch, door) {
                    let map = self.lanes.lanes(*switch, door, tree.branches[branch].port);
                    for sl in sls.iter() {
                        let Some(lane) = self.vls.place(map.vl(sl)) else { continue };
                        push(&mut seen, &mut work, lanes, (branch, lane, SlSet::one(sl)));
                    }
                }
            }
        }
        while let Some((held, lane, sls)) = work.pop() {
            let Branch { link, to: (switch, door), .. } = tree.branches[held];
            let from = Channel { link, lane: lane as u8 };
            for branch in tree.copies(switch, door) {
                let map = self.lanes.lanes(switch, door, tree.branches[branch].port);
                for sl in sls.iter() {
                    let Some(lane) = self.vls.place(map.vl(sl)) else { continue };
                    let to = Channel { link: tree.branches[branch].link, lane: lane as u8 };
                    report(Turn { edge: Edge { from, to }, sl });
                    push(&mut seen, &mut work, lanes, (branch, lane, SlSet::one(sl)));
                }
            }
        }
    }
}

/// Notes SLs on a branch and lane; those that are new there have to be followed.
fn push(
    seen: &mut [SlSet],
    work: &mut Vec<(usize, usize, SlSet)>,
    lanes: usize,
    (branch, lane, sls): (usize, usize, SlSet),
) {
    let slot = &mut seen[branch * lanes + lane];
    let new = SlSet(sls.0 & !slot.0);
    if new != SlSet::EMPTY {
        slot.0 |= new.0;
        work.push((branch, lane, new));
    }
}
