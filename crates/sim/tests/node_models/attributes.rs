//! Each attribute: what it holds at power-on, what a Set changes, and where its limits are.

use lk_sim::{Lost, SimOptions};
use lk_wire::{
    Guid, GuidInfo, LinearForwardingTable, MlnxExtPortInfo, MulticastForwardingTable,
    NodeDescription, NodeInfo, NodeType, Notice, PKey, PKeyTable, PortInfo, PortNum, SmInfo,
    Status, SwitchInfo, attr, cap_mask, method,
};

use crate::lab::*;

#[test]
fn node_info_says_what_the_graph_knows() {
    let mut lab = Lab::new();
    let info: NodeInfo = lab.get(TO_LEAF, 0);
    assert_eq!((info.kind(), info.num_ports()), (NodeType::SWITCH, 6));
    assert_eq!((info.base_version(), info.class_version()), (1, 1));
    assert_eq!((info.guid(), info.port_guid()), (LEAF, LEAF.0));
    assert_eq!((info.vendor_id(), info.device_id()), (0x2c9, 0x1003));
    let info: NodeInfo = lab.get(TO_A, 0);
    assert_eq!((info.kind(), info.port_guid()), (NodeType::CA, 0x1a1));
    // A port whose GUID is not known has the node's plus its number.
    let info: NodeInfo = lab.get(TO_B2, 0);
    assert_eq!((info.port_guid(), info.local_port_num()), (B.0 + 2, 2));
    let info: NodeInfo = lab.get(TO_ROUTER, 0);
    assert_eq!(info.kind(), NodeType::ROUTER);
    let text: NodeDescription = lab.get(TO_ROUTER, 0);
    assert_eq!(text.text(), "router");
}

#[test]
fn what_only_the_hardware_changes_cannot_be_set() {
    let mut lab = Lab::new();
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(lab.set_status(TO_A, 0, &NodeInfo::default()), refused);
    assert_eq!(lab.set_status(TO_A, 0, &NodeDescription::from_text("x")), refused);
    assert_eq!(lab.get_status(TO_A, 0x7777, 0), refused);
    // Attributes of switches, asked of an adapter.
    for attribute in [attr::SWITCH_INFO, attr::LFT, attr::MFT] {
        assert_eq!(lab.get_status(TO_A, attribute, 0), refused);
    }
    assert_eq!(lab.get_status(TO_LEAF, attr::RFT, 0), refused);
    assert_eq!(lab.get_status(TO_LEAF, attr::VENDOR_DIAG, 0), Status::OK);
}

#[test]
fn versions_and_methods_that_are_not_known() {
    let mut lab = Lab::new();
    let mut smp = lab.request(TO_LEAF, method::GET, attr::NODE_INFO, 0);
    smp.set_class_version(2);
    assert_eq!(lab.exchange(&smp).unwrap().status(), Status::BAD_VERSION);
    let mut smp = lab.request(TO_LEAF, method::GET, attr::NODE_INFO, 0);
    smp.set_base_version(0);
    assert_eq!(lab.exchange(&smp).unwrap().status(), Status::BAD_VERSION);
    let smp = lab.request(TO_LEAF, 0x15, attr::NODE_INFO, 0);
    assert_eq!(lab.exchange(&smp).unwrap().status(), Status::METHOD_UNSUPPORTED);
    let smp = lab.request(TO_LEAF, method::SEND, attr::NODE_INFO, 0);
    assert!(lab.exchange(&smp).is_none());
    assert_eq!(lab.sim.stats().lost(Lost::NotARequest), 1);
    assert_eq!(lab.sim.stats().refused, 3);
}

#[test]
fn a_refused_request_comes_back_as_it_was() {
    let mut lab = Lab::new();
    let mut smp = lab.request(TO_LEAF, method::SET, attr::LFT, 0xFFFF);
    smp.data_mut().fill(0xA5);
    let answer = lab.exchange(&smp).unwrap();
    assert_eq!(answer.status(), Status::INVALID_VALUE);
    assert_eq!((answer.data(), answer.attr_modifier()), (smp.data(), 0xFFFF));
}

