//! opensm.conf: what is said about each kind of fault.

use lk_config::{OpensmConf, codes, opensm_conf};
use lk_diag::{Code, Diagnostics, Severity, SourceFile};

fn parse(text: impl Into<Vec<u8>>) -> (OpensmConf, Diagnostics) {
    opensm_conf::parse(&SourceFile::new("opensm.conf", text))
}

fn set(text: &str) -> Vec<String> {
    let (conf, _) = parse(text);
    conf.entries.iter().map(|e| format!("{}={}", e.spec.key, e.spec.show(&e.value))).collect()
}

/// Code, severity, line and column of each finding.
fn found(text: impl Into<Vec<u8>>) -> Vec<(Code, Severity, usize, usize)> {
    let (_, diagnostics) = parse(text);
    let place = |d: &lk_diag::Diagnostic| {
        let p = d.primary().expect("a place").position();
        (d.code, d.severity, p.line, p.column)
    };
    diagnostics.iter().map(place).collect()
}

#[test]
fn a_clean_file_says_nothing() {
    let text = "# comment\n\nqos TRUE\r\nmax_op_vls 4 # four\nlog_prefix \"  x \"\nm_key 0xff\n";
    assert_eq!(found(text), []);
    assert_eq!(
        set(text),
        ["qos=TRUE", "max_op_vls=4", "log_prefix=  x ", "m_key=0x00000000000000ff"]
    );
}

#[test]
fn every_value_keeps_its_place() {
    let (conf, _) = parse("\nlog_prefix  'a b'\nqos\n");
    let at = |i: usize| (conf.entries[i].key.range(), conf.entries[i].text.range());
    assert_eq!(at(0), (1..11, 14..17));
    assert_eq!(at(1), (19..22, 22..22));
}

#[test]
fn unknown_words_suggest_the_nearest_option() {
    for (line, code, hint) in [
        ("qoz TRUE", codes::UNKNOWN_OPTION, "did you mean `qos`?"),
        ("QOS TRUE", codes::UNKNOWN_OPTION, "did you mean `qos`?"),
        ("max-op-vls 4", codes::UNKNOWN_OPTION, "did you mean `max_op_vls`?"),
        ("maxsmps 4", codes::UNKNOWN_OPTION, "did you mean `max_wire_smps`?"),
        ("Pconfig x", codes::UNKNOWN_OPTION, "did you mean `partition_config_file`?"),
        ("qos_ca_sl2v 0", codes::UNKNOWN_OPTION, "did you mean `qos_ca_sl2vl`?"),
        ("log_level 7", codes::WRONG_NAME, "use `log_flags`"),
        ("no_qos FALSE", codes::WRONG_NAME, "use `qos`"),
        ("qos=TRUE", codes::EQUALS_SIGN, "write `qos TRUE`"),
        ("log_flags = 3", codes::EQUALS_SIGN, "write `log_flags 3`"),
        ("\u{feff}qos TRUE", codes::UNKNOWN_OPTION, "byte-order mark"),
    ] {
        let (_, diagnostics) = parse(line);
        let first = diagnostics.iter().next().unwrap();
        assert_eq!((first.code, first.severity), (code, Severity::Error), "{line}");
        assert!(first.help.iter().any(|h| h.contains(hint)), "{line}: {:?}", first.help);
    }
    assert_eq!(set("qoz TRUE\nsm_sl 3"), ["sm_sl=3"], "the rest of the file is read");
}

#[test]
fn nvidias_options_are_told_apart() {
    let text = "smp_threads 0\nqos_sw2sw_sl2vl 0,1\n";
    assert_eq!(found(text), [(codes::VENDOR_OPTION, Severity::Warning, 1, 1)]);
    assert_eq!(set(text), ["qos_sw2sw_sl2vl=0,1"], "that set is ours too");
}

#[test]
fn refused_values_name_what_is_wanted() {
    for line in ["lmc x", "sm_sl 256", "sweep_interval -1", "m_key zz", "sm_priority 08"] {
        assert_eq!(found(line)[0].0, codes::BAD_VALUE, "{line}");
        assert_eq!(set(line), [] as [&str; 0], "{line}");
    }
    let (_, diagnostics) = parse("m_key deadbeef");
    assert_eq!(
        diagnostics.iter().next().unwrap().help,
        ["a hexadecimal number needs a prefix: `0xdeadbeef`"]
    );
}

#[test]
fn booleans_that_look_true_are_false() {
    for (text, severity) in [
        ("true", Severity::Error),
        ("yes", Severity::Error),
        ("1", Severity::Error),
        ("TRUE;", Severity::Error),
        ("false", Severity::Info),
        ("0", Severity::Info),
    ] {
        let line = format!("m_key_lookup {text}");
        assert_eq!(found(line.as_str()), [(codes::NOT_A_BOOLEAN, severity, 1, 14)]);
        assert_eq!(set(&line), ["m_key_lookup=FALSE"]);
    }
}

