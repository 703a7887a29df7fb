//! Running opensm on a simulated fabric.

use std::fs;
use std::time::Duration;

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
        let conf = ibsim.folder().join("opensm.conf");
        fs::write(&conf, self.conf).expect("opensm.conf");
        let log = ibsim.folder().join("opensm.log");
        // A log of an earlier sweep would be appended to.
        let _ = fs::remove_file(&log);
        let mut command = ibsim.command("opensm");
        command.args(["-o", "-d", "2"]).arg("-F").arg(&conf).arg("-f").arg(&log);
        command.args(self.arguments);
        let outcome = process::run(command, "opensm", SWEEP);
        let text = fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains("SUBNET UP"), "{outcome:#?}\n{text}");
        text
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
