//! LinearForwardingTable and MulticastForwardingTable: blocks of a switch's forwarding tables.

use std::fmt;

use crate::field::{Hex, payload};
use crate::{Lid, PortNum};

payload! {
    /// LinearForwardingTable (IBA 14.2.5.10): the egress ports of 64 LIDs. The attribute modifier
    /// is the number of the block.
    LinearForwardingTable: 64 bytes
}

impl LinearForwardingTable {
    /// LIDs in a block.
    pub const ENTRIES: usize = 64;
    /// The entry of a LID that the switch drops packets for.
    pub const NO_PATH: PortNum = PortNum(255);

    /// The block that `lid` is in.
    #[must_use]
    pub const fn block_of(lid: Lid) -> u16 {
        lid.0 / 64
    }

    /// The egress port of the LID at `index` of the block, or `None` past the 64th.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<PortNum> {
        self.0.get(index).copied().map(PortNum)
    }

    /// Sets the egress port at `index`. Whether there is such an entry.
    pub fn set(&mut self, index: usize, port: PortNum) -> bool {
        self.0.get_mut(index).map(|entry| *entry = port.0).is_some()
    }
}

impl fmt::Debug for LinearForwardingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LinearForwardingTable({:?})", Hex(&self.0))
    }
}

payload! {
    /// MulticastForwardingTable (IBA 14.2.5.12): masks of 16 egress ports for 32 multicast LIDs.
    MulticastForwardingTable: 64 bytes
}

impl MulticastForwardingTable {
    /// LIDs in a block.
    pub const ENTRIES: usize = 32;
    /// Ports in a mask; a switch with more has several positions.
    pub const PORTS: u8 = 16;

    /// The attribute modifier of `block` (32 LIDs each, from 0xC000 on) at `position` (16 ports
    /// each, 0 to 15).
    #[must_use]
    pub const fn modifier(position: u8, block: u16) -> u32 {
        (position as u32 & 15) << 28 | block as u32 & 0x1FF
    }

    /// The position and the block in an attribute modifier.
    #[must_use]
    pub const fn parse_modifier(modifier: u32) -> (u8, u16) {
        ((modifier >> 28) as u8, (modifier & 0x1FF) as u16)
    }

    /// The mask of the LID at `index` of the block, or `None` past the 32nd. Bit 0 is the first
    /// port of the position.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u16> {
        self.0.as_chunks().0.get(index).map(|mask| u16::from_be_bytes(*mask))
    }

    /// Sets the mask at `index`. Whether there is such an entry.
    pub fn set(&mut self, index: usize, mask: u16) -> bool {
        let entry = self.0.as_chunks_mut().0.get_mut(index);
        entry.map(|bytes| *bytes = mask.to_be_bytes()).is_some()
    }

    /// The 32 masks.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.0.as_chunks().0.iter().map(|mask| u16::from_be_bytes(*mask))
    }
}

impl fmt::Debug for MulticastForwardingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MulticastForwardingTable({:?})", Hex(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_table_has_a_byte_for_each_lid() {
        let mut table = LinearForwardingTable([0xFF; 64]);
        assert_eq!(table.get(5), Some(LinearForwardingTable::NO_PATH));
        assert!(table.set(63, PortNum(36)));
        assert_eq!((table.0[62], table.0[63], table.get(63)), (0xFF, 36, Some(PortNum(36))));
        assert_eq!(table.get(64), None);
        assert!(!table.set(64, PortNum(1)));
        assert_eq!(LinearForwardingTable::block_of(Lid(63)), 0);
        assert_eq!(LinearForwardingTable::block_of(Lid(0xBFFF)), 767);
    }

    #[test]
    fn multicast_table_has_two_bytes_for_each_lid() {
        let mut table = MulticastForwardingTable([0xA5; 64]);
        assert!(table.set(1, 0x8001));
        assert_eq!(table.0[1..5], [0xA5, 0x80, 0x01, 0xA5]);
        assert_eq!((table.get(1), table.iter().nth(1)), (Some(0x8001), Some(0x8001)));
        assert_eq!(table.get(32), None);
        assert!(!table.set(32, 1));
    }

    #[test]
    fn multicast_modifier_holds_position_and_block() {
        assert_eq!(MulticastForwardingTable::modifier(2, 0x1FF), 0x2000_01FF);
        assert_eq!(MulticastForwardingTable::parse_modifier(0x2000_01FF), (2, 0x1FF));
        assert_eq!(MulticastForwardingTable::modifier(15, 0), 0xF000_0000);
    }
}
