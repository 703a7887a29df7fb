//! Services and their leases.

use lk_wire::sa::*;
use lk_wire::{Gid, Guid, method};

use crate::sa::testing::{Ask, GUIDS, Lab};
use crate::time::Duration;

const ALL: u64 = service_mask::SERVICE_ID
    | service_mask::GID
    | service_mask::PKEY
    | service_mask::LEASE
    | service_mask::KEY
    | service_mask::NAME;

fn service(id: u64) -> ServiceRecord {
    let mut record = ServiceRecord::default();
    record.set_service_id(id);
    record.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[3]) });
    record.set_pkey(0xFFFF);
    record.set_lease(ServiceRecord::FOREVER);
    record.set_key_high(0x4B4B);
    record.set_name(b"svc");
    record.set_data(&[7; 64]);
    record
}

fn announce(lab: &mut Lab, record: &ServiceRecord) -> Result<(), u16> {
    lab.ask(&Ask::new(method::SET, ALL, record)).map(drop)
}

#[test]
fn a_service_is_announced_found_and_withdrawn() {
    let mut lab = Lab::plain();
    for id in [1, 2] {
        announce(&mut lab, &service(id)).unwrap();
    }
    let shown = |id| {
        let mut shown = service(id);
        shown.hide_key();
        shown
    };
    let all = Ask::new(method::GET_TABLE, 0, &ServiceRecord::default());
    assert_eq!(lab.records::<ServiceRecord>(&all), [shown(2), shown(1)], "the newest first");
    for component in service_mask::COMPONENTS.iter().filter(|c| c.bit != 0) {
        let ask = Ask::new(method::GET_TABLE, 1 << component.bit, &service(1));
        assert_eq!(lab.count(&ask), 2, "component {}", component.bit);
        let mut other = service(1);
        lk_wire::set_bits(&mut other.0, component.offset, component.length.min(64), 0x5A5A_5A5A);
        let ask = Ask::new(method::GET_TABLE, 1 << component.bit, &other);
        assert_eq!(lab.count(&ask), 0, "component {}", component.bit);
    }
    let one = Ask::new(method::GET, service_mask::SERVICE_ID, &service(1));
    assert_eq!(lab.records::<ServiceRecord>(&one), [shown(1)]);
    assert_eq!(lab.records::<ServiceRecord>(&one.clone().trusted()), [service(1)]);
    let delete = Ask::new(method::DELETE, ALL, &service(1));
    assert_eq!(lab.records::<ServiceRecord>(&delete), [shown(1)]);
    assert_eq!(lab.ask(&delete), Err(sa_status::NO_RECORDS.0));
    assert_eq!(lab.ask(&one), Err(sa_status::NO_RECORDS.0));
}

#[test]
fn what_opensm_refuses_is_refused() {
    let mut lab = Lab::plain();
    let invalid = Err(sa_status::REQ_INVALID.0);
    for missing in [service_mask::SERVICE_ID, service_mask::GID] {
        let ask = Ask::new(method::SET, ALL & !missing, &service(1));
        assert_eq!(lab.ask(&ask), invalid);
    }
    for enough in [service_mask::PKEY, service_mask::LEASE, service_mask::KEY, service_mask::NAME] {
        let ask = Ask::new(method::SET, ALL & !enough, &service(enough));
        assert!(lab.ask(&ask).is_ok());
    }
    let mut record = service(1);
    record.set_pkey(0x8001);
    assert_eq!(announce(&mut lab, &record), Err(0x200), "the asker is not in that partition");
    record.set_pkey(0x7FFF);
    assert_eq!(announce(&mut lab, &record), Ok(()));
    record.set_pkey(0);
    assert_eq!(announce(&mut lab, &record), Ok(()));
    record.set_gid(Gid { prefix: 0xFE80 << 48, guid: Guid(0x9999) });
    assert_eq!(announce(&mut lab, &record), Err(0x200), "no port has this GID");
    let set = Ask::new(method::GET_TABLE + 1, 0, &record);
    assert_eq!(lab.ask(&set), Err(lk_wire::Status::METHOD_ATTR_UNSUPPORTED.0));
}

#[test]
fn a_lease_ends() {
    let mut lab = Lab::plain();
    let mut record = service(1);
    record.set_lease(3);
    announce(&mut lab, &record).unwrap();
    assert_eq!(lab.sa.deadline(), Some(lab.now + Duration::secs(3)));
    let one = Ask::new(method::GET_TABLE, service_mask::SERVICE_ID, &record);
    lab.now = lab.now + Duration::millis(2900);
    let found: Vec<ServiceRecord> = lab.records(&one);
    assert_eq!(found[0].lease(), 3, "it shows as it was announced");
    lab.now = lab.now + Duration::millis(200);
    assert_eq!(lab.count(&one), 0);
    assert_eq!(lab.sa.deadline(), None);
}
