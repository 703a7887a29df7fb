//! Whether old and new entries may be in force side by side.

use std::sync::Arc;

use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use super::Ledger;
use super::stock::{WIDTH, columns};
use super::way::Aim;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::proof::GroupTree;
use crate::proof::change::Order;
use crate::tables::Lfts;

impl Ledger {
    /// In which order the tables of the ledger may be written while those of an earlier one are in
    /// force and all links carry data. None where the short way does not tell.
    #[must_use]
    pub fn order_after(
        &self,
        job: &RouteJob<'_>,
        old: &Self,
        trees: &[GroupTree],
    ) -> Option<Order> {
        let hosts_only = self.hosts_only();
        if old.lids != self.lids || old.nodes != self.nodes {
            return None;
        }
        let lids = self.changed(&old.lfts);
        if lids.is_empty() {
            return Some(Order::Nothing);
        }
        let of_chunk = |chunk: &[Lid]| {
            let n = self.graph.len();
            let mut turns = Vec::new();
            let mut seen = vec![false; self.graph.link_count()];
            let (new, old) = (columns(&self.lfts, chunk), columns(&old.lfts, chunk));
            for ((new, old), lid) in new.chunks(n).zip(old.chunks(n)).zip(chunk) {
                let aim = super::aim(job.fabric, job.lids, *lid);
                mixed(&self.graph, [old, new], (aim, hosts_only), &mut seen, &mut turns);
            }
            turns.sort_unstable();
            turns.dedup();
            turns
        };
        let mut others: Vec<(u32, u32)> = lids.par_chunks(WIDTH).flat_map_iter(of_chunk).collect();
        others.extend(self.group_turns(trees));
        others.sort_unstable();
        others.dedup();
        let free = self.turns.all_lead_forward(&others) || self.turns.clone().arrange(&others);
        free.then(|| Order::Any(self.turns.figures(&others).1))
    }

    /// The LIDs with an entry that changes, ascending.
    fn changed(&self, old: &Lfts) -> Vec<Lid> {
        let mut changes = vec![false; self.farthest.len()];
        for (s, (was, now)) in old.rows.iter().zip(&self.lfts.rows).enumerate() {
            // A switch without links to others forwards nothing.
            if Arc::ptr_eq(was, now) || self.graph.links(s).is_empty() {
                continue;
            }
            for (flag, (was, now)) in changes.iter_mut().zip(was.iter().zip(&**now)) {
                *flag |= was != now && *was != Lfts::NO_PATH;
            }
        }
        self.lids.owned().into_iter().filter(|lid| changes[usize::from(lid.0)]).collect()
    }
}

/// The turns of packets to a LID, or of those between hosts only, where each switch may send by
/// either of two tables. `seen` is false for all links before and after.
fn mixed(
    graph: &Graph,
    tables: [&[u8]; 2],
    (aim, hosts_only): (Aim, bool),
    seen: &mut [bool],
    turns: &mut Vec<(u32, u32)>,
) {
    if aim.of_switch && hosts_only {
        return;
    }
    let ways = |s: usize| {
        let [old, new] = tables.map(|ports| graph.link_at(s, PortNum(ports[s])));
        let number = move |link: usize| graph.first_link(s) + link;
        old.into_iter().chain(new.filter(|new| old != Some(*new))).map(number)
    };
    let sends = |s: &usize| !graph.hosts(*s).is_empty() || !(aim.of_switch || hosts_only);
    let mut open: Vec<usize> = Vec::new();
    let mut touched = Vec::new();
    for link in (0..graph.len()).filter(sends).flat_map(ways) {
        seen[link] = true;
        touched.push(link);
        open.push(link);
    }
    while let Some(link) = open.pop() {
        let peer = graph.link(link).peer.index();
        for next in ways(peer) {
            turns.push((link as u32, next as u32));
            if !std::mem::replace(&mut seen[next], true) {
                touched.push(next);
                open.push(next);
            }
        }
    }
    touched.into_iter().for_each(|link| seen[link] = false);
}
