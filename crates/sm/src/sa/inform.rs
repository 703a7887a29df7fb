//! Subscriptions: who wants to hear of which events (IBA 13.4.8.3, 15.2.5.12).

use std::collections::BTreeMap;

use lk_wire::sa::{InformInfo, InformInfoRecord, inform_mask, matches, sa_status};
use lk_wire::{Gid, Guid, Lid, Notice, Status, method, trap_number};

use super::request::{Answer, Records, Request};
use super::{Context, Served};
use crate::io::GsiAddress;

/// The most subscriptions that are kept, and of these the most of one port.
pub const MOST: usize = 1 << 18;
const MOST_EACH: usize = 1 << 12;

/// Any severity and any trap.
const ANY: u16 = 0xFFFF;
/// Any kind of node.
const ANY_PRODUCER: u32 = 0xFF_FFFF;
/// All LIDs.
const ALL_LIDS: u16 = 0xFFFF;

/// A subscription.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subscription {
    /// The GID of the port that has subscribed.
    pub subscriber: Gid,
    /// Its number among those of that port.
    pub number: u16,
    /// Where reports go.
    pub to: GsiAddress,
    /// What it wants to hear of.
    pub info: InformInfo,
    /// Whether it may hear of wrong keys.
    pub trusted: bool,
}

/// The first and the last of the traps that tell of wrong keys (IBA 14.2.5.1).
const SECURITY: std::ops::RangeInclusive<u16> =
    trap_number::BAD_M_KEY..=trap_number::SWITCH_BAD_P_KEY;

/// What two subscriptions must not have in common: everything of an InformInfo but the queue
/// pair, the response time and whether it subscribes.
type What = (Gid, u16, u16, u8, u16, u16, u32);

fn what(info: &InformInfo) -> What {
    (
        info.gid(),
        info.lid_begin(),
        info.lid_end(),
        info.is_generic(),
        info.trap_type(),
        info.trap_number(),
        info.producer_type(),
    )
}

/// All subscriptions, in the order of their subscribers and numbers.
#[derive(Clone, Default, Debug)]
pub struct Subscriptions {
    all: BTreeMap<(Guid, u16), Subscription>,
}

impl Subscriptions {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Subscription> {
        self.all.values()
    }

    /// The one with this key, see [`Self::key`].
    #[must_use]
    pub fn get(&self, key: (Guid, u16)) -> Option<&Subscription> {
        self.all.get(&key)
    }

    /// What a subscription is found by.
    #[must_use]
    pub const fn key(subscription: &Subscription) -> (Guid, u16) {
        (subscription.subscriber.guid, subscription.number)
    }

    fn of(&self, subscriber: Guid) -> impl Iterator<Item = &Subscription> {
        self.all.range((subscriber, 0)..=(subscriber, u16::MAX)).map(|(_, s)| s)
    }

    /// Takes a subscription in; one that is there already stays as it is, but for where its
    /// reports go. `false`: there is no room.
    pub fn subscribe(
        &mut self,
        subscriber: Gid,
        to: GsiAddress,
        info: &InformInfo,
        trusted: bool,
    ) -> bool {
        let known = self.of(subscriber.guid).find(|s| what(&s.info) == what(info));
        if let Some(key) = known.map(Self::key) {
            if let Some(known) = self.all.get_mut(&key) {
                (known.to, known.info, known.trusted) = (to, *info, trusted);
            }
            return true;
        }
        let free = (0..=u16::MAX)
            .zip(self.of(subscriber.guid).map(|s| s.number).chain(std::iter::once(u16::MAX)))
            .find(|(number, taken)| number != taken);
        let count = self.of(subscriber.guid).count();
        let number = free.map_or(count as u16, |(number, _)| number);
        if count >= MOST_EACH
            || self.all.len() >= MOST
            || self.all.contains_key(&(subscriber.guid, number))
        {
            return false;
        }
        let subscription = Subscription { subscriber, number, to, info: *info, trusted };
        self.all.insert((subscriber.guid, number), subscription);
        true
    }

    /// Takes a subscription out; `false`: there is none such.
    pub fn unsubscribe(&mut self, subscriber: Gid, info: &InformInfo) -> bool {
        // The queue pair tells subscriptions of one port apart (IBA 13.4.8.3); 0 is any.
        let queue = info.qpn();
        let is_same = |s: &&Subscription| {
            what(&s.info) == what(info) && (queue == 0 || queue == s.to.qp || queue == s.info.qpn())
        };
        let key = self.of(subscriber.guid).find(is_same).map(Self::key);
        key.is_some_and(|key| self.all.remove(&key).is_some())
    }

    /// Forgets those of ports that are gone.
    pub fn keep(&mut self, mut there: impl FnMut(Guid) -> bool) {
        self.all.retain(|(guid, _), _| there(*guid));
    }

    /// Reports go to the LIDs that ports have now. `is_at` says whether a LID is a port's, `lid`
    /// which one to take else.
    pub fn move_to(
        &mut self,
        is_at: impl Fn(Guid, Lid) -> bool,
        lid: impl Fn(Guid) -> Option<Lid>,
    ) {
        for ((guid, _), subscription) in &mut self.all {
            if !is_at(*guid, subscription.to.lid)
                && let Some(base) = lid(*guid)
            {
                subscription.to.lid = base;
            }
        }
    }

