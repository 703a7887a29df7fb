//! The header that every management datagram starts with, and its numbers (IBA 13.4).
//!
//! [`crate::Smp`] adds what subnet management has; the payloads are in [`crate::attributes`].

use std::fmt;

use crate::field::attribute;

/// The length of every datagram in bytes (IBA 13.4.1).
pub const MAD_LEN: usize = 256;

attribute! {
    /// The common header of a management datagram (IBA 13.4.3).
    MadHeader: 24 bytes {
        0, 8, base_version / set_base_version: u8, "MadBaseVersion", "Version of the format, 1.";
        8, 8, mgmt_class / set_mgmt_class: u8, "MadMgmtClass", "Management class, see [`class`].";
        16, 8, class_version / set_class_version: u8, "MadClassVersion",
            "Version of the class: 1 for subnet management, 2 for subnet administration.";
        24, 8, method / set_method: u8, "MadMethod",
            "Method with the response bit (0x80), see [`method`].";
        32, 16, status / set_status: u16, "MadStatus",
            "Status word; in a directed-route SMP bit 15 is the D bit. See [`Status`].";
        48, 16, class_specific / set_class_specific: u16, "MadClassSpecific",
            "Hop pointer and hop count in a directed-route SMP, else reserved.";
        64, 64, tid / set_tid: u64, "MadTRID", "Transaction identifier.";
        128, 16, attr_id / set_attr_id: u16, "MadAttr", "Attribute identifier, see [`attr`].";
        144, 16, reserved_144;
        160, 32, attr_modifier / set_attr_modifier: u32, "MadModifier",
            "Attribute modifier; its meaning is the attribute's.";
    }
}

/// Management classes (IBA 13.4.4).
pub mod class {
    /// Subnet management, routed by LID.
    pub const SUBN_LID: u8 = 0x01;
    /// Subnet management, directed route.
    pub const SUBN_DR: u8 = 0x81;
    /// Subnet administration.
    pub const SUBN_ADM: u8 = 0x03;
    /// Performance management.
    pub const PERF: u8 = 0x04;
    /// Baseboard management.
    pub const BM: u8 = 0x05;
    /// Device management.
    pub const DEV_MGMT: u8 = 0x06;
    /// Communication management.
    pub const COMM_MGMT: u8 = 0x07;
    /// SNMP tunnelling.
    pub const SNMP: u8 = 0x08;
    /// Congestion control.
    pub const CONG_CTRL: u8 = 0x21;
}

/// Methods (IBA 13.4.5). Bit 7 marks a response.
pub mod method {
    /// The response bit.
    pub const RESPONSE_BIT: u8 = 0x80;
    /// Read an attribute.
    pub const GET: u8 = 0x01;
    /// Write an attribute.
    pub const SET: u8 = 0x02;
    /// The answer to Get and Set.
    pub const GET_RESP: u8 = 0x81;
    /// A datagram without an answer.
    pub const SEND: u8 = 0x03;
    /// Tell the subnet manager of an event.
    pub const TRAP: u8 = 0x05;
    /// Forward an event to a subscriber.
    pub const REPORT: u8 = 0x06;
    /// The answer to Report.
    pub const REPORT_RESP: u8 = 0x86;
    /// Tell a node to stop repeating a trap.
    pub const TRAP_REPRESS: u8 = 0x07;
    /// Subnet administration: read a table.
    pub const GET_TABLE: u8 = 0x12;
    /// Subnet administration: the answer to GetTable.
    pub const GET_TABLE_RESP: u8 = 0x92;
    /// Subnet administration: delete a record.
    pub const DELETE: u8 = 0x15;
    /// Subnet administration: the answer to Delete.
    pub const DELETE_RESP: u8 = 0x95;

    /// The architecture's name of a method of the subnet management class, or `None`.
    #[must_use]
    pub const fn name(method: u8) -> Option<&'static str> {
        Some(match method {
            GET => "SubnGet",
            SET => "SubnSet",
            GET_RESP => "SubnGetResp",
            SEND => "Send",
            TRAP => "SubnTrap",
            REPORT => "Report",
            REPORT_RESP => "ReportResp",
            TRAP_REPRESS => "SubnTrapRepress",
            _ => return None,
        })
    }
}

/// Attribute identifiers (IBA 13.4.8 and 14.2.5).
pub mod attr {
    /// ClassPortInfo.
    pub const CLASS_PORT_INFO: u16 = 0x01;
    /// Notice.
    pub const NOTICE: u16 = 0x02;
    /// InformInfo.
    pub const INFORM_INFO: u16 = 0x03;
    /// NodeDescription.
    pub const NODE_DESCRIPTION: u16 = 0x10;
    /// NodeInfo.
    pub const NODE_INFO: u16 = 0x11;
    /// SwitchInfo.
    pub const SWITCH_INFO: u16 = 0x12;
    /// GUIDInfo.
    pub const GUID_INFO: u16 = 0x14;
    /// PortInfo.
    pub const PORT_INFO: u16 = 0x15;
    /// P_KeyTable.
    pub const PKEY_TABLE: u16 = 0x16;
    /// SLtoVLMappingTable.
    pub const SL2VL: u16 = 0x17;
    /// VLArbitrationTable.
    pub const VLARB: u16 = 0x18;
    /// LinearForwardingTable.
    pub const LFT: u16 = 0x19;
    /// RandomForwardingTable.
    pub const RFT: u16 = 0x1A;
    /// MulticastForwardingTable.
    pub const MFT: u16 = 0x1B;
    /// SMInfo.
    pub const SM_INFO: u16 = 0x20;
    /// VendorDiag.
    pub const VENDOR_DIAG: u16 = 0x30;
    /// LedInfo.
    pub const LED_INFO: u16 = 0x31;
    /// The vendor's extended port information of FDR10 devices.
    pub const MLNX_EXT_PORT_INFO: u16 = 0xFF90;

