//! GUIDInfo: a block of the GUIDs that a port answers to.

use crate::Guid;
use crate::field::attribute;

attribute! {
    /// GUIDInfo (IBA 14.2.5.5): eight GUIDs. The attribute modifier is the number of the block;
    /// GUID 0 of block 0 is the port's own and read-only.
    GuidInfo: 64 bytes {
        0, 64, guid_0 / set_guid_0: u64, "GUID0", "The first GUID of the block.";
        64, 64, guid_1 / set_guid_1: u64, "GUID1", "The second GUID of the block.";
        128, 64, guid_2 / set_guid_2: u64, "GUID2", "The third GUID of the block.";
        192, 64, guid_3 / set_guid_3: u64, "GUID3", "The fourth GUID of the block.";
        256, 64, guid_4 / set_guid_4: u64, "GUID4", "The fifth GUID of the block.";
        320, 64, guid_5 / set_guid_5: u64, "GUID5", "The sixth GUID of the block.";
        384, 64, guid_6 / set_guid_6: u64, "GUID6", "The seventh GUID of the block.";
        448, 64, guid_7 / set_guid_7: u64, "GUID7", "The eighth GUID of the block.";
    }
}

impl GuidInfo {
    /// GUIDs in a block.
    pub const ENTRIES: usize = 8;

    /// The GUID at `index`, or `None` past the eighth.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Guid> {
        let bytes = self.0.as_chunks().0.get(index)?;
        Some(Guid(u64::from_be_bytes(*bytes)))
    }

    /// Sets the GUID at `index`. Whether there is such an entry.
    pub fn set(&mut self, index: usize, guid: Guid) -> bool {
        let entry = self.0.as_chunks_mut().0.get_mut(index);
        entry.map(|bytes| *bytes = guid.0.to_be_bytes()).is_some()
    }

    /// The eight GUIDs.
    pub fn iter(&self) -> impl Iterator<Item = Guid> {
        self.0.as_chunks().0.iter().map(|bytes| Guid(u64::from_be_bytes(*bytes)))
    }
}
