//! Subscriptions and the reports that follow from them.

use lk_wire::sa::*;
use lk_wire::{Gid, Guid, Lid, NodeType, Notice, Trap, method};

use crate::sa::testing::{Ask, GUIDS, Lab};

fn everything() -> InformInfo {
    let mut info = InformInfo::default();
    info.set_lid_begin(0xFFFF);
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_trap_type(0xFFFF);
    info.set_trap_number(0xFFFF);
    info.set_producer_type(0xFF_FFFF);
    info
}

fn gid(at: usize) -> Gid {
    Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[at]) }
}

fn subscribe(lab: &mut Lab, lid: u16, info: &InformInfo) -> Result<(), u16> {
    lab.ask(&Ask::new(method::SET, 0, info).from(lid)).map(drop)
}

/// Who is told of a notice, by LID.
fn told(lab: &mut Lab) -> Vec<(u16, Notice)> {
    let mut told = Vec::new();
    while let Some(report) = lab.sa.next_report(lab.now) {
        let message = Message::parse(&report.bytes).unwrap();
        assert_eq!((message.header.method(), message.header.attr_id()), (method::REPORT, 2));
        assert!(report.timeout.is_some());
        told.push((report.to.lid.0, Notice::parse(message.data).unwrap()));
    }
    told
}

#[test]
fn subscriptions_are_shown_counted_once_and_ended() {
    let mut lab = Lab::plain();
    let mut one = everything();
    subscribe(&mut lab, 4, &one).unwrap();
    subscribe(&mut lab, 4, &one).unwrap();
    one.set_trap_number(64);
    subscribe(&mut lab, 4, &one).unwrap();
    subscribe(&mut lab, 5, &one).unwrap();
    let mut asked = InformInfoRecord::default();
    let all: Vec<InformInfoRecord> = lab.records(&Ask::new(method::GET_TABLE, 0, &asked));
    let shown: Vec<_> = all.iter().map(|r| (r.subscriber_gid(), r.enumeration())).collect();
    assert_eq!(shown, [(gid(3), 0), (gid(3), 1), (gid(4), 0)]);
    asked.set_subscriber_gid(gid(3));
    asked.set_enumeration(1);
    let both = inform_mask::SUBSCRIBER_GID | inform_mask::ENUM;
    let found: InformInfoRecord = lab.records(&Ask::new(method::GET, both, &asked))[0];
    assert_eq!(found.trap_number(), 64);
    one.set_subscribe(0);
    subscribe(&mut lab, 4, &one).unwrap();
    assert_eq!(subscribe(&mut lab, 4, &one), Err(sa_status::REQ_INVALID.0));
    assert_eq!(lab.count(&Ask::new(method::GET_TABLE, 0, &asked)), 2);
    // The number that is free is given again.
    one.set_subscribe(1);
    subscribe(&mut lab, 4, &one).unwrap();
    assert_eq!(lab.count(&Ask::new(method::GET_TABLE, both, &asked)), 1);
}

#[test]
fn what_opensm_refuses_is_refused() {
    let mut lab = Lab::plain();
    let refused = |lab: &mut Lab, change: &dyn Fn(&mut InformInfo)| {
        let mut info = everything();
        change(&mut info);
        subscribe(lab, 4, &info) == Err(sa_status::REQ_INVALID.0)
    };
    assert!(refused(&mut lab, &|i| i.set_subscribe(2)));
    assert!(refused(&mut lab, &|i| i.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(9) })));
    assert!(!refused(&mut lab, &|i| i.set_gid(gid(5))));
    let range = |first, last| {
        move |i: &mut InformInfo| {
            i.set_lid_begin(first);
            i.set_lid_end(last);
        }
    };
    assert!(refused(&mut lab, &range(100, 109)));
    for good in [(1, 8), (8, 1), (0, 0)] {
        assert!(!refused(&mut lab, &range(good.0, good.1)), "{good:?}");
    }
    for security in [256, 257, 258, 259] {
        assert!(refused(&mut lab, &|i| i.set_trap_number(security)));
    }
    assert!(!refused(&mut lab, &|i| i.set_trap_number(128)));
    let get = Ask::new(method::GET, 0, &everything());
    assert_eq!(lab.ask(&get), Err(lk_wire::Status::METHOD_ATTR_UNSUPPORTED.0));
}

#[test]
fn a_notice_goes_to_those_who_want_it() {
    type Change<'a> = &'a dyn Fn(&mut InformInfo);
    let mut lab = Lab::plain();
    let cases: [(u16, Change<'_>, bool); 11] = [
        (1, &|_| {}, true),
        (4, &|i| i.set_trap_number(64), true),
        (5, &|i| i.set_trap_number(65), false),
        (6, &|i| i.set_gid(gid(6)), true),
        (7, &|i| i.set_gid(gid(5)), false),
        (8, &|i| i.set_trap_type(3), true),
        (4, &|i| i.set_trap_type(1), false),
        (5, &|i| i.set_producer_type(4), true),
        (6, &|i| i.set_producer_type(2), false),
        (7, &|i| i.set_is_generic(0), false),
        (8, &|i| i.set_lid_begin(1), true),
    ];
    let mut expected = Vec::new();
    for (lid, change, wanted) in cases {
        let mut info = everything();
        change(&mut info);
        info.set_lid_end(1);
        subscribe(&mut lab, lid, &info).unwrap();
        expected.extend(wanted.then_some(lid));
    }
    lab.sa.tell(&Trap::GidInService(gid(6)));
    let told = told(&mut lab);
    let mut lids: Vec<u16> = told.iter().map(|(lid, _)| *lid).collect();
    lids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lids, expected);
    let notice = told[0].1;
    assert_eq!((notice.trap_number(), notice.issuer_lid()), (64, 1));
    assert_eq!((notice.issuer_gid(), notice.producer_type()), (gid(0), 4));
    assert_eq!(Trap::parse(&notice), Some(Trap::GidInService(gid(6))));
}

#[test]
fn of_wrong_keys_only_trusted_subscribers_hear() {
    let mut lab = Lab::plain();
    subscribe(&mut lab, 4, &everything()).unwrap();
    lab.ask(&Ask::new(method::SET, 0, &everything()).from(5).trusted()).unwrap();
    let mut notice = Trap::LinkStateChange(Lid(2)).notice(NodeType::SWITCH, Lid(2));
    notice.set_trap_number(257);
    lab.sa.forward(&notice);
    assert_eq!(told(&mut lab).iter().map(|t| t.0).collect::<Vec<_>>(), [5]);
}

#[test]
fn an_answered_report_is_not_repeated() {
    let mut lab = Lab::plain();
    subscribe(&mut lab, 4, &everything()).unwrap();
    lab.sa.tell(&Trap::GidOutOfService(gid(6)));
    let report = lab.sa.next_report(lab.now).expect("the report");
    assert_eq!(lab.sa.deadline(), Some(lab.now + report.timeout.unwrap()));
    let mut header = SaHeader::parse(&report.bytes).unwrap();
    header.set_method(method::REPORT_RESP);
    let mut answer = report.bytes.to_vec();
    answer[..SaHeader::LEN].copy_from_slice(&header.0);
    assert_eq!(lab.sa.take(lab.now, report.to, &answer), None);
    assert_eq!((lab.sa.deadline(), lab.sa.has_work()), (None, false));
}
