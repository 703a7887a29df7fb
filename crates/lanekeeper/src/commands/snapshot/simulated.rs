//! A snapshot of a fabric from a file, as it is once it was brought up on the embedded simulator.

use std::path::Path;

use anyhow::anyhow;
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::{Event, Mode, Output, Settings};
use lk_snapshot::Snapshot;
use lk_wire::{SmInfo, SmState, cap_mask};

use super::source::Taken;
use crate::commands::sm::simulated::own_port;
use crate::failure::Failure;
use crate::input;
use crate::terminal::Meter;

/// Brings the fabric up with these options, and reads it.
pub(super) fn read(path: &Path, settings: &Settings) -> Result<Taken, Failure> {
    let given = input::fabric(path, None)?;
    let port = own_port(&given.file, settings.options.guid)?;
    let sim = SimFabric::new(&given.file.fabric, &SimOptions::default());
    let mut meter = Meter::new();
    let mut world = World::new(sim, port, settings.clone(), Mode::Once);
    let mut view = None;
    let mut refusal = None;
    world.drive(u64::MAX, &mut |output| {
        meter.show(|| format!("bringing {} up", path.display()));
        match output {
            Output::Event(Event::Refusal(why)) => refusal = Some(why),
            Output::View(last) => view = Some(last),
            _ => {}
        }
    });
    if view.is_none() {
        let why = refusal.unwrap_or_else(|| "no routing engine routes it".to_owned());
        let why = anyhow!("the fabric of {} cannot be brought up: {why}", path.display());
        return Err(Failure::Refused(why));
    }
    // Who reads is no manager; the one that was here is put back below.
    let now = world.now();
    world.sim.set_is_sm(now, port, false);
    world.restart(settings.clone(), Mode::Read);
    let mut taken = None;
    world.drive(u64::MAX, &mut |output| {
        meter.show(|| format!("reading {}", path.display()));
        if let Output::Snapshot(snapshot, figures) = output {
            taken = Some((*snapshot, figures.gets));
        }
    });
    let (mut snapshot, requests) =
        taken.ok_or_else(|| Failure::Refused(anyhow!("the simulated fabric cannot be read")))?;
    put_manager(&mut snapshot, settings);
    Ok(Taken { snapshot, requests: Some(requests), flawed: given.flawed })
}

/// The manager that brought the fabric up, at the port from which it was read.
fn put_manager(snapshot: &mut Snapshot, settings: &Settings) {
    let Some(port) = snapshot.read_at else { return };
    if let Some(info) = &mut snapshot.ports[port.index()] {
        info.set_capability_mask(info.capability_mask() | cap_mask::IS_SM);
    }
    let mut info = SmInfo::default();
    info.set_guid(snapshot.fabric.port(port).guid.0);
    info.set_priority(settings.options.sm_priority & 15);
    info.set_sm_state(SmState::MASTER.0);
    snapshot.managers.push((port, info));
}
