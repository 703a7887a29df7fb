//! Subnet administration: answers what ports of the subnet ask (IBA 15).
//!
//! It answers from the last view and from its own tables, never waits for the fabric, and goes on
//! while a sweep is under way. A request goes through [`Queue`], in which each client has its own
//! line; [`Request`] is what is known of it; a module for each kind of record makes an [`Answer`].
//! What requests cause beside their answers is collected in [`Effects`].

pub mod aliases;
pub mod class_port_info;
mod database;
pub mod guid_info;
pub mod index;
pub mod inform;
pub mod mcmember;
pub mod partitions;
pub mod path;
pub mod queue;
pub mod records;
pub mod report;
pub mod request;
pub mod service;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use lk_fabric::{PortId, SwitchId};
use lk_wire::sa::{Message, MultiPathRecord, SaHeader, sa_attr, sa_status};
use lk_wire::{Gid, Guid, GuidInfo, Lid, NodeType, Notice, Status, Trap, attr, method};

use crate::decide::{self, Settings};
use crate::io::{GsiAddress, Outgoing, View};
use crate::multicast::{Groups, Memberships, NotMade};
use crate::observe::Observed;
use crate::time::{Duration, Instant};
pub use aliases::Aliases;
use index::{Index, speaker};
use inform::Subscriptions;
use queue::{Bounds, Packed, Pushed, Queue, Waiting};
use report::{Patience, Reports};
use request::{Answer, Request, refusal};
use service::Services;

/// The longest request that is read: a MultiPathRecord with as many GIDs as it can count.
const LONGEST: usize = SaHeader::LEN + MultiPathRecord::LEN + 2 * 255 * 16;

/// A view and its index.
#[derive(Debug)]
pub struct Served {
    /// The state of the subnet after the last sweep.
    pub view: Arc<View>,
    /// What its ports are found by.
    pub index: Index,
    /// What its ports can carry.
    pub paths: path::Ports,
}

impl Served {
    /// Makes the index of a view.
    #[must_use]
    pub fn new(view: Arc<View>) -> Self {
        Self { index: Index::of(&view), paths: path::Ports::of(&view), view }
    }

    /// The GIDs of the end ports that an older view has not, and of those that only it has.
    fn changes_since(&self, old: &Self) -> (Vec<Gid>, Vec<Gid>) {
        let only = |a: &Self, b: &Self| {
            let fabric = &a.view.seen.fabric;
            let ports = a.index.end_ports().iter();
            let missing = ports.filter(|p| b.index.port_by_guid(fabric.port(**p).guid).is_none());
            missing.map(|p| a.gid(*p)).collect()
        };
        (only(self, old), only(old, self))
    }

    /// The GID of an end port; of a switch's external port that of the switch.
    #[must_use]
    pub fn gid(&self, port: PortId) -> Gid {
        let fabric = &self.view.seen.fabric;
        let guid = fabric.port(speaker(fabric, port)).guid;
        Gid { prefix: self.view.settings.options.subnet_prefix, guid }
    }
}

/// All that a query is answered from.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The view and its index.
    pub served: &'a Served,
    /// GUIDs beside those of the hardware.
    pub aliases: &'a Aliases,
    /// Multicast groups.
    pub groups: &'a Groups,
    /// Counts up while the subnet manager is at work.
    pub activity: u32,
}

