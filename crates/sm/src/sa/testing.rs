//! A subnet administration on a small fabric, for tests.

use std::sync::Arc;

use lk_config::Options;
use lk_wire::sa::{Message, Record, SaHeader};
use lk_wire::{Guid, Lid, PKey, PKeyTable};

use super::{Effects, Sa};
use crate::decide::{Settings, decide};
use crate::event::SweepFigures;
use crate::io::{GsiAddress, View};
use crate::observe::{Observed, Table};
use crate::plan::Plan;
use crate::testing::{carry_out, read_zeros, two_switches};
use crate::time::Instant;

/// The port GUIDs of [`two_switches`] in the order of their LIDs, from 1.
pub(super) const GUIDS: [u64; 8] =
    [0x100001, 0x200000, 0x200001, 0x100003, 0x100005, 0x100007, 0x100009, 0x10000a];

/// The view of the two switches and six hosts after a sweep: LIDs 1 to 8 in the order of
/// [`GUIDS`], all links up, every port in the default partition.
pub(super) fn view(options: Options) -> View {
    view_with(options, |_| {})
}

/// [`view`], with something done to what the ports hold.
pub(super) fn view_with(options: Options, change: impl Fn(&mut Observed)) -> View {
    let settings = Settings::new(options, Default::default());
    let mut seen = two_switches(&[], true);
    for info in seen.ports.iter_mut().flatten() {
        info.set_guid_cap(16);
        info.set_m_key(0x1234);
    }
    let desired = decide(&seen, &settings);
    read_zeros(&mut seen, &desired);
    let plan = Plan::compare(&seen, &desired);
    carry_out(&mut seen, &plan, &desired);
    change(&mut seen);
    View {
        seen: Arc::new(seen),
        desired: Arc::new(desired),
        settings: Arc::new(settings),
        figures: SweepFigures::default(),
    }
}

/// Gives the port with a GUID these keys and no others, in a view that decides on none.
pub(super) fn give_keys(seen: &mut Observed, guid: u64, keys: &[u16]) {
    let fabric = Arc::clone(&seen.fabric);
    let port = fabric.end_ports().find(|p| fabric.port(*p).guid == Guid(guid));
    let port = port.expect("a port of the fabric");
    let mut table = PKeyTable::default();
    for (at, key) in keys.iter().enumerate() {
        table.set(at, PKey(*key));
    }
    seen.tables.learn(Table::PKeys(port), 0, &table.0);
}

/// A request to be made.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) from: Lid,
    pub(super) header: SaHeader,
    pub(super) data: Vec<u8>,
}

impl Ask {
    /// An untrusted request of the host with LID 4 for `R`.
    pub(super) fn new<R: Record>(method: u8, mask: u64, record: &R) -> Self {
        let mut header = SaHeader::request(method, R::ID, 1);
        header.set_component_mask(mask);
        Self { from: Lid(4), header, data: record.bytes().to_vec() }
    }

    pub(super) fn trusted(mut self) -> Self {
        self.header.set_sm_key(1);
        self
    }

    pub(super) fn from(mut self, lid: u16) -> Self {
        self.from = Lid(lid);
        self
    }

    pub(super) fn modifier(mut self, modifier: u32) -> Self {
        self.header.set_attr_modifier(modifier);
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header.0.to_vec();
        bytes.extend_from_slice(&self.data);
        bytes.resize(256.max(bytes.len()), 0);
        bytes
    }
}

/// What came back: the status, and each record with what pads it.
pub(super) type Got = Result<Vec<Vec<u8>>, u16>;

/// The server under test.
pub(super) struct Lab {
    pub(super) sa: Sa,
    pub(super) now: Instant,
    pub(super) effects: Effects,
}

impl Lab {
    pub(super) fn new(view: View) -> Self {
        let mut sa = Sa::default();
        sa.install(Instant(0), Arc::new(view));
        Self { sa, now: Instant(0), effects: Effects::default() }
    }

    pub(super) fn plain() -> Self {
        Self::new(view(Options::default()))
    }

    /// Asks and takes the answer; `None`: there was none.
    pub(super) fn try_ask(&mut self, ask: &Ask) -> Option<Got> {
        let from = GsiAddress { lid: ask.from, qp: 1, ..GsiAddress::default() };
        let refused = self.sa.take(self.now, from, &ask.bytes());
        let answer = match refused {
            Some(refusal) => refusal,
            None => self.sa.answer_next(self.now, &mut self.effects)?,
        };
        assert_eq!(answer.to, from);
        let message = Message::parse(&answer.bytes).expect("a whole message");
        assert_eq!(message.header.tid(), ask.header.tid());
        assert_eq!(message.header.sm_key(), 0, "no key goes back");
        Some(match message.header.status() {
            0 if ask.header.method() == lk_wire::method::GET
                || ask.header.method() != lk_wire::method::GET_TABLE =>
            {
                Ok(message.records().take(1).map(<[u8]>::to_vec).collect())
            }
            0 => Ok(message.records().map(<[u8]>::to_vec).collect()),
            status => Err(status),
        })
    }

    pub(super) fn ask(&mut self, ask: &Ask) -> Got {
        self.try_ask(ask).expect("an answer")
    }

    /// Asks for records; panics at a refusal.
    pub(super) fn records<R: Record>(&mut self, ask: &Ask) -> Vec<R> {
        self.ask(ask).expect("records").iter().map(|bytes| R::read(bytes)).collect()
    }

    /// Asks for as many records as there are, and counts them.
    pub(super) fn count(&mut self, ask: &Ask) -> usize {
        self.ask(ask).map_or(0, |records| records.len())
    }
}
