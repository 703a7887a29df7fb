//! Clients of the subnet administration while the fabric is under way.

use std::cell::RefCell;

use lk_fabric::PortId;
use lk_sim::{SimOptions, World};
use lk_sm::{Command, Event, GsiAddress, Level, Mode, Outgoing, Output};
use lk_wire::sa::*;
use lk_wire::{Guid, Lid, Notice, PortInfo, method, trap_number};

use crate::setup::{host, settings, small, world};

/// A second in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// A manager that keeps watch, up.
fn running() -> World {
    let fabric = small();
    let options = SimOptions::default();
    let mut world = world(&fabric, &options, settings(|_| {}), Mode::Daemon);
    world.run_for(5 * SECOND);
    world
}

/// Lets time pass; gives the messages that went out.
fn messages(world: &mut World, nanos: u64) -> Vec<Outgoing> {
    let out = RefCell::new(Vec::new());
    let limit = world.now() + nanos;
    world.drive(limit, &mut |output| {
        if let Output::Gmp(message) = output {
            out.borrow_mut().push(*message);
        }
    });
    out.into_inner()
}

fn send<R: Record>(world: &mut World, from: Lid, method: u8, mask: u64, record: &R) {
    send_as(world, from, (method, 9), mask, record);
}

fn send_as<R: Record>(
    world: &mut World,
    from: Lid,
    (method, transaction): (u8, u64),
    mask: u64,
    record: &R,
) {
    let mut header = SaHeader::request(method, R::ID, transaction);
    header.set_component_mask(mask);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(record.bytes());
    bytes.resize(256, 0);
    world.message(GsiAddress { lid: from, qp: 1, ..GsiAddress::default() }, &bytes);
}

/// Another host than the manager's, and its LID.
fn client(world: &World) -> (PortId, Lid) {
    let fabric = world.sim.fabric();
    let own = host(fabric);
    let is_other =
        |p: &PortId| *p != own && fabric.port_num(*p).0 == 1 && fabric.peer(*p).is_some();
    let hosts = fabric.end_ports().filter(is_other);
    let port = hosts.last().expect("another host");
    (port, Lid(PortInfo::lid(world.sim.port_info(port))))
}

fn status(message: &Outgoing) -> u16 {
    SaHeader::parse(&message.bytes).expect("a whole message").status()
}

#[test]
fn alias_guids_are_written_into_the_port() {
    let mut world = running();
    let (port, lid) = client(&world);
    let mut record = GuidInfoRecord::default();
    record.set_lid(lid.0);
    let mut table = record.table();
    table.set(1, Guid(0xA0B0));
    record.set_table(&table);
    let mask = guid_info_mask::LID | guid_info_mask::BLOCK | guid_info_mask::GUID_0 << 1;
    send(&mut world, lid, method::SET, mask, &record);
    let answers = messages(&mut world, SECOND);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [0]);
    let own = world.sim.fabric().port(port).guid;
    let held: Vec<Guid> = world.sim.guids(port, 0).iter().take(2).collect();
    assert_eq!(held, [own, Guid(0xA0B0)]);
}

#[test]
fn queries_are_answered_while_a_sweep_is_under_way() {
    let mut world = running();
    let (_, lid) = client(&world);
    world.command(Command::HeavySweep);
    let mut record = NodeRecord::default();
    record.set_lid(lid.0);
    send(&mut world, lid, method::GET, node_mask::LID, &record);
    // The first thing that goes out is the answer: no request of the sweep was sent before it.
    let mut before = 0;
    let mut answered = None;
    let until = world.now() + SECOND;
    world.drive_with(until, &mut |_, _| before += 1, &mut |output| {
        if let Output::Gmp(message) = output {
            answered = Some(*message);
        }
    });
    let answer = answered.expect("an answer");
    assert_eq!((status(&answer), answer.to.lid), (0, lid));
    assert!(before > 0, "there was a sweep");
}

#[test]
fn a_subscriber_hears_of_the_traps_of_switches() {
    let mut world = running();
    let (_, lid) = client(&world);
    let mut info = InformInfo::default();
    info.set_lid_begin(0xFFFF);
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_trap_type(0xFFFF);
    info.set_trap_number(trap_number::LINK_STATE_CHANGE);
    info.set_producer_type(0xFF_FFFF);
    send(&mut world, lid, method::SET, 0, &info);
    assert_eq!(messages(&mut world, SECOND).iter().map(status).collect::<Vec<_>>(), [0]);
    let fabric = world.sim.fabric();
    let (a, _) = fabric.links().last().expect("a link");
    let now = world.now();
    world.sim.apply(now, lk_sim::Fault::LinkDown(a));
    let reports = messages(&mut world, SECOND / 10);
    assert!(!reports.is_empty(), "a report");
    for report in &reports {
        let notice = Notice::parse(&report.bytes[SaHeader::LEN..]).expect("a notice");
        assert_eq!((notice.trap_number(), report.to.lid), (128, lid));
        assert_ne!(notice.issuer_gid().guid, Guid(0));
    }
    // Nobody answers: each is told four times in all and then given up.
    let repeated = messages(&mut world, 20 * SECOND);
    let tid = |m: &Outgoing| SaHeader::parse(&m.bytes).expect("a whole message").tid();
    for report in &reports {
        assert_eq!(repeated.iter().filter(|m| tid(m) == tid(report)).count(), 3);
    }
}

#[test]
fn queries_without_a_path_are_told_with_the_reason_in_measured_doses() {
    let mut world = running();
    let (port, lid) = client(&world);
    let guid = world.sim.fabric().port(port).guid;
    let mut record = PathRecord::default();
    record.set_slid(lid.0);
    record.set_dgid(lk_wire::Gid { prefix: 0xfe80 << 48, guid });
    record.set_pkey(0x9234);
    let mask = path_mask::SLID | path_mask::DGID | path_mask::PKEY;
    let mut told = |queries: usize, wait: u64| {
        let until = world.now() + wait * SECOND;
        world.drive(until, &mut |_| {});
        for transaction in 0..queries as u64 {
            send_as(&mut world, lid, (method::GET, transaction), mask, &record);
        }
        let (mut events, mut refused) = (Vec::new(), 0);
        let until = world.now() + SECOND;
        world.drive(until, &mut |output| match output {
            Output::Event(e @ Event::NoPath { .. }) => events.push(e),
            Output::Gmp(m) => refused += usize::from(status(&m) == 0x300),
            _ => {}
        });
        assert_eq!(refused, queries, "all are answered");
        events
    };
    let first = told(25, 0);
    assert_eq!(first.len(), 10);
    assert_eq!(first[0].level(), Level::Error);
    let text = first[0].to_string();
    assert!(
        text.starts_with("a query for a path from ")
            && text.contains("do not share partition 0x9234"),
        "{text}"
    );
    assert!(told(1, 0).is_empty());
    let later = told(1, 20);
    assert!(matches!(later[..], [Event::NoPath { held: 16, .. }]), "{later:?}");
}
