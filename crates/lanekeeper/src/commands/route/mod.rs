//! `lanekeeper route`: what an engine makes of a fabric, and how good it is.

mod lids;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use clap::Args;
use lk_fabric::Fabric;
use lk_routing::{LidMap, Outcome, RouteJob, RouteOptions, Routes};

use crate::failure::{FOUND, Failure};
use crate::{input, terminal};
use report::Report;

/// What `lanekeeper route` is given. Letters and words are those of opensm.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The fabric: a file as ibnetdiscover prints it or ibsim reads it; "-" is standard input.
    #[arg(value_name = "FABRIC")]
    fabric: PathBuf,
    /// Engines by order of preference; "no_fallback" keeps minhop out.
    #[arg(short = 'R', long, value_name = "ENGINE,…", default_value = "minhop")]
    routing_engine: String,
    /// Number the ports anew with 2^LMC LIDs each, in place of the LIDs in the file.
    #[arg(short, long, value_name = "LMC", value_parser = clap::value_parser!(u8).range(0..=7))]
    lmc: Option<u8>,
    /// Let updn connect root switches with each other.
    #[arg(short = 'z', long)]
    connect_roots: bool,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// Routes a fabric and prints the figures.
///
/// # Errors
/// A fabric that cannot be read or that no engine routes.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let input = input::fabric(&arguments.fabric)?;
    let fabric = &input.file.fabric;
    if fabric.switches().is_empty() && fabric.links().next().is_none() {
        return Err(Failure::Refused(anyhow!("no switch and no cable: there is nothing to route")));
    }
    let numbered = lids::number(fabric, arguments.lmc)?;
    let options =
        RouteOptions { connect_roots: arguments.connect_roots, ..RouteOptions::default() };
    let (routes, seconds) = routes(fabric, &numbered.map, &options, &arguments.routing_engine)?;
    let report = Report::of(fabric, &numbered, &routes, seconds);
    terminal::print(&if arguments.json { report.json() } else { report.text() })?;
    let good = report.all_reached && !input.flawed;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(FOUND) })
}

/// The routes and the seconds that they took.
fn routes(
    fabric: &Fabric,
    lids: &LidMap,
    options: &RouteOptions,
    engines: &str,
) -> Result<(Routes, f64), Failure> {
    let start = Instant::now();
    let outcome = lk_routing::route(engines, &RouteJob { fabric, lids, options, previous: None });
    let seconds = start.elapsed().as_secs_f64();
    tell(&outcome);
    match outcome.routes {
        Some(routes) => Ok((routes, seconds)),
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
