//! The subnet manager on a simulated fabric, in simulated time.
//!
//! The world carries datagrams between the two and moves the clock to the next thing that
//! happens. Nothing in it waits: an hour of light sweeps passes as fast as they can be computed.
//! A caller that wants real time drives it up to the present, again and again.

pub mod fuzzing;

use std::collections::BTreeSet;

use lk_fabric::PortId;
use lk_sm::{
    Command, Event, GsiAddress, Input, Instant, Job, JobResult, Mode, Outcome, Outgoing, Output,
    Settings, Sm,
};
use lk_wire::{Lid, class, method};

use crate::gsi::{Address, Grh};
use crate::kernel::{ClientId, Fate, Kernel, Limits, Registration, Rmpp};
use crate::sim_fabric::{Delivery, SimFabric};

/// Requests that the subnet administration takes.
const ADMINISTRATION: &[u8] =
    &[method::GET, method::SET, method::GET_TABLE, GET_TRACE_TABLE, GET_MULTI, method::DELETE];
const GET_TRACE_TABLE: u8 = 0x13;
const GET_MULTI: u8 = 0x14;
/// How often a segment that nobody acknowledges is sent again.
const ACK_RETRIES: u32 = 3;
/// The agent of subnet administration, the only one that the manager's client has.
const AGENT: u8 = 0;

/// A fabric with a subnet manager on one of its ports.
pub struct World {
    /// The fabric.
    pub sim: SimFabric,
    /// What is between ports and programs on every machine. Others than the manager may open
    /// ports here and ask it things.
    pub kernel: Kernel,
    sm: Sm,
    port: PortId,
    client: Option<ClientId>,
    /// Sender and transaction identifier of what was given to the manager by hand.
    by_hand: BTreeSet<(Lid, u64)>,
    now: u64,
    outcome: Option<Outcome>,
    delays: bool,
    work: fn(Job) -> JobResult,
}

impl World {
    /// Starts a manager on a port of the fabric.
    #[must_use]
    pub fn new(mut sim: SimFabric, port: PortId, settings: Settings, mode: Mode) -> Self {
        sim.set_is_sm(0, port, !matches!(mode, Mode::Plan | Mode::Read));
        sim.attach(port);
        let sm = Sm::new(settings, mode, Instant(0));
        let mut kernel = Kernel::new(Limits::default());
        let client = kernel.open(&mut sim, port);
        let wanted = Registration::new(class::SUBN_ADM, 2, ADMINISTRATION, Rmpp::Kernel);
        // A new kernel has nobody yet who could have taken these methods.
        let client = client.filter(|client| kernel.register(*client, &wanted) == Ok(AGENT));
        let by_hand = BTreeSet::new();
        let (outcome, delays, work) = (None, false, Job::run as fn(Job) -> JobResult);
        Self { sim, kernel, sm, port, client, by_hand, now: 0, outcome, delays, work }
    }

    /// Another manager on the same fabric, as after a restart. Time goes on.
    pub fn restart(&mut self, settings: Settings, mode: Mode) {
        self.sm = Sm::new(settings, mode, Instant(self.now));
        self.outcome = None;
    }

    /// Whether datagrams take the time that the fabric's faults give them. Without it they are
    /// answered at once, which is much faster.
    pub fn set_delays(&mut self, delays: bool) {
        self.delays = delays;
    }

    /// Who does the manager's jobs, in place of [`Job::run`], which is to be called.
    pub fn set_work(&mut self, work: fn(Job) -> JobResult) {
        self.work = work;
    }

    /// The manager.
    #[must_use]
    pub fn sm(&self) -> &Sm {
        &self.sm
    }

    /// The time, in nanoseconds since the start.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How the run ended, once it has.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Gives the manager a whole message of a general services class. What it answers goes to the
    /// sink of [`Self::drive`] and not over the fabric.
    pub fn message(&mut self, from: GsiAddress, bytes: &[u8]) {
        self.by_hand.insert((from.lid, tid(bytes)));
        self.sm.handle(Instant(self.now), Input::Gmp { from, bytes });
    }

    /// Gives the manager a command.
    pub fn command(&mut self, command: Command) {
        self.sm.handle(Instant(self.now), Input::Command(command));
    }

    /// Lets everything happen that happens before `limit`, and gives `sink` all that the manager
    /// says. Returns the time of the next thing to happen, if there is one.
    pub fn drive(&mut self, limit: u64, sink: &mut dyn FnMut(Output)) -> Option<u64> {
        self.drive_with(limit, &mut |_, _| {}, sink)
    }

