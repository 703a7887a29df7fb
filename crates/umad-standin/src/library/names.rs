//! Names of numbers, in the real library's words.

use std::ffi::{CStr, c_char};

const UNKNOWN: &CStr = c"<unknown>";

/// A management class.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_class_str(class: u8) -> *const c_char {
    let name = match class {
        0x01 | 0x81 => c"Subn",
        0x03 => c"SubnAdm",
        0x04 => c"Perf",
        0x05 => c"BM",
        0x06 => c"DevMgt",
        0x07 => c"ComMgt",
        0x08 => c"SNMP",
        0x10 => c"DevAdm",
        0x11 => c"BootMgt",
        0x12 => c"BIS",
        0x21 => c"CongestionManagment",
        0x09..=0x0F | 0x30..=0x4F => c"Vendor",
        0x13..=0x2F => c"Application",
        _ => UNKNOWN,
    };
    name.as_ptr()
}

/// A method of a class.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_method_str(class: u8, method: u8) -> *const c_char {
    let administration = match (class, method) {
        (0x03, 0x12) => c"GetTable",
        (0x03, 0x92) => c"GetTableResp",
        (0x03, 0x13) => c"GetTraceTable",
        (0x03, 0x14) => c"GetMulti",
        (0x03, 0x94) => c"GetMultiResp",
        (0x03, 0x15) => c"Delete",
        (0x03, 0x95) => c"DeleteResp",
        _ => c"",
    };
    if !administration.is_empty() {
        return administration.as_ptr();
    }
    let name = match method {
        0x01 => c"Get",
        0x02 => c"Set",
        0x81 => c"GetResp",
        0x03 => c"Send",
        0x05 => c"Trap",
        0x06 => c"Report",
        0x86 => c"ReportResp",
        0x07 => c"TrapRepress",
        // Without its bracket there, too.
        _ => c"<unknown",
    };
    name.as_ptr()
}

/// An attribute of a class; the attribute is in network order.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_attribute_str(class: u8, attribute: u16) -> *const c_char {
    let attribute = u16::from_be(attribute);
    let name = match (class, attribute) {
        (_, 0x01) => c"Class Port Info",
        (_, 0x02) => c"Notice",
        (_, 0x03) => c"Inform Info",
        (0x01 | 0x81, _) => management(attribute),
        (0x03, _) => administration(attribute),
        (0x07, _) => communication(attribute),
        _ => UNKNOWN,
    };
    name.as_ptr()
}

fn management(attribute: u16) -> &'static CStr {
    match attribute {
        0x10 => c"NodeDescription",
        0x11 => c"NodeInfo",
        0x12 => c"SwitchInfo",
        0x14 => c"GUIDInfo",
        0x15 => c"PortInfo",
        0x16 => c"P_KeyTable",
        0x17 => c"SLtoVLMappingTable",
        0x18 => c"VLArbitrationTable",
        0x19 => c"LinearForwardingTable",
        0x1A => c"RandomForwardingTable",
        0x1B => c"MulticastForwardingTable",
        0x1C => c"LinkSpeedWidthPairsTable",
        0x1D => c"VendorSpecificMadsTable",
        0x1E => c"HierarchyInfo",
        0x20 => c"SMInfo",
        0x30 => c"VendorDiag",
        0x31 => c"LedInfo",
        0x32 => c"CableInfo",
        0x33 => c"PortInfoExtended",
        _ => UNKNOWN,
    }
}

fn administration(attribute: u16) -> &'static CStr {
    match attribute {
        0x11 => c"NodeRecord",
        0x12 => c"PortInfoRecord",
        0x13 => c"SLtoVLMappingTableRecord",
        0x14 => c"SwitchInfoRecord",
        0x15 => c"LinearForwardingTableRecord",
        0x16 => c"RandomForwardingTableRecord",
        0x17 => c"MulticastForwardingTableRecord",
        0x18 => c"SMInfoRecord",
        0x19 => c"LinkSpeedWidthPairsTableRecord",
        0x20 => c"LinkRecord",
        0x30 => c"GuidInfoRecord",
        0x31 => c"ServiceRecord",
        0x33 => c"P_KeyTableRecord",
        0x35 => c"PathRecord",
        0x36 => c"VLArbitrationTableRecord",
        0x38 => c"MCMemberRecord",
        0x39 => c"TraceRecord",
        0x3A => c"MultiPathRecord",
        0x3B => c"ServiceAssociationRecord",
        0x3C => c"HierarchyInfoRecord",
        0x3D => c"CableInfoRecord",
        0x3E => c"PortInfoExtendedRecord",
        0xF3 => c"InformInfoRecord",
        _ => UNKNOWN,
    }
}

fn communication(attribute: u16) -> &'static CStr {
    match attribute {
        0x10 => c"ConnectRequest",
        0x11 => c"MsgRcptAck",
        0x12 => c"ConnectReject",
        0x13 => c"ConnectReply",
        0x14 => c"ReadyToUse",
        0x15 => c"DisconnectRequest",
        0x16 => c"DisconnectReply",
        0x17 => c"ServiceIDResReq",
        0x18 => c"ServiceIDResReqResp",
        0x19 => c"LoadAlternatePath",
        0x1A => c"AlternatePathResponse",
        0x1B => c"SuggestAlternatePath",
        0x1C => c"SuggestPathResponse",
        _ => UNKNOWN,
    }
}

/// The status that all classes have in common; in network order.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_common_mad_status_str(status: u16) -> *const c_char {
    let status = u16::from_be(status);
    let name = match status & 0x1C {
        _ if status & 1 != 0 => c"Busy",
        _ if status & 2 != 0 => c"Redirection required",
        0x04 => c"Bad Version",
        0x08 => c"Method not supported",
        0x0C => c"Method/Attribute combo not supported",
        0x1C => c"Invalid attribute/modifier field",
        _ => c"Success",
    };
    name.as_ptr()
}

/// The status of subnet administration; in network order.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_sa_mad_status_str(status: u16) -> *const c_char {
    let name = match u16::from_be(status) >> 8 {
        0 => c"Success",
        1 => c"No Resources",
        2 => c"Request Invalid",
        3 => c"No Records",
        4 => c"Too Many Records",
        5 => c"Invalid GID",
        6 => c"Insufficient Components",
        7 => c"Request Denied",
        8 => c"Priority Suggested",
        _ => c"Undefined Error",
    };
    name.as_ptr()
}
