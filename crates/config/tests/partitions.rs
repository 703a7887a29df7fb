//! partitions.conf: what the manual's examples mean, what OpenSM makes of odd files, and that any
//! text is read and any model is written.

use lk_config::partitions::{
    GroupFlags, Item, Member, PartitionsConf, Statement, Who, parse, write,
};
use lk_config::{Placed, codes};
use lk_diag::{Diagnostics, SourceFile, Span};
use lk_wire::{Gid, Guid};
use proptest::prelude::*;

fn read(text: &str) -> (PartitionsConf, Diagnostics) {
    parse(&SourceFile::new("partitions.conf", text))
}

fn good(text: &str) -> PartitionsConf {
    let (conf, found) = read(text);
    assert!(!conf.refused, "{text}: {found:?}");
    conf
}

/// Codes with lines, in the order of the report.
fn found(text: &str) -> Vec<(&'static str, usize)> {
    let (_, found) = read(text);
    found
        .iter()
        .filter(|d| d.code != codes::PARTITIONS_EFFECT)
        .map(|d| (d.code.id, d.primary().expect("it has a place").position().line))
        .collect()
}

fn ports(statement: &Statement) -> Vec<(Who, Option<Member>)> {
    let port = |item: &Item| match item {
        Item::Ports { who, member } => Some((who.value, member.map(|m| m.value))),
        Item::Group { .. } => None,
    };
    statement.items.iter().filter_map(port).collect()
}

const MANUAL: &str = "\
Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;

NewPartition , ipoib : 0x123456=full, 0x3456789034=limi, 0x2134af2306 ;

ShareIO = 0x80 , defmember=full : 0x123451, 0x123452;
# 0x123453, 0x123454 will be limited
ShareIO = 0x80 : 0x123453, 0x123454, 0x123455=full;

# multicast groups added to default
Default=0x7fff,ipoib:
       mgid=ff12:401b::0707,sl=1 # random IPv4 group
       mgid=ff12:601b::16    # MLDv2-capable routers
       mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2 # random group
       ALL=full;
";

#[test]
fn the_manuals_examples() {
    let (conf, found) = read(MANUAL);
    assert!(found.is_empty() && !conf.refused, "{found:?}");
    assert_eq!(conf.statements.len(), 5);
    let first = &conf.statements[0];
    assert_eq!(first.pkey.unwrap().value, 0x7fff);
    assert_eq!(
        ports(first),
        [(Who::All, None), (Who::Switches, Some(Member::Full)), (Who::Own, Some(Member::Full))]
    );
    let new = &conf.statements[1];
    assert_eq!((new.name.as_ref().unwrap().value.as_str(), new.pkey), ("NewPartition", None));
    assert!(new.ipoib);
    assert_eq!(ports(new)[1], (Who::Guid(Guid(0x34_5678_9034)), Some(Member::Limited)));
    assert_eq!(conf.statements[2].default_member.unwrap().value, Member::Full);
    let groups = &conf.statements[4];
    assert_eq!((groups.items.len(), ports(groups).len()), (4, 1));
    let Item::Group { mgid, flags } = &groups.items[2] else { panic!("{groups:?}") };
    assert_eq!(mgid.value, Gid { prefix: 0xff12 << 48, guid: Guid(1) });
    let key = flags.q_key.unwrap();
    assert_eq!((key.value, &MANUAL[key.place.range()]), (0xdead_beef, "0xDEADBEEF"));
    assert_eq!((flags.sl.unwrap().value, flags.mtu.unwrap().value), (1, 2));
    assert_eq!(&MANUAL[groups.place.0.range()], "Default=0x7fff,ipoib");
}

#[test]
fn dos_line_ends_change_nothing() {
    let (unix, _) = read(MANUAL);
    let (dos, found) = read(&MANUAL.replace('\n', "\r\n"));
    assert_eq!(unix, dos);
    let codes: Vec<_> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, [codes::PARTITIONS_OPENSM_REFUSES], "opensm would lose the file");
}

