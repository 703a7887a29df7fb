//! Whatever bytes come from a client or a file, the fabric goes on.

use lk_fabric::PortId;
use lk_sim::{Fault, SimOptions};
use lk_wire::{Lid, attr, class, method};
use proptest::prelude::*;

use crate::lab::*;

/// Bytes that are often nearly right, so that they get past the first checks.
fn nearly_a_mad() -> impl Strategy<Value = [u8; 256]> {
    let classes = prop_oneof![
        6 => Just(class::SUBN_DR),
        3 => Just(class::SUBN_LID),
        1 => any::<u8>(),
    ];
    let methods = prop_oneof![
        4 => Just(method::GET),
        8 => Just(method::SET),
        1 => Just(method::TRAP_REPRESS),
        1 => any::<u8>(),
    ];
    let attributes = prop_oneof![
        12 => attr::NODE_DESCRIPTION..=attr::MFT,
        1 => Just(attr::NOTICE),
        1 => Just(attr::SM_INFO),
        1 => Just(attr::MLNX_EXT_PORT_INFO),
        1 => any::<u16>(),
    ];
    let modifiers = prop_oneof![
        4 => 0_u32..8,
        2 => (0_u32..8, 0_u32..8).prop_map(|(a, b)| a << 16 | b),
        2 => (0_u32..8, 0_u32..8).prop_map(|(a, b)| 0x3_0000 & a << 16 | a << 8 | b),
        1 => any::<u32>(),
    ];
    let hops = prop_oneof![8 => 0_u8..4, 1 => any::<u8>()];
    let routes = prop::collection::vec(0_u8..8, 8);
    let bytes = prop::collection::vec(any::<u8>(), 256);
    (bytes, classes, methods, attributes, modifiers, hops, routes).prop_map(
        |(bytes, class, method, attribute, modifier, hops, route)| {
            let mut smp = lk_wire::Smp::default();
            smp.0.copy_from_slice(&bytes);
            smp.set_base_version(1);
            smp.set_class_version(1);
            smp.set_mgmt_class(class);
            smp.set_method(method);
            smp.set_attr_id(attribute);
            smp.set_attr_modifier(modifier);
            smp.set_hop_count(hops);
            smp.set_hop_pointer(if bytes[6] < 250 { 0 } else { hops.wrapping_add(1) });
            smp.set_direction(bytes[6] >= 250);
            smp.set_dr_slid(if bytes[7] < 250 { 0xFFFF } else { 1 });
            smp.set_dr_dlid(if bytes[8] < 250 { 0xFFFF } else { 3 });
            smp.initial_path_mut()[1..9].copy_from_slice(&route);
            smp.initial_path_mut()[1] = 1;
            smp.0
        },
    )
}

#[derive(Clone, Debug)]
enum Step {
    Mad(Box<[u8; 256]>, u16),
    Raw(Vec<u8>),
    Wait(u64),
    Flap(u32),
    Power(u32, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let lids = prop_oneof![4 => 0_u16..8, 1 => any::<u16>()];
    prop_oneof![
        20 => (nearly_a_mad(), lids).prop_map(|(mad, lid)| Step::Mad(Box::new(mad), lid)),
        2 => prop::collection::vec(any::<u8>(), 256).prop_map(Step::Raw),
        2 => (0_u64..10_000_000_000).prop_map(Step::Wait),
        1 => (0_u32..18).prop_map(Step::Flap),
        1 => (0_u32..5, any::<bool>()).prop_map(|(n, on)| Step::Power(n, on)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_datagrams_in_any_order(steps in prop::collection::vec(step(), 1..60)) {
        let mut lab = Lab::with(&SimOptions { link_retrain: 1000, ..SimOptions::default() });
        lab.bring_up();
        for step in steps {
            match step {
                Step::Mad(mad, lid) => {
                    lab.sim.send_to(lab.now, lab.a, Lid(lid), &mad);
                    lab.sim.exchange(lab.now, lab.a, &mad);
                }
                Step::Raw(bytes) => {
                    let mad = <[u8; 256]>::try_from(bytes).unwrap();
                    lab.sim.send(lab.now, lab.a, &mad);
                }
                Step::Wait(time) => drop(lab.deliveries(lab.now + time)),
                Step::Flap(port) => lab.sim.apply(lab.now, Fault::LinkFlap(PortId(port))),
                Step::Power(node, on) => {
                    let node = lk_fabric::NodeId(node);
                    let fault = if on { Fault::PowerOn(node) } else { Fault::PowerOff(node) };
                    lab.sim.apply(lab.now, fault);
                }
            }
        }
        // Both ends of a link agree, whatever was done to it.
        let fabric = lab.sim.fabric();
        for (a, b) in fabric.links() {
            prop_assert_eq!(lab.sim.is_link_up(a), lab.sim.is_link_up(b));
            for end in [a, b].into_iter().filter(|p| lab.sim.is_alive(fabric.owner(*p))) {
                let down = lab.sim.port_info(end).state() == lk_wire::PortState::DOWN;
                prop_assert_eq!(lab.sim.is_link_up(end), !down);
            }
        }
        // And the state can be written and read.
        let mut text = Vec::new();
        lab.sim.save(&mut text).unwrap();
        let mut other = Lab::new();
        prop_assert!(other.sim.load(&text[..]).is_ok());
        let mut again = Vec::new();
        other.sim.save(&mut again).unwrap();
        prop_assert_eq!(again, text);
    }

    #[test]
    fn any_text_as_state(text in ".{0,200}", lines in prop::collection::vec(
        "(node 0x(20|10) [0-9]|portinfo|lft|sl2vl|vlarb|pkeys|guids|mlnx|mft|cut|off|renamed) ?[0-9]{0,3} [0-9a-f-]{0,8} ?[0-9a-f]{0,40}", 0..20,
    )) {
        let mut lab = Lab::new();
        prop_assert!(lab.sim.load(text.as_bytes()).is_err());
        let mut fresh = Vec::new();
        lab.sim.save(&mut fresh).unwrap();
        let fresh = String::from_utf8(fresh).unwrap();
        let head: String = fresh.lines().take(2).map(|l| l.to_owned() + "\n").collect();
        let text = format!("{head}node 0x0000000000000020 6\n{}\nend\n", lines.join("\n"));
        // Taken or not: what counts is that it comes back.
        drop(lab.sim.load(text.as_bytes()));
        prop_assert!(lab.who(TO_A).is_some());
    }
}
