//! State that is written and read again is the same state.

use lk_sim::{Fault, LoadError, LoadProblem, SimFabric, SimOptions};
use lk_wire::{
    Guid, GuidInfo, LinearForwardingTable, MlnxExtPortInfo, MulticastForwardingTable, PKey,
    PKeyTable, PortNum, SlToVlModifier, SlToVlTable, Vl, VlArbTable, cap_mask,
};

use crate::lab::*;

fn saved(sim: &SimFabric) -> String {
    let mut out = Vec::new();
    sim.save(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A fabric in which every kind of state is written.
fn busy() -> Lab {
    let mut lab = Lab::new();
    lab.bring_up();
    for state in [3, 4] {
        lab.change(TO_LEAF, 1, |p| p.set_port_state(state));
    }
    lab.set(TO_LEAF, 500, &LinearForwardingTable([3; 64]));
    let position = MulticastForwardingTable::modifier(0, 5);
    lab.set(TO_LEAF, position, &MulticastForwardingTable([0x11; 64]));
    for input in 0..=6 {
        let modifier = SlToVlModifier::pair(PortNum(input), PortNum(2));
        lab.set(TO_LEAF, modifier, &SlToVlTable::from_fn(|_| Vl(u8::from(input > 3))));
    }
    lab.set(TO_B2, 0, &SlToVlTable::from_fn(|_| Vl(5)));
    lab.set(TO_LEAF, VlArbTable::modifier(3, PortNum(4)), &VlArbTable([2; 64]));
    let keys: PKeyTable = [PKey(0xFFFF), PKey(0x8001)].into_iter().collect();
    lab.set(TO_SPINE, PKeyTable::modifier(0, PortNum(2)), &keys);
    lab.set(TO_B2, 0, &keys);
    let mut guids: GuidInfo = lab.get(TO_B1, 0);
    guids.set(3, Guid(0x77));
    lab.set(TO_B1, 0, &guids);
    let mut vendor = MlnxExtPortInfo::default();
    vendor.set_state_change_enable(1);
    lab.set(TO_LEAF, 3, &vendor);
    lab.sim.apply(0, Fault::Rename { node: lab.node(B), description: "ünïcode b".to_owned() });
    lab.sim.apply(0, Fault::LinkDown(lab.port(LEAF, 6)));
    lab.change(TO_LEAF, 3, |p| p.set_port_physical_state(3));
    lab.sim.apply(0, Fault::PowerOff(lab.node(ROUTER)));
    lab
}

#[test]
fn read_again_it_is_the_same() {
    let lab = busy();
    let text = saved(&lab.sim);
    let mut other = Lab::new();
    other.sim.load(text.as_bytes()).unwrap();
    assert_eq!(saved(&other.sim), text);
    // And as it is seen from outside.
    for node in lab.sim.fabric().node_ids().filter(|n| lab.sim.is_alive(*n)) {
        assert_eq!(other.sim.description(node), lab.sim.description(node));
        for port in lab.sim.fabric().external_ports(node) {
            assert_eq!(other.sim.port_info(port), lab.sim.port_info(port));
            assert_eq!(other.sim.is_link_up(port), lab.sim.is_link_up(port));
            assert_eq!(other.sim.pkeys(port, 0), lab.sim.pkeys(port, 0));
            assert_eq!(other.sim.guids(port, 0), lab.sim.guids(port, 0));
            assert_eq!(other.sim.vlarb(port, 3), lab.sim.vlarb(port, 3));
            assert_eq!(other.sim.mlnx_ext_port_info(port), lab.sim.mlnx_ext_port_info(port));
        }
    }
    for input in 0..=6 {
        for output in 0..=6 {
            let table = |l: &Lab| l.sim.sl2vl(l.node(LEAF), PortNum(input), PortNum(output));
            assert_eq!(table(&other), table(&lab));
        }
    }
    for switch in lab.sim.fabric().switch_ids() {
        assert_eq!(other.sim.switch_info(switch), lab.sim.switch_info(switch));
        assert_eq!(other.sim.lft_block(switch, 500), lab.sim.lft_block(switch, 500));
        assert_eq!(other.sim.mft_block(switch, 0, 5), lab.sim.mft_block(switch, 0, 5));
    }
    // The pulled cable stays pulled, and comes back when it is put back.
    let port = other.port(SPINE, 3);
    other.sim.apply(0, Fault::LinkUp(port));
    assert!(other.sim.is_link_up(port));
    let router = other.node(ROUTER);
    assert!(!other.sim.is_alive(router));
    other.sim.apply(0, Fault::PowerOn(router));
    assert_eq!(other.who(TO_ROUTER), Some((ROUTER, 1)));
}

#[test]
fn at_power_on_there_is_nothing_to_write() {
    let text = saved(&Lab::new().sim);
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn tables_that_are_alike_share_a_line() {
    let mut options = SimOptions::default();
    options.switch.switch.optimized_sl2vl = 1;
    let mut lab = Lab::with(&options);
    let all = SlToVlModifier::ALL_IN | SlToVlModifier::ALL_OUT;
    lab.set(TO_LEAF, all, &SlToVlTable::from_fn(|_| Vl(1)));
    assert!(saved(&lab.sim).contains("sl2vl 0-6 0-6 1111111111111111\n"));
}

#[test]
fn that_a_manager_was_there_is_not_state() {
    let mut lab = Lab::new();
    lab.sim.set_is_sm(0, lab.a, true);
    let text = saved(&lab.sim);
    assert_eq!(text.lines().count(), 3, "{text}");
    lab.sim.load(text.as_bytes()).unwrap();
    assert!(lab.sim.port_info(lab.a).has_capability(cap_mask::IS_SM));
}

fn problem(text: &str) -> (usize, LoadProblem) {
    let mut lab = busy();
    let before = saved(&lab.sim);
    let error = lab.sim.load(text.as_bytes()).unwrap_err();
    assert_eq!(saved(&lab.sim), before, "a file that is not taken changes nothing");
    match error {
        LoadError::Line { line, problem } => (line, problem),
        LoadError::Io(e) => panic!("{e}"),
    }
}

#[test]
fn each_thing_that_can_be_wrong_is_named_with_its_line() {
    let head = saved(&Lab::new().sim).lines().take(2).collect::<Vec<_>>().join("\n");
    let with = |lines: &str| format!("{head}\n{lines}\nend\n");
    let leaf = |line: &str| with(&format!("node 0x20 6\n{line}"));
    let value = |text: &str, what| LoadProblem::Value(text.to_owned(), what);
    let long = "00".repeat(65);
    let invalid = LoadProblem::Refused(lk_wire::Status::INVALID_VALUE);
    let unsupported = LoadProblem::Refused(lk_wire::Status::METHOD_ATTR_UNSUPPORTED);
    let table = [
        (String::new(), 1, LoadProblem::NotWhole),
        ("something else".to_owned(), 1, LoadProblem::Header),
        (head.clone(), 3, LoadProblem::NotWhole),
        (with("end"), 4, LoadProblem::NotWhole),
        (with("off"), 3, LoadProblem::NoNode),
        (with("node 0x99 6"), 3, LoadProblem::UnknownNode(Guid(0x99))),
        (with("node 20 6"), 3, value("20", "a number in hexadecimal")),
        (with("node 0x20"), 3, LoadProblem::Words),
        (with("node 0x20 9"), 3, LoadProblem::OtherPorts { node: LEAF, has: 6, says: 9 }),
        (leaf("frobnicate 1"), 4, LoadProblem::Keyword("frobnicate".to_owned())),
        (leaf("off now"), 4, LoadProblem::Words),
        (leaf("lft 0 123"), 4, value("123", "hexadecimal digits in pairs")),
        (leaf("lft 0 zz"), 4, value("zz", "hexadecimal digits in pairs")),
        (leaf("lft -1 00"), 4, value("-1", "a number in range")),
        (leaf("lft 768 00"), 4, invalid.clone()),
        (leaf(&format!("lft 0 {long}")), 4, value(&long, "an attribute of this length")),
        (leaf("portinfo 7 00"), 4, invalid.clone()),
        (leaf("sl2vl 0-9 1 00"), 4, invalid.clone()),
        (leaf("vlarb 1 9 00"), 4, invalid.clone()),
        (leaf("vlarb 1 257 00"), 4, invalid.clone()),
        (leaf("mft 3 0 00"), 4, invalid.clone()),
        (leaf("pkeys 1 4 00"), 4, invalid),
        (leaf("renamed ff"), 4, value("ff", "UTF-8 in hexadecimal")),
        (with("node 0x10 1\nswitchinfo 00"), 4, unsupported.clone()),
        (with("node 0x10 1\nlft 0 00"), 4, unsupported),
        (leaf("portinfo 5 00"), 5, LoadProblem::HalfLink(SPINE, PortNum(4))),
    ];
    for (text, line, expected) in table {
        assert_eq!(problem(&text), (line, expected), "{text}");
    }
}

#[test]
fn other_capabilities_are_another_fabric() {
    let text = saved(&busy().sim);
    let mut options = SimOptions::default();
    options.ca.port.vl_arb_low_cap = 4;
    let mut lab = Lab::with(&options);
    let error = lab.sim.load(text.as_bytes()).unwrap_err();
    let expected = "line 2: the state was written with other capabilities of the nodes";
    assert_eq!(error.to_string(), expected);
    // Another seed is not.
    let mut lab = Lab::with(&SimOptions { seed: 99, ..SimOptions::default() });
    lab.sim.load(text.as_bytes()).unwrap();
}

#[test]
fn a_file_that_is_cut_anywhere_is_not_taken() {
    let text = saved(&busy().sim);
    let mut lab = Lab::new();
    for end in (0..text.len() - 1).step_by(7) {
        if text.is_char_boundary(end) {
            assert!(lab.sim.load(&text.as_bytes()[..end]).is_err(), "cut at {end}");
        }
    }
}
