//! Directed routes and LIDs: who is reached, what the route looks like at both ends, and what is
//! dropped.

use lk_fabric::PortId;
use lk_sim::{Fault, Lost};
use lk_wire::{Lid, MKey, NodeInfo, Smp, Status, SwitchInfo, Tid, attr, class, method};

use crate::lab::*;

#[test]
fn each_node_is_reached_and_says_through_which_port() {
    let mut lab = Lab::new();
    let table: [(&[u8], _); 7] = [
        (TO_A, (A, 1)),
        (TO_LEAF, (LEAF, 1)),
        (TO_SPINE, (SPINE, 4)),
        (&[1, 6], (SPINE, 3)),
        (TO_B1, (B, 1)),
        (TO_B2, (B, 2)),
        (TO_ROUTER, (ROUTER, 1)),
    ];
    for (to, who) in table {
        assert_eq!(lab.who(to), Some(who), "{}", path(to));
    }
    // There and back again over the same cable, and round the parallel ones.
    assert_eq!(lab.who(&[1, 5, 4, 6, 3, 1]), Some((A, 1)));
    assert_eq!(lab.sim.stats().all_lost(), 0);
    assert_eq!(lab.sim.stats().gets(attr::NODE_INFO), 8);
}

#[test]
fn the_answer_has_the_route_filled_in() {
    let mut lab = Lab::new();
    let smp = lab.request(TO_B1, method::GET, attr::NODE_INFO, 0);
    let answer = lab.exchange(&smp).unwrap();
    assert_eq!((answer.hop_pointer(), answer.hop_count()), (0, 3));
    assert_eq!(answer.initial_path(), smp.initial_path());
    assert_eq!(&answer.return_path()[..5], &[0, 1, 4, 1, 0]);
    assert!(answer.direction() && answer.is_response());
    assert_eq!((answer.method(), answer.tid()), (method::GET_RESP, smp.tid()));
}

#[test]
fn what_cannot_be_carried_is_dropped() {
    let mut lab = Lab::new();
    let mut lost = |why: Lost, smp: Smp| {
        let before = lab.sim.stats().lost(why);
        assert_eq!(lab.sim.exchange(0, lab.a, &smp.0), None, "{why}");
        assert_eq!(lab.sim.stats().lost(why), before + 1, "{why}: {}", smp.summary());
    };
    let ask =
        |to: &[u8]| Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(1), MKey(0), &path(to));
    // The first port must be the sender's own; an adapter passes nothing on.
    lost(Lost::HopPointer, ask(&[2]));
    lost(Lost::HopPointer, ask(&[1, 5, 1, 2]));
    lost(Lost::HopPointer, ask(&[1, 5, 2, 1]));
    // Ports that are not there, not cabled, or the switch itself.
    lost(Lost::NoSuchPort, ask(&[1, 7]));
    lost(Lost::NoSuchPort, ask(&[1, 255]));
    lost(Lost::NoSuchPort, ask(&[1, 0]));
    lost(Lost::LinkDown, ask(&[1, 3]));
    // Hop pointers that make no sense.
    for (pointer, count) in [(1, 2), (2, 2), (3, 2), (4, 2), (1, 0), (0, 64), (0, 255)] {
        let mut smp = ask(TO_SPINE);
        smp.set_hop_pointer(pointer);
        smp.set_hop_count(count);
        lost(Lost::HopPointer, smp);
    }
    // An answer that starts in the middle of its way.
    for (pointer, count) in [(0, 2), (2, 2), (4, 2), (0, 0)] {
        let mut smp = ask(TO_SPINE).response(Status::OK);
        smp.set_hop_pointer(pointer);
        smp.set_hop_count(count);
        lost(Lost::HopPointer, smp);
    }
}

#[test]
fn the_longest_route_is_63_hops() {
    let mut lab = Lab::new();
    // Out of a, then to and fro between the switches.
    let mut ports = vec![1];
    ports.extend([5, 4].iter().cycle().take(62));
    assert_eq!(lab.who(&ports), Some((LEAF, 5)));
}

#[test]
fn only_the_ports_that_exist_send() {
    let mut lab = Lab::new();
    let smp = lab.request(TO_A, method::GET, attr::NODE_INFO, 0);
    let (slot0, beyond) = (lab.port(A, 0), PortId(9999));
    assert_eq!(lab.sim.exchange(0, slot0, &smp.0), None);
    assert_eq!(lab.sim.exchange(0, beyond, &smp.0), None);
    assert_eq!(lab.sim.stats().lost(Lost::NoSuchPort), 2);
}

#[test]
fn a_switch_sends_from_port_0() {
    let mut lab = Lab::new();
    let from = lab.port(LEAF, 0);
    let mut ask = |to: &[u8]| {
        let smp = lab.request(to, method::GET, attr::NODE_INFO, 0);
        let info: NodeInfo = Smp(lab.sim.exchange(0, from, &smp.0)?).attribute();
        Some((info.guid(), info.local_port_num()))
    };
    assert_eq!(ask(&[]), Some((LEAF, 0)));
    assert_eq!(ask(&[1]), Some((A, 1)));
    assert_eq!(ask(&[6, 1]), Some((B, 1)));
}

