//! Records of tables: forwarding, SL2VL, VLArb, P_Keys.

use lk_wire::method;
use lk_wire::sa::*;

use crate::sa::testing::{Ask, Lab, view};

const TABLE: u8 = method::GET_TABLE;
const GET: u8 = method::GET;

fn with_qos() -> Lab {
    Lab::new(view(lk_config::Options { qos: true, ..Default::default() }))
}

#[test]
fn forwarding_by_switch_and_block() {
    let mut lab = Lab::plain();
    let mut asked = LftRecord::default();
    let all: Vec<LftRecord> = lab.records(&Ask::new(TABLE, 0, &asked));
    assert_eq!(all.iter().map(|r| (r.lid(), r.block())).collect::<Vec<_>>(), [(2, 0), (3, 0)]);
    // The host with LID 4 is on port 2 of the first switch, which is on port 8 of the second.
    assert_eq!([all[0].table(), all[1].table()].map(|t| t.get(4).unwrap().0), [2, 8]);
    assert_eq!(all[0].table().get(9).unwrap().0, 255);
    asked.set_lid(2);
    assert_eq!(lab.count(&Ask::new(GET, lft_mask::LID | lft_mask::BLOCK, &asked)), 1);
    asked.set_block(1);
    assert_eq!(lab.count(&Ask::new(TABLE, lft_mask::LID | lft_mask::BLOCK, &asked)), 0);
    assert_eq!(lab.count(&Ask::new(TABLE, lft_mask::BLOCK, &asked)), 0);
    asked.set_lid(4);
    assert_eq!(lab.ask(&Ask::new(GET, lft_mask::LID, &asked)), Err(sa_status::NO_RECORDS.0));
}

#[test]
fn mappings_of_switches_are_by_both_ports_and_those_of_hosts_by_none() {
    let mut lab = with_qos();
    let mut asked = SlToVlRecord::default();
    assert_eq!(lab.count(&Ask::new(TABLE, 0, &asked)), 2 * 9 * 9 + 6);
    asked.set_lid(2);
    asked.set_in_port(1);
    asked.set_out_port(8);
    let (lid, ingress, out) = (sl_to_vl_mask::LID, sl_to_vl_mask::IN_PORT, sl_to_vl_mask::OUT_PORT);
    for (mask, count) in [(lid, 81), (lid | ingress, 9), (lid | out, 9), (lid | ingress | out, 1)] {
        assert_eq!(lab.count(&Ask::new(TABLE, mask, &asked)), count);
    }
    let record: SlToVlRecord = lab.records(&Ask::new(GET, 7, &asked))[0];
    assert_eq!((record.in_port(), record.out_port()), (1, 8));
    // The default mapping, folded to four lanes.
    let lanes: Vec<u8> = record.table().iter().map(|vl| vl.0).take(6).collect();
    assert_eq!(lanes, [0, 1, 2, 3, 0, 1]);
    asked.set_lid(4);
    let host: SlToVlRecord = lab.records(&Ask::new(GET, 7, &asked))[0];
    assert_eq!((host.lid(), host.in_port(), host.out_port()), (4, 0, 0));
    asked.set_lid(2);
    asked.set_out_port(77);
    assert_eq!(lab.count(&Ask::new(TABLE, 7, &asked)), 0, "a port that the switch has not");
}

#[test]
fn arbitration_has_four_blocks() {
    let mut lab = with_qos();
    let mut asked = VlArbRecord::default();
    assert_eq!(lab.count(&Ask::new(TABLE, 0, &asked)), 4 * (2 * 9 + 6));
    asked.set_lid(2);
    asked.set_port_num(8);
    asked.set_block(3);
    let record: VlArbRecord = lab.records(&Ask::new(GET, 7, &asked))[0];
    assert_eq!((record.port_num(), record.block()), (8, 3));
    assert_eq!(record.table().get(0).map(|e| (e.vl.0, e.weight)), Some((0, 4)));
    assert_eq!(lab.count(&Ask::new(TABLE, vl_arb_mask::BLOCK, &asked)), 2 * 9 + 6);
    asked.set_block(9);
    assert_eq!(lab.ask(&Ask::new(GET, 7, &asked)), Err(sa_status::NO_RECORDS.0));
}

#[test]
fn without_qos_tables_show_as_zeros() {
    let mut lab = Lab::plain();
    let mut asked = VlArbRecord::default();
    asked.set_lid(2);
    let all: Vec<VlArbRecord> = lab.records(&Ask::new(TABLE, vl_arb_mask::LID, &asked));
    assert_eq!(all.len(), 36);
    assert!(all.iter().all(|r| r.table().0 == [0; 64]));
}

#[test]
fn keys_are_for_trusted_askers() {
    let mut lab = Lab::plain();
    let mut asked = PKeyRecord::default();
    asked.set_lid(4);
    let ask = Ask::new(TABLE, p_key_mask::LID, &asked);
    assert_eq!(lab.ask(&ask), Err(sa_status::REQ_INVALID.0));
    let records: Vec<PKeyRecord> = lab.records(&ask.trusted());
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].table().get(0).map(|k| k.0), Some(0xFFFF));
    assert_eq!((records[0].port_num(), records[0].block()), (1, 0));
    // A switch: its port 0, and those of its external ports that have a link.
    asked.set_lid(2);
    let ports: Vec<PKeyRecord> = lab.records(&Ask::new(TABLE, p_key_mask::LID, &asked).trusted());
    assert_eq!(ports.iter().map(|r| r.port_num()).collect::<Vec<_>>(), [0]);
    asked.set_lid(4);
    asked.set_block(1);
    let mask = p_key_mask::LID | p_key_mask::BLOCK;
    let none = Err(sa_status::NO_RECORDS.0);
    assert_eq!(lab.ask(&Ask::new(GET, mask, &asked).trusted()), none);
}
