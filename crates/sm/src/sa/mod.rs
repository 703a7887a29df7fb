//! Subnet administration: answers what ports of the subnet ask (IBA 15).
//!
//! It answers from the last view and from its own tables, never waits for the fabric, and goes on
//! while a sweep is under way. A request goes through [`Queue`], in which each client has its own
//! line; [`Request`] is what is known of it; a module for each kind of record makes an [`Answer`].
//! What requests cause beside their answers is collected in [`Effects`].

pub mod class_port_info;
pub mod index;
pub mod inform;
pub mod mcmember;
pub mod partitions;
pub mod path;
pub mod queue;
pub mod records;
pub mod report;
pub mod request;

use std::sync::Arc;

use lk_fabric::{PortId, SwitchId};
use lk_wire::sa::{Message, sa_attr};
use lk_wire::{Gid, Guid, Lid, NodeType, Notice, Status, Trap, attr};
use rustc_hash::FxHashMap;

use crate::io::{GsiAddress, Outgoing, View};
use crate::multicast::Groups;
use crate::time::{Duration, Instant};
use index::{Index, speaker};
use inform::Subscriptions;
use queue::{Bounds, Queue, Waiting};
use report::{Patience, Reports};
use request::{Answer, Request, refusal};

/// A view and its index.
#[derive(Debug)]
pub struct Served {
    /// The state of the subnet after the last sweep.
    pub view: Arc<View>,
    /// What its ports are found by.
    pub index: Index,
}

impl Served {
    /// Makes the index of a view.
    #[must_use]
    pub fn new(view: Arc<View>) -> Self {
        Self { index: Index::of(&view), view }
    }

    /// The GID of an end port; of a switch's external port that of the switch.
    #[must_use]
    pub fn gid(&self, port: PortId) -> Gid {
        let fabric = &self.view.seen.fabric;
        let guid = fabric.port(speaker(fabric, port)).guid;
        Gid { prefix: self.view.settings.options.subnet_prefix, guid }
    }
}

/// GUIDs that ports were given beside their own, and whose they are.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    ports: FxHashMap<Guid, Guid>,
}

impl Aliases {
    /// The GUID of the port that an alias belongs to.
    #[must_use]
    pub fn owner(&self, alias: Guid) -> Option<Guid> {
        self.ports.get(&alias).copied()
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
    /// How many requests were answered.
    answered: u32,
}

impl Sa {
    /// Answers from this view from now on.
    pub fn install(&mut self, view: Arc<View>) {
        self.served = Some(Served::new(view));
    }

    /// Takes no more requests: somebody else is the master.
    pub fn withdraw(&mut self) {
        *self = Self::default();
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
        let patience = u64::from(served.view.settings.options.max_msg_fifo_timeout);
        let bounds = Bounds { patience: Duration::millis(patience), ..Bounds::default() };
        let client = served.index.lid(served.index.port_by_lid(from.lid)?);
        let waiting = Waiting { client, from, bytes: bytes.into(), since: now };
        let refused = self.queue.push(bounds, waiting).err()?;
        let bytes = refusal(&message.header, Status::BUSY).into();
        Some(Outgoing { to: refused.from, bytes, timeout: None })
    }

    /// A report could not be sent, or nobody has answered it in time.
    pub fn not_sent(&mut self, now: Instant, token: u32) {
        self.reports.not_sent(now, token);
    }

    /// Whether requests wait.
    #[must_use]
    pub fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    /// When there is something to do that no input brings.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.reports.deadline()
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
        let message = Message::parse(&waiting.bytes).ok()?;
        let options = &self.served.as_ref()?.view.settings.options;
        let patience = Duration::millis(u64::from(options.max_msg_fifo_timeout));
        let answer = match patience.0 > 0 && now.since(waiting.since) > patience {
            true => Answer::Refused(Status::BUSY),
            false => self.answer(waiting.from, message, effects),
        };
        let bytes = answer.message(&message.header)?.into();
        Some(Outgoing { to: waiting.from, bytes, timeout: None })
    }

    fn answer(&mut self, from: GsiAddress, message: Message<'_>, effects: &mut Effects) -> Answer {
        let Some(served) = &self.served else { return Answer::Silence };
        let Some(requester) = served.index.port_by_lid(from.lid) else { return Answer::Silence };
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
            sa_attr::PATH_RECORD | sa_attr::MULTI_PATH_RECORD => path::answer(&context, &request),
            sa_attr::MC_MEMBER_RECORD => {
                let (aliases, groups) = (&self.aliases, &mut self.groups);
                mcmember::answer(served, aliases, groups, &request, effects)
            }
            attr::INFORM_INFO => inform::set(served, &mut self.subscriptions, &request),
            sa_attr::INFORM_INFO_RECORD => inform::query(&context, &self.subscriptions, &request),
            attr::CLASS_PORT_INFO => class_port_info::answer(&context, &request),
            _ => records::answer(&context, &request)
                .unwrap_or(Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED)),
        }
    }
}
