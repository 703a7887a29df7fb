//! The subnet manager on a real port.
//!
//! This thread runs the core, sends what it says and waits for what comes in. Handing each
//! datagram over from a thread of its own would cost more than all the rest. Only a decision runs
//! elsewhere, so that the core goes on answering meanwhile.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use lk_config::Effective;
use lk_sm::{
    Command, GsiAddress, Input, Instant as Moment, JobResult, Mode, Outcome, Outgoing, Output, Sm,
};
use lk_umad::{Address, Library, Port, Received, Registration, choose};
use lk_wire::class;
use lk_wire::sa::SaHeader;

use super::background;
use super::present::Presenter;
use super::setup::Setup;
use super::signals::Signals;
use crate::failure::Failure;
use crate::terminal;

/// How long signals may wait.
const NAP: Duration = Duration::from_millis(200);
/// How long answers may still come when the run is over, and how long it has to be quiet.
const DRAIN: Duration = Duration::from_millis(500);
const DRAIN_STEP: Duration = Duration::from_millis(30);
/// The most datagrams that are taken in one go.
const BATCH: usize = 64;
/// How long a finished decision may wait.
const JOB_NAP: Duration = Duration::from_millis(2);

/// Runs.
pub(super) fn run(setup: Setup) -> Result<Outcome, Failure> {
    let library = Library::load().context("cannot use this machine's InfiniBand ports")?;
    let port = open(&library, &setup)?;
    let signals = Signals::new()?;
    let mut presenter = Presenter::new(&setup)?;
    let _pid_file = background::let_go(setup.actions.pid_file.as_deref())?;
    let mut driver = Driver {
        sm: Sm::new(setup.settings.clone(), setup.mode, Moment(0)),
        port: &port,
        jobs: mpsc::channel(),
        jobs_running: 0,
        start: Instant::now(),
        effective: setup.effective.clone(),
        setup: &setup,
    };
    let outcome = driver.run(&signals, &mut presenter);
    drain(&port);
    presenter.finish()?;
    outcome
}

/// Takes in what is still under way when the run ends. A stand-in for the kernel may fall over
/// answers to a port that has just been closed.
fn drain(port: &Port) {
    let end = Instant::now() + DRAIN;
    let wait = DRAIN_STEP.as_millis() as u32;
    while Instant::now() < end && !matches!(port.recv(wait), Ok(Received::Nothing) | Err(_)) {}
}

/// Opens the port that was asked for. Only a manager that configures says that it is one.
fn open(library: &Library, setup: &Setup) -> Result<Port, Failure> {
    let ports = library.ports().context("cannot list this machine's ports")?;
    if setup.actions.ask_for_port {
        let list: Vec<String> = ports.iter().map(|p| format!("  {p}")).collect();
        return Err(anyhow!("name one of these ports with -g:\n{}", list.join("\n")).into());
    }
    let guid = Some(setup.settings.options.guid).filter(|g| g.0 != 0);
    let chosen = choose(&ports, guid).context("no port to manage a subnet from")?;
    let [directed, routed] = Registration::SUBNET_MANAGER;
    let port =
        Port::open(library, chosen, &[directed, routed, Registration::SUBNET_ADMINISTRATION])
            .context("cannot manage a subnet from this port")?;
    if setup.mode != Mode::Plan
        && let Err(error) = port.set_is_sm(true)
    {
        terminal::complain(&format!(
            "lanekeeper: the port does not say that an SM is here: {error}"
        ));
    }
    Ok(port)
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

struct Driver<'a> {
    sm: Sm,
    port: &'a Port,
    jobs: (Sender<JobResult>, Receiver<JobResult>),
    jobs_running: usize,
    start: Instant,
    effective: Effective,
    setup: &'a Setup,
}

impl Driver<'_> {
    fn now(&self) -> Moment {
        Moment(self.start.elapsed().as_nanos() as u64)
    }

    fn run(&mut self, signals: &Signals, presenter: &mut Presenter) -> Result<Outcome, Failure> {
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
                    // The receiver lives as long as this loop; after it nobody wants the result.
                    thread::spawn(move || {
                        let _ = sender.send(job.run());
                    });
                }
                Output::Finished(outcome) => return Ok(outcome),
                Output::Wait(until) => {
                    self.signals(signals, presenter);
                    self.wait(until)?;
                }
                said => presenter.output(said),
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

    /// Waits until a datagram comes in, a decision is made, or the time has come.
    fn wait(&mut self, until: Option<Moment>) -> Result<(), Failure> {
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

    fn signals(&mut self, signals: &Signals, presenter: &mut Presenter) {
        let now = self.now();
        if signals.stop() {
            self.sm.handle(now, Input::Command(Command::Stop));
        }
        if signals.reload() {
            let command = presenter.reload(&mut self.effective, self.setup);
            self.sm.handle(now, Input::Command(command));
        } else if let Some(command) = presenter.changed(&mut self.effective, self.setup) {
            self.sm.handle(now, Input::Command(command));
        }
        if signals.rotate() {
            presenter.rotate();
        }
    }
}
