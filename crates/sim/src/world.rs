//! The subnet manager on a simulated fabric, in simulated time.
//!
//! The world carries datagrams between the two and moves the clock to the next thing that
//! happens. Nothing in it waits: an hour of light sweeps passes as fast as they can be computed.
//! A caller that wants real time drives it up to the present, again and again.

use lk_fabric::PortId;
use lk_sm::io::GsiAddress;
use lk_sm::{Command, Event, Input, Instant, Mode, Outcome, Output, Settings, Sm};
use lk_wire::Lid;

use crate::SimFabric;

/// A fabric with a subnet manager on one of its ports.
pub struct World {
    /// The fabric.
    pub sim: SimFabric,
    sm: Sm,
    port: PortId,
    now: u64,
    outcome: Option<Outcome>,
    delays: bool,
}

impl World {
    /// Starts a manager on a port of the fabric.
    #[must_use]
    pub fn new(mut sim: SimFabric, port: PortId, settings: Settings, mode: Mode) -> Self {
        sim.set_is_sm(0, port, mode != Mode::Plan);
        sim.attach(port);
        let sm = Sm::new(settings, mode, Instant(0));
        Self { sim, sm, port, now: 0, outcome: None, delays: false }
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
    /// sink of [`Self::drive`].
    pub fn message(&mut self, from: GsiAddress, bytes: &[u8]) {
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
                Output::Job(job) => {
                    let result = Box::new(job.run());
                    self.sm.handle(Instant(self.now), Input::JobDone(result));
                }
                Output::Wait(until) => {
                    let due = [until.map(|i| i.0), self.sim.next_delivery()];
                    let next = due.into_iter().flatten().min()?;
                    let next = next.max(self.now);
                    if next > limit {
                        self.now = self.now.max(limit);
                        return Some(next);
                    }
                    self.now = next;
                    match self.sim.receive(next) {
                        Some(d) if d.to == self.port => {
                            self.sm
                                .handle(Instant(next), Input::Mad { from: d.slid, bytes: &d.mad });
                        }
                        // Other clients of the fabric are served by whoever attached them.
                        Some(_) => {}
                        None => self.sm.handle(Instant(next), Input::Tick),
                    }
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
