//! Each fault does what it says, to whom it says, and stops when it is healed.

use lk_sim::{Chance, Fault, Filter, Lost, Scope, Spoil};
use lk_wire::{LinearForwardingTable, PortInfo, PortState, Smp, Status, SwitchInfo, attr, method};

use crate::lab::*;

fn answered(lab: &mut Lab, to: &[u8], times: u32) -> u32 {
    (0..times).filter(|_| lab.try_get(to, attr::NODE_INFO, 0).is_some()).count() as u32
}

#[test]
fn requests_and_answers_are_lost_separately() {
    let mut lab = Lab::new();
    let leaf = Scope::Node(lab.node(LEAF));
    lab.sim.apply(0, Fault::LoseRequests { scope: leaf, chance: Chance::ALWAYS });
    let lft = LinearForwardingTable([1; 64]);
    assert!(lab.try_set(TO_LEAF, 0, &lft).is_none());
    assert_ne!(lab.sim.lft_block(lab.switch(LEAF), 0), lft, "the Set never came");
    assert_eq!(answered(&mut lab, TO_SPINE, 10), 10, "only what is for the node");
    lab.sim.apply(0, Fault::Heal(leaf));
    lab.sim.apply(0, Fault::LoseAnswers { scope: leaf, chance: Chance::ALWAYS });
    assert!(lab.try_set(TO_LEAF, 0, &lft).is_none());
    assert_eq!(lab.sim.lft_block(lab.switch(LEAF), 0), lft, "the Set came");
    lab.sim.apply(0, Fault::Heal(leaf));
    assert_eq!(answered(&mut lab, TO_LEAF, 10), 10);
    let stats = lab.sim.stats();
    assert_eq!((stats.lost(Lost::FaultRequest), stats.lost(Lost::FaultAnswer)), (1, 1));
}

#[test]
fn a_tenth_is_a_tenth() {
    let mut lab = Lab::new();
    lab.sim.apply(0, Fault::LoseRequests { scope: Scope::All, chance: Chance::percent(10) });
    let all = answered(&mut lab, TO_SPINE, 10_000);
    assert!((8_800..9_200).contains(&all), "{all}");
    lab.sim.apply(0, Fault::LoseAnswers { scope: Scope::All, chance: Chance::percent(10) });
    let both = answered(&mut lab, TO_SPINE, 10_000);
    assert!((7_900..8_300).contains(&both), "{both}");
}

#[test]
fn delays_count_each_way() {
    for (to, at) in [(TO_LEAF, 30), (TO_SPINE, 20)] {
        let mut lab = Lab::new();
        lab.sim.apply(0, Fault::Delay { scope: Scope::All, min: 10, max: 10 });
        lab.sim.apply(0, Fault::Delay { scope: Scope::Node(lab.node(LEAF)), min: 5, max: 5 });
        let smp = lab.request(to, method::GET, attr::NODE_INFO, 0);
        lab.sim.send(0, lab.a, &smp.0);
        // First the request is under way, then the answer.
        assert_eq!(lab.sim.next_delivery(), Some(at / 2));
        assert!(lab.sim.receive(at - 1).is_none());
        assert_eq!(lab.sim.next_delivery(), Some(at));
        let got = lab.sim.receive(at).unwrap();
        assert_eq!((got.at, got.to, Smp(got.mad).tid()), (at, lab.a, smp.tid()));
        assert_eq!(lab.sim.next_delivery(), None);
    }
}

#[test]
fn what_is_late_can_overtake_and_can_come_to_a_dead_node() {
    let mut lab = Lab::new();
    lab.sim.apply(0, Fault::Delay { scope: Scope::All, min: 1, max: 1000 });
    let mut sent = Vec::new();
    for _ in 0..50 {
        let smp = lab.request(TO_SPINE, method::GET, attr::NODE_INFO, 0);
        sent.push(smp.tid());
        lab.sim.send(0, lab.a, &smp.0);
    }
    let got: Vec<_> = lab.deliveries(2000).iter().map(|d| (d.at, Smp(d.mad).tid())).collect();
    assert_eq!(got.len(), 50);
    assert!(got.is_sorted_by_key(|(at, _)| *at));
    assert!(!got.is_sorted_by_key(|(_, tid)| *tid), "some have overtaken others");
    let smp = lab.request(TO_SPINE, method::GET, attr::NODE_INFO, 0);
    lab.sim.send(2000, lab.a, &smp.0);
    lab.sim.apply(2000, Fault::PowerOff(lab.node(SPINE)));
    assert!(lab.deliveries(9000).is_empty());
    assert_eq!(lab.sim.stats().lost(Lost::NodeDead), 1);
}

#[test]
fn copies_arrive_after_the_answer() {
    let mut lab = Lab::new();
    lab.sim.apply(0, Fault::Duplicate { scope: Scope::All, chance: Chance::ALWAYS });
    let smp = lab.request(TO_SPINE, method::GET, attr::NODE_INFO, 0);
    let answer = lab.exchange(&smp).unwrap();
    let copies = lab.deliveries(0);
    assert_eq!(copies.iter().map(|d| d.mad).collect::<Vec<_>>(), [answer.0]);
    lab.sim.send(0, lab.a, &smp.0);
    assert_eq!(lab.deliveries(0).len(), 2);
}

fn spoil(lab: &mut Lab, scope: Scope, filter: Filter, spoil: Spoil) {
    lab.sim.apply(0, Fault::Answer { scope, filter, spoil, chance: Chance::ALWAYS });
}

