//! What an engine's routes keep to, whatever the loads: which steps lead towards which switch.

use crate::graph::Graph;
use crate::paths::PathRule;
use crate::paths::distances::Distances;
use crate::paths::min_hops::MinHops;
use crate::paths::up_down::UpDown;

/// The law of an engine's paths on a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Law {
    /// The switches and links.
    pub(crate) graph: Graph,
    /// The switches, the highest first, where paths climb first and descend then; none where any
    /// shortest path is good.
    pub(crate) order: Option<Vec<u32>>,
    /// Whether pairs without a legal path are joined by an illegal one.
    pub(crate) join_all: bool,
    /// What the engine wants a person to know of the fabric.
    pub(crate) notes: Vec<String>,
    /// Whether the engine says which switches with end ports have no legal path.
    pub(crate) says_unconnected: bool,
}

impl Law {
    /// The distances on the graph of the law.
    pub(super) fn distances(&self) -> Distances {
        let distances = match &self.order {
            None => MinHops::new(&self.graph).distances(),
            Some(order) => UpDown::new(&self.graph, order.clone(), self.join_all).distances(),
        };
        distances.unwrap_or_default()
    }
}
