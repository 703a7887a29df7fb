//! Whether tables lead where they should. Runs on any engine's result, or on tables read from a
//! fabric.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::Lid;
use rayon::prelude::*;

use crate::alike;
use crate::column::{Column, End};
use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// What a walk of all tables found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Check {
    /// How many ways were followed: switches times LIDs.
    pub ways: u64,
    /// The longest way that arrives, in hops between switches.
    pub max_hops: u16,
    /// LIDs that some switch does not reach, ascending.
    pub unreached: Vec<Unreached>,
    /// Circles in which packets would go round until their lifetime ends: one for each LID that
    /// has any.
    pub loops: Vec<Circle>,
}

/// A LID that is not reached from everywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// The LID.
    pub lid: Lid,
    /// Whether it is a switch's own.
    pub of_switch: bool,
    /// From how many switches it is not reached.
    pub from: u32,
    /// How many of these have end ports on them.
    pub from_leaves: u32,
    /// The first of these switches.
    pub first: SwitchId,
    /// What becomes of a packet that starts there.
    pub end: End,
}

/// A forwarding loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circle {
    /// The LID for which the tables go round.
    pub lid: Lid,
    /// The switches of the circle, in the order in which a packet meets them.
    pub switches: Vec<SwitchId>,
}

impl Check {
    /// Whether each end port reaches each LID of another end port.
    #[must_use]
    pub fn end_ports_connected(&self) -> bool {
        self.unreached.iter().all(|u| u.of_switch || u.from_leaves == 0)
    }
}

/// Follows each LID of the map from each switch.
#[must_use]
pub fn check(fabric: &Fabric, lids: &LidMap, lfts: &Lfts) -> Check {
    let graph = &Graph::new(fabric);
    let groups = alike::groups(fabric, lids, lfts);
    let parts: Vec<Check> = groups
        .par_chunks(Lfts::BLOCK)
        .map(|chunk| {
            let mut column = Column::new(graph);
            let mut part = Check::default();
            for group in chunk {
                column.load(fabric, graph, lfts, lids, group[0]);
                // What is found for one holds for the others.
                group.iter().for_each(|lid| part.add(fabric, graph, lids, *lid, &column));
            }
            part
        })
        .collect();
    let mut sum = Check::default();
    for part in parts {
        sum.ways += part.ways;
        sum.max_hops = sum.max_hops.max(part.max_hops);
        sum.unreached.extend(part.unreached);
        sum.loops.extend(part.loops);
    }
    sum.unreached.sort_by_key(|u| u.lid);
    sum.loops.sort_by_key(|circle| circle.lid);
    sum
}

impl Check {
    /// Adds what a column shows.
    pub(crate) fn add(
        &mut self,
        fabric: &Fabric,
        graph: &Graph,
        lids: &LidMap,
        lid: Lid,
        column: &Column,
    ) {
        self.ways += graph.len() as u64;
        let mut lost: Option<Unreached> = None;
        let mut circle = None;
        for (s, end) in column.ends.iter().enumerate() {
            let end = match end {
                End::Delivered(hops) => {
                    self.max_hops = self.max_hops.max(*hops);
                    continue;
                }
                other => *other,
            };
            if end == End::Loop && circle.is_none() {
                circle = Some(walk_circle(graph, column, lid, s));
            }
            let entry = lost.get_or_insert_with(|| Unreached {
                lid,
                of_switch: lids
                    .port(lid)
                    .is_some_and(|p| fabric.as_switch(fabric.owner(p)).is_some()),
                from: 0,
                from_leaves: 0,
                first: SwitchId(s as u32),
                end,
            });
            entry.from += 1;
            entry.from_leaves += u32::from(!graph.hosts(s).is_empty());
        }
        self.unreached.extend(lost);
        self.loops.extend(circle);
    }
}

/// The circle that the way from `s` ends in.
fn walk_circle(graph: &Graph, column: &Column, lid: Lid, s: usize) -> Circle {
    let next = |at: usize| {
        column.links[at].map_or(at, |link| graph.links(at)[usize::from(link)].peer.index())
    };
    // After as many steps as there are switches the walk is on the circle.
    let start = (0..graph.len()).fold(s, |at, _| next(at));
    let mut switches = vec![SwitchId(start as u32)];
    let mut at = next(start);
    while at != start {
        switches.push(SwitchId(at as u32));
        at = next(at);
    }
    Circle { lid, switches }
}
