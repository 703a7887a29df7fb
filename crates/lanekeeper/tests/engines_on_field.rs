//! Every routing engine on every fabric file of the field: what it routes is complete, free of
//! loops and as its law promises; what it refuses, it refuses with a reason.

mod field;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use field::{fabrics, shared};
use serde_json::Value;

/// The engines, and whether their law keeps packets from waiting for each other in a circle.
const ENGINES: [(&str, bool); 9] = [
    ("minhop", false),
    ("sssp", false),
    ("dor", false),
    ("updn", true),
    ("dnup", true),
    ("ftree", true),
    ("dfsssp", true),
    ("lash", true),
    ("nue", true),
];

/// Engines that take the fewest hops on any fabric.
const SHORTEST: [&str; 4] = ["minhop", "sssp", "dfsssp", "lash"];

/// What ftree takes for a fat-tree of the files that were made to try that, as opensm does.
const FAT_TREES: [(&str, bool); 10] = [
    ("t14-ftree-base-4ary2", true),
    ("t14-ftree-half-4ary3", true),
    ("t14-ftree-part-4ary3", true),
    ("t14-ftree-merged-roots-reordered", true),
    ("t14-ftree-blend", true),
    ("t14-ftree-missing-link", false),
    ("t14-ftree-uneven-portgroups", false),
    ("t04-kary-4-3", true),
    ("t13-4ary4tree", true),
    ("t20-torus-4x5", false),
];

/// What `route --json` says; the reason where the engine refuses.
fn route(fabric: &Path, engine: &str) -> Result<Value, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
        .args(["route", "-Q", "--json", "-R", &format!("{engine},no_fallback")])
        .arg(fabric)
        .output()
        .expect("the binary was built for this test");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    match output.stdout.is_empty() {
        true => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        false => Ok(serde_json::from_slice(&output.stdout).expect("JSON")),
    }
}

/// The mean of hops by engine, after all else was looked at.
fn judge(fabric: &Path, routed: &mut BTreeMap<&'static str, usize>) -> BTreeMap<&'static str, f64> {
    let name = fabric.display();
    let mut hops = BTreeMap::new();
    // A fabric in several pieces is reached in part by all.
    let mut reached = None;
    for (engine, is_free) in ENGINES {
        let report = match route(fabric, engine) {
            Ok(report) => report,
            Err(why) => {
                let told = why.contains("cannot route this fabric:") || why.contains("to route");
                assert!(told, "{engine} on {name} refuses without a reason: {why}");
                continue;
            }
        };
        *routed.entry(engine).or_default() += 1;
        assert_eq!(report["loops"], 0, "{engine} on {name}");
        let all = report["all_reached"] == true;
        assert_eq!(*reached.get_or_insert(all), all, "{engine} on {name}");
        assert!(!is_free || report["deadlock_free"] == true, "{engine} on {name}: {report:#}");
        hops.insert(engine, report["mean_hops"].as_f64().expect("a number"));
    }
    hops
}

#[test]
fn every_engine_keeps_its_law_on_the_files_of_the_field() {
    let Some(shared) = shared() else { return };
    let mut files: Vec<PathBuf> = fabrics(&shared.join("cases/topo"));
    files.extend(fabrics(&shared.join("golden")));
    let mut routed = BTreeMap::new();
    for fabric in &files {
        let hops = judge(fabric, &mut routed);
        let Some(least) = hops.values().copied().reduce(f64::min) else { continue };
        for engine in SHORTEST {
            let mean = hops.get(engine).copied().unwrap_or(least);
            assert!((mean - least).abs() < 1e-9, "{engine} on {}: {mean}", fabric.display());
        }
    }
    assert!(files.len() > 40, "{} files", files.len());
    for (engine, _) in ENGINES {
        assert!(routed.get(engine).is_some_and(|n| *n >= 12), "{engine}: {routed:?}");
    }
}

#[test]
fn fat_trees_are_told_from_what_is_none() {
    let Some(shared) = shared() else { return };
    let files = fabrics(&shared.join("cases/topo"));
    for (name, is_tree) in FAT_TREES {
        let has = |path: &&PathBuf| path.to_string_lossy().contains(name);
        let fabric = files.iter().find(has).unwrap_or_else(|| panic!("no file {name}"));
        match route(fabric, "ftree") {
            Ok(report) => assert!(is_tree, "{name}: {report:#}"),
            Err(why) => assert!(!is_tree, "{name}: {why}"),
        }
    }
}

/// A fabric that ibdiag's authors made to show a credit loop of opensm's default routing. Here
/// minhop makes none of it, dor does.
#[test]
fn routes_that_can_deadlock_are_refused_where_none_may() {
    let Some(shared) = shared() else { return };
    let fabric = shared.join("cases/topo/t08-credit-loop-16hca.ibdm.topo");
    let run = |engines: &str, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
            .args(["route", "-Q", "--json", "-R", engines])
            .args(more)
            .arg(&fabric)
            .output()
            .expect("the binary was built for this test");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let engine = serde_json::from_slice(&output.stdout)
            .map_or(Value::Null, |report: Value| report["engine"].clone());
        (engine, output.status.code(), said)
    };
    let (engine, code, _) = run("dor", &[]);
    assert_eq!((engine, code), ("dor".into(), Some(1)), "routed, and the loop is told");
    let (engine, code, said) = run("dor,updn", &["--require-loop-free"]);
    assert_eq!((engine, code), ("updn".into(), Some(0)), "{said}");
    assert!(said.contains("dor cannot route this fabric: packets could wait"), "{said}");
    let (engine, code, said) = run("dor,no_fallback", &["--require-loop-free"]);
    assert_eq!((engine, code), (Value::Null, Some(1)), "{said}");
    assert!(said.contains("no engine of \"dor,no_fallback\" routes this fabric"), "{said}");
    for engine in ["minhop", "updn", "dfsssp", "lash", "nue"] {
        let (routed, code, said) = run(engine, &["--require-loop-free"]);
        assert_eq!((routed, code), (engine.into(), Some(0)), "{said}");
    }
}
