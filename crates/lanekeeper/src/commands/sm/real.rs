//! The subnet manager on a real port.
//!
//! One thread waits for datagrams, this one runs the core and sends, and a decision runs on a
//! third, so that the core goes on answering meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use lk_config::Effective;
use lk_sm::{Command, Input, Instant as Moment, JobResult, Mode, Outcome, Output, Sm};
use lk_umad::{Address, Library, Port, Received, Registration, choose};
use lk_wire::Lid;

use super::present::Presenter;
use super::setup::Setup;
use super::signals::Signals;
use crate::failure::Failure;
use crate::terminal;

/// How long signals may wait.
const NAP: Duration = Duration::from_millis(200);

/// What wakes the core.
enum Wake {
    Mad(Lid, Vec<u8>),
    SendFailed(u32),
    JobDone(Box<JobResult>),
    Broken(String),
}

/// Runs.
pub(super) fn run(setup: Setup) -> Result<Outcome, Failure> {
    let library = Library::load().context("cannot use this machine's InfiniBand ports")?;
    let port = Arc::new(open(&library, &setup)?);
    let signals = Signals::new()?;
    let mut presenter = Presenter::new(&setup)?;
    let (sender, receiver) = mpsc::channel();
    let over = Arc::new(AtomicBool::new(false));
    let listener = {
        let (port, sender, over) = (Arc::clone(&port), sender.clone(), Arc::clone(&over));
        thread::spawn(move || listen(&port, &sender, &over))
    };
    let start = Instant::now();
    let mut driver = Driver {
        sm: Sm::new(setup.settings.clone(), setup.mode, Moment(0)),
        port: &port,
        sender,
        receiver,
        start,
        effective: setup.effective.clone(),
        setup: &setup,
    };
    let outcome = driver.run(&signals, &mut presenter);
    over.store(true, Ordering::Relaxed);
    if listener.join().is_err() {
        terminal::complain("lanekeeper: the thread that receives ended in a panic");
    }
    presenter.finish()?;
    outcome
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
    let port = Port::open(library, chosen, &Registration::SUBNET_MANAGER)
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

fn listen(port: &Port, sender: &Sender<Wake>, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let wake = match port.recv(NAP.as_millis() as u32) {
            Ok(Received::Nothing) => continue,
            Ok(Received::Mad { from, bytes }) => Wake::Mad(from.lid, bytes),
            Ok(Received::SendFailed { token, .. }) => Wake::SendFailed(token),
            Err(error) => Wake::Broken(error.to_string()),
        };
        let broken = matches!(wake, Wake::Broken(_));
        if sender.send(wake).is_err() || broken {
            return;
        }
    }
}

struct Driver<'a> {
    sm: Sm,
    port: &'a Port,
    sender: Sender<Wake>,
    receiver: Receiver<Wake>,
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
            let until = match self.sm.poll() {
                Output::Transmit(t) => {
                    let timeout = t.timeout.as_millis() as u32;
                    if self.port.send(Address::DIRECTED, &t.smp.0, timeout).is_err() {
                        self.sm.handle(self.now(), Input::SendFailed { token: t.token });
                    }
                    continue;
                }
                Output::Reply { to, smp } => {
                    // Nobody waits for it: who asked will ask again.
                    let _ = self.port.send(Address::smi(to), &smp.0, 0);
                    continue;
                }
                Output::Job(job) => {
                    let sender = self.sender.clone();
                    thread::spawn(move || {
                        let _ = sender.send(Wake::JobDone(Box::new(job.run())));
                    });
                    continue;
                }
                Output::Finished(outcome) => return Ok(outcome),
                Output::Wait(until) => until,
                said => {
                    presenter.output(said);
                    continue;
                }
            };
            self.signals(signals, presenter);
            self.wait(until)?;
        }
    }

    /// Waits for something to happen, and takes all that has happened.
    fn wait(&mut self, until: Option<Moment>) -> Result<(), Failure> {
        let left = until.map_or(NAP, |at| Duration::from_nanos(at.since(self.now()).0));
        match self.receiver.recv_timeout(left.min(NAP)) {
            Ok(wake) => self.wake(wake)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                self.sm.handle(self.now(), Input::Tick);
            }
        }
        while let Ok(wake) = self.receiver.try_recv() {
            self.wake(wake)?;
        }
        Ok(())
    }

    fn wake(&mut self, wake: Wake) -> Result<(), Failure> {
        let now = self.now();
        match wake {
            Wake::Mad(from, mad) => self.sm.handle(now, Input::Mad { from, bytes: &mad }),
            Wake::SendFailed(token) => self.sm.handle(now, Input::SendFailed { token }),
            Wake::JobDone(result) => self.sm.handle(now, Input::JobDone(result)),
            Wake::Broken(why) => {
                return Err(Failure::Refused(anyhow!("the port can no longer be read: {why}")));
            }
        }
        Ok(())
    }

    fn signals(&mut self, signals: &Signals, presenter: &mut Presenter) {
        let now = self.now();
        if signals.stop() {
            self.sm.handle(now, Input::Command(Command::Stop));
        }
        if signals.reload() {
            let command = presenter.reload(&mut self.effective, self.setup);
            self.sm.handle(now, Input::Command(command));
        }
        if signals.rotate() {
            presenter.rotate();
        }
    }
}
