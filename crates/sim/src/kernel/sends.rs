//! Messages that are under way from here: until their answer has come, their last segment is
//! acknowledged, or their time is over.

use lk_wire::rmpp::{RmppHeader, rmpp_flag, rmpp_type};
use lk_wire::{MAD_LEN, Tid};

use super::registration::{AgentId, Rmpp, is_response};
use super::sender::{Progress, Sender};
use super::{ClientId, Fate, Kernel, Timer, transmit};
use crate::gsi::Address;
use crate::sim_fabric::{Delivery, SimFabric};

const MILLISECOND: u64 = 1_000_000;
/// The longest wait for an ACK, and the wait of messages that have no time-out of their own.
const ACK_WAIT: u64 = 2000 * MILLISECOND;
/// The common header and an RMPP header: the shortest message.
const SHORTEST: usize = RmppHeader::OFFSET + RmppHeader::LEN;
/// What is given back of a message that has failed.
const GIVEN_BACK: usize = 24;

/// Why a message is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SendError {
    /// The client has no such agent.
    #[error("no such agent")]
    NoAgent,
    /// It is shorter than its headers, or longer than a datagram without RMPP.
    #[error("no such length")]
    Length,
    /// A request with this transaction identifier is under way already.
    #[error("a request with this transaction identifier is under way")]
    Duplicate,
    /// Too much of the client is under way.
    #[error("too much is under way")]
    NoRoom,
}

/// Agent, transaction identifier, and a number that tells answers to several peers apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SendKey(AgentId, Tid, u32);

#[derive(Clone, Debug)]
enum Body {
    One(Box<[u8; MAD_LEN]>),
    Long(Sender),
}

/// A message under way.
#[derive(Clone, Debug)]
pub(super) struct Send {
    client: ClientId,
    to: Address,
    body: Body,
    /// How long to wait for the answer, in nanoseconds; 0 where there will be none.
    timeout: u64,
    retries: u32,
    left: u32,
    /// Timers that were set in other rounds are stale.
    round: u32,
}

impl Send {
    fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::One(mad) => &mad[..],
            Body::Long(sender) => sender.message(),
        }
    }

    fn ack_wait(&self) -> u64 {
        if self.timeout == 0 { ACK_WAIT } else { self.timeout.min(ACK_WAIT) }
    }
}

impl Kernel {
    /// Sends a message. With a `timeout` in milliseconds an answer is awaited; it is sent again
    /// `retries` times before it comes back as timed out. The upper half of a request's
    /// transaction identifier is overwritten.
    ///
    /// # Errors
    /// The message cannot be sent. What is lost on the way is no error.
    pub fn send(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        client: ClientId,
        agent: u8,
        to: &Address,
        bytes: &[u8],
        timeout: u32,
        retries: u32,
    ) -> Result<(), SendError> {
        let state = self.clients.get(&client).ok_or(SendError::NoAgent)?;
        let id = state.agents.get(usize::from(agent)).copied().flatten();
        let id = id.ok_or(SendError::NoAgent)?;
        let known = *self.agents.get(&id).ok_or(SendError::NoAgent)?;
        if bytes.len() < SHORTEST {
            return Err(SendError::Length);
        }
        let mut bytes = bytes.to_vec();
        if !is_response(&bytes) {
            bytes[8..12].copy_from_slice(&id.0.to_be_bytes());
        }
        let tid = tid(&bytes);
        let active = RmppHeader::of(&bytes).is_some_and(|header| header.is_active());
        let own_rmpp = active && known.rmpp != Rmpp::Kernel;
        if !own_rmpp && self.is_duplicate(id, tid, to, &bytes) {
            return Err(SendError::Duplicate);
        }
        if state.sending + bytes.len() > self.limits.sending {
            return Err(SendError::NoRoom);
        }
        let to = Address { qp: known.qp, ..*to };
        let body = if active && known.rmpp == Rmpp::Kernel {
            let offset = RmppHeader::data_offset(bytes[1]).ok_or(SendError::Length)?;
            let window = self.reply_window(id, tid, &to, &bytes);
            let sender = Sender::new(bytes.into(), offset, window).ok_or(SendError::Length)?;
            Body::Long(sender)
        } else {
            if bytes.len() > MAD_LEN {
                return Err(SendError::Length);
            }
            bytes.resize(MAD_LEN, 0);
            let mut mad = Box::new([0; MAD_LEN]);
            mad.copy_from_slice(&bytes);
            if timeout == 0 {
                transmit(sim, now, known.port, &to, &mad);
                return Ok(());
            }
            Body::One(mad)
        };
        let timeout = u64::from(timeout) * MILLISECOND;
        let send = Send { client, to, body, timeout, retries, left: retries, round: 0 };
        if let Some(state) = self.clients.get_mut(&client) {
            state.sending += send.bytes().len();
        }
        let key = SendKey(id, tid, self.next_serial);
        self.next_serial = self.next_serial.wrapping_add(1);
        self.sends.insert(key, send);
        self.put_on_the_wire(sim, now, key);
        Ok(())
    }

