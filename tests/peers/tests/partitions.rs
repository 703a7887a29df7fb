//! The same partitions.conf gives the same P_Key tables, port for port and index for index, whether
//! opensm or lanekeeper has read it. The files of a group follow each other on one fabric, as an
//! administrator changes them: indices that programs hold on to stay the same too.

use std::collections::BTreeMap;
use std::fs;

use lk_peers::{Ibsim, Lanekeeper, Opensm, reading};

const SMALL: &str = include_str!("../fabrics/small.net");

type Tables = BTreeMap<(u64, u8), Vec<u16>>;

/// Files one after the other, each swept by the same manager.
fn tables(conf: &str, files: &[&str], sweep: impl Fn(&Ibsim, &str, &str)) -> Vec<Tables> {
    let ibsim = Ibsim::start(SMALL);
    let read = |text: &&str| {
        let path = ibsim.folder().join("partitions.conf");
        fs::write(&path, text).expect("partitions.conf");
        sweep(&ibsim, conf, &path.to_string_lossy());
        reading::pkeys(&ibsim)
    };
    files.iter().map(read).collect()
}

fn by_opensm(ibsim: &Ibsim, conf: &str, partitions: &str) {
    let _ = Opensm { conf, arguments: &["-P", partitions] }.sweep(ibsim);
}

fn by_lanekeeper(ibsim: &Ibsim, conf: &str, partitions: &str) {
    let file = ibsim.folder().join("opensm.conf");
    fs::write(&file, conf).expect("opensm.conf");
    let outcome = Lanekeeper::on(ibsim, &["-o", "-F", &file.to_string_lossy(), "-P", partitions]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
}

fn same_tables(conf: &str, files: &[&str]) {
    let theirs = tables(conf, files, by_opensm);
    let ours = tables(conf, files, by_lanekeeper);
    for ((text, theirs), ours) in files.iter().zip(&theirs).zip(&ours) {
        assert!(theirs.len() > 20 && theirs.values().any(|keys| !keys.is_empty()));
        assert_eq!(ours, theirs, "after {text:?}\nin {files:#?}");
    }
}

/// A file with more keys than a port can hold.
fn many(keys: impl Iterator<Item = u16>) -> String {
    let line = |key| format!("P{key}=0x{key:x} : SELF=full, 0x100021=limited ;\n");
    format!("Default=0x7fff : ALL=full ;\n{}", keys.map(line).collect::<String>())
}

#[test]
fn files_of_the_field() {
    same_tables(
        "",
        &[
            "Default=0xffff,ipoib: ALL=full, SELF=full;\nDMZ=0x8001,ipoib: ALL=full, SELF=full;\n\
             private0=0x8002,ipoib: ALL=full, SELF=full;\nipoib=0x9000,ipoib: ALL=full;\n",
            "# generated\n#! version_number : 838\nDefault=0x7fff,ipoib,defmember=both:\n\
             ALL_CAS=both,\nALL_SWITCHES=full,\nSELF=full;\nVENDOR=0x0001, ipoib :\n\
             ALL_SWITCHES=full,\n0x0000000000100021;  \n",
            "Default=0x7fff, ipoib : ALL=full ;\n\
             RESEARCH=0x8001, ipoib : 0x0000000000100021=full, 0x0000000000100031=full ;\n\
             PRODUCTION=0x8002, ipoib : 0x0000000000100041=full, 0x0000000000100032=full ;\n\
             SHARED=0x0100 : ALL=limited, 0x0000000000100011=full ;\n",
            "Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;\n\
             NewPartition , ipoib : 0x100021=full, 0x100031=limi, 0x100032 ;\n\
             YetAnotherOne = 0x300 : SELF=full ;\nYetAnotherOne = 0x300 : ALL=limited ;\n\
             ShareIO = 0x80 , defmember=full : 0x100021, 0x100041;\n\
             ShareIO = 0x80 : 0x100031, 0x100032, 0x100051=full;\n\
             Default=0x7fff,ipoib:\n mgid=ff12:401b::0707,sl=1 # random IPv4 group\n\
             mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2 # random group\n ALL=full;\n",
        ],
    );
}

#[test]
fn indices_stay_over_changes() {
    same_tables(
        "",
        &[
            "A=1:SELF=full,ALL;B=2:SELF=full;C=3:SELF=full,0x100041;\n",
            "C=3:SELF=full,0x100041=full;D=4:SELF=full;\n",
            "D=4:SELF;E=5:SELF=full;B=2:SELF,ALL_CAS;\n",
            "D=4,indx0:SELF,0x100021=full;\n",
            "F=6:SELF;\n",
        ],
    );
}

#[test]
fn indices_are_dealt_anew_where_that_is_asked_for() {
    same_tables(
        "keep_pkey_indexes FALSE\n",
        &[
            "A=1:SELF=full;B=2:SELF=full;C=3:SELF=full;\n",
            "C=3:SELF=full;D=4:SELF=full;\n",
            "B=0x200:SELF=full;A=1:SELF;\n",
        ],
    );
}

#[test]
fn full_and_limited_keys_side_by_side() {
    same_tables(
        "allow_both_pkeys TRUE\n",
        &[
            "A=1:SELF=both;B=2:ALL=both,SELF=full;Default=0x7fff:ALL=both;\n",
            "C=3:SELF=both,0x100021=full,0x100021=both,0x100021=limited;\n",
            "Default=0x7fff:ALL=both;C=3:SELF=full,SELF=limited;\n",
            "C=3,indx0:0x100021=both,0x100041=limited,0x100051=full;A=1:ALL=both;\n",
        ],
    );
}

#[test]
fn odd_files() {
    same_tables(
        "qos TRUE\n",
        &[
            "A=0x8001: SELF=full; B=0x2 : SELF=full;\n",
            "A : SELF=full; B:SELF=full;\nA:0x100021=full;=0x0:SELF=full;",
            "A=0x3,indx0: SELF=full;\nB=0x1,indx0: SELF,0x100021=full;",
            "0x55: SELF=full;\n 7 : ALL=full;",
            "Default:ALL=full;A=1:SELF,NONE=full,N;B=2:NON;",
            "A=1,def=full:S,ALL_SW,0x100021=,0x100041=lim,0x999999;",
            "A=abc: SELF=full;\n",
            "A=1: SELF=full;\n;\n",
            "A=1:SELF=full,0x100021=full,0x100021=limited;A=1:ALL_CAS=both",
        ],
    );
}

#[test]
fn more_keys_than_fit() {
    let some = (1..3).chain(60..100);
    same_tables("", &[&many(1..80), &many(some)]);
}

/// The defect that is not copied: opensm leaves what stands in later blocks of a switch port's
/// table, so that the switch goes on letting keys through that the port has no longer.
#[test]
fn switch_ports_forget_keys_that_are_gone() {
    let files = [many(1..60), many(5..9)];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let switch_port = (0x20_0001, 1);
    let theirs = &tables("", &files, by_opensm)[1][&switch_port];
    let ours = &tables("", &files, by_lanekeeper)[1][&switch_port];
    assert_eq!(ours, &[0xffff, 0x8005, 0x8006, 0x8007, 0x8008]);
    assert_eq!(ours, &theirs[..5]);
    assert!(theirs.len() > 32, "opensm was mended: say so");
}

#[test]
fn enforcement_by_switches() {
    for way in ["off", "in", "out"] {
        let conf = format!("part_enforce {way}\n");
        same_tables(&conf, &["Default=0x7fff:ALL=full;A=1:0x100021=full,0x100031;\n"]);
    }
}