#[test]
fn a_missing_value_is_not_the_default() {
    assert_eq!(
        set("qos\nqos_sl2vl\nroot_guid_file \"\"\nqos_high_limit\nlmc\n"),
        ["qos=FALSE", "qos_sl2vl=", "root_guid_file=", "qos_high_limit=0"]
    );
    let lines = "qos\nqos_sl2vl\nlmc\nqos_ca_high_limit\n";
    let expected = [
        (codes::NO_VALUE, Severity::Error, 1, 1),
        (codes::NO_VALUE, Severity::Warning, 2, 1),
        (codes::NO_VALUE, Severity::Error, 3, 1),
        (codes::NO_VALUE, Severity::Error, 4, 1),
    ];
    assert_eq!(found(lines), expected);
}

#[test]
fn silent_misreadings_are_told() {
    for (line, shown) in [
        ("qos_high_limit abc", "0"),
        ("qos_high_limit 12k", "12"),
        ("sweep_interval 010", "8"),
        ("qos_high_limit 010", "8"),
        ("qos_max_vls -18446744073709551615", "1"),
        ("sm_key -1", "0xffffffffffffffff"),
        ("cc_sw_cong_setting_credit_starvation_return_delay 300:1", "44:1"),
        ("cc_cct 1:2 3:4", "1:2"),
        ("cc_ca_cong_setting_ccti_timer x 7", "0 7"),
    ] {
        let (_, diagnostics) = parse(line);
        let first = diagnostics.iter().next().unwrap();
        assert_eq!(first.code, codes::READ_OTHERWISE, "{line}");
        assert_eq!(first.message, format!("OpenSM reads this as {shown}"), "{line}");
    }
}

#[test]
fn leading_zeros_that_change_nothing_are_fine() {
    assert_eq!(found("sweep_interval 007\nlmc 0\nsm_sl 00\nlog_flags 0x03\n"), []);
}

#[test]
fn a_later_line_wins_and_is_told() {
    let text = "sm_sl 1\nsm_sl 2\nsm_sl 2\ncc_ca_cong_setting_ccti_min 1 1\n\
                cc_ca_cong_setting_ccti_min 2 2\n";
    let expected =
        [(codes::SET_TWICE, Severity::Warning, 2, 1), (codes::SET_TWICE, Severity::Info, 3, 1)];
    assert_eq!(found(text), expected);
}

#[test]
fn old_names_still_work() {
    assert_eq!(set("dimn_ports_file /x"), ["port_search_ordering_file=/x"]);
    assert_eq!(found("dimn_ports_file /x")[0].0, codes::WRONG_NAME);
}

#[test]
fn quotes_comments_and_nuls() {
    let code = |text: &str| found(text).first().map(|f| f.0);
    assert_eq!(code("log_prefix \"a # b\""), Some(codes::COMMENT_IN_QUOTES));
    assert_eq!(set("log_prefix \"a # b\""), ["log_prefix=\"a"]);
    assert_eq!(code("log_prefix \"a"), Some(codes::READ_OTHERWISE));
    assert_eq!(code("sm_sl 3\0 4"), Some(codes::NUL));
    assert_eq!(set("sm_sl 3\0 4\nlmc 1"), ["sm_sl=3", "lmc=1"]);
    assert_eq!(found(b"log_prefix caf\xe9\n".to_vec())[0].0, codes::NOT_UTF8);
}

#[test]
fn a_line_is_cut_after_1022_bytes() {
    let fits = format!("log_prefix {}\nsm_sl 3\n", "b".repeat(1011));
    assert_eq!(found(fits.as_str()), []);
    let cut = format!("log_prefix {}\nsm_sl 3\n", "b".repeat(1013));
    assert_eq!(found(cut.as_str()), [(codes::LONG_LINE, Severity::Error, 1, 1023)]);
    let (conf, _) = parse(cut);
    assert_eq!(conf.entries[0].text.len(), 1011);
    assert_eq!(conf.entries.len(), 2);
    let comment = format!("#{}sm_sl 6\n", " ".repeat(1021));
    assert_eq!(set(&comment), ["sm_sl=6"], "the tail of a comment is a line of its own");
    let blanks = format!("sm_sl 3{}\n", " ".repeat(3000));
    assert_eq!(found(blanks.as_str()), [], "a tail of blanks does no harm");
}

#[test]
fn a_file_of_something_else_is_not_listed_line_by_line() {
    let text = "lorem ipsum\n".repeat(10_000);
    let (_, diagnostics) = parse(text.clone());
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [codes::WRONG_FILE], "nothing of it is an option");
    let (_, diagnostics) = parse(format!("{text}sm_sl 3\n"));
    assert_eq!(diagnostics.len(), 51);
    let last = diagnostics.iter().last().unwrap();
    assert_eq!(last.message, "9950 more lines start with an unknown word");
    let (_, diagnostics) = parse(vec![b'x'; 1 << 20]);
    assert_eq!(diagnostics.len(), 2, "one unknown word, one line too long: {diagnostics:?}");
}