impl Context<'_> {
    /// The state of the subnet after the last sweep.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.served.view
    }

    /// What ports are found by.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.served.index
    }

    /// The switches that have a LID, with their port 0, in OpenSM's order; only the one with this
    /// LID where one is given.
    pub fn switches(&self, lid: Option<u16>) -> impl Iterator<Item = (PortId, SwitchId)> + '_ {
        let index = self.index();
        let fabric = &self.view().seen.fabric;
        let one = lid.map(|lid| index.port_by_lid(Lid(lid)));
        let nodes = index.nodes().iter().filter(move |_| one.is_none()).copied();
        let nodes = one.flatten().map(|port| fabric.owner(port)).into_iter().chain(nodes);
        nodes.filter_map(|id| {
            let port = fabric.node(id).first;
            fabric.as_switch(id).filter(|_| index.lid(port).is_unicast()).map(|s| (port, s))
        })
    }

    /// The end port with a GID of this subnet, also by an alias GUID.
    #[must_use]
    pub fn port_by_gid(&self, gid: Gid) -> Option<PortId> {
        let prefix = self.view().settings.options.subnet_prefix;
        self.index().port_by_gid(gid, prefix).or_else(|| {
            let guid = self.aliases.owner(gid.guid)?;
            self.index().port_by_gid(Gid { guid, ..gid }, prefix)
        })
    }
}

/// What requests cause beside their answers.
#[derive(Default, Debug)]
pub struct Effects {
    /// What subscribers are to hear of: traps 64 to 67.
    pub notices: Vec<Trap>,
    /// Whether multicast trees have to be made anew.
    pub groups_changed: bool,
    /// Why a query for paths found none.
    pub no_path: Option<path::no_path::Refused>,
    /// Pairs of ports that were looked at.
    pub pairs: usize,
}

/// The subnet administration's state.
#[derive(Default, Debug)]
pub struct Sa {
    served: Option<Served>,
    queue: Queue,
    aliases: Aliases,
    groups: Groups,
    subscriptions: Subscriptions,
    reports: Reports,
    services: Services,
    /// How many requests were answered.
    answered: u32,
    /// Whether what clients have stored has changed since it was last given out.
    changed: bool,
}

impl Sa {
    /// Answers from this view from now on. Subscribers hear of ports that have come and gone
    /// since the last one; what earlier runs have stored is taken in with the first.
    pub fn install(&mut self, now: Instant, view: Arc<View>) {
        let new = Served::new(view);
        let old = self.served.replace(new);
        let Some(old) = old else {
            self.changed = true;
            let stored = self.served.as_ref().and_then(|s| s.view.settings.sa_db.clone());
            if let Some(db) = stored {
                self.restore(now, &db);
            }
            return;
        };
        let Some(new) = &self.served else { return };
        let (came, went) = new.changes_since(&old);
        self.subscriptions.keep(|guid| new.index.port_by_guid(guid).is_some());
        let port = |guid| new.index.port_by_guid(guid);
        self.subscriptions.move_to(
            |guid, lid| new.index.port_by_lid(lid).is_some_and(|p| Some(p) == port(guid)),
            |guid| port(guid).map(|p| new.index.lid(p)),
        );
        for gid in &came {
            // It may have forgotten what it was told.
            self.aliases.write_again(gid.guid, None);
        }
        for trap in came
            .into_iter()
            .map(Trap::GidInService)
            .chain(went.into_iter().map(Trap::GidOutOfService))
        {
            self.tell(&trap);
        }
    }

    /// The view that is answered from.
    #[must_use]
    pub fn view(&self) -> Option<&View> {
        self.served.as_ref().map(|s| &*s.view)
    }

    /// The end port with a GUID, in [`Self::view`].
    #[must_use]
    pub fn port_by_guid(&self, guid: Guid) -> Option<PortId> {
        self.served.as_ref()?.index.port_by_guid(guid)
    }

    /// The next block of alias GUIDs that a port has to be told.
    pub fn next_guids(&mut self) -> Option<(Guid, u8, GuidInfo)> {
        let served = self.served.as_ref()?;
        while let Some((guid, block)) = self.aliases.next_unwritten() {
            if served.index.port_by_guid(guid).is_some() {
                return Some((guid, block, self.aliases.block(guid, block)));
            }
        }
        None
    }

    /// A block of alias GUIDs has to be told again.
    pub fn write_again(&mut self, port: Guid, block: u8) {
        self.aliases.write_again(port, Some(block));
    }

