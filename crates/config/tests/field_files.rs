//! Files of the field, with the outcome that their index names. They are other people's and
//! stay where they are: beside the repository, or where `LANEKEEPER_SHARED` says.

use std::path::PathBuf;

use lk_config::options::{self, Options};
use lk_config::{Effective, OpensmConf, codes, opensm_conf};
use lk_diag::{Code, Diagnostics, Severity, SourceFile};

/// The folder of the field's files; says so aloud and gives `None` when it is missing.
fn cases() -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let shared = std::env::var_os("LANEKEEPER_SHARED").map_or_else(beside, PathBuf::from);
    let cases = shared.join("cases");
    if cases.is_dir() {
        return Some(cases);
    }
    #[expect(clippy::print_stderr, reason = "a skipped test must not be silent")]
    {
        eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    }
    None
}

struct Read {
    conf: OpensmConf,
    effective: Effective,
    /// Of parsing, correcting and looking at the result.
    all: Diagnostics,
}

fn read(cases: &std::path::Path, name: &str) -> Read {
    let bytes = std::fs::read(cases.join(name)).expect("the file is there");
    let (conf, mut all) = opensm_conf::parse(&SourceFile::new(name, bytes));
    let mut effective = Effective::new(None);
    effective.load(&conf);
    all.extend(effective.verify());
    all.extend(effective.notices());
    Read { conf, effective, all }
}

impl Read {
    /// The lines that a code points at.
    fn lines(&self, code: Code) -> Vec<usize> {
        let found = self.all.iter().filter(|d| d.code == code);
        found.filter_map(|d| d.primary()).map(|l| l.position().line).collect()
    }

    fn options(&self) -> &Options {
        self.effective.options()
    }
}

#[test]
fn every_conf_file_is_read_without_an_unknown_option() {
    let Some(cases) = cases() else { return };
    let mut count = 0;
    for folder in ["conf", "qos", "partitions"] {
        let entries = std::fs::read_dir(cases.join(folder)).expect("a folder");
        let mut names: Vec<String> = entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".opensm.conf"))
            .collect();
        names.sort();
        for name in names {
            count += 1;
            let found = read(&cases, &format!("{folder}/{name}"));
            assert_eq!(found.lines(codes::UNKNOWN_OPTION), [] as [usize; 0], "{name}");
            assert!(!found.conf.entries.is_empty(), "{name}");
        }
    }
    assert!(count >= 12, "only {count} files");
}

#[test]
fn every_other_file_is_read_as_an_opensm_conf_without_a_panic() {
    let Some(cases) = cases() else { return };
    for folder in ["conf", "qos", "partitions", "dumps", "topo"] {
        for entry in std::fs::read_dir(cases.join(folder)).expect("a folder").flatten() {
            if entry.path().is_file() {
                let bytes = std::fs::read(entry.path()).expect("a file");
                let (_, found) = opensm_conf::parse(&SourceFile::new("f", bytes));
                for d in &found {
                    assert!(!lk_diag::render::line(d).contains('\n'));
                }
            }
        }
    }
}

#[test]
fn c01_qos_is_off_though_much_is_set() {
    let Some(cases) = cases() else { return };
    let master = read(&cases, "conf/c01-event-fabric-qos-off-but-set.opensm.conf");
    assert_eq!(master.lines(codes::QOS_OFF).len(), 1);
    assert!(!master.options().qos);
    let sets = &master.options().qos_sets;
    assert_eq!(sets.swe.high_limit, 255);
    assert_eq!(sets.swe.vlarb_low.as_deref(), Some("2:1"));
    let plugin = master.all.iter().find(|d| d.message.contains("event_plugin_name"));
    assert_eq!(plugin.map(|d| d.severity), Some(Severity::Info));
    assert!(!master.all.has_errors(), "{:?}", master.all);
    let standby = read(&cases, "conf/c01-event-fabric-standby.opensm.conf");
    assert_ne!(master.options().ignore_other_sm, standby.options().ignore_other_sm);
}

#[test]
fn c04_a_complete_dump_makes_the_round_trip() {
    let Some(cases) = cases() else { return };
    let dump = read(&cases, "conf/c04-dump-3.3.x-perfmgr-5s.opensm.conf");
    assert!(!dump.all.has_errors(), "{:?}", dump.all);
    let (text, not_written) = opensm_conf::write(dump.options());
    assert!(not_written.is_empty());
    let (again, complaints) = opensm_conf::parse(&SourceFile::new("again", text.clone()));
    assert!(complaints.is_empty(), "{complaints:?}");
    let mut back = Effective::new(None);
    back.load(&again);
    assert_eq!(back.options(), dump.options());
    assert_eq!(opensm_conf::write(back.options()).0, text);
    assert_eq!(dump.options().perfmgr_sweep_time_s, 5);
    assert_eq!(dump.lines(codes::UNWISE).len(), 1);
}

