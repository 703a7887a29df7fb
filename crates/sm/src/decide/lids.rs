//! LIDs: what was given out stays where it is; the rest gets the lowest free ones.
//!
//! In this order: what `guid2lid` says, what a port holds and nobody else may claim, the lowest
//! free aligned range. The SM's own port comes first, then all others in table order, as in
//! OpenSM, so that a new fabric is numbered as OpenSM numbers it.

use lk_fabric::{Fabric, NodeKind, PortId};
use lk_routing::LidMap;
use lk_wire::Lid;

use super::Settings;
use crate::event::Event;
use crate::observe::Observed;
use crate::persist::Guid2Lid;

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
            got[at] = keep.get(fabric.port(*port).guid).map(|(first, _)| first);
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
        keep.insert(guid, lid, Lid(lid.0 + count - 1));
        ranges.push((*port, lid, lmc(*port)));
    }
    if without > 0 {
        events.push(Event::LidsExhausted { ports: without });
    }
    LidPlan { map: LidMap::new(ranges), keep }
}

/// The end ports that answered, the SM's own first.
fn ordered_ports(seen: &Observed) -> Vec<PortId> {
    let own = seen.sm_port;
    let others = seen.fabric.end_ports().filter(|p| *p != own && seen.port_info(*p).is_some());
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
    for (guid, first, last) in known.iter() {
        if !first.is_unicast() || !last.is_unicast() || last < first {
            continue;
        }
        let held = last.0 - first.0 + 1;
        let count = match counts.binary_search_by_key(&guid, |(g, _)| *g) {
            Ok(at) if counts[at].1 > held || first.0 % counts[at].1 != 0 => continue,
            Ok(at) => counts[at].1,
            Err(_) => held,
        };
        if space.is_free(first.0, count) {
            space.take(first.0, count);
            keep.insert(guid, first, Lid(first.0 + count - 1));
        }
    }
}
