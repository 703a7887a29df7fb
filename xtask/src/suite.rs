//! `cargo xtask test`: every test of the project, on a machine with Debian and Rust.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{packages, tree};

/// Installs what the tests need, unless told not to, then runs them all.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        [] => packages::install_missing()?,
        ["--no-install"] => {}
        other => bail!("unknown argument {}: only --no-install is known", other.join(" ")),
    }
    if has_nextest() {
        cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])?;
        // nextest does not run the examples in doc comments.
        cargo(&["test", "--workspace", "--locked", "--doc"])
    } else {
        cargo(&["test", "--workspace", "--locked"])
    }
}

fn has_nextest() -> bool {
    let version = command().args(["nextest", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

fn command() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(tree::root());
    cargo
}

fn cargo(arguments: &[&str]) -> Result<()> {
    println!("running cargo {}", arguments.join(" "));
    let status = command().args(arguments).status().context("cannot run cargo")?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}
