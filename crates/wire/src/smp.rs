//! Subnet management packets, directed and LID-routed (IBA 14.2.1).
//!
//! Both kinds have the same layout; the LID-routed kind leaves the fields of the route reserved.

use std::fmt;

use crate::field::attribute;
use crate::mad::attr;
use crate::mad::{class, method};
use crate::{Attribute, DirPath, Lid, MKey, MadHeader, Status, Tid};

attribute! {
    /// A subnet management packet, a datagram of class [`class::SUBN_DR`] or
    /// [`class::SUBN_LID`].
    Smp: 256 bytes {
        0, 8, base_version / set_base_version: u8, "MadBaseVersion", "Version of the format, 1.";
        8, 8, mgmt_class / set_mgmt_class: u8, "MadMgmtClass", "Management class, see [`class`].";
        16, 8, class_version / set_class_version: u8, "MadClassVersion",
            "Version of the class, 1.";
        24, 8, method / set_method: u8, "MadMethod",
            "Method with the response bit (0x80), see [`method`].";
        32, 16, status_word / set_status_word: u16, "MadStatus",
            "Status word as it lies on the wire: in a directed-route SMP, bit 15 is the D bit.";
        48, 8, hop_pointer / set_hop_pointer: u8, "DrSmpHopPtr",
            "Where on its route a directed-route SMP is (IBA 14.2.2).";
        56, 8, hop_count / set_hop_count: u8, "DrSmpHopCnt",
            "The number of hops of the route.";
        64, 64, raw_tid / set_raw_tid: u64, "MadTRID", "Transaction identifier as a number.";
        128, 16, attr_id / set_attr_id: u16, "MadAttr",
            "Attribute identifier, see [`crate::attr`].";
        144, 16, reserved_144;
        160, 32, attr_modifier / set_attr_modifier: u32, "MadModifier",
            "Attribute modifier; its meaning is the attribute's.";
        192, 64, raw_m_key / set_raw_m_key: u64, "MadMkey", "Management key as a number.";
        256, 16, dr_slid / set_dr_slid: u16, "DrSmpSLID",
            "LID of the node where the directed part starts, or permissive (0xFFFF).";
        272, 16, dr_dlid / set_dr_dlid: u16, "DrSmpDLID",
            "LID of the node where the directed part ends, or permissive (0xFFFF).";
        288, 224, reserved_288;
        512, 512, data;
        1024, 512, initial_path;
        1536, 512, return_path;
    }
}

/// Where the attribute is.
const DATA: usize = 64;
/// Where the initial path is.
const INITIAL_PATH: usize = 128;
/// Where the return path is.
const RETURN_PATH: usize = 192;
/// Bit 15 of the status word: set while a directed-route SMP is on its way back.
const D_BIT: u16 = 0x8000;

impl Smp {
    /// A directed-route request along `path`. Both ends of the route are permissive, so that it
    /// needs no LID anywhere.
    #[must_use]
    pub fn directed(
        method: u8,
        attr: u16,
        modifier: u32,
        tid: Tid,
        m_key: MKey,
        path: &DirPath,
    ) -> Self {
        let mut smp = Self::request(class::SUBN_DR, method, attr, modifier, tid, m_key);
        smp.set_hop_count(path.hops());
        smp.set_dr_slid(Lid::PERMISSIVE.0);
        smp.set_dr_dlid(Lid::PERMISSIVE.0);
        *smp.initial_path_mut() = *path.initial_path();
        smp
    }

    /// A LID-routed request. The destination's LID is the carrier's business.
    #[must_use]
    pub fn lid_routed(method: u8, attr: u16, modifier: u32, tid: Tid, m_key: MKey) -> Self {
        Self::request(class::SUBN_LID, method, attr, modifier, tid, m_key)
    }

    fn request(class: u8, method: u8, attr: u16, modifier: u32, tid: Tid, m_key: MKey) -> Self {
        let mut smp = Self::default();
        smp.set_base_version(1);
        smp.set_mgmt_class(class);
        smp.set_class_version(1);
        smp.set_method(method);
        smp.set_attr_id(attr);
        smp.set_attr_modifier(modifier);
        smp.set_raw_tid(tid.0);
        smp.set_raw_m_key(m_key.0);
        smp
    }

    /// The answer to this request as its receiver sends it: GetResp (TrapRepress to a trap), the
    /// D bit set on a directed route, and everything else as it came.
    #[must_use]
    pub fn response(&self, status: Status) -> Self {
        let mut answer = *self;
        answer.set_method(match self.method() {
            method::TRAP => method::TRAP_REPRESS,
            _ => method::GET_RESP,
        });
        answer.set_status(status);
        if self.is_directed() {
            answer.set_direction(true);
        }
        answer
    }

    /// The header that all datagrams share.
    #[must_use]
    pub fn header(&self) -> MadHeader {
        let mut header = MadHeader::default();
        header.0.copy_from_slice(&self.0[..MadHeader::LEN]);
        header
    }

    /// The transaction identifier.
    #[must_use]
    pub const fn tid(&self) -> Tid {
        Tid(self.raw_tid())
    }

    /// Sets [`Self::tid`].
    pub const fn set_tid(&mut self, tid: Tid) {
        self.set_raw_tid(tid.0);
    }

