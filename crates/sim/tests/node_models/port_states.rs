//! The port state machine, links that bounce, and what a link comes up with.

use lk_fabric::{FabricBuilder, LinkRate, NodeKind, NodeSpec};
use lk_sim::{Fault, SimFabric, SimOptions};
use lk_wire::{Guid, MlnxExtPortInfo, PhysState, PortInfo, PortNum, PortState, Status, SwitchInfo};

use crate::lab::*;

const RETRAIN: u64 = 1_000;

fn slow_lab() -> Lab {
    Lab::with(&SimOptions { link_retrain: RETRAIN, ..SimOptions::default() })
}

fn phys(lab: &Lab, guid: Guid, number: u8) -> PhysState {
    lab.sim.port_info(lab.port(guid, number)).phys_state()
}

#[test]
fn at_power_on_cabled_ports_are_in_init() {
    let lab = Lab::new();
    assert_eq!((lab.state(LEAF, 1), phys(&lab, LEAF, 1)), (PortState::INIT, PhysState::LINK_UP));
    assert_eq!((lab.state(LEAF, 3), phys(&lab, LEAF, 3)), (PortState::DOWN, PhysState::POLLING));
    assert_eq!((lab.state(LEAF, 0), lab.state(SPINE, 0)), (PortState::ACTIVE, PortState::ACTIVE));
    assert_eq!(lab.state(ROUTER, 2), PortState::DOWN);
}

#[test]
fn every_step_of_the_state_machine() {
    use PortState as S;
    // From each state that a port can be in, each state that can be asked for: where it ends, or
    // `None` where it is refused and nothing changes.
    let table = [
        (S::INIT, S::NO_CHANGE, Some(S::INIT)),
        (S::INIT, S::DOWN, Some(S::INIT)),
        (S::INIT, S::INIT, None),
        (S::INIT, S::ARMED, Some(S::ARMED)),
        (S::INIT, S::ACTIVE, None),
        (S::ARMED, S::NO_CHANGE, Some(S::ARMED)),
        (S::ARMED, S::DOWN, Some(S::INIT)),
        (S::ARMED, S::INIT, None),
        (S::ARMED, S::ARMED, Some(S::ARMED)),
        (S::ARMED, S::ACTIVE, Some(S::ACTIVE)),
        (S::ACTIVE, S::NO_CHANGE, Some(S::ACTIVE)),
        (S::ACTIVE, S::DOWN, Some(S::INIT)),
        (S::ACTIVE, S::INIT, None),
        (S::ACTIVE, S::ARMED, None),
        (S::ACTIVE, S::ACTIVE, Some(S::ACTIVE)),
    ];
    for (from, to, end) in table {
        let mut lab = Lab::new();
        let steps = [S::ARMED, S::ACTIVE];
        for step in steps.into_iter().filter(|s| *s <= from) {
            lab.change(TO_LEAF, 5, |p| p.set_port_state(step.0));
        }
        let status = lab.change_status(TO_LEAF, 5, |p| {
            p.set_port_state(to.0);
            p.set_hoq_life(7);
        });
        assert_eq!(status.is_ok(), end.is_some(), "{from} to {to}");
        assert_eq!(lab.state(LEAF, 5), end.unwrap_or(from), "{from} to {to}");
        let hoq_life = lab.sim.port_info(lab.port(LEAF, 5)).hoq_life();
        assert_eq!(hoq_life == 7, end.is_some(), "{from} to {to}");
    }
}

#[test]
fn a_port_without_a_link_cannot_be_armed() {
    let mut lab = Lab::new();
    for state in [2, 3, 4] {
        let status = lab.change_status(TO_LEAF, 3, |p| p.set_port_state(state));
        assert_eq!(status, Status::INVALID_VALUE);
    }
    let after = lab.change(TO_LEAF, 3, |p| p.set_port_state(1));
    assert_eq!((after.state(), after.phys_state()), (PortState::DOWN, PhysState::POLLING));
}

#[test]
fn port_0_has_no_state_to_be_changed() {
    let mut lab = Lab::new();
    for state in [1, 3, 4] {
        lab.change(TO_LEAF, 0, |p| p.set_port_state(state));
        assert_eq!(lab.state(LEAF, 0), PortState::ACTIVE);
    }
}

