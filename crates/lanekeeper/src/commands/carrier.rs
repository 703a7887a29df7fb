//! The core on a real port: carries datagrams, time and jobs.
//!
//! One thread runs the core, sends what it says and waits for what comes in. Handing each
//! datagram over from a thread of its own would cost more than all the rest. Only a decision runs
//! elsewhere, so that the core goes on answering meanwhile.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use lk_sm::{
    Command, GsiAddress, Input, Instant as Moment, JobResult, Outcome, Outgoing, Output, Sm,
};
use lk_umad::{Address, Port, Received};
use lk_wire::class;
use lk_wire::sa::SaHeader;

use crate::failure::Failure;

/// How long the caller may be kept waiting.
const NAP: Duration = Duration::from_millis(200);
/// How long answers may still come when the run is over, and how long it has to be quiet.
const DRAIN: Duration = Duration::from_millis(500);
const DRAIN_STEP: Duration = Duration::from_millis(30);
/// The most datagrams that are taken in one go.
const BATCH: usize = 64;
/// How long a finished decision may wait.
const JOB_NAP: Duration = Duration::from_millis(2);

/// Takes in what is still under way when the run ends. A stand-in for the kernel may fall over
/// answers to a port that has just been closed.
fn drain(port: &Port) {
    let end = Instant::now() + DRAIN;
    let wait = DRAIN_STEP.as_millis() as u32;
    while Instant::now() < end && !matches!(port.recv(wait), Ok(Received::Nothing) | Err(_)) {}
}

/// An address as the core knows it.
fn outside(from: &Address) -> GsiAddress {
    GsiAddress {
        lid: from.lid,
        qp: from.qp,
        sl: from.sl,
        pkey_index: from.pkey_index,
        path_bits: from.path_bits,
        gid: from.gid,
    }
}

/// An address as the port knows it.
fn address(to: &GsiAddress) -> Address {
    Address {
        qp: to.qp,
        sl: to.sl,
        q_key: Address::GSI_Q_KEY,
        pkey_index: to.pkey_index,
        path_bits: to.path_bits,
        gid: to.gid,
        ..Address::smi(to.lid)
    }
}

/// What the core says next.
#[expect(clippy::large_enum_variant, reason = "it is looked at at once and kept nowhere")]
pub(super) enum Next {
    /// Something for the caller.
    Said(Output),
    /// Nothing to do before this time, or before something comes in: [`Carrier::wait`].
    Idle(Option<Moment>),
    /// The run is over.
    Over(Outcome),
}

/// A core and its port.
pub(super) struct Carrier<'a> {
    sm: Sm,
    port: &'a Port,
    jobs: (Sender<JobResult>, Receiver<JobResult>),
    jobs_running: usize,
    start: Instant,
}

impl<'a> Carrier<'a> {
    /// A core on a port; its time begins now.
    pub(super) fn new(sm: Sm, port: &'a Port) -> Self {
        Self { sm, port, jobs: mpsc::channel(), jobs_running: 0, start: Instant::now() }
    }

    /// The core.
    pub(super) fn sm(&self) -> &Sm {
        &self.sm
    }

    /// Gives the core a command.
    pub(super) fn command(&mut self, command: Command) {
        self.sm.handle(self.now(), Input::Command(command));
    }

    /// Takes in what is still under way when the run is over.
    pub(super) fn drain(&self) {
        drain(self.port);
    }

    fn now(&self) -> Moment {
        Moment(self.start.elapsed().as_nanos() as u64)
    }

    /// Sends what the core wants sent, until it has something for the caller or nothing to do.
    pub(super) fn next(&mut self) -> Next {
        loop {
            match self.sm.poll() {
                Output::Transmit(t) => {
                    let timeout = t.timeout.as_millis() as u32;
                    if self.port.send(Address::DIRECTED, &t.smp.0, timeout).is_err() {
                        self.sm.handle(self.now(), Input::SendFailed { token: t.token });
                    }
                }
                Output::Reply { to, smp } => {
                    // Nobody waits for it: who asked will ask again.
                    let _ = self.port.send(Address::smi(to), &smp.0, 0);
                }
                Output::Gmp(message) => self.send_message(&message),
                Output::Job(job) => {
                    let sender = self.jobs.0.clone();
                    self.jobs_running += 1;
                    // The receiver lives as long as this one; after it nobody wants the result.
                    thread::spawn(move || {
                        let _ = sender.send(job.run());
                    });
                }
                Output::Finished(outcome) => return Next::Over(outcome),
                Output::Wait(until) => return Next::Idle(until),
                said => return Next::Said(said),
            }
        }
    }

    /// Sends a message of the subnet administration. Whoever has asked will ask again where its
    /// answer is lost; a report is sent again by the core.
    fn send_message(&mut self, message: &Outgoing) {
        let timeout = message.timeout.map_or(0, |t| t.as_millis() as u32);
        let sent = self.port.send(address(&message.to), &message.bytes, timeout);
        if sent.is_err()
            && message.timeout.is_some()
            && let Ok(header) = SaHeader::parse(&message.bytes)
        {
            self.sm.handle(self.now(), Input::GmpFailed { token: header.tid() as u32 });
        }
    }

    /// Waits until a datagram comes in, a decision is made, or the time has come, and not for long.
    ///
    /// # Errors
    /// A port that can no longer be read.
    pub(super) fn wait(&mut self, until: Option<Moment>) -> Result<(), Failure> {
        let nap = if self.jobs_running > 0 { JOB_NAP } else { NAP };
        let left = until.map_or(nap, |at| Duration::from_nanos(at.since(self.now()).0)).min(nap);
        let mut wait = left.as_micros().div_ceil(1000) as u32;
        // What has come in meanwhile is taken in one go: the next requests then go out together.
        for _ in 0..BATCH {
            if !self.receive(wait)? {
                break;
            }
            wait = 0;
        }
        let now = self.now();
        self.sm.handle(now, Input::Tick);
        while let Ok(result) = self.jobs.1.try_recv() {
            self.jobs_running -= 1;
            self.sm.handle(now, Input::JobDone(Box::new(result)));
        }
        Ok(())
    }

    /// Takes a datagram in, if one comes.
    fn receive(&mut self, wait: u32) -> Result<bool, Failure> {
        let received = self.port.recv(wait);
        let now = self.now();
        match received {
            Ok(Received::Mad { from, bytes }) if bytes.get(1) == Some(&class::SUBN_ADM) => {
                self.sm.handle(now, Input::Gmp { from: outside(&from), bytes: &bytes });
            }
            Ok(Received::Mad { from, bytes }) => {
                self.sm.handle(now, Input::Mad { from: from.lid, bytes: &bytes });
            }
            Ok(Received::SendFailed { class: class::SUBN_ADM, token, .. }) => {
                self.sm.handle(now, Input::GmpFailed { token });
            }
            Ok(Received::SendFailed { token, .. }) => {
                self.sm.handle(now, Input::SendFailed { token });
            }
            Ok(Received::Nothing) => return Ok(false),
            Err(error) => {
                let error = anyhow!(error).context("the port can no longer be read");
                return Err(Failure::Refused(error));
            }
        }
        Ok(true)
    }
}
