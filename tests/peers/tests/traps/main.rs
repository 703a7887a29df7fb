//! The known traps for real: opensm brings a small fabric up with a site's files in which a trap
//! is, and `check --live` finds it from the fabric: alone, or beside files that say what was meant.
//!
//! [`table`] has the trials. The table of traps in the documentation says which of them show on a
//! fabric; each of those is tried here.

mod table;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use lk_peers::{Daemon, Ibsim, Lanekeeper, Opensm, Outcome, Simulated, Torus, process};

use table::{Ground, TRIALS, Trial};

const SMALL: &str = include_str!("../../fabrics/small.net");
const RULES: &str = include_str!("../../../../docs/rules.md");

/// So many fabrics are served at a time.
const AT_A_TIME: usize = 3;

/// Traps that need more than one run of opensm; each has its own test here.
const ALONE: [(u8, &str); 3] = [(13, "QO101"), (29, "QO101"), (72, "QO125")];

fn run(mut command: Command, files: &[&str]) -> Outcome {
    command.args(["check", "--live", "--format", "lines"]).args(files);
    process::run(command, "libibumad3", Duration::from_secs(120))
}

/// What `check --live` says, with the files that say what was meant.
fn check(ibsim: &Ibsim, files: &[&str]) -> String {
    let outcome = run(ibsim.command(Lanekeeper::path()), files);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    outcome.out
}

/// Writes what was meant, and gives the words that name it.
fn meant(trial: &Trial, folder: &std::path::Path) -> Vec<&'static str> {
    let mut words = Vec::new();
    for (option, name, text) in
        [("-F", "meant.conf", trial.meant), ("-P", "meant.partitions", trial.meant_partitions)]
    {
        if !text.is_empty() {
            fs::write(folder.join(name), text).expect("a file");
            words.extend([option, name]);
        }
    }
    words
}

/// Brings a fabric up with the trap and says what is found.
fn try_out(trial: &Trial) -> String {
    match trial.ground {
        Ground::Ibsim => on_ibsim(trial),
        Ground::OwnSimulator => on_own_simulator(trial),
    }
}

fn on_ibsim(trial: &Trial) -> String {
    let ibsim = Ibsim::start(SMALL);
    let mut arguments = trial.arguments.to_vec();
    if !trial.partitions.is_empty() {
        fs::write(ibsim.folder().join("partitions.conf"), trial.partitions).expect("a file");
        arguments.extend(["-P", "partitions.conf"]);
    }
    for conf in [trial.before, trial.conf].into_iter().filter(|conf| !conf.is_empty()) {
        let opensm = Opensm { conf, arguments: &arguments };
        for _ in 0..trial.sweeps {
            let _ = opensm.sweep(&ibsim);
        }
    }
    let words = meant(trial, ibsim.folder());
    check(&ibsim, &words)
}

/// ibsim's ports forget VLHighLimit and SMSL.
fn on_own_simulator(trial: &Trial) -> String {
    let simulated = Simulated::start(SMALL);
    fs::write(simulated.folder().join("opensm.conf"), trial.conf).expect("a file");
    for _ in 0..trial.sweeps {
        let mut command = simulated.command(None, "opensm");
        command.args(["-o", "-d", "2", "-F", "opensm.conf", "-f", "opensm.log"]);
        let outcome = process::run(command, "opensm", Duration::from_secs(60));
        let log = fs::read(simulated.folder().join("opensm.log")).unwrap_or_default();
        assert!(String::from_utf8_lossy(&log).contains("SUBNET UP"), "{outcome:#?}");
    }
    let words = meant(trial, simulated.folder());
    let outcome = run(simulated.command(None, Lanekeeper::path()), &words);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    outcome.out
}

/// Runs all trials of a list, several at a time, and says which codes are missing.
fn missing(trials: &[Trial]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
            let said = try_out(trial);
            if !said.contains(&format!("[{}]", trial.code)) {
                wrong.push(format!(
                    "row {}: no {} in {said}\n{}",
                    trial.row, trial.code, trial.conf
                ));
            }
        }
        wrong
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a trial")).collect()
    })
}

#[test]
fn each_trap_that_a_fabric_shows_is_found_there() {
    let _ = Lanekeeper::path();
    let missing = missing(TRIALS);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The rows of the table of traps with the codes that a live fabric shows.
fn promised() -> BTreeSet<(u8, String)> {
    let mut promised = BTreeSet::new();
    for line in RULES.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let number = cells[0].trim_start_matches("| ").parse::<u8>();
        let (Ok(number), [_, _, _, _, live]) = (number, cells.as_slice()) else { continue };
        let codes = live.trim_end_matches(" |").split(", ").filter(|code| code.starts_with("QO"));
        if !live.starts_with("not ") {
            promised.extend(codes.map(|code| (number, code.to_owned())));
        }
    }
    promised
}

#[test]
fn what_the_table_of_traps_promises_is_what_is_tried() {
    let of_table = TRIALS.iter().filter(|trial| trial.row > 0).map(|trial| (trial.row, trial.code));
    let tried = of_table.chain(ALONE).map(|(row, code)| (row, code.to_owned())).collect();
    let promised = promised();
    assert!(promised.len() > 20, "{promised:?}");
    assert_eq!(promised, tried);
}

