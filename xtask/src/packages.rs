//! The Debian packages that the tests need, and how they get onto the machine.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// A package and what the tests use of it.
const NEEDED: [(&str, &str); 8] = [
    ("ibsim-utils", "the fabric simulator that real programs run on"),
    ("opensm", "the subnet manager to compare with"),
    ("infiniband-diags", "smpquery, iblinkinfo, ibnetdiscover, ibtracert and their kin"),
    ("ibutils", "ibdmchk, which checks the dumps"),
    ("libibumad3", "access to ports"),
    ("libibmad5", "the reference decoder of attributes"),
    ("python3", "calls that decoder"),
    ("chromium", "shows the page of `check` as a browser does"),
];

/// Installs what is missing with apt-get, as root or by sudo, and says what it does.
pub(crate) fn install_missing() -> Result<()> {
    let missing: Vec<&str> =
        NEEDED.iter().map(|(name, _)| *name).filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("The tests run the field's own programs. Missing Debian packages:");
    for (name, purpose) in NEEDED.iter().filter(|(name, _)| missing.contains(name)) {
        println!("  {name:<18}{purpose}");
    }
    if Command::new("apt-get").arg("--version").output().is_err() {
        bail!("there is no apt-get here: install these programs, then run with --no-install");
    }
    let install = ["install", "--yes", "--no-install-recommends"];
    let install: Vec<&str> = install.into_iter().chain(missing.iter().copied()).collect();
    if apt_get(&install).is_err() {
        // The lists of a fresh machine or container are often empty or old.
        apt_get(&["update"])?;
        apt_get(&install)?;
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    Command::new("dpkg-query")
        .args(["--show", "--showformat", "${db:Status-Status}", package])
        .output()
        .is_ok_and(|output| output.status.success() && output.stdout == b"installed")
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["--", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    };
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    println!("running apt-get {}", arguments.join(" "));
    let status = command.status().context("cannot run apt-get (as root or by sudo)")?;
    if !status.success() {
        bail!("apt-get {} failed", arguments.join(" "));
    }
    Ok(())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
