//! A program that runs on the fabric, with the stand-in in libibumad's place.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread::{self, JoinHandle};

use anyhow::{Context, anyhow};
use lk_umad_standin::Installed;
use rustix::process::{Pid, Signal, kill_process};

use crate::failure::Failure;

/// A program that was started.
#[derive(Debug)]
pub(super) struct Program(Child);

/// Starts a command on the fabric behind a socket.
pub(super) fn start(
    command: &[OsString],
    standin: &Installed,
    socket: &Path,
    node: Option<&str>,
) -> Result<Program, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(anyhow!("no command").into());
    };
    let mut start = Command::new(program);
    start.args(arguments).envs(standin.environment(socket, node));
    let child = start.spawn().map_err(|error| {
        let hint = if error.kind() == ErrorKind::NotFound { "; is it installed?" } else { "" };
        anyhow!("cannot run {}: {error}{hint}", program.display())
    });
    Ok(Program(child?))
}

impl Program {
    /// Waits for its end; gives its exit code.
    pub(super) fn wait(mut self) -> Result<ExitCode, Failure> {
        Ok(code(self.0.wait().context("cannot wait for the command")?))
    }

    /// Waits for its end on a thread of its own, which closes the stream then.
    pub(super) fn watch(self, end: UnixStream) -> Watched {
        let id = self.0.id();
        let mut child = self.0;
        let thread = thread::spawn(move || {
            let status = child.wait();
            drop(end);
            status
        });
        Watched { id, thread }
    }
}

/// A program that a thread waits for.
#[derive(Debug)]
pub(super) struct Watched {
    id: u32,
    thread: JoinHandle<std::io::Result<ExitStatus>>,
}

impl Watched {
    /// Passes a request to end on.
    pub(super) fn terminate(&self) {
        let id = i32::try_from(self.id).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            // It may have ended by itself meanwhile.
            let _ = kill_process(id, Signal::TERM);
        }
    }

    /// The exit code of a program that has ended.
    pub(super) fn code(self) -> Result<ExitCode, Failure> {
        let status = self.thread.join().map_err(|_| anyhow!("the waiting thread has failed"))?;
        Ok(code(status.context("cannot wait for the command")?))
    }
}

/// As shells have it: 128 and the signal's number where a signal has ended it.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}
