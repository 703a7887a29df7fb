//! lash: one way from each switch to each other, whatever the LID, and one lane for each pair of
//! switches in both directions.
//!
//! So an answer that comes back with the SL of the question is on the right lane, too. (Where lanes
//! do not suffice for that, each direction has its own, and it is said.) All LIDs of
//! a switch share their ways, which spreads less evenly than [`super::DfSssp`] does; where several
//! cables lead to a neighbour, LIDs take turns.

use lk_wire::{Lid, PortNum};

use super::tries::{Tries, Try, Wish};
use crate::deps::assign::NONE;
use crate::deps::spare::Spare;
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::path_lanes::PathLanes;
use crate::tables::{Lfts, LidMap};
use crate::targets::Targets;

/// The engine `lash`.
#[derive(Clone, Copy, Debug)]
pub struct Lash;

/// No more lanes than this are tried: there are 15 data VLs (IBA 7.6.4).
const MOST: usize = 15;

impl Engine for Lash {
    fn name(&self) -> &'static str {
        "lash"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let vls = usize::from(job.options.data_vls.switches).min(MOST);
        let start = job.options.lash_start_vl;
        let have = vls.saturating_sub(usize::from(start));
        let decline = |reason| Decline { engine: self.name(), reason };
        if have == 0 {
            return Err(decline(format!(
                "lash_start_vl is {start}, and links between switches have {vls} data VLs (VLCap, \
                 max_op_vls)"
            )));
        }
        let whole = &Graph::shaped(job.fabric, &job.options.shaping);
        let graph = &whole.without_parallels();
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let one_each = &one_each(job, targets, graph.len());
        let job_each = &RouteJob { lids: one_each, ..*job };
        let targets_each = &Targets::new(job.fabric, graph, one_each);
        let tries = &Tries::new(job_each, graph, targets_each);
        let (Try { filled, assigned }, pairs) = chosen(tries, have);
        let need = assigned.count;
        if need > have {
            let need = tries.one(filled, Wish { pairs: false, groups: false }, MOST).assigned.count;
            let more = if need > MOST { "more than " } else { "" };
            return Err(decline(format!(
                "it needs {more}{} lanes to be free of deadlocks, and links between switches have \
                 {have} data VLs from lash_start_vl on (VLCap, max_op_vls)",
                need.min(MOST)
            )));
        }
        let mut column_of = vec![None; graph.len()];
        for (column, home) in filled.columns.homes.iter().enumerate() {
            column_of[*home as usize] = Some(column);
        }
        let mut column_of_lid = vec![None; usize::from(job.lids.top().0) + 1];
        for (home, column) in column_of.iter().enumerate() {
            for (_, lid) in targets.on(home).iter().flat_map(|t| t.lids(job.lids)) {
                column_of_lid[usize::from(lid.0)] = *column;
            }
        }
        let lids = (1..=job.lids.top().0).map(Lid);
        let columns: Vec<(Lid, usize)> =
            lids.filter_map(|lid| Some((lid, column_of_lid[usize::from(lid.0)]?))).collect();
        let cables = &Cables::new(whole, graph);
        let port = |s: usize, cell: u8, lid| cables.port(graph, s, cell, lid);
        let lfts = filled.columns.lfts_of(targets, job.lids, &columns, port);
        let sl = |lane: u8| if lane == NONE { start } else { start + lane };
        let lanes = PathLanes::new(job.fabric, job.lids, need as u8, |lid| {
            let first = column_of_lid[usize::from(lid.0)]? * graph.len();
            let row = &assigned.lanes[first..first + graph.len()];
            Some(row.iter().map(|lane| sl(*lane)).collect())
        });
        let spare = Spare::new(&assigned.paths, need);
        let mut notes = spare.notes(need, job.options.qos);
        if !pairs {
            notes.push(
                "there are too few lanes to have both directions between two switches on one: \
                 programs must ask for the SL of each direction"
                    .to_owned(),
            );
        }
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

/// Parallel cables. Packets wait for switches, so to speak, and not for cables: any of those to the
/// same neighbour will do.
struct Cables(Vec<Vec<PortNum>>);

impl Cables {
    /// The ports that lead to the neighbour of each link of `graph`.
    fn new(whole: &Graph, graph: &Graph) -> Self {
        let ports = |s: usize| {
            graph.links(s).iter().map(move |link| {
                let all = whole.links(s).iter().filter(|l| l.peer == link.peer);
                all.map(|l| l.port).collect()
            })
        };
        Self((0..graph.len()).flat_map(ports).collect())
    }

    /// The one of them that a LID takes.
    fn port(&self, graph: &Graph, s: usize, cell: u8, lid: Lid) -> PortNum {
        if graph.links(s).get(usize::from(cell)).is_none() {
            return PortNum(Lfts::NO_PATH);
        }
        let ports = &self.0[graph.first_link(s) + usize::from(cell)];
        ports[usize::from(lid.0) % ports.len()]
    }
}

/// One LID for each switch: that of the first end port on it, or its own.
fn one_each(job: &RouteJob<'_>, targets: &Targets, switches: usize) -> LidMap {
    let first = (0..switches).filter_map(|s| targets.on(s).first());
    LidMap::new(
        first
            .filter(|t| job.lids.port(t.base) == Some(t.end))
            .map(|t| (t.end, t.base, 0))
            .collect(),
    )
}

/// Where more than one in so many paths finds no lane, leaving groups out does not help.
const FAR: u64 = 32;

/// Ways and their lanes with all that is wanted, or, where that takes too many lanes, with ever
/// less; and whether both ways between two switches are on one lane.
fn chosen(tries: &Tries<'_>, have: usize) -> (Try, bool) {
    let ever_less = [(true, true), (true, false), (false, true)];
    let mut is_far = false;
    for (pairs, groups) in ever_less {
        if pairs && is_far {
            continue;
        }
        let one = best(tries, Wish { pairs, groups }, have);
        if one.assigned.count <= have {
            return (one, pairs);
        }
        // Groups take no such part of a lane.
        let paths = &one.assigned.paths;
        is_far = paths.last().is_some_and(|rest| rest * FAR > paths.iter().sum());
    }
    (best(tries, Wish { pairs: false, groups: false }, have), false)
}

/// The ways with the fewest lanes, of several sets of shortest ones.
fn best(tries: &Tries<'_>, wish: Wish, have: usize) -> Try {
    let rank = |_, one: &Try| (one.assigned.count, one.filled.fullest());
    tries.best(tries.spread(), wish, have, |_| u64::MAX, rank)
}