    /// The management key.
    #[must_use]
    pub const fn m_key(&self) -> MKey {
        MKey(self.raw_m_key())
    }

    /// Sets [`Self::m_key`].
    pub const fn set_m_key(&mut self, m_key: MKey) {
        self.set_raw_m_key(m_key.0);
    }

    /// Whether this is a directed-route SMP.
    #[must_use]
    pub const fn is_directed(&self) -> bool {
        self.mgmt_class() == class::SUBN_DR
    }

    /// Whether this answers a request: the response bit is set, or it is a TrapRepress.
    #[must_use]
    pub const fn is_response(&self) -> bool {
        self.method() & method::RESPONSE_BIT != 0 || self.method() == method::TRAP_REPRESS
    }

    /// The D bit of a directed-route SMP: `true` on the way back to the sender.
    #[must_use]
    pub const fn direction(&self) -> bool {
        self.is_directed() && self.status_word() & D_BIT != 0
    }

    /// Sets or clears the D bit; only for directed-route SMPs.
    pub const fn set_direction(&mut self, back: bool) {
        let bit = if back { D_BIT } else { 0 };
        self.set_status_word(self.status_word() & !D_BIT | bit);
    }

    /// The status, without the D bit on a directed route.
    #[must_use]
    pub const fn status(&self) -> Status {
        let d_bit = if self.is_directed() { D_BIT } else { 0 };
        Status(self.status_word() & !d_bit)
    }

    /// Sets the status; the D bit of a directed-route SMP stays as it is.
    pub const fn set_status(&mut self, status: Status) {
        let d_bit = if self.is_directed() { D_BIT } else { 0 };
        self.set_status_word(self.status_word() & d_bit | status.0 & !d_bit);
    }

    /// The route in the initial path, or `None` when the hop count is more than 63.
    #[must_use]
    pub fn path(&self) -> Option<DirPath> {
        self.initial_path().get(1..=usize::from(self.hop_count())).and_then(DirPath::from_ports)
    }

    /// The 64 bytes of the attribute.
    #[must_use]
    pub fn data(&self) -> &[u8; 64] {
        self.block::<DATA>()
    }

    /// The 64 bytes of the attribute, to be written.
    pub fn data_mut(&mut self) -> &mut [u8; 64] {
        self.block_mut::<DATA>()
    }

    /// The egress ports on the way out: entry `n` is that of hop `n`, entry 0 is not used.
    #[must_use]
    pub fn initial_path(&self) -> &[u8; 64] {
        self.block::<INITIAL_PATH>()
    }

    /// [`Self::initial_path`], to be written.
    pub fn initial_path_mut(&mut self) -> &mut [u8; 64] {
        self.block_mut::<INITIAL_PATH>()
    }

    /// The ports through which the SMP has come in: entry `n` is that of hop `n`.
    #[must_use]
    pub fn return_path(&self) -> &[u8; 64] {
        self.block::<RETURN_PATH>()
    }

    /// [`Self::return_path`], to be written.
    pub fn return_path_mut(&mut self) -> &mut [u8; 64] {
        self.block_mut::<RETURN_PATH>()
    }

    /// The attribute that the SMP carries, read as an `A`. Whether it is one is for the caller
    /// to know from [`Self::attr_id`].
    #[must_use]
    pub fn attribute<A: Attribute>(&self) -> A {
        A::from_data(self.data())
    }

    /// Puts an attribute into the SMP. The rest of the 64 bytes becomes 0.
    pub fn set_attribute<A: Attribute>(&mut self, attribute: &A) {
        *self.data_mut() = attribute.to_data();
    }

    /// The block of 64 bytes that starts at `AT`, which is at most 192.
    fn block<const AT: usize>(&self) -> &[u8; 64] {
        const { assert!(AT + 64 <= 256) };
        match self.0[AT..].first_chunk() {
            Some(block) => block,
            None => unreachable!("AT + 64 <= 256 is checked at compile time"),
        }
    }

    fn block_mut<const AT: usize>(&mut self) -> &mut [u8; 64] {
        const { assert!(AT + 64 <= 256) };
        match self.0[AT..].first_chunk_mut() {
            Some(block) => block,
            None => unreachable!("AT + 64 <= 256 is checked at compile time"),
        }
    }
}

/// One line for logs: method, attribute, modifier, route, transaction, status.
pub struct Summary<'a>(&'a Smp);

impl Smp {
    /// One line for logs, for example
    /// `SubnGet(NodeInfo) modifier 0x0 path 0,1 tid 0x0000000000000001`.
    #[must_use]
    pub const fn summary(&self) -> Summary<'_> {
        Summary(self)
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let smp = self.0;
        match method::name(smp.method()) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "method 0x{:02x}", smp.method())?,
        }
        match attr::name(smp.attr_id()) {
            Some(name) => write!(f, "({name})")?,
            None => write!(f, "(attribute 0x{:04x})", smp.attr_id())?,
        }
        write!(f, " modifier 0x{:x}", smp.attr_modifier())?;
        match smp.path() {
            _ if !smp.is_directed() => {}
            Some(path) => write!(f, " path {path}")?,
            None => write!(f, " path of {} hops", smp.hop_count())?,
        }
        write!(f, " tid {}", smp.tid())?;
        if smp.is_response() {
            write!(f, " status {}", smp.status())?;
        }
        Ok(())
    }
}
