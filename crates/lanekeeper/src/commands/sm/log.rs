//! The log, in the form that scripts for opensm's log read:
//! `Mon DD HH:MM:SS uuuuuu [TTTT] 0xLL -> text`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lk_diag::{Diagnostics, Severity, render};
use lk_sm::{Event, Level};

use super::syslog::Syslog;
use crate::terminal;

/// Where log lines go.
pub(super) struct Log {
    path: Option<PathBuf>,
    file: Option<File>,
    flags: u8,
    size_limit: u64,
    written: u64,
    system: Option<Syslog>,
}

impl Log {
    /// Opens the log; without a path it is standard output.
    pub(super) fn open(
        path: Option<&Path>,
        append: bool,
        flags: u8,
        megabytes: u32,
    ) -> Result<Self> {
        let mut log = Self {
            path: path.map(Path::to_owned),
            file: None,
            flags,
            size_limit: u64::from(megabytes) << 20,
            written: 0,
            system: None,
        };
        log.reopen(append)?;
        Ok(log)
    }

    /// Sends what concerns the whole subnet there too.
    pub(super) fn also_to(&mut self, system: Option<Syslog>) {
        self.system = system;
    }

    /// What is logged from now on, and how large the file may become.
    pub(super) fn set_limits(&mut self, flags: u8, megabytes: u32) {
        self.flags = flags;
        self.size_limit = u64::from(megabytes) << 20;
    }

    /// Whether it is a file, and not standard output.
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Opens the file again, as after a rotation (SIGUSR1).
    pub(super) fn reopen(&mut self, append: bool) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .append(append)
            .truncate(!append)
            .open(path)
            .with_context(|| format!("cannot open the log {}", path.display()))?;
        self.written = file.metadata().map_or(0, |m| m.len());
        self.file = Some(file);
        Ok(())
    }

    /// Writes down an event if its level is asked for. What concerns the whole subnet also goes
    /// to standard output.
    pub(super) fn event(&mut self, event: &Event) {
        let level = event.level();
        if level == Level::Sys || self.flags & level.bit() != 0 {
            let line = format!("{} 0x{:02x} -> {event}\n", stamp(), level.bit());
            self.line(&line);
            if level != Level::Sys {
                return;
            }
            if let Some(system) = &self.system {
                system.send(&event.to_string());
            }
            if self.file.is_some() {
                let _ = terminal::print(&format!("{event}\n"));
            }
        }
    }

    /// Writes down what was found in files, one line each: nobody reads a daemon's standard error.
    /// Where the log is on a terminal they have been shown there.
    pub(super) fn findings(&mut self, findings: &Diagnostics) {
        if self.file.is_none() {
            return;
        }
        for finding in findings.iter() {
            let level = match finding.severity {
                Severity::Error | Severity::Warning => Level::Error,
                Severity::Info => Level::Info,
            };
            if self.flags & level.bit() != 0 {
                let text = render::line(finding);
                self.line(&format!("{} 0x{:02x} -> {text}\n", stamp(), level.bit()));
            }
        }
    }

    /// Writes down what went wrong outside of the core.
    pub(super) fn trouble(&mut self, text: &str) {
        if self.file.is_some() && self.flags & Level::Error.bit() != 0 {
            self.line(&format!("{} 0x01 -> {text}\n", stamp()));
        }
    }

    fn line(&mut self, line: &str) {
        let Some(file) = &mut self.file else {
            let _ = terminal::print(line);
            return;
        };
        if self.size_limit > 0 && self.written + line.len() as u64 > self.size_limit {
            // As opensm does: cut the file in place.
            let _ = file.set_len(0);
            self.written = 0;
        }
        self.written += line.len() as u64;
        if let Err(e) = file.write_all(line.as_bytes())
            && e.kind() != io::ErrorKind::Interrupted
        {
            terminal::complain(&format!("lanekeeper: cannot write to the log: {e}"));
            self.file = None;
        }
    }
}

fn stamp() -> String {
    let now = jiff::ZonedDateTime::now();
    let micros = now.subsec_nanosecond() / 1000;
    format!("{} {micros:06} [{:04X}]", now.strftime("%b %d %H:%M:%S"), std::process::id() & 0xFFFF)
}
