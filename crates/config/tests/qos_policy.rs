//! qos-policy.conf: what the field's files say, what each fault does, and that any text is read.
//!
//! Which of the snippets are refused was found by giving each of them to opensm 3.3.23.

use lk_config::qos_policy::{NodeType, QosPolicy, Range, SetupScope, UlpKind, parse, write};
use lk_diag::{Diagnostics, SourceFile};
use proptest::prelude::*;

/// A level that every policy needs.
const LEVEL: &str = "qos-levels qos-level name: DEFAULT\n sl: 0\n end-qos-level end-qos-levels\n";

fn read(text: &str) -> (QosPolicy, Diagnostics) {
    parse(&SourceFile::new("qos-policy.conf", text))
}

fn with_level(text: &str) -> String {
    format!("{text}\n{LEVEL}")
}

fn group(content: &str) -> String {
    with_level(&format!("port-groups port-group {content}\n end-port-group end-port-groups"))
}

fn level(content: &str) -> String {
    format!("qos-levels qos-level {content}\n end-qos-level end-qos-levels\n")
}

fn ulps(content: &str) -> String {
    format!("qos-ulps {content} end-qos-ulps\n")
}

fn rule(content: &str) -> String {
    with_level(&format!(
        "qos-match-rules qos-match-rule\n {content}\n end-qos-match-rule end-qos-match-rules"
    ))
}

fn setup(content: &str) -> String {
    with_level(&format!("qos-setup\n{content}\n end-qos-setup"))
}

const TABLE: &str = "sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n";

#[test]
fn what_opensm_takes_is_taken() {
    let sl2vl =
        |c: &str| setup(&format!("sl2vl-tables sl2vl-scope {c} end-sl2vl-scope end-sl2vl-tables"));
    for text in [
        group("name: foo end-port-group port-group name: sl 3"),
        group("name:\n foo"),
        group("name: foo\n bar"),
        group("name: foo\n port-guid: 1,\n2"),
        group("name: foo # comment"),
        group("name: \"\""),
        group("name: foo\n port-name: a/P1, \"b c/P2\" d/p3"),
        group("name: foo:bar"),
        group("name: foo-bar 1 0x3 - *x sdp any default"),
        group("name: foopkeybar"),
        group("name: a;b(c)é"),
        group("name: x\""),
        group("name: foo\n node-type: ca, SELF, Switch,router, all"),
        group("name: foo\n node-type: ca\n node-type: self"),
        group("name: foo\n port-guid: 1\n\n\n, 2"),
        group("name: foo\n port-guid: 1 -\n 2"),
        group("name: foo\n port-guid: 0X1F # x"),
        group("name: foo\n port-name: a/P1x, b/P0x1"),
        level("name : DEFAULT\n sl : 0x3"),
        level("name: DEFAULT\n sl:\n 1"),
        level("name: DEFAULT\n sl: 99999999999999999999"),
        level("name: DEFAULT\n sl: 3 use: foo"),
        level("name: DEFAULT\n use: foo end-qos-level\n sl: 3"),
        level("name: DEFAULT\n use: sl: 4\n sl: 3"),
        level("name: \"DEFAULT\n\"\n sl: 3"),
        level("name: DEFAULT\n sl: 3\n pkey: 1\n pkey: 2\n packet-life: 64\n path-bits: 1-4"),
        ulps("default:1 sdp:2"),
        ulps("default:1 any,service-id 1-2:3"),
        ulps("default:1\n any , service-id 1 - 2, 4 : 3\n"),
        ulps("DEFAULT:1\n SDP, port-num\n4 # x\n :\n 3\n"),
        rule("use: \"a b\"\n qos-level-name: DEFAULT"),
        with_level("qos-match-rules\n end-qos-match-rules\nqos-setup end-qos-setup"),
        with_level(LEVEL),
        setup(
            "vlarb-tables vlarb-scope group: x\n vlarb-high: 0:1,1:2\n vl-high-limit: 300\n end-vlarb-scope end-vlarb-tables",
        ),
        setup(
            "vlarb-tables vlarb-scope across: b\n group: a\n vlarb-high: 0:1\n vlarb-high: 2:3\n vl-high-limit: 1\n vl-high-limit: 2\n end-vlarb-scope end-vlarb-tables",
        ),
        sl2vl(&format!("group: x\n from: *\n to: 1,2-3\n {TABLE}")),
    ] {
        let (policy, found) = read(&text);
        assert!(!policy.refused && !found.has_errors(), "{text}\n{found:#?}");
    }
}

