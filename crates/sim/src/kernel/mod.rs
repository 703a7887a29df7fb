//! What the kernel of a machine does between its port and its programs: agents, time-outs and
//! retries, and long messages (RMPP) both ways, as Linux does them.
//!
//! One [`Kernel`] stands for the kernels of all machines of a fabric; a machine whose port nobody
//! has opened takes no memory. A client opens a port, registers agents, sends and receives whole
//! messages:
//!
//! * A request gets the agent's number into the upper half of its transaction identifier. Its
//!   answer comes to that agent; without one it is sent again as often as the client wished, and
//!   then comes back as [`Fate::TimedOut`].
//! * A request of others comes to the agent that has registered for its class, version and method.
//! * An answer that nobody waits for any more is dropped, and so is a request that nobody takes;
//!   Get and Set are refused with a status then.
//! * Messages of an agent with [`Rmpp::Kernel`] are cut and joined on the way.
//!
//! There is no clock in here: time comes with each call, and [`Kernel::next_time`] says when it
//! wants to be called again. Everything that waits has a bound ([`Limits`]).
//!
//! Where to look: `registration` who takes what, `sends` what is under way from here, `receives`
//! what long messages are coming in; `sender` and `receiver` are RMPP itself.

mod receiver;
mod receives;
mod registration;
mod sender;
mod sends;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lk_fabric::PortId;
use lk_wire::{MAD_LEN, RmppHeader, Smp, Status, method};

use crate::gsi::{self, Address};
use crate::queue::Queue;
use crate::sim_fabric::{Delivery, SimFabric, is_smp};
use receives::{Receive, ReceiveKey};
use registration::{AgentId, Takers, is_response};
pub use registration::{RegisterError, Registration, Rmpp};
pub use sends::SendError;
use sends::{Send, SendKey};

/// Bounds of what the kernel keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Messages that wait until a client fetches them; what comes then is dropped.
    pub queued: usize,
    /// Bytes of a client's messages that are being sent.
    pub sending: usize,
    /// Bytes of the long messages that are coming in at one port.
    pub receiving: usize,
    /// Long messages that are coming in at one port.
    pub receives: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { queued: 200_000, sending: 256 << 20, receiving: 64 << 20, receives: 4096 }
    }
}

/// A program that has opened a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientId(u32);

/// What a message that comes to a client is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It has come from somebody.
    Received,
    /// It was sent from here and nobody has answered in time, or acknowledged it. Only the first
    /// 24 bytes are given back.
    TimedOut,
}

/// A message that has come to a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The client's agent that it is for, as [`Kernel::register`] has numbered it.
    pub agent: u8,
    /// What it is.
    pub fate: Fate,
    /// The other end.
    pub from: Address,
    /// The message: 256 bytes, more where it was joined from several.
    pub bytes: Vec<u8>,
}

/// Agents that a client may have.
const MOST_AGENTS: usize = 32;

#[derive(Clone, Debug)]
struct Client {
    port: PortId,
    agents: [Option<AgentId>; MOST_AGENTS],
    queue: VecDeque<Message>,
    /// Bytes of the messages that are being sent.
    sending: usize,
}

#[derive(Clone, Copy, Debug)]
struct Agent {
    client: ClientId,
    number: u8,
    port: PortId,
    qp: u32,
    rmpp: Rmpp,
}

/// What is kept for a port that is open.
#[derive(Clone, Default, Debug)]
struct HostPort {
    clients: usize,
    takers: Takers,
    /// Long messages that are coming in, and their bytes.
    receives: usize,
    receiving: usize,
}

/// Something that falls due.
#[derive(Clone, Copy, Debug)]
enum Timer {
    Send(SendKey, u32),
    Receive(ReceiveKey, u32),
}

/// What was dropped, and why.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dropped {
    /// Requests that no agent takes.
    pub no_taker: u64,
    /// Answers that nobody waits for.
    pub unexpected: u64,
    /// Messages to clients that do not fetch theirs.
    pub queue_full: u64,
    /// Segments of long messages for which there was no room.
    pub no_room: u64,
}

