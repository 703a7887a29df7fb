//! `lanekeeper snapshot`: all that the ports and switches of a fabric hold, in a file.
//!
//! [`source`] takes a snapshot, wherever it comes from: a real port ([`live`]), a simulated fabric
//! ([`simulated`]), dump files of opensm ([`dumps`]) or a file that was written before. Other
//! commands take theirs there, too. [`request`] understands the command line.

mod dumps;
mod live;
mod request;
mod simulated;
pub(super) mod source;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use lk_snapshot::{Snapshot, write};

use crate::failure::{FOUND, Failure};
use crate::terminal;
use request::Request;

/// Takes a snapshot and writes it.
///
/// # Errors
/// Wrong usage; a fabric that cannot be read; a file that cannot be written.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let Some(request) = request::read(words)? else { return Ok(ExitCode::SUCCESS) };
    let Request { source, settings, out, anonymise } = request;
    let mut taken = source.take(&settings)?;
    if anonymise {
        taken.snapshot = lk_snapshot::anonymise(&taken.snapshot);
    }
    let text = write(&taken.snapshot);
    if out.as_os_str() == "-" {
        terminal::print(&text)?;
    } else {
        fs::write(&out, &text).with_context(|| format!("cannot write {}", out.display()))?;
    }
    let summary = summary(&taken.snapshot, taken.requests);
    terminal::complain(&format!("{}: {summary}", source.name()));
    tell_unread(&taken.snapshot);
    let whole = taken.snapshot.unread.is_empty() && !taken.flawed;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

fn summary(snapshot: &Snapshot, requests: Option<u64>) -> String {
    let fabric = &snapshot.fabric;
    let (nodes, switches) = (fabric.nodes().len(), fabric.switches().len());
    let mut text =
        format!("{nodes} nodes, {switches} of them switches, {} links", fabric.links().count());
    if let Some(requests) = requests {
        text += &format!(", read with {requests} requests");
    }
    text
}

/// What could not be read, by port. A snapshot without it is as good as it can be; who judges it
/// leaves that out.
pub(super) fn tell_unread(snapshot: &Snapshot) {
    const MOST: usize = 10;
    let mut ports: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for unread in &snapshot.unread {
        let said = ports.entry((unread.port, unread.why)).or_default();
        said.push(unread.what());
    }
    if ports.is_empty() {
        return;
    }
    terminal::complain(&format!("not read, and not judged: {}", count(snapshot.unread.len())));
    for ((port, why), what) in ports.iter().take(MOST) {
        let more = match what.len() {
            0..=3 => what.join("; "),
            n => format!("{}; and {} more", what[..2].join("; "), n - 2),
        };
        terminal::complain(&format!("  {}: {more} ({why})", snapshot.fabric.port_name(*port)));
    }
    if ports.len() > MOST {
        let left = ports.len() - MOST;
        terminal::complain(&format!(
            "  and at {left} more; the snapshot's lines `unread` list all"
        ));
    }
}

fn count(n: usize) -> String {
    if n == 1 { "1 thing".to_owned() } else { format!("{n} things") }
}
