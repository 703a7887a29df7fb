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

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0x43, 0x0e, 0xa7, 0x7a, 0x98, 0x6e, 0x53, 0xba,
        0x12, 0x65, 0x3d, 0xd0, 0xc6, 0xec, 0xa5, 0xca,
        0x85, 0x66, 0x6c, 0xbc, 0xb0, 0x3d, 0x24, 0x02,
        0x8d, 0x4b, 0x02, 0xbf, 0xab, 0x23, 0xa2, 0x43,
        0xca, 0x54, 0xe2, 0x59, 0xaf, 0x02, 0xeb, 0x42,
        0x66, 0xa0, 0xa2, 0x48, 0x44, 0x5a, 0x36, 0xd9,
        0x89, 0x5f, 0x6f, 0xe5, 0x0d, 0x77, 0x4f, 0x4a,
        0x41, 0x91, 0xa3, 0xd0, 0x46, 0x00, 0x43, 0x37,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = GuidInfo([0xa5; 64]);
        value.set_guid_0(0x430e_a77a_986e_53ba);
        value.set_guid_1(0x1265_3dd0_c6ec_a5ca);
        value.set_guid_2(0x8566_6cbc_b03d_2402);
        value.set_guid_3(0x8d4b_02bf_ab23_a243);
        value.set_guid_4(0xca54_e259_af02_eb42);
        value.set_guid_5(0x66a0_a248_445a_36d9);
        value.set_guid_6(0x895f_6fe5_0d77_4f4a);
        value.set_guid_7(0x4191_a3d0_4600_4337);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = GuidInfo(BYTES);
        assert_eq!(value.guid_0(), 0x430e_a77a_986e_53ba);
        assert_eq!(value.guid_1(), 0x1265_3dd0_c6ec_a5ca);
        assert_eq!(value.guid_2(), 0x8566_6cbc_b03d_2402);
        assert_eq!(value.guid_3(), 0x8d4b_02bf_ab23_a243);
        assert_eq!(value.guid_4(), 0xca54_e259_af02_eb42);
        assert_eq!(value.guid_5(), 0x66a0_a248_445a_36d9);
        assert_eq!(value.guid_6(), 0x895f_6fe5_0d77_4f4a);
        assert_eq!(value.guid_7(), 0x4191_a3d0_4600_4337);
    }
}
