//! SL2VL and VLArb tables, and the limits that the hardware sets them.

use lk_sim::SimOptions;
use lk_wire::{
    PortNum, Sl, SlToVlModifier, SlToVlTable, Status, Vl, VlArbTable, VlCode, attr, cap_mask,
};

use crate::lab::*;

fn table(vl: u8) -> SlToVlTable {
    SlToVlTable::from_fn(|_| Vl(vl))
}

fn pair(input: u8, output: u8) -> u32 {
    SlToVlModifier::pair(PortNum(input), PortNum(output))
}

#[test]
fn at_power_on_the_service_levels_go_round_the_lanes() {
    let mut lab = Lab::new();
    let fresh = SlToVlTable::from_fn(|sl| Vl(sl.0 % 8));
    assert_eq!(lab.get::<SlToVlTable>(TO_LEAF, pair(1, 2)), fresh);
    assert_eq!(lab.get::<SlToVlTable>(TO_B1, 0), fresh);
}

#[test]
fn a_switch_has_a_table_for_each_pair_of_ports() {
    let mut lab = Lab::new();
    for input in 0..=6 {
        for output in 0..=6 {
            lab.set(TO_LEAF, pair(input, output), &table((input * 7 + output) % 16));
        }
    }
    for input in 0..=6 {
        for output in 0..=6 {
            let held = lab.sim.sl2vl(lab.node(LEAF), PortNum(input), PortNum(output));
            assert_eq!(held, table((input * 7 + output) % 16), "{input} to {output}");
            assert_eq!(lab.get::<SlToVlTable>(TO_LEAF, pair(input, output)), held);
        }
    }
    for modifier in [pair(7, 1), pair(1, 7), pair(255, 255), 1 << 18, 1 << 31] {
        assert_eq!(lab.get_status(TO_LEAF, attr::SL2VL, modifier), Status::INVALID_VALUE);
    }
}

#[test]
fn an_adapter_has_a_table_for_each_port_whatever_the_modifier() {
    let mut lab = Lab::new();
    lab.set(TO_B1, 0, &table(3));
    assert_eq!(lab.get::<SlToVlTable>(TO_B1, 0x0505), table(3));
    assert_ne!(lab.get::<SlToVlTable>(TO_B2, 0), table(3));
    assert_eq!(lab.sim.sl2vl(lab.node(B), PortNum(0), PortNum(1)), table(3));
}

#[test]
fn without_sl_mapping_there_is_no_table() {
    let mut options = SimOptions::default();
    options.ca.port.capability_mask &= !cap_mask::SL_MAPPING;
    options.switch.port_zero.capability_mask &= !cap_mask::SL_MAPPING;
    let mut lab = Lab::with(&options);
    for to in [TO_B1, TO_LEAF] {
        assert_eq!(lab.get_status(to, attr::SL2VL, 0), Status::METHOD_ATTR_UNSUPPORTED);
        assert_eq!(lab.set_status(to, 0, &table(0)), Status::METHOD_ATTR_UNSUPPORTED);
    }
    assert_eq!(lab.get_status(TO_ROUTER, attr::SL2VL, 0), Status::OK);
}