/// The kernels of all machines of a fabric.
#[derive(Clone, Default, Debug)]
pub struct Kernel {
    limits: Limits,
    ports: BTreeMap<PortId, HostPort>,
    clients: BTreeMap<ClientId, Client>,
    agents: BTreeMap<AgentId, Agent>,
    sends: BTreeMap<SendKey, Send>,
    receives: BTreeMap<ReceiveKey, Receive>,
    /// Long messages that are whole, the oldest first: remembered for a while.
    whole: VecDeque<ReceiveKey>,
    timers: Queue<Timer>,
    ready: BTreeSet<ClientId>,
    next_client: u32,
    next_agent: u32,
    next_serial: u32,
    dropped: Dropped,
}

impl Kernel {
    /// No port is open.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What was dropped so far.
    #[must_use]
    pub fn dropped(&self) -> &Dropped {
        &self.dropped
    }

    /// A program opens a port: port 0 of a switch, or a port of an adapter. `None` where the
    /// fabric has no such port.
    pub fn open(&mut self, sim: &mut SimFabric, port: PortId) -> Option<ClientId> {
        let port = sim.client_port(port)?;
        sim.attach(port);
        self.ports.entry(port).or_default().clients += 1;
        let id = ClientId(self.next_client);
        self.next_client += 1;
        let agents = [None; MOST_AGENTS];
        self.clients.insert(id, Client { port, agents, queue: VecDeque::new(), sending: 0 });
        Some(id)
    }

    /// A program closes its port. Its agents go with it.
    pub fn close(&mut self, sim: &mut SimFabric, now: u64, client: ClientId) {
        for number in 0..MOST_AGENTS as u8 {
            self.unregister(client, number);
        }
        let Some(gone) = self.clients.remove(&client) else { return };
        self.ready.remove(&client);
        let Some(port) = self.ports.get_mut(&gone.port) else { return };
        port.clients -= 1;
        if port.clients == 0 {
            self.ports.remove(&gone.port);
            if !sim.is_sm_at(gone.port) {
                sim.detach(now, gone.port);
            }
        }
    }

    /// Registers an agent. It gets a number that no other agent of the client has.
    ///
    /// # Errors
    /// The registration makes no sense, or another agent at the port takes one of the methods.
    pub fn register(
        &mut self,
        client: ClientId,
        wanted: &Registration,
    ) -> Result<u8, RegisterError> {
        registration::check(wanted)?;
        let state = self.clients.get_mut(&client).ok_or(RegisterError::NoClient)?;
        let free = state.agents.iter().position(Option::is_none);
        let number = free.ok_or(RegisterError::TooMany)?;
        let id = AgentId(self.next_agent + 1);
        let host = self.ports.entry(state.port).or_default();
        host.takers.add(wanted, id)?;
        self.next_agent += 1;
        state.agents[number] = Some(id);
        let number = number as u8;
        let agent = Agent { client, number, port: state.port, qp: wanted.qp, rmpp: wanted.rmpp };
        self.agents.insert(id, agent);
        Ok(number)
    }

    /// Takes an agent away, with all that it waits for. Says whether there was one.
    pub fn unregister(&mut self, client: ClientId, agent: u8) -> bool {
        let Some(state) = self.clients.get_mut(&client) else { return false };
        let slot = state.agents.get_mut(usize::from(agent));
        let Some(id) = slot.and_then(Option::take) else { return false };
        if let Some(host) = self.ports.get_mut(&state.port) {
            host.takers.remove(id);
        }
        self.end_sends_of(id);
        self.end_receives_of(id);
        self.agents.remove(&id);
        true
    }

    /// The oldest message that a client has not fetched yet.
    pub fn receive(&mut self, client: ClientId) -> Option<Message> {
        let queue = &mut self.clients.get_mut(&client)?.queue;
        let message = queue.pop_front();
        if queue.is_empty() {
            // What a burst has taken is given back.
            *queue = VecDeque::new();
            self.ready.remove(&client);
        }
        message
    }

    /// A client that has messages to fetch.
    #[must_use]
    pub fn ready(&self) -> Option<ClientId> {
        self.ready.first().copied()
    }

    /// The clients that have messages to fetch.
    pub fn all_ready(&self) -> impl Iterator<Item = ClientId> {
        self.ready.iter().copied()
    }

    /// When a time-out is next due. Some of them turn out to be stale.
    #[must_use]
    pub fn next_time(&self) -> Option<u64> {
        self.timers.next_time()
    }

