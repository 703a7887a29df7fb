//! Reading a fabric that opensm manages, through the field's own library: the tables are those that
//! smpquery, ibroute and ibdmchk's dumps show, nothing is written, and traps that were set in
//! opensm.conf are found from the fabric alone.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use lk_peers::{Ibsim, Lanekeeper, Opensm, Outcome, Reading, process};

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

/// What `check --live` finds on a fabric that opensm has brought up with this file, by code.
fn found(conf: &str, arguments: &[&str], files: &str) -> String {
    let ibsim = Ibsim::start(SMALL);
    Opensm { conf, arguments }.settle(&ibsim);
    fs::write(ibsim.folder().join("site.conf"), files).expect("a file");
    let outcome = on(&ibsim, &["check", "--live", "-F", "site.conf", "--format", "lines"]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    outcome.out
}

const DESIGN: &str = "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                      qos_vlarb_low 0:8,1:8,2:8,3:8\nqos_vlarb_high 0:4\n";

#[test]
fn traps_are_found_from_the_fabric() {
    // The design is in the file, and opensm reads `true` as FALSE.
    let off = DESIGN.replace("qos TRUE", "qos true");
    let said = found(&off, &[], DESIGN);
    assert!(said.contains("QO101") && said.contains("SL2VL"), "{said}");
    // A lane with no weight.
    let conf = "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                qos_vlarb_low 0:8,1:8,2:8\nqos_vlarb_high 0:4\n";
    let said = found(conf, &["-Q"], "");
    assert!(said.contains("QO106") && said.contains("VL3"), "{said}");
    // An SL that adapters pass and switches drop.
    let conf = "qos TRUE\nqos_swe_sl2vl 0,1,15,3,0,1,2,3,0,1,2,3,0,1,2,3\n";
    let said = found(conf, &["-Q"], "");
    assert!(said.contains("QO114") && said.contains("SL 2"), "{said}");
    // All SLs on one lane.
    let conf = "qos TRUE\nqos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n";
    let said = found(conf, &["-Q"], "");
    assert!(said.contains("QO104"), "{said}");
    // As it should be: of the tables nothing is said.
    let said = found(DESIGN, &["-Q"], DESIGN);
    for code in ["QO103", "QO104", "QO105", "QO106", "QO111", "QO112", "QO114", "SL2VL"] {
        assert!(!said.contains(code), "{code}: {said}");
    }
}
