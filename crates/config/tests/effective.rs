//! Defaults, file, command line, corrections and reading again.

use lk_config::{Effective, Options, codes, opensm_conf};
use lk_diag::{Diagnostics, Severity, SourceFile};

fn conf(text: &str) -> lk_config::OpensmConf {
    opensm_conf::parse(&SourceFile::new("opensm.conf", text)).0
}

fn loaded(text: &str) -> Effective {
    let mut effective = Effective::new(None);
    effective.load(&conf(text));
    effective
}

fn verified(text: &str) -> (Options, Diagnostics) {
    let mut effective = loaded(text);
    let diagnostics = effective.verify();
    (effective.options().clone(), diagnostics)
}

fn with_command_line(text: &str, line: &[&str]) -> Effective {
    let mut effective = loaded(text);
    let arguments: Vec<String> = line.iter().map(|a| (*a).to_owned()).collect();
    let parsed = lk_config::CommandLine::parse(&arguments, &[]).expect("known options");
    parsed.apply(&mut effective).expect("good values");
    effective
}

#[test]
fn defaults_need_no_correction_and_no_notice() {
    let mut effective = Effective::new(None);
    assert_eq!(effective.verify(), Diagnostics::new());
    assert_eq!(effective.notices(), Diagnostics::new());
    assert_eq!(*effective.options(), Options::default());
}

#[test]
fn the_environment_names_the_folder_for_dumps() {
    let mut effective = Effective::new(Some("/tmp/x"));
    assert_eq!(effective.options().dump_files_dir.as_deref(), Some("/tmp/x"));
    effective.load(&conf("dump_files_dir /y"));
    assert_eq!(effective.options().dump_files_dir.as_deref(), Some("/y"));
}

#[test]
fn loading_tells_what_changed() {
    let mut effective = Effective::new(None);
    let changes = effective.load(&conf("lmc 0\nlmc 2\nqos TRUE\nlog_flags 7\n"));
    let told: Vec<String> = changes.iter().map(|c| format!("{} = {}", c.key, c.value)).collect();
    assert_eq!(told, ["lmc = 2", "qos = TRUE", "log_flags = 0x07"]);
}

#[test]
fn values_out_of_range_are_corrected_as_opensm_does() {
    let text = "lmc 8\nsm_priority 16\nforce_link_speed 9\nforce_link_speed_ext 16\n\
                force_link_width 33\nfdr10 3\nmax_wire_smps 0\nmax_wire_smps2 0x80000000\n\
                long_transaction_timeout 100\nconsole foo\npart_enforce inn\n\
                m_key_protection_level 5\nperfmgr_sweep_time_s 0\n\
                perfmgr_max_outstanding_queries 0\nmax_rate_enum 30\n";
    let (o, diagnostics) = verified(text);
    assert_eq!((o.lmc, o.sm_priority, o.force_link_speed), (0, 0, 15));
    assert_eq!((o.force_link_speed_ext, o.force_link_width, o.fdr10), (31, 255, 1));
    assert_eq!((o.max_wire_smps, o.max_wire_smps2), (0x7fff_ffff, 0x7fff_ffff));
    assert_eq!((o.long_transaction_timeout, o.m_key_protection_level), (200, 2));
    assert_eq!((o.console.as_deref(), o.part_enforce.as_deref()), (Some("off"), Some("both")));
    assert_eq!((o.perfmgr_sweep_time_s, o.perfmgr_max_outstanding_queries), (180, 500));
    assert_eq!(o.max_rate_enum, 63);
    assert_eq!(diagnostics.len(), 14, "0 of max_wire_smps is no fault: {diagnostics:?}");
    for (d, line) in diagnostics.iter().zip([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 12, 15]) {
        assert_eq!((d.code, d.severity), (codes::CORRECTED, Severity::Warning));
        assert_eq!(d.primary().unwrap().position().line, line, "{}", d.message);
    }
}

#[test]
fn allowed_values_stay() {
    for text in [
        "force_link_speed 7",
        "force_link_speed_ext 15",
        "force_link_speed_ext 30",
        "force_link_width 31",
        "max_rate_enum 24",
        "max_rate_enum 2",
        "m_key_protection_level 3",
        "console loopback",
        "part_enforce out",
    ] {
        let (o, diagnostics) = verified(text);
        assert_eq!(diagnostics, Diagnostics::new(), "{text}");
        assert_ne!(o, Options::default(), "{text}");
    }
}

#[test]
fn a_lease_outlives_the_sweep_interval() {
    let lease = "m_key_protection_level 1\nm_key_lease_period 5\n";
    let values = |text: &str| {
        let (o, _) = verified(&format!("{lease}{text}"));
        (o.sweep_interval, o.m_key_lease_period)
    };
    assert_eq!(values("sweep_interval 0"), (4, 5));
    assert_eq!(values("sweep_interval 7"), (7, 8));
    assert_eq!(values("sweep_interval 3"), (3, 5));
    assert_eq!(values("sweep_interval 70000"), (70000, 65535));
}

#[test]
fn words_at_which_opensm_crashes() {
    let (o, diagnostics) = verified("console (null)\npart_enforce (null)\n");
    assert_eq!((o.console.as_deref(), o.part_enforce.as_deref()), (Some("off"), Some("both")));
    assert!(diagnostics.iter().all(|d| d.code == codes::OPENSM_FAILS));
    assert_eq!(diagnostics.len(), 2);
}

