//! The harness against opensm alone: what it reads is what the OpenSM behaviour notes say, so
//! that a difference which it later shows between the two managers can be believed.

use lk_peers::{Ibsim, Kind, Opensm, Reading};

const SMALL: &str = include_str!("../fabrics/small.net");

fn settled(conf: &str) -> Reading {
    let ibsim = Ibsim::start(SMALL);
    Opensm { conf, arguments: &["-Q"] }.settle(&ibsim);
    Reading::of(&ibsim)
}

#[test]
fn opensm_brings_the_fabric_up_and_all_of_it_is_read() {
    let reading = settled("");
    let count = |kind| reading.nodes.iter().filter(|node| node.kind == kind).count();
    assert_eq!((count(Kind::Switch), count(Kind::Ca)), (3, 5));
    // Six end ports of five hosts, 7 + 7 + 5 ports of three switches.
    assert_eq!(reading.ports.len(), 6 + 19);
    let active = reading.ports.values().filter(|port| port.info["LinkState"] == "Active").count();
    // Nine cables, and port 0 of each switch.
    assert_eq!(active, 2 * 9 + 3);
}

#[test]
fn default_tables_are_folded_to_eight_lanes_and_cut_to_eight_entries() {
    let reading = settled("");
    let port = &reading.ports[&(0x20_0003, 1)];
    assert_eq!(port.info["OperVLs"], "VL0-7");
    // SL15 has VL7; all others are masked by seven.
    let expected = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(port.sl2vl.len(), 5);
    assert!(port.sl2vl.iter().all(|(_, row)| *row == expected), "{port:?}");
    let low: Vec<(u8, u8)> = (0..8).map(|vl| (vl, if vl == 0 { 0 } else { 4 })).collect();
    let high: Vec<(u8, u8)> = (0..8).map(|vl| (vl, if vl == 0 { 4 } else { 0 })).collect();
    assert_eq!(port.vlarb, [low, high]);
}

#[test]
fn fewer_operational_lanes_fold_more() {
    let reading = settled("max_op_vls 2\nqos_sl2vl 0,1,2,3,15,5\n");
    let port = &reading.ports[&(0x10_0020, 1)];
    assert_eq!(port.info["OperVLs"], "VL0-1");
    let expected = [0, 1, 0, 1, 15, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(port.sl2vl, [(0, expected)]);
}

#[test]
fn each_class_of_port_has_its_own_set() {
    let reading =
        settled("qos_sw0_vlarb_high 0:9\nqos_ca_vlarb_low 0:11\nqos_swe_vlarb_low 0:13,1:14\n");
    assert_eq!(reading.ports[&(0x20_0002, 0)].vlarb[1][0], (0, 9));
    assert_eq!(reading.ports[&(0x10_0030, 2)].vlarb[0][..2], [(0, 11), (0, 0)]);
    assert_eq!(reading.ports[&(0x20_0002, 1)].vlarb[0][..3], [(0, 13), (1, 14), (0, 0)]);
}

/// A limit of ibsim: what is Set there is not read back. It is compared on our own simulator.
#[test]
fn ibsim_forgets_the_high_limit() {
    let reading = settled("qos_high_limit 3\n");
    assert_eq!(reading.ports[&(0x10_0030, 2)].info["VLHighLimit"], "0");
}

#[test]
fn two_fabrics_at_a_time_do_not_meet() {
    let (one, two) = (Ibsim::start(SMALL), Ibsim::start(SMALL));
    Opensm { conf: "", arguments: &[] }.settle(&one);
    let states = |ibsim: &Ibsim| {
        let out = ibsim.client("smpquery", &["-D", "portinfo", "0,1", "4"]).success();
        lk_peers::smpquery::fields(&out)["LinkState"].clone()
    };
    assert_eq!((states(&one).as_str(), states(&two).as_str()), ("Active", "Initialize"));
}
