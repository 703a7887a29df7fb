//! A new view, and what an earlier run has stored.

use std::sync::Arc;

use lk_config::Options;
use lk_routing::LidMap;
use lk_wire::sa::*;
use lk_wire::{Gid, Guid, Lid, Notice, Trap, method};

use crate::io::View;
use crate::sa::testing::{Ask, GUIDS, Lab, view};
use crate::time::{Duration, Instant};

const BOTH: u64 = guid_info_mask::LID | guid_info_mask::BLOCK;

fn gid(at: usize) -> Gid {
    Gid { prefix: 0xFE80 << 48, guid: Guid(GUIDS[at]) }
}

/// A view in which the port with this LID has gone and another has a new LID.
fn other_view(gone: u16, moved: (u16, u16)) -> View {
    let mut view = view(Options::default());
    let desired = Arc::make_mut(&mut view.desired);
    let ranges = desired.lids.ranges().iter().filter(|(_, lid, _)| lid.0 != gone);
    let ranges = ranges.map(|(port, lid, lmc)| match lid.0 {
        lid if lid == moved.0 => (*port, Lid(moved.1), *lmc),
        _ => (*port, *lid, *lmc),
    });
    desired.lids = LidMap::new(ranges.collect());
    view
}

fn subscribe(lab: &mut Lab, lid: u16) {
    let mut info = InformInfo::default();
    info.set_lid_begin(0xFFFF);
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_trap_type(0xFFFF);
    info.set_trap_number(0xFFFF);
    info.set_producer_type(0xFF_FFFF);
    lab.ask(&Ask::new(method::SET, 0, &info).from(lid)).expect("a subscription");
}

/// Who is told of which trap.
fn told(lab: &mut Lab) -> Vec<(u16, Trap)> {
    let mut told = Vec::new();
    while let Some(report) = lab.sa.next_report(lab.now) {
        let notice = Notice::parse(&report.bytes[SaHeader::LEN..]).expect("a notice");
        told.push((report.to.lid.0, Trap::parse(&notice).expect("a known trap")));
    }
    told
}

fn alias(lid: u16, guid: u64) -> GuidInfoRecord {
    let mut record = GuidInfoRecord::default();
    record.set_lid(lid);
    let mut table = record.table();
    table.set(1, Guid(guid));
    record.set_table(&table);
    record
}

#[test]
fn subscribers_hear_of_ports_that_come_and_go_at_the_lids_they_have_now() {
    let mut lab = Lab::plain();
    subscribe(&mut lab, 4);
    subscribe(&mut lab, 8);
    lab.sa.install(lab.now, Arc::new(other_view(8, (4, 40))));
    // The one with LID 8 has gone itself.
    assert_eq!(told(&mut lab), [(40, Trap::GidOutOfService(gid(7)))]);
    lab.sa.install(lab.now, Arc::new(view(Options::default())));
    assert_eq!(told(&mut lab), [(4, Trap::GidInService(gid(7)))]);
    lab.sa.install(lab.now, Arc::new(view(Options::default())));
    assert_eq!(told(&mut lab), [], "nothing has changed");
}

#[test]
fn a_port_that_comes_back_is_told_its_aliases_again() {
    let mut lab = Lab::plain();
    let set = BOTH | guid_info_mask::GUID_0 << 1;
    lab.ask(&Ask::new(method::SET, set, &alias(8, 0xA0B0))).expect("an alias");
    let (port, block, info) = lab.sa.next_guids().expect("a block to write");
    assert_eq!((port, block, info.get(1)), (Guid(GUIDS[7]), 0, Some(Guid(0xA0B0))));
    assert_eq!(lab.sa.next_guids(), None);
    lab.sa.install(lab.now, Arc::new(other_view(8, (0, 0))));
    assert_eq!(lab.sa.next_guids(), None);
    lab.sa.install(lab.now, Arc::new(view(Options::default())));
    assert_eq!(lab.sa.next_guids(), Some((port, block, info)));
}

#[test]
fn what_is_stored_survives_a_restart() {
    let mut lab = Lab::plain();
    assert!(lab.sa.changed_database(lab.now).is_some(), "what there is at the start");
    assert_eq!(lab.sa.changed_database(lab.now), None);
    subscribe(&mut lab, 5);
    let set = BOTH | guid_info_mask::GUID_0 << 1;
    lab.ask(&Ask::new(method::SET, set, &alias(6, 0xA0B0))).expect("an alias");
    let mut service = ServiceRecord::default();
    service.set_gid(gid(4));
    service.set_key_low(9);
    for (id, lease) in [(1, 10), (2, 100), (3, ServiceRecord::FOREVER)] {
        service.set_service_id(id);
        service.set_lease(lease);
        let mask = service_mask::SERVICE_ID | service_mask::GID | service_mask::LEASE;
        lab.ask(&Ask::new(method::SET, mask, &service)).expect("a service");
    }
    let kept = lab.sa.changed_database(lab.now).expect("something has changed");
    let (text, source) = (lk_config::sa_db::write(&kept), "opensm-sa.dump");
    let (db, found) = lk_config::sa_db::parse(&lk_diag::SourceFile::new(source, text.as_str()));
    assert!(found.is_empty() && db == kept);

    // Forty seconds later, as another run's clock has it.
    let mut again = view(Options::default());
    let settings = Arc::make_mut(&mut again.settings);
    settings.sa_db = Some(Arc::new(db));
    settings.started = 40;
    let mut lab = Lab::new(again);
    let services = Ask::new(method::GET_TABLE, 0, &ServiceRecord::default()).trusted();
    let found: Vec<ServiceRecord> = lab.records(&services);
    let ids: Vec<_> = found.iter().map(|s| (s.service_id(), s.key_low())).collect();
    assert_eq!(ids, [(3, 9), (2, 9)], "the first has ended, the newest comes first");
    assert_eq!(lab.sa.deadline(), Some(Instant(0) + Duration::secs(60)));
    let guids = Ask::new(method::GET, BOTH, &alias(6, 0));
    let held: GuidInfoRecord = lab.records(&guids)[0];
    assert_eq!(held.table().get(1), Some(Guid(0xA0B0)));
    let informs = Ask::new(method::GET_TABLE, 0, &InformInfoRecord::default());
    assert_eq!(lab.records::<InformInfoRecord>(&informs)[0].subscriber_gid(), gid(4));
}

#[test]
fn an_ended_lease_is_a_change_to_be_kept() {
    let mut lab = Lab::plain();
    let mut service = ServiceRecord::default();
    service.set_gid(gid(4));
    service.set_lease(3);
    let mask = service_mask::SERVICE_ID | service_mask::GID | service_mask::LEASE;
    lab.ask(&Ask::new(method::SET, mask, &service)).expect("a service");
    assert_eq!(lab.sa.changed_database(lab.now).map(|db| db.services.len()), Some(1));
    lab.now = lab.now + Duration::secs(4);
    assert_eq!(lab.sa.changed_database(lab.now).map(|db| db.services.len()), Some(0));
}
