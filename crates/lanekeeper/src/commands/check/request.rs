//! The command line of `lanekeeper check`, and the files that it names.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use lk_audit::{Accepted, SiteFiles};
use lk_config::command_line::{Argument, CommandLineOption, help_text};
use lk_config::{CommandLine, Effective, opensm_conf};
use lk_diag::{Diagnostics, SourceFile};
use lk_sm::{Guid2Lid, Settings};

use super::files;
use crate::commands::route::request::usage;
use crate::commands::sm::{routing, setup, torus_qos};
use crate::commands::snapshot::source::Source;
use crate::failure::Failure;
use crate::terminal;

/// What this command knows beside opensm's options.
static OWN: &[CommandLineOption] = &[
    CommandLineOption::own(
        &["fabric"],
        Argument::Required("FABRIC"),
        "Check for the ports of this fabric: it is brought up on the embedded simulator with the \
         options as they are. Without it ports are taken to be able to do what the files ask for.",
    ),
    CommandLineOption::own(
        &["ibnl-path"],
        Argument::Required("FOLDERS"),
        "Where definitions of systems are that an ibdm topology refers to.",
    ),
    CommandLineOption::own(
        &["running"],
        Argument::Required("FILE"),
        "The opensm.conf that a running manager has in force: say also what of the change to the \
         file of -F takes effect at SIGHUP and what does not.",
    ),
    CommandLineOption::own(
        &["live"],
        Argument::None,
        "Check what the ports and switches hold of the fabric that a port of this machine is on, and \
         against the files if there are any; -g names the port. Nothing is written.",
    ),
    CommandLineOption::own(
        &["snapshot"],
        Argument::Required("FILE"),
        "The same of a snapshot, which `lanekeeper snapshot` has written.",
    ),
    CommandLineOption::own(
        &["dumps"],
        Argument::Required("DIR"),
        "The same of opensm's dump files there, as far as these go: routes and SL2VL tables.",
    ),
    CommandLineOption::own(
        &["format"],
        Argument::Required("FORMAT"),
        "text (the default), lines (one a finding), json, sarif, or html: one page with pictures.",
    ),
    CommandLineOption::own(&["json"], Argument::None, "The same as --format json."),
    CommandLineOption::own(
        &["explain-rule"],
        Argument::Required("CODE"),
        "Print the page of a rule, or of all rules: what it is, how to see it, how to mend it.",
    ),
    CommandLineOption::own(
        &["allow"],
        Argument::Required("CODES"),
        "Do not report these, codes with commas between them. A comment `# allow CODE: reason` on \
         the line of a finding, or before it, does the same for that finding.",
    ),
    CommandLineOption::own(
        &["baseline"],
        Argument::Required("FILE"),
        "Do not report what this file accepts.",
    ),
    CommandLineOption::own(
        &["write-baseline"],
        Argument::Required("FILE"),
        "Write a file there that accepts all that is found now.",
    ),
];

/// How the command is called.
const USAGE: &str = "lanekeeper check";

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// For a person.
    Text,
    /// One line each.
    Lines,
    /// JSON of a fixed schema.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// A page for a browser.
    Html,
}

/// What is asked for.
pub(super) enum Asked {
    /// The help, which was printed.
    Nothing,
    /// The page of a rule.
    Page(String),
    /// A check.
    Check(Box<Request>),
}

/// A check.
pub(super) struct Request {
    /// The options in force.
    pub(super) effective: Effective,
    /// The same, with the files that shape routing.
    pub(super) settings: Settings,
    /// The other files.
    pub(super) files: SiteFiles,
    /// What was found while files were read.
    pub(super) found: Diagnostics,
    /// The fabric's file.
    pub(super) fabric: Option<PathBuf>,
    /// Where definitions of systems are.
    pub(super) ibnl: Option<String>,
    /// A fabric that is checked as it is.
    pub(super) held: Option<Source>,
    /// What is accepted.
    pub(super) accepted: Accepted,
    /// Where to write what is found as accepted.
    pub(super) baseline_to: Option<PathBuf>,
    /// How to print.
    pub(super) format: Format,
}

