//! Running lanekeeper, on a simulated fabric of ibsim or by itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::ibsim::Ibsim;
use crate::process::{self, Outcome};

/// How long a run may take.
const RUN: Duration = Duration::from_secs(300);

/// The program under test.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lanekeeper;

impl Lanekeeper {
    /// The binary: what `LANEKEEPER_BIN` names, else the one that cargo builds now.
    ///
    /// # Panics
    /// If it cannot be built.
    pub fn path() -> &'static Path {
        static PATH: OnceLock<PathBuf> = OnceLock::new();
        PATH.get_or_init(|| match std::env::var_os("LANEKEEPER_BIN") {
            Some(path) => PathBuf::from(path),
            None => build(),
        })
    }

    /// The subnet manager as a client of ibsim like any other, with its log beside the fabric.
    #[must_use]
    pub fn command(ibsim: &Ibsim) -> Command {
        let mut command = ibsim.command(Self::path());
        command.args(["sm", "-f"]).arg(ibsim.folder().join("sm.log"));
        command
    }

    /// Runs the subnet manager on ibsim's fabric to its end.
    #[must_use]
    pub fn on(ibsim: &Ibsim, arguments: &[&str]) -> Outcome {
        let mut command = Self::command(ibsim);
        command.args(arguments);
        process::run(command, "libibumad3", RUN)
    }

    /// Runs it by itself, in a folder.
    #[must_use]
    pub fn run(folder: &Path, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(Self::path());
        command.args(arguments).current_dir(folder);
        command.env("OSM_TMP_DIR", folder).env("OSM_CACHE_DIR", folder);
        process::run(command, "lanekeeper", RUN)
    }
}

fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "lanekeeper", "--bin", "lanekeeper"]);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let outcome = process::run(command, "rust", Duration::from_secs(1200));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    // Tests lie in target/PROFILE/deps, the binary one folder above.
    let test = std::env::current_exe().expect("the test's own path");
    let target = test.ancestors().nth(3).expect("tests lie three folders deep");
    target.join("debug/lanekeeper")
}
