//! `lanekeeper route`: what an engine makes of a fabric, and how good it is.
//!
//! It takes opensm's options, so that a site's opensm.conf or the words of its unit file say
//! which engine, roots and LMC; those that have nothing to do with routing change nothing.

mod compare;
mod dump;
pub(super) mod lids;
mod path_sls;
mod previous;
mod report;
pub(super) mod request;
pub(in crate::commands) mod svg;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, anyhow};
use lk_fabric::Fabric;
use lk_routing::{Lfts, LidMap, Outcome, RouteJob, Routes};
use lk_sm::{Settings, Verdict};

use crate::commands::sm::files;
use crate::failure::{FOUND, Failure};
use crate::{input, terminal};
use compare::Comparison;
use report::Report;

/// What an engine is given beside the fabric.
pub(super) struct Asked<'a> {
    /// The tables that were in force before.
    previous: Option<&'a Lfts>,
    /// Whether their entries stay where they may.
    keep: bool,
}

impl Asked<'_> {
    /// How many entries lead elsewhere than before.
    fn moved(&self, now: &Lfts) -> Option<usize> {
        self.previous.map(|before| previous::moved(before, now))
    }
}

/// Routes a fabric, prints the figures and writes what was asked for.
///
/// # Errors
/// A fabric that cannot be read or that no engine routes.
pub(crate) fn run(words: &[OsString]) -> Result<ExitCode, Failure> {
    let Some(request) = request::read(words)? else { return Ok(ExitCode::SUCCESS) };
    let input = input::fabric(&request.fabric, request.ibnl.as_deref())?;
    let fabric = &input.file.fabric;
    refuse_empty(fabric)?;
    let lids = lids::number(fabric, request.lmc)?;
    let previous = request.previous.as_deref();
    let previous = previous.map(|path| previous::read(path, fabric)).transpose()?;
    let asked = Asked { previous: previous.as_ref(), keep: request.keep };
    if !request.compare.is_empty() {
        return compare(fabric, &lids, &request, &asked);
    }
    let engines = request.settings.options.routing_engine.as_deref().unwrap_or("minhop");
    let routed = attempt(fabric, &lids.map, engines, &request, &asked)?;
    let moved = asked.moved(&routed.routes.lfts);
    let (report, quality) = Report::of(fabric, &lids, &routed, moved, &request);
    for fault in report.lane_faults() {
        terminal::complain(&format!("warning: {fault}"));
    }
    let routes = routed.routes;
    if let Some(path) = &request.svg {
        picture(path, &svg::draw(fabric, &[(routes.engine, &quality)]))?;
    }
    if let Some(file) = &request.path_sls {
        files::write_text(file, |out| path_sls::write(out, fabric, &lids.map, &routes))?;
    }
    if let Some(folder) = &request.dump {
        dump::write(folder, input.file.fabric.clone(), lids, routes, request.settings)?;
    }
    terminal::print(&if request.json { report.json() } else { report.text() })?;
    let good = report.all_reached && report.deadlock_free && !input.flawed;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// Routes by several engines and puts their figures side by side.
fn compare(
    fabric: &Fabric,
    lids: &lids::Numbered,
    request: &request::Request,
    asked: &Asked<'_>,
) -> Result<ExitCode, Failure> {
    let (comparison, figures) = Comparison::of(fabric, lids, &request.compare, request, asked)?;
    if let Some(path) = &request.svg {
        let figures: Vec<_> = figures.iter().map(|(name, q)| (name.as_str(), q)).collect();
        picture(path, &svg::draw(fabric, &figures))?;
    }
    terminal::print(&if request.json { comparison.json() } else { comparison.text() })?;
    Ok(if comparison.is_empty() { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

fn picture(path: &Path, text: &str) -> Result<(), Failure> {
    let written = fs::write(path, text);
    Ok(written.with_context(|| format!("cannot write {}", path.display()))?)
}

/// Refuses a fabric without anything to route.
pub(super) fn refuse_empty(fabric: &Fabric) -> Result<(), Failure> {
    if fabric.switches().is_empty() && fabric.links().next().is_none() {
        return Err(Failure::Refused(anyhow!("no switch and no cable: there is nothing to route")));
    }
    Ok(())
}

/// The routes, and how they came about.
#[derive(Debug)]
pub(super) struct Routed {
    /// The routes.
    pub(super) routes: Routes,
    /// Seconds that the engine took.
    seconds: f64,
    /// The list of engines that was asked for.
    asked: String,
    /// What became of it, but for the routes.
    outcome: Outcome,
}

/// The routes by the engines of the settings. What became of the other engines is told.
///
/// # Errors
/// No engine routes the fabric.
pub(super) fn routes(
    fabric: &Fabric,
    lids: &LidMap,
    settings: &Settings,
) -> Result<Routed, Failure> {
    let engines = settings.options.routing_engine.as_deref().unwrap_or("minhop");
    let job = RouteJob { fabric, lids, options: &settings.routing, previous: None };
    let (outcome, seconds) = timed(engines, &job, settings);
    settled(outcome, seconds, engines)
}

/// The same by a list of engines, with what stood before.
fn attempt(
    fabric: &Fabric,
    lids: &LidMap,
    engines: &str,
    request: &request::Request,
    asked: &Asked<'_>,
) -> Result<Routed, Failure> {
    let previous = asked.previous.filter(|_| asked.keep);
    let job = RouteJob { fabric, lids, options: &request.settings.routing, previous };
    let (outcome, seconds) = timed(engines, &job, &request.settings);
    settled(outcome, seconds, engines)
}

/// What comes of a list of engines, and the seconds that the one took that routes.
fn timed(engines: &str, job: &RouteJob<'_>, settings: &Settings) -> (Outcome, f64) {
    job.options.until_accepted(|options| {
        let start = Instant::now();
        let outcome = lk_routing::route(engines, &RouteJob { options, ..*job });
        let seconds = start.elapsed().as_secs_f64();
        let routes = outcome.routes.as_ref().filter(|_| settings.options.require_loop_free);
        let refusal = routes.and_then(|routes| {
            let lanes = settings.lanes_of(routes);
            let verdict = Verdict::of_routes(job.fabric, job.lids, routes, &lanes);
            let mut refusal = verdict.refusal(routes.engine)?;
            for fault in settings.lane_faults(routes, Some(false)) {
                refusal.reason += &format!("; {fault}");
            }
            Some(refusal)
        });
        ((outcome, seconds), refusal)
    })
}

/// The routes of an outcome. What became of the other engines is told.
///
/// # Errors
/// There are none.
fn settled(mut outcome: Outcome, seconds: f64, engines: &str) -> Result<Routed, Failure> {
    tell(&outcome);
    match outcome.routes.take() {
        Some(routes) => Ok(Routed { routes, seconds, asked: engines.to_owned(), outcome }),
        None => Err(Failure::Refused(anyhow!("no engine of \"{engines}\" routes this fabric"))),
    }
}

/// Says what became of the engines that do not route, and what the one that does wants known.
fn tell(outcome: &Outcome) {
    for unknown in &outcome.unknown {
        terminal::complain(&format!("error: {unknown}"));
    }
    for decline in &outcome.declined {
        terminal::complain(&format!("warning: {decline}"));
    }
    if outcome.fell_back {
        terminal::complain("warning: minhop routes in their place; no_fallback would forbid it");
    }
    for note in outcome.routes.iter().flat_map(|routes| &routes.notes) {
        terminal::complain(&format!("note: {note}"));
    }
}
