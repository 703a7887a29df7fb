//! `lanekeeper verify` as a shell sees it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    command.args(line.split(' ')).current_dir(folder).env("OSM_TMP_DIR", folder.join("dumps"));
    command.output().expect("the binary was built for this test")
}

fn code(folder: &Path, line: &str) -> Option<i32> {
    run(folder, line).status.code()
}

/// The verdict, after a look at the exit code.
fn verdict(folder: &Path, line: &str) -> Value {
    let output = run(folder, &format!("{line} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let good = report["proof"]["deadlock_free"] == true && report["proof"]["all_reached"] == true;
    let fixed = &report["fixed_sl"];
    let good = good && (fixed.is_null() || fixed["together"]["deadlock_free"] == true);
    assert_eq!(output.status.code(), Some(i32::from(!good)), "{output:?}");
    report
}

/// A ring of six switches, with the dumps that `sm` leaves once it is up.
fn ring() -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    assert_eq!(code(here.path(), "topo torus 6 --hosts 1 --output ring"), Some(0));
    assert_eq!(code(here.path(), "sm --sim ring -Q -o -D 0x43"), Some(0));
    here
}

#[test]
fn a_fabric_and_its_dumps_have_the_same_verdict() {
    let here = ring();
    let (engine, files) =
        (verdict(here.path(), "verify ring"), verdict(here.path(), "verify --dumps dumps"));
    for field in ["deadlock_free", "all_reached", "max_hops", "waits", "channels"] {
        assert_eq!(engine["proof"][field], files["proof"][field], "{field}");
    }
    assert_eq!(engine["proof"]["deadlock_free"], false);
    assert_eq!(engine["proof"]["circle"].as_array().map(Vec::len), Some(6));
    assert_eq!((&engine["sl2vl_known"], &files["sl2vl_known"]), (&false.into(), &true.into()));
    let route = run(here.path(), "route ring --json");
    let route: Value = serde_json::from_slice(&route.stdout).expect("JSON");
    assert_eq!(route["deadlock_free"], false);
    assert_eq!((&route["lanes"], &route["credit_loop"]), (&1.into(), &6.into()));
    assert!(route["proof_seconds"].is_f64());
}

#[test]
fn either_file_of_forwarding_tables_will_do() {
    let here = ring();
    let with = verdict(here.path(), "verify --dumps dumps")["proof"].clone();
    fs::remove_file(here.path().join("dumps/opensm.fdbs")).expect("a dump");
    assert_eq!(verdict(here.path(), "verify --dumps dumps")["proof"], with);
    fs::remove_file(here.path().join("dumps/opensm-lfts.dump")).expect("a dump");
    assert_eq!(code(here.path(), "verify --dumps dumps"), Some(2));
}

#[test]
fn tables_of_elsewhere_are_judged_on_a_fabric() {
    let here = ring();
    let with = verdict(here.path(), "verify ring")["proof"].clone();
    for file in ["opensm.fdbs", "opensm-lfts.dump"] {
        // The ring's file has no LIDs: the tables say whose they are.
        let report = verdict(here.path(), &format!("verify ring --tables dumps/{file}"));
        for field in ["deadlock_free", "all_reached", "max_hops", "waits", "channels"] {
            assert_eq!(report["proof"][field], with[field], "{file}: {field}");
        }
        // `route` gives out LIDs in an order of its own.
        let _ = run(here.path(), "route ring --dump own");
        let route = run(here.path(), &format!("route ring --previous own/{file} --json"));
        let route: Value = serde_json::from_slice(&route.stdout).expect("JSON");
        assert_eq!(route["entries_moved"], 0, "{file}");
    }
    fs::write(here.path().join("none"), "nothing").expect("a file");
    assert_eq!(code(here.path(), "verify ring --tables none"), Some(2));
}

/// A host that has an SL and a lane to itself waits for nobody; those that use SL 0 all the same
/// close the ring.
#[test]
fn programs_with_an_sl_of_their_own_are_judged_beside_the_others() {
    let here = ring();
    let list = fs::read_to_string(here.path().join("dumps/opensm-subnet.lst")).expect("a list");
    let after = |end: &str, word: &str| {
        end.split_once(word).map(|(_, rest)| rest.split(' ').next().unwrap_or("").to_owned())
    };
    let hosts: Vec<(String, String)> = list
        .lines()
        .filter(|line| line.starts_with("{ CA"))
        .filter_map(|line| Some((after(line, "PortGUID:")?, after(line, " LID:")?)))
        .collect();
    assert_eq!(hosts.len(), 6);
    let mut sls = String::from("# by source\n");
    for (sl, (guid, _)) in hosts.iter().enumerate() {
        for (_, lid) in hosts.iter().filter(|(to, _)| to != guid) {
            sls += &format!("0x{guid} 0x{lid} {sl}\n");
        }
    }
    fs::write(here.path().join("sls"), &sls).expect("SLs");
    let report = verdict(here.path(), "verify --dumps dumps --path-sls sls");
    assert_eq!(report["proof"]["deadlock_free"], true, "{report:#}");
    assert_eq!(report["proof"]["sls"], serde_json::json!([0, 1, 2, 3, 4, 5]));
    let report = verdict(here.path(), "verify --dumps dumps --path-sls sls --fixed-sl 0,7");
    assert_eq!(report["fixed_sl"]["unsafe_sls"], serde_json::json!([0, 7]));
    let circle = report["fixed_sl"]["together"]["circle"].as_array().expect("a list");
    assert!(circle.iter().all(|step| step["vl"] == 0), "{report:#}");
    for wrong in ["0x10 1 1", "0x1 1", "nonsense", "0xffff 1 1"] {
        fs::write(here.path().join("sls"), format!("{sls}{wrong}\n")).expect("SLs");
        let output = run(here.path(), "verify --dumps dumps --path-sls sls");
        assert_eq!(output.status.code(), Some(2), "{wrong}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("sls:32:"), "{output:?}");
    }
}

#[test]
fn an_sl_that_is_dropped_on_the_way_is_a_finding() {
    let here = TempDir::new().expect("a temporary folder");
    assert_eq!(code(here.path(), "topo fattree 4 2 --output tree"), Some(0));
    fs::write(here.path().join("conf"), "qos_sl2vl 0,1,15,3\n").expect("a file");
    assert_eq!(code(here.path(), "sm --sim tree -Q -o -D 0x43 -F conf"), Some(0));
    assert_eq!(code(here.path(), "verify --dumps dumps"), Some(0));
    assert_eq!(code(here.path(), "verify --dumps dumps --fixed-sl 1"), Some(0));
    assert_eq!(code(here.path(), "verify --dumps dumps --fixed-sl 2"), Some(1));
}

/// torus-2QoS brings path SLs and SL2VL tables of its own; minhop on the same torus has a loop.
#[test]
fn an_engines_own_sls_and_lanes_are_judged() {
    let here = TempDir::new().expect("a temporary folder");
    assert_eq!(code(here.path(), "topo torus 6 5 --output torus"), Some(0));
    let conf = "torus 6 5 1\nxp_link 0x200000 0x200005\nyp_link 0x200000 0x200001\n";
    fs::write(here.path().join("conf"), conf).expect("a file");
    let line = "verify torus -Q -R torus-2QoS,no_fallback --torus_config conf";
    let report = verdict(here.path(), line);
    assert_eq!((&report["source"], &report["sl2vl_known"]), (&"torus-2QoS".into(), &true.into()));
    assert_eq!(report["proof"]["deadlock_free"], true, "{report:#}");
    assert_eq!(report["proof"]["lanes"].as_array().map(Vec::len), Some(8));
    assert_eq!(verdict(here.path(), "verify torus")["proof"]["deadlock_free"], false);
}

#[test]
fn damaged_dumps_are_told_and_the_rest_is_judged() {
    let here = ring();
    let path = here.path().join("dumps/opensm.fdbs");
    let text = fs::read_to_string(&path).expect("a dump");
    let whole = text.replacen("0x0001 : ", "0x0001 ; ", 1);
    fs::write(&path, whole).expect("a dump");
    let output = run(here.path(), "verify --dumps dumps");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("opensm.fdbs:3"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("NOT REACHED"), "{output:?}");
    // A switch without a table reaches nobody.
    let first = text.find("dump_ucast_routes").and_then(|_| text[1..].find("dump_ucast_routes"));
    fs::write(&path, &text[first.expect("a second switch") + 1..]).expect("a dump");
    let output = run(here.path(), "verify --dumps dumps");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 switch has no forwarding table"));
}

#[test]
fn wrong_usage_gives_2() {
    let here = TempDir::new().expect("a temporary folder");
    for line in [
        "verify",
        "verify a b",
        "verify --dumps nowhere",
        "verify --dumps nowhere fabric",
        "verify fabric --path-sls file",
        "verify fabric --fixed-sl 16",
        "verify nowhere",
        "verify fabric --tables nowhere",
        "verify --dumps nowhere --tables file",
    ] {
        let output = run(here.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert!(!output.stderr.is_empty(), "{line}");
    }
    let help = run(here.path(), "verify --help");
    assert!(String::from_utf8_lossy(&help.stdout).contains("--fixed-sl"), "{help:?}");
}

/// GUID of a switch and number of a port, as the list has them.
type Plug = (String, String);

/// Three switches in a ring carry unicast without a loop. Multicast tables that copy to both
/// neighbours everywhere send each packet round for ever; without one of the cables they make a
/// tree.
#[test]
fn multicast_tables_are_judged_with_the_others() {
    let here = TempDir::new().expect("a temporary folder");
    assert_eq!(code(here.path(), "topo torus 3 --hosts 1 --output ring"), Some(0));
    assert_eq!(code(here.path(), "sm --sim ring -Q -o -D 0x43"), Some(0));
    let dumps = here.path().join("dumps");
    let list = fs::read_to_string(dumps.join("opensm-subnet.lst")).expect("a list");
    // Each cable between switches stands there from both ends.
    let end = |end: &str| {
        let after = |word: &str| end.split_once(word).and_then(|(_, rest)| rest.split(' ').next());
        (after(" NodeGUID:").expect("a GUID").to_owned(), after(" PN:").expect("a port").to_owned())
    };
    let between = list.lines().filter(|line| line.matches("{ SW ").count() == 2);
    let cables: Vec<_> = between
        .filter_map(|line| line.split_once(" } { "))
        .map(|(near, far)| (end(near), end(far)))
        .collect();
    assert_eq!(cables.len(), 6);
    let tables = |cables: &[(Plug, Plug)]| {
        let mut text = String::new();
        let switches: std::collections::BTreeSet<&String> =
            cables.iter().map(|((guid, _), _)| guid).collect();
        for guid in switches {
            let own = cables.iter().filter(|((from, _), _)| from == guid);
            let ports: String = own.map(|((_, port), _)| format!(" 0x0{port} ")).collect();
            text += &format!("\nSwitch 0x{guid}\nLID    : Out Port(s)\n0xC000 :{ports}\n");
        }
        fs::write(dumps.join("opensm.mcfdbs"), text).expect("a file");
    };
    assert_eq!(verdict(here.path(), "verify --dumps dumps")["proof"]["groups"], 0);
    tables(&cables);
    let round = verdict(here.path(), "verify --dumps dumps");
    assert_eq!(round["proof"]["groups"], 1);
    assert_eq!(round["proof"]["circle"].as_array().map(Vec::len), Some(3));
    assert_eq!(round["proof"]["circle"][0]["destination"], "the group of 0xc000");
    let elsewhere = verdict(here.path(), "verify --dumps dumps --group-sls 1,2");
    assert_eq!(elsewhere["proof"]["circle"][0]["sl"], 1);
    let (one, other) = &cables[0];
    let rest: Vec<_> =
        cables.iter().filter(|(near, _)| near != one && near != other).cloned().collect();
    tables(&rest);
    assert_eq!(verdict(here.path(), "verify --dumps dumps")["proof"]["deadlock_free"], true);
    assert_eq!(code(here.path(), "verify ring --group-sls 1"), Some(2));
}

/// Changes a dump file line by line.
fn edit(folder: &Path, name: &str, change: impl FnMut(&str) -> String) {
    let path = folder.join("dumps").join(name);
    let text = fs::read_to_string(&path).expect("a dump file");
    let lines: Vec<String> = text.lines().map(change).collect();
    fs::write(path, lines.join("\n") + "\n").expect("a dump file");
}

#[test]
fn adapters_that_drop_their_own_packets_are_found() {
    let here = ring();
    let mut adapter = false;
    edit(here.path(), "opensm-sl2vl.dump", |line| {
        adapter = match line.split(' ').next() {
            Some("Channel") => true,
            Some("Switch") => false,
            _ => adapter,
        };
        match line.split_once(':').filter(|_| adapter && !line.contains('#')) {
            Some((ports, _)) if !ports.contains("0x") => {
                format!("{ports}:{}", " 15".repeat(16))
            }
            _ => line.to_owned(),
        }
    });
    let output = run(here.path(), "verify --dumps dumps --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["proof"]["dropped_sls"], serde_json::json!([0]), "{report:#}");
    assert_eq!(output.status.code(), Some(1), "{report:#}");
}

#[test]
fn a_drop_where_no_packet_goes_is_none() {
    let here = TempDir::new().expect("a temporary folder");
    assert_eq!(code(here.path(), "topo fattree 4 2 --output tree"), Some(0));
    assert_eq!(code(here.path(), "sm --sim tree -Q -o -R updn -D 0x43"), Some(0));
    // Packets that come to a spine go down. No packet comes from a leaf's uplink to another one.
    let mut leaf = false;
    let mut edited = 0;
    edit(here.path(), "opensm-sl2vl.dump", |line| {
        if line.starts_with("Switch") {
            leaf = line.contains("\"L0-");
        }
        let ports = line.split_once(':').map(|(ports, _)| ports.split_whitespace());
        let ports: Vec<&str> = ports.into_iter().flatten().collect();
        if leaf && matches!(ports[..], ["3", "4"] | ["4", "3"]) {
            edited += 1;
            return format!("{}   {}   :{}", ports[0], ports[1], " 15".repeat(16));
        }
        line.to_owned()
    });
    assert!(edited > 0, "leaves have uplinks 3 and 4");
    let report = verdict(here.path(), "verify --dumps dumps");
    assert_eq!(report["proof"]["dropped_sls"], serde_json::json!([]), "{report:#}");
}

#[test]
fn lids_that_are_missing_or_doubled_are_told() {
    let here = ring();
    let lid = |n: u16| format!("LID:{n:04X}");
    edit(here.path(), "opensm-subnet.lst", |line| {
        let host = line.contains("{host1 HCA-1} LID:");
        let line = line.to_owned();
        if !host {
            return line;
        }
        let at = line.find("{host1 HCA-1} LID:").expect("it is there") + "{host1 HCA-1} ".len();
        format!("{}{}{}", &line[..at], lid(1), &line[at + 8..])
    });
    let output = run(here.path(), "verify --dumps dumps");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("has LID 1, which") && said.contains("has too"), "{said}");
}

#[test]
fn switches_and_their_hosts_may_send_on_other_sls() {
    let here = ring();
    // Hosts have SLs that part the ring; switches send on SL 0, and their circle is told apart.
    assert_eq!(code(here.path(), "route ring -Q -R dfsssp --path-sls sls"), Some(0));
    let text = fs::read_to_string(here.path().join("sls")).expect("SLs");
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let switch = words[0].contains("0x00000000002");
        format!("{} {} {}\n", words[0], words[1], if switch { "0" } else { words[2] })
    };
    fs::write(here.path().join("sls"), text.lines().map(line).collect::<String>()).expect("SLs");
    assert_eq!(code(here.path(), "sm --sim ring -Q -o -R dfsssp -D 0x43"), Some(0));
    let report = verdict(here.path(), "verify --dumps dumps --path-sls sls");
    assert_eq!(report["proof"]["deadlock_free"], true, "{report:#}");
    fs::write(here.path().join("none"), "").expect("a file");
    let output = run(here.path(), "verify --dumps dumps --path-sls none");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn ways_without_a_line_in_the_dump_are_told() {
    let here = ring();
    assert_eq!(code(here.path(), "verify --dumps dumps --fixed-sl 1"), Some(1), "a ring loops");
    let mut switch = String::new();
    let mut gone = 0;
    edit(here.path(), "opensm-sl2vl.dump", |line| {
        if line.starts_with("Switch") || line.starts_with("Channel") {
            line.clone_into(&mut switch);
        }
        let ports = line.split_once(':').map(|(ports, _)| ports.split_whitespace());
        let ports: Vec<&str> = ports.into_iter().flatten().collect();
        let is_gone = switch.contains("\"sw-2\"") && matches!(ports[..], ["1" | "2", "1" | "2"]);
        gone += usize::from(is_gone);
        if is_gone { String::new() } else { line.to_owned() }
    });
    assert_eq!(gone, 4);
    let output = run(here.path(), "verify --dumps dumps");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let words = "sw-2 has no line from port 1 to port 2 and for 1 other ways through it";
    assert!(said.contains(words), "{said}");
}

/// Two SLs on one lane, each dropped at another switch of a ring: alone neither gets round.
#[test]
fn sls_that_are_safe_alone_need_not_be_so_together() {
    let here = ring();
    let mut switch = String::new();
    edit(here.path(), "opensm-sl2vl.dump", |line| {
        if line.starts_with("Switch") || line.starts_with("Channel") {
            line.clone_into(&mut switch);
        }
        let Some((ports, lanes)) = line.split_once(':') else { return line.to_owned() };
        if ports.contains("out") || lanes.split_whitespace().count() != 16 {
            return line.to_owned();
        }
        let lane = |sl: usize| match sl {
            3 if switch.contains("\"sw-0\"") => " 15",
            9 if switch.contains("\"sw-3\"") => " 15",
            _ => " 0",
        };
        format!("{ports}:{}", (0..16).map(lane).collect::<String>())
    });
    let list = fs::read_to_string(here.path().join("dumps/opensm-subnet.lst")).expect("a list");
    let ca = list.lines().find(|line| line.starts_with("{ CA")).expect("an adapter");
    let guid = ca.split_once("PortGUID:").expect("a GUID").1.split(' ').next().unwrap_or_default();
    let lid = ca.split_once(" LID:").expect("a LID").1.split(' ').next().unwrap_or_default();
    fs::write(here.path().join("sls"), format!("0x{guid} 0x{lid} 0\n")).expect("SLs");
    let line = "verify --dumps dumps --path-sls sls --fixed-sl 3,9,12";
    let fixed = verdict(here.path(), line)["fixed_sl"].clone();
    assert_eq!(fixed["safe"], serde_json::json!([3, 9]), "{fixed:#}");
    assert_eq!(fixed["safe_together"], serde_json::json!([3]), "{fixed:#}");
    assert_eq!(fixed["unsafe_sls"], serde_json::json!([12]), "{fixed:#}");
    let output = run(here.path(), line);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("safe for everybody: SL 3, 9\n  each alone; together: SL 3\n"), "{text}");
}
