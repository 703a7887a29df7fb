//! RMPP between two machines.

use lk_sim::kernel::{Fate, Limits, Registration, Rmpp};
use lk_sim::{Chance, Fault, Scope};
use lk_wire::rmpp::{RmppHeader, rmpp_flag, rmpp_status, rmpp_type};
use lk_wire::{class, method};
use proptest::prelude::*;

use crate::hosts::{GET_TABLE, Hosts, MS, message, some_data, tid};

const GET_MULTI: u8 = 0x14;

/// Asks, answers with `data`, and gives what the client got.
fn ask(hosts: &mut Hosts, method: u8, question: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let server = hosts.agent(0, &[method]);
    let client = hosts.agent(1, &[]);
    let to = hosts.to(0);
    hosts.send(client, to, &message(method, 9, question.len() > 200, question), 5000);
    let asked = hosts.await_message(server)?;
    assert_eq!(&asked.bytes[56..56 + question.len()], question);
    let answer = message(method | method::RESPONSE_BIT, tid(&asked.bytes), true, data);
    hosts.send(server, asked.from, &answer, 0);
    let got = hosts.await_message(client)?;
    (got.fate == Fate::Received).then(|| got.bytes[56..].to_vec())
}

#[test]
fn an_answer_of_any_length_arrives_whole() {
    for length in [1, 199, 200, 201, 400, 12_999, 13_000, 13_001, 200_000] {
        let data = some_data(length);
        let got = ask(&mut Hosts::new(), GET_TABLE, b"all", &data).unwrap();
        assert!(got == data, "{length} bytes");
    }
}

#[test]
fn both_a_question_and_its_answer_may_be_long() {
    let mut hosts = Hosts::new();
    let (question, data) = (some_data(5000), some_data(30_000));
    assert_eq!(ask(&mut hosts, GET_MULTI, &question, &data), Some(data));
}

/// Losses, doubles and delays of up to 30 ms that reorder.
fn spoil(hosts: &mut Hosts, percent: u32) {
    let chance = Chance::percent(percent);
    for fault in [
        Fault::LoseRequests { scope: Scope::All, chance },
        Fault::LoseAnswers { scope: Scope::All, chance },
        Fault::Duplicate { scope: Scope::All, chance },
        Fault::Delay { scope: Scope::All, min: 0, max: 30 * MS },
    ] {
        hosts.sim.apply(hosts.now, fault);
    }
}

#[test]
fn segments_may_be_lost_doubled_and_reordered() {
    let mut hosts = Hosts::new();
    spoil(&mut hosts, 2);
    let (question, data) = (some_data(4000), some_data(60_000));
    assert_eq!(ask(&mut hosts, GET_MULTI, &question, &data), Some(data));
    assert!(hosts.sim.stats().all_lost() > 0);
}

