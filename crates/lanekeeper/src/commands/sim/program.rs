//! A program that runs on the fabric, with the stand-in in libibumad's place.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, anyhow};
use lk_umad_standin::Installed;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;

use crate::failure::Failure;

/// How long a signal may wait.
const NAP: Duration = Duration::from_millis(100);

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
    /// Waits for its end, and passes signals on; gives its exit code.
    pub(super) fn wait(self) -> Result<ExitCode, Failure> {
        let new = || Arc::new(AtomicBool::new(false));
        // A manager reads its files again, or opens its log again.
        let passed = [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP), (SIGUSR1, Signal::USR1)]
            .map(|(number, signal)| (number, signal, new()));
        // Whoever presses Ctrl-C sends the signal to the command, too; it decides.
        let interrupt = new();
        for (number, _, raised) in &passed {
            flag::register(*number, Arc::clone(raised)).context("cannot listen for signals")?;
        }
        flag::register(SIGINT, interrupt).context("cannot listen for signals")?;
        let (mut end, child_end) = UnixStream::pair().context("cannot make a pair of sockets")?;
        end.set_read_timeout(Some(NAP)).context("cannot set up a socket")?;
        let watched = self.watch(child_end);
        // Nothing is ever written: the end of the stream is the command's.
        while end.read(&mut [0]).is_err() {
            for (_, signal, raised) in &passed {
                if raised.swap(false, Ordering::Relaxed) {
                    watched.pass(*signal);
                }
            }
        }
        watched.code()
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
        self.pass(Signal::TERM);
    }

    fn pass(&self, signal: Signal) {
        let id = i32::try_from(self.id).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            // It may have ended by itself meanwhile.
            let _ = kill_process(id, signal);
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
