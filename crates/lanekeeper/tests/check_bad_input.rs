//! `lanekeeper check` on files that are none: it says what is wrong with them, soon, and lives.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How each kind of file is given; `FILE` stands for its name.
const ROLES: [&[&str]; 8] = [
    &["-F", "FILE"],
    &["-Q", "-Y", "FILE"],
    &["-P", "FILE"],
    &["-Q", "-R", "torus-2QoS", "--torus_config", "FILE"],
    &["--prefix_routes_file", "FILE"],
    &["-R", "updn", "-a", "FILE"],
    &["-F", "names.conf"],
    &["--fabric", "FILE"],
];

/// Much longer than any of them takes, for a machine that has other work.
const PATIENCE: Duration = Duration::from_secs(20);

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    let words = words.iter().map(|word| if *word == "FILE" { "file" } else { word });
    command.arg("check").args(words).current_dir(folder);
    command.output().expect("the binary was built for this test")
}

fn folder(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("file"), bytes).expect("a file");
    fs::write(folder.path().join("names.conf"), "node_name_map_name file\n").expect("a file");
    folder
}

/// Runs every role on the bytes: each ends with one of the three codes, and says something.
fn all_roles(what: &str, bytes: &[u8]) -> Vec<String> {
    let folder = folder(bytes);
    let role = |words: &&[&str]| {
        let start = Instant::now();
        let output = run(folder.path(), words);
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0..=2)), "{what}: {words:?}: {output:?}");
        assert!(!text.contains("panicked"), "{what}: {words:?}: {text}");
        assert!(!text.is_empty(), "{what}: {words:?} says nothing");
        assert!(text.len() < 200_000, "{what}: {words:?} says {} bytes", text.len());
        assert!(start.elapsed() < PATIENCE, "{what}: {words:?} took {:?}", start.elapsed());
        text
    };
    ROLES.iter().map(role).collect()
}

#[test]
fn latin_1_is_told_and_read() {
    let said = all_roles("Latin-1", b"# gr\xfc\xdfe\nqos TRUE\nlog_file /tmp/\xe9\n");
    assert!(said[0].contains("CF012"), "{}", said[0]);
    let policy = b"qos-ulps # \xfc\n default : 0\nend-qos-ulps\n";
    let said = all_roles("Latin-1 in a policy", policy);
    assert!(said[1].contains("CF012") && !said[1].contains("CF060"), "{}", said[1]);
}

#[test]
fn dos_line_ends_are_told_where_opensm_stumbles() {
    all_roles("DOS", b"qos TRUE\r\nmax_op_vls 2\r\n");
    let said = all_roles("DOS", b"Default=0x7fff, ipoib : ALL=full ;\r\n");
    assert!(said[2].contains("CF084"), "{}", said[2]);
    let said = all_roles("DOS", b"qos-ulps\r\n default : 0\r\nend-qos-ulps\r\n");
    assert!(said[1].contains("CF062"), "{}", said[1]);
}

#[test]
fn nuls_are_told() {
    let said = all_roles("NULs", b"qos TRUE\0 x\nmax_op_vls\0 2\n");
    assert!(said[0].contains("CF011"), "{}", said[0]);
    all_roles("nothing but NULs", &[0; 5000]);
}

#[test]
fn a_line_of_a_megabyte_is_cut_in_the_report() {
    let long = format!("qos_sl2vl {}\n", "1,".repeat(500_000));
    let said = all_roles("a megabyte", long.as_bytes());
    assert!(said[0].contains("CF009"), "{}", said[0]);
    all_roles("a megabyte without a blank", "x".repeat(1_000_000).as_bytes());
    all_roles("a megabyte of colons", "a:".repeat(500_000).as_bytes());
    all_roles("a megabyte of lines", "a b\n".repeat(250_000).as_bytes());
}

#[test]
fn a_section_without_its_end_is_named() {
    let open = b"qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n";
    let said = all_roles("an open section", open);
    assert!(said[1].contains("is not closed"), "{}", said[1]);
    let said =
        all_roles("an open statement", b"Default=0x7fff, ipoib : ALL=full\na=0x10 : ALL ;\n");
    assert!(said[2].contains("CF080"), "{}", said[2]);
}

#[test]
fn a_program_given_by_mistake_is_called_one() {
    let program = fs::read(env!("CARGO_BIN_EXE_lanekeeper")).expect("the binary");
    let said = all_roles("a program", program.get(..300_000).unwrap_or(&program));
    for (text, role) in said.iter().zip(ROLES).take(6) {
        assert!(text.contains("no text: a program"), "{role:?}: {text}");
    }
}

#[test]
fn a_file_of_another_kind_is_named_with_its_option() {
    let policy = b"qos-ulps\n default : 0\n sdp : 1\nend-qos-ulps\n";
    let said = all_roles("a policy", policy);
    for role in [0, 2, 4] {
        assert!(said[role].contains("it looks like a QoS policy"), "{}", said[role]);
        assert!(said[role].contains("-Y takes such a file"), "{}", said[role]);
    }
    let said = all_roles("an opensm.conf", b"qos TRUE\nmax_op_vls 4\nsm_sl 0\n");
    for role in [1, 2, 3, 4] {
        assert!(said[role].contains("it looks like an opensm.conf"), "{}", said[role]);
    }
}

