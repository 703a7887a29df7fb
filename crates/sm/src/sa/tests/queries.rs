//! Each record by each of its selectors: nodes, ports, links, switches, managers.

use lk_wire::sa::*;
use lk_wire::{Gid, Guid, NodeDescription, NodeInfo, PortInfo, cap_mask, method};

use crate::sa::testing::{Ask, GUIDS, Lab};

const TABLE: u8 = method::GET_TABLE;
const GET: u8 = method::GET;

fn lids(records: &[NodeRecord]) -> Vec<u16> {
    records.iter().map(NodeRecord::lid).collect()
}

#[test]
fn nodes_come_in_opensms_order_with_what_nodeinfo_holds() {
    let mut lab = Lab::plain();
    let all: Vec<NodeRecord> = lab.records(&Ask::new(TABLE, 0, &NodeRecord::default()));
    // Switches 0x200000 and 0x200001, then the hosts: the last byte of a node's GUID weighs most.
    assert_eq!(lids(&all), [2, 3, 1, 4, 5, 6, 7, 8]);
    let host: NodeInfo = all[3].info();
    assert_eq!((host.node_type(), host.num_ports(), host.local_port_num()), (1, 1, 1));
    assert_eq!((host.port_guid(), host.node_guid()), (0x100003, 0x800003));
    assert_eq!((host.base_version(), host.class_version(), host.partition_cap()), (1, 1, 32));
    assert_eq!(all[0].info().node_type(), 2);
    assert_eq!(all[3].description().text(), "host");
}

#[test]
fn nodes_by_each_component() {
    let mut lab = Lab::plain();
    let all: Vec<NodeRecord> = lab.records(&Ask::new(TABLE, 0, &NodeRecord::default()));
    let host = all[3];
    for component in node_mask::COMPONENTS {
        let mask = 1 << component.bit;
        let found: Vec<NodeRecord> = lab.records(&Ask::new(TABLE, mask, &host));
        assert!(found.contains(&host), "component {}", component.bit);
        let mut other = host;
        lk_wire::set_bits(&mut other.0, component.offset, component.length.min(64), 0x5A5A_5A5A);
        let found: Vec<NodeRecord> = lab.records(&Ask::new(TABLE, mask, &other));
        assert!(!found.contains(&host), "component {} does not count", component.bit);
    }
    let one = node_mask::LID | node_mask::PORT_GUID | node_mask::NODE_GUID;
    for bit in [node_mask::LID, node_mask::PORT_GUID, node_mask::NODE_GUID, one] {
        assert_eq!(lab.records::<NodeRecord>(&Ask::new(GET, bit, &host)), [host]);
    }
    let mut named = NodeRecord::default();
    named.set_description(&NodeDescription::from_text("sw"));
    assert_eq!(lab.count(&Ask::new(TABLE, node_mask::DESCRIPTION, &named)), 2);
}

#[test]
fn a_get_wants_one_record() {
    let mut lab = Lab::plain();
    let mut asked = NodeRecord::default();
    assert_eq!(lab.ask(&Ask::new(GET, 0, &asked)), Err(sa_status::TOO_MANY_RECORDS.0));
    asked.set_lid(99);
    assert_eq!(lab.ask(&Ask::new(GET, 1, &asked)), Err(sa_status::NO_RECORDS.0));
    assert_eq!(lab.ask(&Ask::new(TABLE, 1, &asked)), Ok(vec![]), "an empty table is no error");
    for lid in [0, 0xC000, 0xFFFF] {
        asked.set_lid(lid);
        assert_eq!(lab.ask(&Ask::new(GET, 1, &asked)), Err(sa_status::NO_RECORDS.0));
    }
}

