//! Records that hold a block of a table: LinearForwardingTableRecord and its like.

use super::record::{components, record};
use crate::field::attribute;
use crate::{
    GuidInfo, LinearForwardingTable, MulticastForwardingTable, PKeyTable, SlToVlTable, VlArbTable,
};

attribute! {
    /// SLtoVLMappingTableRecord (IBA 15.2.5.4).
    SlToVlRecord: 16 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the end port, or of the switch.";
        16, 8, in_port / set_in_port: u8, "InPort", "Where packets come in; 0 on adapters.";
        24, 8, out_port / set_out_port: u8, "OutPort", "Where they go out.";
        32, 32, reserved_32;
        64, 64, table;
    }
}

attribute! {
    /// LinearForwardingTableRecord (IBA 15.2.5.6).
    LftRecord: 72 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the switch.";
        16, 16, block / set_block: u16, "Block", "Number of the block of 64 LIDs.";
        32, 32, reserved_32;
        64, 512, table;
    }
}

attribute! {
    /// MulticastForwardingTableRecord (IBA 15.2.5.8).
    MftRecord: 72 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the switch.";
        16, 4, position / set_position: u8, "Position", "Which sixteen ports the masks are of.";
        20, 3, reserved_20;
        23, 9, block / set_block: u16, "Block", "Number of the block of 32 LIDs from 0xC000 on.";
        32, 32, reserved_32;
        64, 512, table;
    }
}

attribute! {
    /// P_KeyTableRecord (IBA 15.2.5.11).
    PKeyRecord: 72 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the end port, or of the switch.";
        16, 16, block / set_block: u16, "Block", "Number of the block of 32 keys.";
        32, 8, port_num / set_port_num: u8, "Port", "Number of the port.";
        40, 24, reserved_40;
        64, 512, table;
    }
}

attribute! {
    /// VLArbitrationTableRecord (IBA 15.2.5.9).
    VlArbRecord: 72 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the end port, or of the switch.";
        16, 8, port_num / set_port_num: u8, "Port", "Number of the port.";
        24, 8, block / set_block: u8, "Block", "1 and 2 low priority, 3 and 4 high priority.";
        32, 32, reserved_32;
        64, 512, table;
    }
}

attribute! {
    /// GuidInfoRecord (IBA 15.2.5.18).
    GuidInfoRecord: 72 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the end port.";
        16, 8, block / set_block: u8, "Block", "Number of the block of 8 GUIDs.";
        24, 8, reserved_24;
        32, 32, reserved_32;
        64, 512, table;
    }
}

record! {
    SlToVlRecord: crate::sa::sa_attr::SL2VL_RECORD;
    LftRecord: crate::sa::sa_attr::LFT_RECORD;
    MftRecord: crate::sa::sa_attr::MFT_RECORD;
    PKeyRecord: crate::sa::sa_attr::PKEY_RECORD;
    VlArbRecord: crate::sa::sa_attr::VLARB_RECORD;
    GuidInfoRecord: crate::sa::sa_attr::GUID_INFO_RECORD;
}

components! {
    /// Components of [`super::SlToVlRecord`].
    sl_to_vl_mask {
        LID = 0, 0, 16;
        IN_PORT = 1, 16, 8;
        OUT_PORT = 2, 24, 8;
    }
}

components! {
    /// Components of [`super::LftRecord`].
    lft_mask {
        LID = 0, 0, 16;
        BLOCK = 1, 16, 16;
    }
}

components! {
    /// Components of [`super::MftRecord`].
    mft_mask {
        LID = 0, 0, 16;
        POSITION = 1, 16, 4;
        BLOCK = 3, 23, 9;
    }
}

components! {
    /// Components of [`super::PKeyRecord`].
    p_key_mask {
        LID = 0, 0, 16;
        BLOCK = 1, 16, 16;
        PORT_NUM = 2, 32, 8;
    }
}

components! {
    /// Components of [`super::VlArbRecord`].
    vl_arb_mask {
        LID = 0, 0, 16;
        PORT_NUM = 1, 16, 8;
        BLOCK = 2, 24, 8;
    }
}

components! {
    /// Components of [`super::GuidInfoRecord`].
    guid_info_mask {
        LID = 0, 0, 16;
        BLOCK = 1, 16, 8;
        GUID_0 = 4, 64, 64;
        GUID_1 = 5, 128, 64;
        GUID_2 = 6, 192, 64;
        GUID_3 = 7, 256, 64;
        GUID_4 = 8, 320, 64;
        GUID_5 = 9, 384, 64;
        GUID_6 = 10, 448, 64;
        GUID_7 = 11, 512, 64;
    }
}

/// Accessors of the table behind the first eight bytes.
macro_rules! table {
    ($($name:ident: $ty:ident;)*) => {$(
        impl $name {
            #[doc = concat!("The ", stringify!($ty), " in it.")]
            #[must_use]
            pub fn table(&self) -> $ty {
                let mut value = $ty::default();
                value.0.copy_from_slice(&self.0[8..]);
                value
            }

            #[doc = "Sets [`Self::table`]."]
            pub fn set_table(&mut self, value: &$ty) {
                self.0[8..].copy_from_slice(&value.0);
            }
        }
    )*};
}

table! {
    SlToVlRecord: SlToVlTable;
    LftRecord: LinearForwardingTable;
    MftRecord: MulticastForwardingTable;
    PKeyRecord: PKeyTable;
    VlArbRecord: VlArbTable;
    GuidInfoRecord: GuidInfo;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PKey;

    #[test]
    fn a_block_and_its_place() {
        let mut keys = PKeyTable::default();
        keys.set(1, PKey(0x8001));
        let mut record = PKeyRecord::default();
        record.set_lid(0x102);
        record.set_block(3);
        record.set_port_num(4);
        record.set_table(&keys);
        assert_eq!(record.0[..12], [1, 2, 0, 3, 4, 0, 0, 0, 0, 0, 0x80, 1]);
        assert_eq!(record.table(), keys);

        let mut mft = MftRecord::default();
        mft.set_position(2);
        mft.set_block(0x1FF);
        assert_eq!(mft.0[2..4], [0x21, 0xFF]);
    }
}