#[test]
fn a_bounce_takes_both_ends_down_and_up_again() {
    let mut lab = slow_lab();
    for (to, port) in [(TO_LEAF, 5), (TO_SPINE, 4)] {
        lab.change(to, port, |p| p.set_port_state(3));
        lab.change(to, port, |p| p.set_port_state(4));
    }
    lab.change(TO_SPINE, 4, |p| p.set_hoq_life(9));
    // The answer to the Set that breaks its own way back still comes; it is from before.
    let after = lab.change(TO_SPINE, 4, |p| p.set_port_state(1));
    assert_eq!((after.state(), after.phys_state()), (PortState::ACTIVE, PhysState::LINK_UP));
    assert_eq!((lab.state(LEAF, 5), lab.state(SPINE, 4)), (PortState::DOWN, PortState::DOWN));
    assert_eq!(lab.who(TO_SPINE), None);
    assert_eq!(lab.sim.next_delivery(), Some(RETRAIN));
    lab.now = RETRAIN - 1;
    assert_eq!(lab.who(TO_SPINE), None);
    lab.now = RETRAIN;
    assert_eq!(lab.who(TO_SPINE), Some((SPINE, 4)));
    assert_eq!((lab.state(LEAF, 5), lab.state(SPINE, 4)), (PortState::INIT, PortState::INIT));
    assert_eq!(lab.sim.port_info(lab.port(SPINE, 4)).hoq_life(), 9, "settings outlive the link");
    assert_eq!(lab.sim.stats().links_lost, 1);
}

#[test]
fn switches_note_that_a_port_has_changed() {
    let mut lab = Lab::new();
    let clear = |lab: &mut Lab, to: &[u8]| {
        let mut info: SwitchInfo = lab.get(to, 0);
        info.set_port_state_change(1);
        lab.set(to, 0, &info)
    };
    clear(&mut lab, TO_LEAF);
    clear(&mut lab, TO_SPINE);
    // Arming and activating are the manager's own doing.
    lab.change(TO_LEAF, 5, |p| p.set_port_state(3));
    assert_eq!(lab.get::<SwitchInfo>(TO_LEAF, 0).port_state_change(), 0);
    lab.change(TO_LEAF, 5, |p| p.set_port_state(1));
    assert_eq!(lab.get::<SwitchInfo>(TO_LEAF, 0).port_state_change(), 1);
    assert_eq!(lab.get::<SwitchInfo>(TO_SPINE, 0).port_state_change(), 1);
}

#[test]
fn a_disabled_port_stays_down_until_it_polls() {
    let mut lab = Lab::new();
    let after = lab.change(TO_LEAF, 2, |p| p.set_port_physical_state(3));
    assert_eq!((after.state(), after.phys_state()), (PortState::INIT, PhysState::LINK_UP));
    assert_eq!(phys(&lab, LEAF, 2), PhysState::DISABLED);
    assert_eq!((lab.state(B, 2), phys(&lab, B, 2)), (PortState::DOWN, PhysState::POLLING));
    // Neither DOWN nor a flap wakes it.
    lab.change(TO_LEAF, 2, |p| p.set_port_state(1));
    lab.sim.apply(0, Fault::LinkFlap(lab.port(LEAF, 2)));
    assert_eq!(phys(&lab, LEAF, 2), PhysState::DISABLED);
    assert_eq!(lab.who(TO_B2), None);
    lab.change(TO_LEAF, 2, |p| p.set_port_physical_state(2));
    assert_eq!(lab.who(TO_B2), Some((B, 2)));
    assert_eq!(lab.state(B, 2), PortState::INIT);
}

#[test]
fn a_sleeping_port_is_woken_by_a_polling_one() {
    let mut lab = slow_lab();
    lab.change(TO_LEAF, 2, |p| p.set_port_physical_state(1));
    assert_eq!(phys(&lab, LEAF, 2), PhysState::SLEEP);
    lab.now = RETRAIN;
    assert_eq!(lab.who(TO_B2), Some((B, 2)));
    // Where both ends go to sleep, nobody wakes.
    lab.change(TO_B2, 0, |p| p.set_link_down_default_state(1));
    lab.change(TO_LEAF, 2, |p| {
        p.set_link_down_default_state(1);
        p.set_port_state(1);
    });
    lab.now += RETRAIN;
    assert_eq!(lab.who(TO_B2), None);
    assert_eq!((phys(&lab, LEAF, 2), phys(&lab, B, 2)), (PhysState::SLEEP, PhysState::SLEEP));
    lab.change(TO_LEAF, 2, |p| p.set_port_physical_state(2));
    lab.now += RETRAIN;
    assert_eq!(lab.who(TO_B2), Some((B, 2)));
}

#[test]
fn the_physical_state_changes_only_with_down_or_no_change() {
    let mut lab = Lab::new();
    for state in [3, 4] {
        let status = lab.change_status(TO_LEAF, 5, |p| {
            p.set_port_state(state);
            p.set_port_physical_state(2);
        });
        assert_eq!(status, Status::INVALID_VALUE);
    }
}

/// A host on a switch by a link of this rate.
fn pair(rate: LinkRate) -> SimFabric {
    let mut b = FabricBuilder::new();
    let mut spec = NodeSpec::new(LEAF, NodeKind::Switch, "s", 2);
    spec.vendor_id = 0x2c9;
    let switch = b.add_node(spec.clone()).unwrap();
    spec = NodeSpec { guid: A, kind: NodeKind::Ca, num_ports: 1, ..spec };
    let host = b.add_node(spec).unwrap();
    b.connect((switch, 1), (host, 1)).unwrap();
    b.set_rate(switch, 1, rate).unwrap();
    b.set_rate(host, 1, rate).unwrap();
    SimFabric::new(&b.build(), &SimOptions::default())
}

