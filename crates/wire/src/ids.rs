//! The identifiers of the architecture as types of their own: GUIDs, LIDs, GIDs, P_Keys, lanes.
//!
//! Each is a plain number in host order. A number that the architecture does not define is still
//! a value of the type: it prints as a number and goes back on the wire as it came.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($repr:ty), $show:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $repr);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, $show, self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "(", $show, ")"), self.0)
            }
        }

        impl From<$repr> for $name {
            fn from(n: $repr) -> Self {
                Self(n)
            }
        }

        impl From<$name> for $repr {
            fn from(n: $name) -> $repr {
                n.0
            }
        }
    };
}

id!(
    /// An EUI-64 of a node, a port or a system image (IBA 4.1). Printed as `0x` and 16 digits.
    Guid(u64),
    "0x{:016x}"
);
id!(
    /// A local identifier (IBA 4.1.3): 0 none, 1 to 0xBFFF unicast, 0xC000 to 0xFFFE multicast,
    /// 0xFFFF permissive. Printed in decimal, as the field's tools do.
    Lid(u16),
    "{}"
);
id!(
    /// A partition key (IBA 10.9.1): fifteen bits of key, bit 15 full membership.
    PKey(u16),
    "0x{:04x}"
);
id!(
    /// A service level, 0 to 15 (IBA 7.6.5).
    Sl(u8),
    "{}"
);
id!(
    /// A virtual lane, 0 to 14 for data, 15 for management (IBA 7.6.2).
    Vl(u8),
    "{}"
);
id!(
    /// A port's number on its node: 0 is a switch's management port, 1 to 254 are external.
    PortNum(u8),
    "{}"
);
id!(
    /// A management key (IBA 14.2.4).
    MKey(u64),
    "0x{:016x}"
);
id!(
    /// A transaction identifier (IBA 13.4.6.4).
    Tid(u64),
    "0x{:016x}"
);

/// A 128-bit port address: 64 bits of subnet prefix, 64 bits of GUID (IBA 4.1.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Gid {
    /// The subnet prefix; `fe80::/64` is the default subnet.
    pub prefix: u64,
    /// The port's GUID.
    pub guid: Guid,
}

impl fmt::Display for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = (u128::from(self.prefix) << 64) | u128::from(self.guid.0);
        write!(f, "{}", std::net::Ipv6Addr::from(all))
    }
}

impl fmt::Debug for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gid({self})")
    }
}

impl Guid {
    /// The order in which OpenSM walks its tables: by the value as it lies on the wire, read as
    /// a little-endian number. The last byte of the GUID weighs most. LIDs are handed out in
    /// this order.
    #[must_use]
    pub const fn table_order(self) -> u64 {
        self.0.swap_bytes()
    }
}

impl Lid {
    /// The largest unicast LID, 0xBFFF.
    pub const MAX_UNICAST: Self = Self(0xBFFF);
    /// The permissive LID, 0xFFFF: directed routes start and end with it.
    pub const PERMISSIVE: Self = Self(0xFFFF);

    /// Whether this is a unicast LID, 1 to 0xBFFF.
    #[must_use]
    pub const fn is_unicast(self) -> bool {
        self.0 != 0 && self.0 <= Self::MAX_UNICAST.0
    }

    /// Whether this is a multicast LID, 0xC000 to 0xFFFE.
    #[must_use]
    pub const fn is_multicast(self) -> bool {
        self.0 >= 0xC000 && self.0 != 0xFFFF
    }
}

impl PKey {
    /// The default partition with full membership.
    pub const DEFAULT_FULL: Self = Self(0xFFFF);
    /// The default partition with limited membership.
    pub const DEFAULT_LIMITED: Self = Self(0x7FFF);

    /// The key without its membership bit.
    #[must_use]
    pub const fn base(self) -> u16 {
        self.0 & 0x7FFF
    }

    /// Whether the membership bit (bit 15) is set.
    #[must_use]
    pub const fn is_full(self) -> bool {
        self.0 & 0x8000 != 0
    }

    /// Whether the entry is a key at all: a base of 0 marks an empty entry (IBA 10.9.1.2).
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.base() != 0
    }
}

impl Vl {
    /// VL15. In an SLtoVLMappingTable it means: drop packets of this SL (IBA 7.6.6).
    pub const DROP: Self = Self(15);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_fields_tools_do() {
        assert_eq!(Guid(0x2c9_0000_0001).to_string(), "0x000002c900000001");
        assert_eq!(Lid(0xC0).to_string(), "192");
        assert_eq!(PKey(0x7fff).to_string(), "0x7fff");
        assert_eq!(Gid { prefix: 0xfe80 << 48, guid: Guid(0x11) }.to_string(), "fe80::11");
    }

    #[test]
    fn table_order_puts_the_last_byte_first() {
        let mut guids = [0x100101_u64, 0x200002, 0x200001, 0x200000].map(Guid);
        guids.sort_by_key(|g| g.table_order());
        assert_eq!(guids, [0x200000, 0x200001, 0x100101, 0x200002].map(Guid));
    }

    #[test]
    fn lid_ranges() {
        assert!(!Lid(0).is_unicast() && Lid(1).is_unicast() && Lid(0xBFFF).is_unicast());
        assert!(!Lid(0xC000).is_unicast() && Lid(0xC000).is_multicast());
        assert!(!Lid::PERMISSIVE.is_multicast());
    }
}
