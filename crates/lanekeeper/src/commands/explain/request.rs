//! The command line of `lanekeeper explain`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use lk_audit::explain::Question;
use lk_config::command_line::{Argument, CommandLineOption, help_text};
use lk_config::{CommandLine, Effective, opensm_conf};
use lk_diag::{Diagnostics, Severity, SourceFile, render};
use lk_wire::{PKey, Sl};

use crate::commands::route::request::{IBNL_PATH, usage};
use crate::commands::sm::setup;
use crate::commands::snapshot::source::Source as Held;
use crate::failure::Failure;
use crate::terminal;

/// What this command knows beside opensm's options.
static OWN: &[CommandLineOption] = &[
    CommandLineOption::own(
        &["fabric"],
        Argument::Required("FABRIC"),
        "The fabric's file. It is brought up on the embedded simulator with the options as they \
         are, and its subnet administration is asked for the path.",
    ),
    CommandLineOption::own(
        &["snapshot"],
        Argument::Required("FILE"),
        "A snapshot of a fabric, as it is. What set the SL is known only as far as options and \
         files are given, too.",
    ),
    CommandLineOption::own(
        &["dumps"],
        Argument::Required("DIR"),
        "The same of what opensm has dumped there.",
    ),
    CommandLineOption::own(
        &["live"],
        Argument::None,
        "The fabric that a port of this machine is on, read by Gets alone; -g names the port. The \
         master's subnet administration is asked for the path.",
    ),
    CommandLineOption::own(
        &["service-id"],
        Argument::Required("N"),
        "The program asks for a path with this service ID.",
    ),
    CommandLineOption::own(&["pkey"], Argument::Required("N"), "With this P_Key."),
    CommandLineOption::own(&["qos-class"], Argument::Required("N"), "With this QoS class."),
    CommandLineOption::own(
        &["sl"],
        Argument::Required("N"),
        "With this SL; with --snapshot and --dumps: it sends on this SL without asking.",
    ),
    CommandLineOption::own(
        &["mgid"],
        Argument::Required("GID"),
        "Also the way of this multicast group: with --fabric once both ends have joined it, with \
         --live as it is. With --snapshot and --dumps its LID, as 0xc001.",
    ),
    CommandLineOption::own(
        &["busy"],
        Argument::Required("SLS"),
        "Also the share that is left when these SLs have traffic: numbers with commas.",
    ),
    CommandLineOption::own(
        &["what-if"],
        Argument::Required("KEY=VALUE"),
        "With --fabric: what would change if opensm.conf had this line. May be given several times.",
    ),
    IBNL_PATH,
    CommandLineOption::own(
        &["format"],
        Argument::Required("FORMAT"),
        "text (the default), json, or html: a page for a browser.",
    ),
    CommandLineOption::own(&["json"], Argument::None, "The same as --format json."),
];

/// How the command is called.
const USAGE: &str = "lanekeeper explain SRC DST";

/// How an explanation is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// For a person.
    Text,
    /// JSON of a fixed schema.
    Json,
    /// A page for a browser.
    Html,
}

/// Where the fabric comes from.
pub(super) enum Source {
    /// A file of a fabric, to be brought up.
    Fabric(PathBuf),
    /// A fabric as it is.
    Held(Held),
}

/// Options that are taken to be set.
pub(super) struct Supposed {
    /// As they were written.
    pub(super) options: Vec<String>,
    /// The options then in force.
    pub(super) effective: Effective,
}

/// What is asked for.
pub(super) enum Asked {
    /// The help, which was printed.
    Nothing,
    /// An explanation.
    Explain(Box<Request>),
}

/// An explanation.
pub(super) struct Request {
    /// Source and destination, as they were named.
    pub(super) ends: (String, String),
    /// Where the fabric comes from.
    pub(super) source: Source,
    /// Where definitions of systems are.
    pub(super) ibnl: Option<String>,
    /// What the program asks for.
    pub(super) question: Question,
    /// The multicast group.
    pub(super) mgid: Option<String>,
    /// The options in force.
    pub(super) effective: Effective,
    /// Whether any option was given, on the command line or in a file.
    pub(super) with_options: bool,
    /// Others to be compared with.
    pub(super) what_if: Option<Supposed>,
    /// How to print.
    pub(super) format: Format,
}

