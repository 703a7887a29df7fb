//! Many clients at once, and one that asks too much.

use lk_wire::method;
use lk_wire::sa::*;

use crate::io::GsiAddress;
use crate::sa::Effects;
use crate::sa::testing::{Ask, Lab};
use crate::time::Duration;
use lk_wire::{Lid, Status};

fn from(lid: u16) -> GsiAddress {
    GsiAddress { lid: Lid(lid), qp: 1, ..GsiAddress::default() }
}

fn status(bytes: &[u8]) -> u16 {
    SaHeader::parse(bytes).expect("a whole message").status()
}

#[test]
fn a_flood_from_one_is_told_busy_and_starves_nobody() {
    let mut lab = Lab::plain();
    let ask = Ask::new(method::GET, 0, &ClassPortInfo::default());
    let mut busy = 0;
    for number in 0..1000_u64 {
        let mut bytes = ask.bytes();
        bytes[8..16].copy_from_slice(&number.to_be_bytes());
        if let Some(refusal) = lab.sa.take(lab.now, from(4), &bytes) {
            assert_eq!((status(&refusal.bytes), refusal.to), (Status::BUSY.0, from(4)));
            busy += 1;
        }
    }
    assert_eq!(busy, 1000 - 256);
    for lid in [5, 6] {
        assert_eq!(lab.sa.take(lab.now, from(lid), &ask.bytes()), None);
    }
    let mut effects = Effects::default();
    let mut order = || lab.sa.answer_next(lab.now, &mut effects).map(|a| a.to.lid.0);
    let first: Vec<_> = (0..4).filter_map(|_| order()).collect();
    assert_eq!(first, [4, 5, 6, 4], "each in turn");
    assert_eq!(std::iter::from_fn(order).count(), 256 - 2);
}

/// A client in the Linux kernel sends the same message again when no answer comes in time.
#[test]
fn a_request_sent_again_is_answered_once_and_has_as_long_as_a_new_one() {
    let mut lab = Lab::plain();
    let ask = Ask::new(method::GET, 0, &ClassPortInfo::default());
    for _ in 0..4 {
        assert_eq!(lab.sa.take(lab.now, from(4), &ask.bytes()), None);
        assert_eq!(lab.sa.waiting(), 1);
        lab.now = lab.now + Duration::secs(6);
    }
    let mut effects = Effects::default();
    let answer = lab.sa.answer_next(lab.now, &mut effects).expect("an answer");
    assert_eq!(status(&answer.bytes), 0);
    assert_eq!(lab.sa.answer_next(lab.now, &mut effects), None);
}

#[test]
fn who_has_waited_too_long_is_told_busy() {
    let mut lab = Lab::plain();
    let ask = Ask::new(method::GET, 0, &ClassPortInfo::default());
    for (wait, expected) in [(9, 0), (11, Status::BUSY.0)] {
        assert_eq!(lab.sa.take(lab.now, from(4), &ask.bytes()), None);
        lab.now = lab.now + Duration::secs(wait);
        let mut effects = Effects::default();
        let answer = lab.sa.answer_next(lab.now, &mut effects).expect("an answer");
        assert_eq!(status(&answer.bytes), expected);
    }
}

#[test]
fn an_answer_that_may_be_long_is_marked_for_rmpp() {
    let mut lab = Lab::plain();
    let mut effects = Effects::default();
    let ask = Ask::new(method::GET_TABLE, 0, &NodeRecord::default());
    assert_eq!(lab.sa.take(lab.now, from(4), &ask.bytes()), None);
    let answer = lab.sa.answer_next(lab.now, &mut effects).expect("an answer");
    let header = SaHeader::parse(&answer.bytes).unwrap();
    assert_eq!((header.rmpp_version(), header.rmpp_flags()), (1, rmpp_flag::ACTIVE));
    assert_eq!((header.attribute_offset(), answer.bytes.len()), (14, 56 + 8 * 112));
    let ask = Ask::new(method::GET, 0, &ClassPortInfo::default());
    assert_eq!(lab.sa.take(lab.now, from(4), &ask.bytes()), None);
    let answer = lab.sa.answer_next(lab.now, &mut effects).expect("an answer");
    let header = SaHeader::parse(&answer.bytes).unwrap();
    assert_eq!((header.rmpp_version(), header.rmpp_flags(), answer.bytes.len()), (0, 0, 256));
}

#[test]
fn a_request_longer_than_any_can_be_is_refused_and_not_kept() {
    let mut lab = Lab::plain();
    let mut bytes = Ask::new(method::GET, 0, &ClassPortInfo::default()).bytes();
    bytes.resize(100_000, 0);
    let refusal = lab.sa.take(lab.now, from(4), &bytes).expect("a refusal");
    assert_eq!((status(&refusal.bytes), lab.sa.waiting()), (sa_status::REQ_INVALID.0, 0));
    assert_eq!(refusal.bytes.len(), 256);
}

/// As OpenSM answers, and as clients expect that print what they were refused.
#[test]
fn a_refusal_brings_the_request_back_and_set_is_answered_by_get_resp() {
    let mut lab = Lab::plain();
    let mut record = MCMemberRecord::default();
    record.set_qkey(0x1234);
    record.set_join_state(1);
    let ask = Ask::new(method::SET, member_mask::JOIN_STATE, &record);
    assert_eq!(lab.sa.take(lab.now, from(4), &ask.bytes()), None);
    let answer = lab.sa.answer_next(lab.now, &mut Effects::default()).expect("an answer");
    let header = SaHeader::parse(&answer.bytes).unwrap();
    assert_eq!((header.method(), header.status()), (0x81, sa_status::INSUFFICIENT_COMPONENTS.0));
    assert_eq!(header.component_mask(), member_mask::JOIN_STATE);
    assert_eq!(MCMemberRecord::read(&answer.bytes[SaHeader::LEN..]), record);
}
