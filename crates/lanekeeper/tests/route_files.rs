//! `lanekeeper route` with the files that shape routing: what they do, what is said of bad ones.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with the file `tree`, a fat-tree of 4-port switches.
fn place() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let output = run(folder.path(), "topo fattree 4 3 --output tree");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
        .args(line.split(' '))
        .current_dir(folder)
        .output()
        .expect("the binary was built for this test")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_routing_that_was_dumped_reads_back_the_same() {
    let place = place();
    let folder = place.path();
    for engine in ["minhop", "updn", "dnup", "dor", "ftree"] {
        let output = run(folder, &format!("route tree -R {engine} --dump out"));
        assert!(output.status.code().is_some_and(|c| c < 2), "{output:?}");
        let dumped = "out/opensm-lfts.dump";
        let line = format!("route tree -R file,no_fallback -U {dumped} --previous {dumped} --json");
        let output = run(folder, &line);
        let figures = json(&output);
        assert_eq!(figures["engine"], "file", "{output:?}");
        assert_eq!(figures["entries_moved"], 0, "{engine}");
        let text = fs::read_to_string(folder.join(dumped)).expect("it was dumped");
        assert_eq!(
            run(folder, &format!("{line} --dump again")).status.code(),
            output.status.code()
        );
        let again = fs::read_to_string(folder.join("again/opensm-lfts.dump")).expect("dumped");
        assert_eq!(text, again, "{engine}");
    }
}

#[test]
fn ftree_dumps_the_order_of_compute_nodes() {
    let place = place();
    let output = run(place.path(), "route tree -R ftree --dump out");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let order = fs::read_to_string(place.path().join("out/opensm-ftree-ca-order.dump"));
    let order = order.expect("it was dumped");
    assert_eq!(order.lines().count(), 8);
    assert!(order.lines().all(|l| l.starts_with("0x") && l.contains('\t')), "{order}");
    let output = run(place.path(), "route tree -R minhop --dump other");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!place.path().join("other/opensm-ftree-ca-order.dump").exists());
}

#[test]
fn a_bad_line_of_an_lfts_file_is_named() {
    let place = place();
    let folder = place.path();
    let _ = run(folder, "route tree -R updn --dump out");
    let good = fs::read_to_string(folder.join("out/opensm-lfts.dump")).expect("it was dumped");
    let refused = |text: &str, with: &str| {
        fs::write(folder.join("bad"), text).expect("a temporary file");
        let output = run(folder, "route tree -R file,no_fallback -U bad");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(err(&output).contains(with), "{with}: {output:?}");
    };
    let line = |at: usize, text: &str| {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[at] = text;
        lines.join("\n")
    };
    refused(&line(2, "0x0002 xx # Switch"), "line 3: expected LID and port");
    refused(&line(0, "Unicast lids of nothing"), "line 1: expected a switch's LIDs and GUID");
    refused("Multicast mlids [0xc000-0xc3ff] of switch", "line 1: tables of multicast groups");
    refused("# nothing\n", "it holds no table");
    let output = run(folder, "route tree -R file,no_fallback -U absent");
    assert!(err(&output).contains("lfts_file absent: cannot read it"), "{output:?}");
    let _ = run(folder, "topo fattree 4 2 --output other");
    let output = run(folder, "route other -R file -U out/opensm-lfts.dump --json");
    assert_eq!(json(&output)["engine"], "file", "its switches have the same GUIDs: {output:?}");
    assert!(err(&output).contains("are not in this fabric"), "{output:?}");
    // A bad line among others is read over, as in opensm.
    fs::write(folder.join("odd"), format!("{good}\nanything else\n")).expect("a temporary file");
    let output = run(folder, "route tree -R file,no_fallback -U odd --json");
    assert_eq!(json(&output)["engine"], "file", "{output:?}");
}

#[test]
fn a_lid_matrix_is_routed_by() {
    let place = place();
    let folder = place.path();
    let _ = run(folder, "route tree -R updn --dump out");
    let matrix = "out/opensm-lid-matrix.dump";
    let output = run(folder, &format!("route tree -R file,no_fallback -M {matrix} --json"));
    assert_eq!(json(&output)["engine"], "file");
    assert_eq!(json(&output)["all_reached"], true, "{output:?}");
    let text = fs::read_to_string(folder.join(matrix)).expect("it was dumped");
    fs::write(folder.join("bad"), text.replacen(": 0", ": zz", 1)).expect("a file");
    let output = run(folder, "route tree -R file,no_fallback -M bad");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(err(&output).contains("lid_matrix_dump_file bad: line"), "{output:?}");
}

