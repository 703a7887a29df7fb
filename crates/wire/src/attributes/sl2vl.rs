//! SLtoVLMappingTable: which VL a packet of an SL goes out on.

use std::fmt;

use crate::field::payload;
use crate::{PortNum, Sl, Vl};

payload! {
    /// SLtoVLMappingTable (IBA 14.2.5.8): the VL of each of the 16 SLs, half a byte each.
    SlToVlTable: 8 bytes
}

impl SlToVlTable {
    /// The table in which SL `s` maps to `vl(s)`. VLs have four bits; more are dropped.
    #[must_use]
    pub fn from_fn(mut vl: impl FnMut(Sl) -> Vl) -> Self {
        let mut table = Self::default();
        for sl in (0..16).map(Sl) {
            table.set(sl, vl(sl));
        }
        table
    }

    /// The VL of `sl`. Only the low four bits of the SL count.
    #[inline]
    #[must_use]
    pub const fn get(&self, sl: Sl) -> Vl {
        let pair = self.0[(sl.0 as usize & 15) / 2];
        Vl(if sl.0 & 1 == 0 { pair >> 4 } else { pair & 15 })
    }

    /// Maps `sl` to `vl`. Only the low four bits of each count.
    #[inline]
    pub const fn set(&mut self, sl: Sl, vl: Vl) {
        let pair = &mut self.0[(sl.0 as usize & 15) / 2];
        let vl = vl.0 & 15;
        *pair = if sl.0 & 1 == 0 { vl << 4 | *pair & 15 } else { *pair & 0xF0 | vl };
    }

    /// The VLs of SL 0 to 15.
    pub fn iter(&self) -> impl Iterator<Item = Vl> {
        self.0.iter().flat_map(|pair| [Vl(pair >> 4), Vl(pair & 15)])
    }
}

impl fmt::Display for SlToVlTable {
    /// As the field's tools do: `| 0| 1|…|15|`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("|")?;
        self.iter().try_for_each(|vl| write!(f, "{:2}|", vl.0))
    }
}

impl fmt::Debug for SlToVlTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlToVlTable({self})")
    }
}

/// One side of a [`SlToVlModifier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlToVlPort {
    /// This port.
    One(PortNum),
    /// Every port; only where [`crate::SwitchInfo::takes_sl2vl_wildcards`] holds, and only in a
    /// Set.
    All,
}

/// The attribute modifier of SLtoVLMappingTable: the ingress and the egress port of a switch, both
/// 0 on a channel adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlToVlModifier {
    /// The port through which the packet comes in; 0 for what the switch itself sends.
    pub input: SlToVlPort,
    /// The port through which the packet goes out.
    pub output: SlToVlPort,
}

impl SlToVlModifier {
    /// Bit 16: all egress ports.
    pub const ALL_OUT: u32 = 0x1_0000;
    /// Bit 17: all ingress ports.
    pub const ALL_IN: u32 = 0x2_0000;

    /// The modifier of one pair of ports as a number.
    #[must_use]
    pub const fn pair(input: PortNum, output: PortNum) -> u32 {
        (input.0 as u32) << 8 | output.0 as u32
    }

    /// Reads a modifier. A wildcard's port number is ignored.
    #[must_use]
    pub const fn parse(modifier: u32) -> Self {
        Self {
            input: if modifier & Self::ALL_IN != 0 {
                SlToVlPort::All
            } else {
                SlToVlPort::One(PortNum((modifier >> 8) as u8))
            },
            output: if modifier & Self::ALL_OUT != 0 {
                SlToVlPort::All
            } else {
                SlToVlPort::One(PortNum(modifier as u8))
            },
        }
    }

    /// The modifier as a number.
    #[must_use]
    pub const fn encode(self) -> u32 {
        let input = match self.input {
            SlToVlPort::One(port) => (port.0 as u32) << 8,
            SlToVlPort::All => Self::ALL_IN,
        };
        let output = match self.output {
            SlToVlPort::One(port) => port.0 as u32,
            SlToVlPort::All => Self::ALL_OUT,
        };
        input | output
    }
}

impl SlToVlTable {
    /// The attribute modifier for packets that come in at `input` and go out at `output`.
    #[must_use]
    pub const fn modifier(input: PortNum, output: PortNum) -> u32 {
        SlToVlModifier::pair(input, output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sl_0_is_the_upper_half_of_the_first_byte() {
        let table = SlToVlTable([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]);
        for n in 0..16 {
            assert_eq!(table.get(Sl(n)), Vl(n));
        }
        assert_eq!(table, SlToVlTable::from_fn(|sl| Vl(sl.0)));
        assert_eq!(table.iter().map(|vl| vl.0).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
        assert_eq!(table.to_string(), "| 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|");
    }

    #[test]
    fn setting_one_leaves_the_others() {
        let mut table = SlToVlTable([0xA5; 8]);
        table.set(Sl(2), Vl(15));
        table.set(Sl(15), Vl(0));
        assert_eq!(table.0, [0xA5, 0xF5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA0]);
        table.set(Sl(2), Vl(0x13));
        assert_eq!(table.get(Sl(2)), Vl(3), "a VL has four bits");
    }

    #[test]
    fn modifier_has_wildcards() {
        use SlToVlPort::{All, One};
        assert_eq!(SlToVlTable::modifier(PortNum(2), PortNum(3)), 0x0203);
        let forms = [
            (0x0203, One(PortNum(2)), One(PortNum(3))),
            (0x2_0003, All, One(PortNum(3))),
            (0x1_0200, One(PortNum(2)), All),
            (0x3_0000, All, All),
        ];
        for (number, input, output) in forms {
            let modifier = SlToVlModifier { input, output };
            assert_eq!(SlToVlModifier::parse(number), modifier);
            assert_eq!(modifier.encode(), number);
        }
        assert_eq!(SlToVlModifier::parse(0x3_0203).encode(), 0x3_0000);
    }
}
