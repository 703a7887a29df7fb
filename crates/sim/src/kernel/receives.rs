//! Long messages that are coming in: segments of RMPP, and what is said back.

use lk_fabric::PortId;
use lk_wire::Tid;
use lk_wire::rmpp::{RmppHeader, rmpp_status, rmpp_type};

use super::receiver::{Receiver, Step};
use super::registration::AgentId;
use super::sends::{reply, tid};
use super::{Kernel, Timer};
use crate::gsi::Address;
use crate::sim_fabric::{Delivery, SimFabric};

const SECOND: u64 = 1_000_000_000;
/// How long a whole message may take.
const WHOLE_WAIT: u64 = 40 * SECOND;
/// How long it is remembered that a message was whole: segments that come again are acknowledged.
const MEMORY: u64 = 10 * SECOND;
/// Messages that are remembered, of all ports together.
const REMEMBERED: usize = 1 << 20;

/// Agent, transaction identifier, the sender's LID, class and method.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ReceiveKey(AgentId, Tid, u16, u8, u8);

impl ReceiveKey {
    fn of(id: AgentId, from: &Address, mad: &[u8]) -> Self {
        Self(id, tid(mad), from.lid.0, mad[1], mad[3])
    }
}

/// A long message that is coming in or has come.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    port: PortId,
    receiver: Receiver,
    /// Its first segment, to answer to until it is whole.
    first: Option<Box<Delivery>>,
    /// Segments that the answer may start with.
    reply_window: u32,
    round: u32,
}

impl Kernel {
    /// A segment has come for an agent whose long messages are done here.
    pub(super) fn segment(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        id: AgentId,
        delivery: &Delivery,
        header: &RmppHeader,
    ) {
        let abort = |kernel: &mut Self, sim: &mut SimFabric, status| {
            kernel.end_transfer(sim, now, delivery, rmpp_type::ABORT, status);
        };
        let ends = matches!(header.kind(), rmpp_type::STOP | rmpp_type::ABORT);
        if header.version() != 1 {
            if !ends {
                abort(self, sim, rmpp_status::BAD_VERSION);
            }
            return;
        }
        match header.kind() {
            rmpp_type::DATA => self.data(sim, now, id, delivery, header),
            rmpp_type::ACK if header.status() != rmpp_status::NORMAL => {
                abort(self, sim, rmpp_status::BAD_STATUS);
            }
            rmpp_type::ACK => self.acknowledged(sim, now, id, delivery, header),
            _ if ends => {
                self.ended_by_peer(id, delivery);
                self.end_receive(ReceiveKey::of(id, &delivery.from, &delivery.mad));
            }
            _ => abort(self, sim, rmpp_status::BAD_TYPE),
        }
    }

    fn data(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        id: AgentId,
        delivery: &Delivery,
        header: &RmppHeader,
    ) {
        let key = ReceiveKey::of(id, &delivery.from, &delivery.mad);
        if !self.receives.contains_key(&key) {
            // What comes behind the end of a transfer belongs to none.
            if header.segment() != 1 && header.segment() != 0 {
                return;
            }
            let host = self.ports.entry(delivery.to).or_default();
            if host.receives >= self.limits.receives || host.receiving >= self.limits.receiving {
                self.dropped.no_room += 1;
                let status = rmpp_status::NO_RESOURCES;
                self.end_transfer(sim, now, delivery, rmpp_type::STOP, status);
                return;
            }
            host.receives += 1;
            let Some(offset) = RmppHeader::data_offset(delivery.mad[1]) else { return };
            let receive = Receive {
                port: delivery.to,
                receiver: Receiver::new(offset),
                first: Some(Box::new(delivery.clone())),
                reply_window: 1,
                round: 0,
            };
            self.receives.insert(key, receive);
            self.timers.push(now.saturating_add(WHOLE_WAIT), Timer::Receive(key, 0));
        }
        let Some(receive) = self.receives.get_mut(&key) else { return };
        let before = receive.receiver.size();
        let step = receive.receiver.take(header, &delivery.mad);
        let place = receive.receiver.place();
        let after = receive.receiver.size();
        if let Some(host) = self.ports.get_mut(&delivery.to) {
            host.receiving = host.receiving + after - before;
            if host.receiving > self.limits.receiving && after > before {
                self.dropped.no_room += 1;
                self.end_receive(key);
                let status = rmpp_status::NO_RESOURCES;
                self.end_transfer(sim, now, delivery, rmpp_type::STOP, status);
                return;
            }
        }
        match step {
            Step::Wait => {}
            Step::Ack => acknowledge(sim, now, delivery, place),
            Step::Broken(status) => {
                self.end_receive(key);
                self.end_transfer(sim, now, delivery, rmpp_type::ABORT, status);
            }
            Step::Whole(message) => {
                acknowledge(sim, now, delivery, place);
                self.remember(now, key);
                self.take(id, delivery.from, message);
            }
        }
    }

