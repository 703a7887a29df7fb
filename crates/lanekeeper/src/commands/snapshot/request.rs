//! The command line of `lanekeeper snapshot`.

use std::ffi::OsString;
use std::path::PathBuf;

use lk_config::command_line::{Argument, CommandLineOption, Effect, help_text};
use lk_config::{CommandLine, Effective};
use lk_diag::Diagnostics;
use lk_sm::{Guid2Lid, Settings};

use super::source::Source;
use crate::commands::route::request::usage;
use crate::commands::sm::setup;
use crate::failure::Failure;
use crate::terminal;

/// What this command knows beside opensm's options.
static OWN: &[CommandLineOption] = &[
    CommandLineOption::own(
        &["live"],
        Argument::None,
        "Read the fabric that a port of this machine is on; -g names the port. Nothing is written: \
         only Gets are sent, beside whatever subnet manager is at work.",
    ),
    CommandLineOption::own(
        &["sim"],
        Argument::Required("FABRIC"),
        "Bring this fabric's file up on the embedded simulator, with the other options, and read \
         that.",
    ),
    CommandLineOption::own(
        &["dumps"],
        Argument::Required("DIR"),
        "Put it together from opensm's dump files there: opensm-subnet.lst, opensm.fdbs or \
         opensm-lfts.dump, and opensm.mcfdbs and opensm-sl2vl.dump if they are there.",
    ),
    CommandLineOption::own(
        &["snapshot"],
        Argument::Required("FILE"),
        "Take one that was written before, to anonymise it.",
    ),
    CommandLineOption {
        long: &["output"],
        short: &['o'],
        argument: Argument::Required("FILE"),
        effect: Effect::Extra,
        doc: "Where the snapshot goes; - is standard output.",
    },
    CommandLineOption::own(
        &["anonymise"],
        Argument::None,
        "Replace names, GUIDs and keys, the same by the same, so that it can be given away. LIDs, \
         cables and tables stay.",
    ),
];

/// How the command is called.
const USAGE: &str = "lanekeeper snapshot";

/// What is asked for.
pub(super) struct Request {
    /// Where the snapshot comes from.
    pub(super) source: Source,
    /// The options in force.
    pub(super) settings: Settings,
    /// Where it goes.
    pub(super) out: PathBuf,
    /// Whether names and GUIDs are replaced.
    pub(super) anonymise: bool,
}

/// Understands the command line; nothing if help was all that was asked for.
///
/// # Errors
/// Options that opensm would refuse or that do not go together; a file that cannot be read.
pub(super) fn read(words: &[OsString]) -> Result<Option<Request>, Failure> {
    let words = setup::utf8(words)?;
    let line = CommandLine::parse(&words, OWN).map_err(|error| usage(USAGE, &error.0))?;
    if let Some(word) = line.operands.first() {
        let why = format!("what is {} for? --sim names a fabric's file", word.text);
        return Err(usage(USAGE, &why));
    }
    let mut effective = Effective::new(None);
    let mut said = Diagnostics::new();
    if line.config_file().map_err(|error| usage(USAGE, &error.0))?.is_some() {
        setup::load_config(&line, &mut effective, &mut said)?;
    }
    let (actions, from_line) =
        line.apply(&mut effective).map_err(|error| usage(USAGE, &error.0))?;
    if actions.help {
        terminal::print(&help_text(USAGE, OWN))?;
        return Ok(None);
    }
    if actions.version || actions.create_config.is_some() {
        let why = "--version and --create-config belong to `lanekeeper sm`";
        return Err(usage(USAGE, why));
    }
    said.extend(from_line);
    let source = source(&line)?;
    let Some(out) = line.extra("output") else {
        return Err(usage(USAGE, "where does the snapshot go? -o names a file"));
    };
    said.extend(effective.verify());
    let settings = setup::settings(&effective, true, Guid2Lid::new(), None, &mut said);
    terminal::show(&said);
    let anonymise = line.extra("anonymise").is_some();
    Ok(Some(Request { source, settings, out: PathBuf::from(out), anonymise }))
}

fn source(line: &CommandLine) -> Result<Source, Failure> {
    let path = |name| line.extra(name).map(PathBuf::from);
    let live = line.extra("live").map(|_| Source::Live);
    let sources = [
        live,
        path("sim").map(Source::Simulated),
        path("dumps").map(Source::Dumps),
        path("snapshot").map(Source::File),
    ];
    let mut given = sources.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(source), None) => Ok(source),
        (None, _) => Err(usage(USAGE, "a snapshot of what? There are --live, --sim and --dumps")),
        (Some(_), Some(_)) => {
            Err(usage(USAGE, "one fabric at a time: --live, --sim, --dumps or --snapshot"))
        }
    }
}
