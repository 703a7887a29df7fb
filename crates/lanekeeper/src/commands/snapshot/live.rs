//! A snapshot of the fabric that one of this machine's ports is on. Nothing is sent but Gets.

use anyhow::{Context, anyhow};
use lk_sm::{Event, Instant, Mode, Output, Progress, Settings, Sm};
use lk_snapshot::Snapshot;
use lk_umad::{Library, Port, Registration, choose};

use crate::commands::carrier::{Carrier, Next};
use crate::failure::Failure;
use crate::terminal::Meter;

/// Reads the fabric; gives the snapshot and the number of requests.
pub(super) fn read(settings: &Settings) -> Result<(Snapshot, u64), Failure> {
    let library = Library::load().context("cannot use this machine's InfiniBand ports")?;
    let ports = library.ports().context("cannot list this machine's ports")?;
    let guid = Some(settings.options.guid).filter(|g| g.0 != 0);
    let chosen = choose(&ports, guid).context("no port to read a fabric from")?;
    let port = Port::open(&library, chosen, &Registration::SUBNET_READER)
        .context("cannot read a fabric from this port")?;
    let mut carrier = Carrier::new(Sm::new(settings.clone(), Mode::Read, Instant(0)), &port);
    let mut meter = Meter::new();
    let mut snapshot = None;
    let mut refusal = None;
    loop {
        match carrier.next() {
            Next::Over(_) => break,
            Next::Idle(until) => {
                if let Some(progress) = carrier.sm().progress() {
                    meter.show(|| words(progress));
                }
                carrier.wait(until)?;
            }
            Next::Said(Output::Snapshot(taken, figures)) => snapshot = Some((*taken, figures.gets)),
            Next::Said(Output::Event(Event::Refusal(why))) => refusal = Some(why),
            Next::Said(_) => {}
        }
    }
    drop(meter);
    carrier.drain();
    let why = || refusal.unwrap_or_else(|| "reading came to an end without a result".to_owned());
    snapshot.ok_or_else(|| Failure::Refused(anyhow!(why())))
}

fn words(progress: Progress) -> String {
    match progress {
        Progress::Found(nodes) => format!("{nodes} nodes found"),
        Progress::Read(done, all) => format!("{done} of {all} blocks of tables read"),
    }
}
