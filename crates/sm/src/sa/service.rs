//! ServiceRecord: services that ports have announced, each until its lease ends.

use std::collections::{BTreeMap, BTreeSet};

use lk_config::sa_db;
use lk_fabric::PortId;
use lk_wire::sa::{ServiceRecord, matches, sa_status, service_mask};
use lk_wire::{Guid, PKey, Status, method};
use rustc_hash::FxHashMap;

use super::request::{Answer, Records, Request};
use super::{Context, Served, database};
use crate::time::{Duration, Instant};

/// The most services that are kept, and of these the most that one port has announced.
pub const MOST: usize = 1 << 16;
const MOST_EACH: usize = 1 << 12;

/// What a service is known by: number, port, partition (IBA 15.2.5.14).
type Key = [u8; 26];

fn key(record: &ServiceRecord) -> Key {
    match record.0.first_chunk() {
        Some(key) => *key,
        None => unreachable!("a record is longer than its key"),
    }
}

/// A service and when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// The record, with its key.
    pub record: ServiceRecord,
    /// When it was announced last, in seconds since 1970.
    pub modified: u64,
    /// When its lease ends; `None`: never.
    pub until: Option<Instant>,
    /// Which port has announced it.
    pub by: Guid,
}

/// All services.
#[derive(Clone, Default, Debug)]
pub struct Services {
    /// By number, so that the newest comes last.
    all: BTreeMap<u64, Service>,
    numbers: BTreeMap<Key, u64>,
    ends: BTreeSet<(Instant, u64)>,
    /// How many each port has announced.
    announced: FxHashMap<Guid, usize>,
    last: u64,
}

impl Services {
    /// Takes a service in that a port announces, in the place of one with the same number, port
    /// and partition. `false`: there is no room.
    pub fn announce(&mut self, now: Instant, today: u64, by: Guid, record: &ServiceRecord) -> bool {
        let lease = record.lease();
        let until =
            (lease != ServiceRecord::FOREVER).then(|| now + Duration::secs(u64::from(lease)));
        self.add(Service { record: *record, modified: today, until, by })
    }

    /// Takes a service of an earlier run in, if its lease is not over.
    pub fn restore(&mut self, now: Instant, today: u64, kept: &sa_db::Service) {
        let ends = u64::from(kept.modified) + u64::from(kept.lease_period);
        let until = match kept.lease_period {
            ServiceRecord::FOREVER => None,
            _ if ends <= today => return,
            _ => Some(now + Duration::secs(ends - today)),
        };
        let by = kept.record.gid().guid;
        let modified = u64::from(kept.modified);
        self.add(Service { record: kept.record, modified, until, by });
    }

    fn add(&mut self, service: Service) -> bool {
        // One that is there already makes room for itself, and stays where there is none.
        let before = self.find(&service.record).map(|before| before.by);
        let of_port = self.announced.get(&service.by).copied().unwrap_or(0);
        let full = before.is_none() && self.all.len() >= MOST;
        if full || (before != Some(service.by) && of_port >= MOST_EACH) {
            return false;
        }
        self.withdraw(&service.record);
        self.last += 1;
        self.numbers.insert(key(&service.record), self.last);
        self.ends.extend(service.until.map(|at| (at, self.last)));
        *self.announced.entry(service.by).or_default() += 1;
        self.all.insert(self.last, service);
        true
    }

    /// The one with the same number, port and partition.
    fn find(&self, record: &ServiceRecord) -> Option<&Service> {
        self.all.get(self.numbers.get(&key(record))?)
    }

    /// One more of a port's services is gone.
    fn count_off(&mut self, by: Guid) {
        if let Some(count) = self.announced.get_mut(&by) {
            *count -= 1;
            if *count == 0 {
                self.announced.remove(&by);
            }
        }
    }

    /// Takes a service out and gives it back.
    pub fn withdraw(&mut self, record: &ServiceRecord) -> Option<Service> {
        let number = self.numbers.remove(&key(record))?;
        let service = self.all.remove(&number)?;
        if let Some(at) = service.until {
            self.ends.remove(&(at, number));
        }
        self.count_off(service.by);
        Some(service)
    }