#[test]
fn port_info_modifiers() {
    let mut lab = Lab::new();
    // On an adapter 0 is the port that is asked; the others can be named.
    let info: PortInfo = lab.get(TO_B2, 0);
    assert_eq!(info.local_port_num(), 2);
    lab.change(TO_B2, 1, |p| p.set_lid(9));
    assert_eq!(lab.sim.port_info(lab.port(B, 1)).lid(), 9);
    assert_eq!(lab.sim.port_info(lab.port(B, 2)).lid(), 0);
    assert_eq!(lab.get_status(TO_B2, attr::PORT_INFO, 3), Status::INVALID_VALUE);
    for port in 0..=6 {
        assert_eq!(lab.get_status(TO_LEAF, attr::PORT_INFO, port), Status::OK);
    }
    let known = PortInfo::EXTENDED_SPEEDS | 6;
    assert_eq!(lab.get_status(TO_LEAF, attr::PORT_INFO, known), Status::OK);
    for modifier in [7, 255, 0x100, 0x1_0001] {
        assert_eq!(lab.get_status(TO_LEAF, attr::PORT_INFO, modifier), Status::INVALID_VALUE);
    }
}

#[test]
fn fields_count_on_the_ports_that_have_them() {
    let mut lab = Lab::new();
    let mut all = PortInfo([0xFF; 64]);
    for (to, number) in [(TO_B1, 1), (TO_LEAF, 0), (TO_LEAF, 1)] {
        let before: PortInfo = lab.get(to, number);
        // Keep what is checked legal, and turn over everything else.
        all.set_lid(0x1234);
        all.set_sm_lid(0x4321);
        all.set_lmc(1);
        all.set_port_state(0);
        all.set_port_physical_state(0);
        all.set_link_down_default_state(1);
        all.set_neighbor_mtu(2);
        all.set_oper_vls(2);
        all.set_link_width_enabled(2);
        all.set_link_speed_enabled(1);
        all.set_m_key(0);
        let after = lab.set(to, number, &all);
        let end_port = number == 0 || to == TO_B1;
        let link = number != 0;
        assert_eq!(after.lid() == 0x1234, end_port);
        assert_eq!(after.gid_prefix() == u64::MAX, end_port);
        // An enhanced port 0 holds rates, too.
        assert_eq!(after.link_width_enabled(), 2);
        assert_eq!(after.hoq_life() == 31, link);
        assert_eq!((after.neighbor_mtu(), after.oper_vls(), after.vl_high_limit()), (2, 2, 255));
        // Read-only fields.
        assert_eq!(after.capability_mask(), before.capability_mask());
        assert_eq!((after.vl_cap(), after.mtu_cap()), (before.vl_cap(), before.mtu_cap()));
        assert_eq!(after.link_width_active(), before.link_width_active());
        assert_eq!((after.guid_cap(), after.diag_code()), (before.guid_cap(), 0));
        assert_eq!(after.m_key_violations(), 0);
        assert_eq!(after.client_reregister(), 1, "echoed");
        let again: PortInfo = lab.get(to, number);
        assert_eq!(again.client_reregister(), 0, "and not kept");
    }
    // A base port 0 has no lanes and no LMC.
    let before: PortInfo = lab.get(TO_SPINE, 0);
    assert_eq!(lab.set_status(TO_SPINE, 0, &all), Status::INVALID_VALUE);
    all.set_lmc(0);
    all.set_neighbor_mtu(15);
    let after = lab.set(TO_SPINE, 0, &all);
    assert_eq!((after.lid(), after.neighbor_mtu()), (0x1234, before.neighbor_mtu()));
}

