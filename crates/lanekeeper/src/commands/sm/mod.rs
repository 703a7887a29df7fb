//! `lanekeeper sm`: the subnet manager, with opensm's options.
//!
//! [`setup`] makes settings out of files and the command line; [`simulated`] and [`real`] carry
//! datagrams, time and signals to the core; [`present`] turns what the core says into log lines,
//! plans and files ([`log`], [`syslog`], [`files`]). [`background`] is option -B.

mod background;
pub(super) mod files;
mod log;
mod partitions;
mod policy;
mod present;
mod real;
pub(super) mod routing;
mod sa_file;
pub(super) mod setup;
mod signals;
pub(super) mod simulated;
mod syslog;
pub(super) mod torus_qos;
mod watched;

use std::ffi::OsString;
use std::process::ExitCode;

use lk_sm::Outcome;

use crate::failure::{FOUND, Failure, UNUSABLE};
use crate::terminal;
use setup::Request;

/// Runs the subnet manager.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    let request = match setup::read(words) {
        Ok(request) => request,
        Err(failure) => return failure.report(),
    };
    match request {
        Request::Print { text, code } => match terminal::print(&text) {
            Ok(()) => ExitCode::from(code),
            Err(error) => Failure::from(error).report(),
        },
        Request::Done => ExitCode::SUCCESS,
        Request::Background => {
            background::start().unwrap_or_else(|error| Failure::from(error).report())
        }
        Request::Run(setup) => {
            let outcome = match &setup.simulate {
                Some(_) => simulated::run(*setup),
                None => real::run(*setup),
            };
            outcome.map_or_else(|failure| failure.report(), code)
        }
    }
}

/// The exit code of a run. A manager that was told to stop, or that swept once, has done what it
/// was asked for.
fn code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Configured | Outcome::NothingToChange | Outcome::Read | Outcome::Stopped => {
            ExitCode::SUCCESS
        }
        Outcome::WouldChange | Outcome::Incomplete | Outcome::Refused => ExitCode::from(FOUND),
    }
}

/// The exit code of wrong usage.
const USAGE: u8 = UNUSABLE;
