//! Traps: which events are told, to whom, and how often.

use lk_sim::{Delivery, Fault, Lost, SimOptions, TrapDelivery};
use lk_wire::{Lid, MKey, NodeType, Notice, PortNum, Smp, Status, Tid, Trap, attr, class, method};

use crate::lab::*;

/// SubnetTimeOut at power-on: 4.096 µs · 2^18.
const INTERVAL: u64 = 4096 << 18;

fn trap(delivery: &Delivery) -> (Tid, Trap) {
    let smp = Smp(delivery.mad);
    assert_eq!((smp.mgmt_class(), smp.method()), (class::SUBN_LID, method::TRAP));
    assert_eq!(smp.attr_id(), attr::NOTICE);
    (smp.tid(), Trap::parse(&smp.attribute()).unwrap())
}

fn repress(lab: &mut Lab, delivery: &Delivery) {
    let answer = Smp(delivery.mad).response(Status::OK);
    assert_eq!(answer.method(), method::TRAP_REPRESS);
    assert!(lab.sim.exchange_with(lab.now, lab.a, delivery.slid, &answer.0).is_none());
}

fn up() -> Lab {
    let mut lab = Lab::new();
    lab.bring_up();
    lab
}

#[test]
fn a_lost_link_is_told_by_the_switches_that_can_be_heard() {
    let mut lab = up();
    lab.sim.apply(5, Fault::LinkDown(lab.port(LEAF, 6)));
    let got = lab.deliveries(5);
    let told: Vec<_> = got.iter().map(|d| (d.to, d.slid, d.at, trap(d).1)).collect();
    // Both switches have lost a port; the way to the manager goes over the other cable.
    let leaf = (lab.a, Lid(2), 5, Trap::LinkStateChange(Lid(2)));
    let spine = (lab.a, Lid(3), 5, Trap::LinkStateChange(Lid(3)));
    assert_eq!(told, [leaf, spine]);
    assert_eq!(lab.sim.stats().traps, 2);
}

#[test]
fn nobody_is_told_before_there_is_a_manager() {
    let mut lab = Lab::new();
    let sent = lab.request(TO_A, method::GET, attr::NODE_INFO, 0);
    lab.exchange(&sent);
    lab.sim.apply(0, Fault::LinkFlap(lab.port(LEAF, 6)));
    assert!(lab.deliveries(1 << 40).is_empty());
    assert_eq!((lab.sim.stats().traps, lab.sim.stats().all_lost()), (0, 0));
}

#[test]
fn a_trap_is_repeated_ever_more_seldom_and_not_forever() {
    let mut lab = up();
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 2)));
    let mut times = Vec::new();
    let mut tids = Vec::new();
    while let Some(at) = lab.sim.next_delivery() {
        for delivery in lab.deliveries(at) {
            times.push(delivery.at);
            tids.push(trap(&delivery).0);
        }
    }
    let after = [0, 1, 3, 7, 15, 31].map(|n| n * INTERVAL);
    assert_eq!(times, after);
    tids.dedup();
    assert_eq!(tids.len(), 1, "one transaction");
    assert_eq!((lab.sim.stats().traps, lab.sim.stats().trap_repeats), (1, 5));
}

#[test]
fn trap_repress_ends_it() {
    let mut lab = up();
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 2)));
    let first = lab.deliveries(0).remove(0);
    // Of another transaction, and by one who does not know the key: no effect.
    let mut other = Smp(first.mad).response(Status::OK);
    other.set_raw_tid(other.raw_tid() ^ 1);
    lab.sim.send_to(0, lab.a, Lid(2), &other.0);
    lab.sim.send_to(0, lab.a, Lid(3), &Smp(first.mad).response(Status::OK).0);
    assert_eq!(lab.deliveries(INTERVAL).len(), 1);
    repress(&mut lab, &first);
    assert!(lab.deliveries(1 << 60).is_empty());
    assert_eq!(lab.sim.stats().traps_repressed, 1);
    // The next event is told anew.
    lab.sim.apply(lab.now, Fault::LinkUp(lab.port(LEAF, 2)));
    let again = lab.deliveries(lab.now).remove(0);
    assert_ne!(trap(&again).0, trap(&first).0);
}

#[test]
fn trap_repress_needs_the_m_key() {
    let mut lab = up();
    lab.change(TO_LEAF, 0, |p| p.set_m_key(7));
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 2)));
    let first = lab.deliveries(0).remove(0);
    repress(&mut lab, &first);
    assert_eq!((lab.sim.stats().traps_repressed, lab.sim.stats().lost(Lost::MKey)), (0, 1));
    let mut answer = Smp(first.mad).response(Status::OK);
    answer.set_m_key(MKey(7));
    lab.sim.send_to(0, lab.a, first.slid, &answer.0);
    assert_eq!(lab.sim.stats().traps_repressed, 1);
}