    /// [`Self::drive`], with something that may happen to the fabric before each request.
    pub fn drive_with(
        &mut self,
        limit: u64,
        before: &mut dyn FnMut(&mut SimFabric, u64),
        sink: &mut dyn FnMut(Output),
    ) -> Option<u64> {
        loop {
            let output = self.sm.poll();
            if matches!(output, Output::Transmit(_)) {
                before(&mut self.sim, self.now);
            }
            match output {
                Output::Transmit(t) if self.delays => self.sim.send(self.now, self.port, &t.smp.0),
                Output::Transmit(t) => {
                    if let Some(answer) = self.sim.exchange(self.now, self.port, &t.smp.0) {
                        let mad = Input::Mad { from: Lid::PERMISSIVE, bytes: &answer };
                        self.sm.handle(Instant(self.now), mad);
                    }
                }
                Output::Reply { to: Lid::PERMISSIVE, smp } => {
                    self.sim.send(self.now, self.port, &smp.0);
                }
                Output::Reply { to, smp } => self.sim.send_to(self.now, self.port, to, &smp.0),
                Output::Gmp(message) => {
                    if !self.by_hand.remove(&(message.to.lid, tid(&message.bytes))) {
                        self.send(&message);
                    }
                    sink(Output::Gmp(message));
                }
                Output::Job(job) => {
                    let result = Box::new((self.work)(job));
                    self.sm.handle(Instant(self.now), Input::JobDone(result));
                }
                Output::Wait(until) => {
                    let (messages, fabric) = (self.kernel.next_time(), self.sim.next_delivery());
                    let due = [until.map(|i| i.0), messages, fabric];
                    let next = due.into_iter().flatten().min()?;
                    let next = next.max(self.now);
                    if next > limit {
                        self.now = self.now.max(limit);
                        return Some(next);
                    }
                    self.now = next;
                    self.kernel.fire(&mut self.sim, next);
                    match self.sim.receive(next) {
                        Some(delivery) => self.deliver(&delivery),
                        None => self.sm.handle(Instant(next), Input::Tick),
                    }
                    self.take_messages();
                }
                Output::Finished(outcome) => {
                    self.outcome = Some(outcome);
                    sink(Output::Finished(outcome));
                    return None;
                }
                said => sink(said),
            }
        }
    }

    /// A datagram has come to a port. SMPs for the manager go to it at once; it has time-outs of
    /// its own for them. Ports that nobody has opened are served by whoever attached to them.
    fn deliver(&mut self, delivery: &Delivery) {
        if delivery.to == self.port && delivery.from.qp == 0 {
            let mad = Input::Mad { from: delivery.slid, bytes: &delivery.mad };
            self.sm.handle(Instant(self.now), mad);
        } else {
            self.kernel.deliver(&mut self.sim, self.now, delivery);
        }
    }

    /// Gives the manager the messages that have come for it.
    fn take_messages(&mut self) {
        let Some(client) = self.client else { return };
        while let Some(message) = self.kernel.receive(client) {
            let input = match message.fate {
                Fate::Received => {
                    Input::Gmp { from: outside(&message.from), bytes: &message.bytes }
                }
                Fate::TimedOut => Input::GmpFailed { token: token(&message.bytes) },
            };
            self.sm.handle(Instant(self.now), input);
        }
    }

    /// The manager sends a message.
    fn send(&mut self, message: &Outgoing) {
        let Some(client) = self.client else { return };
        let timeout = message.timeout.map_or(0, |t| t.as_millis() as u32);
        let (sim, to) = (&mut self.sim, address(&message.to));
        let retries = if timeout == 0 { ACK_RETRIES } else { 0 };
        let bytes = &message.bytes;
        let sent = self.kernel.send(sim, self.now, client, AGENT, &to, bytes, timeout, retries);
        if sent.is_err() && timeout != 0 {
            let failed = Input::GmpFailed { token: token(bytes) };
            self.sm.handle(Instant(self.now), failed);
        }
    }

    /// Runs until the manager is done, or for a simulated hour, and gives all events.
    pub fn run(&mut self) -> Vec<Event> {
        self.run_for(3_600_000_000_000)
    }

    /// Runs for a time, in nanoseconds, and gives all events.
    pub fn run_for(&mut self, nanos: u64) -> Vec<Event> {
        let mut events = Vec::new();
        let limit = self.now.saturating_add(nanos);
        self.drive(limit, &mut |output| {
            if let Output::Event(event) = output {
                events.push(event);
            }
        });
        events
    }
}
/// A message's transaction identifier.
fn tid(bytes: &[u8]) -> u64 {
    let tid = bytes.get(8..16).and_then(|tid| tid.first_chunk()).copied();
    u64::from_be_bytes(tid.unwrap_or_default())
}

/// Its lower half.
fn token(bytes: &[u8]) -> u32 {
    tid(bytes) as u32
}

/// An address as the manager knows it.
fn outside(from: &Address) -> GsiAddress {
    GsiAddress {
        lid: from.lid,
        qp: from.qp,
        sl: from.sl,
        pkey_index: from.pkey_index,
        path_bits: from.path_bits,
        gid: from.grh.map(|grh| grh.gid),
    }
}

/// An address as the kernel knows it.
fn address(to: &GsiAddress) -> Address {
    let grh = to.gid.map(|gid| Grh { gid, hop_limit: 1, ..Grh::default() });
    let (pkey_index, path_bits) = (to.pkey_index, to.path_bits);
    Address { pkey_index, path_bits, grh, ..Address::gsi(to.lid, to.sl) }
}