#[test]
fn the_same_faults_give_the_same_bytes() {
    let run = || {
        let mut hosts = Hosts::new();
        spoil(&mut hosts, 5);
        let got = ask(&mut hosts, GET_TABLE, b"all", &some_data(20_000));
        (got, hosts.now, hosts.sim.stats().clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_client_that_never_acknowledges_costs_its_sender_some_retries() {
    let mut hosts = Hosts::new();
    let server = hosts.agent(0, &[GET_TABLE]);
    // It does RMPP itself, and does not.
    let client = hosts.open(1);
    let wanted = Registration::new(class::SUBN_ADM, 2, &[], Rmpp::User);
    hosts.kernel.register(client, &wanted).unwrap();
    let to = hosts.to(0);
    hosts.send(client, to, &message(GET_TABLE, 9, false, b""), 5000);
    let asked = hosts.await_message(server).unwrap();
    let answer = message(GET_TABLE | 0x80, tid(&asked.bytes), true, &some_data(100_000));
    hosts.send(server, asked.from, &answer, 0);
    let start = hosts.now;
    let failed = hosts.await_message(server).unwrap();
    assert_eq!((failed.fate, failed.bytes[3]), (Fate::TimedOut, GET_TABLE | 0x80));
    assert_eq!((hosts.now - start) / MS, 8000, "four times two seconds");
    // The first segment, four times: no more without an ACK.
    let segments: Vec<_> = std::iter::from_fn(|| hosts.receive(client)).collect();
    let numbers = segments.iter().filter_map(|m| RmppHeader::of(&m.bytes)).map(|h| h.segment());
    assert_eq!(numbers.collect::<Vec<_>>(), [1; 4]);
}

/// A segment by hand, from a client that does RMPP itself.
fn segment(tid: u64, kind: u8, number: u32, flags: u8, length: u32) -> Vec<u8> {
    let mut bytes = message(GET_TABLE, tid, true, &[0; 200]);
    let mut header = RmppHeader::default();
    header.set_version(1);
    header.set_kind(kind);
    header.set_flags(flags | rmpp_flag::ACTIVE);
    header.set_segment(number);
    header.set_length(length);
    header.write_to(&mut bytes);
    bytes
}

#[test]
fn a_port_has_room_for_so_many_long_messages_and_says_so() {
    let mut hosts = Hosts::with(Limits { receives: 3, ..Limits::default() });
    let server = hosts.agent(0, &[GET_TABLE]);
    let client = hosts.open(1);
    let wanted = Registration::new(class::SUBN_ADM, 2, &[method::GET_TABLE_RESP], Rmpp::User);
    hosts.kernel.register(client, &wanted).unwrap();
    let to = hosts.to(0);
    for number in 0..10 {
        hosts.send(client, to, &segment(number, rmpp_type::DATA, 1, rmpp_flag::FIRST, 0), 0);
    }
    hosts.wait(1);
    assert_eq!(hosts.kernel.dropped().no_room, 7);
    let answers: Vec<_> = std::iter::from_fn(|| hosts.receive(client)).collect();
    let headers = answers.iter().filter_map(|m| RmppHeader::of(&m.bytes));
    let stops = headers.filter(|h| h.kind() == rmpp_type::STOP);
    assert!(stops.clone().all(|h| h.status() == rmpp_status::NO_RESOURCES));
    assert_eq!(stops.count(), 7);
    // Those that never end are given up after their time, and there is room again.
    hosts.wait(50_000);
    let answers: Vec<_> = std::iter::from_fn(|| hosts.receive(client)).collect();
    let headers = answers.iter().filter_map(|m| RmppHeader::of(&m.bytes));
    assert_eq!(headers.filter(|h| h.status() == rmpp_status::TOO_LONG).count(), 3);
    let last = rmpp_flag::FIRST | rmpp_flag::LAST;
    hosts.send(client, to, &segment(50, rmpp_type::DATA, 1, last, 220), 0);
    assert_eq!(hosts.await_message(server).unwrap().bytes.len(), 256);
}

#[test]
fn what_makes_no_sense_is_ended_with_its_status() {
    let mut hosts = Hosts::new();
    hosts.agent(0, &[GET_TABLE]);
    let client = hosts.open(1);
    let wanted = Registration::new(class::SUBN_ADM, 2, &[], Rmpp::User);
    hosts.kernel.register(client, &wanted).unwrap();
    let to = hosts.to(0);
    let mut version = segment(3, rmpp_type::DATA, 1, rmpp_flag::FIRST, 0);
    version[24] = 2;
    for (bytes, status) in [
        (segment(1, 9, 1, 0, 0), rmpp_status::BAD_TYPE),
        (segment(2, rmpp_type::DATA, 1, 0, 0), rmpp_status::BAD_SEGMENT),
        (version, rmpp_status::BAD_VERSION),
        (segment(4, rmpp_type::DATA, 1, 6, 300), rmpp_status::BAD_LENGTH),
    ] {
        hosts.send(client, to, &bytes, 0);
        hosts.wait(1);
        let got = hosts.receive(client).unwrap();
        let header = RmppHeader::of(&got.bytes).unwrap();
        assert_eq!((header.kind(), header.status()), (rmpp_type::ABORT, status));
        assert_eq!(got.bytes[3], GET_TABLE | 0x80);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_are_too_wild(
        mads in proptest::collection::vec((any::<[u8; 40]>(), 0_u8..8), 0..60),
    ) {
        let mut hosts = Hosts::new();
        let server = hosts.agent(0, &[GET_TABLE, method::GET]);
        let client = hosts.open(1);
        let wanted = Registration::new(class::SUBN_ADM, 2, &[], Rmpp::User);
        hosts.kernel.register(client, &wanted).unwrap();
        let to = hosts.to(0);
        for (bytes, kind) in mads {
            let mut mad = message(GET_TABLE, u64::from(bytes[0] & 1), true, &[0; 200]);
            mad[24..56].copy_from_slice(&bytes[8..]);
            if kind < 6 {
                mad[24..28].copy_from_slice(&[1, kind % 5, bytes[1] & 7 | 1, 0]);
                mad[28..32].copy_from_slice(&[0, 0, 0, bytes[2] & 7]);
            }
            if kind == 7 {
                mad[3] |= 0x80;
            }
            let _ = hosts.kernel.send(&mut hosts.sim, hosts.now, client, 0, &to, &mad, 0, 0);
            hosts.wait(1);
        }
        hosts.wait(60_000);
        while hosts.receive(server).is_some() {}
        prop_assert!(hosts.kernel.next_time().is_none(), "nothing is left behind");
    }
}