    /// Takes out those whose lease is over. Whether there were any.
    pub fn expire(&mut self, now: Instant) -> bool {
        let mut any = false;
        while let Some((at, number)) = self.ends.first().copied().filter(|(at, _)| *at <= now) {
            self.ends.remove(&(at, number));
            if let Some(service) = self.all.remove(&number) {
                self.numbers.remove(&key(&service.record));
                self.count_off(service.by);
                any = true;
            }
        }
        any
    }

    /// When the next lease ends.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.ends.first().map(|(at, _)| *at)
    }

    /// The services, the newest first.
    pub fn iter(&self) -> impl Iterator<Item = &Service> {
        self.all.values().rev()
    }

    /// Those with this ServiceID, the newest first.
    fn with_id(&self, id: u64) -> Vec<&Service> {
        let (mut first, mut last) = ([0; 26], [0xFF; 26]);
        first[..8].copy_from_slice(&id.to_be_bytes());
        last[..8].copy_from_slice(&id.to_be_bytes());
        let mut numbers: Vec<u64> = self.numbers.range(first..=last).map(|(_, n)| *n).collect();
        numbers.sort_unstable();
        numbers.iter().rev().filter_map(|n| self.all.get(n)).collect()
    }
}

/// SubnAdmGet and SubnAdmGetTable of ServiceRecord. Only a trusted asker sees keys, and services
/// of partitions that it is not in.
#[must_use]
pub fn query(context: &Context<'_>, services: &Services, request: &Request<'_>) -> Answer {
    let asked: ServiceRecord = request.record();
    let mut found = Records::none::<ServiceRecord>();
    let mut look = |service: &Service| {
        let record = &service.record;
        if matches(service_mask::COMPONENTS, request.mask(), request.data, &record.0)
            && (request.trusted || may_see(context.served, request, record))
        {
            found.push(&shown(record, request.trusted));
        }
    };
    match request.has(service_mask::SERVICE_ID) {
        true => services.with_id(asked.service_id()).into_iter().for_each(&mut look),
        false => services.iter().for_each(&mut look),
    }
    found.into()
}

/// A record without its key, unless the asker is trusted.
fn shown(record: &ServiceRecord, trusted: bool) -> ServiceRecord {
    let mut shown = *record;
    if !trusted {
        shown.hide_key();
    }
    shown
}

fn may_see(served: &Served, request: &Request<'_>, record: &ServiceRecord) -> bool {
    let partitions = served.index.partitions();
    let port = served.index.port_by_guid(record.gid().guid);
    is_member(served, request.requester, record.pkey())
        && port.is_none_or(|port| partitions.share(request.requester, port))
}

/// Whether a port is in a partition; in 0, which is none, every port is.
fn is_member(served: &Served, port: PortId, key: u16) -> bool {
    let keys = served.index.partitions().keys(port);
    let base = PKey(key).base();
    base == 0 || keys.is_empty() || keys.iter().any(|k| k.base() == base)
}

/// SubnAdmSet and SubnAdmDelete of ServiceRecord.
pub fn change(
    served: &Served,
    services: &mut Services,
    now: Instant,
    request: &Request<'_>,
) -> Answer {
    let asked: ServiceRecord = request.record();
    if request.method() == method::DELETE {
        // What the asker may not see is not there for it.
        let seen = services
            .find(&asked)
            .is_some_and(|service| request.trusted || may_see(served, request, &service.record));
        return match seen.then(|| services.withdraw(&asked)).flatten() {
            Some(service) => Answer::one(&shown(&service.record, request.trusted)),
            None => Answer::Refused(sa_status::NO_RECORDS),
        };
    }
    let needed = service_mask::SERVICE_ID | service_mask::GID;
    let port = served.index.port_by_guid(asked.gid().guid);
    // The first eight bits of a multicast group's GID are ones.
    let is_group = asked.gid().prefix >> 56 == 0xFF;
    let may = |port| {
        served.index.partitions().share(request.requester, port)
            && is_member(served, port, asked.pkey())
    };
    if !request.has(needed)
        || !port.map_or(is_group, may)
        || !is_member(served, request.requester, asked.pkey())
    {
        return Answer::Refused(sa_status::REQ_INVALID);
    }
    let mut record = asked;
    if !request.has(service_mask::LEASE) {
        record.set_lease(ServiceRecord::FOREVER);
    }
    let by = served.view.seen.fabric.port(request.requester).guid;
    if !services.announce(now, database::wall_time(served, now), by, &record) {
        return Answer::Refused(sa_status::NO_RESOURCES);
    }
    Answer::one(&shown(&record, request.trusted))
}

