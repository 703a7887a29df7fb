//! Whether lanekeeper makes of topology files of ibdm what ibdmchk makes of them: as many LIDs, and
//! the same distances between adapters. The definitions of systems are those that ibutils brings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lk_peers::{Lanekeeper, process};
use serde_json::Value;
use tempfile::TempDir;

/// What a program says of a topology.
#[derive(PartialEq, Debug)]
struct Seen {
    lids: u64,
    max_hops: u64,
    /// Hops between switches of all pairs of adapters, by the thousandth on average.
    mean: i64,
}

/// The topologies that come with ibutils, and those of the folder `shared`.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn topologies() -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
    };
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("LANEKEEPER_SHARED").map_or(beside, PathBuf::from);
    let mut files = list(&shared.join("cases/topo"));
    if files.is_empty() {
        eprintln!("SKIPPED in part: the folder shared/ with the field's files is missing");
    }
    for folder in list(Path::new("/usr/lib/x86_64-linux-gnu")) {
        files.extend(list(&folder.join("ibnl")).into_iter().filter(|_| {
            folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ibdm"))
        }));
    }
    files.retain(|path| path.extension().is_some_and(|end| end == "topo"));
    // One names a type that is defined nowhere, which ibdmchk refuses.
    files.retain(|path| !path.to_string_lossy().contains("t08-"));
    files.sort();
    files
}

/// The first adapter of a topology with its port: ibdmchk starts its walk there.
fn adapter(text: &str) -> (String, String) {
    let words = text
        .lines()
        .filter_map(|line| line.split_once("->"))
        .map(|(_, far)| far.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let kinds = ["Cougar", "MT23108", "MTPB23108", "MTLP25208", "MHEL-CF128-T", "Lion"];
    let found = words.into_iter().find(|words| kinds.contains(&words[0].as_str()));
    let found = found.unwrap_or_else(|| panic!("no adapter in {text}"));
    (format!("{}/U1", found[1]), found[2].trim_start_matches('P').to_owned())
}

fn number(text: &str, before: &str) -> u64 {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number behind {before:?} in {text}"))
}

fn ibdmchk(path: &Path) -> Seen {
    let (node, port) = adapter(&fs::read_to_string(path).expect("a topology"));
    let mut command = Command::new("ibdmchk");
    command.arg("-t").arg(path).args(["-n", &node, "-p", &port]);
    let out = process::run(command, "ibutils", Duration::from_secs(120)).out;
    let (_, rest) = out.split_once("HOPS NUM-CA-CA-PAIRS").unwrap_or_else(|| panic!("{out}"));
    let rows = rest.lines().skip(1).take_while(|line| !line.starts_with('-'));
    let rows = rows.filter_map(|line| {
        let mut words = line.split_whitespace().map(|word| word.parse::<u64>().ok());
        // It counts the links of the adapters, too.
        Some((words.next()??.saturating_sub(2), words.next()??))
    });
    let rows: Vec<(u64, u64)> = rows.collect();
    let pairs: u64 = rows.iter().map(|(_, pairs)| pairs).sum();
    let hops: u64 = rows.iter().map(|(hops, pairs)| hops * pairs).sum();
    Seen {
        lids: number(&out, "Assigned "),
        max_hops: rows.iter().map(|(hops, _)| *hops).max().unwrap_or(0),
        mean: (hops * 1000).div_euclid(pairs.max(1)) as i64,
    }
}

fn ours(path: &Path) -> Seen {
    let folder = TempDir::new().expect("a temporary folder");
    let path = path.to_str().expect("a name in UTF-8");
    let outcome = Lanekeeper::run(folder.path(), &["route", path, "--json"]);
    let report: Value =
        serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:#?}"));
    assert!(!outcome.err.contains("error"), "{path}: {}", outcome.err);
    Seen {
        lids: report["lids"].as_u64().expect("LIDs"),
        max_hops: report["max_hops"].as_u64().expect("hops"),
        mean: (report["mean_hops"].as_f64().expect("hops") * 1000.0 + 1e-6).floor() as i64,
    }
}

#[test]
fn topologies_of_ibdm_are_what_ibdmchk_makes_of_them() {
    let files = topologies();
    assert!(files.len() >= 5, "ibutils brings five topologies: {files:?}");
    for path in files {
        assert_eq!(ours(&path), ibdmchk(&path), "{}", path.display());
    }
}
