//! Reading a fabric that opensm manages, through the field's own library: the tables are those that
//! smpquery, ibroute and ibdmchk's dumps show, and nothing is written.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use lk_peers::{Ibsim, Lanekeeper, Opensm, Outcome, Reading, Simulated, process};

const SMALL: &str = include_str!("../fabrics/small.net");

/// Runs a command of lanekeeper on ibsim's fabric, as a client like any other.
fn on(ibsim: &Ibsim, arguments: &[&str]) -> Outcome {
    let mut command = ibsim.command(Lanekeeper::path());
    command.args(arguments);
    process::run(command, "libibumad3", Duration::from_secs(120))
}

fn snapshot(ibsim: &Ibsim) -> String {
    let outcome = on(ibsim, &["snapshot", "--live", "-o", "live.snapshot"]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    fs::read_to_string(ibsim.folder().join("live.snapshot")).expect("a snapshot")
}

/// A ring of switches with a host on each.
fn ring(switches: usize) -> String {
    let mut text = String::new();
    for n in 0..switches {
        let (next, last) = ((n + 1) % switches, (n + switches - 1) % switches);
        text += &format!(
            "Switch 4 \"S-{n}\"\n[1] \"H-{n}\"[1]\n[2] \"S-{next}\"[3]\n[3] \"S-{last}\"[2]\n\n\
             Hca 1 \"H-{n}\"\n[1] \"S-{n}\"[1]\n\n"
        );
    }
    text
}

/// The tables of a snapshot by kind and number, as their digits.
fn table<'a>(text: &'a str, kind: &str, number: &str) -> &'a str {
    let start = format!("{kind} {number} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.and_then(|line| line.split(' ').next()).unwrap_or_else(|| panic!("no {start}"))
}

/// The value behind a word of a line.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split(' ').skip_while(|word| *word != key);
    words.nth(1)
}

#[test]
fn a_live_snapshot_holds_what_smpquery_shows_and_writes_nothing() {
    let ibsim = Ibsim::start(SMALL);
    let conf = "qos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,15\nqos_vlarb_low 0:10,1:20,2:30,3:40\n";
    Opensm { conf, arguments: &["-Q"] }.settle(&ibsim);
    let before = Reading::of(&ibsim);
    let text = snapshot(&ibsim);
    let after = Reading::of(&ibsim);
    let none: [String; 0] = [];
    assert_eq!(after.differences(&before, Clone::clone), none, "reading has changed something");
    let (mut node, mut compared) = (0, 0);
    for line in text.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("switch" | "ca") => {
                let guid = words.next().and_then(|guid| guid.strip_prefix("0x"));
                node = guid.and_then(|guid| u64::from_str_radix(guid, 16).ok()).expect("a GUID");
            }
            Some("port") => {
                let number: u8 = words.next().and_then(|n| n.parse().ok()).expect("a number");
                let Some(port) = after.ports.get(&(node, number)) else { continue };
                compared += same_port(&text, line, port);
            }
            _ => {}
        }
    }
    assert!(compared > 30, "{compared} tables were compared");
}

/// Compares the tables of one port; gives how many.
fn same_port(text: &str, line: &str, port: &lk_peers::PortReading) -> usize {
    let mut compared = 0;
    if let Some(list) = value(line, "sl2vl") {
        let first = list.split(',').next().expect("a table");
        let number = first.rsplit(':').next().expect("its number");
        let digits = table(text, "sl2vl", number);
        let shown: String = port.sl2vl[0].1.iter().map(|vl| format!("{vl:x}")).collect();
        assert_eq!(digits, shown, "{line}");
        compared += 1;
    }
    if let Some(list) = value(line, "vlarb") {
        let blocks: Vec<&str> = list.split(',').collect();
        for (which, block) in [(0, blocks[0]), (1, blocks[2])] {
            let digits = table(text, "vlarb", block);
            for (at, (vl, weight)) in port.vlarb[which].iter().enumerate() {
                let entry = &digits[at * 4..at * 4 + 4];
                assert_eq!(entry, format!("{vl:02x}{weight:02x}"), "{line}");
            }
            compared += 1;
        }
    }
    if let Some(list) = value(line, "pkeys") {
        let number = list.split(',').next().expect("a block");
        let digits = table(text, "pkeys", number);
        for (at, key) in port.pkeys.iter().enumerate() {
            assert_eq!(&digits[at * 4..at * 4 + 4], format!("{key:04x}"), "{line}");
        }
        compared += 1;
    }
    compared
}