/// Understands the command line and reads opensm.conf.
///
/// # Errors
/// Options that opensm would refuse; numbers that are none; a file that cannot be read.
pub(super) fn read(words: &[OsString]) -> Result<Asked, Failure> {
    let words = setup::utf8(words)?;
    let mut line = CommandLine::parse(&words, OWN).map_err(|error| usage(USAGE, &error.0))?;
    // opensm has no use for arguments without an option and says so; here two are the ends.
    let ends: Vec<String> = line.operands.drain(..).map(|operand| operand.text).collect();
    let mut effective = Effective::new(None);
    let mut said = Diagnostics::new();
    let file = line.config_file().map_err(|error| usage(USAGE, &error.0))?.is_some();
    if file {
        setup::load_config(&line, &mut effective, &mut said)?;
    }
    let (actions, from_line) =
        line.apply(&mut effective).map_err(|error| usage(USAGE, &error.0))?;
    if actions.help {
        terminal::print(&help_text(USAGE, OWN))?;
        return Ok(Asked::Nothing);
    }
    said.extend(from_line);
    let what_if = supposed(&line, &effective, &mut said)?;
    said.extend(effective.verify());
    super::show(&said);
    let [from, to] = ends.as_slice() else {
        return Err(usage(USAGE, "a source and a destination are wanted"));
    };
    // Where the file is comes from `file`, and from which port to look says nothing of a design.
    let says = |given: &lk_config::command_line::Given| {
        given.option.key().is_some_and(|key| key != "guid")
    };
    let source = source(&line)?;
    if what_if.is_some() && matches!(source, Source::Held(_)) {
        let why = "--what-if needs --fabric, a fabric that can be brought up another way";
        return Err(usage(USAGE, why));
    }
    Ok(Asked::Explain(Box::new(Request {
        ends: (from.clone(), to.clone()),
        source,
        ibnl: line.extra("ibnl-path").map(str::to_owned),
        question: question(&line)?,
        mgid: line.extra("mgid").map(str::to_owned),
        with_options: file || line.given.iter().any(says),
        effective,
        what_if,
        format: format(&line)?,
    })))
}

fn format(line: &CommandLine) -> Result<Format, Failure> {
    Ok(match line.extra("format") {
        None if line.extra("json").is_some() => Format::Json,
        None | Some("text") => Format::Text,
        Some("json") => Format::Json,
        Some("html") => Format::Html,
        Some(other) => {
            let why = format!("--format {other}: there are text, json and html");
            return Err(usage(USAGE, &why));
        }
    })
}

fn source(line: &CommandLine) -> Result<Source, Failure> {
    let path = |name| line.extra(name).map(PathBuf::from);
    let sources = [
        path("fabric").map(Source::Fabric),
        line.extra("live").map(|_| Source::Held(Held::Live)),
        path("snapshot").map(|path| Source::Held(Held::File(path))),
        path("dumps").map(|path| Source::Held(Held::Dumps(path))),
    ];
    let mut given = sources.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(source), None) => Ok(source),
        (None, _) => {
            Err(usage(USAGE, "which fabric? There are --fabric, --live, --snapshot and --dumps"))
        }
        (Some(_), Some(_)) => {
            Err(usage(USAGE, "one fabric at a time: --fabric, --live, --snapshot or --dumps"))
        }
    }
}

fn question(line: &CommandLine) -> Result<Question, Failure> {
    let number = |name: &str, most: u64| -> Result<Option<u64>, Failure> {
        let Some(text) = line.extra(name) else { return Ok(None) };
        let value = number_of(text).filter(|value| *value <= most);
        let value = value.ok_or_else(|| {
            usage(USAGE, &format!("--{name} {text}: a number from 0 to {most} is wanted"))
        })?;
        Ok(Some(value))
    };
    let busy = line.extra("busy").map(|text| {
        let sl = |word: &str| number_of(word.trim()).filter(|n| *n < 16).map(|n| Sl(n as u8));
        let sls: Option<Vec<Sl>> = text.split(',').map(sl).collect();
        sls.ok_or_else(|| usage(USAGE, &format!("--busy {text}: SLs with commas are wanted")))
    });
    Ok(Question {
        service_id: number("service-id", u64::MAX)?,
        pkey: number("pkey", 0xFFFF)?.map(|n| PKey(n as u16)),
        qos_class: number("qos-class", 0xFFF)?.map(|n| n as u16),
        sl: number("sl", 15)?.map(|n| Sl(n as u8)),
        busy: busy.transpose()?,
    })
}

/// A decimal number, or a hexadecimal one.
pub(super) fn number_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The options as they would be with those of `--what-if`.
fn supposed(
    line: &CommandLine,
    effective: &Effective,
    said: &mut Diagnostics,
) -> Result<Option<Supposed>, Failure> {
    let named = line.given.iter().filter(|given| given.option.long.contains(&"what-if"));
    let options: Vec<String> = named.filter_map(|given| given.value.clone()).collect();
    if options.is_empty() {
        return Ok(None);
    }
    let lines: Vec<String> = options.iter().map(|option| option.replacen('=', " ", 1)).collect();
    let file = SourceFile::new("--what-if", lines.join("\n") + "\n");
    let (conf, found) = opensm_conf::parse(&file);
    let wrong = found.iter().find(|found| found.severity != Severity::Info);
    if let Some(wrong) = wrong.filter(|_| conf.entries.len() < options.len()) {
        let help = wrong.help.first().map_or_else(String::new, |help| format!("; {help}"));
        return Err(anyhow!("{}{help}", render::line(wrong)).into());
    }
    said.extend(found);
    let mut supposed = effective.clone();
    supposed.suppose(&conf);
    said.extend(supposed.verify());
    Ok(Some(Supposed { options, effective: supposed }))
}
