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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeInfo, PortInfo};

    fn path(ports: &[u8]) -> DirPath {
        DirPath::from_ports(ports).expect("a short route")
    }

    #[test]
    fn directed_request_is_laid_out_as_on_the_wire() {
        let smp = Smp::directed(
            method::GET,
            attr::NODE_INFO,
            5,
            Tid(0x1234_5678),
            MKey(0xAABB),
            &path(&[1, 36]),
        );
        let mut expected = [0; 256];
        expected[..4].copy_from_slice(&[1, 0x81, 1, 1]);
        expected[7] = 2; // hop count
        expected[12..16].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
        expected[17] = 0x11;
        expected[23] = 5;
        expected[30..32].copy_from_slice(&[0xAA, 0xBB]);
        expected[32..36].fill(0xFF);
        expected[129..131].copy_from_slice(&[1, 36]);
        assert_eq!(smp.0, expected);
        assert_eq!(smp.path(), Some(path(&[1, 36])));
    }

    #[test]
    fn lid_routed_request_has_no_route() {
        let smp = Smp::lid_routed(method::SET, attr::SM_INFO, 1, Tid(9), MKey(0));
        let mut expected = [0; 256];
        expected[..4].copy_from_slice(&[1, 1, 1, 2]);
        expected[15] = 9;
        expected[17] = 0x20;
        expected[23] = 1;
        assert_eq!(smp.0, expected);
        assert!(!smp.is_directed());
    }

    #[test]
    fn fields_beyond_the_header() {
        let mut bytes = [0; 256];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = i as u8;
        }
        let mut smp = Smp(bytes);
        assert_eq!((smp.hop_pointer(), smp.hop_count()), (6, 7));
        assert_eq!(smp.m_key(), MKey(0x1819_1A1B_1C1D_1E1F));
        assert_eq!((smp.dr_slid(), smp.dr_dlid()), (0x2021, 0x2223));
        assert_eq!((smp.data()[0], smp.data()[63]), (64, 127));
        assert_eq!((smp.initial_path()[0], smp.initial_path()[63]), (128, 191));
        assert_eq!((smp.return_path()[0], smp.return_path()[63]), (192, 255));
        assert_eq!(smp.header().0, bytes[..24]);
        smp.data_mut()[63] = 1;
        smp.initial_path_mut()[0] = 2;
        smp.return_path_mut()[63] = 3;
        (bytes[127], bytes[128], bytes[255]) = (1, 2, 3);
        assert_eq!(smp.0, bytes);
    }

    #[test]
    fn the_d_bit_is_no_part_of_the_status() {
        let mut smp = Smp::directed(method::GET, 0, 0, Tid(1), MKey(0), &DirPath::LOCAL);
        smp.set_direction(true);
        assert_eq!((smp.status(), smp.status_word()), (Status::OK, 0x8000));
        smp.set_status(Status::BUSY);
        assert_eq!((smp.direction(), smp.status_word()), (true, 0x8001));
        smp.set_status(Status(0xFFFF));
        smp.set_direction(false);
        assert_eq!((smp.direction(), smp.status()), (false, Status(0x7FFF)));

        let mut smp = Smp::lid_routed(method::GET, 0, 0, Tid(1), MKey(0));
        smp.set_status(Status(0x8001));
        assert_eq!((smp.direction(), smp.status()), (false, Status(0x8001)));
    }

    #[test]
    fn response_turns_the_request_round() {
        let request = Smp::directed(method::SET, attr::PORT_INFO, 3, Tid(77), MKey(5), &path(&[1]));
        let answer = request.response(Status::INVALID_VALUE);
        assert!(answer.is_response() && answer.direction() && !request.is_response());
        assert_eq!(answer.method(), method::GET_RESP);
        assert_eq!(answer.status(), Status::INVALID_VALUE);
        assert_eq!((answer.tid(), answer.attr_id(), answer.attr_modifier()), (Tid(77), 0x15, 3));
        assert_eq!(answer.path(), request.path());

        let trap = Smp::lid_routed(method::TRAP, attr::NOTICE, 0, Tid(4), MKey(0));
        let repress = trap.response(Status::OK);
        assert_eq!((repress.method(), repress.direction()), (method::TRAP_REPRESS, false));
        assert!(repress.is_response());
    }

    #[test]
    fn carries_attributes() {
        let mut info = NodeInfo::default();
        info.set_num_ports(36);
        info.set_vendor_id(0x02C9);
        let mut smp = Smp([0xA5; 256]);
        smp.set_attribute(&info);
        assert_eq!(smp.attribute::<NodeInfo>(), info);
        assert_eq!(smp.data()[40..], [0; 24], "the rest is cleared");
        assert_eq!((smp.0[63], smp.0[128]), (0xA5, 0xA5), "and nothing else");
        smp.set_attribute(&PortInfo([7; 64]));
        assert_eq!(smp.data(), &[7; 64]);
    }

    #[test]
    fn a_hop_count_over_63_is_no_route() {
        let mut smp = Smp::directed(method::GET, 0x11, 0, Tid(1), MKey(0), &path(&[3; 63]));
        assert_eq!(smp.path(), Some(path(&[3; 63])));
        smp.set_hop_count(64);
        assert_eq!(smp.path(), None);
        assert!(smp.summary().to_string().contains("path of 64 hops"));
    }

    #[test]
    fn summary_is_one_line() {
        let smp = Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(1), MKey(0), &path(&[1]));
        assert_eq!(
            smp.summary().to_string(),
            "SubnGet(NodeInfo) modifier 0x0 path 0,1 tid 0x0000000000000001"
        );
        let mut odd = Smp::lid_routed(0x42, 0xFF91, 16, Tid(2), MKey(0)).response(Status::BUSY);
        odd.set_method(0xC2);
        assert_eq!(
            odd.summary().to_string(),
            "method 0xc2(attribute 0xff91) modifier 0x10 tid 0x0000000000000002 \
             status 0x0001 (busy)"
        );
    }
}