#[test]
fn the_same_event_is_not_told_twice_at_once() {
    let mut lab = up();
    for _ in 0..10 {
        lab.sim.apply(0, Fault::LinkFlap(lab.port(LEAF, 2)));
    }
    assert_eq!(lab.deliveries(0).len(), 1);
}

#[test]
fn a_node_tells_a_limited_number_of_events_at_once() {
    let mut lab = up();
    let leaf = lab.port(LEAF, 0);
    for port in 0..200 {
        let notice = Trap::LinkIntegrity(Lid(2), PortNum(port)).notice(NodeType::SWITCH, Lid(2));
        lab.sim.apply(0, Fault::Trap { port: leaf, notice });
    }
    assert_eq!(lab.deliveries(0).len(), 32);
}

#[test]
fn events_that_are_made_up() {
    let mut lab = up();
    let events = [
        Trap::LinkIntegrity(Lid(4), PortNum(1)),
        Trap::BufferOverrun(Lid(4), PortNum(1)),
        Trap::FlowControl(Lid(4), PortNum(1)),
    ];
    for event in events {
        let (port, notice) = (lab.port(B, 1), event.notice(NodeType::CA, Lid(4)));
        lab.sim.apply(0, Fault::Trap { port, notice });
    }
    let got = lab.deliveries(0);
    assert_eq!(got.iter().map(|d| trap(d).1).collect::<Vec<_>>(), events);
    assert!(got.iter().all(|d| d.slid == Lid(4)));
}

#[test]
fn changes_of_a_port_are_told_by_trap_144() {
    let mut lab = up();
    let b2 = lab.port(B, 2);
    lab.sim.set_is_sm(0, b2, true);
    lab.sim.set_is_sm(0, b2, true);
    let got = lab.deliveries(0);
    assert_eq!(got.len(), 1);
    let Trap::LocalChange(change) = trap(&got[0]).1 else { panic!("{got:?}") };
    assert_eq!((change.lid(), change.other_local_changes()), (5, 0));
    assert_eq!(change.capability_mask(), lab.sim.port_info(b2).capability_mask());
    // Another description: told by each port.
    lab.sim.apply(0, Fault::Rename { node: lab.node(B), description: "new".to_owned() });
    let got = lab.deliveries(0);
    assert_eq!(got.iter().map(|d| d.slid).collect::<Vec<_>>(), [Lid(4), Lid(5)]);
    let Trap::LocalChange(change) = trap(&got[0]).1 else { panic!("{got:?}") };
    assert_eq!((change.other_local_changes(), change.node_description_change()), (1, 1));
    let text: lk_wire::NodeDescription = lab.get(TO_B1, 0);
    assert_eq!(text.text(), "new");
}

#[test]
fn a_port_without_the_capability_tells_nothing() {
    let mut options = SimOptions::default();
    options.switch.port_zero.capability_mask &= !lk_wire::cap_mask::TRAP;
    let mut lab = Lab::with(&options);
    lab.bring_up();
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 2)));
    assert!(lab.deliveries(1 << 60).is_empty());
}

#[test]
fn a_trap_without_a_route_comes_once_there_is_one() {
    let mut lab = up();
    let spine = Notice::generic(lk_wire::NoticeType::URGENT, 2, 128, Lid(3));
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 5)));
    // The leaf is heard; the spine's table still says the lost cable.
    assert_eq!(lab.deliveries(0).len(), 1);
    assert_eq!(lab.sim.stats().lost(Lost::LinkDown), 1);
    let mut lft: lk_wire::LinearForwardingTable = lab.get(&[1, 6], 0);
    lft.set(1, PortNum(3));
    lab.set(&[1, 6], 0, &lft);
    let got = lab.deliveries(INTERVAL);
    assert!(got.iter().any(|d| d.slid == Lid(3)), "{spine:?}");
}

#[test]
fn direct_delivery_needs_no_routes() {
    let options = SimOptions { trap_delivery: TrapDelivery::Direct, ..SimOptions::default() };
    let mut lab = Lab::with(&options);
    lab.bring_up();
    lab.set(TO_SPINE, 0, &lk_wire::LinearForwardingTable([255; 64]));
    lab.sim.apply(0, Fault::LinkDown(lab.port(SPINE, 1)));
    let got = lab.deliveries(0);
    assert_eq!(got.iter().map(|d| d.slid).collect::<Vec<_>>(), [Lid(3)]);
}

#[test]
fn a_node_that_restarts_has_forgotten_what_it_had_to_tell() {
    let mut lab = up();
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 2)));
    assert_eq!(lab.deliveries(0).len(), 1);
    lab.sim.apply(0, Fault::PowerOn(lab.node(LEAF)));
    assert!(lab.deliveries(1 << 60).iter().all(|d| d.slid != Lid(2)));
}
