//! Taking stock of finished routes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lk_wire::Lid;
use rayon::prelude::*;

use super::turns::{Shared, TurnCounts};
use super::way::{Reached, Way};
use super::{Ledger, aim, is_plain, law, nodes};
use crate::check::{Check, Unreached};
use crate::column::Column;
use crate::engines::Outcome;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::distances::Distances;
use crate::tables::Lfts;

/// LIDs that are looked at together: their entries lie side by side.
pub(super) const WIDTH: usize = 64;

/// What is learnt of some LIDs.
#[derive(Default)]
struct Part {
    farthest: Vec<(Lid, u16)>,
    unreached: Vec<Unreached>,
    goes_round: bool,
    goes_about: bool,
}

impl Ledger {
    /// Takes stock of what came of a list of engines. None where that leaves no short way: the
    /// engine was not the first choice, it has lanes of its own or no simple law of paths, or the
    /// routes can deadlock.
    #[must_use]
    pub fn new(job: &RouteJob<'_>, outcome: &Outcome) -> Option<Self> {
        let routes = outcome.routes.as_ref()?;
        if !outcome.declined.is_empty() || !outcome.unknown.is_empty() || !is_plain(routes) {
            return None;
        }
        let law = law(routes.engine, job)?;
        let distances = law.distances();
        let graph = law.graph;
        let lids = job.lids.owned();
        let mut count = count(job, (&graph, &distances), &routes.lfts, &lids);
        if !count.turns.arrange() {
            count.turns.leave_out_switches();
            if !count.turns.arrange() {
                return None;
            }
        }
        let Count { turns, load, parts } = count;
        if parts.iter().any(|part| part.goes_round) {
            return None;
        }
        let mut farthest = vec![0; usize::from(job.lids.top().0) + 1];
        for (lid, hops) in parts.iter().flat_map(|part| &part.farthest) {
            farthest[usize::from(lid.0)] = *hops;
        }
        let entries = |row: &Arc<[u8]>| {
            let entry = |lid: &&Lid| row.get(usize::from(lid.0)) != Some(&Lfts::NO_PATH);
            lids.iter().filter(entry).count()
        };
        Some(Self {
            engine: routes.engine,
            options: Arc::new(job.options.clone()),
            nodes: nodes(job.fabric),
            lids: job.lids.clone(),
            lfts: routes.lfts.clone(),
            order: law.order,
            distances,
            turns,
            fullest: load.iter().copied().max().unwrap_or(0),
            load,
            entries: routes.lfts.rows.par_iter().map(entries).sum(),
            farthest,
            direct: !parts.iter().any(|part| part.goes_about),
            unreached: parts.into_iter().flat_map(|part| part.unreached).collect(),
            graph,
        })
    }
}

/// What all LIDs together show.
struct Count {
    turns: TurnCounts,
    load: Vec<u64>,
    parts: Vec<Part>,
}

fn count(
    job: &RouteJob<'_>,
    (graph, distances): (&Graph, &Distances),
    lfts: &Lfts,
    lids: &[Lid],
) -> Count {
    let mut turns = TurnCounts::new(graph);
    let load: Vec<AtomicU64> = (0..graph.link_count()).map(|_| AtomicU64::new(0)).collect();
    let shared = turns.share();
    let columns = Columns { job, graph, distances, lfts };
    let parts = lids.par_chunks(WIDTH).map(|chunk| part(&columns, chunk, &shared, &load)).collect();
    let counts = shared.finish();
    turns.set(counts);
    Count { turns, load: load.into_iter().map(AtomicU64::into_inner).collect(), parts }
}

/// What is looked at.
struct Columns<'a> {
    job: &'a RouteJob<'a>,
    graph: &'a Graph,
    distances: &'a Distances,
    lfts: &'a Lfts,
}

fn part(all: &Columns<'_>, chunk: &[Lid], turns: &Shared<'_>, load: &[AtomicU64]) -> Part {
    let Columns { job, graph, distances, lfts } = *all;
    let mut part = Part::default();
    let mut way = Way::new(graph);
    for (ports, lid) in columns(lfts, chunk).chunks(graph.len().max(1)).zip(chunk) {
        let aim = aim(job.fabric, job.lids, *lid);
        let Some(reached) = way.follow(graph, ports, aim) else {
            part.goes_round = true;
            return part;
        };
        part.goes_about |= aim.home.is_some_and(|(dest, _)| !way.is_direct(distances, dest));
        let add = |link: usize, routes: u32| {
            load[link].fetch_add(u64::from(routes), Ordering::Relaxed);
        };
        way.tally(graph, aim, add, |link, out, who| turns.add(link, out, who));
        part.farthest.push((*lid, reached.farthest));
        part.unreached.extend(unreached(job, graph, ports, *lid, reached));
    }
    part
}

/// The ports by which all switches send to some LIDs, LID by LID.
pub(super) fn columns(lfts: &Lfts, lids: &[Lid]) -> Vec<u8> {
    let n = lfts.rows.len();
    let mut out = vec![Lfts::NO_PATH; n * lids.len()];
    for (s, row) in lfts.rows.iter().enumerate() {
        for (at, lid) in lids.iter().enumerate() {
            if let Some(port) = row.get(usize::from(lid.0)) {
                out[at * n + s] = *port;
            }
        }
    }
    out
}

/// What [`crate::check()`] says of a LID that is not reached from everywhere.
pub(super) fn unreached(
    job: &RouteJob<'_>,
    graph: &Graph,
    ports: &[u8],
    lid: Lid,
    reached: Reached,
) -> Vec<Unreached> {
    if reached.whole {
        return Vec::new();
    }
    let mut column = Column::new(graph);
    column.load_ports(job.fabric, graph, job.lids, lid, |s| ports[s]);
    let mut check = Check::default();
    check.add(job.fabric, graph, job.lids, lid, &column);
    check.unreached
}
