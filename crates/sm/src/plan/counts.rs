//! Counting what a plan changes.

use lk_fabric::SwitchId;
use lk_routing::Lfts;

use super::Plan;
use crate::counts::Counts;
use crate::decide::Desired;
use crate::observe::{Observed, Table};

/// Counts.
pub(crate) fn count(plan: &Plan, seen: &Observed, desired: &Desired) -> Counts {
    let mut counts = Counts {
        lids: plan.ports.iter().filter(|c| c.before.lid() != c.after.lid()).count(),
        ports: plan.ports.len(),
        vendor_ports: plan.vendor_ports.len(),
        bounced_links: plan.bounces.len(),
        switches: plan.switches.len(),
        sl2vl_wildcards: plan.wildcards.len(),
        mft_blocks: plan.cuts.len(),
        activated: plan.activate.len(),
        unread: plan.unread,
        ..Counts::default()
    };
    for run in &plan.tables {
        let blocks = run.blocks.len();
        match run.table {
            Table::PKeys(_) => counts.pkeys += blocks,
            Table::Mft(_) => counts.mft_blocks += blocks,
            Table::Sl2vl(_) => counts.sl2vl += blocks,
            Table::VlArb(_) => counts.vlarb += blocks,
            Table::Lft(s) => {
                counts.lft_blocks += blocks;
                for block in run.blocks.iter() {
                    let (moved, new) = entries(seen, desired, s, block);
                    counts.lft_entries_moved += moved;
                    counts.lft_entries_new += new;
                }
            }
        }
    }
    counts
}

/// Entries of a block that move to another port, and entries that come into being.
pub(super) fn entries(
    seen: &Observed,
    desired: &Desired,
    switch: SwitchId,
    block: u16,
) -> (usize, usize) {
    let Some(want) = desired.block(Table::Lft(switch), block) else { return (0, 0) };
    let top = seen.switch_info(switch).map_or(0, |i| i.linear_fdb_top());
    let have = seen.tables.block(Table::Lft(switch), block);
    let (mut moved, mut new) = (0, 0);
    for (i, to) in want.iter().enumerate() {
        let lid = u32::from(block) * 64 + i as u32;
        let was = match have {
            Some(have) if top > 0 && lid <= u32::from(top) => have[i],
            _ => Lfts::NO_PATH,
        };
        if was == *to {
            continue;
        }
        if was == Lfts::NO_PATH { new += 1 } else { moved += 1 }
    }
    (moved, new)
}
