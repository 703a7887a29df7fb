//! dfsssp: the paths of [`super::Sssp`], kept apart by lanes so that no packets wait for each other
//! in a circle.

use super::tries::{Tries, Try, Wish};
use crate::deps::assign::{Assigned, NONE};
use crate::deps::spare::Spare;
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::path_lanes::PathLanes;
use crate::sssp::columns::Columns;
use crate::sssp::fill::Filled;
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
        let tries = &Tries::new(job, graph, targets);
        let mut chosen = best(tries, true, have);
        if chosen.assigned.count > have {
            chosen = best(tries, false, have);
        }
        let Try { filled, assigned } = chosen;
        let need = assigned.count;
        if need > have {
            return Err(Decline { engine: self.name(), reason: too_few(tries, filled, have) });
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
            master_tree: tries.master_tree(&assigned),
            notes,
        })
    }
}

/// The paths to take. Those with the best balance if one lane is enough for them; else there are
/// other ways to choose, and of those that balance nearly as well the one with the fewest lanes is
/// taken, and the one with the fewest lanes of all if the lanes would not suffice. `groups`:
/// with room for packets to multicast groups.
fn best(tries: &Tries<'_>, groups: bool, have: usize) -> Try {
    let fair = |even: u64| even + even / 8;
    tries.best(tries.even(), Wish { pairs: false, groups }, have, fair, |even, one| {
        let (lanes, fullest) = (one.assigned.count, one.filled.fullest());
        (lanes > have, fullest > fair(even), lanes, fullest)
    })
}

/// Says how many lanes there would have to be.
fn too_few(tries: &Tries<'_>, filled: Filled, have: usize) -> String {
    let need = tries.one(filled, Wish { pairs: false, groups: false }, MOST).assigned.count;
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
