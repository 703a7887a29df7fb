//! Each rule on the smallest input that shows it and on the smallest that does not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lk_audit::rows::Live;
use lk_audit::{PARSERS, PortKind, ROWS, RULES, Rule, Site, check, explain};
use lk_config::{Effective, opensm_conf};
use lk_diag::{Diagnostics, Severity, SourceFile, render};
use lk_qos::{EgressPort, PortClass};
use lk_wire::VlCode;

fn folder(code: &str, which: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(code).join(which)
}

/// Ports of a fixture: class, code of OperVLs, capacities low and high, MTU, and `unmapped` where
/// they do not map SLs; one line each.
fn ports(text: &str) -> Vec<PortKind> {
    let kind = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].parse::<u32>().expect("a number");
        let class = match words[0] {
            "ca" => PortClass::Ca,
            "switch" => PortClass::SwitchExternal,
            other => panic!("no class of ports: {other}"),
        };
        PortKind {
            port: EgressPort {
                class,
                vl_cap: VlCode::VL0_7,
                oper_vls: VlCode(number(1) as u8),
                vlarb_low_cap: number(2) as u8,
                vlarb_high_cap: number(3) as u8,
                sl_mapping: words.get(5) != Some(&"unmapped"),
            },
            mtu: number(4),
            count: 1,
            example: "host".to_owned(),
        }
    };
    text.lines().map(kind).collect()
}

fn findings(folder: &Path) -> Diagnostics {
    let bytes = fs::read(folder.join("opensm.conf"))
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let (conf, _) = opensm_conf::parse(&SourceFile::new("opensm.conf", bytes));
    let mut effective = Effective::new(None);
    effective.load(&conf);
    effective.verify();
    if let Ok(bytes) = fs::read(folder.join("fabric.snapshot")) {
        let (snapshot, said) = lk_snapshot::read(&SourceFile::new("fabric.snapshot", bytes));
        let snapshot = snapshot.unwrap_or_else(|| panic!("{}: {said:?}", folder.display()));
        return check(&Site::of_snapshot(&effective, &snapshot));
    }
    let site = match fs::read_to_string(folder.join("ports.txt")) {
        Ok(text) => Site::of_ports(&effective, ports(&text)),
        Err(_) => Site::of_options(&effective),
    };
    check(&site)
}

/// Fixtures with a `ports.txt` are about ports as no file describes them, those with a snapshot and
/// no other file about fabrics as they are read. All others are run by
/// the binary's tests, in the way of a site.
#[test]
fn each_rule_about_ports_fires_on_its_fixture_and_is_silent_on_the_other() {
    let has = |rule: &Rule, file: &str| folder(rule.code.id, "fires").join(file).exists();
    let snapshot = |rule: &Rule| has(rule, "fabric.snapshot") && !has(rule, "partitions.conf");
    let of_ports = |rule: &&&Rule| has(rule, "ports.txt") || snapshot(rule);
    for rule in RULES.iter().filter(of_ports) {
        let code = rule.code.id;
        let fires = findings(&folder(code, "fires"));
        let found = fires.find(rule.code);
        let found = found.unwrap_or_else(|| panic!("{code} is not found in its own fixture"));
        assert_eq!(found.severity, rule.severity, "{code}: the fixture shows it at its worst");
        let silent = findings(&folder(code, "silent"));
        let wrong = silent.find(rule.code).map(|d| render::text(d, render::Style::Plain));
        assert_eq!(wrong, None, "{code} is found where it should not be");
    }
}

/// Codes that `check` may report: those of readers, and those of rules.
fn codes() -> BTreeSet<String> {
    let parsers = PARSERS.iter().map(|parser| parser.code.id);
    parsers.chain(RULES.iter().map(|rule| rule.code.id)).map(str::to_owned).collect()
}

#[test]
fn each_code_has_fixtures_and_each_fixture_belongs_to_a_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let have: BTreeSet<String> = fs::read_dir(root)
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    assert_eq!(have, codes());
    for code in codes() {
        for which in ["fires", "silent"] {
            let files = fs::read_dir(folder(&code, which));
            assert!(files.is_ok_and(|mut files| files.next().is_some()), "{code}/{which}");
        }
    }
}

/// Each known trap is shown by codes that have fixtures, or says why nothing can show it.
#[test]
fn each_trap_has_codes_or_a_reason() {
    let codes = codes();
    let numbers: Vec<u8> = ROWS.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=75).collect::<Vec<_>>());
    for row in ROWS {
        let shown = !row.codes.is_empty();
        assert_ne!(shown, !row.not_shown.is_empty(), "row {}: codes or a reason", row.number);
        let live = match row.live {
            Live::Tried(live) | Live::Untried(live, _) => live,
            Live::Nothing(why) => {
                assert!(!why.is_empty(), "row {}", row.number);
                &[]
            }
        };
        for code in row.codes.iter().chain(live) {
            assert!(codes.contains(*code), "row {}: there is no {code}", row.number);
        }
    }
}

#[test]
fn each_rule_has_a_page_under_its_code_and_codes_ascend() {
    for code in codes() {
        let page = explain(&code.to_lowercase()).expect("a page").text;
        assert!(page.starts_with(&format!("# {code}: ")), "{code}");
        for heading in ["## What it is", "## How to see it", "## How to mend it"] {
            assert!(page.contains(heading), "{code}: {heading}");
        }
    }
    assert!(RULES.windows(2).all(|pair| pair[0].code.id < pair[1].code.id));
    assert!(PARSERS.windows(2).all(|pair| pair[0].code.id < pair[1].code.id));
    assert!(explain("QO999").is_none());
}

/// Nothing is said of a fabric that is as it should be.
#[test]
fn a_sound_fabric_has_no_finding() {
    let found = findings(&folder("QO110", "silent"));
    let texts: Vec<String> = found.iter().map(|d| render::text(d, render::Style::Plain)).collect();
    assert!(texts.is_empty(), "{texts:#?}");
}

/// The field guide's example: eight classes on a setup with two lanes.
#[test]
fn eight_classes_on_two_lanes_are_shown_sl_by_sl() {
    let found = findings(&folder("QO001", "fires"));
    let found = found.find(RULES[0].code).expect("the finding");
    assert!(found.message.contains("8 lanes becomes one for 2"), "{}", found.message);
    assert_eq!(found.notes[1], "asked: VL  0  1  2  3  4  5  6  7  0  0  0  0  0  0  0  0");
    assert_eq!(found.notes[2], "held:  VL  0  1  0  1  0  1  0  1  0  0  0  0  0  0  0  0");
    assert!(found.notes.iter().any(|n| n.starts_with("SL1, SL3, SL5 and SL7 share VL1")));
    assert!(found.help.iter().any(|h| h.contains("`max_op_vls 4` lets VL0 to VL7 operate")));
}

/// With QoS off nothing of it is programmed, and one finding says so (CF019); what would be found
/// if it were on is information.
#[test]
fn while_qos_is_off_nothing_worse_than_information_is_said_of_tables() {
    let text = "max_op_vls 2\nqos_sl2vl 0,1,2,3,4,15\nqos_vlarb_low\nqos_vlarb_high\n";
    let (conf, _) = opensm_conf::parse(&SourceFile::new("opensm.conf", text));
    let mut effective = Effective::new(None);
    effective.load(&conf);
    let found = check(&Site::of_options(&effective));
    assert_eq!(found.worst(), Some(Severity::Info));
    assert!(found.iter().all(|d| d.message.starts_with("if QoS were on: ")), "{found:#?}");
    assert!(found.find(RULES[0].code).is_some());
}