#[test]
fn values_that_a_port_cannot_have() {
    let mut lab = Lab::new();
    let mut refused = |name: &str, edit: fn(&mut PortInfo)| {
        let before: PortInfo = lab.get(TO_B1, 0);
        assert_eq!(lab.change_status(TO_B1, 0, edit), Status::INVALID_VALUE, "{name}");
        // A good field in a bad request is not stored either.
        let both = |p: &mut PortInfo| {
            edit(p);
            p.set_subnet_timeout(9);
        };
        assert_eq!(lab.change_status(TO_B1, 0, both), Status::INVALID_VALUE, "{name}");
        assert_eq!(lab.get::<PortInfo>(TO_B1, 0), before, "{name}");
    };
    refused("OperVLs above VLCap", |p| p.set_oper_vls(5));
    refused("OperVLs without a meaning", |p| p.set_oper_vls(6));
    refused("MTU above MTUCap", |p| p.set_neighbor_mtu(6));
    refused("MTU 0", |p| p.set_neighbor_mtu(0));
    refused("a multicast LID", |p| p.set_lid(0xC000));
    refused("a permissive SM LID", |p| p.set_sm_lid(0xFFFF));
    refused("a width that is not supported", |p| p.set_link_width_enabled(8));
    refused("a speed that is not supported", |p| p.set_link_speed_enabled(8));
    refused("LinkDownDefaultState 3", |p| p.set_link_down_default_state(3));
    refused("PortPhysicalState LinkUp", |p| p.set_port_physical_state(5));
}

#[test]
fn zeros_that_change_nothing_and_codes_for_all() {
    let mut lab = Lab::new();
    let before: PortInfo = lab.get(TO_B1, 0);
    let after = lab.change(TO_B1, 0, |p| {
        p.set_oper_vls(0);
        p.set_link_width_enabled(0);
        p.set_link_speed_enabled(0);
        p.set_link_down_default_state(0);
    });
    assert_eq!(after, before);
    lab.change(TO_B1, 0, |p| {
        p.set_link_width_enabled(1);
        p.set_link_speed_enabled(1);
    });
    let after = lab.change(TO_B1, 0, |p| {
        p.set_link_width_enabled(255);
        p.set_link_speed_enabled(15);
    });
    assert_eq!(after, before);
}

#[test]
fn switch_info_keeps_what_can_be_written() {
    let mut lab = Lab::new();
    let before: SwitchInfo = lab.get(TO_LEAF, 0);
    assert_eq!((before.linear_fdb_cap(), before.enhanced_port0()), (0xC000, 1));
    assert_eq!(before.port_state_change(), 1, "links have come up");
    let mut wanted = SwitchInfo([0xFF; 20]);
    wanted.set_linear_fdb_top(0xBFFF);
    wanted.set_port_state_change(0);
    let after = lab.set(TO_LEAF, 0, &wanted);
    assert_eq!((after.linear_fdb_top(), after.life_time_value()), (0xBFFF, 31));
    assert_eq!((after.linear_fdb_cap(), after.lids_per_port()), (0xC000, 0));
    assert_eq!((after.optimized_sl2vl(), after.multicast_fdb_top()), (0, 0));
    assert_eq!(after.port_state_change(), 1, "only a 1 clears it");
    wanted.set_port_state_change(1);
    assert_eq!(lab.set(TO_LEAF, 0, &wanted).port_state_change(), 0);
    wanted.set_linear_fdb_top(0xC000);
    assert_eq!(lab.set_status(TO_LEAF, 0, &wanted), Status::INVALID_VALUE);
    wanted.set_linear_fdb_top(1);
    wanted.set_default_port(7);
    assert_eq!(lab.set_status(TO_LEAF, 0, &wanted), Status::INVALID_VALUE);
}

#[test]
fn the_multicast_top_where_the_switch_knows_it() {
    let mut options = SimOptions::default();
    options.switch.port_zero.capability_mask |= cap_mask::MULTICAST_FDB_TOP;
    let mut lab = Lab::with(&options);
    let mut info: SwitchInfo = lab.get(TO_LEAF, 0);
    info.set_multicast_fdb_top(0xC010);
    assert_eq!(lab.set(TO_LEAF, 0, &info).multicast_fdb_top(), 0xC010);
}

