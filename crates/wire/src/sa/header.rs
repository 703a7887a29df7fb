//! What every message of subnet administration starts with.

use crate::field::{attribute, named};
use crate::{Status, WireError, class, method};

attribute! {
    /// The headers of a message of subnet administration: the common one (IBA 13.4.3), RMPP's
    /// (IBA 13.6.2) and the class's own (IBA 15.2.1).
    SaHeader: 56 bytes {
        0, 8, base_version / set_base_version: u8, "BaseVersion", "Version of the format, 1.";
        8, 8, mgmt_class / set_mgmt_class: u8, "MgmtClass", "Management class, 3.";
        16, 8, class_version / set_class_version: u8, "ClassVersion", "Version of the class, 2.";
        24, 8, method / set_method: u8, "Method", "Method with the response bit (0x80).";
        32, 16, status / set_status: u16, "Status", "Status, see [`crate::sa::sa_status`].";
        48, 16, reserved_48;
        64, 64, tid / set_tid: u64, "TransactionID", "Transaction identifier.";
        128, 16, attr_id / set_attr_id: u16, "AttributeID", "See [`crate::sa::sa_attr`].";
        144, 16, reserved_144;
        160, 32, attr_modifier / set_attr_modifier: u32, "AttributeModifier",
            "Attribute modifier; only PortInfoRecord gives it a meaning.";
        192, 8, rmpp_version / set_rmpp_version: u8, "RMPPVersion", "Version of RMPP, 1.";
        200, 8, rmpp_type / set_rmpp_type: u8, "RMPPType", "Kind of packet, see [`RmppType`].";
        208, 5, rmpp_resp_time / set_rmpp_resp_time: u8, "RRespTime",
            "Exponent of the sender's response time; 31: none is given.";
        213, 3, rmpp_flags / set_rmpp_flags: u8, "RMPPFlags", "See [`mod@rmpp_flag`].";
        216, 8, rmpp_status / set_rmpp_status: u8, "RMPPStatus", "0, or why it was given up.";
        224, 32, segment / set_segment: u32, "SegmentNumber", "Number of the segment, from 1.";
        256, 32, payload_length / set_payload_length: u32, "PayloadLength",
            "Bytes of payload in the first and the last segment; the new window in an ACK.";
        288, 64, sm_key / set_sm_key: u64, "SM_Key", "Key of a trusted request, else 0.";
        352, 16, attribute_offset / set_attribute_offset: u16, "AttributeOffset",
            "Distance from one record to the next, in units of eight bytes.";
        368, 16, reserved_368;
        384, 64, component_mask / set_component_mask: u64, "ComponentMask",
            "The components of the record that count in a query.";
    }
}

named! {
    /// Kinds of RMPP packets (IBA 13.6.2.1).
    RmppType: u8 {
        NONE = 0, "none", "Not an RMPP packet.";
        DATA = 1, "DATA", "A segment.";
        ACK = 2, "ACK", "An acknowledgement.";
        STOP = 3, "STOP", "The sender or the receiver stops for want of resources.";
        ABORT = 4, "ABORT", "The sender or the receiver gives up.";
    }
}

/// RMPP flags (IBA 13.6.2.1).
pub mod rmpp_flag {
    /// The packet belongs to an RMPP transfer.
    pub const ACTIVE: u8 = 1;
    /// The first segment.
    pub const FIRST: u8 = 2;
    /// The last segment.
    pub const LAST: u8 = 4;
}

impl SaHeader {
    /// The class's version.
    pub const VERSION: u8 = 2;

    /// The header of a request, with the versions set.
    #[must_use]
    pub fn request(method: u8, attribute: u16, tid: u64) -> Self {
        let mut header = Self::default();
        header.set_base_version(1);
        header.set_mgmt_class(class::SUBN_ADM);
        header.set_class_version(Self::VERSION);
        header.set_method(method);
        header.set_attr_id(attribute);
        header.set_tid(tid);
        header
    }

    /// The header of an answer to this request: the same with the response bit, a status, and
    /// without the SM_Key, which is nobody's business, and without what RMPP had in it.
    #[must_use]
    pub fn answer(&self, status: Status) -> Self {
        let mut header = *self;
        header.set_method(match self.method() {
            // SubnAdmSet is answered by SubnAdmGetResp (IBA 15.2.2).
            method::SET => method::GET_RESP,
            other => other | method::RESPONSE_BIT,
        });
        header.set_status(status.0);
        header.set_sm_key(0);
        header.0[24..36].fill(0);
        header
    }

    /// Whether it answers something.
    #[must_use]
    pub const fn is_response(&self) -> bool {
        self.method() & method::RESPONSE_BIT != 0
    }
}

/// A whole message: headers and what follows them.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The headers.
    pub header: SaHeader,
    /// One record in a request; any number of them in an answer.
    pub data: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// Only when there are fewer bytes than headers.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, WireError> {
        let header = SaHeader::parse(bytes)?;
        Ok(Self { header, data: bytes.get(SaHeader::LEN..).unwrap_or_default() })
    }

    /// The records of an answer, each with what pads it. Nothing where the offset is 0, which
    /// says that there is at most one.
    pub fn records(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let stride = usize::from(self.header.attribute_offset()) * 8;
        self.data.chunks_exact(stride.max(1)).take(if stride == 0 { 0 } else { usize::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_where_the_architecture_has_them() {
        let mut h = SaHeader::request(method::GET_TABLE, 0x35, 0x1122_3344_5566_7788);
        h.set_rmpp_version(1);
        h.set_rmpp_type(RmppType::DATA.0);
        h.set_rmpp_resp_time(31);
        h.set_rmpp_flags(rmpp_flag::ACTIVE | rmpp_flag::FIRST);
        h.set_segment(1);
        h.set_payload_length(0x102);
        h.set_sm_key(1);
        h.set_attribute_offset(8);
        h.set_component_mask(0x30);
        let expected = [
            1, 3, 2, 0x12, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 0x35, 0,
            0, 0, 0, 0, 0, 1, 1, 0xfb, 0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 8, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0x30,
        ];
        assert_eq!(h.0, expected);
    }

    #[test]
    fn an_answer_keeps_no_key() {
        let mut h = SaHeader::request(method::GET, 0x11, 7);
        h.set_sm_key(99);
        h.set_rmpp_version(1);
        let answer = h.answer(Status::BUSY);
        assert_eq!((answer.method(), answer.status(), answer.tid()), (0x81, 1, 7));
        assert_eq!((answer.sm_key(), answer.rmpp_version()), (0, 0));
        assert!(answer.is_response() && !h.is_response());
        let method = |m| SaHeader::request(m, 0x38, 7).answer(Status::OK).method();
        assert_eq!([method::SET, method::DELETE, 0x12, 0x14].map(method), [0x81, 0x95, 0x92, 0x94]);
    }

    #[test]
    fn records_lie_at_multiples_of_the_offset() {
        let mut bytes = [0; 56 + 40];
        let mut h = SaHeader::default();
        h.set_attribute_offset(2);
        bytes[..56].copy_from_slice(&h.0);
        bytes[56 + 16] = 9;
        let message = Message::parse(&bytes).unwrap();
        let firsts: Vec<u8> = message.records().map(|r| r[0]).collect();
        assert_eq!(firsts, [0, 9], "what is left over is no record");
        bytes[44..46].fill(0);
        assert_eq!(Message::parse(&bytes).unwrap().records().count(), 0);
        assert!(Message::parse(&bytes[..55]).is_err());
    }
}