/// Understands the command line and reads the files.
///
/// # Errors
/// Options that opensm would refuse; files that cannot be read.
pub(super) fn read(words: &[OsString]) -> Result<Asked, Failure> {
    let words = setup::utf8(words)?;
    let line = CommandLine::parse(&words, OWN).map_err(|error| usage(USAGE, &error.0))?;
    if let Some(word) = line.operands.first() {
        return Err(usage(USAGE, &format!("what is {} for? --fabric names a fabric", word.text)));
    }
    if let Some(code) = line.extra("explain-rule") {
        return Ok(Asked::Page(code.to_owned()));
    }
    let mut effective = Effective::new(None);
    let mut found = Diagnostics::new();
    let has_config = line.config_file().map_err(|error| usage(USAGE, &error.0))?.is_some();
    if has_config {
        setup::load_config(&line, &mut effective, &mut found)?;
    }
    let (actions, from_line) =
        line.apply(&mut effective).map_err(|error| usage(USAGE, &error.0))?;
    if actions.help {
        terminal::print(&help_text(USAGE, OWN))?;
        return Ok(Asked::Nothing);
    }
    if actions.version || actions.create_config.is_some() {
        let why = "--version and --create-config belong to `lanekeeper sm`";
        return Err(usage(USAGE, why));
    }
    found.extend(from_line);
    found.extend(effective.verify());
    found.extend(effective.notices());
    let running = running(&line, &mut found)?;
    let mut settings = Settings::new(effective.options().clone(), Guid2Lid::new());
    routing::read(&effective, &mut settings, &mut found);
    let mut files = files::read(&effective, &mut settings, &mut found);
    torus_qos::look(&effective, files.policy.as_ref(), &mut found);
    files.has_config = has_config;
    files.running = running;
    settings.tune_window = true;
    Ok(Asked::Check(Box::new(Request {
        held: held(&line)?,
        fabric: line.extra("fabric").map(PathBuf::from),
        accepted: accepted(&line)?,
        baseline_to: line.extra("write-baseline").map(PathBuf::from),
        format: format(&line)?,
        ibnl: line.extra("ibnl-path").map(str::to_owned),
        effective,
        settings,
        files,
        found,
    })))
}

/// The options that a running manager has in force. What of the new file it would not take over is
/// told.
fn running(line: &CommandLine, found: &mut Diagnostics) -> Result<Option<Effective>, Failure> {
    let Some(path) = line.extra("running") else { return Ok(None) };
    let Some(new) = line.config_file().map_err(|error| usage(USAGE, &error.0))? else {
        return Err(usage(USAGE, "--running FILE is compared with the file of -F: name one"));
    };
    let read = |path: &str| -> Result<SourceFile, Failure> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {path}"))?;
        Ok(SourceFile::new(path, bytes))
    };
    let (old, new) = (read(path)?, read(new)?);
    let mut effective = Effective::new(None);
    effective.load(&opensm_conf::parse(&old).0);
    effective.verify();
    let before = effective.clone();
    let (_, said) = effective.reload(&opensm_conf::parse(&new).0);
    // What is corrected and faulty in the new file is said in any case.
    let of_change = |d: &lk_diag::Diagnostic| {
        [lk_config::codes::NEEDS_RESTART, lk_config::codes::LINE_REMOVED].contains(&d.code)
    };
    found.extend(said.into_iter().filter(of_change));
    Ok(Some(before))
}

/// A fabric that is checked as it is.
fn held(line: &CommandLine) -> Result<Option<Source>, Failure> {
    let path = |name| line.extra(name).map(PathBuf::from);
    let live = line.extra("live").map(|_| Source::Live);
    let sources = [live, path("snapshot").map(Source::File), path("dumps").map(Source::Dumps)];
    let mut given = sources.into_iter().flatten();
    let (first, second) = (given.next(), given.next());
    let file = first.is_some() && line.extra("fabric").is_some();
    if second.is_some() || file {
        let why = "one fabric at a time: --fabric, --live, --snapshot or --dumps";
        return Err(usage(USAGE, why));
    }
    Ok(first)
}

fn format(line: &CommandLine) -> Result<Format, Failure> {
    Ok(match line.extra("format") {
        None if line.extra("json").is_some() => Format::Json,
        None | Some("text") => Format::Text,
        Some("lines") => Format::Lines,
        Some("json") => Format::Json,
        Some("sarif") => Format::Sarif,
        Some("html") => Format::Html,
        Some(other) => {
            let why = format!("--format {other}: there are text, lines, json, sarif and html");
            return Err(usage(USAGE, &why));
        }
    })
}

fn accepted(line: &CommandLine) -> Result<Accepted, Failure> {
    let mut accepted = Accepted::default();
    for code in line.extra("allow").unwrap_or_default().split(',').map(str::trim) {
        accepted.code(code);
    }
    if let Some(path) = line.extra("baseline") {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
        if text.contains('\0') {
            return Err(anyhow!("{path} is no text file").into());
        }
        accepted.baseline(&text);
    }
    Ok(accepted)
}
