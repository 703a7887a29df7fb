//! What untrusted askers must not see: M_Keys, Service Keys, records of other partitions.

use lk_config::Options;
use lk_wire::sa::*;
use lk_wire::{Gid, Guid, PortInfo, method};

use crate::io::View;
use crate::sa::testing::{Ask, GUIDS, Lab, give_keys, view_with};

const TABLE: u8 = method::GET_TABLE;

/// LIDs 4 and 5 are in partition 1, 6 and 7 in partition 2, of which 7 is limited; 8 is a
/// limited member of both, and the switches and the SM are in all.
fn partitions() -> View {
    let mut view = view_with(Options::default(), |seen| {
        let keys: [(usize, &[u16]); 8] = [
            (0, &[0x8001, 0x8002]),
            (1, &[0x8001, 0x8002]),
            (2, &[0x8001, 0x8002]),
            (3, &[0x8001]),
            (4, &[0x8001]),
            (5, &[0x8002]),
            (6, &[0x0002]),
            (7, &[0x0001, 0x0002]),
        ];
        for (at, keys) in keys {
            give_keys(seen, GUIDS[at], keys);
        }
    });
    std::sync::Arc::make_mut(&mut view.desired).pkeys.clear();
    view
}

fn nodes_seen_by(lab: &mut Lab, lid: u16) -> Vec<u16> {
    let ask = Ask::new(TABLE, 0, &NodeRecord::default()).from(lid);
    let mut lids: Vec<u16> = lab.records(&ask).iter().map(NodeRecord::lid).collect();
    lids.sort_unstable();
    lids
}

#[test]
fn who_shares_no_partition_is_not_seen() {
    let mut lab = Lab::new(partitions());
    assert_eq!(nodes_seen_by(&mut lab, 4), [1, 2, 3, 4, 5, 8]);
    assert_eq!(nodes_seen_by(&mut lab, 6), [1, 2, 3, 6, 7, 8]);
    assert_eq!(nodes_seen_by(&mut lab, 7), [1, 2, 3, 6], "limited members see full ones only");
    assert_eq!(nodes_seen_by(&mut lab, 8), [1, 2, 3, 4, 5, 6]);
    assert_eq!(nodes_seen_by(&mut lab, 1), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn nor_are_its_ports_links_guids_and_tables() {
    let mut lab = Lab::new(partitions());
    let hidden = |lab: &mut Lab, ask: Ask| lab.count(&ask.from(4));
    let shown = |lab: &mut Lab, ask: Ask| lab.count(&ask.from(1));
    let mut port = PortInfoRecord::default();
    port.set_lid(6);
    let mut link = LinkRecord::default();
    link.set_from_lid(6);
    let mut back = LinkRecord::default();
    back.set_to_lid(6);
    let mut guids = GuidInfoRecord::default();
    guids.set_lid(6);
    let mut lanes = SlToVlRecord::default();
    lanes.set_lid(6);
    let mut weights = VlArbRecord::default();
    weights.set_lid(6);
    let asks = [
        Ask::new(TABLE, port_info_mask::LID, &port),
        Ask::new(TABLE, link_mask::FROM_LID, &link),
        Ask::new(TABLE, link_mask::TO_LID, &back),
        Ask::new(TABLE, guid_info_mask::LID, &guids),
        Ask::new(TABLE, sl_to_vl_mask::LID, &lanes),
        Ask::new(TABLE, vl_arb_mask::LID, &weights),
    ];
    for ask in asks {
        assert_eq!(hidden(&mut lab, ask.clone()), 0, "{:?}", ask.header);
        let header = ask.header;
        assert_ne!(shown(&mut lab, ask), 0, "{header:?}");
    }
}

#[test]
fn services_and_guids_of_other_partitions_can_be_neither_seen_nor_changed() {
    let mut lab = Lab::new(partitions());
    let mut record = ServiceRecord::default();
    record.set_service_id(1);
    record.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[5]) });
    record.set_pkey(0x8002);
    record.set_lease(ServiceRecord::FOREVER);
    let set = Ask::new(method::SET, 0x57, &record);
    assert_eq!(lab.ask(&set.clone().from(4)), Err(sa_status::REQ_INVALID.0));
    assert!(lab.ask(&set.from(6)).is_ok());
    let get = Ask::new(TABLE, 1, &record);
    assert_eq!(lab.count(&get.clone().from(4)), 0);
    assert_eq!(lab.count(&get.clone().from(6)), 1);
    let delete = Ask::new(method::DELETE, 7, &record);
    assert_eq!(lab.ask(&delete.from(4)), Err(sa_status::NO_RECORDS.0));
    assert_eq!(lab.count(&get.from(6)), 1);

    // A port that is in the service's partition, for one that it shares another partition with.
    record.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[4]) });
    for (key, answer) in [(0x8002, Err(sa_status::REQ_INVALID.0)), (0x8001, Ok(()))] {
        record.set_pkey(key);
        let set = Ask::new(method::SET, 0x57, &record).from(1);
        assert_eq!(lab.ask(&set).map(|_| ()), answer, "{key:#06x}");
    }

    let mut guids = GuidInfoRecord::default();
    guids.set_lid(6);
    let set = Ask::new(method::SET, guid_info_mask::LID | guid_info_mask::BLOCK, &guids).from(4);
    assert_eq!(lab.ask(&set), Err(sa_status::NO_RECORDS.0));
}

#[test]
fn an_m_key_is_shown_to_trusted_askers_only_and_cannot_be_guessed() {
    let mut lab = Lab::plain();
    let mut asked = PortInfoRecord::default();
    asked.set_lid(4);
    let ask = Ask::new(method::GET, port_info_mask::LID, &asked);
    let key = |r: Vec<PortInfoRecord>| r[0].info().m_key();
    assert_eq!(key(lab.records(&ask)), 0);
    let told = key(lab.records(&ask.trusted()));
    let mut info = PortInfo::default();
    info.set_m_key(0x1234);
    asked.set_info(&info);
    let guess = Ask::new(TABLE, port_info_mask::LID | port_info_mask::M_KEY, &asked);
    assert_eq!(lab.count(&guess), 0);
    assert_eq!(lab.count(&guess.trusted()), usize::from(told == 0x1234));
}

#[test]
fn a_service_that_is_not_seen_cannot_be_deleted_nor_read_by_deleting_it() {
    let mut lab = Lab::new(partitions());
    let key = service_mask::SERVICE_ID | service_mask::GID | service_mask::PKEY;
    let mut record = ServiceRecord::default();
    record.set_service_id(77);
    record.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[3]) });
    assert!(lab.ask(&Ask::new(method::SET, key, &record).from(4)).is_ok());
    let delete = Ask::new(method::DELETE, key, &record);
    assert_eq!(lab.ask(&delete.clone().from(6)), Err(sa_status::NO_RECORDS.0));
    let all = Ask::new(TABLE, 0, &ServiceRecord::default());
    assert_eq!(lab.count(&all.from(4)), 1);
    assert!(lab.ask(&delete.from(5)).is_ok(), "who shares a partition may, as in OpenSM");
}
