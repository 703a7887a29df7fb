//! The order in which multicast forwarding changes.
//!
//! While switches hold some old and some new entries of a tree, copies may go round in a circle
//! and multiply. So links that a tree loses are cut first, everywhere, and new ones come after:
//! what is forwarded is a part of the old tree, and then of the new one. A block that only loses
//! entries, or only gains some, is written once.

use lk_fabric::SwitchId;

use super::{Plan, TableRun};
use crate::decide::Desired;
use crate::observe::{Observed, Table};

/// A block that loses entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The switch.
    pub switch: SwitchId,
    /// The block's code.
    pub code: u16,
    /// What is left of what the switch holds.
    pub left: [u8; 64],
}

/// Takes out of the tables what is done by cutting alone, and plans the cuts.
pub(super) fn plan(plan: &mut Plan, seen: &Observed, desired: &Desired) {
    let mut cuts = Vec::new();
    for run in &mut plan.tables {
        let Table::Mft(switch) = run.table else { continue };
        let codes: Vec<u16> = run.blocks.iter().collect();
        for code in codes {
            let want = desired.block(run.table, code);
            let have = seen.tables.block(run.table, code);
            let (Some(want), Some(have)) = (want, have) else { continue };
            let left: [u8; 64] = std::array::from_fn(|i| have[i] & want[i]);
            if left == have {
                continue;
            }
            cuts.push(Cut { switch, code, left });
            if left == want {
                run.blocks.remove(code);
            }
        }
    }
    plan.tables.retain(|run: &TableRun| !run.blocks.is_empty());
    plan.cuts = cuts;
}

#[cfg(test)]
mod tests {
    use lk_wire::MulticastForwardingTable;

    use super::*;
    use crate::decide::{Settings, decide, decide_trees};
    use crate::multicast::{Memberships, MlidMembers};
    use crate::testing::{carry_out, read_zeros, two_switches};
    use lk_fabric::PortId;
    use lk_wire::{Lid, Sl};

    fn members(ports: &[PortId]) -> Memberships {
        let sls = [Sl(0)].into();
        let one = MlidMembers { ports: ports.to_vec(), sls };
        Memberships { of: [(Lid(0xc000), one)].into(), all: false }
    }

    fn mask(block: &[u8; 64]) -> u16 {
        MulticastForwardingTable(*block).get(0).unwrap()
    }

    /// On the first switch a member is replaced by another: the one is cut before the other comes.
    #[test]
    fn links_are_cut_before_others_are_added() {
        let settings = Settings::new(Default::default(), Default::default());
        let mut seen = two_switches(&[], true);
        for info in seen.switches.iter_mut().flatten() {
            info.set_multicast_fdb_cap(64);
        }
        let first = decide(&seen, &settings);
        read_zeros(&mut seen, &first);
        let plan = Plan::compare(&seen, &first);
        carry_out(&mut seen, &plan, &first);
        let hosts: Vec<PortId> = seen
            .fabric
            .end_ports()
            .filter(|p| seen.fabric.as_switch(seen.fabric.owner(*p)).is_none())
            .collect();
        let on_first = |p: &PortId| {
            seen.fabric.peer(*p).is_some_and(|s| seen.fabric.owner(s) == seen.fabric.switches()[0])
        };
        let (here, there): (Vec<PortId>, Vec<PortId>) = hosts.into_iter().partition(on_first);

        let with = |a: PortId, b: PortId| members(&[a, b]);
        let joined = decide_trees(&seen, &settings, &with(here[0], there[0]), &first);
        read_zeros(&mut seen, &joined);
        let plan = Plan::of_trees(&seen, &joined);
        assert_eq!((plan.cuts.len(), plan.tables.len()), (0, 2), "nothing was there before");
        carry_out(&mut seen, &plan, &joined);

        let moved = decide_trees(&seen, &settings, &with(here[1], there[0]), &joined);
        let plan = Plan::of_trees(&seen, &moved);
        assert_eq!((plan.cuts.len(), plan.tables.len()), (1, 1));
        let port = |p: PortId| 1 << seen.fabric.port_num(seen.fabric.peer(p).unwrap()).0;
        let trunk = 1 << 8;
        assert_eq!(mask(&plan.cuts[0].left), trunk);
        let after = moved.block(plan.tables[0].table, plan.cuts[0].code).unwrap();
        assert_eq!(mask(&after), trunk | port(here[1]));

        let alone = decide_trees(&seen, &settings, &members(&[there[0]]), &joined);
        let plan = Plan::of_trees(&seen, &alone);
        assert_eq!((plan.cuts.len(), plan.tables.len()), (2, 0), "cutting is all");
        assert!(plan.cuts.iter().all(|c| mask(&c.left) == 0));
    }
}
