//! The fields of opensm-sa.dump: their names, their bits in the record, how many digits they have.

use std::fmt::Write as _;

use lk_wire::{get_bits, set_bits};

/// A field of a line.
pub(super) struct Row {
    /// What stands before the equals sign.
    pub(super) name: &'static str,
    offset: usize,
    /// 128 for two numbers with a colon between.
    length: usize,
    digits: usize,
}

const fn row(name: &'static str, offset: usize, length: usize, digits: usize) -> Row {
    Row { name, offset, length, digits }
}

const fn pair(name: &'static str, offset: usize) -> Row {
    row(name, offset, 128, 16)
}

impl Row {
    /// Stores a value that was read.
    pub(super) fn store(&self, bytes: &mut [u8], text: &str) -> Result<(), String> {
        if self.length == 128 {
            let cannot = || format!("{}={text} is no pair of numbers", self.name);
            let (high, low) = text.split_once(':').ok_or_else(cannot)?;
            set_bits(bytes, self.offset, 64, self.number(high, 64)?);
            set_bits(bytes, self.offset + 64, 64, self.number(low, 64)?);
        } else {
            set_bits(bytes, self.offset, self.length, self.number(text, self.length)?);
        }
        Ok(())
    }

    fn number(&self, text: &str, length: usize) -> Result<u64, String> {
        let digits = text.strip_prefix("0x").filter(|d| !d.starts_with('+'));
        let value = digits.and_then(|d| u64::from_str_radix(d, 16).ok());
        let fits = value.filter(|v| length == 64 || v >> length == 0);
        fits.ok_or_else(|| format!("{}={text} is no number of {length} bits", self.name))
    }

    /// Writes the name and the value.
    pub(super) fn show(&self, out: &mut String, bytes: &[u8]) {
        let (name, digits) = (self.name, self.digits);
        let first = get_bits(bytes, self.offset, self.length.min(64));
        // A string never fails to be written to.
        let _ = write!(out, "{name}=0x{first:0digits$x}");
        if self.length == 128 {
            let _ = write!(out, ":0x{:016x}", get_bits(bytes, self.offset + 64, 64));
        }
    }
}

/// The port's GUID, then the record.
pub(super) const GUIDS: &[Row] = &[
    row("base_guid", 0, 64, 16),
    row("lid", 64, 16, 4),
    row("block_num", 80, 8, 1),
    row("guid0", 128, 64, 16),
    row("guid1", 192, 64, 16),
    row("guid2", 256, 64, 16),
    row("guid3", 320, 64, 16),
    row("guid4", 384, 64, 16),
    row("guid5", 448, 64, 16),
    row("guid6", 512, 64, 16),
    row("guid7", 576, 64, 16),
];

/// An MCMemberRecord.
pub(super) const GROUP: &[Row] = &[
    pair("mgid", 0),
    pair("port_gid", 128),
    row("qkey", 256, 32, 8),
    row("mlid", 288, 16, 4),
    row("mtu", 304, 8, 2),
    row("tclass", 312, 8, 2),
    row("pkey", 320, 16, 4),
    row("rate", 336, 8, 2),
    row("pkt_life", 344, 8, 2),
    row("sl_flow_hop", 352, 32, 8),
    row("scope_state", 384, 8, 2),
    row("proxy_join", 392, 1, 1),
];

/// What counts of the MCMemberRecord of a member.
pub(super) const MEMBER: &[Row] =
    &[pair("port_gid", 128), row("scope_state", 384, 8, 2), row("proxy_join", 392, 1, 1)];

/// An InformInfoRecord of 60 bytes, then where reports go.
pub(super) const INFORM: &[Row] = &[
    pair("subscriber_gid", 0),
    row("subscriber_enum", 128, 16, 1),
    pair("InformInfo: gid", 192),
    row("lid_range_begin", 320, 16, 1),
    row("lid_range_end", 336, 16, 1),
    row("is_generic", 368, 8, 1),
    row("subscribe", 376, 8, 1),
    row("trap_type", 384, 16, 1),
    row("trap_num", 400, 16, 1),
    row("qpn_resp_time_val", 416, 32, 1),
    row("node_type", 456, 24, 6),
    row("rep_addr: lid", 480, 16, 4),
    row("path_bits", 496, 8, 2),
    row("static_rate", 504, 8, 2),
    row("remote_qp", 512, 32, 8),
    row("remote_qkey", 544, 32, 8),
    row("pkey_ix", 576, 16, 4),
    row("sl", 592, 8, 2),
];

/// A ServiceRecord of 176 bytes up to its name.
pub(super) const SERVICE: &[Row] = &[
    row("id", 0, 64, 16),
    pair("gid", 64),
    row("pkey", 192, 16, 1),
    row("lease", 224, 32, 1),
    pair("key", 256),
];

/// What follows the name, and the times behind the record.
pub(super) const SERVICE_DATA: &[Row] = &[
    pair("data8", 896),
    pair("data16", 1024),
    pair("data32", 1152),
    pair("data64", 1280),
    row("modified_time", 1408, 32, 1),
    row("lease_period", 1440, 32, 1),
];
