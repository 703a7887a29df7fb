//! Asks whoever is master of a simulated fabric the queries of a case.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::ibsim::Ibsim;
use crate::path_matrix::{Case, answer, from_hex, question, to_hex};
use crate::process;

/// How long a manager may take to bring the fabric up.
const START: Duration = Duration::from_secs(60);

/// Writes the files of a case into the fabric's folder; gives the text of opensm.conf, which names
/// them.
///
/// # Panics
/// If they cannot be written.
#[must_use]
pub fn files(ibsim: &Ibsim, case: &Case) -> String {
    let folder = ibsim.folder();
    for (name, text) in &case.files {
        fs::write(folder.join(name), text).expect("a file of the case");
    }
    let mut conf = case.file("opensm.conf").unwrap_or_default().to_owned();
    for (key, name) in [
        ("partition_config_file", "partitions.conf"),
        ("qos_policy_file", "qos-policy.conf"),
        ("prefix_routes_file", "prefix-routes.conf"),
        ("node_name_map_name", "node-names"),
    ] {
        // Without the line opensm would take the file of the machine. A map has no such place.
        if key != "node_name_map_name" || case.file(name).is_some() {
            conf += &format!("{key} {}\n", folder.join(name).display());
        }
    }
    fs::write(folder.join("opensm.conf"), &conf).expect("opensm.conf");
    conf
}

/// A manager that runs until this value is dropped.
#[derive(Debug)]
pub struct Master(Child);

impl Master {
    /// Starts a manager and waits until its log says that the subnet is up.
    ///
    /// # Panics
    /// If it cannot be started or does not get there.
    #[must_use]
    pub fn start(mut command: Command, log: &Path) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut master = Self(command.spawn().expect("a manager"));
        let end = Instant::now() + START;
        loop {
            let text = fs::read(log).unwrap_or_default();
            if String::from_utf8_lossy(&text).contains("SUBNET UP") {
                return master;
            }
            let ended = master.0.try_wait().expect("a child can be waited for");
            assert!(ended.is_none() && Instant::now() < end, "it does not come up: {command:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        process::stop(&mut self.0);
    }
}

/// What is answered to each query of a case. `client` is the program `sa-raw`.
///
/// # Panics
/// If the client cannot be run or gives up.
#[must_use]
pub fn ask(ibsim: &Ibsim, client: &Path, case: &Case) -> Vec<Vec<String>> {
    let mut command = ibsim.command(client);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut client = command.spawn().expect("the client");
    if let Some(mut input) = client.stdin.take() {
        for (number, (query, _)) in (1..).zip(&case.queries) {
            let line = to_hex(&question(query, number));
            writeln!(input, "{line}").expect("the client reads");
        }
    }
    let output = client.wait_with_output().expect("the client ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines();
    let answers: Vec<_> = lines.map(|l| answer(&from_hex(l).unwrap_or_default())).collect();
    assert_eq!(answers.len(), case.queries.len(), "{}: the client gave up", case.name);
    answers
}
