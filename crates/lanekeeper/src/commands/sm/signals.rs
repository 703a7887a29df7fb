//! Signals as opensm takes them: SIGHUP reads the configuration again and sweeps, SIGUSR1 opens
//! the log again, SIGINT and SIGTERM end the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;

/// Signals that have come in.
pub(super) struct Signals {
    stop: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
    rotate: Arc<AtomicBool>,
}

impl Signals {
    /// Starts to listen.
    pub(super) fn new() -> Result<Self> {
        let signals = Self { stop: Arc::default(), reload: Arc::default(), rotate: Arc::default() };
        for (signal, seen) in [
            (SIGINT, &signals.stop),
            (SIGTERM, &signals.stop),
            (SIGHUP, &signals.reload),
            (SIGUSR1, &signals.rotate),
        ] {
            flag::register(signal, Arc::clone(seen)).context("cannot listen for signals")?;
        }
        Ok(signals)
    }

    /// Whether the run is to end.
    pub(super) fn stop(&self) -> bool {
        self.stop.swap(false, Ordering::Relaxed)
    }

    /// Whether the configuration is to be read again.
    pub(super) fn reload(&self) -> bool {
        self.reload.swap(false, Ordering::Relaxed)
    }

    /// Whether the log is to be opened again.
    pub(super) fn rotate(&self) -> bool {
        self.rotate.swap(false, Ordering::Relaxed)
    }
}