#[test]
fn several_read_at_a_time_and_beside_a_manager() {
    let ibsim = Ibsim::start(SMALL);
    let mut manager = Opensm { conf: "", arguments: &[] }.serve(&ibsim);
    manager.wait_for(&["SUBNET UP"]);
    let reads: Vec<_> = (0..3)
        .map(|n| {
            let mut command = ibsim.command(Lanekeeper::path());
            command.args(["snapshot", "--live", "-o", &format!("s{n}")]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("lanekeeper runs")
        })
        .collect();
    for mut read in reads {
        assert_eq!(read.wait().expect("it ends").code(), Some(0));
    }
    let text = |n: usize| {
        let text = fs::read_to_string(ibsim.folder().join(format!("s{n}"))).expect("a snapshot");
        // The manager counts what it does, and says so in SMInfo.
        let same = text.lines().filter(|line| !line.starts_with("manager "));
        same.collect::<Vec<_>>().join("\n")
    };
    assert!(text(0) == text(1) && text(1) == text(2));
    thread::sleep(Duration::from_millis(100));
    drop(manager);
}

#[test]
fn live_routes_are_judged() {
    let ibsim = Ibsim::start(&ring(6));
    let _ = Opensm { conf: "", arguments: &["-R", "minhop"] }.sweep(&ibsim);
    let outcome = on(&ibsim, &["verify", "--live"]);
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.out.contains("CREDIT LOOP of 6 links"), "{outcome:#?}");
    let outcome = on(&ibsim, &["check", "--live", "--format", "lines"]);
    assert!(outcome.out.contains("QO112"), "{outcome:#?}");
    let ibsim = Ibsim::start(SMALL);
    let _ = Opensm { conf: "", arguments: &["-R", "updn"] }.sweep(&ibsim);
    let outcome = on(&ibsim, &["verify", "--live"]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
}

/// Half of the nodes, a switch among them, do not answer: they are listed, and nothing is said of
/// them or of what lies behind.
#[test]
fn what_does_not_answer_is_listed_and_not_judged() {
    let mut simulated = Simulated::start(SMALL);
    let conf = "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                qos_vlarb_low 0:64,1:64,2:64,3:64\n";
    fs::write(simulated.folder().join("opensm.conf"), conf).expect("a file");
    for _ in 0..2 {
        let sweep = ["-o", "-d", "2", "-F", "opensm.conf", "-f", "opensm.log"];
        let _ = simulated.client("opensm", &sweep);
    }
    let check = |simulated: &Simulated| {
        let mut command = simulated.command(None, Lanekeeper::path());
        command.args(["check", "--live", "-F", "opensm.conf", "--format", "lines"]);
        process::run(command, "lanekeeper", Duration::from_secs(120))
    };
    let whole = check(&simulated);
    assert_eq!(whole.code, Some(0), "{whole:#?}");
    assert!(!whole.err.contains("not read"), "{whole:#?}");
    for node in ["leaf 2", "cn001 HCA-1", "cn002 HCA-1", "st01 HCA-1"] {
        simulated.tell(&format!("lose \"{node}\" 100"));
    }
    // The script is read before the next program is let in.
    thread::sleep(Duration::from_millis(300));
    let half = check(&simulated);
    assert_eq!(half.code, Some(0), "{half:#?}");
    assert!(half.err.contains("not read, and not judged: 3 things"), "{half:#?}");
    assert!(half.err.contains("spine 1/3: the node behind this port"), "{half:#?}");
    assert!(!half.out.contains("leaf 2") && !half.out.contains("cn002"), "{half:#?}");
}