/// Each is refused; the number is the line of the first fault.
fn refused(cases: impl IntoIterator<Item = (String, usize)>) {
    for (text, line) in cases {
        let (policy, found) = read(&text);
        assert!(policy.refused, "{text}");
        let first = found.iter().find(|d| d.code.id == "CF060").expect("it says why");
        let place = first.primary().expect("it has a place").position();
        assert_eq!(place.line, line, "{text}\n{first:#?}");
    }
}

#[test]
fn groups_that_opensm_refuses_are_refused() {
    refused([
        (group("name: my-port-group"), 1),
        (group("name: foo port-guid: 1"), 1),
        (group("name: foopkey:bar"), 1),
        (group("name: foo,"), 1),
        (group("name foo"), 1),
        (group(""), 1),
        (group("name: foo\n name: bar"), 2),
        (group("name: foo\n use: x\n use: y"), 3),
        (group("name: foo\n partition: a,,b"), 2),
        (group("name: foo\n partition:"), 3),
        (group("name: foo\n partition: a,"), 3),
        (group("name: foo\n node-type: ca self"), 2),
        (group("name: foo\n node-type: hca"), 2),
        (group("name: foo\n port-guid: 1 2"), 2),
        (group("name: foo\n port-guid: 1-2-3"), 2),
        (group("name: foo\n port-guid: 0x"), 2),
        (group("name: foo\n port-guid: -1"), 2),
        (group("name: foo\n port-guid: \"1\""), 2),
        (group("name: foo\n port-name: a"), 2),
        (group("name: foo\n port-name: a/1"), 2),
        (group("name: foo\n port-name: a/P0"), 2),
    ]);
}

#[test]
fn levels_that_opensm_refuses_are_refused() {
    refused([
        (level("name: DEFAULT\n sl: 0\n sl: 1"), 3),
        (level("name: DEFAULT\n sl: 0,1"), 2),
        (level("name: DEFAULT\n sl: 1-2"), 2),
        (level("name: DEFAULT\n sl\n: 1"), 1),
        (level("name: DEFAULT\n sl: 12ab"), 2),
        (level("name: DEFAULT\n use:\n sl: 3"), 2),
        (level("name: DEFAULT"), 1),
        (level("sl: 1"), 1),
        (level("name: \"a\" DEFAULT\n sl: 3"), 3),
        (level("name: DEFAULT\n sl: 3\n mtu-limit: 6"), 3),
        (level("name: DEFAULT\n sl: 3\n mtu-limit: 2048"), 3),
        (level("name: DEFAULT\n sl: 3\n rate-limit: 1"), 3),
        (level("name: DEFAULT\n SL: 3"), 1),
        ("QOS-LEVELS\n".to_owned() + LEVEL, 1),
    ]);
}

#[test]
fn what_opensm_refuses_is_refused() {
    let sl2vl =
        |c: &str| setup(&format!("sl2vl-tables sl2vl-scope {c} end-sl2vl-scope end-sl2vl-tables"));
    let vlarb =
        |c: &str| setup(&format!("vlarb-tables vlarb-scope {c} end-vlarb-scope end-vlarb-tables"));
    refused([
        (ulps("default\n:1\n"), 1),
        (ulps("sdp,\nport-num 3 : 3 default:1"), 1),
        (ulps("default:1\n any, service-id: 4 : 3\n"), 2),
        (ulps("default:1\n any, service-id 4, : 3\n"), 2),
        (ulps("default:1\n any: 3\n"), 2),
        (ulps("default:1\n srp : 3\n"), 2),
        (ulps("default:1\n rds, : 3\n"), 2),
        (ulps("default:1\n sdp, port-num 65536 : 3\n"), 2),
        (ulps("default:1\n sdp, port-num 5 : 16\n"), 2),
        (ulps("default:16\n"), 1),
        (ulps("default:1\n sdp, port-num 5 : 3-4\n"), 2),
        (ulps("default:1\n sdp, target-port-guid 5 : 3\n"), 2),
        (with_level("qos-ulps end-qos-ulps"), 1),
        (with_level("port-groups end-port-groups"), 1),
        (with_level("garbage"), 1),
        (format!("{LEVEL}end-qos-levels"), 4),
        ("qos-levels\n qos-level\n sl: 3\n name: DEFAULT\n".to_owned(), 2),
        ("# nothing\n".to_owned(), 1),
        (String::new(), 1),
        (rule("source: a\n qos-level-name: DEFAULT"), 2),
        (rule("destination: a\n qos-level-name: DEFAULT"), 2),
        (rule("qos-level-name: x"), 2),
        (rule("use: x"), 1),
        (rule("qos-level-name: SimpleQoSLevel_DEFAULT"), 2),
        (sl2vl(&format!("group: x\n from: 128\n {TABLE}")), 3),
        (sl2vl("group: x\n sl2vl-table: 0,1,2,3,4,5\n"), 3),
        (sl2vl("group: x\n sl2vl-table: 0-15\n"), 3),
        (sl2vl("group: x\n sl2vl-table: 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,16\n"), 3),
        (sl2vl("group: x\n"), 2),
        (sl2vl(&format!("from: 1\n {TABLE}")), 2),
        (sl2vl(&format!("group: x\n {TABLE} {TABLE}")), 4),
        (sl2vl(&format!("group: x\n to: *,3\n {TABLE}")), 3),
        (vlarb("\n vlarb-high: 0:1\n"), 2),
        (vlarb("group: a\n vlarb-low: 1-2:3\n"), 3),
    ]);
}

