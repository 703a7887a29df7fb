//! `lanekeeper topo`: fabrics to try things on.

mod shape;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use lk_fabric::LinkRate;
use lk_fabric::text;
use lk_fabric::topo::{self, Amount, Faults, Generated, TopoSpec};

use crate::failure::Failure;
use crate::terminal;

/// What `lanekeeper topo` is given.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    shape: shape::Shape,
    /// Take out that many links between switches: a number, or a share such as 1%.
    #[arg(long, global = true, value_name = "AMOUNT", default_value = "0")]
    fail_links: Amount,
    /// Take out that many switches, with the hosts that hang on nothing else.
    #[arg(long, global = true, value_name = "AMOUNT", default_value = "0")]
    fail_switches: Amount,
    /// Chooses among the fabrics that chance could make.
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Width and speed of every link: 1x to 12x, SDR to XDR.
    #[arg(long, global = true, value_name = "RATE", default_value = "4xHDR", value_parser = rate)]
    rate: LinkRate,
    /// The form of the file.
    #[arg(long, global = true, value_enum, default_value_t = Form::Ibnetdiscover)]
    format: Form,
    /// Write to a file in place of standard output.
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The forms that a fabric can be written in.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// As ibnetdiscover prints it.
    Ibnetdiscover,
    /// As ibsim reads it: hosts first, so that programs on it sit on a host.
    Ibsim,
}

fn rate(text: &str) -> Result<LinkRate, String> {
    let known = LinkRate::parse(text).filter(|rate| rate.decigigabits() > 0);
    known.ok_or_else(|| "write lanes and speed as in 4xHDR".to_owned())
}

/// Generates a fabric and writes it.
///
/// # Errors
/// Sizes of which no fabric can be made; a file that cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let faults = Faults {
        links: arguments.fail_links,
        switches: arguments.fail_switches,
        seed: arguments.seed,
    };
    let shape = arguments.shape.spec(arguments.seed);
    let spec = TopoSpec { shape, faults, rate: arguments.rate };
    let generated = topo::generate(&spec).map_err(|error| anyhow!(error))?;
    for note in &generated.notes {
        terminal::complain(&format!("note: {note}"));
    }
    let text = write(&generated, arguments.format);
    match &arguments.output {
        None => terminal::print(&text)?,
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(generated: &Generated, form: Form) -> String {
    let mut text = String::new();
    let fabric = &generated.fabric;
    let written = match form {
        Form::Ibnetdiscover => text::write_ibnetdiscover(&mut text, fabric, None),
        Form::Ibsim => text::write_ibsim(&mut text, fabric),
    };
    debug_assert!(written.is_ok(), "a String takes everything");
    text
}