#[test]
fn what_is_not_served_is_refused_at_once() {
    let mut lab = Lab::plain();
    let unsupported = Err(lk_wire::Status::METHOD_ATTR_UNSUPPORTED.0);
    let mut ask = Ask::new(method::SET, 0, &NodeRecord::default());
    assert_eq!(lab.ask(&ask), unsupported);
    ask.header.set_method(GET);
    for attribute in [sa_attr::TRACE_RECORD, sa_attr::RFT_RECORD, 0x77, 0xFFFF] {
        ask.header.set_attr_id(attribute);
        assert_eq!(lab.ask(&ask), unsupported);
    }
}

#[test]
fn whoever_cannot_be_known_gets_no_answer() {
    let mut lab = Lab::plain();
    let mut ask = Ask::new(GET, 0, &ClassPortInfo::default());
    assert_eq!(lab.try_ask(&ask.clone().from(77)), None, "no port has this LID");
    ask.header.set_sm_key(5);
    assert_eq!(lab.try_ask(&ask), None, "the wrong key");
    ask.header.set_sm_key(0);
    ask.header.set_base_version(2);
    assert_eq!(lab.try_ask(&ask), None, "another version");
}

#[test]
fn class_port_info_promises_qos_where_there_is_qos() {
    for qos in [false, true] {
        let options = lk_config::Options { qos, ..Default::default() };
        let mut lab = Lab::new(crate::sa::testing::view(options));
        let ask = Ask::new(GET, 0, &ClassPortInfo::default());
        let info = lab.records::<ClassPortInfo>(&ask)[0];
        assert_eq!(info.capability_mask2() & sa_capability2::QOS != 0, qos);
        assert_eq!(
            (info.capability_mask(), info.class_version(), info.resp_time()),
            (0x2602, 2, 16)
        );
        assert_eq!(info.capability_mask2() | sa_capability2::QOS, 0xB5EA);
        assert_eq!((info.redirect_lid(), info.trap_qkey()), (0, 0x8001_0000));
    }
}

#[test]
fn ports_by_lid_and_number() {
    let mut lab = Lab::plain();
    let mut asked = PortInfoRecord::default();
    // Two switches with ports 0 to 8, six hosts.
    assert_eq!(lab.count(&Ask::new(TABLE, 0, &asked)), 2 * 9 + 6);
    asked.set_lid(2);
    assert_eq!(lab.count(&Ask::new(TABLE, port_info_mask::LID, &asked)), 9);
    asked.set_port_num(8);
    let both = port_info_mask::LID | port_info_mask::PORT_NUM;
    let port: PortInfoRecord = lab.records(&Ask::new(GET, both, &asked))[0];
    assert_eq!((port.lid(), port.port_num()), (2, 8));
    assert_eq!(PortInfo::port_state(&port.info()), 4);
    asked.set_lid(4);
    assert_eq!(lab.ask(&Ask::new(GET, both, &asked)), Err(sa_status::NO_RECORDS.0));
    let host: PortInfoRecord = lab.records(&Ask::new(GET, port_info_mask::LID, &asked))[0];
    assert_eq!((host.lid(), host.port_num(), host.info().lid()), (4, 1, 4));
}

#[test]
fn ports_by_each_component_of_port_info() {
    let mut lab = Lab::plain();
    let mut asked = PortInfoRecord::default();
    asked.set_lid(4);
    let host: PortInfoRecord = lab.records(&Ask::new(GET, port_info_mask::LID, &asked))[0];
    for component in port_info_mask::COMPONENTS {
        let ask = |record| Ask::new(TABLE, 1 << component.bit, record).trusted();
        let mut same: Vec<PortInfoRecord> = lab.records(&ask(&host).trusted());
        same.iter_mut().for_each(|r| {
            let mut info = r.info();
            info.set_m_key(0);
            r.set_info(&info);
        });
        let is_key = component.bit == 3;
        assert!(is_key || same.contains(&host), "component {}", component.bit);
        if component.bit == 2 {
            continue;
        }
        let mut other = host;
        let now = lk_wire::get_bits(&host.0, component.offset, component.length);
        lk_wire::set_bits(&mut other.0, component.offset, component.length, !now);
        let found: Vec<PortInfoRecord> = lab.records(&ask(&other));
        assert!(!found.contains(&host), "component {} does not count", component.bit);
    }
}

