//! Agreement with the real program: `opensm -F IN -c OUT` reads a file and writes what it read.

use std::path::Path;
use std::process::Command;

use lk_config::options::{self, Class};
use lk_config::{Effective, Options, opensm_conf};
use lk_diag::{Severity, SourceFile};

/// What opensm makes of a file: the options that it writes, and what it prints.
fn through_opensm(text: &[u8]) -> (Options, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (read, written) = (folder.path().join("in.conf"), folder.path().join("out.conf"));
    std::fs::write(&read, text).expect("the file is written");
    let run = Command::new(opensm())
        .args(["-F".as_ref(), read.as_os_str(), "-c".as_ref(), written.as_os_str()])
        .env_remove("OSM_TMP_DIR")
        .output()
        .expect("opensm starts");
    assert!(run.status.success(), "opensm -c: {run:?}");
    let source = SourceFile::new("out.conf", std::fs::read(&written).expect("opensm wrote it"));
    let (conf, diagnostics) = opensm_conf::parse(&source);
    assert!(diagnostics.iter().all(|d| d.severity != Severity::Error), "{diagnostics:?}");
    let mut effective = Effective::new(None);
    effective.load(&conf);
    (effective.options().clone(), String::from_utf8_lossy(&run.stdout).into_owned())
}

fn opensm() -> &'static str {
    ["/usr/sbin/opensm", "/usr/bin/opensm"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .expect("this test runs opensm: install the Debian package opensm")
}

fn ours(text: &[u8]) -> Options {
    let (conf, _) = opensm_conf::parse(&SourceFile::new("in.conf", text));
    let mut effective = Effective::new(None);
    effective.load(&conf);
    effective.verify();
    effective.options().clone()
}

fn assert_same(ours: &Options, theirs: &Options, about: &str) {
    for spec in options::all().filter(|spec| spec.class == Class::Upstream) {
        let (a, b) = (spec.show(&spec.get(ours)), spec.show(&spec.get(theirs)));
        // What opensm writes is read once more, which takes blanks at the ends away.
        assert_eq!(a.trim(), b.trim(), "{} in {about}", spec.key);
    }
}

#[test]
fn defaults_agree() {
    let (theirs, _) = through_opensm(b"");
    assert_same(&Options::default(), &theirs, "an empty file");
}

#[test]
fn our_file_is_read_without_complaint() {
    let (text, _) = opensm_conf::write(&Options::default());
    let (theirs, printed) = through_opensm(text.as_bytes());
    assert_same(&Options::default(), &theirs, "our default file");
    for word in ["Unrecognized", "Invalid", "-E-", "Warning", "Loading Cached"] {
        assert!(!printed.contains(word), "opensm says {word}: {printed}");
    }
}

#[test]
fn our_file_keeps_changed_values() {
    let changed = "guid 0x0002c90300a1b2c3\nlmc 2\nqos TRUE\nmax_op_vls 4\nlog_prefix \" a b \"\n\
        qos_ca_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nqos_swe_vlarb_high 0:4,1:8\n\
        qos_rtr_high_limit 9\nsweep_interval 77\nlog_flags 0x43\npart_enforce out\n\
        cc_sw_cong_setting_victim_mask 0x123\ncc_cct 1:2,3:4\nqos_vlarb_low \"\"\n\
        cc_sw_cong_setting_credit_starvation_return_delay 3:5\n";
    let options = ours(changed.as_bytes());
    let (text, _) = opensm_conf::write(&options);
    let (theirs, printed) = through_opensm(text.as_bytes());
    assert_same(&options, &theirs, "a file of ours");
    assert!(!printed.contains("Unrecognized"), "{printed}");
}

/// Lines whose reading holds a surprise; each is compared on its own.
const LINES: &[&str] = &[
    "sm_sl 99",
    "qos=TRUE",
    "qos true",
    "qos TRUE x",
    "qos \"TRUE\"",
    "m_key_lookup yes",
    "m_key_lookup (null)",
    "m_key_lookup",
    "lmc 9",
    "max_op_vls 0x10",
    "sm_priority 300",
    "sm_priority 16",
    "sweep_interval -1",
    "sweep_interval 010",
    "sweep_interval 08",
    "sweep_interval +5",
    "sweep_interval \" 5\"",
    "sweep_interval \"5 \"",
    "sweep_interval 5 6",
    "sweep_interval -18446744073709551615",
    "guid -4294967295",
    "guid 18446744073709551616",
    "qos_high_limit abc",
    "qos_high_limit 12abc",
    "qos_high_limit 99999999999999999999",
    "qos_high_limit -5",
    "qos_high_limit 4294967297",
    "log_prefix \"a # b\"",
    "log_file \"x y\"  ",
    "sa_db_file 'q",
    "sa_db_file \"(null)\"",
    "root_guid_file",
    "cn_guid_file \"",
    " \t sm_sl \t 3 \r",
    "sm_sl\u{b}3",
    "\rsm_sl 3",
    "sm_sl 3\0junk",
    "sm_sl\0 3",
    "sm_sl#3",
    "\u{feff}sm_sl 3",
    "dimn_ports_file /x",
    "fdr10 9",
    "force_link_speed 9",
    "force_link_width 33",
    "max_wire_smps 0",
    "max_wire_smps2 0x80000000",
    "long_transaction_timeout 100",
    "no_partition_enforcement TRUE",
    "part_enforce inn",
    "m_key_protection_level 5",
    "m_key_lease_period 5\nm_key_protection_level 1\nsweep_interval 0",
    "m_key_lease_period 5\nm_key_protection_level 1\nsweep_interval 7",
    "perfmgr_sweep_time_s 0",
    "perfmgr_max_outstanding_queries 0",
    "qos TRUE\nqos_sl2vl\nqos_vlarb_high 1,2:x,15:3",
    "cc_sw_cong_setting_victim_mask 0X12",
    "cc_sw_cong_setting_victim_mask 12 34",
    "cc_sw_cong_setting_victim_mask 0x",
    "cc_sw_cong_setting_credit_starvation_return_delay -1:-1",
    "cc_sw_cong_setting_credit_starvation_return_delay a:b",
    "cc_sw_cong_setting_credit_starvation_return_delay 3",
    "cc_cct 1:2,3:4, 5:6,7:999999,:,300:1",
    "cc_cct 1:2,3",
    "cc_cct ,1:2,,3:4",
    "cc_ca_cong_setting_ccti_timer 3x 7",
    "cc_ca_cong_setting_ccti_timer 257   7",
    "cc_ca_cong_setting_ccti_timer 16 7",
    "cc_ca_cong_setting_ccti_min 15 300",
    "cc_ca_cong_setting_ccti_increase x\t3",
];

#[test]
fn every_surprising_line_agrees() {
    for line in LINES {
        let (theirs, _) = through_opensm(line.as_bytes());
        assert_same(&ours(line.as_bytes()), &theirs, &format!("{line:?}"));
    }
}

#[test]
fn long_lines_agree() {
    for text in [
        format!("log_prefix {}\nsm_sl 3\n", "b".repeat(1013)),
        format!("#{}sm_sl 6\n", " ".repeat(1021)),
        format!("{}sm_sl 7\n", " ".repeat(1021)),
        format!("log_prefix {}{}sm_sl 4\n", "x".repeat(1000), " ".repeat(24)),
    ] {
        let (theirs, _) = through_opensm(text.as_bytes());
        assert_same(&ours(text.as_bytes()), &theirs, &text);
    }
}