#[test]
fn forwarding_tables_and_their_ends() {
    let mut options = SimOptions::default();
    options.exception(&fabric(), SPINE).unwrap().switch.linear_fdb_cap = 100;
    options.exception(&fabric(), SPINE).unwrap().switch.multicast_fdb_cap = 0;
    let mut lab = Lab::with(&options);
    let ports = LinearForwardingTable(std::array::from_fn(|i| i as u8));
    assert_eq!(lab.get::<LinearForwardingTable>(TO_LEAF, 767).0, [255; 64]);
    assert_eq!(lab.set(TO_LEAF, 767, &ports), ports);
    assert_eq!(lab.get::<LinearForwardingTable>(TO_LEAF, 767), ports);
    assert_eq!(lab.sim.lft(lab.switch(LEAF), lk_wire::Lid(0xBFFF)), PortNum(63));
    for block in [768, 1024, 0x1_0000] {
        assert_eq!(lab.set_status(TO_LEAF, block, &ports), Status::INVALID_VALUE);
        assert_eq!(lab.get_status(TO_LEAF, attr::LFT, block), Status::INVALID_VALUE);
    }
    // The last block of a table of 100 LIDs has 36.
    let short = lab.set(TO_SPINE, 1, &ports);
    assert_eq!((short.get(35), short.get(36)), (Some(PortNum(35)), Some(PortNum(255))));
    assert_eq!(lab.get_status(TO_SPINE, attr::LFT, 2), Status::INVALID_VALUE);

    let masks = MulticastForwardingTable([0x5A; 64]);
    let last = MulticastForwardingTable::modifier(0, 31);
    assert_eq!(lab.set(TO_LEAF, last, &masks), masks);
    assert_eq!(lab.sim.mft_block(lab.switch(LEAF), 0, 31), masks);
    assert_eq!(lab.get::<MulticastForwardingTable>(TO_LEAF, 30).0, [0; 64]);
    for modifier in [32, 1 << 28, 1 << 12] {
        assert_eq!(lab.get_status(TO_LEAF, attr::MFT, modifier), Status::INVALID_VALUE);
    }
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(lab.get_status(TO_SPINE, attr::MFT, 0), refused);
}

#[test]
fn partition_keys_by_port_and_block() {
    let mut options = SimOptions::default();
    options.exception(&fabric(), SPINE).unwrap().switch.partition_enforcement_cap = 8;
    options.exception(&fabric(), SPINE).unwrap().partition_cap = 40;
    options.exception(&fabric(), ROUTER).unwrap().partition_cap = 0;
    let mut lab = Lab::with(&options);
    let fresh: PKeyTable = lab.get(TO_B1, 0);
    assert_eq!(fresh.iter().filter(|k| k.is_valid()).collect::<Vec<_>>(), [PKey(0xFFFF)]);
    let keys: PKeyTable = (0..32).map(|i| PKey(0x8001 + i)).collect();
    // An adapter's two ports have a table each, of 64 keys.
    lab.set(TO_B1, 1, &keys);
    assert_eq!(lab.get::<PKeyTable>(TO_B1, 1), keys);
    assert_eq!(lab.get::<PKeyTable>(TO_B1, 0), fresh);
    assert_eq!(lab.get::<PKeyTable>(TO_B2, 1), PKeyTable::default());
    assert_eq!(lab.get_status(TO_B1, attr::PKEY_TABLE, 2), Status::INVALID_VALUE);
    // A switch's external ports hold 8, its port 0 holds 40.
    let at = PKeyTable::modifier;
    let short = lab.set(TO_SPINE, at(0, PortNum(3)), &keys);
    assert_eq!(short.iter().filter(|k| k.is_valid()).count(), 8);
    assert_eq!(lab.sim.pkeys(lab.port(SPINE, 3), 0), short);
    let second = lab.set(TO_SPINE, at(1, PortNum(0)), &keys);
    assert_eq!(second.iter().filter(|k| k.is_valid()).count(), 8);
    assert_eq!(lab.sim.pkeys(lab.port(SPINE, 0), 1), second);
    assert_eq!(lab.get::<PKeyTable>(TO_SPINE, at(0, PortNum(1))).get(0), Some(PKey(0xFFFF)));
    for modifier in [at(1, PortNum(3)), at(2, PortNum(0)), at(0, PortNum(5)), 1 << 24] {
        assert_eq!(lab.get_status(TO_SPINE, attr::PKEY_TABLE, modifier), Status::INVALID_VALUE);
    }
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(lab.get_status(TO_ROUTER, attr::PKEY_TABLE, 0), refused);
}