/// Nothing of all that is said of a fabric whose manager fell into none of the traps.
#[test]
fn a_fabric_without_traps_is_free_of_these_findings() {
    let design = "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                  qos_vlarb_low 0:64,1:64,2:64,3:64\nqos_vlarb_high 0:64\n";
    let tenants = "Default=0x7fff : ALL, SELF=full ;\n\
                   a=0x10 : 0x100021=full, 0x100041=full ;\n\
                   b=0x11 : 0x100031=full, 0x100032=full, 0x100051=full ;\n";
    let ibsim = Ibsim::start(SMALL);
    fs::write(ibsim.folder().join("partitions.conf"), tenants).expect("a file");
    fs::write(ibsim.folder().join("meant.conf"), design).expect("a file");
    Opensm { conf: design, arguments: &["-P", "partitions.conf"] }.settle(&ibsim);
    for files in [&[][..], &["-F", "meant.conf", "-P", "partitions.conf"]] {
        let said = check(&ibsim, files);
        let tried = TRIALS.iter().map(|trial| trial.code).chain(["QO111", "QO112", "QO115"]);
        for code in tried {
            assert!(!said.contains(&format!("[{code}]")), "{code}: {said}");
        }
    }
}

/// Row 13: a line that is taken out stays in force until a restart, whatever SIGHUP reads.
#[test]
fn a_line_that_was_taken_out_is_seen_to_be_in_force() {
    let ibsim = Ibsim::start(SMALL);
    let manager = Daemon::opensm(&ibsim, "qos TRUE\nmax_op_vls 2\n", &[]);
    fs::write(ibsim.folder().join("daemon.conf"), "qos TRUE\n").expect("a file");
    let ups = || manager.log().matches("SUBNET UP").count();
    let before = ups();
    let hup = Command::new("kill").args(["-HUP", &manager.id().to_string()]).status();
    assert!(hup.expect("kill is there").success());
    let end = std::time::Instant::now() + Duration::from_secs(30);
    while ups() == before {
        assert!(std::time::Instant::now() < end, "{}", manager.log());
        thread::sleep(Duration::from_millis(50));
    }
    let said = check(&ibsim, &["-F", "daemon.conf"]);
    assert!(said.contains("[QO101]") && said.contains("OperVLs"), "{said}");
}

/// Row 72: opensm falls over a word before it has done anything.
#[test]
fn a_fabric_that_nobody_has_set_up_is_called_so() {
    let ibsim = Ibsim::start(SMALL);
    fs::write(ibsim.folder().join("opensm.conf"), "console (null)\n").expect("a file");
    let ended = ibsim.client("opensm", &["-o", "-F", "opensm.conf", "-f", "opensm.log"]);
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    let said = check(&ibsim, &[]);
    assert!(said.contains("[QO125]"), "{said}");
    // What ports came with is nobody's design.
    assert!(!said.contains("[QO105]") && !said.contains("[QO114]"), "{said}");
}

/// Row 29, and the engine without QoS: on a torus.
#[test]
fn what_torus_2qos_makes_of_a_design_is_seen() {
    let torus = Torus::new([4, 4, 1], [false, false, false], &[[0, 0, 0]]);
    let ibsim = Ibsim::start(&torus.net());
    fs::write(ibsim.folder().join("torus.conf"), torus.conf()).expect("a file");
    let design = "qos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n";
    let on = format!("qos TRUE\n{design}");
    fs::write(ibsim.folder().join("meant.conf"), &on).expect("a file");
    let arguments = ["-R", "torus-2QoS", "--torus_config", "torus.conf"];
    // Without QoS it does not route, and what stands in has credit loops.
    Opensm { conf: "", arguments: &arguments }.settle(&ibsim);
    let said = check(&ibsim, &[]);
    assert!(said.contains("[QO112]"), "{said}");
    Opensm { conf: &on, arguments: &arguments }.settle(&ibsim);
    let said = check(&ibsim, &["-F", "meant.conf"]);
    assert!(said.contains("[QO101]") && said.contains("SL2VL"), "{said}");
}

/// Two managers that each take the fabric for themselves.
#[test]
fn two_masters_are_seen() {
    let ibsim = Ibsim::start(SMALL);
    fs::write(ibsim.folder().join("alone.conf"), "ignore_other_sm TRUE\n").expect("a file");
    let serve = |host: &str, log: &str| {
        let mut command = ibsim.command("opensm");
        command.env("SIM_HOST", host).args(["-d", "2", "-F", "alone.conf", "-f", log]);
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null()).spawn().expect("opensm runs")
    };
    let wait = |log: &str| {
        let path = ibsim.folder().join(log);
        let end = std::time::Instant::now() + Duration::from_secs(30);
        while !String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains("SUBNET UP") {
            assert!(std::time::Instant::now() < end, "{log}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    let mut first = serve("H-0000000000100010", "first.log");
    wait("first.log");
    let mut second = serve("H-0000000000100040", "second.log");
    wait("second.log");
    let mut command = ibsim.command(Lanekeeper::path());
    command.env("SIM_HOST", "H-0000000000100020");
    let outcome = run(command, &[]);
    process::stop(&mut first);
    process::stop(&mut second);
    assert!(outcome.out.contains("[QO109]"), "{outcome:#?}");
}
