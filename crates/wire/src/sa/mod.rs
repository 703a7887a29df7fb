//! Subnet administration: its datagrams, its records and their component masks (IBA 15.2).
//!
//! A message is [`SaHeader`] (common header, RMPP header and the class's own header, 56 bytes)
//! and records behind it. On the wire it is cut into datagrams of 256 bytes by RMPP; here it is
//! whole. Records lie at multiples of [`SaHeader::attribute_offset`], which counts in units of
//! eight bytes.
//!
//! Each record is an `attribute!` table of its own, as long as its fields are; [`stride`] is how
//! long it is in a table of records. Its component mask has a constant for each component and a
//! table that says where the component is, see [`Component`].

mod header;
mod inform;
mod link;
mod member;
mod multi_path;
mod path;
mod port;
mod record;
mod service;
mod tables;

pub use header::{Message, RmppType, SaHeader, rmpp_flag};
pub use inform::{InformInfo, InformInfoRecord, inform_mask};
pub use link::{LinkRecord, NodeRecord, SmInfoRecord, SwitchInfoRecord};
pub use link::{link_mask, node_mask, sm_info_mask, switch_info_mask};
pub use member::{MCMemberRecord, member_mask};
pub use multi_path::{MultiPathRecord, multi_path_mask};
pub use path::{PathRecord, Selector, path_mask};
pub use port::{PortInfoRecord, port_info_mask};
pub use record::{ClassPortInfo, Component, Record, matches, padded, stride};
pub use record::{sa_capability, sa_capability2};
pub use service::{ServiceRecord, service_mask};
pub use tables::{GuidInfoRecord, LftRecord, MftRecord, PKeyRecord, SlToVlRecord, VlArbRecord};
pub use tables::{guid_info_mask, lft_mask, mft_mask, p_key_mask, sl_to_vl_mask, vl_arb_mask};

/// Attributes of subnet administration (IBA 15.2.5). ClassPortInfo, Notice and InformInfo have
/// the numbers that they have everywhere, see [`crate::attr`].
pub mod sa_attr {
    /// NodeRecord.
    pub const NODE_RECORD: u16 = 0x11;
    /// PortInfoRecord.
    pub const PORT_INFO_RECORD: u16 = 0x12;
    /// SLtoVLMappingTableRecord.
    pub const SL2VL_RECORD: u16 = 0x13;
    /// SwitchInfoRecord.
    pub const SWITCH_INFO_RECORD: u16 = 0x14;
    /// LinearForwardingTableRecord.
    pub const LFT_RECORD: u16 = 0x15;
    /// RandomForwardingTableRecord.
    pub const RFT_RECORD: u16 = 0x16;
    /// MulticastForwardingTableRecord.
    pub const MFT_RECORD: u16 = 0x17;
    /// SMInfoRecord.
    pub const SM_INFO_RECORD: u16 = 0x18;
    /// LinkRecord.
    pub const LINK_RECORD: u16 = 0x20;
    /// GuidInfoRecord.
    pub const GUID_INFO_RECORD: u16 = 0x30;
    /// ServiceRecord.
    pub const SERVICE_RECORD: u16 = 0x31;
    /// P_KeyTableRecord.
    pub const PKEY_RECORD: u16 = 0x33;
    /// PathRecord.
    pub const PATH_RECORD: u16 = 0x35;
    /// VLArbitrationTableRecord.
    pub const VLARB_RECORD: u16 = 0x36;
    /// MCMemberRecord.
    pub const MC_MEMBER_RECORD: u16 = 0x38;
    /// TraceRecord.
    pub const TRACE_RECORD: u16 = 0x39;
    /// MultiPathRecord.
    pub const MULTI_PATH_RECORD: u16 = 0x3A;
    /// InformInfoRecord.
    pub const INFORM_INFO_RECORD: u16 = 0xF3;
}

/// Methods that only subnet administration has (IBA 15.2.2), beside those in [`crate::method`].
pub mod sa_method {
    /// SubnAdmGetTraceTable.
    pub const GET_TRACE_TABLE: u8 = 0x13;
    /// SubnAdmGetMulti.
    pub const GET_MULTI: u8 = 0x14;
    /// SubnAdmGetMultiResp.
    pub const GET_MULTI_RESP: u8 = 0x94;
}

/// Status codes of subnet administration (IBA 15.2.4): the class's bits of [`crate::Status`].
pub mod sa_status {
    use crate::Status;

    /// The server has no room for it.
    pub const NO_RESOURCES: Status = Status(0x0100);
    /// The request makes no sense.
    pub const REQ_INVALID: Status = Status(0x0200);
    /// There is no such record.
    pub const NO_RECORDS: Status = Status(0x0300);
    /// There is more than one such record, and only one was asked for.
    pub const TOO_MANY_RECORDS: Status = Status(0x0400);
    /// A GID is not one of this subnet.
    pub const INVALID_GID: Status = Status(0x0500);
    /// The component mask lacks a component that has to be given.
    pub const INSUFFICIENT_COMPONENTS: Status = Status(0x0600);
    /// The request is refused.
    pub const DENIED: Status = Status(0x0700);
}
