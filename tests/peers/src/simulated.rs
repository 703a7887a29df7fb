//! A fabric that `lanekeeper sim` serves, on which real programs run with the stand-in for
//! libibumad. Unlike ibsim's it carries long messages, and any number of programs.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::lanekeeper::Lanekeeper;
use crate::process::{self, Outcome};

/// How long a client may take.
const CLIENT: Duration = Duration::from_secs(120);
/// How long a subnet manager may take until the subnet is up and quiet.
const START: Duration = Duration::from_secs(60);

/// A fabric that is served; gone when it is dropped.
#[derive(Debug)]
pub struct Simulated {
    child: Child,
    script: ChildStdin,
    folder: TempDir,
    socket: PathBuf,
}

impl Simulated {
    /// Serves a fabric, given in ibsim's or ibnetdiscover's form.
    ///
    /// # Panics
    /// If the fabric is not taken.
    #[must_use]
    pub fn start(fabric: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let net = folder.path().join("fabric.net");
        fs::write(&net, fabric).expect("the fabric's file");
        let socket = folder.path().join("sim.sock");
        let mut command = Command::new(Lanekeeper::path());
        command.arg("sim").arg(&net).arg("--listen").arg(&socket).args(["--script", "-"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("lanekeeper was built");
        let script = child.stdin.take().expect("a pipe");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("the fabric is served") {
            line.clear();
            let read = said.read_line(&mut line).expect("lanekeeper talks");
            assert!(read > 0, "lanekeeper sim has ended");
        }
        // What it says later must not fill the pipe.
        thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, script, folder, socket }
    }

    /// The folder in which the clients run and leave their files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Something happens to the fabric: a line of a script.
    ///
    /// # Panics
    /// If the server has gone.
    pub fn tell(&mut self, line: &str) {
        writeln!(self.script, "{line}").expect("lanekeeper sim reads its script");
    }

    /// A client that is ready to run, on a node that is named or on the first.
    #[must_use]
    pub fn command(&self, node: Option<&str>, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(Lanekeeper::path());
        command.arg("sim").arg("--attach").arg(&self.socket);
        if let Some(node) = node {
            command.args(["--node", node]);
        }
        command.arg("--").arg(program).current_dir(self.folder());
        command.env("OSM_TMP_DIR", self.folder()).env("OSM_CACHE_DIR", self.folder());
        command
    }

    /// Runs a client on the first node to its end.
    #[must_use]
    pub fn client(&self, program: &str, arguments: &[&str]) -> Outcome {
        let mut command = self.command(None, program);
        command.args(arguments);
        process::run(command, "infiniband-diags", CLIENT)
    }

    /// Starts a subnet manager that stays, and waits until the traps of its first sweep have led
    /// to the next ones and all is quiet.
    ///
    /// # Panics
    /// If the subnet does not come up.
    #[must_use]
    pub fn opensm(&self, arguments: &[&str]) -> Manager {
        let mut command = self.command(None, "opensm");
        command.args(["-d", "2"]).args(arguments);
        self.manager(command)
    }

    /// [`Self::opensm`] with lanekeeper as the manager.
    ///
    /// # Panics
    /// If the subnet does not come up.
    #[must_use]
    pub fn lanekeeper(&self, arguments: &[&str]) -> Manager {
        let mut command = self.command(None, Lanekeeper::path());
        command.arg("sm").args(arguments);
        self.manager(command)
    }

    fn manager(&self, mut command: Command) -> Manager {
        let log = self.folder().join("sm.log");
        command.arg("-f").arg(&log);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let manager = Manager(command.spawn().expect("lanekeeper was built"));
        let end = Instant::now() + START;
        let up = || {
            let text = fs::read(&log).unwrap_or_default();
            String::from_utf8_lossy(&text).matches("SUBNET UP").count()
        };
        let (mut seen, mut since) = (0, Instant::now());
        while seen == 0 || since.elapsed() < Duration::from_secs(3) {
            if up() != seen {
                (seen, since) = (up(), Instant::now());
            }
            assert!(Instant::now() < end, "{}", fs::read_to_string(&log).unwrap_or_default());
            thread::sleep(Duration::from_millis(50));
        }
        manager
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        process::stop(&mut self.child);
    }
}

/// A subnet manager that runs beside others; ended when it is dropped.
#[derive(Debug)]
pub struct Manager(Child);

impl Manager {
    /// Has it read its files again and sweep.
    pub fn hang_up(&self) {
        let _ = Command::new("kill").args(["-HUP", &self.0.id().to_string()]).status();
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // The one that was started only waits for the manager. It passes the signal on.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}
