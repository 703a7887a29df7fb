//! The real ibsim, for the tests that compare with it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A program with a socket name of its own, so that tests can run side by side.
fn command(program: &str, package: &str) -> (Command, String) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let there = ["/usr/bin", "/usr/sbin", "/bin", "/usr/local/bin"]
        .iter()
        .any(|dir| Path::new(dir).join(program).exists());
    assert!(there, "{program} is missing: apt-get install {package}");
    let name = format!("lkf{}x{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let mut command = Command::new(program);
    command.env("IBSIM_SOCKNAME", &name).env_remove("SIM_HOST");
    (command, name)
}

/// A port as ibsim's console shows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SeenPort {
    pub(crate) guid: u64,
    /// Node id and port at the other end.
    pub(crate) far: Option<(String, u8)>,
    /// LID and LMC, where they are shown.
    pub(crate) lid: Option<(u16, u8)>,
    /// Width and speed as shown.
    pub(crate) rate: String,
}

/// A node as ibsim's console shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SeenNode {
    pub(crate) kind: String,
    pub(crate) guid: u64,
    pub(crate) system_guid: u64,
    pub(crate) num_ports: u8,
    pub(crate) ports: BTreeMap<u8, SeenPort>,
}

/// What ibsim makes of a net file: its nodes by id, or what it printed before it gave up.
pub(crate) fn dump(file: &Path) -> Result<BTreeMap<String, SeenNode>, String> {
    let (mut ibsim, _) = command("ibsim", "ibsim-utils");
    let mut child = ibsim
        .current_dir(file.parent().unwrap_or(Path::new(".")))
        .args(["-N", "4096", "-S", "1024", "-P", "40000", "-s"])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ibsim starts");
    // It may be gone already, having refused the file.
    let _ = child.stdin.take().expect("stdin is piped").write_all(b"dump\nquit\n");
    let output = child.wait_with_output().expect("ibsim ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.split_once("Network simulator ready.") {
        Some((_, dump)) => Ok(parse(dump)),
        None => Err(format!("{text}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn parse(text: &str) -> BTreeMap<String, SeenNode> {
    let mut nodes = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        if ["Switch ", "Ca ", "Router "].iter().any(|word| line.starts_with(word)) {
            let quotes: Vec<&str> = line.split('"').collect();
            let (head, tail) = (quotes[0], quotes[2]);
            let words: Vec<&str> = head.split_whitespace().collect();
            let guids: Vec<&str> = tail.split_whitespace().collect();
            let node = SeenNode {
                kind: words[0].to_owned(),
                guid: u64::from_str_radix(guids[1], 16).unwrap(),
                system_guid: u64::from_str_radix(guids[3], 16).unwrap(),
                num_ports: words[1].parse().unwrap(),
                ports: BTreeMap::new(),
            };
            nodes.insert(quotes[1].to_owned(), node);
            current = Some(quotes[1].to_owned());
        } else if let (Some(id), Some((guid, rest))) = (&current, line.split_once("\t["))
            && let Ok(guid) = u64::from_str_radix(guid, 16)
        {
            let (number, rest) = rest.split_once(']').unwrap();
            nodes.get_mut(id).unwrap().ports.insert(number.parse().unwrap(), port(guid, rest));
        }
    }
    nodes
}

fn port(guid: u64, rest: &str) -> SeenPort {
    let quotes: Vec<&str> = rest.split('"').collect();
    let (far, tail) = match quotes.as_slice() {
        [_, id, tail] => {
            let (number, tail) = tail.trim_start_matches('[').split_once(']').unwrap();
            let number: u8 = number.parse().unwrap();
            ((number > 0).then(|| ((*id).to_owned(), number)), tail)
        }
        _ => (None, rest),
    };
    let words: Vec<&str> = tail.split_whitespace().collect();
    let (lid, words) = match words.as_slice() {
        ["lid", lid, "lmc", lmc, "smlid", _, rate @ ..] => {
            (Some((lid.parse().unwrap(), lmc.parse().unwrap())), rate)
        }
        other => (None, other),
    };
    SeenPort { guid, far, lid, rate: words[..2].join(" ") }
}

/// A running ibsim; it ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    socket: String,
}

impl Server {
    /// Serves a net file.
    pub(crate) fn start(file: &Path) -> Self {
        let (mut ibsim, socket) = command("ibsim", "ibsim-utils");
        let child = ibsim
            .args(["-N", "4096", "-S", "1024", "-P", "40000", "-s", "-n"])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ibsim starts");
        let mut server = Self { child, socket };
        let sign = format!("@{}:ctl", server.socket);
        let start = Instant::now();
        loop {
            let mut sockets = String::new();
            let list = std::fs::File::open("/proc/net/unix");
            list.and_then(|mut f| f.read_to_string(&mut sockets)).expect("/proc/net/unix");
            if sockets.contains(&sign) {
                return server;
            }
            let ended = server.child.try_wait().expect("ibsim can be asked");
            assert!(ended.is_none(), "ibsim refused {}: {ended:?}", file.display());
            assert!(start.elapsed() < Duration::from_secs(30), "ibsim opens no socket");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What a program of infiniband-diags prints on the simulated fabric.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> String {
        let (mut runner, _) = command("ibsim-run", "ibsim-utils");
        let _ = command(program, "infiniband-diags");
        let output = runner
            .env("IBSIM_SOCKNAME", &self.socket)
            .arg(program)
            .args(arguments)
            .output()
            .expect("ibsim-run starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
