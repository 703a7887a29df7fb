//! LIDs: what was given out stays where it is; the rest gets the lowest free ones.
//!
//! In this order: what `guid2lid` says, what a port holds and nobody else may claim, the lowest
//! free aligned range. The SM's own port comes first, then all others in table order, as in
//! OpenSM, so that a new fabric is numbered as OpenSM numbers it.

use lk_config::guid2lid::{Guid2Lid, LidRange};
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_routing::LidMap;
use lk_wire::Lid;

use super::Settings;
use crate::event::Event;
use crate::observe::Observed;

/// Who gets which LIDs.
pub(super) struct LidPlan {
    pub(super) map: LidMap,
    pub(super) keep: Guid2Lid,
}

/// Which LIDs are taken, and the free ranges as OpenSM hands them out: a list made once, whose
/// first range that fits is cut at its low end. What lies below an aligned start is lost then.
struct Space {
    used: Vec<bool>,
    free: Vec<(u32, u32)>,
}

impl Space {
    fn new() -> Self {
        let mut used = vec![false; usize::from(Lid::MAX_UNICAST.0) + 1];
        used[0] = true;
        Self { used, free: Vec::new() }
    }

    fn is_free(&self, first: u16, count: u16) -> bool {
        let range = usize::from(first)..usize::from(first) + usize::from(count);
        self.used.get(range).is_some_and(|r| r.iter().all(|u| !u))
    }

    fn take(&mut self, first: u16, count: u16) {
        let range = usize::from(first)..usize::from(first) + usize::from(count);
        self.used[range].fill(true);
    }

    /// Makes the list of free ranges out of what is not taken now.
    fn list_free(&mut self) {
        let mut start = None;
        for lid in 0..=self.used.len() {
            match (self.used.get(lid), start) {
                (Some(false), None) => start = Some(lid as u32),
                (Some(true) | None, Some(first)) => {
                    self.free.push((first, lid as u32));
                    start = None;
                }
                _ => {}
            }
        }
    }

    /// The next free range of `count` LIDs that starts at a multiple of `count`.
    fn next(&mut self, count: u16) -> Option<Lid> {
        let step = u32::from(count);
        let fits = |(low, end): &(u32, u32)| low.next_multiple_of(step) + step <= *end;
        let at = self.free.iter().position(fits)?;
        let first = self.free[at].0.next_multiple_of(step);
        self.free[at].0 = first + step;
        if self.free[at].0 == self.free[at].1 {
            self.free.remove(at);
        }
        Some(Lid(first as u16))
    }
}

pub(super) fn assign(seen: &Observed, settings: &Settings, events: &mut Vec<Event>) -> LidPlan {
    let fabric = &seen.fabric;
    let fresh = settings.options.reassign_lids && settings.first_sweep;
    let mut space = Space::new();
    let mut keep = Guid2Lid::default();
    let ports = ordered_ports(seen);
    let lmc = |p: PortId| lmc_of(fabric, p, settings);
    let mut got: Vec<Option<Lid>> = vec![None; ports.len()];

    if !fresh {
        reserve_known(fabric, &settings.guid2lid, &ports, lmc, &mut space, &mut keep);
        for (at, port) in ports.iter().enumerate() {
            got[at] = keep.get(&fabric.port(*port).guid).map(|range| range.first);
        }
        for (at, port) in ports.iter().enumerate() {
            let count = 1_u16 << lmc(*port);
            let lid = fabric.port(*port).lid.0 / count * count;
            let usable = Lid(lid).is_unicast() && space.is_free(lid, count);
            if got[at].is_none() && usable {
                space.take(lid, count);
                got[at] = Some(Lid(lid));
            }
        }
    }
    space.list_free();
    let mut without = 0;
    let mut ranges = Vec::with_capacity(ports.len());
    for (at, port) in ports.iter().enumerate() {
        let count = 1_u16 << lmc(*port);
        let lid = got[at].or_else(|| space.next(count));
        let Some(lid) = lid else {
            without += 1;
            continue;
        };
        let (guid, was) = (fabric.port(*port).guid, fabric.port(*port).lid);
        if was != lid {
            events.push(Event::LidAssigned { guid, was, lid });
        }
        keep.insert(guid, range_from(lid, count));
        ranges.push((*port, lid, lmc(*port)));
    }
    if without > 0 {
        events.push(Event::LidsExhausted { ports: without });
    }
    LidPlan { map: LidMap::new(ranges), keep }
}

