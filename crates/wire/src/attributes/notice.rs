//! Notice: an event that a node or a manager tells of.

use crate::field::{attribute, named};
use crate::{Gid, Guid, Lid, NodeType};

attribute! {
    /// Notice (IBA 13.4.8.2): what a trap or a report carries. In an SMP it is the first 64
    /// bytes; [`Self::issuer_gid`] exists in class management datagrams only. The details depend
    /// on the trap's number, see [`crate::Trap`].
    Notice: 80 bytes {
        0, 1, is_generic / set_is_generic: u8, "NoticeIsGeneric",
            "1 for a trap of the architecture, 0 for a vendor's.";
        1, 7, notice_type / set_notice_type: u8, "NoticeType", "Severity, see [`NoticeType`].";
        8, 24, producer_type / set_producer_type: u32, "NoticeProducerType",
            "Kind of node that tells of it, or the vendor identifier.";
        32, 16, trap_number / set_trap_number: u16, "NoticeTrapNumber",
            "The trap, see [`mod@crate::trap_number`], or the vendor's device identifier.";
        48, 16, issuer_lid / set_issuer_lid: u16, "NoticeIssuerLID", "LID of who tells of it.";
        64, 1, toggle / set_toggle: u8, "NoticeToggle",
            "Alternates from one event to the next.";
        65, 15, count / set_count: u16, "NoticeCount", "Events that wait to be told.";
        80, 432, details;
        512, 128, issuer_gid;
    }
}

/// Where the details of a trap are, and how long they are.
const DETAILS: std::ops::Range<usize> = 10..64;

impl Notice {
    /// Producer type of a class manager, such as the subnet manager. Nodes use the numbers of
    /// [`NodeType`].
    pub const PRODUCER_CLASS_MANAGER: u32 = 4;

    /// A notice of the architecture's trap `number`.
    #[must_use]
    pub fn generic(kind: NoticeType, producer: u32, number: u16, issuer: Lid) -> Self {
        let mut notice = Self::default();
        notice.set_is_generic(1);
        notice.set_notice_type(kind.0);
        notice.set_producer_type(producer);
        notice.set_trap_number(number);
        notice.set_issuer_lid(issuer.0);
        notice
    }

    /// [`Self::notice_type`] with its name.
    #[must_use]
    pub const fn kind(&self) -> NoticeType {
        NoticeType(self.notice_type())
    }

    /// The kind of node that tells of it, when it is a generic notice of a node.
    #[must_use]
    pub fn producer(&self) -> Option<NodeType> {
        let node = u8::try_from(self.producer_type()).ok().filter(|n| (1..=3).contains(n))?;
        (self.is_generic() == 1).then_some(NodeType(node))
    }

    /// The 54 bytes of details.
    #[must_use]
    pub fn details(&self) -> &[u8; 54] {
        match self.0[DETAILS].first_chunk() {
            Some(details) => details,
            None => unreachable!("DETAILS is 54 bytes within the 80"),
        }
    }

    /// Sets the 54 bytes of details.
    pub fn set_details(&mut self, details: &[u8; 54]) {
        self.0[DETAILS].copy_from_slice(details);
    }

    /// GID of who tells of it; zeros in an SMP.
    #[must_use]
    pub fn issuer_gid(&self) -> Gid {
        Gid {
            prefix: crate::get_bits(&self.0, 512, 64),
            guid: Guid(crate::get_bits(&self.0, 576, 64)),
        }
    }

    /// Sets [`Self::issuer_gid`].
    pub fn set_issuer_gid(&mut self, gid: Gid) {
        crate::set_bits(&mut self.0, 512, 64, gid.prefix);
        crate::set_bits(&mut self.0, 576, 64, gid.guid.0);
    }
}

named! {
    /// How grave an event is (IBA 13.4.8.2).
    NoticeType: u8 {
        FATAL = 0, "Fatal", "Something has stopped working.";
        URGENT = 1, "Urgent", "Something needs attention soon.";
        SECURITY = 2, "Security", "A key did not match.";
        SUBNET_MANAGEMENT = 3, "Subnet Management", "News from the subnet manager.";
        INFORMATIONAL = 4, "Informational", "News.";
        EMPTY = 0x7F, "Empty", "There is no event.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 80] = [
        0xac, 0x07, 0xf7, 0x06, 0xaf, 0x2d, 0x4c, 0x54,
        0xfa, 0x39, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = Notice([0xa5; 80]);
        value.set_is_generic(1);
        value.set_notice_type(44);
        value.set_producer_type(0x7f706);
        value.set_trap_number(0xaf2d);
        value.set_issuer_lid(0x4c54);
        value.set_toggle(1);
        value.set_count(0x7a39);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = Notice(BYTES);
        assert_eq!(value.is_generic(), 1);
        assert_eq!(value.notice_type(), 44);
        assert_eq!(value.producer_type(), 0x7f706);
        assert_eq!(value.trap_number(), 0xaf2d);
        assert_eq!(value.issuer_lid(), 0x4c54);
        assert_eq!(value.toggle(), 1);
        assert_eq!(value.count(), 0x7a39);
    }
}