#[test]
fn a_node_that_refuses_changes_nothing() {
    let mut lab = Lab::new();
    let scope = Scope::Node(lab.node(LEAF));
    let filter = Filter { attr: Some(attr::LFT), method: Some(method::SET) };
    spoil(&mut lab, scope, filter, Spoil::Status(Status::BUSY));
    let before = lab.sim.lft_block(lab.switch(LEAF), 0);
    let lft = LinearForwardingTable([1; 64]);
    assert_eq!(lab.set_status(TO_LEAF, 0, &lft), Status::BUSY);
    assert_eq!(lab.sim.lft_block(lab.switch(LEAF), 0), before);
    // Only this attribute, this method, this node.
    assert_eq!(lab.get_status(TO_LEAF, attr::LFT, 0), Status::OK);
    let info: SwitchInfo = lab.get(TO_LEAF, 0);
    assert_eq!(lab.set_status(TO_LEAF, 0, &info), Status::OK);
    assert_eq!(lab.set_status(TO_SPINE, 0, &lft), Status::OK);
}

#[test]
fn each_way_to_spoil_an_answer() {
    let mut lab = Lab::new();
    let good = lab.try_get(TO_SPINE, attr::NODE_INFO, 0).unwrap();
    let mut ask = |how: Spoil| {
        spoil(&mut lab, Scope::All, Filter::default(), how);
        let smp = lab.request(TO_SPINE, method::GET, attr::NODE_INFO, 0);
        let answer = lab.exchange(&smp).unwrap();
        lab.sim.apply(0, Fault::Heal(Scope::All));
        (smp, answer)
    };
    let (_, noise) = ask(Spoil::Noise);
    assert_ne!((noise.0[..32]).to_vec(), good.0[..32].to_vec());
    let (smp, answer) = ask(Spoil::NoiseData);
    assert_eq!((answer.tid(), answer.status()), (smp.tid(), Status::OK));
    assert_ne!(answer.data(), good.data());
    let (smp, answer) = ask(Spoil::WrongTid);
    assert_ne!(answer.tid(), smp.tid());
    assert_eq!(answer.data(), good.data());
    let (_, answer) = ask(Spoil::WrongAttribute);
    assert_ne!(answer.attr_id(), attr::NODE_INFO);
    let (_, answer) = ask(Spoil::WrongModifier);
    assert_ne!(answer.attr_modifier(), 0);
    let (_, answer) = ask(Spoil::Truncate(10));
    assert_eq!(answer.data()[..10], good.data()[..10]);
    assert!(answer.data()[10..].iter().all(|b| *b == 0));
}

#[test]
fn a_dead_node_takes_its_links_with_it_and_comes_back_empty() {
    let mut lab = Lab::new();
    lab.bring_up();
    lab.sim.apply(0, Fault::PowerOff(lab.node(SPINE)));
    assert_eq!(lab.who(TO_SPINE), None);
    assert!(!lab.sim.is_alive(lab.node(SPINE)));
    assert_eq!((lab.state(LEAF, 5), lab.state(LEAF, 6)), (PortState::DOWN, PortState::DOWN));
    assert_eq!((lab.state(B, 1), lab.state(B, 2)), (PortState::DOWN, PortState::INIT));
    lab.sim.apply(0, Fault::PowerOn(lab.node(SPINE)));
    assert_eq!(lab.who(TO_SPINE), Some((SPINE, 4)));
    let info: PortInfo = lab.get(TO_SPINE, 0);
    assert_eq!((info.lid(), info.sm_lid()), (0, 0));
    assert_eq!(lab.get::<LinearForwardingTable>(TO_SPINE, 0).0, [255; 64]);
    assert_eq!(lab.get::<SwitchInfo>(TO_SPINE, 0).linear_fdb_top(), 0);
    assert_eq!(lab.get::<PortInfo>(TO_B1, 0).lid(), 4, "the others keep theirs");
}

#[test]
fn cables_are_pulled_and_put_back() {
    let mut lab = Lab::new();
    let (near, far) = (lab.port(LEAF, 5), lab.port(SPINE, 4));
    lab.sim.apply(0, Fault::LinkDown(near));
    assert_eq!((lab.who(TO_SPINE), lab.who(&[1, 6])), (None, Some((SPINE, 3))));
    // Nothing that a port does brings back a cable that is not there.
    lab.change(TO_LEAF, 5, |p| p.set_port_physical_state(2));
    lab.sim.apply(0, Fault::LinkFlap(near));
    assert!(!lab.sim.is_link_up(near) && !lab.sim.is_link_up(far));
    // From which end it is put back does not matter.
    lab.sim.apply(0, Fault::LinkUp(far));
    assert_eq!(lab.who(TO_SPINE), Some((SPINE, 4)));
}

#[test]
fn a_flap_brings_an_active_link_back_to_init() {
    let mut lab = Lab::new();
    for state in [3, 4] {
        lab.change(TO_LEAF, 5, |p| p.set_port_state(state));
    }
    lab.sim.apply(0, Fault::LinkFlap(lab.port(SPINE, 4)));
    assert_eq!((lab.state(LEAF, 5), lab.state(SPINE, 4)), (PortState::INIT, PortState::INIT));
}

#[test]
fn faults_at_ports_without_a_cable_do_nothing() {
    let mut lab = Lab::new();
    let port = lab.port(LEAF, 3);
    for fault in [Fault::LinkFlap(port), Fault::LinkDown(port), Fault::LinkUp(port)] {
        lab.sim.apply(0, fault);
        assert_eq!(lab.state(LEAF, 3), PortState::DOWN);
    }
    assert_eq!(lab.sim.stats().links_lost, 0);
}
