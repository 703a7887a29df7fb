//! nue: routes that fit into the lanes there are, be it one.
//!
//! Destinations are shared out over the lanes. Where the best balanced shortest paths of a lane
//! close a circle, the turns of a spanning tree are put in use there first, so that there always
//! is a way ([`Escape`]). Then the turns of those paths join, those that most paths make first, as
//! long as they close no circle; what does not fit is routed anew over turns that do ([`layer`]),
//! and over the tree from where nothing else is left. In the first lane, that of SL 0, the tree is
//! always in use: multicast groups go along it. (The idea: Domke, Hoefler, Matsuoka, HPDC 2016.)

mod layer;

use lk_wire::Lid;
use rayon::prelude::*;

use crate::deps::escape::{Escape, near_order};
use crate::deps::turns::Turns;
use crate::deps::walk::Nearest;
use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::path_lanes::PathLanes;
use crate::sssp::columns::Columns;
use crate::sssp::fill::fill_plainly;
use crate::targets::Targets;
use layer::{Layer, Share};

/// The engine `nue`.
#[derive(Clone, Copy, Debug)]
pub struct Nue;

impl Engine for Nue {
    fn name(&self) -> &'static str {
        "nue"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        let graph = &Graph::shaped(job.fabric, &job.options.shaping);
        let targets = &Targets::new(job.fabric, graph, job.lids);
        let (lanes, mut notes) = lanes(job);
        let mut filled = fill_plainly(job, graph, targets);
        let lane_of = lanes_of_homes(graph, &filled.columns, lanes);
        let loads = filled.weights().to_vec();
        let turns = &Turns::new(graph);
        let nearest = &Nearest::new(graph);
        let escape = &Escape::new(graph);
        let shares = shares(job, graph, &mut filled.columns, &lane_of, lanes);
        let done: Vec<(usize, usize)> = shares
            .into_par_iter()
            .enumerate()
            .map(|(lane, share)| {
                Layer::new(turns, nearest, escape, loads.clone()).route(share, lane == 0)
            })
            .collect();
        let (around, escaped) = done.iter().fold((0, 0), |sum, d| (sum.0 + d.0, sum.1 + d.1));
        if around > 0 {
            notes.push(format!("{around} LIDs had to be routed around turns that close a circle"));
        }
        if escaped > 0 {
            notes.push(format!(
                "{escaped} LIDs are reached over the spanning tree from some switches"
            ));
        }
        let lfts = filled.columns.lfts(graph, targets, job.lids);
        let sl = match lanes {
            1 => SlPlan::Any,
            _ => SlPlan::PerPath(table(job, &filled.columns, &lane_of, lanes)),
        };
        let engine = self.name();
        let master_tree = escape.master_tree(graph);
        Ok(Routes { engine, lfts, sl, lanes: None, master_tree, notes })
    }
}

/// How many lanes to use.
fn lanes(job: &RouteJob<'_>) -> (usize, Vec<String>) {
    let have = job.options.data_vls.switches.clamp(1, 15);
    let want = match job.options.nue_max_num_vls {
        0 => have,
        most => most.min(have),
    };
    if want > 1 && !job.options.qos {
        let note = "QoS is off, so nobody writes the SL2VL tables that would keep lanes apart: \
                    one lane is used (start with -Q or set qos to TRUE for more)";
        return (1, vec![note.to_owned()]);
    }
    let plural = if want == 1 { "lane" } else { "lanes" };
    (usize::from(want), vec![format!("{want} {plural} in use (nue_max_num_vls)")])
}

/// The lane of each destination switch: switches that are near each other share one, and all
/// lanes have about as many LIDs.
fn lanes_of_homes(graph: &Graph, columns: &Columns, lanes: usize) -> Vec<u8> {
    let mut counts = vec![0_usize; graph.len()];
    columns.homes.iter().for_each(|home| counts[*home as usize] += 1);
    let mut lane_of = vec![0; graph.len()];
    let mut before = 0;
    for s in near_order(graph) {
        let middle = before + counts[s as usize] / 2;
        lane_of[s as usize] = (middle * lanes / columns.lids.len().max(1)).min(lanes - 1) as u8;
        before += counts[s as usize];
    }
    lane_of
}

/// The columns of each lane, in the order in which they are routed.
fn shares<'a>(
    job: &RouteJob<'_>,
    graph: &'a Graph,
    columns: &'a mut Columns,
    lane_of: &[u8],
    lanes: usize,
) -> Vec<Vec<Share<'a>>> {
    let mut shares: Vec<Vec<Share<'_>>> = (0..lanes).map(|_| Vec::new()).collect();
    let mut left = &mut columns.cells[..];
    let mut first = 0;
    for homes in columns.homes.chunk_by(|a, b| a == b) {
        let (cells, rest) = left.split_at_mut(homes.len() * graph.len());
        left = rest;
        let end = job.lids.port(columns.lids[first]);
        let to_switch = end.is_some_and(|e| job.fabric.as_switch(job.fabric.owner(e)).is_some());
        first += homes.len();
        let home = homes[0] as usize;
        shares[usize::from(lane_of[home])].push(Share { home, to_switch, cells });
    }
    if job.options.nue_include_switches {
        // Otherwise switches come last.
        shares.iter_mut().for_each(|share| share.sort_by_key(|s| s.home));
    }
    shares
}

/// The SLs: the lane of the destination, wherever a packet comes from.
fn table(job: &RouteJob<'_>, columns: &Columns, lane_of: &[u8], lanes: usize) -> PathLanes {
    let mut lane_of_lid = vec![None; usize::from(job.lids.top().0) + 1];
    for (lid, home) in columns.lids.iter().zip(&columns.homes) {
        lane_of_lid[usize::from(lid.0)] = Some(lane_of[*home as usize]);
    }
    let switches = job.fabric.switches().len();
    PathLanes::new(job.fabric, job.lids, lanes as u8, |lid: Lid| {
        lane_of_lid[usize::from(lid.0)].map(|lane| vec![lane; switches])
    })
}
