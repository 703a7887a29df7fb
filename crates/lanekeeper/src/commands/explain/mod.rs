//! `lanekeeper explain`: what happens to the traffic from one port to another, and why.
//!
//! [`request`] reads the command line, [`site`] the files of the site; [`simulated`] brings a
//! fabric up on the embedded simulator, [`given`] takes one as it is. [`asking`] has what is asked
//! of a subnet administration: the simulated one, or that of a real subnet ([`live`]). What is made
//! of it all is in `lk-audit`.

mod asking;
mod given;
mod live;
mod no_path;
mod request;
mod simulated;
mod site;

use std::ffi::OsString;
use std::process::ExitCode;

use lk_audit::explain::change::{self, Changes};
use lk_audit::explain::{Report, text};
use lk_audit::html;
use lk_diag::Severity;
use serde::Serialize;

use crate::failure::{FOUND, Failure};
use crate::terminal;
use request::{Asked, Format, Request, Source};
use site::Site;

/// Explains, prints, and says by the exit code whether traffic gets through.
///
/// # Errors
/// Wrong usage; files that cannot be read; a fabric that cannot be brought up; ends that it does
/// not have.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let Asked::Explain(request) = request::read(words)? else { return Ok(ExitCode::SUCCESS) };
    let (now, said) = Site::read(&request.effective);
    show(&said);
    let report = explain(&request, &now)?;
    let what_if = match &request.what_if {
        None => None,
        Some(supposed) => {
            let (site, said) = Site::read(&supposed.effective);
            show(&said);
            let after = explain(&request, &site)?;
            let changes = change::changes(&report, &after);
            Some(WhatIf { options: supposed.options.clone(), changes, after })
        }
    };
    let bad = [&report.there, &report.back].into_iter().any(|way| way.stops());
    let below = || match &what_if {
        Some(what_if) => Some(change::text(&what_if.changes, &what_if.options)),
        None => text::hint(&report),
    };
    let printed = match request.format {
        Format::Json => {
            let document = Document { report: &report, what_if: what_if.as_ref() };
            serde_json::to_string_pretty(&document).map_err(anyhow::Error::from)? + "\n"
        }
        Format::Html => html::explained(&report, below().as_deref()),
        Format::Text => {
            let below = below().map(|below| "\n".to_owned() + &below);
            text::report(&report) + &below.unwrap_or_default()
        }
    };
    terminal::print(&printed)?;
    Ok(if bad { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

/// The JSON form.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    what_if: Option<&'a WhatIf>,
}

/// What other options would do.
#[derive(Serialize)]
struct WhatIf {
    options: Vec<String>,
    #[serde(flatten)]
    changes: Changes,
    after: Report,
}

fn explain(request: &Request, site: &Site) -> Result<Report, Failure> {
    match &request.source {
        Source::Fabric(path) => simulated::explain(request, site, path),
        Source::Held(held) => given::explain(request, site, held),
    }
}

/// Shows what is wrong with the site's files. What is merely to be known of them is for `check`.
fn show(said: &lk_diag::Diagnostics) {
    let wrong = said.iter().filter(|found| found.severity != Severity::Info).cloned();
    terminal::show(&wrong.collect());
}
