//! `lanekeeper verify`: whether routes reach everything and cannot deadlock.
//!
//! The routes come from a live fabric or a snapshot ([`held`]), from dump files of a running subnet
//! ([`dumps`]), from one file of tables for a fabric of another ([`tables`]), or from an engine on
//! a fabric of a file. [`subject`] is what is
//! judged, whichever way it came; [`fixed`] judges programs that ask nobody for an SL; [`report`]
//! prints what was found.

mod dumps;
mod fixed;
mod held;
mod path_sls;
mod report;
mod request;
mod subject;
mod tables;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use lk_routing::SlPlan;

use crate::commands::route;
use crate::failure::{FOUND, Failure};
use crate::{input, terminal};
use report::Report;
use request::{Request, Source};
use subject::{Sl2vl, Sls, Subject, Unread};

/// Judges routes, prints the verdict and says it by the exit code.
///
/// # Errors
/// Wrong usage; files that cannot be read; a fabric that no engine routes.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let Some(request) = request::read(words)? else { return Ok(ExitCode::SUCCESS) };
    let subject = match &request.source {
        Source::Held(source) => held::read(source, &request)?,
        Source::Dumps(folder) => dumps::read(folder, &request)?,
        Source::Tables(fabric, file) => tables::read(fabric, file, &request)?,
        Source::Engine(path) => routed(path, &request)?,
    };
    for note in &subject.notes {
        terminal::complain(&format!("note: {note}"));
    }
    for fault in &subject.faults {
        terminal::complain(&format!("error: {fault}"));
    }
    let report = Report::of(&subject, request.fixed);
    terminal::print(&if request.json { report.json() } else { report.text() })?;
    let good = report.is_good() && !subject.flawed && subject.faults.is_empty();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// What an engine makes of a fabric.
fn routed(path: &Path, request: &Request) -> Result<Subject, Failure> {
    let input = input::fabric(path, request.ibnl.as_deref())?;
    let fabric = input.file.fabric;
    route::refuse_empty(&fabric)?;
    let lids = route::lids::number(&fabric, request.lmc)?.map;
    let routes = route::routes(&fabric, &lids, &request.settings)?.routes;
    let sl2vl = match (&routes.lanes, &routes.sl) {
        (None, SlPlan::Any | SlPlan::Constant(_)) => Sl2vl::one_lane(),
        _ => {
            let lanes = request.settings.lanes_of(&routes);
            Sl2vl::of_lanes(&fabric, &routes.proof_lanes(&fabric, &lanes))
        }
    };
    let sls = Sls::of_routes(&lids, &routes);
    // Whether a circle comes of it is for the verdict to say.
    let notes = request.settings.lane_faults(&routes, None);
    Ok(Subject {
        source: routes.engine.to_owned(),
        fabric,
        lids,
        lfts: routes.lfts,
        trees: Vec::new(),
        sl2vl,
        sls,
        notes,
        faults: Vec::new(),
        flawed: input.flawed,
        unread: Unread::default(),
    })
}
