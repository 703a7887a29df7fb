//! dor: dimension order by port order.
//!
//! Like minhop, but of the ports on shortest paths the first decides which switch is next; only
//! cables to that same switch share the load. Where the cables of one dimension are at the same
//! port numbers on all switches, each path so goes through the dimensions in one order. On
//! meshes and hypercubes nothing can deadlock then; on rings of four switches and more it can, as
//! with OpenSM, for the engine uses no lanes.
//!
//! "First" is by port number, or by `port_search_ordering_file`.

use super::generic::Generic;
use crate::graph::Graph;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::paths::min_hops::MinHops;
use crate::paths::{PathRule, Reach};

/// The engine `dor`.
#[derive(Clone, Copy, Debug)]
pub struct Dor;

impl Engine for Dor {
    fn name(&self) -> &'static str {
        "dor"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let generic = Generic::new(job);
        let rule = FirstWay { graph: &generic.graph, roads: generic.roads() };
        // No switch stands above another: nothing but the order of ports may choose.
        let lfts = generic.fill(&rule, &vec![0; generic.graph.len()]);
        Ok(generic.routes(self.name(), lfts))
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let (graph, weights) = Generic::new(job).into_graph();
        Ok(Hops::of_graph(graph, weights))
    }
}

/// Shortest paths by way of the neighbour behind the first link of the row.
struct FirstWay<'a> {
    graph: &'a Graph,
    roads: MinHops<'a>,
}

impl PathRule for FirstWay<'_> {
    fn reach(&self, dests: &[u32]) -> Reach {
        self.roads.reach(dests)
    }

    fn steps(&self, reach: &Reach, h: usize, s: usize, link: usize, peer: usize) -> u64 {
        self.roads.steps(reach, h, s, link, peer)
    }

    fn narrow(&self, s: usize, words: usize, sets: &mut [u64]) {
        let links = self.graph.links(s);
        for set in sets.chunks_exact_mut(words) {
            let Some(word) = set.iter().position(|w| *w != 0) else { continue };
            let first = links[word * 64 + set[word].trailing_zeros() as usize].peer;
            for (at, _) in links.iter().enumerate().filter(|(_, link)| link.peer != first) {
                set[at / 64] &= !(1 << (at % 64));
            }
        }
    }
}