#[test]
fn guids_beside_the_ports_own() {
    let mut lab = Lab::new();
    let mut block: GuidInfo = lab.get(TO_A, 0);
    assert_eq!((block.get(0), block.get(1)), (Some(Guid(0x1a1)), Some(Guid(0))));
    block.set(0, Guid(1));
    block.set(1, Guid(2));
    let stored = lab.set(TO_A, 0, &block);
    assert_eq!((stored.get(0), stored.get(1)), (Some(Guid(0x1a1)), Some(Guid(2))));
    assert_eq!(lab.sim.guids(lab.a, 0), stored);
    lab.set(TO_B2, 3, &block);
    assert_eq!(lab.get::<GuidInfo>(TO_B2, 3), block);
    assert_eq!(lab.get::<GuidInfo>(TO_B1, 3), GuidInfo::default());
    assert_eq!(lab.get_status(TO_A, attr::GUID_INFO, 4), Status::INVALID_VALUE);
    // A switch has one, that of port 0.
    let own = lab.set(TO_LEAF, 0, &block);
    assert_eq!((own.get(0), own.get(1)), (Some(LEAF), Some(Guid(0))));
    assert_eq!(lab.get_status(TO_LEAF, attr::GUID_INFO, 1), Status::INVALID_VALUE);
}

#[test]
fn sm_info_is_for_the_manager_at_the_port() {
    let mut lab = Lab::new();
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(lab.get_status(TO_B2, attr::SM_INFO, 0), refused);
    let b2 = lab.port(B, 2);
    lab.sim.set_is_sm(0, b2, true);
    assert!(lab.get::<PortInfo>(TO_B2, 0).has_capability(cap_mask::IS_SM));
    assert!(lab.try_get(TO_B2, attr::SM_INFO, 0).is_none(), "the manager answers, later");
    let got = lab.sim.receive(0).unwrap();
    assert_eq!(got.to, b2);
    let request = lk_wire::Smp(got.mad);
    assert_eq!((request.hop_pointer(), request.hop_count()), (3, 2));
    // The manager answers along the same route.
    let mut answer = request.response(Status::OK);
    let mut info = SmInfo::default();
    info.set_priority(7);
    answer.set_attribute(&info);
    assert!(lab.sim.exchange(0, b2, &answer.0).is_none());
    let got = lab.sim.receive(0).unwrap();
    assert_eq!(got.to, lab.a);
    assert_eq!(lk_wire::Smp(got.mad).attribute::<SmInfo>().priority(), 7);
    lab.sim.set_is_sm(0, b2, false);
    assert_eq!(lab.get_status(TO_B2, attr::SM_INFO, 0), refused);
}

#[test]
fn notices_are_kept_for_those_who_ask() {
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(Lab::new().get_status(TO_LEAF, attr::NOTICE, 0), refused);
    let mut options = SimOptions::default();
    options.switch.port_zero.capability_mask |= cap_mask::NOTICE;
    let mut lab = Lab::with(&options);
    // The links that came up at power-on.
    let first: Notice = lab.get(TO_LEAF, 0);
    assert_eq!(first.trap_number(), 128);
    let mut seen = first.count();
    while seen > 0 {
        let left: Notice = lab.set(TO_LEAF, 0, &first);
        assert_eq!(left.count(), seen - 1);
        seen = left.count();
    }
    assert_eq!(lab.get::<Notice>(TO_LEAF, 0), Notice::default());
}

#[test]
fn the_vendors_port_information() {
    let mut options = SimOptions::default();
    options.exception(&fabric(), ROUTER).unwrap().mlnx_ext_port_info = Some(false);
    let mut lab = Lab::with(&options);
    let mut info: MlnxExtPortInfo = lab.get(TO_LEAF, 1);
    assert_eq!(info.link_speed_supported(), 0);
    info.set_state_change_enable(3);
    assert_eq!(lab.set(TO_LEAF, 1, &info).state_change_enable(), 3);
    assert_eq!(lab.get::<MlnxExtPortInfo>(TO_LEAF, 2).state_change_enable(), 0);
    info.set_link_speed_enabled(MlnxExtPortInfo::FDR10);
    assert_eq!(lab.set_status(TO_LEAF, 1, &info), Status::INVALID_VALUE);
    let refused = Status::METHOD_ATTR_UNSUPPORTED;
    assert_eq!(lab.get_status(TO_ROUTER, attr::MLNX_EXT_PORT_INFO, 0), refused);
}