#[test]
fn by_lid_through_the_forwarding_tables() {
    let mut lab = Lab::new();
    // Before there are LIDs and tables nothing but the own agent is reached.
    assert!(lab.get_by_lid(4, attr::NODE_INFO).is_none());
    assert_eq!(lab.sim.stats().lost(Lost::NoRoute), 1);
    lab.bring_up();
    let guids = [(1, A), (2, LEAF), (3, SPINE), (4, B), (5, B), (6, ROUTER)];
    for (lid, guid) in guids {
        let info: NodeInfo = lab.get_by_lid(lid, attr::NODE_INFO).unwrap().attribute();
        assert_eq!(info.guid(), guid);
    }
    // LID 5 is b's second port.
    let info: NodeInfo = lab.get_by_lid(5, attr::NODE_INFO).unwrap().attribute();
    assert_eq!(info.local_port_num(), 2);
    for lid in [0xC000, 0xFFFF, 7, 63, 64, 0xBFFF] {
        assert!(lab.get_by_lid(lid, attr::NODE_INFO).is_none(), "LID {lid}");
    }
}

#[test]
fn lid_mask_control_gives_a_port_more_lids() {
    let mut lab = Lab::new();
    lab.bring_up();
    lab.change(TO_B2, 0, |p| {
        p.set_lid(8);
        p.set_lmc(2);
    });
    let mut lft: lk_wire::LinearForwardingTable = lab.get(TO_LEAF, 0);
    (8..12).for_each(|lid| assert!(lft.set(lid, lk_wire::PortNum(2))));
    lab.set(TO_LEAF, 0, &lft);
    let mut info: SwitchInfo = lab.get(TO_LEAF, 0);
    info.set_linear_fdb_top(12);
    lab.set(TO_LEAF, 0, &info);
    for lid in 8..12 {
        assert!(lab.get_by_lid(lid, attr::NODE_INFO).is_some(), "LID {lid}");
    }
    assert!(lab.get_by_lid(12, attr::NODE_INFO).is_none());
}

#[test]
fn wrong_tables_lose_and_do_not_hang() {
    let mut lab = Lab::new();
    lab.bring_up();
    // LID 4: leaf sends to spine and spine back.
    let mut lft: lk_wire::LinearForwardingTable = lab.get(TO_SPINE, 0);
    lft.set(4, lk_wire::PortNum(4));
    lft.set(6, lk_wire::PortNum(1));
    lft.set(3, lk_wire::PortNum(9));
    lab.set(TO_SPINE, 0, &lft);
    assert!(lab.get_by_lid(4, attr::NODE_INFO).is_none());
    assert_eq!(lab.sim.stats().lost(Lost::Loop), 1);
    // LID 6 ends at the wrong adapter.
    assert!(lab.get_by_lid(6, attr::NODE_INFO).is_none());
    assert_eq!(lab.sim.stats().lost(Lost::WrongLid), 1);
    // The switch's own LID needs no entry.
    assert!(lab.get_by_lid(3, attr::NODE_INFO).is_some());
}

#[test]
fn directed_parts_join_with_parts_by_lid() {
    let mut lab = Lab::new();
    lab.bring_up();
    // By LID to the spine, directed from there to b.
    let mut smp = lab.request(&[1], method::GET, attr::NODE_INFO, 0);
    smp.set_dr_slid(1);
    let answer = lab.sim.exchange_with(0, lab.a, Lid(3), &smp.0).map(Smp).unwrap();
    let info: NodeInfo = answer.attribute();
    assert_eq!((info.guid(), info.local_port_num()), (B, 1));
    // Directed to the leaf, by LID on to the router.
    let mut smp = lab.request(TO_LEAF, method::GET, attr::NODE_INFO, 0);
    smp.set_dr_dlid(6);
    let info: NodeInfo = lab.exchange(&smp).unwrap().attribute();
    assert_eq!(info.guid(), ROUTER);
    // All three: by LID to the leaf, one hop, by LID to b's first port.
    let mut smp = lab.request(&[5], method::GET, attr::NODE_INFO, 0);
    smp.set_dr_slid(1);
    smp.set_dr_dlid(4);
    let answer = lab.sim.exchange_with(0, lab.a, Lid(2), &smp.0).map(Smp).unwrap();
    let info: NodeInfo = answer.attribute();
    assert_eq!((info.guid(), info.local_port_num()), (B, 1));
    // An adapter at the end of the directed part passes nothing on.
    let mut smp = lab.request(TO_B2, method::GET, attr::NODE_INFO, 0);
    smp.set_dr_dlid(4);
    assert!(lab.exchange(&smp).is_none());
}

#[test]
fn other_classes_need_active_links() {
    let mut lab = Lab::new();
    lab.bring_up();
    let b2 = lab.port(B, 2);
    lab.sim.attach(b2);
    let mut query = Smp::lid_routed(method::GET, 0x35, 0, Tid(9), MKey(0));
    query.set_mgmt_class(class::SUBN_ADM);
    lab.sim.send_to(0, lab.a, Lid(5), &query.0);
    assert!(lab.deliveries(0).is_empty());
    assert_eq!(lab.sim.stats().lost(Lost::LinkDown), 1);
    for (to, port) in [(TO_A, 0), (TO_LEAF, 1), (TO_LEAF, 2), (TO_B2, 0)] {
        for state in [3, 4] {
            lab.change(to, port, |p| p.set_port_state(state));
        }
    }
    lab.sim.send_to(0, lab.a, Lid(5), &query.0);
    let got = lab.deliveries(0);
    assert_eq!(got.len(), 1);
    assert_eq!((got[0].to, got[0].slid, got[0].mad), (b2, Lid(1), query.0));
}

#[test]
fn dead_nodes_neither_send_nor_pass_on() {
    let mut lab = Lab::new();
    lab.sim.apply(0, Fault::PowerOff(lab.node(LEAF)));
    assert_eq!(lab.who(TO_LEAF), None);
    assert_eq!(lab.who(TO_A), Some((A, 1)));
    lab.sim.apply(0, Fault::PowerOff(lab.node(A)));
    assert_eq!(lab.who(TO_A), None);
    assert_eq!(lab.sim.stats().lost(Lost::NodeDead), 1);
}