#[test]
fn wildcards_where_the_switch_takes_them() {
    const ALL: u32 = SlToVlModifier::ALL_IN | SlToVlModifier::ALL_OUT;
    let mut lab = Lab::new();
    assert_eq!(lab.set_status(TO_LEAF, ALL, &table(1)), Status::INVALID_VALUE);
    let mut options = SimOptions::default();
    options.switch.switch.optimized_sl2vl = 1;
    let mut lab = Lab::with(&options);
    let held = |lab: &Lab, guid, input, output| {
        lab.sim.sl2vl(lab.node(guid), PortNum(input), PortNum(output)).get(Sl(9)).0
    };
    lab.set(TO_LEAF, ALL, &table(1));
    lab.set(TO_LEAF, SlToVlModifier::ALL_IN | 2, &table(2));
    lab.set(TO_LEAF, SlToVlModifier::ALL_OUT | 3 << 8, &table(3));
    for input in 0..=6 {
        for output in 0..=6 {
            let expected = match (input, output) {
                (3, _) => 3,
                (_, 2) => 2,
                _ => 1,
            };
            assert_eq!(held(&lab, LEAF, input, output), expected, "{input} to {output}");
        }
    }
    // A base port 0 is no data port.
    lab.set(TO_SPINE, ALL, &table(4));
    assert_eq!((held(&lab, SPINE, 0, 1), held(&lab, SPINE, 2, 4)), (4, 4));
    assert_eq!(held(&lab, SPINE, 1, 0), 1, "SL 9 of 8 lanes, as at power-on");
    // They are for Sets only.
    assert_eq!(lab.get_status(TO_LEAF, attr::SL2VL, ALL), Status::INVALID_VALUE);
}

#[test]
fn arbitration_blocks_follow_the_capabilities() {
    let mut options = SimOptions::default();
    let spine = options.exception(&fabric(), SPINE).unwrap();
    spine.port.vl_arb_low_cap = 64;
    spine.port.vl_arb_high_cap = 40;
    let mut narrow = spine.port;
    narrow.vl_arb_low_cap = 3;
    narrow.vl_arb_high_cap = 0;
    spine.port_exceptions.insert(2, narrow);
    let mut lab = Lab::with(&options);
    let full = VlArbTable([0x11; 64]);
    // (port, block) to how many entries it has.
    let table = [
        (1, 1, 32),
        (1, 2, 32),
        (1, 3, 32),
        (1, 4, 8),
        (2, 1, 3),
        (2, 2, 0),
        (2, 3, 0),
        (2, 4, 0),
        (1, 0, 0),
        (1, 5, 0),
        (9, 1, 0),
    ];
    for (port, block, entries) in table {
        let modifier = VlArbTable::modifier(block, PortNum(port));
        if entries == 0 {
            assert_eq!(lab.set_status(TO_SPINE, modifier, &full), Status::INVALID_VALUE);
            assert_eq!(lab.get_status(TO_SPINE, attr::VLARB, modifier), Status::INVALID_VALUE);
            continue;
        }
        let stored = lab.set(TO_SPINE, modifier, &full);
        assert_eq!(stored.0[..2 * entries], full.0[..2 * entries]);
        assert!(stored.0[2 * entries..].iter().all(|b| *b == 0), "port {port} block {block}");
        assert_eq!(lab.get::<VlArbTable>(TO_SPINE, modifier), stored);
        assert_eq!(lab.sim.vlarb(lab.port(SPINE, port), block), stored);
    }
    assert_eq!(lab.get_status(TO_SPINE, attr::VLARB, 0x101 << 16), Status::INVALID_VALUE);
}

#[test]
fn the_ports_of_an_adapter_have_tables_of_their_own() {
    let mut lab = Lab::new();
    let low = VlArbTable::modifier(VlArbTable::LOW, PortNum(0));
    let fresh: VlArbTable = lab.get(TO_B1, low);
    let entries: Vec<_> = fresh.iter().filter(|e| e.weight > 0).map(|e| e.vl.0).collect();
    assert_eq!(entries, [0, 1, 2, 3, 4, 5, 6, 7]);
    lab.set(TO_B1, low, &VlArbTable([1; 64]));
    assert_eq!(lab.get::<VlArbTable>(TO_B2, low), fresh);
}

#[test]
fn one_lane_needs_no_arbitration() {
    let mut options = SimOptions::default();
    options.ca.port.vl_cap = VlCode::VL0;
    let mut lab = Lab::with(&options);
    let low = VlArbTable::modifier(VlArbTable::LOW, PortNum(0));
    assert_eq!(lab.get_status(TO_B1, attr::VLARB, low), Status::METHOD_ATTR_UNSUPPORTED);
    assert_eq!(lab.get::<SlToVlTable>(TO_B1, 0), table(0));
}