#[test]
fn c05_options_of_nvidias_opensm_are_known_as_such() {
    let Some(cases) = cases() else { return };
    let found = read(&cases, "conf/c05-rail-optimised-ar_updn-mlnx.opensm.conf");
    let vendor = found.all.iter().filter(|d| d.code == codes::VENDOR_OPTION);
    let named: Vec<&str> = vendor.filter_map(|d| d.message.split('`').nth(1)).collect();
    assert_eq!(
        named,
        [
            "virt_max_ports_in_process",
            "pgrp_policy_file",
            "routing_threads_num",
            "max_threads_per_core",
            "smp_threads",
            "gmp_threads",
            "max_wire_smps_per_device",
            "enable_inc_mc_routing",
            "max_alt_dr_path_retries",
            "mepi_cache_enabled",
            "osm_stats_interval",
            "reports",
            "enable_virt_rec_ext",
            "ar_tree_asymmetric_flow"
        ]
    );
    let engine = found.all.find(codes::ENGINE).expect("ar_updn");
    assert_eq!(engine.help, ["`updn` comes nearest to it, without adaptive routing"]);
    assert!(!found.all.has_errors());
}

#[test]
fn c06_and_q09_wrong_names_lead_to_the_right_ones() {
    let Some(cases) = cases() else { return };
    for (name, wrong, right) in [
        ("conf/c06-superpod-blog-log_level.opensm.conf", "log_level", "use `log_flags`"),
        ("qos/q09-obsolete-no_qos-8vl.opensm.conf", "no_qos", "use `qos`"),
    ] {
        let found = read(&cases, name);
        let d = found.all.find(codes::WRONG_NAME).expect(wrong);
        assert!(d.message.contains(wrong) && d.help.iter().any(|h| h == right), "{name}");
    }
}

#[test]
fn q_files_say_what_becomes_of_their_qos() {
    let Some(cases) = cases() else { return };
    let comments = read(&cases, "qos/q02-two-class.opensm.conf");
    let generic = &comments.options().qos_sets.generic;
    assert_eq!(generic.vlarb_high.as_deref(), Some("0:64"), "comments are cut off");
    assert_eq!(generic.high_limit, 64);
    assert_eq!(comments.options().qos_policy_file.as_deref(), Some("/etc/opensm/qos-policy.conf"));
    assert!(!comments.all.has_errors());

    let short = read(&cases, "qos/q03-collectives-library-doc-example.opensm.conf");
    let list = short.all.find(codes::SL2VL_LIST).expect("a short list");
    assert!(list.notes.iter().any(|n| n == "it has 2 of 16 entries; SL2-15 go to VL0"));
    assert!(
        list.notes.iter().any(|n| n == "it is read as 0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0"),
        "the filled table is shown: {:?}",
        list.notes
    );
    assert_eq!(short.lines(codes::QOS_OFF).len(), 1);
    assert!(short.all.iter().any(|d| d.message == "`max_op_vls 2` is VL0-1"));

    for name in
        ["qos/q01-hilimit255-missing-vl3.opensm.conf", "qos/q04-two-class-drop-others.opensm.conf"]
    {
        assert_eq!(read(&cases, name).lines(codes::QOS_OFF).len(), 1, "{name}");
    }
}

#[test]
fn p01_is_kept() {
    let Some(cases) = cases() else { return };
    let found = read(&cases, "partitions/p01-allow-both.opensm.conf");
    assert!(found.options().allow_both_pkeys);
    assert!(options::find("allow_both_pkeys").is_some_and(|spec| !spec.reload));
}

#[test]
fn c02_placeholders_in_a_node_name_map() {
    let Some(cases) = cases() else { return };
    let name = "conf/c02-node-name-map-placeholder-guids.map";
    let bytes = std::fs::read(cases.join(name)).expect("the file is there");
    let (names, found) = lk_config::node_names::parse(&SourceFile::new(name, bytes));
    assert!(names.is_empty());
    let lines: Vec<usize> = found
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .filter_map(|d| d.primary())
        .map(|l| l.position().line)
        .collect();
    assert_eq!(lines, (3..=13).collect::<Vec<_>>());
}

#[test]
fn c05_a_group_name_in_place_of_guids() {
    let Some(cases) = cases() else { return };
    let name = "conf/c05-rail-optimised.root_guid.conf";
    let bytes = std::fs::read(cases.join(name)).expect("the file is there");
    let (list, found) = lk_config::guid_files::guid_list(&SourceFile::new(name, bytes));
    assert!(list.broken && list.guids.is_empty());
    let d = found.find(codes::GUID_LINE).expect("a bad line");
    assert!(d.notes.iter().any(|n| n.contains("port group")), "{d:?}");
}

#[test]
fn policies_of_the_field() {
    let Some(cases) = cases() else { return };
    for (name, refused, codes) in [
        ("q02-two-class.qos-policy.conf", false, &[][..]),
        ("q07-missing-colons.qos-policy.conf", true, &["CF060"][..]),
        ("q08-doc-simplified-policy.qos-policy.conf", false, &["CF064"][..]),
        // The port names of the documents have blanks and are not in quotes.
        ("q08-doc-full-policy.qos-policy.conf", false, &["CF064", "CF065"][..]),
    ] {
        let bytes = std::fs::read(cases.join("qos").join(name)).expect("the file is there");
        let source = SourceFile::new(name, bytes);
        let (policy, found) = lk_config::qos_policy::parse(&source);
        assert_eq!(policy.refused, refused, "{name}: {found:#?}");
        let mut told: Vec<&str> = found.iter().map(|d| d.code.id).collect();
        told.dedup();
        assert_eq!(told, codes, "{name}: {found:#?}");
        assert!(found.iter().all(|d| d.severity < Severity::Error || !d.help.is_empty()), "{name}");
    }
}
