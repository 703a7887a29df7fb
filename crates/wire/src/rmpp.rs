//! The header of the reliable multi-packet protocol (IBA 13.6): long messages over datagrams of
//! 256 bytes.
//!
//! The header follows the common one in classes that may carry long messages. After it comes the
//! class's own header, which every segment repeats, and then the segment's part of the message.
//! What a sender and a receiver do with it is not here: this is bytes only.

use crate::field::attribute;
use crate::mad::class;

attribute! {
    /// The RMPP header (IBA 13.6.2.1). It lies at byte 24 of a datagram.
    RmppHeader: 12 bytes {
        0, 8, version / set_version: u8, "RmppVers", "Version of the protocol, 1.";
        8, 8, kind / set_kind: u8, "RmppType", "What the segment is, see [`rmpp_type`].";
        16, 5, response_time / set_response_time: u8, "RmppResp",
            "How long an answer may take, 4.096 µs · 2^n; 31 says nothing.";
        21, 3, flags / set_flags: u8, "RmppFlags", "See [`rmpp_flag`].";
        24, 8, status / set_status: u8, "RmppStatus", "Why it is ended, see [`rmpp_status`].";
        32, 32, segment / set_segment: u32, "RmppSegment",
            "Number of this segment, from 1; in an ACK the last that has come without a gap.";
        64, 32, length / set_length: u32, "RmppLength",
            "PayloadLength in data: of the whole message in the first segment, of the rest in the \
             last one. NewWindowLast in an ACK: the last segment that may be sent.";
    }
}

/// Kinds of segments ([`RmppHeader::kind`], IBA 13.6.2.1).
pub mod rmpp_type {
    /// No RMPP.
    pub const NONE: u8 = 0;
    /// A segment of a message.
    pub const DATA: u8 = 1;
    /// What has come, and what may be sent.
    pub const ACK: u8 = 2;
    /// The receiver or the sender has no room.
    pub const STOP: u8 = 3;
    /// It is ended because something is wrong.
    pub const ABORT: u8 = 4;
}

/// Bits of [`RmppHeader::flags`] (IBA 13.6.2.1).
pub mod rmpp_flag {
    /// The datagram is a part of the protocol.
    pub const ACTIVE: u8 = 1;
    /// The first segment.
    pub const FIRST: u8 = 2;
    /// The last segment.
    pub const LAST: u8 = 4;
}

/// Values of [`RmppHeader::status`] (IBA 13.6.2.1).
pub mod rmpp_status {
    /// All is well.
    pub const NORMAL: u8 = 0;
    /// STOP: there is no room.
    pub const NO_RESOURCES: u8 = 1;
    /// ABORT: the whole took too long.
    pub const TOO_LONG: u8 = 118;
    /// ABORT: the Last flag and PayloadLength do not fit.
    pub const BAD_LENGTH: u8 = 119;
    /// ABORT: the First flag and the segment's number do not fit.
    pub const BAD_SEGMENT: u8 = 120;
    /// ABORT: no such kind.
    pub const BAD_TYPE: u8 = 121;
    /// ABORT: NewWindowLast is below the segment's number.
    pub const WINDOW_TOO_SMALL: u8 = 122;
    /// ABORT: a segment is acknowledged that was not sent.
    pub const SEGMENT_TOO_BIG: u8 = 123;
    /// ABORT: the status does not fit the kind.
    pub const BAD_STATUS: u8 = 124;
    /// ABORT: no such version.
    pub const BAD_VERSION: u8 = 125;
    /// ABORT: too many retries.
    pub const TOO_MANY_RETRIES: u8 = 126;
    /// ABORT: something else.
    pub const UNSPECIFIED: u8 = 127;
}

impl RmppHeader {
    /// Where the header lies in a datagram.
    pub const OFFSET: usize = 24;
    /// What follows the header in a datagram: class header and data. PayloadLength counts these.
    pub const SEGMENT_LEN: usize = crate::MAD_LEN - Self::OFFSET - Self::LEN;
    /// The first class of vendors with an OUI; these may carry long messages.
    const VENDOR_FIRST: u8 = 0x30;
    /// The last of them.
    const VENDOR_LAST: u8 = 0x4F;
    const DEVICE_ADM: u8 = 0x10;
    const BIS: u8 = 0x12;

    /// Where the data starts in datagrams of a class that may carry long messages; `None` for the
    /// other classes.
    #[must_use]
    pub const fn data_offset(mgmt_class: u8) -> Option<usize> {
        match mgmt_class {
            class::SUBN_ADM => Some(56),
            class::DEV_MGMT | Self::DEVICE_ADM | Self::BIS => Some(64),
            Self::VENDOR_FIRST..=Self::VENDOR_LAST => Some(40),
            _ => None,
        }
    }

    /// The header of a datagram; `None` where the class has none or the bytes are too few.
    #[must_use]
    pub fn of(mad: &[u8]) -> Option<Self> {
        Self::data_offset(*mad.get(1)?)?;
        Self::parse(mad.get(Self::OFFSET..)?).ok()
    }

    /// Writes the header into a datagram. One that is too short stays as it is.
    pub fn write_to(&self, mad: &mut [u8]) {
        if let Some(place) = mad.get_mut(Self::OFFSET..Self::OFFSET + Self::LEN) {
            place.copy_from_slice(&self.0);
        }
    }

    /// Whether the datagram is a part of the protocol.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.flags() & rmpp_flag::ACTIVE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_where_the_architecture_has_it() {
        let mut mad = [0_u8; 256];
        mad[1] = class::SUBN_ADM;
        mad[24..36].copy_from_slice(&[1, 1, 0xFB, 0, 0, 0, 0, 1, 0, 0, 2, 0x14]);
        let header = RmppHeader::of(&mad).unwrap();
        assert_eq!((header.version(), header.kind(), header.response_time()), (1, 1, 31));
        assert_eq!(header.flags(), rmpp_flag::ACTIVE | rmpp_flag::FIRST);
        assert_eq!((header.segment(), header.length()), (1, 0x214));
        assert!(header.is_active());
        let mut copy = [0_u8; 256];
        copy[1] = class::SUBN_ADM;
        header.write_to(&mut copy);
        assert_eq!(copy, mad);
    }

    #[test]
    fn classes_without_long_messages_have_no_header() {
        let with = [(0x03, 56), (0x06, 64), (0x10, 64), (0x12, 64), (0x30, 40), (0x4F, 40)];
        for class in 0..=u8::MAX {
            let expected = with.iter().find(|(c, _)| *c == class).map(|(_, offset)| *offset);
            let vendor = (0x30..=0x4F).contains(&class).then_some(40);
            assert_eq!(RmppHeader::data_offset(class), expected.or(vendor), "class {class:#x}");
        }
        assert_eq!(RmppHeader::of(&[0; 256]), None);
        assert_eq!(RmppHeader::of(&[1, 3, 2]), None);
        assert_eq!(RmppHeader::SEGMENT_LEN, 220);
    }
}
