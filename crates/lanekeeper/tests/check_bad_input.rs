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
