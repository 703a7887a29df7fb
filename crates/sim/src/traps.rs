//! Traps: how nodes tell their subnet manager of events (IBA 13.4.9, 14.3).
//!
//! A port that knows a subnet manager (MasterSMLID) and has a LID sends SubnTrap(Notice) there,
//! and again until SubnTrapRepress with its transaction identifier comes back. The time between
//! starts at the port's SubnetTimeOut and doubles each time. An event that is told already is not
//! told a second time beside it.

use std::collections::{BTreeMap, VecDeque};

use lk_fabric::{NodeId, NodeKind, PortId};
use lk_wire::{
    Lid, LocalChange, MKey, MKeyViolation, NodeType, Notice, PortNum, Smp, Tid, Trap, attr,
    cap_mask, method,
};

use crate::options::TrapDelivery;
use crate::sim_fabric::{Due, SimFabric};
use crate::stats::Lost;
use crate::walk::Arrival;

/// Notices that a node keeps for SubnGet(Notice); the oldest give way.
const KEPT_NOTICES: usize = 16;
/// Traps of one node that wait for their TrapRepress; further events are not told meanwhile.
const MOST_PENDING: usize = 32;
/// The unit of SubnetTimeOut in nanoseconds.
const TIMEOUT_UNIT: u64 = 4096;

/// A trap that waits for its TrapRepress.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pending {
    from: PortId,
    notice: Notice,
    repeats_left: u32,
    interval: u64,
}

/// The traps of all nodes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Traps {
    pending: BTreeMap<u64, Pending>,
    sequence: u32,
    notices: BTreeMap<NodeId, VecDeque<Notice>>,
}

impl Traps {
    /// Forgets what a node had to tell.
    pub(crate) fn forget(&mut self, node: NodeId) {
        self.pending.retain(|tid, _| source(*tid) != node);
        self.notices.remove(&node);
    }

    /// The oldest notice that the node keeps, with the number of those it has; an empty one
    /// where there is none (IBA 13.4.8.2).
    pub(crate) fn notice(&self, node: NodeId) -> Notice {
        let Some((first, all)) = self.notices.get(&node).and_then(|q| Some((q.front()?, q.len())))
        else {
            return Notice::default();
        };
        let mut notice = *first;
        notice.set_count(u16::try_from(all).unwrap_or(u16::MAX));
        notice
    }

    /// SubnSet(Notice) clears the notice that SubnGet showed, when it is the same one.
    pub(crate) fn clear_notice(&mut self, node: NodeId, seen: &Notice) {
        let queue = self.notices.get_mut(&node);
        let same = |n: &mut Notice| n.trap_number() == seen.trap_number();
        if let Some(queue) = queue {
            queue.pop_front_if(same);
        }
    }

    fn keep(&mut self, node: NodeId, notice: Notice) {
        let queue = self.notices.entry(node).or_default();
        if queue.len() == KEPT_NOTICES {
            queue.pop_front();
        }
        queue.push_back(notice);
    }
}

/// Transaction identifiers hold the node, so that no two nodes ever use the same.
fn tid(node: NodeId, sequence: u32) -> u64 {
    u64::from(node.0) << 32 | u64::from(sequence)
}

fn source(tid: u64) -> NodeId {
    NodeId((tid >> 32) as u32)
}

impl SimFabric {
    /// The node behind `from`, an end port, has something to tell.
    pub(crate) fn raise(&mut self, now: u64, from: PortId, notice: Notice) {
        let node = self.fabric.owner(from);
        let info = &self.ports[from.index()];
        if info.has_capability(cap_mask::NOTICE) {
            self.traps.keep(node, notice);
        }
        let told = info.lid() != 0 && info.sm_lid() != 0;
        if !told || !info.has_capability(cap_mask::TRAP) || !self.nodes[node.index()].alive {
            return;
        }
        let repeats = self.options().trap_repeats;
        let interval = TIMEOUT_UNIT << info.subnet_timeout();
        let own = tid(node, 0)..=tid(node, u32::MAX);
        let mut waiting = 0;
        for (_, pending) in self.traps.pending.range_mut(own) {
            if pending.from == from && pending.notice == notice {
                pending.repeats_left = repeats;
                return;
            }
            waiting += 1;
        }
        if waiting >= MOST_PENDING {
            return;
        }
        self.traps.sequence = self.traps.sequence.wrapping_add(1);
        let tid = tid(node, self.traps.sequence);
        let pending = Pending { from, notice, repeats_left: repeats, interval };
        self.traps.pending.insert(tid, pending);
        self.stats.traps += 1;
        self.send_trap(now, tid);
    }

