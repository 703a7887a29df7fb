//! `lanekeeper check`: every way in which a QoS design does nothing.
//!
//! [`request`] reads the command line, opensm.conf and what shapes routing, [`files`] the other
//! files; [`asked`] says which partitions these ask for on a fabric that was read; [`managed`]
//! brings a fabric up on the embedded simulator to see what its ports will hold; the rules are in
//! `lk-audit`.

mod asked;
mod files;
mod managed;
mod page;
mod request;

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use lk_audit::{Site, accepted, check, explain, pages};
use lk_diag::render::{self, Tool};
use lk_diag::{Diagnostics, Severity};

use crate::commands::snapshot::tell_unread;
use crate::failure::{FOUND, Failure};
use crate::terminal;
use managed::BroughtUp;
use request::{Asked, Format, Request};

/// Checks, prints what was found, and says by the exit code whether there was an error.
///
/// # Errors
/// Wrong usage; files that cannot be read; a fabric that cannot be brought up.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    match request::read(words)? {
        Asked::Nothing => Ok(ExitCode::SUCCESS),
        Asked::Page(code) => page(&code),
        Asked::Check(request) => look(*request),
    }
}

/// Prints the page of a rule, or of all of them.
fn page(code: &str) -> Result<ExitCode, Failure> {
    if code == "all" {
        let all: Vec<&str> = pages().map(|page| page.text).collect();
        terminal::print(&all.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(page) = explain(code) else {
        let codes: Vec<&str> = pages().map(|page| page.code.id).collect();
        let list = codes.join(", ");
        return Err(anyhow::anyhow!("there is no rule {code}; there are {list}").into());
    };
    terminal::print(page.text)?;
    Ok(ExitCode::SUCCESS)
}

/// So many findings of one code in one file are shown.
const ALIKE: usize = 50;

fn look(request: Request) -> Result<ExitCode, Failure> {
    let Request {
        effective,
        settings,
        files,
        mut found,
        fabric,
        held,
        ibnl,
        accepted,
        baseline_to,
        format,
    } = request;
    let taken = held.map(|source| source.take(&settings)).transpose()?;
    if let Some(taken) = &taken {
        tell_unread(&taken.snapshot);
    }
    let brought_up = match &fabric {
        Some(path) => Some(managed::bring_up(path, ibnl.as_deref(), &settings)?),
        None => None,
    };
    let asked = taken.as_ref().and_then(|taken| asked::partitions(&taken.snapshot, &settings));
    let site = match (&taken, &brought_up) {
        (Some(taken), _) => {
            Site::of_snapshot(&effective, &taken.snapshot).with_partitions(asked.as_deref())
        }
        (None, Some(BroughtUp::Up(kinds, managed, _))) => {
            Site::of_ports(&effective, kinds.clone()).with_managed(managed)
        }
        (None, Some(BroughtUp::NotRouted(unrouted))) => {
            Site::of_options(&effective).with_unrouted(unrouted)
        }
        (None, None) => Site::of_options(&effective),
    };
    let site = site.with_files(&files);
    found.extend(check(&site));
    let mut found = found.thinned(ALIKE);
    found.sort_by_place();
    if let Some(path) = baseline_to {
        let text = accepted::baseline_of(&found);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (left, silenced) = accepted.part(found);
    if format == Format::Html {
        let view = match &brought_up {
            Some(BroughtUp::Up(.., view)) => Some(&**view),
            _ => None,
        };
        terminal::print(&page::html(&left, silenced, &site, fabric.as_deref(), view))?;
    } else {
        print(&left, silenced, format)?;
    }
    let bad = left.worst() == Some(Severity::Error);
    Ok(if bad { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

fn print(found: &Diagnostics, silenced: usize, format: Format) -> Result<(), Failure> {
    let text = match format {
        Format::Json => render::to_json(found) + "\n",
        Format::Sarif => {
            let tool = Tool { name: "lanekeeper", version: env!("CARGO_PKG_VERSION") };
            render::to_sarif(found, tool) + "\n"
        }
        Format::Lines => accepted::lines(found),
        Format::Text | Format::Html => {
            let mut text = render::report(found, terminal::output_style());
            if found.is_empty() {
                text.push_str("nothing found\n");
            }
            if silenced > 0 {
                text.push_str(&format!("{silenced} accepted and not shown\n"));
            }
            text
        }
    };
    Ok(terminal::print(&text)?)
}