/// Each of these was seen to make opensm go on with its default partition alone.
#[test]
fn what_spoils_the_whole_file() {
    for (text, line) in [
        ("", 1),
        ("# nothing\n\n", 3),
        ("A=0x1: SELF=full;\n;\n", 2),
        ("A=0x1: SELF=full\n;\n", 2),
        ("A=0x1: SELF=full; ;", 1),
        ("A=0x1 SELF=full;\n", 1),
        ("A=0x1\n: SELF=full;\n", 1),
        ("A=abc: SELF=full;\n", 1),
        ("A=0x3=4: SELF=full;\n", 1),
        ("A=: SELF=full;\n", 1),
        ("A=0x1: SELF=full,\n 0x100021zz;\n", 2),
        ("A=0x1: 0;\n", 1),
        ("A=0x1: all;\n", 1),
        ("A=0x1: mgi=ff12::1;\n", 1),
        ("A=0x1: SELF\nB=0x2: SELF;\n", 2),
    ] {
        let (conf, diagnostics) = read(text);
        assert!(conf.refused, "{text}");
        let lines: Vec<usize> = diagnostics
            .iter()
            .filter(|d| d.code == codes::PARTITIONS_REFUSED)
            .map(|d| d.primary().unwrap().position().line)
            .collect();
        assert_eq!(lines, [line.min(lines[0])], "{text}: {diagnostics:?}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let text = "A=x: SELF;\nB=1: SEL, 0xyz;\nC=2: SELFF;\nD=3 SELF;\nE=4: ALL;\n";
    let lines: Vec<usize> = found(text).iter().map(|(_, line)| *line).collect();
    assert_eq!(lines, [1, 2, 3, 4]);
    assert_eq!(read(text).0.statements.len(), 3);
}

/// Each of these was seen with opensm.
#[test]
fn words_are_beginnings_of_keywords() {
    let conf = good("A=0x1, s=3, i, def=b: A=f, S, ALL_SW=limi, 7=, 8=x=y;");
    let a = &conf.statements[0];
    assert_eq!((a.flags.scopes.len(), a.flags.sl), (1, None));
    assert!(a.ipoib);
    assert_eq!(a.default_member.unwrap().value, Member::Both);
    assert_eq!(
        ports(a),
        [
            (Who::All, Some(Member::Full)),
            (Who::Own, None),
            (Who::Switches, Some(Member::Limited)),
            (Who::Guid(Guid(7)), Some(Member::Full)),
            (Who::Guid(Guid(8)), Some(Member::Limited)),
        ]
    );
    assert_eq!(ports(&good("A=1: ALL_VCAS=full;").statements[0])[0].0, Who::VirtualCas);
    let codes: Vec<_> = found("A=0x1, s=3, i, def=b: A=f, S, ALL_SW=limi, 7=, 8=x=y;");
    assert_eq!(codes, [("CF081", 1); 3], "the scope, and two memberships");
}

#[test]
fn a_file_without_the_default_partition_is_warned_of() {
    let warned = |text: &str| read(text).1.find(codes::PARTITIONS_EFFECT).is_some();
    assert!(warned("A=1: ALL=full;\n"));
    assert!(!warned("A=1: ALL=full;\nDefault=0x7fff: ALL=full;\n"));
    assert!(!warned("A=1: ALL=full;\nDefault: ALL=full;\n"));
    assert!(!warned("A=1: ALL=full;\nall=0xffff: ALL=full;\n"));
}

#[test]
fn keys_and_names() {
    let key = |text: &str| good(text).statements[0].pkey.map(|k| k.value);
    assert_eq!(key("A=0x8001:SELF;"), Some(1));
    assert_eq!(key("0x55:SELF;"), Some(0x55));
    assert_eq!(key(" 7 : SELF;"), Some(7));
    assert_eq!(key("A=0x1ffff:SELF;"), Some(0x7fff));
    assert_eq!(key("A=0x8000:SELF;"), Some(0));
    assert_eq!(key("A:SELF;"), None);
    let name = "x".repeat(40);
    let conf = good(&format!("{name}=1:SELF;"));
    assert_eq!(conf.statements[0].name.as_ref().unwrap().value.len(), 31);
    assert_eq!(found(&format!("{name}=1:SELF;")), [("CF081", 1)]);
    assert_eq!(found("=0:SELF;"), [("CF081", 1); 2]);
}

#[test]
fn numbers_of_flags() {
    let flags = |text: &str| good(text).statements[0].flags.clone();
    let f = flags(
        "A=1,rate=7z,mtu=2048,sl=3x,scope=0x3,scope=16,FlowLabel=0x100000,Q_Key=0x100000001:SELF;",
    );
    assert_eq!((f.rate.unwrap().value, f.mtu.unwrap().value), (7, 0));
    assert_eq!((f.sl, f.flow_label), (None, None));
    assert_eq!(f.scopes.iter().map(|s| s.value).collect::<Vec<_>>(), [3]);
    assert_eq!(f.q_key.unwrap().value, 1);
    let f = flags("A=1,sl=5,sl=16,,rate,TClass=0x1ff,FlowLabel=0xfffff:SELF;");
    assert_eq!((f.sl.unwrap().value, f.rate), (5, None));
    assert_eq!((f.t_class.unwrap().value, f.flow_label.unwrap().value), (0xff, 0xf_ffff));
    assert_eq!(found("A=1,mtu=2048,sle=4:SELF;"), [("CF081", 1), ("CF082", 1)]);
}

#[test]
fn a_group_takes_the_rest_of_its_line_and_no_more() {
    let text = "A=1:SELF,mgid=ff12::5,sl=1,rate=7\n0x21=full;\nB=2:mgid=ff12::6; C=3:SELF;\n";
    let conf = good(text);
    assert_eq!(conf.statements.len(), 3, "opensm takes C for a flag of the group");
    assert_eq!(conf.statements[0].items.len(), 3);
    let conf = good("A=1:SELF,mgid=fe80::1,sl=4\n SELF=full;");
    assert_eq!(conf.statements[0].items.len(), 2, "no multicast GID: only the group is left out");
    assert_eq!(found("A=1:mgid=ff12::1x\nmgid=ff12::2,0x21\nSELF;"), [("CF082", 1), ("CF082", 2)]);
}

fn placed<T>(value: T) -> Placed<T> {
    Placed { value, place: Span::point(0) }
}

fn any_flags() -> impl Strategy<Value = GroupFlags> {
    let some = |most: u8| prop::option::of((0..=most).prop_map(placed));
    let scopes = prop::collection::btree_set(1u8..16, 0..3);
    (
        (some(255), some(255), some(15)),
        scopes.prop_map(|s| s.into_iter().map(placed).collect()),
        prop::option::of(any::<u32>().prop_map(placed)),
        some(255),
        prop::option::of((0u32..=0xF_FFFF).prop_map(placed)),
    )
        .prop_map(|((mtu, rate, sl), scopes, q_key, t_class, flow_label)| GroupFlags {
            mtu,
            rate,
            sl,
            scopes,
            q_key,
            t_class,
            flow_label,
        })
}

fn any_member() -> impl Strategy<Value = Option<Placed<Member>>> {
    let member = prop::sample::select(vec![Member::Full, Member::Limited, Member::Both]);
    prop::option::of(member.prop_map(placed))
}

fn any_item() -> impl Strategy<Value = Item> {
    let who = prop_oneof![
        prop::sample::select(vec![
            Who::None,
            Who::All,
            Who::Cas,
            Who::Switches,
            Who::Routers,
            Who::VirtualCas,
            Who::Own
        ]),
        (1..=u64::MAX).prop_map(|g| Who::Guid(Guid(g))),
    ];
    let ports =
        (who, any_member()).prop_map(|(who, member)| Item::Ports { who: placed(who), member });
    let group = (any::<u64>(), any::<u64>(), any_flags()).prop_map(|(prefix, guid, flags)| {
        let gid = Gid { prefix: prefix | 0xFF << 56, guid: Guid(guid) };
        Item::Group { mgid: placed(gid), flags }
    });
    prop_oneof![3 => ports, 1 => group]
}

fn any_statement() -> impl Strategy<Value = Statement> {
    (
        (prop::option::of("[A-Za-z][A-Za-z0-9_ .-]{0,29}[a-z]"), prop::option::of(0u16..0x8000)),
        (any::<bool>(), any::<bool>(), any_member()),
        any_flags(),
        prop::collection::vec(any_item(), 0..6),
    )
        .prop_map(|((name, pkey), (ipoib, index0, default_member), flags, items)| Statement {
            name: name.map(placed),
            pkey: pkey.map(placed),
            ipoib,
            index0,
            default_member,
            flags,
            items,
            ..Statement::default()
        })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        statements in prop::collection::vec(any_statement(), 1..6)
    ) {
        let conf = PartitionsConf { statements, refused: false };
        let text = write(&conf);
        let (again, found) = read(&text);
        prop_assert_eq!(&again, &conf, "{}\n{:?}", text, found);
    }

    #[test]
    fn any_text_is_read(text in "[A-Za-z0-9=,:;# \n\r\t.]{0,120}") {
        let (conf, found) = read(&text);
        prop_assert!(!conf.refused || found.has_errors());
        for one in &found {
            let label = one.primary().expect("a place");
            prop_assert!(label.span.end <= text.len() + 1);
        }
    }
}