    /// Those that a notice is for. `allowed` says whether a port may hear of another.
    pub fn wanting<'a>(
        &'a self,
        notice: &'a Notice,
        served: &'a Served,
    ) -> impl Iterator<Item = &'a Subscription> {
        self.all.values().filter(|s| wants(&s.info, notice) && may_hear(served, s, notice))
    }
}

/// The GID that a notice is about: of traps 64 to 67 that in the details, else the issuer's.
fn subject(notice: &Notice) -> Gid {
    let number = notice.trap_number();
    let in_details = (trap_number::GID_IN_SERVICE..=trap_number::GROUP_DELETED).contains(&number);
    if notice.is_generic() == 1 && in_details {
        let details = lk_wire::GidDetails::from(*notice.details());
        return details.gid();
    }
    notice.issuer_gid()
}

fn wants(info: &InformInfo, notice: &Notice) -> bool {
    let in_range = || {
        let (first, last) = (info.lid_begin(), info.lid_end());
        first == ALL_LIDS || (first..=last.max(first)).contains(&notice.issuer_lid())
    };
    let place = match info.gid() {
        gid if gid == Gid::default() => in_range(),
        gid => gid == subject(notice),
    };
    let number = [ANY, notice.trap_number()].contains(&info.trap_number());
    let kind = [ANY, u16::from(notice.notice_type())].contains(&info.trap_type());
    let producer = [ANY_PRODUCER, notice.producer_type()].contains(&info.producer_type());
    place && kind && number && producer && info.is_generic() == notice.is_generic()
}

/// Whether the subscriber shares a partition with the port that the notice is about.
fn may_hear(served: &Served, subscription: &Subscription, notice: &Notice) -> bool {
    let index = &served.index;
    let is_security = notice.is_generic() == 1 && SECURITY.contains(&notice.trap_number());
    if is_security && !subscription.trusted {
        return false;
    }
    let Some(subscriber) = index.port_by_guid(subscription.subscriber.guid) else { return false };
    let about = index
        .port_by_guid(subject(notice).guid)
        .or_else(|| index.port_by_lid(Lid(notice.issuer_lid())));
    about.is_none_or(|about| index.partitions().share(subscriber, about))
}

/// SubnAdmSet(InformInfo): subscribe, or no longer.
pub fn set(served: &Served, subscriptions: &mut Subscriptions, request: &Request<'_>) -> Answer {
    if request.method() != method::SET {
        return Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED);
    }
    let info: InformInfo = request.record();
    let subscriber = served.gid(request.requester);
    match info.subscribe() {
        0 if subscriptions.unsubscribe(subscriber, &info) => Answer::one(&info),
        1 if may_ask(served, request, &info) => {
            match subscriptions.subscribe(subscriber, request.from, &info, request.trusted) {
                true => Answer::one(&info),
                false => Answer::Refused(sa_status::NO_RESOURCES),
            }
        }
        _ => Answer::Refused(sa_status::REQ_INVALID),
    }
}

/// Whether the ports that a subscription is about are there and share a partition with its
/// subscriber. Of wrong keys only a trusted subscriber may hear.
fn may_ask(served: &Served, request: &Request<'_>, info: &InformInfo) -> bool {
    let index = &served.index;
    let shares = |port| index.partitions().share(request.requester, port);
    let is_security = info.is_generic() == 1 && SECURITY.contains(&info.trap_number());
    if is_security && !request.trusted {
        return false;
    }
    if info.gid() != Gid::default() {
        return index.port_by_guid(info.gid().guid).is_some_and(shares);
    }
    let (first, last) = (info.lid_begin(), info.lid_end());
    // LID 0 stands for none, and so does a range that ends before it begins.
    first == ALL_LIDS
        || (first.max(1)..=last).all(|l| index.port_by_lid(Lid(l)).is_some_and(shares))
}

/// SubnAdmGet and SubnAdmGetTable of InformInfoRecord.
#[must_use]
pub fn query(
    context: &Context<'_>,
    subscriptions: &Subscriptions,
    request: &Request<'_>,
) -> Answer {
    if !request.is_query() {
        return Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED);
    }
    let asked: InformInfoRecord = request.record();
    let index = context.index();
    let mut found = Records::none::<InformInfoRecord>();
    for subscription in subscriptions.iter() {
        let mut record = InformInfoRecord::default();
        record.set_subscriber_gid(subscription.subscriber);
        record.set_enumeration(subscription.number);
        record.set_info(&subscription.info);
        record.set_qpn(if request.trusted { subscription.to.qp } else { 0 });
        if !matches(inform_mask::COMPONENTS, request.mask(), &asked.0, &record.0) {
            continue;
        }
        let Some(port) = index.port_by_guid(subscription.subscriber.guid) else { continue };
        if index.partitions().share(request.requester, port) {
            found.push(&record);
        }
    }
    found.into()
}