#[test]
fn a_blog_entry_without_colons_is_told_line_by_line() {
    let text = "qos-levels\n  qos-level default\n    sl 0\n    mtu 2048\n    rate 25\n  \
                end-qos-level\nend-qos-levels\nqos-match-rules\n  qos-match-rule gpu-traffic\n    \
                source gpu-nodes\n    qos-level high-priority\n  end-qos-match-rule\n\
                end-qos-match-rules\n";
    let (policy, found) = read(text);
    assert!(policy.refused);
    let help = |line: usize| -> Vec<&str> {
        let at = |d: &&lk_diag::Diagnostic| d.primary().unwrap().position().line == line;
        found.iter().filter(at).flat_map(|d| &d.help).map(String::as_str).collect()
    };
    assert_eq!(help(2)[0], "write `name: default` in the next line");
    assert_eq!(help(3), ["write `sl: 0`"]);
    assert_eq!(help(4), ["write `mtu-limit: CODE`; 2048 bytes are code 4"]);
    assert_eq!(help(5), ["write `rate-limit: CODE`; 25 Gb/s are code 15"]);
    assert_eq!(help(9)[0], "write `use: gpu-traffic` in the next line");
    assert_eq!(help(10), ["write `source: gpu-nodes`"]);
    assert_eq!(help(11), ["write `qos-level-name: high-priority`"]);
    assert!(found.iter().any(|d| d.message == "there is no default level"));
}

#[test]
fn dos_line_ends_and_an_open_comment_do_not_lose_the_policy() {
    let text = format!("# dos\n{}{LEVEL}# end\n", ulps("sdp : 3 # x\n ipoib:2\n"));
    let (unix, found) = read(&text);
    assert!(!unix.refused && found.is_empty(), "{found:?}");
    let (dos, found) = read(&text.replace('\n', "\r\n"));
    assert_eq!(dos, unix);
    assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), ["CF062"]);
    let (open, found) = read(text.trim_end());
    assert_eq!(open, unix);
    assert_eq!(found.iter().map(|d| d.code.id).collect::<Vec<_>>(), ["CF062"]);
}

#[test]
fn values_are_what_opensm_makes_of_them() {
    let (policy, found) = read(&format!(
        "{}{}",
        level(
            "name: Virtual Servers\n sl: 010\n pkey: 0x7000-0x9000, 0x8001-0x8003\n use:  a b # c"
        ),
        level("name: default\n sl: 08\n packet-life: 200\n")
    ));
    let first = &policy.levels[0].value;
    assert_eq!(first.name.value, "VirtualServers");
    assert_eq!(first.usage.as_ref().unwrap().value, "a b");
    assert_eq!(first.sl.value, 8);
    let keys: Vec<Range> = first.pkeys.iter().map(|p| p.value).collect();
    assert_eq!(keys, [Range::new(0x1000, 0x7000), Range::new(1, 3)]);
    assert_eq!(policy.levels[1].value.sl.value, 0);
    let codes: Vec<&str> = found.iter().map(|d| d.code.id).collect();
    assert_eq!(codes, ["CF007"; 4], "{found:?}");
}

