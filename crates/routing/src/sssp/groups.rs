//! In which order destinations are routed.
//!
//! First those that `cn_guid_file` names, then those of `io_guid_file`, then all other end ports,
//! and switches themselves last: the first ones find the links empty. Within each of these the
//! switches with the most end ports come first, as in OpenSM.

use std::collections::BTreeSet;
use std::ops::Range;

use lk_fabric::Fabric;
use lk_wire::{Guid, Lid};

use crate::graph::Graph;
use crate::job::RouteJob;
use crate::targets::{Target, Targets};

/// LIDs on one switch that are routed one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    /// Their switch.
    pub(crate) home: u32,
    /// Their columns.
    pub(crate) columns: Range<usize>,
    /// Groups of one class share the links evenly; those of a later class go round them.
    pub(crate) class: u8,
    /// For each column whether it is a further LID of the port of the column before.
    pub(crate) further: Vec<bool>,
}

impl Group {
    /// Whether this is the switch's own port 0, to which hardly any traffic goes.
    pub(crate) const fn of_switch(&self) -> bool {
        self.class == SWITCH
    }
}

/// The groups in order, and the LID and switch of each column.
pub(crate) fn groups(
    job: &RouteJob<'_>,
    graph: &Graph,
    targets: &Targets,
) -> (Vec<Group>, Vec<(Lid, u32)>) {
    let set = |list: &Option<Vec<Guid>>| list.iter().flatten().copied().collect::<BTreeSet<_>>();
    let (compute, io) = (set(&job.options.cn_guids), set(&job.options.io_guids));
    let class = |target: &Target| class(job.fabric, &compute, &io, target);
    let mut leaves: Vec<usize> = (0..graph.len()).collect();
    leaves.sort_by_key(|s| std::cmp::Reverse(graph.hosts(*s).len()));
    let mut groups = Vec::new();
    let mut lids = Vec::new();
    for wanted in 0..=SWITCH {
        for home in leaves.iter().copied() {
            let first = lids.len();
            let mut further = Vec::new();
            for target in targets.on(home).iter().filter(|t| class(t) == wanted) {
                for (offset, lid) in target.lids(job.lids) {
                    lids.push((lid, home as u32));
                    further.push(offset > 0);
                }
            }
            if lids.len() > first {
                let (home, columns) = (home as u32, first..lids.len());
                groups.push(Group { home, columns, class: wanted, further });
            }
        }
    }
    (groups, lids)
}

/// The class of port 0 of switches, which comes last.
const SWITCH: u8 = 3;

fn class(fabric: &Fabric, compute: &BTreeSet<Guid>, io: &BTreeSet<Guid>, target: &Target) -> u8 {
    let guid = fabric.port(target.end).guid;
    if target.is_switch() {
        SWITCH
    } else if compute.contains(&guid) {
        0
    } else if io.contains(&guid) {
        1
    } else {
        2
    }
}
