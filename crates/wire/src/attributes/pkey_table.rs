//! P_KeyTable: a block of a port's partition keys.

use std::fmt;

use crate::field::payload;
use crate::{PKey, PortNum};

payload! {
    /// P_KeyTable (IBA 14.2.5.7): 32 partition keys.
    PKeyTable: 64 bytes
}

impl PKeyTable {
    /// Keys in a block.
    pub const ENTRIES: usize = 32;

    /// The attribute modifier of block `block` of `port`. The port is that of a switch; on
    /// channel adapters and routers it is 0.
    #[must_use]
    pub const fn modifier(block: u16, port: PortNum) -> u32 {
        (port.0 as u32) << 16 | block as u32
    }

    /// The block and the port in an attribute modifier.
    #[must_use]
    pub const fn parse_modifier(modifier: u32) -> (u16, PortNum) {
        (modifier as u16, PortNum((modifier >> 16) as u8))
    }

    /// The key at `index`, or `None` past the 32nd.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<PKey> {
        let bytes = self.0.as_chunks().0.get(index)?;
        Some(PKey(u16::from_be_bytes(*bytes)))
    }

    /// Sets the key at `index`. Whether there is such an entry.
    pub fn set(&mut self, index: usize, key: PKey) -> bool {
        let entry = self.0.as_chunks_mut().0.get_mut(index);
        entry.map(|bytes| *bytes = key.0.to_be_bytes()).is_some()
    }

    /// The 32 keys; empty entries are 0.
    pub fn iter(&self) -> impl Iterator<Item = PKey> {
        self.0.as_chunks().0.iter().map(|bytes| PKey(u16::from_be_bytes(*bytes)))
    }
}

impl FromIterator<PKey> for PKeyTable {
    /// The block that starts with these keys; past the 32nd they are ignored.
    fn from_iter<I: IntoIterator<Item = PKey>>(keys: I) -> Self {
        let mut table = Self::default();
        for (entry, key) in table.0.as_chunks_mut().0.iter_mut().zip(keys) {
            *entry = key.0.to_be_bytes();
        }
        table
    }
}

impl fmt::Display for PKeyTable {
    /// Eight keys on a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.iter().enumerate() {
            let end = if i % 8 == 7 { "\n" } else { " " };
            write!(f, "{key}{end}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for PKeyTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PKeyTable")?;
        f.debug_list().entries(self.iter().map(|key| key.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_big_endian_and_in_order() {
        let mut table = PKeyTable([0xA5; 64]);
        assert!(table.set(0, PKey::DEFAULT_FULL) && table.set(31, PKey(0x8001)));
        assert_eq!(
            (table.0[..3].to_vec(), table.0[61..].to_vec()),
            (vec![0xFF, 0xFF, 0xA5], vec![0xA5, 0x80, 0x01])
        );
        assert_eq!((table.get(0), table.get(31)), (Some(PKey(0xFFFF)), Some(PKey(0x8001))));
        assert_eq!(table.iter().nth(1), Some(PKey(0xA5A5)));
        assert_eq!(table.get(32), None);
        assert!(!table.set(32, PKey(1)));
    }

    #[test]
    fn collects_up_to_32_keys() {
        let table: PKeyTable = (1..=40).map(PKey).collect();
        assert_eq!(table.iter().collect::<Vec<_>>(), (1..=32).map(PKey).collect::<Vec<_>>());
        let table: PKeyTable = [PKey(7)].into_iter().collect();
        assert_eq!((table.get(0), table.get(1)), (Some(PKey(7)), Some(PKey(0))));
    }

    #[test]
    fn modifier_holds_block_and_port() {
        assert_eq!(PKeyTable::modifier(3, PortNum(36)), 0x0024_0003);
        assert_eq!(PKeyTable::parse_modifier(0x0024_0003), (3, PortNum(36)));
    }
}