/// The end ports that answered, the SM's own first, the others in table order of port GUIDs.
fn ordered_ports(seen: &Observed) -> Vec<PortId> {
    let own = seen.sm_port;
    let mut others: Vec<PortId> =
        seen.fabric.end_ports().filter(|p| *p != own && seen.port_info(*p).is_some()).collect();
    others.sort_by_key(|p| seen.fabric.port(*p).guid.table_order());
    std::iter::once(own).chain(others).collect()
}

fn lmc_of(fabric: &Fabric, port: PortId, settings: &Settings) -> u8 {
    let node = fabric.node(fabric.owner(port));
    let single =
        node.kind == NodeKind::Switch && !(node.enhanced_port0 && settings.options.lmc_esp0);
    if single { 0 } else { settings.options.lmc.min(7) }
}

/// Reserves what `guid2lid` says, also for ports that are not there now: they may come back.
fn reserve_known(
    fabric: &Fabric,
    known: &Guid2Lid,
    ports: &[PortId],
    lmc: impl Fn(PortId) -> u8,
    space: &mut Space,
    keep: &mut Guid2Lid,
) {
    let mut counts: Vec<_> =
        ports.iter().map(|p| (fabric.port(*p).guid, 1_u16 << lmc(*p))).collect();
    counts.sort_unstable();
    for (guid, LidRange { first, last }) in known {
        if !first.is_unicast() || !last.is_unicast() || last < first {
            continue;
        }
        let held = last.0 - first.0 + 1;
        let count = match counts.binary_search_by_key(guid, |(g, _)| *g) {
            Ok(at) if counts[at].1 > held || first.0 % counts[at].1 != 0 => continue,
            Ok(at) => counts[at].1,
            Err(_) => held,
        };
        if space.is_free(first.0, count) {
            space.take(first.0, count);
            keep.insert(*guid, range_from(*first, count));
        }
    }
}

const fn range_from(first: Lid, count: u16) -> LidRange {
    LidRange { first, last: Lid(first.0 + count - 1) }
}

#[cfg(test)]
mod tests {
    use lk_config::Options;
    use lk_wire::Guid;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::two_switches;

    fn given(
        seen: &Observed,
        change: impl Fn(&mut Settings),
        known: &[(u64, u16, u16)],
    ) -> (usize, Guid2Lid, Vec<Event>) {
        let mut guid2lid = Guid2Lid::default();
        for (guid, first, last) in known {
            guid2lid.insert(Guid(*guid), LidRange { first: Lid(*first), last: Lid(*last) });
        }
        let mut settings = Settings::new(Options::default(), guid2lid);
        change(&mut settings);
        let mut events = Vec::new();
        let plan = assign(seen, &settings, &mut events);
        (plan.map.ranges().len(), plan.keep, events)
    }

    /// Own port, the two switches, then the hosts 3, 5, 7, 9, 0xa.
    fn in_order(
        seen: &Observed,
        change: impl Fn(&mut Settings),
        known: &[(u64, u16, u16)],
    ) -> Vec<u16> {
        let (_, keep, _) = given(seen, change, known);
        [0x100001, 0x200000, 0x200001, 0x100003, 0x100005, 0x100007, 0x100009, 0x10000a]
            .map(|g| keep.get(&Guid(g)).map_or(0, |range| range.first.0))
            .to_vec()
    }

    fn lmc(n: u8) -> impl Fn(&mut Settings) {
        move |s| s.options.lmc = n
    }