    /// Ends the leases that are over.
    pub fn expire(&mut self, now: Instant) {
        self.changed |= self.services.expire(now);
    }

    /// Takes no more requests: somebody else is the master.
    pub fn withdraw(&mut self) {
        *self = Self::default();
    }

    /// The multicast groups.
    #[must_use]
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Brings the multicast groups in line with the fabric and its partitions. What subscribers
    /// are to hear of, what could not be made, and who is in the groups.
    pub fn settle_groups(
        &mut self,
        seen: &Observed,
        partitions: &decide::Partitions,
        settings: &Settings,
    ) -> (Vec<Trap>, Vec<NotMade>, Memberships) {
        let fabric = &seen.fabric;
        let managed = fabric.end_ports().filter(|p| seen.port_info(*p).is_some());
        let ports: HashMap<Guid, PortId> = managed.map(|p| (fabric.port(p).guid, p)).collect();
        let aliases = &self.aliases;
        let find =
            |guid: Guid| ports.get(&guid).or_else(|| ports.get(&aliases.owner(guid)?)).copied();
        let there = |guid: Guid| find(guid).is_some();
        let (traps, faults) = self.groups.settle(seen, partitions, settings, there);
        if let (None, Some(db)) = (&self.served, &settings.sa_db) {
            // What earlier runs have stored is decided and judged with the first routes.
            for group in &db.groups {
                mcmember::restore(&mut self.groups, group, there);
            }
        }
        (traps, faults, self.groups.memberships(find))
    }

    /// Who is in the multicast groups that have changed since this or
    /// [`Self::settle_groups`] was asked.
    pub fn group_changes(&mut self) -> Memberships {
        let (served, aliases) = (self.served.as_ref(), &self.aliases);
        self.groups.changes(|guid| {
            let index = &served?.index;
            index.port_by_guid(guid).or_else(|| index.port_by_guid(aliases.owner(guid)?))
        })
    }

    /// Takes a message in. What is answered at once, a refusal, comes back.
    pub fn take(&mut self, now: Instant, from: GsiAddress, bytes: &[u8]) -> Option<Outgoing> {
        let message = Message::parse(bytes).ok()?;
        // Without a view nothing can be said; who has asked will ask again.
        let served = self.served.as_ref()?;
        if message.header.is_response() {
            self.reports.answered(&message.header);
            return None;
        }
        if bytes.len() > LONGEST {
            let bytes = refusal(&message, sa_status::REQ_INVALID).into();
            return Some(Outgoing { to: from, bytes, timeout: None });
        }
        let client = served.index.lid(served.index.port_by_lid(from.lid)?);
        let waiting = Waiting { client, from, request: Packed::new(bytes), since: now };
        if self.queue.push(Bounds::default(), waiting) != Pushed::Full {
            return None;
        }
        let bytes = refusal(&message, Status::BUSY).into();
        Some(Outgoing { to: from, bytes, timeout: None })
    }

    /// A report could not be sent, or nobody has answered it in time.
    pub fn not_sent(&mut self, now: Instant, token: u32) {
        self.reports.not_sent(now, token);
    }

