//! What all records have in common, and ClassPortInfo.

use crate::field::attribute;
use crate::{Gid, Guid, get_bits};

/// A record of subnet administration: bytes under an attribute's number.
pub trait Record: Sized {
    /// The attribute's number.
    const ID: u16;

    /// Reads the record from a request; what is missing is zero.
    fn read(bytes: &[u8]) -> Self;

    /// The record's bytes.
    fn bytes(&self) -> &[u8];
}

/// [`Record`] for structs around bytes.
macro_rules! record {
    ($($name:ident: $id:path;)*) => {$(
        impl $crate::sa::Record for $name {
            const ID: u16 = $id;

            fn read(bytes: &[u8]) -> Self {
                let mut value = Self::default();
                let length = bytes.len().min(Self::LEN);
                value.0[..length].copy_from_slice(&bytes[..length]);
                value
            }

            fn bytes(&self) -> &[u8] {
                &self.0
            }
        }
    )*};
}

/// A component of a record: one bit of the component mask, and the bits of the record that have
/// to be equal when it is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// The number of the bit.
    pub bit: u8,
    /// The first bit of the record.
    pub offset: usize,
    /// How many bits.
    pub length: usize,
}

/// A module with one constant for each component of a record and the table [`Component`]s.
macro_rules! components {
    (
        $(#[$meta:meta])*
        $module:ident { $($name:ident = $bit:literal, $offset:literal, $length:literal;)* }
    ) => {
        $(#[$meta])*
        pub mod $module {
            use $crate::sa::Component;

            $(
                #[doc = concat!("The component's bit, ", stringify!($bit), ".")]
                pub const $name: u64 = 1 << $bit;
            )*

            /// Where the components are.
            pub const COMPONENTS: &[Component] = &[
                $(Component { bit: $bit, offset: $offset, length: $length },)*
            ];
        }
    };
}

pub(crate) use {components, record};

/// Whether `have` is equal to `asked` in each component of the mask. Bits of the mask that stand
/// for no component count for nothing.
#[must_use]
pub fn matches(components: &[Component], mask: u64, asked: &[u8], have: &[u8]) -> bool {
    mask == 0
        || components.iter().filter(|c| mask & (1 << c.bit) != 0).all(|c| {
            let mut offset = c.offset;
            let end = c.offset + c.length;
            while offset < end {
                let length = (end - offset).min(64);
                if get_bits(asked, offset, length) != get_bits(have, offset, length) {
                    return false;
                }
                offset += length;
            }
            true
        })
}

/// How far apart records of `length` bytes are, in bytes: the next multiple of eight.
#[must_use]
pub const fn padded(length: usize) -> usize {
    length.next_multiple_of(8)
}

/// How far apart records of `length` bytes are, in the units of AttributeOffset (IBA 15.2.1.2).
#[must_use]
pub const fn stride(length: usize) -> u16 {
    (padded(length) / 8) as u16
}

attribute! {
    /// ClassPortInfo (IBA 13.4.8.1), as subnet administration answers with it (IBA 15.2.5.1).
    ClassPortInfo: 72 bytes {
        0, 8, base_version / set_base_version: u8, "BaseVersion", "Version of the format, 1.";
        8, 8, class_version / set_class_version: u8, "ClassVersion", "Version of the class, 2.";
        16, 16, capability_mask / set_capability_mask: u16, "CapabilityMask",
            "What the server can do, see [`mod@sa_capability`].";
        32, 27, capability_mask2 / set_capability_mask2: u32, "CapabilityMask2",
            "What else it can do, see [`mod@sa_capability2`].";
        59, 5, resp_time / set_resp_time: u8, "RespTimeValue",
            "Exponent of the response time: 4.096 us times a power of two.";
        64, 128, redirect_gid;
        192, 32, redirect_class / set_redirect_class: u32, "RedirectTCSLFL",
            "Traffic class, SL and flow label of who serves instead.";
        224, 16, redirect_lid / set_redirect_lid: u16, "RedirectLID",
            "LID of who serves instead; 0: nobody else does.";
        240, 16, redirect_pkey / set_redirect_pkey: u16, "RedirectPKey", "Its P_Key.";
        256, 32, redirect_qp / set_redirect_qp: u32, "RedirectQP", "Its queue pair.";
        288, 32, redirect_qkey / set_redirect_qkey: u32, "RedirectQKey", "Its Q_Key.";
        320, 128, trap_gid;
        448, 32, trap_class / set_trap_class: u32, "TrapTCSLFL",
            "Traffic class, SL and flow label for traps.";
        480, 16, trap_lid / set_trap_lid: u16, "TrapLID", "Where traps go.";
        496, 16, trap_pkey / set_trap_pkey: u16, "TrapPKey", "Their P_Key.";
        512, 32, trap_hop_qp / set_trap_hop_qp: u32, "TrapHLQP",
            "Hop limit and queue pair for traps.";
        544, 32, trap_qkey / set_trap_qkey: u32, "TrapQKey", "Their Q_Key.";
    }
}

record! {
    ClassPortInfo: crate::attr::CLASS_PORT_INFO;
}

/// Bits of [`ClassPortInfo::capability_mask`] of subnet administration (IBA 15.2.5.1).
pub mod sa_capability {
    /// The Notice attribute can be read and set.
    pub const NOTICE: u16 = 1 << 1;
    /// Multicast groups of unreliable datagrams.
    pub const UD_MULTICAST: u16 = 1 << 9;
    /// MultiPathRecord is answered.
    pub const MULTI_PATH: u16 = 1 << 10;
    /// PortInfoRecord can be matched by set bits of the capability mask.
    pub const PORT_INFO_CAP_MASK_MATCH: u16 = 1 << 13;
}

/// Bits of [`ClassPortInfo::capability_mask2`] of subnet administration (IBA 15.2.5.1).
pub mod sa_capability2 {
    /// Paths carry what the QoS policy says.
    pub const QOS: u32 = 1 << 1;
    /// The top of the multicast forwarding tables is set.
    pub const MULTICAST_TOP: u32 = 1 << 3;
    /// Alias GUIDs are taken.
    pub const ALIAS_GUIDS: u32 = 1 << 5;
    /// PortInfoRecord holds the whole of PortInfo.
    pub const FULL_PORT_INFO: u32 = 1 << 6;
    /// Extended speeds are told.
    pub const EXTENDED_SPEEDS: u32 = 1 << 7;
    /// ServiceRecord may be about a multicast group.
    pub const MULTICAST_SERVICES: u32 = 1 << 8;
    /// PortInfoRecord can be matched by the second capability mask.
    pub const CAP_MASK2_MATCH: u32 = 1 << 10;
    /// Links of two lanes are told.
    pub const LINK_WIDTH_2X: u32 = 1 << 12;
    /// HDR is told.
    pub const HDR: u32 = 1 << 13;
    /// NDR is told.
    pub const NDR: u32 = 1 << 15;
}

/// The GID that starts at bit `offset` of `bytes`.
pub(crate) fn get_gid(bytes: &[u8], offset: usize) -> Gid {
    Gid { prefix: get_bits(bytes, offset, 64), guid: Guid(get_bits(bytes, offset + 64, 64)) }
}

/// Stores a GID at bit `offset` of `bytes`.
pub(crate) fn set_gid(bytes: &mut [u8], offset: usize, gid: Gid) {
    crate::set_bits(bytes, offset, 64, gid.prefix);
    crate::set_bits(bytes, offset + 64, 64, gid.guid.0);
}

/// Accessors of GIDs in a record.
macro_rules! gids {
    ($name:ident { $($offset:literal, $get:ident / $set:ident, $doc:literal;)* }) => {
        impl $name {$(
            #[doc = $doc]
            #[must_use]
            pub fn $get(&self) -> $crate::Gid {
                $crate::sa::record::get_gid(&self.0, $offset)
            }

            #[doc = concat!("Sets [`Self::", stringify!($get), "`].")]
            pub fn $set(&mut self, gid: $crate::Gid) {
                $crate::sa::record::set_gid(&mut self.0, $offset, gid);
            }
        )*}
    };
}

pub(crate) use gids;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_components_of_the_mask_count() {
        let table = [
            Component { bit: 0, offset: 0, length: 16 },
            Component { bit: 2, offset: 20, length: 4 },
            Component { bit: 5, offset: 24, length: 128 },
        ];
        let asked = [1; 19];
        let mut have = asked;
        assert!(matches(&table, u64::MAX, &asked, &have));
        have[18] = 2;
        assert!(!matches(&table, 1 << 5, &asked, &have) && matches(&table, 5, &asked, &have));
        have[2] = 0xF1;
        assert!(matches(&table, 4, &asked, &have), "only four bits of it count");
        have[2] = 2;
        assert!(!matches(&table, 4, &asked, &have) && matches(&table, 1, &asked, &have));
        assert!(matches(&table, 2, &asked, &have), "a bit without a component");
    }

    #[test]
    fn records_are_padded_to_eight_bytes() {
        assert_eq!([52, 64, 108, 8, 1].map(stride), [7, 8, 14, 1, 1]);
    }
}
