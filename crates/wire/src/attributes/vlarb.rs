//! VLArbitrationTable: in which order and for how long VLs may send.

use std::fmt;

use crate::field::payload;
use crate::{PortNum, Vl};

/// One entry of a VL arbitration table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VlArbEntry {
    /// The VL, 0 to 14. Entries of other VLs are skipped by the arbiter.
    pub vl: Vl,
    /// How much the VL may send in its turn, in 64 bytes; with 0 the entry is skipped.
    pub weight: u8,
}

payload! {
    /// VLArbitrationTable (IBA 14.2.5.9): a block of 32 pairs of VL and weight.
    VlArbTable: 64 bytes
}

impl VlArbTable {
    /// Entries in a block.
    pub const ENTRIES: usize = 32;
    /// Block number of entries 0 to 31 of the low-priority table.
    pub const LOW: u8 = 1;
    /// Block number of entries 32 to 63 of the low-priority table.
    pub const LOW_SECOND: u8 = 2;
    /// Block number of entries 0 to 31 of the high-priority table.
    pub const HIGH: u8 = 3;
    /// Block number of entries 32 to 63 of the high-priority table.
    pub const HIGH_SECOND: u8 = 4;

    /// The attribute modifier of block 1 to 4 of `port`. On channel adapters the port is 0.
    #[must_use]
    pub const fn modifier(block: u8, port: PortNum) -> u32 {
        (block as u32) << 16 | port.0 as u32
    }

    /// The block and the port in an attribute modifier. The block is what is there; only 1 to 4
    /// are defined.
    #[must_use]
    pub const fn parse_modifier(modifier: u32) -> (u16, PortNum) {
        ((modifier >> 16) as u16, PortNum(modifier as u8))
    }

    /// The entry at `index`, or `None` past the 32nd. The upper half of the VL's byte is reserved
    /// and left out.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<VlArbEntry> {
        let [vl, weight] = *self.0.as_chunks().0.get(index)?;
        Some(VlArbEntry { vl: Vl(vl & 15), weight })
    }

    /// Sets the entry at `index`; the VL has four bits. Whether there is such an entry.
    pub fn set(&mut self, index: usize, entry: VlArbEntry) -> bool {
        let place = self.0.as_chunks_mut().0.get_mut(index);
        place.map(|pair| *pair = [entry.vl.0 & 15, entry.weight]).is_some()
    }

    /// The 32 entries.
    pub fn iter(&self) -> impl Iterator<Item = VlArbEntry> {
        self.0.as_chunks().0.iter().map(|&[vl, weight]| VlArbEntry { vl: Vl(vl & 15), weight })
    }
}

impl FromIterator<VlArbEntry> for VlArbTable {
    /// The block that starts with these entries; past the 32nd they are ignored.
    fn from_iter<I: IntoIterator<Item = VlArbEntry>>(entries: I) -> Self {
        let mut table = Self::default();
        for (pair, entry) in table.0.as_chunks_mut().0.iter_mut().zip(entries) {
            *pair = [entry.vl.0 & 15, entry.weight];
        }
        table
    }
}

impl fmt::Display for VlArbTable {
    /// As the configuration has it: `0:4,1:8,…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().enumerate().try_for_each(|(i, entry)| {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}:{}", entry.vl, entry.weight)
        })
    }
}

impl fmt::Debug for VlArbTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VlArbTable({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_two_bytes_vl_first() {
        let mut table = VlArbTable([0xA5; 64]);
        assert!(table.set(0, VlArbEntry { vl: Vl(3), weight: 255 }));
        assert!(table.set(31, VlArbEntry { vl: Vl(14), weight: 0 }));
        assert_eq!(table.0[..3], [3, 255, 0xA5]);
        assert_eq!(table.0[61..], [0xA5, 14, 0]);
        assert_eq!(table.get(0), Some(VlArbEntry { vl: Vl(3), weight: 255 }));
        assert_eq!(table.get(1), Some(VlArbEntry { vl: Vl(5), weight: 0xA5 }));
        assert_eq!(table.get(32), None);
        assert!(!table.set(32, VlArbEntry::default()));
    }

    #[test]
    fn collects_and_prints_as_the_configuration_has_it() {
        let table: VlArbTable = (0..40).map(|n| VlArbEntry { vl: Vl(n & 15), weight: n }).collect();
        assert_eq!(table.iter().count(), 32);
        let text = table.to_string();
        assert!(text.starts_with("0:0,1:1,2:2,") && text.ends_with(",14:30,15:31"), "{text}");
    }

    #[test]
    fn modifier_holds_block_and_port() {
        let modifier = VlArbTable::modifier(VlArbTable::HIGH, PortNum(36));
        assert_eq!(modifier, 0x0003_0024);
        assert_eq!(VlArbTable::parse_modifier(modifier), (3, PortNum(36)));
    }
}