#[test]
fn capabilities_match_when_a_port_has_at_least_those() {
    let mut lab = Lab::plain();
    let mut info = PortInfo::default();
    info.set_capability_mask(cap_mask::SL_MAPPING);
    let mut asked = PortInfoRecord::default();
    asked.set_info(&info);
    let ask = Ask::new(TABLE, port_info_mask::CAPABILITY_MASK, &asked);
    let at_least = ask.clone().modifier(PortInfoRecord::MATCH_CAPABILITIES);
    assert_eq!((lab.count(&ask), lab.count(&at_least)), (24, 24));
    info.set_capability_mask(cap_mask::SL_MAPPING | cap_mask::IS_SM);
    asked.set_info(&info);
    let ask = Ask::new(TABLE, port_info_mask::CAPABILITY_MASK, &asked);
    assert_eq!(lab.count(&ask.modifier(PortInfoRecord::MATCH_CAPABILITIES)), 0);
    info.set_capability_mask(0);
    asked.set_info(&info);
    let ask = Ask::new(TABLE, port_info_mask::CAPABILITY_MASK, &asked);
    assert_eq!(lab.count(&ask.clone().modifier(PortInfoRecord::MATCH_CAPABILITIES)), 24);
    assert_eq!(lab.count(&ask), 0);
}

#[test]
fn links_by_either_end() {
    let mut lab = Lab::plain();
    let mut asked = LinkRecord::default();
    // Seven cables, each in both directions.
    assert_eq!(lab.count(&Ask::new(TABLE, 0, &asked)), 14);
    asked.set_from_lid(2);
    asked.set_to_lid(3);
    asked.set_from_port(8);
    asked.set_to_port(8);
    let counts = [
        (link_mask::FROM_LID, 4),
        (link_mask::TO_LID, 4),
        (link_mask::FROM_LID | link_mask::TO_LID, 1),
        (link_mask::FROM_LID | link_mask::FROM_PORT, 1),
        (link_mask::FROM_PORT, 2),
        (link_mask::TO_PORT, 2),
        (link_mask::TO_PORT | link_mask::FROM_PORT, 2),
    ];
    for (mask, count) in counts {
        assert_eq!(lab.count(&Ask::new(TABLE, mask, &asked)), count, "mask {mask:#x}");
    }
    let link: LinkRecord = lab.records(&Ask::new(GET, 0xF, &asked))[0];
    assert_eq!(link, asked);
    asked.set_from_port(7);
    assert_eq!(lab.ask(&Ask::new(GET, 0xF, &asked)), Err(sa_status::NO_RECORDS.0));
    asked.set_to_lid(99);
    assert_eq!(lab.count(&Ask::new(TABLE, link_mask::TO_LID, &asked)), 0);
}

#[test]
fn switches_by_lid_and_by_what_they_hold() {
    let mut lab = Lab::plain();
    let mut asked = SwitchInfoRecord::default();
    let all: Vec<SwitchInfoRecord> = lab.records(&Ask::new(TABLE, 0, &asked));
    assert_eq!(all.iter().map(|r| r.lid()).collect::<Vec<_>>(), [2, 3]);
    asked.set_lid(3);
    assert_eq!(lab.count(&Ask::new(TABLE, switch_info_mask::LID, &asked)), 1);
    asked.set_lid(4);
    assert_eq!(lab.ask(&Ask::new(GET, 1, &asked)), Err(sa_status::NO_RECORDS.0));
    let top = switch_info_mask::LINEAR_FDB_TOP;
    assert_eq!(lab.count(&Ask::new(TABLE, top, &all[0])), 2);
    assert_eq!(lab.count(&Ask::new(TABLE, top, &asked)), 0);
}

