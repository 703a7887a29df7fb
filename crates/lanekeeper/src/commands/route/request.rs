//! The command line of `lanekeeper route`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use lk_config::command_line::{Argument, CommandLineOption, Effect, help_text};
use lk_config::guid2lid::Guid2Lid;
use lk_config::{CommandLine, Effective};
use lk_diag::Diagnostics;
use lk_sm::Settings;

use crate::commands::sm::{files, setup};
use crate::failure::Failure;
use crate::terminal;

const fn extra(
    long: &'static [&'static str],
    argument: Argument,
    doc: &'static str,
) -> CommandLineOption {
    CommandLineOption { long, short: &[], argument, effect: Effect::Extra, doc }
}

/// What this command knows beside opensm's options.
static EXTRA: &[CommandLineOption] = &[
    extra(
        &["dump"],
        Argument::Required("DIR"),
        "Write the tables there, in the form of opensm's dump files.",
    ),
    extra(
        &["previous"],
        Argument::Required("FILE"),
        "Count the entries that move against these tables: an opensm-lfts.dump, or what dump_fts \
         prints.",
    ),
    extra(&["json"], Argument::None, "Print the figures as JSON."),
];

/// What is asked for.
pub(super) struct Request {
    /// The fabric's file.
    pub(super) fabric: PathBuf,
    /// Engines, roots and the like.
    pub(super) settings: Settings,
    /// Whether an LMC was asked for: the LIDs in the fabric's file do not count then.
    pub(super) lmc: Option<u8>,
    /// Where tables go.
    pub(super) dump: Option<PathBuf>,
    /// The tables that were in force before.
    pub(super) previous: Option<PathBuf>,
    /// Whether the figures are printed as JSON.
    pub(super) json: bool,
}

/// Understands the command line; nothing if help was all that was asked for.
///
/// # Errors
/// Options that opensm would refuse, no fabric or more than one, a file that cannot be read.
pub(super) fn read(words: &[OsString]) -> Result<Option<Request>, Failure> {
    let words = setup::utf8(words)?;
    let mut line = CommandLine::parse(&words, EXTRA).map_err(|error| usage(&error.0))?;
    // opensm has no use for arguments without an option and says so; here one is the fabric.
    let operands = std::mem::take(&mut line.operands);
    let mut effective = Effective::new(None);
    let mut said = Diagnostics::new();
    if line.config_file().map_err(|error| usage(&error.0))?.is_some() {
        setup::load_config(&line, &mut effective, &mut said)?;
    }
    let (actions, from_line) = line.apply(&mut effective).map_err(|error| usage(&error.0))?;
    said.extend(from_line);
    if actions.help {
        terminal::print(&help_text("lanekeeper route FABRIC", EXTRA))?;
        return Ok(None);
    }
    if actions.version || actions.create_config.is_some() {
        return Err(usage("--version and --create-config belong to `lanekeeper sm`"));
    }
    let fabric = match operands.as_slice() {
        [only] => PathBuf::from(&only.text),
        [] => return Err(usage("no fabric is named")),
        [_, second, ..] => {
            return Err(usage(&format!("one fabric at a time, not {}", second.text)));
        }
    };
    said.extend(effective.verify());
    let mut settings = Settings::new(effective.options().clone(), Guid2Lid::new());
    files::routing(&mut settings, &mut said);
    terminal::show(&said);
    let asked = effective.origin("lmc").place().is_some();
    Ok(Some(Request {
        fabric,
        lmc: asked.then_some(settings.options.lmc),
        settings,
        dump: line.extra("dump").map(PathBuf::from),
        previous: line.extra("previous").map(PathBuf::from),
        json: line.extra("json").is_some(),
    }))
}

fn usage(error: &str) -> Failure {
    Failure::Unusable(anyhow!("{error}. `lanekeeper route --help` lists the options"))
}