    /// Whether a message of this kind with this transaction identifier is under way: a request to
    /// anybody, or an answer to the same port.
    fn is_duplicate(&self, id: AgentId, tid: Tid, to: &Address, bytes: &[u8]) -> bool {
        self.sends_of(id, tid).any(|(_, other)| {
            let theirs = other.bytes();
            let answers = is_response(theirs);
            theirs[1] == bytes[1]
                && answers == is_response(bytes)
                && (!answers || other.to.lid == to.lid)
        })
    }

    fn sends_of(&self, id: AgentId, tid: Tid) -> impl Iterator<Item = (SendKey, &Send)> {
        let all = SendKey(id, tid, 0)..=SendKey(id, tid, u32::MAX);
        self.sends.range(all).map(|(key, send)| (*key, send))
    }

    /// Sends what may be sent now, and waits for what comes of it.
    fn put_on_the_wire(&mut self, sim: &mut SimFabric, now: u64, key: SendKey) {
        let Some(send) = self.sends.get_mut(&key) else { return };
        let Some(agent) = self.agents.get(&key.0) else { return };
        let wait = match &mut send.body {
            Body::One(mad) => {
                transmit(sim, now, agent.port, &send.to, mad);
                send.timeout
            }
            Body::Long(sender) => {
                while let Some(mad) = sender.next_segment() {
                    transmit(sim, now, agent.port, &send.to, &mad);
                }
                if sender.is_whole() { send.timeout } else { send.ack_wait() }
            }
        };
        send.round = send.round.wrapping_add(1);
        self.timers.push(now.saturating_add(wait), Timer::Send(key, send.round));
    }

    /// The time of a message is over: once more, or never again.
    pub(super) fn send_is_late(&mut self, sim: &mut SimFabric, now: u64, key: SendKey, round: u32) {
        let Some(send) = self.sends.get_mut(&key).filter(|send| send.round == round) else {
            return;
        };
        if send.left > 0 {
            send.left -= 1;
            if let Body::Long(sender) = &mut send.body {
                sender.rewind();
            }
            self.put_on_the_wire(sim, now, key);
            return;
        }
        let Some(send) = self.end_send(key) else { return };
        if let Some(agent) = self.agents.get(&key.0).copied() {
            let head = send.bytes()[..GIVEN_BACK].to_vec();
            self.give(&agent, Fate::TimedOut, send.to, head);
        }
    }

    fn end_send(&mut self, key: SendKey) -> Option<Send> {
        let send = self.sends.remove(&key)?;
        if let Some(client) = self.clients.get_mut(&send.client) {
            client.sending -= send.bytes().len();
        }
        Some(send)
    }

    /// The answer to a request has come. `false`: nobody waits for it.
    pub(super) fn end_request(&mut self, id: AgentId, answer: &[u8]) -> bool {
        let fits = |send: &Send| {
            let request = send.bytes();
            request[1] == answer[1] && !is_response(request)
        };
        let found = self.sends_of(id, tid(answer)).find(|(_, send)| fits(send)).map(|(key, _)| key);
        found.and_then(|key| self.end_send(key)).is_some()
    }