    #[test]
    fn a_new_fabric_is_numbered_as_opensm_numbers_it() {
        let seen = two_switches(&[], false);
        assert_eq!(in_order(&seen, lmc(0), &[]), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(in_order(&seen, lmc(1), &[]), [2, 4, 5, 6, 8, 10, 12, 14]);
        assert_eq!(in_order(&seen, lmc(2), &[]), [4, 8, 9, 12, 16, 20, 24, 28]);
        let enhanced = two_switches(&[], true);
        assert_eq!(in_order(&enhanced, lmc(2), &[]), [4, 8, 9, 12, 16, 20, 24, 28]);
        let esp0 = |s: &mut Settings| {
            s.options.lmc = 2;
            s.options.lmc_esp0 = true;
        };
        assert_eq!(in_order(&enhanced, esp0, &[]), [4, 8, 12, 16, 20, 24, 28, 32]);
    }

    #[test]
    fn lids_that_ports_hold_stay() {
        let held = [(0x100001, 20), (0x200000, 9), (0x100003, 5), (0x100005, 5)];
        let seen = two_switches(&held, false);
        assert_eq!(in_order(&seen, lmc(0), &[]), [20, 9, 1, 5, 2, 3, 4, 6]);
        assert_eq!(in_order(&seen, lmc(2), &[]), [20, 9, 1, 4, 12, 16, 24, 28]);
        let fresh = |s: &mut Settings| s.options.reassign_lids = true;
        assert_eq!(in_order(&seen, fresh, &[]), [1, 2, 3, 4, 5, 6, 7, 8]);
        let later = |s: &mut Settings| {
            s.options.reassign_lids = true;
            s.first_sweep = false;
        };
        assert_eq!(in_order(&seen, later, &[]), [20, 9, 1, 5, 2, 3, 4, 6]);
    }

    #[test]
    fn guid2lid_goes_before_what_ports_hold_and_keeps_absent_ports_lids() {
        let known =
            [(0x100003, 0x14, 0x14), (0x100001, 1, 1), (0x200000, 0x30, 0x33), (0xabcdef, 2, 2)];
        let seen = two_switches(&[(0x100003, 9)], false);
        assert_eq!(in_order(&seen, lmc(0), &known), [1, 0x30, 3, 0x14, 4, 5, 6, 7]);
        let (_, keep, _) = given(&seen, lmc(0), &known);
        assert_eq!(keep.get(&Guid(0xabcdef)), Some(&range_from(Lid(2), 1)));
        assert_eq!(keep.get(&Guid(0x200000)), Some(&range_from(Lid(0x30), 1)));
    }

    #[test]
    fn wrong_lids_in_ports_and_files_count_for_nothing() {
        let seen = two_switches(&[(0x100003, 0xffff), (0x100005, 0xc000)], false);
        let known = [(0x100007, 0, 0), (0x100009, 9, 8), (0x10000a, 0xbfff, 0xc001)];
        assert_eq!(in_order(&seen, lmc(0), &known), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn an_exhausted_space_is_said() {
        let seen = two_switches(&[], false);
        let known = [(0xdead, 1, 0xbfff - 3)];
        let (count, _, events) = given(&seen, lmc(0), &known);
        assert_eq!(count, 3);
        assert!(events.contains(&Event::LidsExhausted { ports: 5 }));
    }

    proptest! {
        #[test]
        fn no_lid_is_given_twice_and_ranges_are_aligned(
            held in proptest::collection::vec((0usize..8, 0u16..60), 0..8),
            known in proptest::collection::vec((0usize..10, 0u16..60, 0u16..9), 0..8),
            lmc in 0u8..4,
        ) {
            let guids = [0x100001, 0x200000, 0x200001, 0x100003, 0x100005, 0x100007, 0x100009,
                0x10000a, 0xabcd, 0xbcde];
            let held: Vec<_> = held.into_iter().map(|(g, l)| (guids[g], l)).collect();
            let seen = two_switches(&held, false);
            let known: Vec<_> = known.into_iter().map(|(g, f, n)| (guids[g], f, f + n)).collect();
            let (_, keep, _) = given(&seen, |s| s.options.lmc = lmc, &known);
            let mut taken = std::collections::BTreeSet::new();
            for (guid, LidRange { first, last }) in &keep {
                let present = guids[..8].contains(&guid.0);
                if present {
                    let count = if guid.0 >> 20 == 2 { 1 } else { 1 << lmc };
                    prop_assert_eq!(last.0 - first.0 + 1, count);
                    prop_assert_eq!(first.0 % count, 0);
                }
                for lid in first.0..=last.0 {
                    prop_assert!(taken.insert(lid), "LID {} is given twice", lid);
                }
            }
            prop_assert!(guids[..8].iter().all(|g| keep.contains_key(&Guid(*g))));
        }
    }
}
