//! Requests, their answers and their time-outs.

use lk_sim::Fault;
use lk_sim::kernel::{Fate, Limits, RegisterError, Registration, Rmpp, SendError};
use lk_sim::{Chance, Scope};
use lk_wire::{Status, class, method};

use crate::hosts::{GET_TABLE, Hosts, MS, message, tid};

#[test]
fn a_request_comes_to_who_takes_it_and_the_answer_to_who_asked() {
    let mut hosts = Hosts::new();
    let server = hosts.agent(0, &[method::GET]);
    let (one, two) = (hosts.agent(1, &[]), hosts.agent(2, &[]));
    for client in [one, two] {
        let to = hosts.to(0);
        hosts.send(client, to, &message(method::GET, 0xABCD_0000_0007, false, b"who?"), 100);
    }
    for (client, host) in [(one, 1), (two, 2)] {
        let asked = hosts.await_message(server).unwrap();
        assert_eq!((asked.agent, asked.fate, asked.from.lid), (0, Fate::Received, hosts.lid(host)));
        assert_eq!((&asked.bytes[56..60], asked.bytes.len()), (&b"who?"[..], 256));
        assert_eq!(tid(&asked.bytes) & 0xFFFF_FFFF, 7, "the lower half is the client's");
        let answer = message(method::GET_RESP, tid(&asked.bytes), false, b"I");
        hosts.send(server, asked.from, &answer, 0);
        let got = hosts.await_message(client).unwrap();
        assert_eq!((got.fate, &got.bytes[56..57]), (Fate::Received, &b"I"[..]));
    }
    assert!(hosts.kernel.ready().is_none());
    // No time-out comes after the answer.
    hosts.wait(10_000);
    assert!(hosts.receive(one).is_none());
}

#[test]
fn a_request_is_sent_again_and_comes_back_when_its_time_is_over() {
    let mut hosts = Hosts::new();
    let server = hosts.agent(0, &[method::GET]);
    let client = hosts.agent(1, &[]);
    let to = hosts.to(0);
    hosts.send(client, to, &message(method::GET, 5, false, b""), 100);
    let start = hosts.now;
    let failed = hosts.await_message(client).unwrap();
    // Once and three times more, 100 ms each.
    assert_eq!((hosts.now - start) / MS, 400);
    assert_eq!((failed.fate, failed.bytes.len()), (Fate::TimedOut, 24));
    assert_eq!(tid(&failed.bytes) & 0xFFFF_FFFF, 5);
    let times = std::iter::from_fn(|| hosts.receive(server)).count();
    assert_eq!(times, 4);
    // An answer that comes now is not wanted any more.
    let late = message(method::GET_RESP, tid(&failed.bytes), false, b"");
    let back = hosts.to(1);
    hosts.send(server, back, &late, 0);
    hosts.wait(1);
    assert!(hosts.receive(client).is_none());
    assert_eq!(hosts.kernel.dropped().unexpected, 1);
}

#[test]
fn lost_requests_and_answers_are_made_up_for_by_retries() {
    let mut hosts = Hosts::new();
    let server = hosts.agent(0, &[method::GET]);
    let client = hosts.agent(1, &[]);
    let chance = Chance::percent(30);
    hosts.sim.apply(hosts.now, Fault::LoseRequests { scope: Scope::All, chance });
    hosts.sim.apply(hosts.now, Fault::LoseAnswers { scope: Scope::All, chance });
    let mut answered = 0;
    for number in 0..100 {
        let to = hosts.to(0);
        hosts.send(client, to, &message(method::GET, number, false, b""), 100);
        for _ in 0..50 {
            hosts.wait(10);
            while let Some(asked) = hosts.receive(server) {
                let answer = message(method::GET_RESP, tid(&asked.bytes), false, b"");
                hosts.send(server, asked.from, &answer, 0);
            }
        }
        let got = hosts.receive(client).unwrap();
        answered += u32::from(got.fate == Fate::Received);
        assert!(hosts.receive(client).is_none(), "one answer for each request");
    }
    // All four tries fail with a chance of 7 percent.
    assert!((80..100).contains(&answered), "{answered}");
}

#[test]
fn what_nobody_has_registered_for_is_refused_at_once() {
    let mut hosts = Hosts::new();
    let client = hosts.agent(1, &[]);
    // A machine whose port nobody has opened, and one whose client takes other methods.
    hosts.agent(2, &[GET_TABLE]);
    for host in [0, 2] {
        let to = hosts.to(host);
        hosts.send(client, to, &message(method::GET, host as u64, false, b""), 100);
        hosts.wait(1);
        let got = hosts.receive(client).unwrap();
        let status = u16::from_be_bytes([got.bytes[4], got.bytes[5]]);
        assert_eq!((got.bytes[3], Status(status)), (0x81, Status::METHOD_ATTR_UNSUPPORTED));
    }
}

#[test]
fn a_method_at_a_port_has_one_taker_until_it_goes() {
    let mut hosts = Hosts::new();
    let first = hosts.agent(0, &[method::GET, method::SET]);
    let second = hosts.open(0);
    let wanted = Registration::new(class::SUBN_ADM, 2, &[method::SET], Rmpp::Kernel);
    assert_eq!(hosts.kernel.register(second, &wanted), Err(RegisterError::InUse));
    assert!(hosts.kernel.unregister(first, 0));
    assert!(!hosts.kernel.unregister(first, 0));
    assert_eq!(hosts.kernel.register(second, &wanted), Ok(0));
    hosts.kernel.close(&mut hosts.sim, hosts.now, second);
    assert_eq!(hosts.kernel.register(first, &wanted), Ok(0));
    let none = Registration { methods: 0, ..wanted };
    for number in 1..32 {
        assert_eq!(hosts.kernel.register(first, &none), Ok(number));
    }
    assert_eq!(hosts.kernel.register(first, &none), Err(RegisterError::TooMany));
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let mut hosts = Hosts::with(Limits { sending: 1000, ..Limits::default() });
    let client = hosts.agent(1, &[]);
    let to = hosts.to(0);
    let mut send = |agent, bytes: &[u8]| {
        hosts.kernel.send(&mut hosts.sim, hosts.now, client, agent, &to, bytes, 100, 0)
    };
    let one = message(method::GET, 1, false, b"");
    assert_eq!(send(1, &one), Err(SendError::NoAgent));
    assert_eq!(send(0, &one[..35]), Err(SendError::Length));
    assert_eq!(send(0, &message(method::GET, 1, false, &[0; 201])), Err(SendError::Length));
    assert_eq!(send(0, &one), Ok(()));
    assert_eq!(send(0, &one), Err(SendError::Duplicate));
    assert_eq!(send(0, &message(GET_TABLE, 2, true, &[0; 800])), Err(SendError::NoRoom));
    assert_eq!(send(0, &message(GET_TABLE, 2, true, &[0; 600])), Ok(()));
}

#[test]
fn a_client_that_never_fetches_does_not_fill_the_memory() {
    let mut hosts = Hosts::with(Limits { queued: 10, ..Limits::default() });
    let server = hosts.agent(0, &[method::GET]);
    let client = hosts.agent(1, &[]);
    let to = hosts.to(0);
    for number in 0..50 {
        hosts.send(client, to, &message(method::GET, number, false, b""), 0);
    }
    hosts.wait(1);
    assert_eq!(std::iter::from_fn(|| hosts.receive(server)).count(), 10);
    assert_eq!(hosts.kernel.dropped().queue_full, 40);
}