#[test]
fn odd_policies_are_told() {
    for (text, code) in [
        (level("name: DEFAULT\n sl: 16"), "CF063"),
        (level("name: DEFAULT\n sl: 1\n path-bits: 1"), "CF061"),
        (level("name: DEFAULT\n sl: 1\n rate-limit: 23"), "CF062"),
        (group("name: a\n port-name: vs1 HCA-1/P1"), "CF064"),
        (group("name: a\n b"), "CF064"),
        (group("name: a\n end-port-group port-group name: A"), "CF061"),
        (with_level(LEVEL), "CF061"),
        (with_level(&ulps("default:1")), "CF061"),
        (ulps("default:1 default:2"), "CF061"),
        (ulps("default:1 any, source-target-port-guid 1:2"), "CF064"),
    ] {
        let (_, found) = read(&text);
        let codes: Vec<&str> = found.iter().map(|d| d.code.id).collect();
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
}

#[test]
fn qos_setup_comes_with_the_lines_that_would_work() {
    let text =
        "port-groups port-group name: hosts\n node-type: CA\n end-port-group end-port-groups\n";
    let text = text.to_owned()
        + &setup(&format!(
            "vlarb-tables vlarb-scope group: hosts\n vlarb-high: 0:255,1:64\n vl-high-limit: 10\n \
             end-vlarb-scope end-vlarb-tables\nsl2vl-tables sl2vl-scope across: hosts\n {TABLE} \
             end-sl2vl-scope end-sl2vl-tables"
        ));
    let (policy, found) = read(&text);
    assert!(!policy.refused);
    assert!(matches!(policy.setup[0].value, SetupScope::VlArb(_)));
    let told: Vec<&str> = found.iter().flat_map(|d| &d.help).map(String::as_str).collect();
    assert_eq!(
        told,
        [
            "write in opensm.conf: qos_ca_vlarb_high 0:255,1:64; qos_ca_high_limit 10",
            "write in opensm.conf: qos_swe_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        ]
    );
    let line = |n: usize| found.as_slice()[n].primary().unwrap().position().line;
    assert_eq!((line(0), line(1)), (5, 9));
}

#[test]
fn places_are_those_of_the_file() {
    let text = format!("{}{}", ulps("sdp : 3\n any, pkey 0x8001 : 4\n"), LEVEL);
    let (policy, _) = read(&text);
    let rule = &policy.ulps[1];
    assert_eq!(&text[rule.place.range()], "any, pkey 0x8001 : 4");
    assert_eq!(&text[rule.value.values[0].place.range()], "0x8001");
    assert_eq!(rule.value.kind, UlpKind::Pkey);
    assert_eq!(&text[policy.levels[0].value.name.place.range()], "DEFAULT");
    let text = group("name: \"a b\" c\n node-type: SELF");
    let (policy, _) = read(&text);
    assert_eq!(&text[policy.groups[0].value.name.place.range()], "\"a b\" c");
    assert_eq!(policy.groups[0].value.name.value, "a bc");
    assert_eq!(policy.groups[0].value.node_types[0].value, NodeType::Own);
}

fn any_line() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "port-groups",
        "port-group",
        "name: a",
        "name: \"b c\"",
        "use: d e",
        "port-guid: 1-0x9,4",
        "port-name: \"x y/P2\", z/p1",
        "pkey: 0x8001, 0x7000-0x9000",
        "partition: p q, r",
        "node-type: CA, self",
        "end-port-group",
        "end-port-groups",
        "qos-setup",
        "vlarb-tables",
        "vlarb-scope",
        "group: a",
        "across: b",
        "vlarb-high: 0:1, 3:4",
        "vl-high-limit: 7",
        "end-vlarb-scope",
        "end-vlarb-tables",
        "sl2vl-tables",
        "sl2vl-scope",
        "from: 1-3",
        "to: *",
        TABLE,
        "end-sl2vl-scope",
        "end-sl2vl-tables",
        "end-qos-setup",
        "qos-levels",
        "qos-level",
        "name: DEFAULT",
        "sl: 3",
        "mtu-limit: 4",
        "rate-limit: 7",
        "packet-life: 9",
        "path-bits: 1",
        "end-qos-level",
        "end-qos-levels",
        "qos-match-rules",
        "qos-match-rule",
        "qos-level-name: default",
        "source: a",
        "destination: \"b c\"",
        "qos-class: 1-7",
        "service-id: 0x10, 0x20-0x30",
        "end-qos-match-rule",
        "end-qos-match-rules",
        "qos-ulps",
        "default : 1",
        "sdp, port-num 1-7 : 2",
        "any, source-port-guid 0x3 : 4",
        "end-qos-ulps",
    ]);
    prop_oneof![12 => fixed.prop_map(str::to_owned), 1 => "[ -~é\\r]{0,12}"]
}