    /// The time of a repetition has come.
    pub(crate) fn repeat_trap(&mut self, now: u64, tid: u64) {
        let Some(pending) = self.traps.pending.get_mut(&tid) else { return };
        if pending.repeats_left == 0 {
            self.traps.pending.remove(&tid);
            return;
        }
        pending.repeats_left -= 1;
        pending.interval = pending.interval.saturating_mul(2);
        self.stats.trap_repeats += 1;
        self.send_trap(now, tid);
    }

    fn send_trap(&mut self, now: u64, tid: u64) {
        let Some(pending) = self.traps.pending.get(&tid) else { return };
        let (from, at) = (pending.from, now.saturating_add(pending.interval));
        let mut smp = Smp::lid_routed(method::TRAP, attr::NOTICE, 0, Tid(tid), MKey(0));
        smp.set_attribute(&pending.notice);
        self.due.push(at, Due::RepeatTrap(tid));
        let node = self.fabric.owner(from);
        if self.faults.loses_answer(node, &mut self.prng) {
            self.stats.count_lost(Lost::FaultAnswer);
            return;
        }
        let at = now.saturating_add(self.faults.delay(node, &mut self.prng));
        match self.trap_route(from) {
            Ok(arrival) => self.keep_for_client(at, arrival, &smp.0),
            Err(why) => self.stats.count_lost(why),
        }
    }

    fn trap_route(&self, from: PortId) -> Result<Arrival, Lost> {
        let info = &self.ports[from.index()];
        let (slid, sm_lid) = (info.base_lid(), Lid(info.sm_lid()));
        match self.options().trap_delivery {
            TrapDelivery::Routed => self.roads().by_lid(from, sm_lid),
            TrapDelivery::Direct => {
                let mut managers = self.clients.keys().copied();
                let port = managers.find(|p| self.roads().owns(*p, sm_lid)).ok_or(Lost::NoRoute)?;
                Ok(Arrival { port, slid })
            }
        }
    }

    /// SubnTrapRepress has come to a node.
    pub(crate) fn repress(&mut self, node: NodeId, tid: Tid) {
        if source(tid.0) == node && self.traps.pending.remove(&tid.0).is_some() {
            self.stats.traps_repressed += 1;
        }
    }

    /// Trap 128 of a switch: a link of one of its ports has come or gone.
    pub(crate) fn tell_link_change(&mut self, now: u64, node: NodeId) {
        if let Some(port) = self.fabric.port_at(node, PortNum(0)) {
            let lid = self.ports[port.index()].base_lid();
            self.raise(now, port, Trap::LinkStateChange(lid).notice(NodeType::SWITCH, lid));
        }
    }

    /// Trap 144 of a port: its capability mask is another, or (with `renamed`) its node's
    /// description.
    pub(crate) fn tell_local_change(&mut self, now: u64, port: PortId, renamed: bool) {
        let info = &self.ports[port.index()];
        let needed =
            if renamed { cap_mask::OTHER_LOCAL_CHANGES } else { cap_mask::CAP_MASK_NOTICE };
        if !info.has_capability(needed) {
            return;
        }
        let mut change = LocalChange::default();
        change.set_lid(info.lid());
        change.set_capability_mask(info.capability_mask());
        change.set_capability_mask2(info.capability_mask2());
        change.set_other_local_changes(u8::from(renamed));
        change.set_node_description_change(u8::from(renamed));
        let (producer, lid) = (self.producer(port), info.base_lid());
        self.raise(now, port, Trap::LocalChange(change).notice(producer, lid));
    }

    /// Trap 256 of a port: a request with a wrong M_Key.
    pub(crate) fn tell_bad_m_key(&mut self, now: u64, port: PortId, arrival: Arrival, smp: &Smp) {
        let mut details = MKeyViolation::default();
        details.set_lid(arrival.slid.0);
        details.set_method(smp.method());
        details.set_attr_id(smp.attr_id());
        details.set_attr_modifier(smp.attr_modifier());
        details.set_m_key(smp.raw_m_key());
        if smp.is_directed() {
            details.set_dr_notice(1);
            details.set_dr_slid(smp.dr_slid());
            // In bounds: the walk drops more than 63 hops.
            details.set_return_path(&smp.return_path()[..=usize::from(smp.hop_count())][1..]);
        }
        let lid = self.ports[port.index()].base_lid();
        self.raise(now, port, Trap::BadMKey(details).notice(self.producer(port), lid));
    }

    fn producer(&self, port: PortId) -> NodeType {
        match self.fabric.node(self.fabric.owner(port)).kind {
            NodeKind::Ca => NodeType::CA,
            NodeKind::Switch => NodeType::SWITCH,
            NodeKind::Router => NodeType::ROUTER,
        }
    }
}
