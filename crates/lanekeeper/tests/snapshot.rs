//! `lanekeeper snapshot`, and `verify` of what it writes, as a shell sees them.

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

/// Runs a command that has to end with this code; gives both outputs.
fn ends(folder: &Path, line: &str, code: i32) -> (String, String) {
    let output = run(folder, line);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{line}\n{out}\n{err}");
    (out, err)
}

fn folder_with(topology: &str) -> TempDir {
    let here = TempDir::new().expect("a temporary folder");
    ends(here.path(), &format!("topo {topology} --output net"), 0);
    here
}

fn verdict(folder: &Path, line: &str, code: i32) -> Value {
    let (out, _) = ends(folder, &format!("{line} --json"), code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn a_snapshot_of_a_simulated_fabric_can_be_written_twice_and_judged() {
    let here = folder_with("torus 4 4 --hosts 1");
    let at = here.path();
    let (_, said) = ends(at, "snapshot --sim net -R minhop -o bad", 0);
    assert!(said.contains("32 nodes, 16 of them switches") && said.contains("requests"), "{said}");
    let bad = fs::read_to_string(at.join("bad")).expect("a file");
    let root = bad.lines().find_map(|line| line.strip_prefix("switch ")).expect("a switch");
    fs::write(at.join("roots"), root.split(' ').next().expect("its GUID")).expect("a file");
    ends(at, "snapshot --sim net -Q -R updn -a roots -o one", 0);
    ends(at, "snapshot --sim net -Q -R updn -a roots -o two", 0);
    let (one, two) = (fs::read(at.join("one")), fs::read(at.join("two")));
    assert_eq!(one.expect("a file"), two.expect("a file"), "the same fabric, the same bytes");
    let good = verdict(at, "verify --snapshot one", 0);
    assert_eq!(good["proof"]["deadlock_free"], true);
    assert_eq!(good["sl2vl_known"], true);
    let bad = verdict(at, "verify --snapshot bad", 1);
    assert_eq!(bad["proof"]["deadlock_free"], false);
    assert_eq!(bad["proof"]["all_reached"], true);
    assert!(bad["proof"]["circle"].as_array().is_some_and(|circle| circle.len() >= 4));
}

#[test]
fn a_snapshot_without_names_has_the_same_verdict() {
    let here = folder_with("fattree 4 2");
    let at = here.path();
    ends(at, "snapshot --sim net -o plain", 0);
    ends(at, "snapshot --snapshot plain --anonymise -o hidden", 0);
    ends(at, "snapshot --sim net --anonymise -o -", 0);
    let hidden = fs::read_to_string(at.join("hidden")).expect("a file");
    let plain = fs::read_to_string(at.join("plain")).expect("a file");
    let name = plain.lines().find(|line| line.starts_with("switch ")).expect("a switch");
    let name = name.split('"').nth(1).expect("its name");
    assert!(!hidden.contains(name), "{name} is still there");
    assert!(hidden.contains("\nanonymous\n") && hidden.contains("\"switch 1\""));
    // Its GUIDs are others than those of a file, so members are not compared.
    let tenants = "Default=0x7fff : ALL=full ;\na=0x10 : 0x100001=full, 0x100011=full ;\n";
    fs::write(at.join("tenants"), tenants).expect("a file");
    let (said, _) = ends(at, "check --snapshot plain -P tenants --format lines", 1);
    assert!(said.contains("QO124"), "{said}");
    let (said, _) = ends(at, "check --snapshot hidden -P tenants --format lines", 0);
    assert!(!said.contains("QO124"), "{said}");
    for field in ["channels", "waits", "max_hops", "deadlock_free"] {
        let of = |file: &str| verdict(at, &format!("verify --snapshot {file}"), 0)["proof"].clone();
        assert_eq!(of("plain")[field], of("hidden")[field], "{field}");
    }
}

#[test]
fn dumps_make_a_snapshot_with_the_verdict_of_the_dumps() {
    let here = folder_with("torus 6 --hosts 1");
    let at = here.path();
    ends(at, "sm --sim net -Q -o -D 0x43", 0);
    ends(at, "snapshot --dumps dumps -o kept", 0);
    let (kept, dumps) = (
        verdict(at, "verify --snapshot kept", 1)["proof"].clone(),
        verdict(at, "verify --dumps dumps", 1)["proof"].clone(),
    );
    for field in ["deadlock_free", "all_reached", "channels", "waits", "max_hops", "groups"] {
        assert_eq!(kept[field], dumps[field], "{field}");
    }
}

#[test]
fn what_was_not_read_is_not_judged() {
    let here = folder_with("fattree 4 2");
    let at = here.path();
    ends(at, "snapshot --sim net -o whole", 0);
    let whole = fs::read_to_string(at.join("whole")).expect("a file");
    // The tables of one switch are missing, as if it had not answered.
    let mut lines: Vec<String> = Vec::new();
    let (mut switches, mut taken) = (0, 0);
    for line in whole.lines() {
        switches += usize::from(line.starts_with("switch "));
        if line.starts_with("lft ") && switches == 1 {
            taken += 1;
            continue;
        }
        lines.push(line.to_owned());
    }
    assert!(taken > 0);
    let end = lines.pop().expect("the end");
    let count = end.rsplit(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a count");
    lines.push(end.replace(&format!("lines {count}"), &format!("lines {}", count - taken)));
    fs::write(at.join("part"), lines.join("\n") + "\n").expect("a file");
    let (full, part) =
        (verdict(at, "verify --snapshot whole", 0), verdict(at, "verify --snapshot part", 0));
    assert_eq!(
        (&full["lids_not_judged"], &part["proof"]["all_reached"]),
        (&0.into(), &true.into())
    );
    assert!(part["lids_not_judged"].as_u64() > Some(0), "{part:#}");
    assert!(part["lids"].as_u64() < full["lids"].as_u64());
    let (_, said) = ends(at, "verify --snapshot part", 0);
    assert!(said.contains("were not read") && said.contains("not judged"), "{said}");
}

#[test]
fn a_fabric_that_is_as_the_files_want_it_has_no_finding() {
    let here = folder_with("fattree 4 2");
    let at = here.path();
    fs::write(at.join("conf"), "qos TRUE\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n")
        .expect("a file");
    ends(at, "snapshot --sim net -F conf -o as-asked", 0);
    let (out, _) = ends(at, "check --snapshot as-asked --format lines", 0);
    assert!(!out.contains("QO1"), "{out}");
    let (out, _) = ends(at, "check --snapshot as-asked -F conf --format lines", 0);
    assert!(!out.contains("QO1"), "{out}");
    // Brought up with QoS off, it holds nothing of what the file asks for.
    ends(at, "snapshot --sim net -o off", 0);
    let (out, _) = ends(at, "check --snapshot off -F conf --format lines", 1);
    assert!(out.contains("QO101"), "{out}");
    let (out, _) = ends(at, "check --snapshot off -F conf", 1);
    assert!(out.contains("smpquery sl2vl") && out.contains("QoS off"), "{out}");
}

#[test]
fn wrong_usage_and_broken_snapshots_are_said() {
    let here = folder_with("fattree 4 2");
    let at = here.path();
    for line in [
        "snapshot -o x",
        "snapshot --sim net",
        "snapshot --sim net --live -o x",
        "snapshot net -o x",
        "snapshot --sim missing -o x",
        "snapshot --dumps missing -o x",
        "snapshot --sim net -o missing/x",
        "verify --snapshot missing",
        "verify --snapshot net",
        "verify --snapshot x net",
        "verify --live --snapshot x",
        "verify --live --dumps x",
        "check --snapshot missing",
        "check --snapshot net",
        "check --snapshot x --live",
        "check --dumps missing",
        "check --fabric net --snapshot x",
    ] {
        let (_, said) = ends(at, line, 2);
        assert!(said.contains("lanekeeper"), "{line}: {said}");
    }
    ends(at, "snapshot --sim net -o whole", 0);
    let whole = fs::read(at.join("whole")).expect("a file");
    fs::write(at.join("cut"), &whole[..whole.len() / 2]).expect("a file");
    let (_, said) = ends(at, "verify --snapshot cut", 2);
    assert!(said.contains("SN00"), "{said}");
    let lines = whole.iter().filter(|byte| **byte == b'\n').count();
    let all_but_last: Vec<&[u8]> =
        whole.split_inclusive(|byte| *byte == b'\n').take(lines - 1).collect();
    fs::write(at.join("cut"), all_but_last.concat()).expect("a file");
    let (_, said) = ends(at, "verify --snapshot cut", 2);
    assert!(said.contains("cut short"), "{said}");
}
