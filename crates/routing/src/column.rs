//! One LID's column of the tables as a forest: where each switch sends, and how that ends.

use lk_fabric::Fabric;
use lk_wire::{Lid, PortNum};

use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// How the way from a switch to a LID ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At the port that has the LID, after this many hops between switches.
    Delivered(u16),
    /// At a switch without an entry for the LID.
    NoEntry,
    /// At a port that leads nowhere: no such port, no cable, or port 0 of another switch.
    DeadPort,
    /// At an end port that does not have the LID.
    Stranger,
    /// Never.
    Loop,
}

/// Where a switch sends a LID, before anything is known of the rest of the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    To(u32),
    End(End),
}

/// The column of one LID. Its buffers are kept from one LID to the next.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// How the way from each switch ends.
    pub(crate) ends: Vec<End>,
    /// The place in the switch's row of the link it sends by, where it sends by one.
    pub(crate) links: Vec<Option<u8>>,
    /// The switches whose way ends somewhere, those with the fewest hops to go first.
    pub(crate) order: Vec<u32>,
    /// Hops until the way ends, however it ends.
    depths: Vec<u16>,
    known: Vec<bool>,
    walk: Vec<u32>,
}

impl Column {
    /// Room for the columns of a graph.
    pub(crate) fn new(graph: &Graph) -> Self {
        let n = graph.len();
        Self {
            ends: vec![End::NoEntry; n],
            links: vec![None; n],
            order: Vec::with_capacity(n),
            depths: vec![0; n],
            known: vec![false; n],
            walk: Vec::new(),
        }
    }

    /// Follows a LID from all switches.
    pub(crate) fn load(
        &mut self,
        fabric: &Fabric,
        graph: &Graph,
        lfts: &Lfts,
        map: &LidMap,
        lid: Lid,
    ) {
        let at = usize::from(lid.0);
        let port = |s: usize| lfts.rows[s].get(at).copied().unwrap_or(Lfts::NO_PATH);
        self.load_ports(fabric, graph, map, lid, port);
    }

    /// Follows a LID from all switches, given the byte of each switch's table.
    pub(crate) fn load_ports(
        &mut self,
        fabric: &Fabric,
        graph: &Graph,
        map: &LidMap,
        lid: Lid,
        port: impl Fn(usize) -> u8,
    ) {
        self.known.fill(false);
        for s in 0..graph.len() {
            self.follow(s, |at| step(fabric, graph, port(at), map, lid, at));
        }
        self.sort();
    }

    /// Walks from `s` until the rest of the way is known, then notes it for all on the walk.
    fn follow(&mut self, s: usize, step: impl Fn(usize) -> (Step, Option<u8>)) {
        /// Stands for "on this walk" in `ends` until the walk's end is known.
        const HERE: End = End::Loop;
        let mut at = s;
        self.walk.clear();
        let (mut end, mut depth) = loop {
            if self.known[at] {
                break (self.ends[at], self.depths[at]);
            }
            self.known[at] = true;
            self.ends[at] = HERE;
            let (step, link) = step(at);
            self.links[at] = link;
            self.walk.push(at as u32);
            match step {
                Step::To(next) => at = next as usize,
                Step::End(end) => {
                    self.ends[at] = end;
                    self.depths[at] = 0;
                    self.walk.pop();
                    break (end, 0);
                }
            }
        };
        while let Some(at) = self.walk.pop() {
            depth = depth.saturating_add(1);
            if let End::Delivered(hops) = &mut end {
                *hops = depth;
            }
            self.ends[at as usize] = end;
            self.depths[at as usize] = depth;
        }
    }

    fn sort(&mut self) {
        let ends = self.ends.iter().zip(&self.depths).enumerate();
        let ending = ends.filter(|(_, (end, _))| **end != End::Loop);
        let ending: Vec<(u32, usize)> =
            ending.map(|(s, (_, depth))| (s as u32, usize::from(*depth))).collect();
        let most = ending.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        let mut first = vec![0_usize; most + 2];
        for (_, depth) in &ending {
            first[depth + 1] += 1;
        }
        for depth in 1..first.len() {
            first[depth] += first[depth - 1];
        }
        self.order.clear();
        self.order.resize(ending.len(), 0);
        for (s, depth) in ending {
            self.order[first[depth]] = s;
            first[depth] += 1;
        }
    }
}

fn step(
    fabric: &Fabric,
    graph: &Graph,
    port: u8,
    map: &LidMap,
    lid: Lid,
    s: usize,
) -> (Step, Option<u8>) {
    if port == Lfts::NO_PATH {
        return (Step::End(End::NoEntry), None);
    }
    let (switch, port) = (lk_fabric::SwitchId(s as u32), PortNum(port));
    if let Some(at) = graph.link_at(s, port) {
        return (Step::To(graph.links(s)[at].peer.0), Some(at as u8));
    }
    let node = fabric.switch_node(switch);
    let here = fabric.port_at(node, port);
    let end = if port.0 == 0 { here } else { here.and_then(|p| fabric.peer(p)) };
    let outcome = match end {
        Some(end) if map.port(lid) == Some(end) => End::Delivered(0),
        Some(end) if fabric.as_switch(fabric.owner(end)).is_none() => End::Stranger,
        _ => End::DeadPort,
    };
    (Step::End(outcome), None)
}
