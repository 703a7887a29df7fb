//! What the engines have in common that choose the least loaded of the ports a law allows.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::Lid;

use crate::balance::climbs::Climbs;
use crate::balance::height::above_leaves;
use crate::balance::spread::Spread;
use crate::balance::ties::{Taste, Ties};
use crate::balance::trunk::summits;
use crate::balance::turns::{Turn, by_switch};
use crate::graph::Graph;
use crate::job::{RouteJob, Routes, SlPlan};
use crate::paths::PathRule;
use crate::paths::distances::Distances;
use crate::paths::min_hops::MinHops;
use crate::relief::floor::floor;
use crate::relief::{Lids, NoValley, Relief, good};
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// The fabric as options shape it.
#[derive(Debug)]
pub(super) struct Generic<'a> {
    job: &'a RouteJob<'a>,
    /// The switches and links.
    pub(super) graph: Graph,
    /// The LIDs by switch.
    pub(super) targets: Targets,
    weights: Option<Vec<u8>>,
    taste: Taste,
    /// What a person should know.
    pub(super) notes: Vec<String>,
}

impl<'a> Generic<'a> {
    /// Packs the fabric of a job.
    pub(super) fn new(job: &'a RouteJob<'a>) -> Self {
        let (fabric, shaping) = (job.fabric, &job.options.shaping);
        let graph = Graph::shaped(fabric, shaping);
        let targets = Targets::new(fabric, &graph, job.lids);
        let ties = match (shaping.scatter, shaping.shift) {
            (0, false) => Ties::First,
            (0, true) => Ties::Shift,
            (seed, _) => Ties::Random(seed),
        };
        let mut plain = Vec::new();
        if shaping.first_not_scattered {
            let first = shaping.first_ports(fabric);
            let listed = |(end, _, _): &&(_, _, _)| first.contains(end);
            for (end, base, lmc) in job.lids.ranges().iter().filter(listed) {
                let lids = (base.0..=u16::MAX).take(1 << lmc);
                plain.extend(lids.filter(|lid| job.lids.port(Lid(*lid)) == Some(*end)));
            }
        }
        let ignored = shaping.ignored(fabric, &graph);
        let taste =
            Taste { ties, count_switches: shaping.count_switches, ignored, plain, strict: false };
        let weights = shaping.weights(fabric, &graph);
        let notes = shaping.strangers(fabric);
        Self { job, graph, targets, weights, taste, notes }
    }

    /// Keeps LIDs to their summits.
    pub(super) fn be_strict(&mut self) {
        self.taste.strict = true;
    }

    /// Shortest paths by the weights of hops.
    pub(super) fn roads(&self) -> MinHops<'_> {
        MinHops::weighted(&self.graph, self.weights.as_deref())
    }

    /// The graph and the weights of hops.
    pub(super) fn into_graph(self) -> (Graph, Option<Vec<u8>>) {
        (self.graph, self.weights)
    }

    /// The climbs, given how high each switch stands.
    pub(super) fn climbs(&self, height: &[u32]) -> Climbs {
        Climbs::new(&self.graph, height, &self.taste.ignored)
    }

    /// The tables that a law allows, in the order of the switches and of
    /// `guid_routing_order_file`.
    pub(super) fn fill<R: PathRule>(&self, rule: &R, height: &[u32]) -> Lfts {
        let first = self.job.options.shaping.first_ports(self.job.fabric);
        let turns = by_switch(&self.targets, self.graph.len(), &first);
        self.fill_in_turns(rule, &self.climbs(height), &turns)
    }

    /// The tables that a law allows, given the order of destinations.
    pub(super) fn fill_in_turns<R: PathRule>(
        &self,
        rule: &R,
        climbs: &Climbs,
        turns: &[Turn],
    ) -> Lfts {
        let (targets, map, taste) = (&self.targets, self.job.lids, &self.taste);
        let summits = &summits(climbs, turns, map, taste);
        let (graph, roads) = (&self.graph, self.roads());
        let spread = Spread { graph, targets, map, turns, rule, roads, taste, climbs, summits };
        let (mut lfts, load, lids) = spread.fill_and_weigh();
        // Where load on some links does not count, the fullest link is nobody's concern.
        if taste.ignored.is_empty() && !taste.count_switches && !taste.strict {
            relieve(graph, (targets, map), || rule.distances(), &mut lfts, (load, lids));
        }
        lfts
    }

    /// The finished routes.
    pub(super) fn routes(self, engine: &'static str, lfts: Lfts) -> Routes {
        Routes { engine, lfts, sl: SlPlan::Any, lanes: None, master_tree: None, notes: self.notes }
    }

    /// See [`super::updn::unconnected`].
    pub(super) fn unconnected(&self, lfts: &Lfts) -> Option<String> {
        super::updn::unconnected(self.job, &self.graph, &self.targets, lfts)
    }
}

/// A switch by GUID and description, for a sentence.
pub(super) fn name_of(fabric: &Fabric, switch: usize) -> String {
    let node = fabric.node(fabric.switch_node(SwitchId(switch as u32)));
    format!("{} ('{}')", node.guid, node.description)
}

/// Whether some link carries more than what is as good as the least that it has to.
pub(super) fn uneven(graph: &Graph, ends: (&Targets, &LidMap), load: &[u64]) -> bool {
    load.iter().copied().max().unwrap_or(0) > enough(graph, ends, load)
}

/// What is as good as the least that the fullest link has to carry.
fn enough(graph: &Graph, (targets, map): (&Targets, &LidMap), load: &[u64]) -> u64 {
    let part = graph.parts();
    good(floor(map, graph, targets, load, |dest, s| part[dest] == part[s]))
}

/// What came of evening out tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Evened {
    /// What the fullest link carries.
    pub(super) fullest: u64,
    /// Whether that is as good as the least that it has to.
    pub(super) good: bool,
}

/// Evens out finished tables, given the routes and the LIDs on each link, where that is worth it
/// and `distances` say which steps are good.
pub(super) fn relieve(
    graph: &Graph,
    (targets, map): (&Targets, &LidMap),
    distances: impl FnOnce() -> Option<Distances>,
    lfts: &mut Lfts,
    (mut load, lids): (Vec<u64>, Vec<u32>),
) -> Evened {
    let enough = enough(graph, (targets, map), &load);
    let evened = |load: &[u64]| {
        let fullest = load.iter().copied().max().unwrap_or(0);
        Evened { fullest, good: fullest <= enough }
    };
    if evened(&load).good {
        return evened(&load);
    }
    let Some(distances) = distances() else { return evened(&load) };
    let height = above_leaves(graph);
    let lids = Lids::new(graph, &height, lids);
    let height = if distances.climb() { Vec::new() } else { height };
    let turning = NoValley { graph, height };
    let tables = (lfts, &mut load[..], lids);
    Relief::new(graph, (targets, map), &distances, &turning, tables).run(enough);
    evened(&load)
}
