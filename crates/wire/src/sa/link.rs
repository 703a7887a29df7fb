//! NodeRecord, LinkRecord, SwitchInfoRecord and SMInfoRecord.

use super::record::{components, record};
use crate::field::attribute;
use crate::{NodeDescription, NodeInfo, SmInfo, SwitchInfo};

attribute! {
    /// NodeRecord (IBA 15.2.5.2).
    NodeRecord: 108 bytes {
        0, 16, lid / set_lid: u16, "Lid", "LID of the end port.";
        16, 16, reserved_16;
        32, 320, info;
        352, 512, description;
    }
}

attribute! {
    /// LinkRecord (IBA 15.2.5.13): one end of a link to the other.
    LinkRecord: 8 bytes {
        0, 16, from_lid / set_from_lid: u16, "FromLID", "LID of the port, or of its switch.";
        16, 8, from_port / set_from_port: u8, "FromPort", "Number of the port.";
        24, 8, to_port / set_to_port: u8, "ToPort", "Number of the port at the other end.";
        32, 16, to_lid / set_to_lid: u16, "ToLID", "LID of that port, or of its switch.";
        48, 16, reserved_48;
    }
}

attribute! {
    /// SwitchInfoRecord (IBA 15.2.5.5).
    SwitchInfoRecord: 24 bytes {
        0, 16, lid / set_lid: u16, "LID", "LID of the switch.";
        16, 16, reserved_16;
        32, 160, info;
    }
}

attribute! {
    /// SMInfoRecord (IBA 15.2.5.10).
    SmInfoRecord: 28 bytes {
        0, 16, lid / set_lid: u16, "SMLID", "LID of the port that the subnet manager is on.";
        16, 16, reserved_16;
        32, 192, info;
    }
}

record! {
    NodeRecord: crate::sa::sa_attr::NODE_RECORD;
    LinkRecord: crate::sa::sa_attr::LINK_RECORD;
    SwitchInfoRecord: crate::sa::sa_attr::SWITCH_INFO_RECORD;
    SmInfoRecord: crate::sa::sa_attr::SM_INFO_RECORD;
}

components! {
    /// Components of [`super::NodeRecord`].
    node_mask {
        LID = 0, 0, 16;
        BASE_VERSION = 2, 32, 8;
        CLASS_VERSION = 3, 40, 8;
        NODE_TYPE = 4, 48, 8;
        NUM_PORTS = 5, 56, 8;
        SYSTEM_IMAGE_GUID = 6, 64, 64;
        NODE_GUID = 7, 128, 64;
        PORT_GUID = 8, 192, 64;
        PARTITION_CAP = 9, 256, 16;
        DEVICE_ID = 10, 272, 16;
        REVISION = 11, 288, 32;
        LOCAL_PORT_NUM = 12, 320, 8;
        VENDOR_ID = 13, 328, 24;
        DESCRIPTION = 14, 352, 512;
    }
}

components! {
    /// Components of [`super::LinkRecord`].
    link_mask {
        FROM_LID = 0, 0, 16;
        FROM_PORT = 1, 16, 8;
        TO_PORT = 2, 24, 8;
        TO_LID = 3, 32, 16;
    }
}

components! {
    /// Components of [`super::SwitchInfoRecord`].
    switch_info_mask {
        LID = 0, 0, 16;
        LINEAR_FDB_CAP = 2, 32, 16;
        RANDOM_FDB_CAP = 3, 48, 16;
        MULTICAST_FDB_CAP = 4, 64, 16;
        LINEAR_FDB_TOP = 5, 80, 16;
        DEFAULT_PORT = 6, 96, 8;
        DEFAULT_MULTICAST_PRIMARY_PORT = 7, 104, 8;
        DEFAULT_MULTICAST_NOT_PRIMARY_PORT = 8, 112, 8;
        LIFE_TIME_VALUE = 9, 120, 5;
        PORT_STATE_CHANGE = 10, 125, 1;
        OPTIMIZED_SL2VL = 11, 126, 2;
        LIDS_PER_PORT = 12, 128, 16;
        PARTITION_ENFORCEMENT_CAP = 13, 144, 16;
        INBOUND_ENFORCEMENT_CAP = 14, 160, 1;
        OUTBOUND_ENFORCEMENT_CAP = 15, 161, 1;
        FILTER_RAW_INBOUND_CAP = 16, 162, 1;
        FILTER_RAW_OUTBOUND_CAP = 17, 163, 1;
        ENHANCED_PORT0 = 18, 164, 1;
        MULTICAST_FDB_TOP = 20, 176, 16;
    }
}

components! {
    /// Components of [`super::SmInfoRecord`].
    sm_info_mask {
        LID = 0, 0, 16;
        GUID = 2, 32, 64;
        SM_KEY = 3, 96, 64;
        ACT_COUNT = 4, 160, 32;
        PRIORITY = 5, 192, 4;
        SM_STATE = 6, 196, 4;
    }
}

/// Accessors of an attribute within a record.
macro_rules! part {
    ($($name:ident { $range:expr, $get:ident / $set:ident: $ty:ident })*) => {$(
        impl $name {
            #[doc = concat!("The ", stringify!($ty), " in it.")]
            #[must_use]
            pub fn $get(&self) -> $ty {
                let mut value = $ty::default();
                value.0.copy_from_slice(&self.0[$range]);
                value
            }

            #[doc = concat!("Sets [`Self::", stringify!($get), "`].")]
            pub fn $set(&mut self, value: &$ty) {
                self.0[$range].copy_from_slice(&value.0);
            }
        }
    )*};
}

part! {
    NodeRecord { 4..44, info / set_info: NodeInfo }
    NodeRecord { 44..108, description / set_description: NodeDescription }
    SwitchInfoRecord { 4..24, info / set_info: SwitchInfo }
    SmInfoRecord { 4..28, info / set_info: SmInfo }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use crate::sa::Component;

    fn are_fields(components: &[Component], fields: &[Field], end: usize) {
        for c in components.iter().filter(|c| c.offset >= 32 && c.offset < end) {
            assert!(
                fields.iter().any(|f| f.offset + 32 == c.offset && f.length == c.length),
                "component {} is no field",
                c.bit
            );
        }
    }

    #[test]
    fn components_are_fields_of_what_the_records_hold() {
        are_fields(node_mask::COMPONENTS, NodeInfo::FIELDS, 352);
        are_fields(switch_info_mask::COMPONENTS, SwitchInfo::FIELDS, usize::MAX);
        are_fields(sm_info_mask::COMPONENTS, SmInfo::FIELDS, usize::MAX);
    }

    #[test]
    fn parts_lie_behind_each_other() {
        let mut record = NodeRecord::default();
        let mut info = NodeInfo::default();
        info.set_vendor_id(0x2c9);
        record.set_info(&info);
        record.set_description(&NodeDescription::from_text("host HCA-1"));
        record.set_lid(7);
        assert_eq!(record.0[..2], [0, 7]);
        assert_eq!(record.0[41..49], [0, 2, 0xc9, b'h', b'o', b's', b't', b' ']);
        assert_eq!((record.info(), record.description().text()), (info, "host HCA-1".to_owned()));
    }
}