    /// Lets everything happen that is due by `now`, here and in the fabric. Gives back what has
    /// come to ports that are not open here.
    pub fn run(&mut self, sim: &mut SimFabric, now: u64) -> Vec<Delivery> {
        let mut others = Vec::new();
        loop {
            let (own, fabric) = (self.timers.next_time(), sim.next_delivery());
            let Some(next) = own.into_iter().chain(fabric).min().filter(|at| *at <= now) else {
                return others;
            };
            if own == Some(next) {
                self.fire(sim, next);
            } else if let Some(delivery) = sim.receive(next)
                && !self.deliver(sim, next, &delivery)
            {
                others.push(delivery);
            }
        }
    }

    /// Lets the time-outs happen that are due by `now`.
    pub fn fire(&mut self, sim: &mut SimFabric, now: u64) {
        while let Some((at, timer)) = self.timers.pop(now) {
            match timer {
                Timer::Send(key, round) => self.send_is_late(sim, at, key, round),
                Timer::Receive(key, round) => self.receive_is_late(sim, at, key, round),
            }
        }
    }

    /// A datagram has come to a port. `false`: nobody has opened the port here.
    pub fn deliver(&mut self, sim: &mut SimFabric, now: u64, delivery: &Delivery) -> bool {
        let Some(host) = self.ports.get(&delivery.to) else { return false };
        let mad = &delivery.mad;
        let id = if is_response(mad) {
            Some(AgentId(u32::from_be_bytes([mad[8], mad[9], mad[10], mad[11]])))
        } else {
            host.takers.taker(mad)
        };
        let agent = id.and_then(|id| Some((id, *self.agents.get(&id)?)));
        let fits = |agent: &Agent| agent.port == delivery.to && agent.qp == delivery.from.qp;
        let Some((id, agent)) = agent.filter(|(_, agent)| fits(agent)) else {
            self.refuse(sim, now, delivery);
            return true;
        };
        let header = RmppHeader::of(mad).filter(RmppHeader::is_active);
        match header {
            Some(header) if agent.rmpp == Rmpp::Kernel => {
                self.segment(sim, now, id, delivery, &header);
            }
            _ => self.take(id, delivery.from, delivery.mad.to_vec()),
        }
        true
    }

    /// A whole message for an agent.
    fn take(&mut self, id: AgentId, from: Address, bytes: Vec<u8>) {
        let Some(agent) = self.agents.get(&id).copied() else { return };
        if is_response(&bytes) && !self.end_request(id, &bytes) {
            let own = RmppHeader::of(&bytes).is_some_and(|h| h.is_active());
            if agent.rmpp == Rmpp::Kernel || !own {
                self.dropped.unexpected += 1;
                return;
            }
        }
        self.give(&agent, Fate::Received, from, bytes);
    }

    fn give(&mut self, agent: &Agent, fate: Fate, from: Address, bytes: Vec<u8>) {
        let Some(client) = self.clients.get_mut(&agent.client) else { return };
        if client.queue.len() >= self.limits.queued {
            self.dropped.queue_full += 1;
            return;
        }
        client.queue.push_back(Message { agent: agent.number, fate, from, bytes });
        self.ready.insert(agent.client);
    }

    /// Nobody takes this datagram.
    fn refuse(&mut self, sim: &mut SimFabric, now: u64, delivery: &Delivery) {
        let mad = &delivery.mad;
        if !matches!(mad[3], method::GET | method::SET) {
            let count = if is_response(mad) {
                &mut self.dropped.unexpected
            } else {
                &mut self.dropped.no_taker
            };
            *count += 1;
            return;
        }
        self.dropped.no_taker += 1;
        let answer = if is_smp(mad) {
            Smp(*mad).response(Status::METHOD_ATTR_UNSUPPORTED).0
        } else {
            gsi::refusal(mad)
        };
        transmit(sim, now, delivery.to, &delivery.from, &answer);
    }
}

/// Puts a datagram on the wire.
fn transmit(sim: &mut SimFabric, now: u64, from: PortId, to: &Address, mad: &[u8; MAD_LEN]) {
    if is_smp(mad) {
        sim.send_to(now, from, to.lid, mad);
    } else {
        sim.send_gmp(now, from, to, mad);
    }
}