#[test]
fn the_old_partition_switch_wins() {
    let (o, _) = verified("no_partition_enforcement TRUE\npart_enforce in\n");
    assert_eq!(o.part_enforce.as_deref(), Some("off"));
}

#[test]
fn rates_of_old_clients() {
    let (o, _) = verified("use_original_extended_sa_rates_only TRUE\nmax_rate_enum 20\n");
    assert_eq!(o.max_rate_enum, 18);
    let (o, d) = verified("use_original_extended_sa_rates_only TRUE\n");
    assert_eq!((o.max_rate_enum, d.len()), (63, 0), "no limit is no contradiction");
}

#[test]
fn qos_numbers_are_corrected_when_qos_is_on() {
    let sets = "qos_max_vls 16\nqos_ca_high_limit 256\nqos_swe_high_limit -7\n";
    let (o, diagnostics) = verified(&format!("qos TRUE\n{sets}"));
    let q = &o.qos_sets;
    assert_eq!((q.generic.max_vls, q.ca.high_limit, q.swe.high_limit), (0, -1, -1));
    assert_eq!(diagnostics.len(), 3);
    let (o, diagnostics) = verified(sets);
    assert_eq!((o.qos_sets.generic.max_vls, diagnostics.len()), (16, 0));
}

#[test]
fn faulty_lists_are_told_and_kept() {
    let (o, diagnostics) = verified("qos TRUE\nqos_sl2vl 0,1\nqos_ca_vlarb_low 1:300\n");
    assert_eq!(o.qos_sets.generic.sl2vl.as_deref(), Some("0,1"));
    let told: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(told, [codes::SL2VL_LIST, codes::VLARB_LIST]);
}

#[test]
fn notices_name_option_and_line() {
    let text = "max_op_vls 4\nperfmgr TRUE\nqos_max_vls 8\nrouting_engine ar_updn,min-hop\n\
                sm_sl 99\nqos_sl2vl 0,1\nsminfo_polling_timeout 10000\n";
    let notices = loaded(text).notices();
    let told: Vec<_> = notices
        .iter()
        .map(|d| (d.code, d.severity, d.primary().unwrap().position().line))
        .collect();
    assert_eq!(
        told,
        [
            (codes::READ_OTHERWISE, Severity::Warning, 5),
            (codes::CODE_MEANING, Severity::Info, 1),
            (codes::NOT_ACTED_ON, Severity::Info, 2),
            (codes::NO_EFFECT, Severity::Info, 3),
            (codes::QOS_OFF, Severity::Warning, 3),
            (codes::ENGINE, Severity::Warning, 4),
            (codes::ENGINE, Severity::Error, 4),
        ]
    );
    let meaning = notices.find(codes::CODE_MEANING).unwrap();
    assert_eq!(meaning.message, "`max_op_vls 4` is VL0-7");
}

#[test]
fn the_command_line_survives_reading_again() {
    let mut effective = with_command_line("qos FALSE\nsm_sl 1\n", &["-Q", "--sm_sl", "5"]);
    let (changes, _) = effective.reload(&conf("qos FALSE\nsm_sl 1\nlmc 0\n"));
    assert_eq!(changes, []);
    assert!(effective.options().qos);
    assert_eq!(effective.options().sm_sl, 5);
    let (changes, _) = effective.reload(&conf("qos FALSE\nsm_sl 2\n"));
    assert_eq!(changes.len(), 1);
    assert_eq!(effective.options().sm_sl, 2, "a changed line wins over the command line");
    assert!(effective.options().qos);
}

#[test]
fn removed_lines_stay_but_for_the_qos_sets() {
    let mut effective = loaded("sm_sl 3\nqos_ca_high_limit 9\nqos_sw2sw_sl2vl 1\n");
    let (changes, diagnostics) = effective.reload(&conf("qos FALSE\n"));
    let o = effective.options();
    assert_eq!(o.sm_sl, 3);
    assert!(o.qos_sets.ca.is_unset() && o.qos_sets.sw2sw.is_unset());
    assert_eq!(changes.len(), 2);
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics.iter().next().unwrap().code, codes::LINE_REMOVED);
}

#[test]
fn options_of_the_start_wait_for_a_restart() {
    let mut effective = loaded("lmc 1\nsweep_interval 10\n");
    let (changes, diagnostics) = effective.reload(&conf("lmc 2\nsweep_interval 20\n"));
    assert_eq!(effective.options().lmc, 1);
    assert_eq!(effective.options().sweep_interval, 20);
    assert_eq!(changes.len(), 1);
    let first = diagnostics.iter().next().unwrap();
    assert_eq!((first.code, first.primary().unwrap().position().line), (codes::NEEDS_RESTART, 1));
    let (_, again) = effective.reload(&conf("lmc 2\nsweep_interval 20\n"));
    assert_eq!(again, Diagnostics::new(), "the same text is not told twice");
}

#[test]
fn corrections_hold_after_reading_again() {
    let mut effective = loaded("sm_priority 99\n");
    effective.verify();
    let (changes, _) = effective.reload(&conf("sm_priority 99\n"));
    assert_eq!((changes.len(), effective.options().sm_priority), (0, 0));
    effective.reload(&conf("sm_priority 7\n"));
    assert_eq!(effective.options().sm_priority, 7);
}
