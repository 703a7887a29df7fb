//! The subnet manager on a simulated fabric.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use lk_fabric::text::FabricFile;
use lk_fabric::{NodeKind, PortId};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::{Command, Mode, Outcome};
use lk_wire::Guid;

use super::background;
use super::present::Presenter;
use super::setup::{Setup, Simulate};
use super::signals::Signals;
use crate::failure::Failure;
use crate::input;

/// How long signals may wait.
const NAP: Duration = Duration::from_millis(200);

/// Runs.
pub(super) fn run(setup: Setup) -> Result<Outcome, Failure> {
    let Some(simulate) = &setup.simulate else {
        return Err(anyhow!("no fabric to simulate").into());
    };
    let given = input::fabric(&simulate.fabric, simulate.ibnl.as_deref())?;
    let port = own_port(&given.file, setup.settings.options.guid)?;
    let options = SimOptions { seed: simulate.seed, ..SimOptions::default() };
    let mut sim = SimFabric::new(&given.file.fabric, &options);
    load_state(&mut sim, simulate)?;
    let signals = Signals::new()?;
    let mut presenter = Presenter::new(&setup)?;
    let _pid_file = background::let_go(setup.actions.pid_file.as_deref())?;
    let mut world = World::new(sim, port, setup.settings.clone(), setup.mode);
    if setup.mode == Mode::Daemon {
        watch(&mut world, &mut presenter, &signals, setup.effective.clone(), &setup);
    } else {
        world.drive(u64::MAX, &mut |output| presenter.output(output));
    }
    save_state(&world.sim, &setup)?;
    presenter.finish()?;
    world.outcome().ok_or_else(|| {
        Failure::Refused(anyhow!("the subnet manager came to a stop with nothing left to wait for"))
    })
}

/// Keeps the world at the time of this one until a signal ends it.
fn watch(
    world: &mut World,
    presenter: &mut Presenter,
    signals: &Signals,
    mut effective: lk_config::Effective,
    setup: &Setup,
) {
    let start = Instant::now();
    while world.outcome().is_none() {
        let now = start.elapsed().as_nanos() as u64;
        let next = world.drive(now, &mut |output| presenter.output(output));
        if signals.stop() {
            world.command(Command::Stop);
            continue;
        }
        if signals.reload() {
            world.command(presenter.reload(&mut effective, setup));
            continue;
        }
        if let Some(command) = presenter.changed(&mut effective, setup) {
            world.command(command);
        }
        if signals.rotate() {
            presenter.rotate();
        }
        let until = next.map_or(NAP, |at| Duration::from_nanos(at.saturating_sub(now)));
        thread::sleep(until.min(NAP));
    }
}

/// The port that the manager sits on: the one with that GUID; else the one that the file says it
/// was made from, or its first node's; else the first adapter's that has a cable; else a switch.
pub(in crate::commands) fn own_port(file: &FabricFile, guid: Guid) -> Result<PortId, Failure> {
    let fabric = &file.fabric;
    let is_host = |p: &PortId| {
        fabric.port_num(*p).0 != 0 && fabric.node(fabric.owner(*p)).kind != NodeKind::Switch
    };
    if guid != Guid(0) {
        let found = fabric.end_ports().find(|p| fabric.port(*p).guid == guid);
        return found.ok_or_else(|| {
            anyhow!("no port of the simulated fabric has the GUID {guid} (option -g)").into()
        });
    }
    let hosts = || fabric.end_ports().filter(is_host);
    let cabled = || hosts().filter(|p| fabric.peer(*p).is_some());
    let named = cabled().find(|p| Some(*p) == file.initiated_from);
    let first = || cabled().find(|p| fabric.owner(*p) == file.first);
    // A fabric of switches alone is managed from one of them.
    let any = || cabled().next().or_else(|| hosts().next()).or_else(|| fabric.end_ports().next());
    named.or_else(first).or_else(any).ok_or_else(|| {
        Failure::Refused(anyhow!("no switch and no cable: there is nothing to route"))
    })
}

fn load_state(sim: &mut SimFabric, simulate: &Simulate) -> Result<(), Failure> {
    let Some(path) = simulate.state.as_ref().filter(|p| p.exists()) else { return Ok(()) };
    let cannot = || format!("cannot read {}", path.display());
    if !path.metadata().with_context(cannot)?.is_file() {
        return Err(anyhow!("{} is no regular file", path.display()).into());
    }
    let file = File::open(path).with_context(cannot)?;
    // The error's own words say all; its causes would say it again.
    sim.load(BufReader::new(file)).map_err(|error| anyhow!("{}: {error}", path.display()))?;
    Ok(())
}

fn save_state(sim: &SimFabric, setup: &Setup) -> Result<(), Failure> {
    let path = setup.simulate.as_ref().and_then(|s| s.state.as_ref());
    let Some(path) = path.filter(|_| setup.mode != Mode::Plan) else { return Ok(()) };
    let cannot = || format!("cannot write {}", path.display());
    let mut out = BufWriter::new(File::create(path).with_context(cannot)?);
    sim.save(&mut out).and_then(|()| out.flush()).with_context(cannot)?;
    Ok(())
}
