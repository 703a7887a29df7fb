//! `lanekeeper sim`: a simulated fabric on which any program that uses libibumad runs as it is.
//!
//! [`server`] is the fabric in real time; programs reach it over a Unix socket ([`socket`]) by the
//! stand-in for libibumad, which [`program`] gives them. [`connection`] is the far end of one of
//! them, [`host`] what it sees of its node, [`questions`] what it may ask, [`issm`] the files that
//! tell the fabric of subnet managers. [`script`] is what happens to the fabric meanwhile.

mod connection;
mod host;
mod issm;
mod messages;
mod program;
mod questions;
mod script;
mod server;
mod socket;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use lk_sim::{SimFabric, SimOptions};
use lk_umad_standin::Installed;
use lk_wire::Guid;

use crate::failure::Failure;
use crate::{input, terminal};
use server::Server;

/// What `lanekeeper sim` is given.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The fabric: a file in ibnetdiscover's or ibsim's form.
    #[arg(required_unless_present = "attach", conflicts_with = "attach")]
    fabric: Option<PathBuf>,
    /// Serve the fabric under this name (or path), so that others can attach to it.
    #[arg(long, value_name = "NAME", conflicts_with = "attach")]
    listen: Option<String>,
    /// Run the command on the fabric that is served under this name.
    #[arg(long, value_name = "NAME", requires = "command")]
    attach: Option<String>,
    /// The node on which the command sits: its description or GUID. Without it a host that the
    /// file begins with.
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Things that happen to the fabric, a line each; `-` reads them from standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "attach")]
    script: Option<PathBuf>,
    /// The seed of everything that is left to chance.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The command to run. Without one the fabric is served until a signal ends it.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Serves a fabric, or runs a program on one.
///
/// # Errors
/// The file holds no fabric, a script makes no sense, nothing is served under the name, or the
/// command cannot be started.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match (&arguments.attach, &arguments.fabric) {
        (Some(name), _) => attach(arguments, name),
        (None, Some(path)) => serve(arguments, path),
        (None, None) => Err(anyhow!("name a fabric, or one to attach to").into()),
    }
}

/// Runs the command on a fabric that somebody serves.
fn attach(arguments: &Arguments, name: &str) -> Result<ExitCode, Failure> {
    let path = socket::path(name);
    socket::ask_whether_served(&path, name)?;
    let standin = Installed::new().map_err(anyhow::Error::from)?;
    program::start(&arguments.command, &standin, &path, arguments.node.as_deref())?.wait()
}

fn serve(arguments: &Arguments, path: &std::path::Path) -> Result<ExitCode, Failure> {
    let given = input::fabric(path, None)?;
    let first = super::sm::simulated::own_port(&given.file, Guid(0))?;
    let options = SimOptions { seed: arguments.seed, ..SimOptions::default() };
    let sim = SimFabric::new(&given.file.fabric, &options);
    let script = arguments.script.as_deref().map(|file| script::read(file, sim.fabric()));
    let place = socket::Place::new(arguments.listen.as_deref())?;
    let fabric = sim.fabric();
    if let Some(name) = &arguments.node {
        host::find(fabric, name).map_err(|why| anyhow!(why))?;
    }
    let first = fabric.owner(first);
    let mut server = Server::new(sim, first, &place, script.transpose()?)?;
    let Some(name) = arguments.command.first() else {
        if arguments.listen.is_none() {
            let hint = "give the fabric a name with --listen, or a command behind --";
            return Err(anyhow!("nobody could reach this fabric: {hint}").into());
        }
        announce(arguments.listen.as_deref().unwrap_or_default());
        server.run(None)?;
        return Ok(ExitCode::SUCCESS);
    };
    let standin = Installed::new().map_err(anyhow::Error::from)?;
    let node = arguments.node.as_deref();
    let child = program::start(&arguments.command, &standin, place.path(), node)?;
    let code = server.run(Some(child))?;
    code.ok_or_else(|| Failure::Refused(anyhow!("{} did not end", name.display())))
}

fn announce(name: &str) {
    terminal::complain(&format!(
        "lanekeeper: the fabric is served; run programs on it with: lanekeeper sim --attach {name} \
         -- COMMAND"
    ));
}
