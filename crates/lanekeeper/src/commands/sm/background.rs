//! Running in the background (`-B`).
//!
//! The program starts itself once more and waits until that one has opened its port and its log.
//! What goes wrong until then is said on the terminal and by the exit code, as a unit file expects
//! it; only then does the second one let go of the terminal.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::failure::FOUND;
use crate::terminal;

/// Tells the second one what it is.
const MARK: &str = "LANEKEEPER_IN_BACKGROUND";
/// What the second one prints last before it lets go of standard output.
const READY: &str = "running in the background\n";

/// Whether this is the one in the background.
pub(super) fn is_started() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Starts the one in the background, with the same words, and waits until it runs or has failed.
///
/// # Errors
/// The program cannot be started.
pub(super) fn start() -> Result<ExitCode> {
    let program = std::env::current_exe().context("cannot find this program's file")?;
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| program.clone().into());
    let mut child = Command::new(&program)
        .arg0(name)
        .args(words)
        .env(MARK, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let mut said = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut said).context("cannot read what the background says")?;
    }
    if let Some(before) = said.strip_suffix(READY) {
        terminal::print(before)?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print(&said)?;
    let status = child.wait().context("cannot wait for the background")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FOUND);
    Ok(ExitCode::from(code))
}

/// The file with the process id, removed at the end of the run.
pub(super) struct PidFile(Option<PathBuf>);

impl Drop for PidFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // If it is gone already, nothing is left to do.
            let _ = fs::remove_file(path);
        }
    }
}

/// In the background: writes the process id down and lets go of the terminal. Otherwise nothing.
///
/// # Errors
/// The file cannot be written, or /dev/null not be opened.
pub(super) fn let_go(pid_file: Option<&str>) -> Result<PidFile> {
    if !is_started() {
        return Ok(PidFile(None));
    }
    if let Some(path) = pid_file {
        fs::write(path, format!("{}\n", std::process::id()))
            .with_context(|| format!("cannot write {path}"))?;
    }
    let file = PidFile(pid_file.map(|path| Path::new(path).to_owned()));
    let null = OpenOptions::new().read(true).write(true).open("/dev/null");
    let null = null.context("cannot open /dev/null")?;
    // It fails where the process leads a group, which one that was just started does not.
    let _ = rustix::process::setsid();
    terminal::print(READY)?;
    rustix::stdio::dup2_stdin(&null).context("cannot let go of standard input")?;
    rustix::stdio::dup2_stdout(&null).context("cannot let go of standard output")?;
    rustix::stdio::dup2_stderr(&null).context("cannot let go of standard error")?;
    Ok(file)
}
