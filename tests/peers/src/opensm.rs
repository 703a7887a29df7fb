//! Running opensm on a simulated fabric.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::ibsim::Ibsim;
use crate::process;

/// How long a sweep may take.
const SWEEP: Duration = Duration::from_secs(300);

/// The reference subnet manager, bound to no fabric yet.
#[derive(Clone, Copy, Debug)]
pub struct Opensm<'a> {
    /// Text of opensm.conf.
    pub conf: &'a str,
    /// Further arguments.
    pub arguments: &'a [&'a str],
}

impl Opensm<'_> {
    /// Sweeps once and ends; gives the log.
    ///
    /// # Panics
    /// If opensm is missing or does not bring the subnet up.
    #[must_use]
    pub fn sweep(&self, ibsim: &Ibsim) -> String {
        let (mut command, log) = self.command(ibsim);
        command.arg("-o");
        let outcome = process::run(command, "opensm", SWEEP);
        let text = fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains("SUBNET UP"), "{outcome:#?}\n{text}");
        text
    }

    /// The program with its arguments, and where its log will be.
    fn command(&self, ibsim: &Ibsim) -> (std::process::Command, PathBuf) {
        let conf = ibsim.folder().join("opensm.conf");
        fs::write(&conf, self.conf).expect("opensm.conf");
        let log = ibsim.folder().join("opensm.log");
        // A log of an earlier sweep would be appended to.
        let _ = fs::remove_file(&log);
        let mut command = ibsim.command("opensm");
        command.args(["-d", "2"]).arg("-F").arg(&conf).arg("-f").arg(&log).args(self.arguments);
        (command, log)
    }

    /// Sweeps and stays, to answer questions.
    ///
    /// # Panics
    /// If opensm is missing.
    #[must_use]
    pub fn serve(&self, ibsim: &Ibsim) -> Running {
        let (mut command, log) = self.command(ibsim);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.unwrap_or_else(|e| panic!("cannot run opensm: {e}; is it installed?"));
        Running { child, log }
    }

    /// Sweeps until nothing changes any more.
    ///
    /// The first sweep masks the tables of switches by the OperVLs that it found; links whose
    /// OperVLs or MTU it changed come up in the second. The third finds nothing to do.
    pub fn settle(&self, ibsim: &Ibsim) {
        for _ in 0..3 {
            let _ = self.sweep(ibsim);
        }
    }
}

/// An opensm that runs until it is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Waits until one of these words stands in the log; gives the log and which word it is.
    ///
    /// # Panics
    /// If opensm ends, or says none of them.
    pub fn wait_for(&mut self, words: &[&str]) -> (String, usize) {
        let end = Instant::now() + SWEEP;
        loop {
            let log = fs::read(&self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log).into_owned();
            if let Some(which) = words.iter().position(|word| log.contains(word)) {
                return (log, which);
            }
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none() && Instant::now() < end, "opensm: {ended:?}\n{log}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        process::stop(&mut self.child);
    }
}

/// `Nov 30 08:35:16 008574 [2A40A740] 0x03 -> …`, a line of the log of opensm or lanekeeper: the
/// seconds since midnight.
#[must_use]
pub fn time_of_day(line: &str) -> Option<f64> {
    let mut words = line.split_whitespace().skip(2);
    let mut clock = words.next()?.split(':').map(str::parse::<f64>);
    let mut part = || clock.next()?.ok();
    let seconds = part()? * 3600.0 + part()? * 60.0 + part()?;
    Some(seconds + words.next()?.parse::<f64>().ok()? / 1e6)
}
