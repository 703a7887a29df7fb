//! How much a plan changes, in numbers.

use std::fmt;

use lk_fabric::SwitchId;
use lk_routing::Lfts;
use serde::Serialize;

use super::Plan;
use crate::decide::Desired;
use crate::observe::{Observed, Table};

/// Numbers of changes by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Counts {
    /// End ports that get another LID.
    pub lids: usize,
    /// PortInfo writes, LID changes among them.
    pub ports: usize,
    /// Writes of the vendor's extended port information (FDR10).
    pub vendor_ports: usize,
    /// Links that go down and come back.
    pub bounced_links: usize,
    /// SwitchInfo writes.
    pub switches: usize,
    /// Forwarding table blocks.
    pub lft_blocks: usize,
    /// Forwarding table entries that lead to another port than before.
    pub lft_entries_moved: usize,
    /// Forwarding table entries that led nowhere or were not in force before.
    pub lft_entries_new: usize,
    /// SL2VL tables written one by one.
    pub sl2vl: usize,
    /// SL2VL writes with wildcards.
    pub sl2vl_wildcards: usize,
    /// VL arbitration blocks.
    pub vlarb: usize,
    /// P_Key table blocks.
    pub pkeys: usize,
    /// Ports that go to ACTIVE.
    pub activated: usize,
    /// Table blocks that could not be read and are left as they are.
    pub unread: usize,
}

impl Counts {
    /// Counts.
    #[must_use]
    pub fn of(plan: &Plan, seen: &Observed, desired: &Desired) -> Self {
        let mut counts = Self {
            lids: plan.ports.iter().filter(|c| c.before.lid() != c.after.lid()).count(),
            ports: plan.ports.len(),
            vendor_ports: plan.vendor_ports.len(),
            bounced_links: plan.bounces.len(),
            switches: plan.switches.len(),
            sl2vl_wildcards: plan.wildcards.len(),
            activated: plan.activate.len(),
            unread: plan.unread,
            ..Self::default()
        };
        for run in &plan.tables {
            let blocks = run.blocks.len();
            match run.table {
                Table::PKeys(_) => counts.pkeys += blocks,
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

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.lids, "LIDs"),
            (self.ports, "PortInfo"),
            (self.vendor_ports, "MlnxExtPortInfo"),
            (self.bounced_links, "links bounce"),
            (self.switches, "SwitchInfo"),
            (self.lft_blocks, "LFT blocks"),
            (self.sl2vl, "SL2VL tables"),
            (self.sl2vl_wildcards, "SL2VL wildcard writes"),
            (self.vlarb, "VLArb blocks"),
            (self.pkeys, "P_Key blocks"),
            (self.activated, "ports to ACTIVE"),
            (self.unread, "blocks that could not be read"),
        ];
        let mut first = true;
        for (n, what) in parts.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{}{n} {what}", if first { "" } else { ", " })?;
            first = false;
        }
        if first { f.write_str("nothing") } else { Ok(()) }
    }
}
