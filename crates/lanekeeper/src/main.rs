//! `lanekeeper`: one program with a command for each thing that an engineer asks a fabric.
//!
//! Only what touches the world lives here: command lines, files, threads, signals. What is
//! decided is decided in the crates below; each command is a file in [`commands`].
//!
//! Called by the name `opensm` the program is `lanekeeper sm`, so that a unit file that starts
//! opensm can start it by a link.

#![forbid(unsafe_code)]

mod commands;
mod failure;
mod input;
mod terminal;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An InfiniBand subnet manager that takes OpenSM's place and says what it is about to change
/// before it changes it.
#[derive(Parser)]
#[command(name = "lanekeeper", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Manage a subnet, with the options of opensm; --sim FILE: a simulated one.
    // The words of this and the next five never come this far: opensm's options are not clap's.
    // They are here for the help.
    #[command(disable_help_flag = true)]
    Sm,
    /// Route a fabric from a file and say how good the routes are.
    #[command(disable_help_flag = true)]
    Route,
    /// Prove that routes reach everything and cannot deadlock, or show how they do.
    #[command(disable_help_flag = true)]
    Verify,
    /// Find every way in which a QoS design does nothing.
    #[command(disable_help_flag = true)]
    Check,
    /// Show what happens to the traffic from one port to another, hop by hop, and why.
    #[command(disable_help_flag = true)]
    Explain,
    /// Read all that the ports and switches of a fabric hold, and keep it in a file.
    #[command(disable_help_flag = true)]
    Snapshot,
    /// Serve a simulated fabric, and run programs on it as they are.
    Sim(commands::sim::Arguments),
    /// Write the file of a well-known topology.
    Topo(commands::topo::Arguments),
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some((command, options)) = with_options_of_opensm(&words) {
        return command(options);
    }
    let result = match Arguments::parse().command {
        Command::Sm => return commands::sm::run(&[]),
        Command::Route => return route(&[]),
        Command::Verify => return verify(&[]),
        Command::Check => return check(&[]),
        Command::Explain => return explain(&[]),
        Command::Snapshot => return snapshot(&[]),
        Command::Sim(arguments) => commands::sim::run(&arguments),
        Command::Topo(arguments) => commands::topo::run(&arguments),
    };
    result.unwrap_or_else(|failure| failure.report())
}

fn route(words: &[OsString]) -> ExitCode {
    commands::route::run(words).unwrap_or_else(|failure| failure.report())
}

fn verify(words: &[OsString]) -> ExitCode {
    commands::verify::run(words).unwrap_or_else(|failure| failure.report())
}

fn check(words: &[OsString]) -> ExitCode {
    commands::check::run(words).unwrap_or_else(|failure| failure.report())
}

fn explain(words: &[OsString]) -> ExitCode {
    commands::explain::run(words).unwrap_or_else(|failure| failure.report())
}

fn snapshot(words: &[OsString]) -> ExitCode {
    commands::snapshot::run(words).unwrap_or_else(|failure| failure.report())
}

/// A command that reads its words as opensm does.
type Run = fn(&[OsString]) -> ExitCode;

/// The command and the words behind it, where it is one that takes opensm's options. Called by
/// the name `opensm` all words are options of `sm`.
fn with_options_of_opensm(words: &[OsString]) -> Option<(Run, &[OsString])> {
    let (program, rest) = words.split_first()?;
    if Path::new(program).file_name().is_some_and(|name| name == "opensm") {
        return Some((commands::sm::run, rest));
    }
    let (command, options) = rest.split_first()?;
    let run: Run = match command.to_str()? {
        "sm" => commands::sm::run,
        "route" => route,
        "verify" => verify,
        "check" => check,
        "explain" => explain,
        "snapshot" => snapshot,
        _ => return None,
    };
    Some((run, options))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn options(words: &[OsString]) -> Option<&[OsString]> {
        with_options_of_opensm(words).map(|(_, options)| options)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_of_opensm_are_handed_on_as_they_are() {
        let line = words("/usr/sbin/lanekeeper sm -sweep 10 -- --help");
        assert_eq!(options(&line), Some(&line[2..]));
        assert_eq!(options(&words("lanekeeper topo sm")), None);
        assert_eq!(options(&words("lanekeeper")), None);
    }

    #[test]
    fn the_name_opensm_means_sm() {
        let line = words("/usr/sbin/opensm -B -g 0x1");
        assert_eq!(options(&line), Some(&line[1..]));
        assert_eq!(options(&words("./opensm")), Some(&[][..]));
    }
}