/// A whole policy of whole sections.
fn any_policy() -> impl Strategy<Value = String> {
    let some = |lines: &'static [&'static str]| {
        prop::sample::subsequence(lines, 0..=lines.len()).prop_map(|l| l.join("\n"))
    };
    let groups = some(&[
        "use: d \"e\" f",
        "port-guid: 1-0x9,4",
        "port-guid: 0xffffffffffffffff",
        "port-name: \"x y/P2\", z/p1",
        "pkey: 0x8001, 0x7000-0x9000",
        "partition: p q, \"r, s\"",
        "node-type: CA, self",
        "node-type: all",
    ]);
    let levels = some(&[
        "use: # no\n use: x",
        "mtu-limit: 4",
        "rate-limit: 24",
        "packet-life: 9",
        "path-bits: 1,3",
        "pkey: 3,1-2",
    ]);
    let rules = some(&[
        "use: u",
        "source: g",
        "source: g, G",
        "destination: \"g\"",
        "qos-class: 1-7",
        "service-id: 0x10, 0x20-0x30",
        "pkey: 5",
    ]);
    let ulps = some(&[
        "default : 1",
        "sdp:2",
        "SDP, port-num 1-7 : 2",
        "rds:3",
        "iser:4",
        "iser, port-num 9:1",
        "ipoib:3",
        "ipoib, pkey 0x8003:3",
        "srp, target-port-guid 5:1",
        "any, service-id 1-9:2",
        "any, pkey 4:5",
        "any, source-port-guid 0x3 : 4",
        "any, target-port-guid 1,2:3",
        "any, source-target-port-guid 1:9",
    ]);
    let arb = some(&["across: g", "vlarb-high: 0:1, 3:4", "vlarb-low: 15:300", "vl-high-limit: 7"]);
    let map = some(&[
        "across: g",
        "across-from: h",
        "across-to: i",
        "from: 1-3",
        "from: 5",
        "to: *",
        "to: 7",
    ]);
    (groups, levels, rules, ulps, arb, map).prop_map(|(g, l, r, u, a, m)| {
        format!(
            "port-groups port-group\n name: g\n{g}\nend-port-group end-port-groups\n\
             qos-setup vlarb-tables vlarb-scope group: x\n{a}\nend-vlarb-scope end-vlarb-tables\n\
             sl2vl-tables sl2vl-scope group: y\n{m}\n{TABLE}\nend-sl2vl-scope \
             end-sl2vl-tables end-qos-setup\n\
             qos-match-rules qos-match-rule\n{r}\nqos-level-name: DEFAULT\n\
             end-qos-match-rule end-qos-match-rules\n\
             qos-ulps rds, port-num 3 : 3\n{u}\nend-qos-ulps\n\
             qos-levels qos-level\n name: DEFAULT\n sl: 2\n{}\nend-qos-level end-qos-levels\n",
            l.replace("use: # no\n", "# no\n")
        )
    })
}

proptest! {
    #[test]
    fn a_whole_policy_is_written_and_read_back(text in any_policy()) {
        let (policy, found) = read(&text);
        prop_assert!(!policy.refused, "{text}\n{found:#?}");
        let (again, found) = read(&write(&policy));
        prop_assert_eq!(&again, &policy);
        prop_assert!(!found.has_errors());
    }

    #[test]
    fn lines_in_any_order_are_read(lines in prop::collection::vec(any_line(), 0..40)) {
        let text = lines.join("\n");
        let (policy, found) = read(&text);
        prop_assert_eq!(policy.refused, found.has_errors());
        if !policy.refused && text.matches('"').count() % 2 == 0 {
            prop_assert_eq!(read(&write(&policy)).0, policy);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let source = SourceFile::new("f", bytes);
        let (policy, found) = parse(&source);
        prop_assert_eq!(policy.refused, found.has_errors());
        for found in &found {
            for label in &found.labels {
                prop_assert!(label.span.end <= source.text().len());
            }
        }
    }
}
