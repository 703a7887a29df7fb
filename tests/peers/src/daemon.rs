//! Subnet managers that go on running while others ask them.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::ibsim::Ibsim;
use crate::lanekeeper::Lanekeeper;
use crate::process;

/// How long a first sweep may take.
const UP: Duration = Duration::from_secs(120);

/// A running subnet manager; ended when it is dropped.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// opensm on a fabric, once the subnet is up. `conf` is the text of opensm.conf.
    ///
    /// # Panics
    /// If opensm is missing or does not bring the subnet up.
    #[must_use]
    pub fn opensm(ibsim: &Ibsim, conf: &str, arguments: &[&str]) -> Self {
        let log = ibsim.folder().join("opensm.log");
        let mut command = ibsim.command("opensm");
        command.args(["-d", "2"]).arg("-f").arg(&log);
        let mut daemon = Self::start(ibsim, command, log, conf, arguments);
        daemon.wait_for("SUBNET UP");
        daemon
    }

    /// lanekeeper on a fabric, once the subnet is up.
    ///
    /// # Panics
    /// If it cannot be built or does not bring the subnet up.
    #[must_use]
    pub fn lanekeeper(ibsim: &Ibsim, conf: &str, arguments: &[&str]) -> Self {
        let mut daemon = Self::lanekeeper_starts(ibsim, conf, arguments);
        daemon.wait_for("SUBNET UP");
        daemon
    }

    /// lanekeeper on a fabric, of which nothing is known yet.
    ///
    /// # Panics
    /// If it cannot be built.
    #[must_use]
    pub fn lanekeeper_starts(ibsim: &Ibsim, conf: &str, arguments: &[&str]) -> Self {
        let log = ibsim.folder().join("sm.log");
        Self::start(ibsim, Lanekeeper::command(ibsim), log, conf, arguments)
    }

    fn start(
        ibsim: &Ibsim,
        mut command: Command,
        log: PathBuf,
        conf: &str,
        arguments: &[&str],
    ) -> Self {
        let file = ibsim.folder().join("daemon.conf");
        fs::write(&file, conf).expect("the configuration");
        // A log of an earlier run would be appended to.
        let _ = fs::remove_file(&log);
        command.arg("-F").arg(&file).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("the subnet manager starts");
        Self { child, log }
    }

    /// The number of its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to its log so far.
    #[must_use]
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits until the log holds this.
    ///
    /// # Panics
    /// If it does not come, or the manager ends.
    pub fn wait_for(&mut self, text: &str) {
        self.wait_for_one_of(&[text]);
    }

    /// Waits until the log holds one of these, and says which.
    ///
    /// # Panics
    /// If none comes, or the manager ends.
    pub fn wait_for_one_of(&mut self, texts: &[&str]) -> usize {
        let end = Instant::now() + UP;
        loop {
            let log = self.log();
            if let Some(which) = texts.iter().position(|text| log.contains(text)) {
                return which;
            }
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none() && Instant::now() < end, "none of {texts:?}: {log}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        process::stop(&mut self.child);
    }
}
