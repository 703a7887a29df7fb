//! The port against ibsim, the field's fabric simulator, through its stand-in for the device.
//!
//! Needs the Debian package ibsim-utils (with libibumad3).

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// One switch with two adapters; two of its ports lead nowhere.
const NET: &str = "\
Switch 4 \"S1\"
[1] \"H1\"[1]
[2] \"H2\"[1]

Hca 1 \"H1\"
[1] \"S1\"[1]

Hca 1 \"H2\"
[1] \"S1\"[2]
";

/// An ibsim of our own; ended when it goes out of scope.
struct Ibsim {
    child: Child,
    /// Kept open: ibsim goes on writing to it.
    _stdout: BufReader<ChildStdout>,
    socket: String,
    folder: tempfile::TempDir,
}

impl Ibsim {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let net = folder.path().join("net");
        std::fs::write(&net, NET).expect("the net file");
        let socket = format!("lanekeeper-umad-{}", std::process::id());
        let mut child = Command::new("ibsim")
            .args(["-s", "-n"])
            .arg(&net)
            .env("IBSIM_SOCKNAME", &socket)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ibsim is not there: install the package ibsim-utils");
        // It prints its limits when the fabric is read; its socket is open soon after, and
        // clients wait for it.
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let ready =
            stdout.by_ref().lines().map_while(Result::ok).any(|line| line.contains("MaxMcastCap"));
        assert!(ready, "ibsim has ended before it was ready");
        Self { child, _stdout: stdout, socket, folder }
    }

    /// Runs one of this crate's examples on the fabric, at node H1.
    fn run(&self, example: &str, args: &[&str]) -> Output {
        Command::new("timeout")
            .args(["60", "ibsim-run"])
            .arg(built(example))
            .args(args)
            .env("IBSIM_SOCKNAME", &self.socket)
            .env("SIM_HOST", "H1")
            // The stand-in writes its picture of sysfs into the working folder.
            .current_dir(self.folder.path())
            .output()
            .expect("timeout and ibsim-run are not there: install coreutils and ibsim-utils")
    }
}

impl Drop for Ibsim {
    fn drop(&mut self) {
        // Nothing to be done when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of an example that cargo has built along with this test.
fn built(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    let profile = test.parent().and_then(Path::parent).expect("…/deps/test");
    let path = profile.join("examples").join(example);
    assert!(path.exists(), "{} is not built: run cargo test without --test", path.display());
    path
}

#[test]
fn asks_nodes_along_directed_routes() {
    let ibsim = Ibsim::start();
    let output = ibsim.run("node_info", &["0", "0,1", "0,1,2", "0,1,4"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "port ibsim0 port 1 GUID 0x0000000000100001 Initialize",
            "IsSM before false, while set true, after false",
            "path 0: Channel Adapter 0x0000000000100000 ports 1",
            "path 0,1: Switch 0x0000000000200000 ports 4",
            "path 0,1,2: Channel Adapter 0x0000000000100002 ports 1",
            // Nobody is there: the request comes back as failed.
            "path 0,1,4: request 4 failed: error 110",
        ],
        "{errors}"
    );
    let output = ibsim.run("rate", &["500"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let all_answered = text.lines().filter(|line| line.ends_with(" 0 failed")).count();
    assert_eq!(all_answered, 4, "{text}");
}