#[test]
fn a_template_and_a_file_of_bandwidths_are_called_what_they_are() {
    let template =
        b"Default=0x7fff, ipoib : ALL=full ;\n{% for p in list %}\n{{ p }}\n{% endfor %}\n";
    let said = all_roles("a template", template);
    assert!(said[2].contains("it looks like a template"), "{}", said[2]);
    assert!(said[2].contains("check the file that is made of it"), "{}", said[2]);
    let said = all_roles("bandwidths", b"BW_NAMES\ncap = 4000\n\nBW_RULES\ndefault = 1:cap\n");
    assert!(said[1].contains("it looks like an enhanced QoS policy"), "{}", said[1]);
    assert!(said[1].contains("`rate-limit` lowers the rate of paths"), "{}", said[1]);
}

/// A word that a policy cannot have is named with its place, and what else is wrong is found too.
#[test]
fn an_unknown_word_of_a_policy_does_not_hide_what_else_is_wrong() {
    let policy = b"qos-levels\n qos-level\n name: DEFAULT\n sl: 0\n bandwidth: 40\n \
                   end-qos-level\nend-qos-levels\nqos-match-rules\n qos-match-rule\n \
                   qos-class: 1\n qos-level-name: nowhere\n end-qos-match-rule\n\
                   end-qos-match-rules\n";
    let said = all_roles("an unknown word", policy);
    assert!(said[1].contains("`bandwidth` is no keyword"), "{}", said[1]);
    assert!(
        said[1].contains("file:5:2") && said[1].contains("help: here may stand"),
        "{}",
        said[1]
    );
    assert!(said[1].contains("`nowhere`"), "{}", said[1]);
}

#[test]
fn a_snapshot_that_is_cut_short_is_refused_and_one_of_bytes_is_none() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../audit/fixtures/QO106/silent/fabric.snapshot");
    let whole = fs::read(base).expect("a snapshot");
    for cut in [whole.len() / 3, whole.len() / 2, whole.len() - 5] {
        let folder = folder(&whole[..cut]);
        let output = run(folder.path(), &["--snapshot", "FILE"]);
        assert_eq!(output.status.code(), Some(2), "{cut}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("cannot be read as a snapshot"), "{cut}: {said}");
    }
    for bytes in
        [&b"\0\x01\xff"[..], b"", b"lanekeeper-snapshot 1\r\nend nodes 0 ports 0 lines 0\r\n"]
    {
        let folder = folder(bytes);
        let output = run(folder.path(), &["--snapshot", "FILE"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0..=2)), "{output:?}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

/// A fabric that no engine of the list routes is a finding with the engine's reason.
#[test]
fn a_fabric_that_nothing_routes_is_judged_all_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut topo = Command::new(env!("CARGO_BIN_EXE_lanekeeper"));
    topo.args(["topo", "fattree", "4", "2", "--output", "tree"]).current_dir(folder.path());
    assert!(topo.status().expect("a run").success());
    let conf = "qos TRUE\nmax_op_vls 2\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n\
                routing_engine torus-2QoS,no_fallback\n";
    fs::write(folder.path().join("file"), conf).expect("a file");
    let output = run(folder.path(), &["-F", "FILE", "--fabric", "tree"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("error[QO073]") && said.contains("file:4:1"), "{said}");
    assert!(said.contains("torus-2QoS: there is no torus-2QoS.conf"), "{said}");
    assert!(said.contains("QO001"), "the lists are judged: {said}");
    let page = run(folder.path(), &["-F", "FILE", "--fabric", "tree", "--format", "html"]);
    assert_eq!(page.status.code(), Some(1), "{page:?}");
}

/// ibnetdiscover tells width and speed, and some links have not come up fully.
#[test]
fn slow_links_are_seen_in_a_file_of_a_fabric() {
    let fabric = "Switch 8 \"S-1\"\n[1] \"S-2\"[1] # 1xSDR\n[2] \"S-2\"[2] # 4xEDR\n\
                  [3] \"H-3\"[1](4) # 4xEDR\n[4] \"H-5\"[1](6) # 4xSDR\n\n\
                  Switch 8 \"S-2\"\n[1] \"S-1\"[1] # 1xSDR\n[2] \"S-1\"[2] # 4xEDR\n\n\
                  Ca 1 \"H-3\"\n[1](4) \"S-1\"[3] # 4xEDR\n\n\
                  Ca 1 \"H-5\"\n[1](6) \"S-1\"[4] # 4xSDR\n";
    let folder = folder(fabric.as_bytes());
    let output = run(folder.path(), &["--fabric", "FILE"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("warning[QO107]: 2 links"), "{said}\n{output:?}");
    assert!(said.contains("1xSDR, and other links have 4 lanes"), "{said}");
    assert!(said.contains("4xSDR, the speed at which links begin"), "{said}");
    let sound = fabric.replace("1xSDR", "4xEDR").replace("4xSDR", "4xEDR");
    fs::write(folder.path().join("file"), sound).expect("a file");
    let output = run(folder.path(), &["--fabric", "FILE"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("QO107"), "{output:?}");
}