#[test]
fn guid_lists_of_routing_are_read_up_to_a_bad_line() {
    let place = place();
    let folder = place.path();
    fs::write(folder.join("roots"), "0x200000\nL2-0\n0x200001\n").expect("a file");
    for engine in ["updn", "ftree"] {
        let output = run(folder, &format!("route tree -R {engine},no_fallback -a roots --json"));
        assert_eq!(json(&output)["engine"], engine, "{output:?}");
        assert!(err(&output).contains("roots:2") && err(&output).contains("L2-0"), "{output:?}");
    }
}

#[test]
fn lines_that_shape_ports_are_used_but_for_bad_ones() {
    let place = place();
    let folder = place.path();
    let weights = "0x200000 1 0\n0x200000 2 256\n0xdead 1 3\n0x200000 1 255\nnonsense\n";
    fs::write(folder.join("weights"), weights).expect("a file");
    fs::write(folder.join("opensm.conf"), "hop_weights_file weights\n").expect("a file");
    let output = run(folder, "route tree -F opensm.conf --json");
    let figures = json(&output);
    let notes = figures["notes"].to_string();
    assert!(notes.contains("hop_weights_file: 0x000000000000dead is not in the fabric"), "{notes}");
    for place in ["weights:1", "weights:2", "weights:5"] {
        assert!(err(&output).contains(place), "{place}: {output:?}");
    }
    let plain = json(&run(folder, "route tree --json"));
    assert!(plain["notes"].as_array().is_some_and(Vec::is_empty));
    assert_eq!(figures["all_reached"], true);
}

#[test]
fn json_says_who_was_asked_and_who_routes() {
    let place = place();
    let folder = place.path();
    let _ = run(folder, "topo torus 4 4 --output torus");
    let figures = json(&run(folder, "route torus -R ftree,updn --json"));
    assert_eq!(figures["engine"], "minhop");
    assert_eq!(figures["asked"], "ftree,updn");
    assert_eq!(figures["fell_back"], true);
    assert_eq!(figures["declined"][0]["engine"], "ftree");
    assert!(figures["declined"][1]["reason"].as_str().is_some_and(|r| r.contains("root")));
    let figures = json(&run(folder, "route torus -R updnn,dor --json"));
    assert_eq!((&figures["engine"], &figures["fell_back"]), (&"dor".into(), &false.into()));
    assert!(figures["unknown"][0].as_str().is_some_and(|u| u.contains("did you mean `updn`")));
    let output = run(folder, "route torus -R updnn");
    assert_eq!(output.status.code(), Some(1), "minhop does not stand in: {output:?}");
    assert!(err(&output).contains("did you mean `updn`"), "{output:?}");
}

/// Lists of opensm.conf that put SLs of an engine on one lane: named with their line by every
/// command, and judged as they are.
#[test]
fn lists_that_merge_the_lanes_of_an_engine_are_named_with_their_line() {
    let place = place();
    let folder = place.path();
    assert!(run(folder, "topo torus 5 5 --output torus").status.success());
    fs::write(folder.join("opensm.conf"), "qos TRUE\nqos_swe_sl2vl 0,0,0,0,1,1,1,1\n")
        .expect("a file");
    let names = |text: &str| {
        ["qos_swe_sl2vl (opensm.conf:2)", "SL0, SL1", "on VL0", "write `qos_swe_sl2vl 0,1,2,3,4,"]
            .into_iter()
            .all(|words| text.contains(words))
    };
    let merged = run(folder, "route torus -R dfsssp -F opensm.conf --json");
    assert!(names(&err(&merged)), "{merged:?}");
    let figures = json(&merged);
    assert!(names(&figures["lane_faults"][0].to_string()), "{figures:#}");
    assert_eq!((&figures["deadlock_free"], merged.status.code()), (&false.into(), Some(1)));
    let apart = run(folder, "route torus -R dfsssp -Q --json");
    assert_eq!(json(&apart)["deadlock_free"], true);
    assert_eq!(json(&apart)["lane_faults"].as_array().map(Vec::len), Some(0));
    let judged = run(folder, "verify torus -R dfsssp -F opensm.conf");
    assert!(names(&err(&judged)) && judged.status.code() == Some(1), "{judged:?}");
    let plan = run(folder, "sm --sim torus --plan -R dfsssp -F opensm.conf");
    assert!(names(&String::from_utf8_lossy(&plan.stdout)), "{plan:?}");
    let checked = run(folder, "check --fabric torus -F opensm.conf -R dfsssp --json");
    let found = json(&checked)["diagnostics"].to_string();
    assert!(found.contains("QO025") && found.contains("are on VL1"), "{found}");
}