    /// The architecture's name of a subnet management attribute, or `None`.
    #[must_use]
    pub const fn name(attr: u16) -> Option<&'static str> {
        Some(match attr {
            CLASS_PORT_INFO => "ClassPortInfo",
            NOTICE => "Notice",
            INFORM_INFO => "InformInfo",
            NODE_DESCRIPTION => "NodeDescription",
            NODE_INFO => "NodeInfo",
            SWITCH_INFO => "SwitchInfo",
            GUID_INFO => "GUIDInfo",
            PORT_INFO => "PortInfo",
            PKEY_TABLE => "P_KeyTable",
            SL2VL => "SLtoVLMappingTable",
            VLARB => "VLArbitrationTable",
            LFT => "LinearForwardingTable",
            RFT => "RandomForwardingTable",
            MFT => "MulticastForwardingTable",
            SM_INFO => "SMInfo",
            VENDOR_DIAG => "VendorDiag",
            LED_INFO => "LedInfo",
            MLNX_EXT_PORT_INFO => "MlnxExtPortInfo",
            _ => return None,
        })
    }
}

/// The status of a datagram (IBA 13.4.7): bits 0 and 1 are flags, bits 2 to 4 say which field was
/// refused, bits 8 to 14 are the class's own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Status(pub u16);

impl Status {
    /// Done.
    pub const OK: Self = Self(0);
    /// The node is busy and has dropped the request; ask again later.
    pub const BUSY: Self = Self(0x01);
    /// The answer is to be had somewhere else.
    pub const REDIRECT: Self = Self(0x02);
    /// Bad class or base version.
    pub const BAD_VERSION: Self = Self(0x04);
    /// The method is not supported.
    pub const METHOD_UNSUPPORTED: Self = Self(0x08);
    /// The attribute is not supported with this method.
    pub const METHOD_ATTR_UNSUPPORTED: Self = Self(0x0C);
    /// A field of the attribute or its modifier has a value that is not allowed.
    pub const INVALID_VALUE: Self = Self(0x1C);

    /// Whether the request was carried out.
    #[must_use]
    pub const fn is_ok(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            Self::OK => "ok",
            Self::BUSY => "busy",
            Self::REDIRECT => "redirect",
            Self::BAD_VERSION => "bad version",
            Self::METHOD_UNSUPPORTED => "method not supported",
            Self::METHOD_ATTR_UNSUPPORTED => "method/attribute not supported",
            Self::INVALID_VALUE => "invalid value",
            Self(other) => return write!(f, "0x{other:04x}"),
        };
        write!(f, "0x{:04x} ({name})", self.0)
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Status({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_where_the_architecture_has_it() {
        let bytes = [
            0x01, 0x81, 0x01, 0x02, 0x80, 0x1C, 0x03, 0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
            0x77, 0x88, 0x00, 0x15, 0xA5, 0xA5, 0x80, 0x00, 0x00, 0x07,
        ];
        let header = MadHeader(bytes);
        assert_eq!(header.base_version(), 1);
        assert_eq!(header.mgmt_class(), class::SUBN_DR);
        assert_eq!(header.class_version(), 1);
        assert_eq!(header.method(), method::SET);
        assert_eq!(header.status(), 0x801C);
        assert_eq!(header.class_specific(), 0x0304);
        assert_eq!(header.tid(), 0x1122_3344_5566_7788);
        assert_eq!(header.attr_id(), attr::PORT_INFO);
        assert_eq!(header.attr_modifier(), 0x8000_0007);

        let mut written = MadHeader([0xA5; 24]);
        written.set_base_version(1);
        written.set_mgmt_class(class::SUBN_DR);
        written.set_class_version(1);
        written.set_method(method::SET);
        written.set_status(0x801C);
        written.set_class_specific(0x0304);
        written.set_tid(0x1122_3344_5566_7788);
        written.set_attr_id(attr::PORT_INFO);
        written.set_attr_modifier(0x8000_0007);
        assert_eq!(written, header);
    }

    #[test]
    fn status_names_what_it_knows_and_prints_the_rest() {
        assert_eq!(Status::INVALID_VALUE.to_string(), "0x001c (invalid value)");
        assert_eq!(Status(0x0C).to_string(), "0x000c (method/attribute not supported)");
        assert_eq!(Status(0x7F00).to_string(), "0x7f00");
        assert!(Status::OK.is_ok() && !Status::BUSY.is_ok());
    }

    #[test]
    fn names_of_methods_and_attributes() {
        assert_eq!(method::name(method::GET_RESP), Some("SubnGetResp"));
        assert_eq!(method::name(0x42), None);
        assert_eq!(attr::name(0x18), Some("VLArbitrationTable"));
        assert_eq!(attr::name(0xFF91), None);
    }
}
