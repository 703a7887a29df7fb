//! Writing to standard output and standard error.
//!
//! A reader that went away (`lanekeeper … | head`) is no error and no panic: it has what it
//! wanted.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lk_diag::Diagnostics;
use lk_diag::render::{self, Style};

/// Prints a result.
///
/// # Errors
/// If standard output takes no more, for another reason than that nobody reads it.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Writes a line to standard error. If even that fails there is nobody to tell.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes findings to standard error, in colour where a person sees them and wants it.
pub(crate) fn show(diagnostics: &Diagnostics) {
    let style = style(io::stderr().is_terminal());
    let mut out = io::stderr().lock();
    for diagnostic in diagnostics.iter() {
        let _ = out.write_all(render::text(diagnostic, style).as_bytes());
    }
}

/// How text looks on standard output.
pub(crate) fn output_style() -> Style {
    style(io::stdout().is_terminal())
}

/// Colour where a person sees it and wants it.
fn style(seen: bool) -> Style {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && seen { Style::Colour } else { Style::Plain }
}

/// Work that takes less than this shows no progress.
const SHORT: Duration = Duration::from_secs(2);
/// How often progress is shown.
const STEP: Duration = Duration::from_millis(200);

/// A line on the terminal that says how far long work has come. It is gone when the work is done;
/// where standard error is no terminal it never comes.
pub(crate) struct Meter {
    next: Option<Instant>,
    shown: bool,
}

impl Meter {
    /// The work begins now.
    pub(crate) fn new() -> Self {
        let next = io::stderr().is_terminal().then(|| Instant::now() + SHORT);
        Self { next, shown: false }
    }

    /// Says how far the work has come, if it is time to.
    pub(crate) fn show(&mut self, words: impl FnOnce() -> String) {
        if self.next.is_some_and(|at| Instant::now() >= at) {
            self.next = Some(Instant::now() + STEP);
            self.shown = true;
            let mut out = io::stderr().lock();
            // Whoever cannot see it misses nothing that matters.
            let _ = write!(out, "\r{}\x1b[K", words()).and_then(|()| out.flush());
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
