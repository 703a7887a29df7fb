//! How many hops it is from switch to switch, in all and by each port: OpenSM's hop matrices.
//!
//! One byte for each pair of switches is kept; hops by a port are worked out when asked for. All
//! LIDs on a switch share its row. To an end port it is one hop more than to its switch.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::PortNum;
use rayon::prelude::*;

use crate::graph::Graph;
use crate::paths::min_hops::MinHops;
use crate::paths::{PathRule, bits};

/// Distances between switches under the law of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hops {
    graph: Graph,
    /// By destination, then by switch. [`FAR`]: no path.
    hops: Vec<u8>,
    law: Option<Law>,
    /// What a hop by each directed link costs, where that is not 1.
    weights: Option<Vec<u8>>,
}

/// What up/down adds: a step may be forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Law {
    /// For each directed link whether it leads up.
    up: Vec<bool>,
    /// By destination, then by switch: may be entered by a descent.
    open_below: Vec<bool>,
}

const FAR: u8 = u8::MAX;

impl Hops {
    /// The fewest hops over any links.
    #[must_use]
    pub fn new(fabric: &Fabric) -> Self {
        Self::of_graph(Graph::new(fabric), None)
    }

    /// The least cost over any links of a graph.
    pub(crate) fn of_graph(graph: Graph, weights: Option<Vec<u8>>) -> Self {
        let rule = MinHops::weighted(&graph, weights.as_deref());
        let hops = measure(&graph, &rule, |_, _, _| {});
        Self { graph, hops, law: None, weights }
    }

    /// The fewest hops over any links between switches for which `allowed` is true.
    #[must_use]
    pub fn among(fabric: &Fabric, allowed: &[bool]) -> Self {
        Self::of_graph(Graph::among(fabric, |switch| allowed[switch.index()]), None)
    }

    /// The links that the distances are over.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The fewest hops from one switch to another; `None` if there is no path.
    #[must_use]
    pub fn between(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        Some(self.at(from.index(), to.index())).filter(|h| *h != FAR)
    }

    /// The hops from one switch to another if the first step is over this port. `None` if the
    /// port does not lead to another switch, or the step may not be the start of a path.
    #[must_use]
    pub fn via(&self, from: SwitchId, port: PortNum, to: SwitchId) -> Option<u8> {
        let link = self.graph.link_at(from.index(), port)?;
        let peer = self.graph.links(from.index())[link].peer;
        if let Some(law) = &self.law {
            let up = law.up[self.graph.first_link(from.index()) + link];
            if !up && !law.open_below[to.index() * self.graph.len() + peer.index()] {
                return None;
            }
        }
        let cost = match &self.weights {
            Some(weights) => weights[self.graph.first_link(from.index()) + link],
            None => 1,
        };
        self.between(peer, to).map(|h| h.saturating_add(cost)).filter(|h| *h != FAR)
    }

    fn at(&self, from: usize, to: usize) -> u8 {
        self.hops[to * self.graph.len() + from]
    }

    /// Distances under up*/down*.
    pub(crate) fn up_down(graph: &Graph, rule: &crate::paths::up_down::UpDown<'_>) -> Self {
        let n = graph.len();
        let mut open_below = vec![false; n * n];
        let hops = measure(graph, rule, |base, descends, lawless| {
            for (s, (falls, any)) in descends.iter().zip(lawless).enumerate() {
                for bit in bits(*falls | *any) {
                    open_below[(base + bit) * n + s] = true;
                }
            }
        });
        let links = |s| (0..graph.links(s).len()).map(move |link| (s, link));
        let up = (0..n).flat_map(links).map(|(s, link)| rule.is_up(s, link)).collect();
        Self { graph: graph.clone(), hops, law: Some(Law { up, open_below }), weights: None }
    }
}

/// Distances by destination, then by switch. `seen` is shown the marks of each group of 64
/// destinations: the first of them, who descends, who is outside the law.
fn measure<R: PathRule>(
    graph: &Graph,
    rule: &R,
    mut seen: impl FnMut(usize, &[u64], &[u64]),
) -> Vec<u8> {
    let n = graph.len();
    let mut hops = vec![FAR; n * n];
    let dests: Vec<u32> = (0..n as u32).collect();
    for (group, rows) in dests.chunks(64).zip(hops.chunks_mut(64 * n.max(1))) {
        let reach = rule.reach(group);
        rows.par_chunks_mut(n).enumerate().for_each(|(bit, row)| {
            for (h, level) in reach.levels.iter().enumerate() {
                for (cell, word) in row.iter_mut().zip(level) {
                    if word >> bit & 1 == 1 {
                        *cell = h as u8;
                    }
                }
            }
        });
        seen(group[0] as usize, &reach.descends, &reach.lawless);
    }
    hops
}