/// Whether a method changes services.
///
/// # Errors
/// There is no such method for them.
pub const fn changes(method: u8) -> Result<bool, Status> {
    match method {
        method::GET | method::GET_TABLE => Ok(false),
        method::SET | method::DELETE => Ok(true),
        _ => Err(Status::METHOD_ATTR_UNSUPPORTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, lease: u32) -> ServiceRecord {
        let mut record = ServiceRecord::default();
        record.set_service_id(id);
        record.set_lease(lease);
        record
    }

    fn at(seconds: u64) -> Instant {
        Instant(0) + Duration::secs(seconds)
    }

    fn ids(services: &Services) -> Vec<u64> {
        services.iter().map(|s| s.record.service_id()).collect()
    }

    #[test]
    fn a_lease_ends_and_is_made_longer_by_announcing_again() {
        let mut all = Services::default();
        assert!(all.announce(at(0), 0, Guid(1), &record(1, 10)));
        assert!(all.announce(at(0), 0, Guid(1), &record(2, ServiceRecord::FOREVER)));
        assert!(all.announce(at(5), 5, Guid(1), &record(1, 10)));
        assert_eq!((ids(&all), all.deadline()), (vec![1, 2], Some(at(15))));
        assert!(!all.expire(at(14)) && all.expire(at(15)));
        assert_eq!((ids(&all), all.deadline()), (vec![2], None));
    }

    #[test]
    fn services_are_told_apart_by_number_port_and_partition() {
        let mut all = Services::default();
        let (mut other, mut third) = (record(1, 9), record(1, 9));
        other.set_pkey(3);
        third.set_name(b"another name");
        for r in [&record(1, 9), &other, &third] {
            assert!(all.announce(at(0), 0, Guid(1), r));
        }
        assert_eq!(all.iter().count(), 2);
        assert_eq!(all.with_id(1).len(), 2);
        assert!(all.with_id(2).is_empty());
        assert_eq!(all.withdraw(&record(1, 0)).map(|s| s.record), Some(third));
        assert_eq!(all.withdraw(&record(1, 0)), None);
        assert!(all.expire(at(99)));
        assert!(all.iter().next().is_none() && all.numbers.is_empty() && all.ends.is_empty());
        assert!(all.announced.is_empty());
    }

    #[test]
    fn one_port_cannot_take_all_the_room() {
        let mut all = Services::default();
        let room = (0..).take_while(|id| all.announce(at(0), 0, Guid(1), &record(*id, 9))).count();
        assert_eq!(room, MOST_EACH);
        assert!(all.announce(at(0), 0, Guid(2), &record(u64::MAX, 9)));
        assert!(all.announce(at(1), 1, Guid(1), &record(0, 9)), "its own, once more");
        assert!(!all.announce(at(1), 1, Guid(1), &record(u64::MAX, 9)), "another port's");
        assert!(all.find(&record(u64::MAX, 0)).is_some_and(|service| service.by == Guid(2)));
        assert!(all.withdraw(&record(1, 0)).is_some());
        assert!(all.announce(at(1), 1, Guid(1), &record(1 << 40, 9)), "in the place of that one");
        assert!(all.expire(at(99)) && all.announced.is_empty());
    }
}