fn link(sim: &SimFabric) -> PortInfo {
    let host = sim.fabric().node_by_guid(A).unwrap();
    *sim.port_info(sim.fabric().port_at(host, PortNum(1)).unwrap())
}

#[test]
fn links_run_at_the_rate_of_the_file() {
    // (width, speed, extended) in the file, and then active and supported. Every port can do 4x.
    let table = [
        ((0, 0, 0), (2, 4, 0), (3, 7, 0)),
        ((2, 2, 0), (2, 2, 0), (3, 3, 0)),
        ((1, 4, 0), (1, 4, 0), (3, 7, 0)),
        ((2, 4, 1), (2, 4, 1), (3, 7, 1)),
        ((2, 0, 2), (2, 4, 2), (3, 7, 3)),
        ((2, 4, 8), (2, 4, 8), (19, 7, 15)),
        ((16, 4, 4), (16, 4, 4), (19, 7, 7)),
        ((8, 4, 0), (8, 4, 0), (15, 7, 0)),
        ((2, 4, 16), (2, 4, 8), (19, 7, 15)),
    ];
    for ((width, speed, speed_ext), active, supported) in table {
        let p = link(&pair(LinkRate { width, speed, speed_ext, fdr10: false }));
        let shown = (p.link_width_active(), p.link_speed_active(), p.link_speed_ext_active());
        assert_eq!(shown, active, "{width} {speed} {speed_ext}");
        let can =
            (p.link_width_supported(), p.link_speed_supported(), p.link_speed_ext_supported());
        assert_eq!(can, supported, "{width} {speed} {speed_ext}");
        assert_eq!(p.has_capability(lk_wire::cap_mask::EXTENDED_SPEEDS), can.2 != 0);
    }
}

#[test]
fn what_is_enabled_counts_from_the_next_bounce() {
    let mut lab = Lab::on(pair(LinkRate { width: 2, speed: 4, speed_ext: 2, fdr10: false }));
    let ext = PortInfo::EXTENDED_SPEEDS | 1;
    let mut wanted = lab.port_info(TO_LEAF, 1);
    wanted.set_link_width_enabled(1);
    wanted.set_link_speed_ext_enabled(30);
    // Without bit 31 the field is not looked at.
    lab.set(TO_LEAF, 1, &wanted);
    assert_eq!(link(&lab.sim).link_speed_ext_active(), 2);
    lab.change(TO_LEAF, 1, |p| p.set_port_state(1));
    assert_eq!(
        (link(&lab.sim).link_width_active(), link(&lab.sim).link_speed_ext_active()),
        (1, 2)
    );
    assert_eq!(lab.set(TO_LEAF, ext, &wanted).link_speed_ext_enabled(), 30);
    lab.change(TO_LEAF, 1, |p| p.set_port_state(1));
    assert_eq!(
        (link(&lab.sim).link_speed_active(), link(&lab.sim).link_speed_ext_active()),
        (4, 0)
    );
    wanted.set_link_speed_ext_enabled(31);
    assert_eq!(lab.set(TO_LEAF, ext, &wanted).link_speed_ext_enabled(), 3);
    wanted.set_link_speed_ext_enabled(8);
    assert_eq!(lab.set_status(TO_LEAF, ext, &wanted), Status::INVALID_VALUE);
}

#[test]
fn fdr10_is_told_in_the_vendors_attribute() {
    let mut lab = Lab::on(pair(LinkRate { width: 2, speed: 4, speed_ext: 0, fdr10: true }));
    let mut info = lab.sim.mlnx_ext_port_info(lab.a).unwrap();
    assert_eq!((info.link_speed_supported(), info.link_speed_active()), (1, 1));
    assert_eq!(
        (link(&lab.sim).link_speed_active(), link(&lab.sim).link_speed_ext_active()),
        (4, 0)
    );
    info.set_link_speed_enabled(0);
    lab.set(TO_A, 1, &info);
    lab.change(TO_LEAF, 1, |p| p.set_port_state(1));
    let info: MlnxExtPortInfo = lab.get(TO_A, 1);
    assert_eq!(info.link_speed_active(), 0);
}

#[test]
fn ends_without_a_common_width_stay_apart() {
    let mut lab = Lab::new();
    lab.change(TO_LEAF, 2, |p| p.set_link_width_enabled(1));
    lab.change(TO_B2, 0, |p| p.set_link_width_enabled(2));
    lab.change(TO_LEAF, 2, |p| p.set_port_state(1));
    assert_eq!(lab.who(TO_B2), None);
    lab.change(TO_LEAF, 2, |p| p.set_link_width_enabled(3));
    lab.change(TO_LEAF, 2, |p| p.set_port_physical_state(2));
    assert_eq!(lab.who(TO_B2), Some((B, 2)));
}
