//! dfsssp: the paths of [`super::Sssp`], kept apart by lanes so that no packets wait for each other
//! in a circle.

use crate::deps::assign::{Assigned, NONE, Paths};
use crate::deps::spare::Spare;
use crate::deps::turns::Turns;
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::path_lanes::PathLanes;
use crate::sssp::columns::Columns;
use crate::sssp::fill::{Filled, fill};
use crate::sssp::straight::{Ties, straight};
use crate::targets::Targets;

/// The engine `dfsssp`.
#[derive(Clone, Copy, Debug)]
pub struct DfSssp;

/// No more lanes than this are tried: there are 15 data VLs (IBA 7.6.4).
const MOST: usize = 15;

impl Engine for DfSssp {
    fn name(&self) -> &'static str {
        "dfsssp"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::shaped(job.fabric, &job.options.shaping);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let have = usize::from(job.options.data_vls.switches).min(MOST);
        let Try { filled, assigned } = best(job, graph, targets, have);
        let need = assigned.count;
        if need > have {
            return Err(Decline {
                engine: self.name(),
                reason: too_few(job, graph, &filled, have),
            });
        }
        let spare = Spare::new(&assigned.paths, have);
        let notes = spare.notes(need, job.options.qos);
        let lfts = filled.columns.lfts(graph, targets, job.lids);
        let lanes = table(job, graph, &filled.columns, &assigned, &spare);
        Ok(Routes {
            engine: self.name(),
            lfts,
            sl: SlPlan::PerPath(lanes),
            lanes: None,
            master_tree: None,
            notes,
        })
    }
}

/// Paths and their lanes.
struct Try {
    filled: Filled,
    assigned: Assigned,
}

impl Try {
    /// Looks for up to `most` lanes.
    fn new(job: &RouteJob<'_>, turns: &Turns<'_>, filled: Filled, most: usize) -> Self {
        let columns = &filled.columns;
        let to_switch = columns.lids.iter().map(|lid| {
            let end = job.lids.port(*lid);
            end.is_some_and(|end| job.fabric.as_switch(job.fabric.owner(end)).is_some())
        });
        let to_switch = to_switch.collect();
        let assigned =
            Paths { graph: turns.graph, turns, columns, to_switch, pairs: false }.assign(most);
        Self { filled, assigned }
    }
}

/// The paths to take. Those with the best balance if one lane is enough for them; else there are
/// other ways to choose, and of those that balance nearly as well the one with the fewest lanes is
/// taken, and the one with the fewest lanes of all if the lanes would not suffice.
fn best(job: &RouteJob<'_>, graph: &Graph, targets: &Targets, have: usize) -> Try {
    let turns = &Turns::new(graph);
    let mut best = Try::new(job, turns, fill(job, graph, targets), have);
    if best.assigned.count == 1 {
        return best;
    }
    let even = best.filled.fullest();
    let mut steered = best.filled.clone();
    steered.steer(graph, turns, &best.assigned.first);
    let by_ports = |ties| {
        let mut filled = Filled::new(job, graph, targets);
        straight(graph, &mut filled, ties);
        filled
    };
    let rank = |one: &Try| {
        let (lanes, fullest) = (one.assigned.count, one.filled.fullest());
        (lanes > have, fullest > even + even / 8, lanes, fullest)
    };
    let others: [&dyn Fn() -> Filled; 3] =
        [&|| by_ports(Ties::Shared), &|| by_ports(Ties::Lowest), &|| steered.clone()];
    for other in others {
        let other = Try::new(job, turns, other(), have.min(best.assigned.count));
        if rank(&other) < rank(&best) {
            best = other;
        }
    }
    best
}

/// Says how many lanes there would have to be.
fn too_few(job: &RouteJob<'_>, graph: &Graph, filled: &Filled, have: usize) -> String {
    let need = Try::new(job, &Turns::new(graph), filled.clone(), MOST).assigned.count;
    let more = if need > MOST { "more than " } else { "" };
    format!(
        "it needs {more}{} lanes to be free of deadlocks, and links between switches have {have} \
         data VLs (VLCap, max_op_vls)",
        need.min(MOST)
    )
}

/// The SLs by LID and switch.
fn table(
    job: &RouteJob<'_>,
    graph: &Graph,
    columns: &Columns,
    assigned: &Assigned,
    spare: &Spare,
) -> PathLanes {
    let mut column_of = vec![None; usize::from(job.lids.top().0) + 1];
    for (column, lid) in columns.lids.iter().enumerate() {
        column_of[usize::from(lid.0)] = Some(column);
    }
    PathLanes::new(job.fabric, job.lids, assigned.count as u8, |lid| {
        let first = column_of[usize::from(lid.0)]? * graph.len();
        let lanes = &assigned.lanes[first..first + graph.len()];
        // Where it does not matter, a row becomes the same from everywhere if it can.
        let any = lanes.iter().copied().find(|lane| *lane != NONE).unwrap_or(0);
        let lane = |lane: &u8| spare.sl(if *lane == NONE { any } else { *lane }, lid);
        Some(lanes.iter().map(lane).collect())
    })
}
