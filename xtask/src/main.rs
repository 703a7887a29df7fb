//! Developer commands: `cargo xtask COMMAND`.
//!
//! Everything that must hold in this tree is a check here, and each check is also a test, so that
//! the test command finds what the commands find. `layers` holds the ranks of the crates, `tidy`
//! the house style, `licences` what the dependencies may be under; `options`, `man` and `rules`
//! write the files that are made from tables in the code; `test` is the command that the README
//! names.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod generated;
mod layers;
mod licences;
mod man;
mod metadata;
mod options;
mod packages;
mod rules;
mod suite;
mod tidy;
mod tree;

use std::fmt;
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test       install the field's programs where they are missing, then run every test
  layers     check that crates use only crates of a smaller rank
  tidy       check the house style of the sources and documents
  licences   check the licences of all dependencies
  options    write docs/opensm-options.md from the option table (--check: only compare)
  man        write man/lanekeeper-sm.8 from the tables of options (--check: only compare)
  rules      write docs/rules.md from the rules of `lanekeeper check` (--check: only compare)";

/// One thing that does not hold, with the place where it was found.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// A path below the repository's root, or the name of a package.
    place: String,
    /// The line, from 1; 0 where the finding is about the whole place.
    line: usize,
    /// What is wrong and what to do instead.
    message: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { place: place.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.place, self.message),
            line => write!(f, "{}:{line}: {}", self.place, self.message),
        }
    }
}

fn report(findings: &[Finding]) -> Result<()> {
    for finding in findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        return Ok(());
    }
    bail!("{} finding(s)", findings.len())
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test", rest @ ..] => suite::run(rest),
        ["layers"] => report(&layers::check()?),
        ["tidy"] => report(&tidy::check()?),
        ["licences"] => report(&licences::check()?),
        ["options"] => options::PAGE.write(),
        ["options", "--check"] => report(&options::PAGE.check()?),
        ["man"] => man::PAGE.write(),
        ["man", "--check"] => report(&man::PAGE.check()?),
        ["rules"] => rules::PAGE.write(),
        ["rules", "--check"] => report(&rules::PAGE.check()?),
        _ => bail!("{USAGE}"),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
