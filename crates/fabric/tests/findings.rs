//! What is wrong in a file is said with its line, and the rest of the file is still read.

#![allow(clippy::unwrap_used, reason = "what a test sets up may fail as the test does")]

use lk_diag::SourceFile;
use lk_fabric::{Fabric, read_fabric};

/// The fabric, and each finding as `LINE SEVERITY CODE`.
fn read(text: &str) -> (Option<Fabric>, Vec<String>) {
    let (file, findings) = read_fabric(&SourceFile::new("net", text));
    let say = |d: &lk_diag::Diagnostic| {
        let line = d.primary().map_or(0, |l| l.position().line);
        format!("{line} {} {}", d.severity, d.code)
    };
    (file.map(|f| f.fabric), findings.iter().map(say).collect())
}

fn cables(text: &str) -> usize {
    read(text).0.map_or(0, |f| f.links().count())
}

const PAIR: &str = "\
Switch\t4 \"S-00000000000000a0\"\t# \"a\" base port 0 lid 1 lmc 0
[1]\t\"S-00000000000000b0\"[3]\t# \"b\" lid 2 4xHDR

Switch\t4 \"S-00000000000000b0\"\t# \"b\" base port 0 lid 2 lmc 0
[3]\t\"S-00000000000000a0\"[1]\t# \"a\" lid 1 4xHDR
";

/// `PAIR` with one text replaced by another.
fn with(from: &str, to: &str) -> String {
    assert!(PAIR.contains(from));
    PAIR.replace(from, to)
}

#[test]
fn nothing_is_said_of_a_sound_file() {
    assert_eq!(read(PAIR).1, [""; 0]);
    assert_eq!(cables(PAIR), 1);
}

#[test]
fn cables_that_disagree() {
    // A:1 says B:3, and B:3 says A:4, which says nothing.
    let text = with("a0\"[1]", "a0\"[4]");
    assert_eq!(read(&text).1, ["2 error FB022", "5 error FB022", "0 warning FB040"]);
    assert_eq!(cables(&text), 0);
    // A:1 says B:3, and B:4 says A:1.
    let text = with("\n[3]\t", "\n[4]\t");
    assert_eq!(read(&text).1, ["2 error FB022", "5 error FB022", "0 warning FB040"]);
}

#[test]
fn a_cable_that_one_end_only_knows_of() {
    let text = with("[3]\t\"S-00000000000000a0\"[1]\t# \"a\" lid 1 4xHDR\n", "");
    assert_eq!(read(&text).1, ["2 warning FB023"]);
    assert_eq!(cables(&text), 1);
    // Two ports that claim one port.
    let text = with("\n[1]\t", "\n[2]\t\"S-00000000000000b0\"[3]\n[1]\t");
    assert_eq!(read(&text).1, ["2 error FB022"]);
    assert_eq!(cables(&text), 1);
}

#[test]
fn ports_out_of_range() {
    assert_eq!(read(&with("\n[1]\t", "\n[5]\t")).1[0], "2 error FB020");
    assert_eq!(read(&with("b0\"[3]", "b0\"[9]")).1[0], "2 error FB020");
    assert_eq!(read(&with("\n[1]\t", "\n[0]\t")).1[0], "2 error FB020");
    assert_eq!(
        read(&with("\t4 \"S-00000000000000a0", "\t255 \"S-00000000000000a0")).1[0],
        "1 error FB020"
    );
    assert_eq!(
        read(&with("\t4 \"S-00000000000000a0", "\t0 \"S-00000000000000a0")).1[0],
        "1 error FB020"
    );
}

#[test]
fn a_port_described_twice() {
    let text = with("\n[1]\t", "\n[1]\t\"S-00000000000000b0\"[4]\n[1]\t");
    assert_eq!(read(&text).1[0], "3 error FB021");
}

#[test]
fn nodes_and_guids_used_twice() {
    let again = format!("{PAIR}\nSwitch 4 \"S-00000000000000a0\"\n[2] \"S-00000000000000b0\"[4]\n");
    assert_eq!(read(&again).1, ["7 error FB010"]);
    let other_id = format!("{PAIR}\nswitchguid=0xa0\nSwitch 4 \"S-00000000000000c0\"\n");
    assert_eq!(read(&other_id).1, ["8 warning FB012", "8 error FB011"]);
    let ports = "Ca 1 \"H-0000000000000010\"\n[1](99) \"H-0000000000000020\"[1](99)\n\n\
                 Ca 1 \"H-0000000000000020\"\n[1](99) \"H-0000000000000010\"[1](99)\n";
    let (_, said) = read(ports);
    assert_eq!(said, ["4 error FB011", "0 info FB041"]);
}

