//! The subnet manager on a real port.

use anyhow::{Context, anyhow};
use lk_config::Effective;
use lk_sm::{Command, Instant, Mode, Outcome, Sm};
use lk_umad::{Library, Port, Registration, choose};

use super::background;
use super::present::Presenter;
use super::setup::Setup;
use super::signals::Signals;
use crate::commands::carrier::{Carrier, Next};
use crate::failure::Failure;
use crate::terminal;

/// Runs.
pub(super) fn run(setup: Setup) -> Result<Outcome, Failure> {
    let library = Library::load().context("cannot use this machine's InfiniBand ports")?;
    let port = open(&library, &setup)?;
    let signals = Signals::new()?;
    let mut presenter = Presenter::new(&setup)?;
    let _pid_file = background::let_go(setup.actions.pid_file.as_deref())?;
    let sm = Sm::new(setup.settings.clone(), setup.mode, Instant(0));
    let mut driver = Driver {
        carrier: Carrier::new(sm, &port),
        effective: setup.effective.clone(),
        setup: &setup,
    };
    let outcome = driver.run(&signals, &mut presenter);
    driver.carrier.drain();
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

struct Driver<'a> {
    carrier: Carrier<'a>,
    effective: Effective,
    setup: &'a Setup,
}

impl Driver<'_> {
    fn run(&mut self, signals: &Signals, presenter: &mut Presenter) -> Result<Outcome, Failure> {
        loop {
            match self.carrier.next() {
                Next::Over(outcome) => return Ok(outcome),
                Next::Idle(until) => {
                    self.signals(signals, presenter);
                    self.carrier.wait(until)?;
                }
                Next::Said(said) => presenter.output(said),
            }
        }
    }

    fn signals(&mut self, signals: &Signals, presenter: &mut Presenter) {
        if signals.stop() {
            self.carrier.command(Command::Stop);
        }
        if signals.reload() {
            let command = presenter.reload(&mut self.effective, self.setup);
            self.carrier.command(command);
        } else if let Some(command) = presenter.changed(&mut self.effective, self.setup) {
            self.carrier.command(command);
        }
        if signals.rotate() {
            presenter.rotate();
        }
    }
}