    pub(super) fn end_sends_of(&mut self, id: AgentId) {
        let all = SendKey(id, Tid(0), 0)..=SendKey(id, Tid(u64::MAX), u32::MAX);
        let keys: Vec<SendKey> = self.sends.range(all).map(|(key, _)| *key).collect();
        for key in keys {
            self.end_send(key);
        }
    }

    /// The long message that a segment from a peer is about.
    fn long_send(&self, id: AgentId, delivery: &Delivery) -> Option<SendKey> {
        let fits = |send: &Send| {
            let own = send.bytes();
            let mine = matches!(send.body, Body::Long(_)) && own[1] == delivery.mad[1];
            // A request may be answered by another LID of the port that was asked.
            mine && (!is_response(own) || send.to.lid == delivery.from.lid)
        };
        let mut all = self.sends_of(id, tid(&delivery.mad));
        all.find(|(_, send)| fits(send)).map(|(key, _)| key)
    }

    /// An ACK has come.
    pub(super) fn acknowledged(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        id: AgentId,
        delivery: &Delivery,
        header: &RmppHeader,
    ) {
        let Some(key) = self.long_send(id, delivery) else {
            // An ACK of nothing turns the direction: the answer may start.
            if header.segment() == 0 {
                self.open_reply_window(id, delivery, header.length());
            }
            return;
        };
        let Some(send) = self.sends.get_mut(&key) else { return };
        let Body::Long(sender) = &mut send.body else { return };
        let was_whole = sender.is_whole();
        let before = sender.acknowledged();
        match sender.acknowledge(header.segment(), header.length()) {
            Progress::Old => {}
            Progress::Broken(status) => {
                self.end_send(key);
                self.end_transfer(sim, now, delivery, rmpp_type::ABORT, status);
            }
            Progress::Onward => {
                if sender.acknowledged() > before {
                    send.left = send.retries;
                }
                self.put_on_the_wire(sim, now, key);
            }
            Progress::Whole if send.timeout == 0 => {
                self.end_send(key);
            }
            Progress::Whole => {
                self.turn(sim, now, delivery);
                if !was_whole {
                    self.put_on_the_wire(sim, now, key);
                }
            }
        }
    }

    /// Tells the receiver of a long request that its answer may start.
    fn turn(&mut self, sim: &mut SimFabric, now: u64, delivery: &Delivery) {
        let mut header = RmppHeader::default();
        header.set_kind(rmpp_type::ACK);
        header.set_length(1);
        reply(sim, now, delivery, header);
    }

    /// The peer has ended a transfer; who sent it learns nothing more.
    pub(super) fn ended_by_peer(&mut self, id: AgentId, delivery: &Delivery) {
        if let Some(key) = self.long_send(id, delivery) {
            self.end_send(key);
        }
    }

    /// Ends a transfer and tells the peer.
    pub(super) fn end_transfer(
        &mut self,
        sim: &mut SimFabric,
        now: u64,
        delivery: &Delivery,
        kind: u8,
        status: u8,
    ) {
        let mut header = RmppHeader::default();
        header.set_kind(kind);
        header.set_status(status);
        reply(sim, now, delivery, header);
    }
}

/// Sends a segment without data back to where one came from.
pub(super) fn reply(sim: &mut SimFabric, now: u64, delivery: &Delivery, mut header: RmppHeader) {
    let mut mad = [0; MAD_LEN];
    let kept = RmppHeader::data_offset(delivery.mad[1]).unwrap_or(SHORTEST);
    mad[..kept].copy_from_slice(&delivery.mad[..kept]);
    // It goes the other way.
    mad[3] ^= lk_wire::method::RESPONSE_BIT;
    header.set_version(1);
    header.set_response_time(31);
    header.set_flags(rmpp_flag::ACTIVE);
    header.write_to(&mut mad);
    transmit(sim, now, delivery.to, &delivery.from, &mad);
}

/// The transaction identifier of a message that is long enough to have one.
pub(super) fn tid(bytes: &[u8]) -> Tid {
    let bytes = bytes.get(8..16).and_then(|b| b.first_chunk()).copied();
    Tid(u64::from_be_bytes(bytes.unwrap_or_default()))
}