#[test]
fn lids_used_twice_and_lids_that_disagree() {
    let text = with("lid 2 lmc 0", "lid 1 lmc 0").replace("lid 2 4x", "lid 1 4x");
    assert_eq!(read(&text).1, ["4 warning FB032"]);
    let wide = with("lid 1 lmc 0", "lid 1 lmc 1");
    assert_eq!(read(&wide).1, ["4 warning FB032"]);
    let hosts = "\
Ca 1 \"H-0000000000000010\"
[1](11) \"H-0000000000000020\"[1](21) # lid 3 lmc 0 \"y\" lid 4 4xHDR

Ca 1 \"H-0000000000000020\"
[1](22) \"H-0000000000000010\"[1](11) # lid 5 lmc 0 \"x\" lid 3 4xHDR
";
    assert_eq!(read(hosts).1, ["5 warning FB012", "5 warning FB031", "0 info FB041"]);
    let high = with("lid 1 lmc 0", "lid 70000 lmc 9");
    assert_eq!(read(&high).1[..2], ["1 error FB003", "1 error FB003"]);
}

#[test]
fn loops_and_rates() {
    let text =
        with("\n[1]\t", "\n[2]\t\"S-00000000000000a0\"[3]\n[3]\t\"S-00000000000000a0\"[2]\n[1]\t");
    assert_eq!(read(&text).1, ["1 warning FB024"]);
    assert_eq!(cables(&text), 2);
    let text = with("\n[1]\t", "\n[2]\t\"S-00000000000000a0\"[2]\n[1]\t");
    assert_eq!(read(&text).1, ["2 error FB026"]);
    assert_eq!(cables(&text), 1);
    let text = with("\"b\" lid 2 4xHDR", "\"b\" lid 2 1xHDR");
    assert_eq!(read(&text).1, ["2 warning FB030"]);
}

#[test]
fn nodes_named_and_not_described() {
    let text = with("\n[1]\t", "\n[2]\t\"H-0000000000000010\"[1](11)\n[1]\t");
    assert_eq!(read(&text).1, ["2 error FB025"]);
    assert_eq!(cables(&text), 1);
}

#[test]
fn parts_are_listed() {
    let text =
        format!("{PAIR}\nSwitch 4 \"S-00000000000000c0\" # \"far away\" base port 0 lid 9 lmc 0\n");
    let (_, findings) = read_fabric(&SourceFile::new("net", text.as_str()));
    let found = findings.find(lk_fabric::text::findings::IN_PARTS).unwrap();
    assert!(found.message.contains("2 parts"));
    assert_eq!(found.notes[1], "1 nodes, 1 of them switches: far away");
}

#[test]
fn lines_that_cannot_be_taken_apart() {
    let text = with("[1]\t\"S-00000000000000b0\"[3]", "[1]\tS-00000000000000b0[3]");
    let (file, findings) = read_fabric(&SourceFile::new("net", text.as_str()));
    assert!(file.is_some());
    let found = &findings.as_slice()[0];
    let place = found.primary().unwrap().position();
    assert_eq!((found.code.id, place.line, place.column), ("FB002", 2, 5));
    assert_eq!(
        read("Switch \"S-00000000000000a0\"\n[1] \"x\"[1]\n").1,
        ["1 error FB002", "0 error FB004"]
    );
    assert_eq!(read(&format!("[1] \"x\"[1]\n{PAIR}")).1, ["1 error FB006"]);
    assert_eq!(read(&format!("vendid=0xfffffff\n{PAIR}")).1, ["1 error FB003"]);
}

#[test]
fn other_files_are_no_fabric() {
    for text in ["", "\n\n", "hello\nworld\n", "qos TRUE\n", "\0\0\0"] {
        let (fabric, said) = read(text);
        assert!(fabric.is_none());
        assert_eq!(said, ["0 error FB004"], "{text:?}");
    }
}

#[test]
fn dos_line_ends_and_latin_1_names() {
    let dos = PAIR.replace('\n', "\r\n");
    assert_eq!(read(&dos).1, [""; 0]);
    let mut bytes = PAIR.as_bytes().to_vec();
    let at = PAIR.find("\"a\"").unwrap() + 1;
    bytes[at] = 0xe9;
    let (file, findings) = read_fabric(&SourceFile::new("net", bytes));
    assert_eq!(file.unwrap().fabric.links().count(), 1);
    assert_eq!(findings.as_slice()[0].code.id, "FB005");
}
