//! M_Key protection over the wire: who gets an answer, what is counted, told and let lapse.

use lk_sim::Lost;
use lk_wire::{MKey, PortInfo, Smp, SwitchInfo, Trap, attr, method};

use crate::lab::*;

const KEY: MKey = MKey(0x1234);
const SECOND: u64 = 1_000_000_000;

fn protect(lab: &mut Lab, to: &[u8], level: u8, lease: u16) {
    lab.change(to, 0, |p| {
        p.set_m_key(KEY.0);
        p.set_m_key_protect(level);
        p.set_m_key_lease_period(lease);
    });
}

#[test]
fn each_level_for_each_method() {
    // Level, the key that is sent; whether Get and Set are answered, and the key that Get shows.
    let table = [
        (0, KEY, true, true, Some(KEY)),
        (0, MKey(9), true, false, Some(KEY)),
        (1, KEY, true, true, Some(KEY)),
        (1, MKey(9), true, false, Some(MKey(0))),
        (2, KEY, true, true, Some(KEY)),
        (2, MKey(9), false, false, None),
        (3, KEY, true, true, Some(KEY)),
        (3, MKey(0), false, false, None),
    ];
    for to in [TO_LEAF, TO_B2] {
        for (level, key, get, set, shown) in table {
            let mut lab = Lab::new();
            protect(&mut lab, to, level, 0);
            lab.m_key = key;
            let info = lab.try_get(to, attr::PORT_INFO, 0).map(|a| a.attribute::<PortInfo>());
            assert_eq!(info.map(|p| MKey(p.m_key())), shown, "level {level}");
            assert_eq!(lab.try_get(to, attr::NODE_INFO, 0).is_some(), get, "level {level}");
            let mut wanted = PortInfo::default();
            wanted.set_m_key(KEY.0);
            wanted.set_m_key_protect(level);
            wanted.set_neighbor_mtu(1);
            assert_eq!(lab.try_set(to, 0, &wanted).is_some(), set, "level {level}");
            let expected = 2 * u64::from(!get) + u64::from(!set);
            assert_eq!(lab.sim.stats().lost(Lost::MKey), expected, "level {level}");
        }
    }
}

#[test]
fn the_ports_of_a_switch_are_under_the_key_of_port_0() {
    let mut lab = Lab::new();
    protect(&mut lab, TO_LEAF, 1, 0);
    let wanted: PortInfo = lab.get(TO_LEAF, 5);
    assert!(lab.try_set(TO_LEAF, 5, &wanted).is_none());
    assert!(lab.try_set(TO_LEAF, 0, &SwitchInfo::default()).is_none());
    // The node behind it has a key of its own: none.
    assert!(lab.try_set(TO_SPINE, 0, &SwitchInfo::default()).is_some());
}

#[test]
fn the_other_port_of_an_adapter_is_under_its_own_key() {
    let mut lab = Lab::new();
    protect(&mut lab, TO_B1, 2, 0);
    assert!(lab.try_get(TO_B2, attr::PORT_INFO, 2).is_some());
    assert!(lab.try_get(TO_B2, attr::PORT_INFO, 1).is_none());
    assert!(lab.try_get(TO_B2, attr::NODE_INFO, 1).is_some());
    lab.m_key = KEY;
    assert!(lab.try_get(TO_B2, attr::PORT_INFO, 1).is_some());
}

#[test]
fn violations_are_counted_up_to_the_field_s_end_and_can_be_put_back() {
    let mut lab = Lab::new();
    protect(&mut lab, TO_B2, 2, 0);
    for _ in 0..3 {
        assert!(lab.try_get(TO_B2, attr::NODE_INFO, 0).is_none());
    }
    lab.m_key = KEY;
    assert_eq!(lab.get::<PortInfo>(TO_B2, 0).m_key_violations(), 3);
    lab.change(TO_B2, 0, |p| p.set_m_key_violations(9));
    assert_eq!(lab.get::<PortInfo>(TO_B2, 0).m_key_violations(), 3);
    lab.change(TO_B2, 0, |p| p.set_m_key_violations(0));
    assert_eq!(lab.get::<PortInfo>(TO_B2, 0).m_key_violations(), 0);
    lab.m_key = MKey(0);
    for _ in 0..70_000 {
        assert!(lab.try_get(TO_B2, attr::NODE_INFO, 0).is_none());
    }
    lab.m_key = KEY;
    assert_eq!(lab.get::<PortInfo>(TO_B2, 0).m_key_violations(), u16::MAX);
}

#[test]
fn the_protection_lapses_when_nobody_with_the_key_is_heard() {
    let mut lab = Lab::new();
    protect(&mut lab, TO_B2, 2, 10);
    let try_get = |lab: &mut Lab| lab.try_get(TO_B2, attr::NODE_INFO, 0).is_some();
    // The lease starts at the first violation, not before.
    lab.now = 100 * SECOND;
    assert!(!try_get(&mut lab));
    lab.now = 109 * SECOND;
    assert!(!try_get(&mut lab));
    // Somebody with the key is heard: the lease stops.
    lab.m_key = KEY;
    assert!(try_get(&mut lab));
    lab.m_key = MKey(0);
    lab.now = 115 * SECOND;
    assert!(!try_get(&mut lab), "a new lease starts");
    lab.now = 125 * SECOND - 1;
    assert!(!try_get(&mut lab));
    lab.now = 125 * SECOND;
    assert!(try_get(&mut lab));
    let info: PortInfo = lab.get(TO_B2, 0);
    assert_eq!((info.m_key_protect(), info.m_key()), (0, KEY.0));
}

#[test]
fn without_a_lease_period_it_never_lapses() {
    let mut lab = Lab::new();
    protect(&mut lab, TO_B2, 2, 0);
    for second in [0, 1 << 20, 1 << 40] {
        lab.now = second;
        assert!(lab.try_get(TO_B2, attr::NODE_INFO, 0).is_none());
    }
    assert_eq!(lab.sim.next_delivery(), None);
}

#[test]
fn trap_256_tells_who_tried_what() {
    let mut lab = Lab::new();
    lab.bring_up();
    protect(&mut lab, TO_B2, 2, 0);
    lab.m_key = MKey(0xBAD);
    assert!(lab.try_get(TO_B2, attr::PKEY_TABLE, 1).is_none());
    let got = lab.deliveries(0);
    assert_eq!(got.len(), 1);
    let smp = Smp(got[0].mad);
    let Some(Trap::BadMKey(details)) = Trap::parse(&smp.attribute()) else {
        panic!("{}", smp.summary());
    };
    assert_eq!((details.method(), details.attr_id()), (method::GET, attr::PKEY_TABLE));
    assert_eq!((details.attr_modifier(), details.m_key()), (1, 0xBAD));
    assert_eq!((details.dr_notice(), details.return_path()), (1, &[1, 2][..]));
}
