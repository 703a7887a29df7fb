//! A request to the subnet administration, and what is answered.

use lk_fabric::PortId;
use lk_wire::sa::{Message, Record, SaHeader, padded, sa_status, stride};
use lk_wire::{Status, method};

use crate::io::GsiAddress;

/// A request from a port of this subnet.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where it comes from.
    pub from: GsiAddress,
    /// The end port that has asked; port 0 for a switch.
    pub requester: PortId,
    /// Whether it carries the right SM_Key: it may see and do more.
    pub trusted: bool,
    /// Its headers.
    pub header: SaHeader,
    /// The record in it.
    pub data: &'a [u8],
}

impl<'a> Request<'a> {
    /// A request as it came in.
    #[must_use]
    pub const fn new(
        from: GsiAddress,
        requester: PortId,
        trusted: bool,
        message: Message<'a>,
    ) -> Self {
        Self { from, requester, trusted, header: message.header, data: message.data }
    }

    /// The method.
    #[must_use]
    pub const fn method(&self) -> u8 {
        self.header.method()
    }

    /// The component mask.
    #[must_use]
    pub const fn mask(&self) -> u64 {
        self.header.component_mask()
    }

    /// Whether a component is in the mask.
    #[must_use]
    pub const fn has(&self, component: u64) -> bool {
        self.mask() & component == component
    }

    /// The record in it; what is missing of it is zero.
    #[must_use]
    pub fn record<R: Record>(&self) -> R {
        R::read(self.data)
    }

    /// Whether it is a Get or a GetTable.
    #[must_use]
    pub const fn is_query(&self) -> bool {
        matches!(self.method(), method::GET | method::GET_TABLE)
    }
}

/// What a request gets back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Records, of which a Get wants exactly one.
    Records(Records),
    /// A refusal.
    Refused(Status),
    /// Nothing at all.
    Silence,
}

/// Records of one kind, as they lie behind the headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    bytes: Vec<u8>,
    length: usize,
    count: usize,
}

impl Records {
    /// No records of `R`.
    #[must_use]
    pub fn none<R: Record + Default>() -> Self {
        Self { bytes: Vec::new(), length: R::default().bytes().len(), count: 0 }
    }

    /// One record.
    #[must_use]
    pub fn one<R: Record + Default>(record: &R) -> Self {
        let mut records = Self::none::<R>();
        records.push(record);
        records
    }

    /// Adds a record of the same kind.
    pub fn push<R: Record>(&mut self, record: &R) {
        debug_assert_eq!(record.bytes().len(), self.length, "records of one kind");
        self.bytes.extend_from_slice(record.bytes());
        self.count += 1;
        self.bytes.resize(self.count * padded(self.length), 0);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl From<Records> for Answer {
    fn from(records: Records) -> Self {
        Self::Records(records)
    }
}

impl Answer {
    /// One record.
    #[must_use]
    pub fn one<R: Record + Default>(record: &R) -> Self {
        Self::Records(Records::one(record))
    }

    /// The message that says so; `None` where nothing is to be said.
    #[must_use]
    pub fn message(&self, request: &Message<'_>) -> Option<Vec<u8>> {
        let header = &request.header;
        let get = header.method() == method::GET;
        match self {
            Self::Silence => None,
            Self::Refused(status) => Some(refusal(request, *status)),
            Self::Records(r) if get && r.is_empty() => {
                Some(refusal(request, sa_status::NO_RECORDS))
            }
            Self::Records(r) if get && r.len() > 1 => {
                Some(refusal(request, sa_status::TOO_MANY_RECORDS))
            }
            Self::Records(r) => {
                let mut header = header.answer(Status::OK);
                header.set_attribute_offset(if r.is_empty() { 0 } else { stride(r.length) });
                if is_table(request.header.method()) {
                    start_rmpp(&mut header);
                }
                let mut bytes = Vec::with_capacity(SaHeader::LEN + r.bytes.len());
                bytes.extend_from_slice(&header.0);
                bytes.extend_from_slice(&r.bytes);
                if !is_table(request.header.method()) {
                    bytes.resize(lk_wire::MAD_LEN.max(bytes.len()), 0);
                }
                Some(bytes)
            }
        }
    }
}

/// Whether the answer to this method may be longer than a datagram and goes by RMPP.
const fn is_table(method: u8) -> bool {
    use lk_wire::sa::sa_method::{GET_MULTI, GET_TRACE_TABLE};
    matches!(method, method::GET_TABLE | GET_TRACE_TABLE | GET_MULTI)
}

/// Tells who carries the message that it goes by RMPP; segments are made there.
fn start_rmpp(header: &mut SaHeader) {
    use lk_wire::sa::{RmppType, rmpp_flag};
    header.set_rmpp_version(1);
    header.set_rmpp_type(RmppType::DATA.0);
    header.set_rmpp_flags(rmpp_flag::ACTIVE);
}

/// A refusal: the request's own bytes, as far as a datagram holds them, with the status.
#[must_use]
pub fn refusal(request: &Message<'_>, status: Status) -> Vec<u8> {
    let mut bytes = request.header.answer(status).0.to_vec();
    bytes.extend_from_slice(&request.data[..request.data.len().min(lk_wire::MAD_LEN)]);
    bytes.resize(lk_wire::MAD_LEN, 0);
    bytes
}
