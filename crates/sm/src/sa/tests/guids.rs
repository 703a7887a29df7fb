//! Alias GUIDs.

use lk_wire::sa::*;
use lk_wire::{Gid, Guid, method};

use crate::sa::Context;
use crate::sa::testing::{Ask, GUIDS, Lab};

const BOTH: u64 = guid_info_mask::LID | guid_info_mask::BLOCK;

fn record(lid: u16, block: u8, guids: &[(usize, u64)]) -> GuidInfoRecord {
    let mut record = GuidInfoRecord::default();
    record.set_lid(lid);
    record.set_block(block);
    let mut table = record.table();
    for (index, guid) in guids {
        table.set(*index, Guid(*guid));
    }
    record.set_table(&table);
    record
}

const fn at(index: usize) -> u64 {
    guid_info_mask::GUID_0 << index
}

#[test]
fn aliases_are_set_shown_used_and_deleted() {
    let mut lab = Lab::plain();
    let set = Ask::new(method::SET, BOTH | at(1) | at(2), &record(4, 0, &[(1, 0xA0B0)]));
    let held: GuidInfoRecord = lab.records(&set)[0];
    let guids: Vec<u64> = held.table().iter().map(|g| g.0).take(3).collect();
    assert_eq!(guids, [GUIDS[3], 0xA0B0, 0x0014_0500_0000_0001]);
    let get = Ask::new(method::GET, BOTH, &record(4, 0, &[]));
    assert_eq!(lab.records::<GuidInfoRecord>(&get), [held]);
    let by_guid = Ask::new(method::GET, at(1), &record(0, 0, &[(1, 0xA0B0)]));
    assert_eq!(lab.records::<GuidInfoRecord>(&by_guid), [held]);

    let sa = &lab.sa;
    let context = Context {
        served: sa.served.as_ref().unwrap(),
        aliases: &sa.aliases,
        groups: &sa.groups,
        activity: 0,
    };
    let gid = |guid| Gid { prefix: 0xFE80 << 48, guid: Guid(guid) };
    let port = context.port_by_gid(gid(0xA0B0)).expect("the alias's port");
    assert_eq!(context.view().seen.fabric.port(port).guid, Guid(GUIDS[3]));
    assert_eq!(context.port_by_gid(gid(0xA0B1)), None);
    assert_eq!(context.port_by_gid(Gid { prefix: 5, guid: Guid(0xA0B0) }), None);

    let delete = Ask::new(method::DELETE, BOTH | at(1), &record(4, 0, &[]));
    let left: GuidInfoRecord = lab.records(&delete)[0];
    assert_eq!(left.table().get(1), Some(Guid(0)));
    assert_eq!(lab.records::<GuidInfoRecord>(&delete), [left], "once more does no harm");
    assert!(lab.sa.aliases.is_unwritten());
}

#[test]
fn what_cannot_be_is_refused_with_opensms_status() {
    let mut lab = Lab::plain();
    let cases = [
        (guid_info_mask::LID | at(1), record(4, 0, &[]), sa_status::INSUFFICIENT_COMPONENTS),
        (guid_info_mask::BLOCK | at(1), record(4, 0, &[]), sa_status::INSUFFICIENT_COMPONENTS),
        (BOTH | at(1), record(99, 0, &[]), sa_status::NO_RECORDS),
        (BOTH | at(1), record(4, 2, &[]), sa_status::NO_RECORDS),
        (BOTH | at(0), record(4, 0, &[]), sa_status::REQ_INVALID),
    ];
    for (mask, record, status) in cases {
        for method in [method::SET, method::DELETE] {
            assert_eq!(lab.ask(&Ask::new(method, mask, &record)), Err(status.0));
        }
    }
}

#[test]
fn nobody_takes_the_guid_of_another() {
    let mut lab = Lab::plain();
    let set = Ask::new(method::SET, BOTH | at(1), &record(4, 0, &[(1, GUIDS[5])]));
    let held: GuidInfoRecord = lab.records(&set)[0];
    assert_eq!(held.table().get(1), Some(Guid(0)), "it stays as it was");
    let second = Ask::new(method::SET, BOTH | at(0), &record(4, 1, &[(0, 0xBEEF)]));
    assert_eq!(lab.records::<GuidInfoRecord>(&second)[0].table().get(0), Some(Guid(0xBEEF)));
    let again = Ask::new(method::SET, BOTH | at(3), &record(5, 0, &[(3, 0xBEEF)]));
    assert_eq!(lab.records::<GuidInfoRecord>(&again)[0].table().get(3), Some(Guid(0)));
}
