//! The command line of `lanekeeper route`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use lk_config::command_line::{Argument, CommandLineOption, Effect, REQUIRE_LOOP_FREE, help_text};
use lk_config::guid2lid::Guid2Lid;
use lk_config::{CommandLine, Effective};
use lk_diag::Diagnostics;
use lk_sm::Settings;

use crate::commands::sm::{routing, setup};
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
        &["path-sls"],
        Argument::Required("FILE"),
        "Write the SL of each path there, as ibdmchk -c and `verify --path-sls` read them: GUID of \
         the sending node, LID, SL.",
    ),
    extra(
        &["previous"],
        Argument::Required("FILE"),
        "Count the entries that move against these tables: an opensm.fdbs, an opensm-lfts.dump, or \
         what dump_fts or ibroute prints.",
    ),
    extra(
        &["keep"],
        Argument::None,
        "With --previous: let its entries stand where they may, as `sm` does with what it finds on \
         switches.",
    ),
    extra(
        &["compare"],
        Argument::Required("ENGINES"),
        "Route by each of these engines and put their figures side by side.",
    ),
    extra(
        &["svg"],
        Argument::Required("FILE"),
        "Write a picture of how many routes are on each link.",
    ),
    extra(
        &["seed"],
        Argument::Required("N"),
        "The seed of the permutations by which shares are worked out (1).",
    ),
    IBNL_PATH,
    REQUIRE_LOOP_FREE,
    extra(&["json"], Argument::None, "Print the figures as JSON."),
];

/// Where definitions of systems are.
pub(in crate::commands) const IBNL_PATH: CommandLineOption = extra(
    &["ibnl-path"],
    Argument::Required("DIRS"),
    "Folders with definitions of systems (.ibnl) for a topology file of ibdm, with colons between \
     them.",
);

/// What is asked for.
pub(super) struct Request {
    /// The fabric's file.
    pub(super) fabric: PathBuf,
    /// Where definitions of systems are.
    pub(super) ibnl: Option<String>,
    /// Engines, roots and the like.
    pub(super) settings: Settings,
    /// Whether an LMC was asked for: the LIDs in the fabric's file do not count then.
    pub(super) lmc: Option<u8>,
    /// Where tables go.
    pub(super) dump: Option<PathBuf>,
    /// Where the SLs of paths go.
    pub(super) path_sls: Option<PathBuf>,
    /// The tables that were in force before.
    pub(super) previous: Option<PathBuf>,
    /// Whether the entries of these stay where they may.
    pub(super) keep: bool,
    /// Engines to be compared; none: one is asked for.
    pub(super) compare: Vec<String>,
    /// Where the picture goes.
    pub(super) svg: Option<PathBuf>,
    /// The seed of permutations by chance.
    pub(super) seed: u64,
    /// Whether the figures are printed as JSON.
    pub(super) json: bool,
}

/// What a command line that holds opensm's options says of routing.
pub(in crate::commands) struct Words {
    /// The options, for those of the command's own.
    pub(in crate::commands) line: CommandLine,
    /// Words without an option.
    pub(in crate::commands) operands: Vec<String>,
    /// Engines, roots and the like.
    pub(in crate::commands) settings: Settings,
    /// The LMC, if one was asked for.
    pub(in crate::commands) lmc: Option<u8>,
}

/// Understands the command line of a command that takes opensm's options and some of its own;
/// nothing if help was all that was asked for.
///
/// # Errors
/// Options that opensm would refuse; a file that cannot be read.
pub(in crate::commands) fn understand(
    words: &[OsString],
    usage_line: &str,
    own: &'static [CommandLineOption],
) -> Result<Option<Words>, Failure> {
    let words = setup::utf8(words)?;
    let mut line = CommandLine::parse(&words, own).map_err(|error| usage(usage_line, &error.0))?;
    // opensm has no use for arguments without an option and says so; here one is the fabric.
    let operands = std::mem::take(&mut line.operands).into_iter().map(|o| o.text).collect();
    let mut effective = Effective::new(None);
    let mut said = Diagnostics::new();
    if line.config_file().map_err(|error| usage(usage_line, &error.0))?.is_some() {
        setup::load_config(&line, &mut effective, &mut said)?;
    }
    let (actions, from_line) =
        line.apply(&mut effective).map_err(|error| usage(usage_line, &error.0))?;
    said.extend(from_line);
    if actions.help {
        terminal::print(&help_text(usage_line, own))?;
        return Ok(None);
    }
    if actions.version || actions.create_config.is_some() {
        let why = "--version and --create-config belong to `lanekeeper sm`";
        return Err(usage(usage_line, why));
    }
    said.extend(effective.verify());
    let mut settings = Settings::new(effective.options().clone(), Guid2Lid::new());
    routing::read(&effective, &mut settings, &mut said);
    terminal::show(&said);
    let asked = effective.origin("lmc").place().is_some();
    let lmc = asked.then_some(settings.options.lmc);
    Ok(Some(Words { line, operands, settings, lmc }))
}

/// How the command is called.
const USAGE: &str = "lanekeeper route FABRIC";

/// Understands the command line; nothing if help was all that was asked for.
///
/// # Errors
/// Those of [`understand`]; no fabric or more than one.
pub(super) fn read(words: &[OsString]) -> Result<Option<Request>, Failure> {
    let Some(words) = understand(words, USAGE, EXTRA)? else { return Ok(None) };
    let Words { line, operands, settings, lmc } = words;
    if line.extra("keep").is_some() && line.extra("previous").is_none() {
        return Err(usage(USAGE, "--keep means nothing without --previous"));
    }
    let compare = line.extra("compare").map(engines).transpose()?.unwrap_or_default();
    if !compare.is_empty() && line.extra("dump").is_some() {
        return Err(usage(USAGE, "--dump is for one engine, and --compare for several"));
    }
    let seed = line.extra("seed").map(|text| {
        let number = text.parse::<u64>();
        number.map_err(|_| usage(USAGE, &format!("--seed {text}: not a number")))
    });
    Ok(Some(Request {
        keep: line.extra("keep").is_some(),
        compare,
        svg: line.extra("svg").map(PathBuf::from),
        seed: seed.transpose()?.unwrap_or(1),
        fabric: one_fabric(USAGE, &operands)?,
        ibnl: line.extra("ibnl-path").map(str::to_owned),
        lmc,
        settings,
        dump: line.extra("dump").map(PathBuf::from),
        path_sls: line.extra("path-sls").map(PathBuf::from),
        previous: line.extra("previous").map(PathBuf::from),
        json: line.extra("json").is_some(),
    }))
}

/// The engines of a list, each once.
fn engines(list: &str) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() {
        return Err(usage(USAGE, "--compare takes names of engines with commas between them"));
    }
    Ok(names)
}

/// The fabric's file, where there has to be one.
///
/// # Errors
/// None, or several.
pub(in crate::commands) fn one_fabric(
    usage_line: &str,
    operands: &[String],
) -> Result<PathBuf, Failure> {
    match operands {
        [only] => Ok(PathBuf::from(only)),
        [] => Err(usage(usage_line, "no fabric is named")),
        [_, second, ..] => Err(usage(usage_line, &format!("one fabric at a time, not {second}"))),
    }
}

/// Wrong usage, and where to read on.
pub(in crate::commands) fn usage(usage_line: &str, error: &str) -> Failure {
    let command = usage_line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    Failure::Unusable(anyhow!("{error}. `{command} --help` lists the options"))
}