    /// How many requests wait.
    #[must_use]
    pub const fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether requests wait.
    #[must_use]
    pub fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    /// When there is something to do that no input brings.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        [self.reports.deadline(), self.services.deadline()].into_iter().flatten().min()
    }

    /// Tells an event of the subnet administration's own, traps 64 to 67, to its subscribers.
    pub fn tell(&mut self, trap: &Trap) {
        let Some(served) = &self.served else { return };
        let own = served.view.seen.sm_port;
        let mut notice = trap.notice(NodeType(0), served.index.lid(own));
        notice.set_producer_type(Notice::PRODUCER_CLASS_MANAGER);
        notice.set_issuer_gid(served.gid(own));
        self.forward(&notice);
    }

    /// Tells a trap that a port has sent to its subscribers.
    pub fn hear(&mut self, notice: &Notice) {
        let Some(served) = &self.served else { return };
        let Some(port) = served.index.port_by_lid(Lid(notice.issuer_lid())) else { return };
        let mut notice = *notice;
        notice.set_issuer_gid(served.gid(port));
        self.forward(&notice);
    }

    /// Tells a notice, with its issuer's GID in it, to its subscribers.
    pub fn forward(&mut self, notice: &Notice) {
        let Some(served) = &self.served else { return };
        self.reports.tell(notice, self.subscriptions.wanting(notice, served));
    }

    /// The next report to a subscriber.
    pub fn next_report(&mut self, now: Instant) -> Option<Outgoing> {
        if !self.reports.has_work(now) {
            return None;
        }
        let options = &self.served.as_ref()?.view.settings.options;
        let patience = Patience {
            timeout: Duration::millis(u64::from(options.transaction_timeout.max(1))),
            retries: options.transaction_retries,
        };
        self.reports.next(now, patience, &self.subscriptions)
    }

    /// Answers the request whose turn it is.
    pub fn answer_next(&mut self, now: Instant, effects: &mut Effects) -> Option<Outgoing> {
        let waiting = self.queue.pop()?;
        self.answered = self.answered.wrapping_add(1);
        let mut bytes = Vec::new();
        waiting.request.unpack(&mut bytes);
        let message = Message::parse(&bytes).ok()?;
        let options = &self.served.as_ref()?.view.settings.options;
        let patience = Duration::millis(u64::from(options.max_msg_fifo_timeout));
        let answer = match patience.0 > 0 && now.since(waiting.since) > patience {
            true => Answer::Refused(Status::BUSY),
            false => self.answer(now, waiting.from, message, effects),
        };
        let stores = matches!(message.header.method(), method::SET | method::DELETE);
        self.changed |= stores && matches!(answer, Answer::Records(_));
        let bytes = answer.message(&message)?.into();
        Some(Outgoing { to: waiting.from, bytes, timeout: None })
    }

    fn answer(
        &mut self,
        now: Instant,
        from: GsiAddress,
        message: Message<'_>,
        effects: &mut Effects,
    ) -> Answer {
        self.expire(now);
        let Some(served) = &self.served else { return Answer::Silence };
        let Some(requester) = served.index.port_by_lid(from.lid) else { return Answer::Silence };
        if message.header.base_version() != 1 {
            return Answer::Silence;
        }
        let sa_key = served.view.settings.options.sa_key;
        let key = message.header.sm_key();
        if key != 0 && key != sa_key {
            return Answer::Silence;
        }
        let request = Request::new(from, requester, key != 0, message);
        let context = Context {
            served,
            aliases: &self.aliases,
            groups: &self.groups,
            activity: self.answered,
        };
        match message.header.attr_id() {
            sa_attr::PATH_RECORD | sa_attr::MULTI_PATH_RECORD => {
                path::answer(&context, &request, effects)
            }
            sa_attr::MC_MEMBER_RECORD => {
                let (aliases, groups) = (&self.aliases, &mut self.groups);
                mcmember::answer(served, aliases, groups, &request, effects)
            }
            sa_attr::GUID_INFO_RECORD => match guid_info::answer(&context, &request) {
                Some(answer) => answer,
                None => guid_info::change(served, &mut self.aliases, &request),
            },
            sa_attr::SERVICE_RECORD => match service::changes(request.method()) {
                Ok(false) => service::query(&context, &self.services, &request),
                Ok(true) => service::change(served, &mut self.services, now, &request),
                Err(status) => Answer::Refused(status),
            },
            attr::INFORM_INFO => inform::set(served, &mut self.subscriptions, &request),
            sa_attr::INFORM_INFO_RECORD => inform::query(&context, &self.subscriptions, &request),
            attr::CLASS_PORT_INFO => class_port_info::answer(&context, &request),
            _ => records::answer(&context, &request)
                .unwrap_or(Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED)),
        }
    }
}
