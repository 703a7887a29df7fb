//! A simulated fabric that real programs attach to.
//!
//! What was learned about ibsim 0.10:
//! * Its socket names are shared by the whole machine, so each fabric gets a name of its own.
//! * It must have a standard input that is open: with a closed one its first socket gets the
//!   number 0, and its console then steals every second packet.
//! * It says that it is ready before its sockets can be used; both are waited for.
//! * Ten clients at a time, 256 switches and 2,048 nodes unless told otherwise.
//! * Its nodes forget some of what is Set in PortInfo: VLHighLimit, SubnetTimeout, the lease, the
//!   error thresholds, partition enforcement. A manager there finds the same differences each time.
//! * Its clients put a folder of made-up sysfs files into the current directory.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process::{self, Outcome};

/// The Debian package of ibsim.
const PACKAGE: &str = "ibsim-utils";
/// How long ibsim may take to read its fabric.
const START: Duration = Duration::from_secs(60);
/// How long a client may take unless told otherwise.
const CLIENT: Duration = Duration::from_secs(60);

/// Makes socket names differ within this process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A running ibsim with its folder; both are gone when it is dropped.
#[derive(Debug)]
pub struct Ibsim {
    child: Child,
    folder: TempDir,
    socket: String,
}

impl Ibsim {
    /// Serves a fabric, given in ibsim's or ibnetdiscover's form.
    ///
    /// # Panics
    /// If ibsim is missing or does not take the fabric.
    #[must_use]
    pub fn start(fabric: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let net = folder.path().join("fabric.net");
        fs::write(&net, fabric).expect("the fabric's file");
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = format!("lk-peers-{}-{number}", std::process::id());
        let log = File::create(folder.path().join("ibsim.log")).expect("ibsim's log");
        let (nodes, ports) = size(fabric);
        let child = Command::new("ibsim")
            .args(["-s", "-n", "-N", &nodes.to_string(), "-S", &nodes.to_string()])
            .args(["-P", &ports.to_string(), "-L", "49152"])
            .arg(&net)
            .env("IBSIM_SOCKNAME", &socket)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a second handle"))
            .stderr(log)
            .spawn()
            .unwrap_or_else(|e| panic!("cannot run ibsim: {e}; is {PACKAGE} installed?"));
        let mut ibsim = Self { child, folder, socket };
        ibsim.wait_until_ready();
        ibsim
    }

    fn wait_until_ready(&mut self) {
        let end = Instant::now() + START;
        loop {
            let ended = self.child.try_wait().expect("a child can be waited for");
            let log = fs::read_to_string(self.folder.path().join("ibsim.log")).unwrap_or_default();
            assert!(ended.is_none() && Instant::now() < end, "ibsim does not serve: {log}");
            let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
            let bound = sockets.contains(&format!("@{}:ctl@", self.socket));
            if bound && log.contains("Network simulator ready") {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The folder in which the clients run and leave their files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The process that serves the fabric.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// A client that is ready to run: on this fabric, in its folder.
    #[must_use]
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("ibsim-run");
        command
            .arg(program)
            .env("IBSIM_SOCKNAME", &self.socket)
            .env("OSM_TMP_DIR", self.folder())
            .env("OSM_CACHE_DIR", self.folder())
            .current_dir(self.folder());
        command
    }

    /// Runs a client to its end.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn client(&self, program: &str, arguments: &[&str]) -> Outcome {
        let mut command = self.command(program);
        command.args(arguments);
        process::run(command, "infiniband-diags", CLIENT)
    }
}

impl Drop for Ibsim {
    fn drop(&mut self) {
        process::stop(&mut self.child);
    }
}

/// Bounds for the numbers of nodes and ports, from the number of lines of the file.
fn size(fabric: &str) -> (usize, usize) {
    let lines = fabric.lines().count();
    (lines.max(256), (lines * 64).max(16_384))
}
