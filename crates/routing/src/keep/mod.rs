//! Keeping the entries that stand: of a fresh routing and of the tables that are in force, tables
//! that change as few entries as the law of the fresh ones allows.
//!
//! It knows nothing of the engine that made the fresh routing. What it takes from that is, for each
//! LID by itself, how many hops each switch is away, and, over all LIDs, the turns (from a link
//! into a link) that packets of end ports take.
//!
//! * An entry that stands may stay if it leads to a switch that is one hop nearer. So every route
//!   is as long as in the fresh routing, and nothing goes round.
//! * If the fresh turns close no circle, all turns must be among them, or among them and those of
//!   the tables that stand if these together close none. So nothing can deadlock, by the same
//!   argument as for the fresh routing.
//! * The fullest link must not carry more than 1.2 times what the fullest link of the fresh
//!   routing carries ([`LIMIT`]). Where it would, LIDs that are on it take their fresh columns.
//!
//! Routings with an SL for each pair, or with SL2VL tables of their own, are taken as they are:
//! what keeps them from deadlocks is in the SLs, too.

mod mix;
mod turns;

use std::sync::Arc;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::job::{RouteJob, Routes, SlPlan};
use crate::tables::Lfts;
use mix::Mixer;

/// How many times the load of the fullest link of a fresh routing the fullest link may carry, in
/// hundredths.
pub const LIMIT: u64 = 120;

/// What became of the entries that stood.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// Entries of the tables that stood, for LIDs that are in use.
    pub stood: usize,
    /// How many of them lead elsewhere now, or nowhere.
    pub moved: usize,
}

/// Makes of a fresh routing one that keeps what stands. Without tables that stand nothing changes.
pub(crate) fn keep(job: &RouteJob<'_>, fresh: Routes) -> (Routes, Option<Kept>) {
    let Some(previous) = job.previous else { return (fresh, None) };
    let mut routes = fresh;
    // Tables from a file are wanted as they are.
    let mixable = routes.engine != "file"
        && matches!(routes.sl, SlPlan::Any | SlPlan::Constant(_))
        && routes.lanes.is_none()
        && previous.rows.len() == routes.lfts.rows.len()
        && previous.rows.iter().any(|row| row.iter().any(|byte| *byte != Lfts::NO_PATH));
    if mixable && count(job, previous, &routes.lfts).moved > 0 {
        let graph = Graph::shaped(job.fabric, &job.options.shaping);
        let mixer = Mixer::new(job, &graph, previous, &routes.lfts);
        if let Some(rows) = mixer.rows() {
            routes.lfts.rows = rows.into_iter().map(Arc::from).collect();
        }
    }
    let kept = count(job, previous, &routes.lfts);
    (routes, Some(kept))
}

/// Compares tables, for the LIDs that are in use.
fn count(job: &RouteJob<'_>, before: &Lfts, now: &Lfts) -> Kept {
    let lids = job.lids.owned();
    let row = |(before, now): (&Arc<[u8]>, &Arc<[u8]>)| {
        let mut kept = Kept::default();
        for lid in &lids {
            let at = usize::from(lid.0);
            let was = before.get(at).copied().unwrap_or(Lfts::NO_PATH);
            if was != Lfts::NO_PATH {
                kept.stood += 1;
                kept.moved += usize::from(now.get(at) != Some(&was));
            }
        }
        kept
    };
    let add = |a: Kept, b: Kept| Kept { stood: a.stood + b.stood, moved: a.moved + b.moved };
    before.rows.par_iter().zip(&now.rows).map(row).reduce(Kept::default, add)
}