#[test]
fn the_own_manager_is_shown_without_its_key() {
    let mut lab = Lab::plain();
    let mut asked = SmInfoRecord::default();
    for ask in [Ask::new(GET, 0, &asked), Ask::new(GET, 0, &asked).trusted()] {
        let record: SmInfoRecord = lab.records(&ask)[0];
        let info = record.info();
        assert_eq!((record.lid(), info.guid(), info.sm_state()), (1, GUIDS[0], 3));
        assert_eq!(info.sm_key(), 0);
    }
    asked.set_lid(4);
    assert_eq!(lab.ask(&Ask::new(GET, 1, &asked)), Err(sa_status::NO_RECORDS.0));
    let mut info = lk_wire::SmInfo::default();
    info.set_sm_key(77);
    asked.set_info(&info);
    assert_eq!(lab.count(&Ask::new(TABLE, sm_info_mask::SM_KEY, &asked)), 1, "no guessing");
    assert_eq!(lab.count(&Ask::new(TABLE, sm_info_mask::GUID, &asked)), 0);
}

#[test]
fn ports_without_a_link_show_what_they_hold() {
    let mut lab = Lab::plain();
    let mut asked = PortInfoRecord::default();
    asked.set_lid(2);
    asked.set_port_num(7);
    let both = port_info_mask::LID | port_info_mask::PORT_NUM;
    let info = lab.records::<PortInfoRecord>(&Ask::new(GET, both, &asked))[0].info();
    assert_eq!((PortInfo::port_state(&info), info.mtu_cap(), info.vl_cap()), (1, 5, 3));
}

/// As opensm answers, of which it was asked.
#[test]
fn a_get_of_a_path_gives_one_whatever_number_is_asked_for() {
    let mut lab = Lab::plain();
    let mut asked = PathRecord::default();
    asked.set_slid(4);
    asked.set_dlid(6);
    let ends = path_mask::SLID | path_mask::DLID;
    for (mask, number, table) in [
        (ends, 0, 0),
        (ends, 1, 1),
        (path_mask::SLID, 0, 0),
        (path_mask::SLID, 1, 8),
        (path_mask::DLID, 3, 8),
    ] {
        asked.set_numb_path(number);
        let mask = mask | path_mask::NUMB_PATH;
        let got: Vec<PathRecord> = lab.records(&Ask::new(GET, mask, &asked));
        assert_eq!(got.len(), 1, "NumbPath {number}");
        assert_eq!(lab.count(&Ask::new(TABLE, mask, &asked)), table, "NumbPath {number}");
    }
}

#[test]
fn open_ends_of_a_path_are_ports_and_not_their_aliases() {
    let mut lab = Lab::plain();
    let mut alias = GuidInfoRecord::default();
    alias.set_lid(6);
    let mut guids = alias.table();
    guids.set(1, Guid(0xA0B0));
    alias.set_table(&guids);
    let set = guid_info_mask::LID | guid_info_mask::BLOCK | guid_info_mask::GUID_0 << 1;
    lab.ask(&Ask::new(method::SET, set, &alias).from(6)).expect("an alias");
    let mut asked = PathRecord::default();
    asked.set_slid(4);
    let all: Vec<PathRecord> = lab.records(&Ask::new(TABLE, path_mask::SLID, &asked));
    assert!(all.iter().all(|path| path.dgid().guid != Guid(0xA0B0)));
    assert_eq!(all.iter().filter(|path| path.dlid() == 6).count(), 1);
    asked.set_dgid(Gid { prefix: 0xFE80 << 48, guid: Guid(0xA0B0) });
    let by_alias = Ask::new(TABLE, path_mask::SLID | path_mask::DGID, &asked);
    let paths: Vec<PathRecord> = lab.records(&by_alias);
    assert_eq!(
        paths.iter().map(|p| (p.dlid(), p.dgid().guid)).collect::<Vec<_>>(),
        [(6, Guid(0xA0B0))]
    );
}