    /// A message is whole: it counts no longer, but is remembered for a while.
    fn remember(&mut self, now: u64, key: ReceiveKey) {
        let Some(receive) = self.receives.get_mut(&key) else { return };
        receive.round += 1;
        receive.first = None;
        if let Some(host) = self.ports.get_mut(&receive.port) {
            host.receives -= 1;
        }
        self.timers.push(now.saturating_add(MEMORY), Timer::Receive(key, receive.round));
        self.whole.push_back(key);
        if self.whole.len() > REMEMBERED
            && let Some(oldest) = self.whole.pop_front()
            && self.receives.get(&oldest).is_some_and(|r| r.receiver.is_whole())
        {
            self.receives.remove(&oldest);
        }
    }

    fn end_receive(&mut self, key: ReceiveKey) {
        let Some(receive) = self.receives.remove(&key) else { return };
        if let Some(host) = self.ports.get_mut(&receive.port)
            && !receive.receiver.is_whole()
        {
            host.receives -= 1;
            host.receiving -= receive.receiver.size();
        }
    }

    pub(super) fn end_receives_of(&mut self, id: AgentId) {
        let all = ReceiveKey(id, Tid(0), 0, 0, 0)
            ..=ReceiveKey(id, Tid(u64::MAX), u16::MAX, u8::MAX, u8::MAX);
        let keys: Vec<ReceiveKey> = self.receives.range(all).map(|(key, _)| *key).collect();
        for key in keys {
            self.end_receive(key);
        }
    }

    /// A message has taken too long, or was remembered long enough.
    pub(super) fn receive_is_late(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        key: ReceiveKey,
        round: u32,
    ) {
        let Some(receive) = self.receives.get(&key).filter(|r| r.round == round) else { return };
        if receive.receiver.is_whole() {
            self.receives.remove(&key);
            // Those that are remembered are in the order of their time.
            let receives = &self.receives;
            while self.whole.pop_front_if(|oldest| !receives.contains_key(oldest)).is_some() {}
            return;
        }
        let first = receive.first.clone();
        self.end_receive(key);
        if let Some(first) = first {
            self.end_transfer(sim, now, &first, rmpp_type::ABORT, rmpp_status::TOO_LONG);
        }
    }

    /// Who has sent a long request is ready for so many segments of the answer.
    pub(super) fn open_reply_window(&mut self, id: AgentId, delivery: &Delivery, window: u32) {
        let key = ReceiveKey::of(id, &delivery.from, &delivery.mad);
        if let Some(receive) = self.receives.get_mut(&key).filter(|r| r.receiver.is_whole()) {
            receive.reply_window = window;
        }
    }

    /// The window that an answer may start with.
    pub(super) fn reply_window(&self, id: AgentId, tid: Tid, to: &Address, bytes: &[u8]) -> u32 {
        let request = bytes[3] & !lk_wire::method::RESPONSE_BIT;
        let key = ReceiveKey(id, tid, to.lid.0, bytes[1], request);
        self.receives.get(&key).map_or(1, |receive| receive.reply_window)
    }
}

/// Says which segments have come and which may be sent.
fn acknowledge(sim: &mut SimFabric, now: u64, delivery: &Delivery, place: (u32, u32)) {
    let mut header = RmppHeader::default();
    header.set_kind(rmpp_type::ACK);
    header.set_segment(place.0);
    header.set_length(place.1);
    reply(sim, now, delivery, header);
}
