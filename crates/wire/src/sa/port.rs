//! PortInfoRecord.

use super::record::{components, record};
use crate::PortInfo;
use crate::field::attribute;

attribute! {
    /// PortInfoRecord (IBA 15.2.5.3).
    PortInfoRecord: 68 bytes {
        0, 16, lid / set_lid: u16, "EndPortLid", "LID of the end port, or of the switch.";
        16, 8, port_num / set_port_num: u8, "PortNum", "Number of the port.";
        24, 8, options / set_options: u8, "Options",
            "What the record tells beyond the attribute's first fields.";
        32, 512, info;
    }
}

record! {
    PortInfoRecord: crate::sa::sa_attr::PORT_INFO_RECORD;
}

components! {
    /// Components of [`super::PortInfoRecord`].
    port_info_mask {
        LID = 0, 0, 16;
        PORT_NUM = 1, 16, 8;
        OPTIONS = 2, 24, 8;
        M_KEY = 3, 32, 64;
        GID_PREFIX = 4, 96, 64;
        BASE_LID = 5, 160, 16;
        SM_LID = 6, 176, 16;
        CAPABILITY_MASK = 7, 192, 32;
        DIAG_CODE = 8, 224, 16;
        M_KEY_LEASE_PERIOD = 9, 240, 16;
        LOCAL_PORT_NUM = 10, 256, 8;
        LINK_WIDTH_ENABLED = 11, 264, 8;
        LINK_WIDTH_SUPPORTED = 12, 272, 8;
        LINK_WIDTH_ACTIVE = 13, 280, 8;
        LINK_SPEED_SUPPORTED = 14, 288, 4;
        PORT_STATE = 15, 292, 4;
        PORT_PHYSICAL_STATE = 16, 296, 4;
        LINK_DOWN_DEFAULT_STATE = 17, 300, 4;
        M_KEY_PROTECT = 18, 304, 2;
        LMC = 20, 309, 3;
        LINK_SPEED_ACTIVE = 21, 312, 4;
        LINK_SPEED_ENABLED = 22, 316, 4;
        NEIGHBOR_MTU = 23, 320, 4;
        MASTER_SM_SL = 24, 324, 4;
        VL_CAP = 25, 328, 4;
        INIT_TYPE = 26, 332, 4;
        VL_HIGH_LIMIT = 27, 336, 8;
        VL_ARB_HIGH_CAP = 28, 344, 8;
        VL_ARB_LOW_CAP = 29, 352, 8;
        INIT_TYPE_REPLY = 30, 360, 4;
        MTU_CAP = 31, 364, 4;
        VL_STALL_COUNT = 32, 368, 3;
        HOQ_LIFE = 33, 371, 5;
        OPER_VLS = 34, 376, 4;
        PARTITION_ENFORCEMENT_INBOUND = 35, 380, 1;
        PARTITION_ENFORCEMENT_OUTBOUND = 36, 381, 1;
        FILTER_RAW_INBOUND = 37, 382, 1;
        FILTER_RAW_OUTBOUND = 38, 383, 1;
        M_KEY_VIOLATIONS = 39, 384, 16;
        P_KEY_VIOLATIONS = 40, 400, 16;
        Q_KEY_VIOLATIONS = 41, 416, 16;
        GUID_CAP = 42, 432, 8;
        CLIENT_REREGISTER = 43, 440, 1;
        MULTICAST_PKEY_TRAP_SUPPRESSION = 44, 441, 2;
        SUBNET_TIMEOUT = 45, 443, 5;
        RESP_TIME_VALUE = 47, 451, 5;
        LOCAL_PHY_ERRORS = 48, 456, 4;
        OVERRUN_ERRORS = 49, 460, 4;
        MAX_CREDIT_HINT = 50, 464, 16;
        LINK_ROUND_TRIP_LATENCY = 52, 488, 24;
        CAPABILITY_MASK2 = 53, 512, 16;
        LINK_SPEED_EXT_ACTIVE = 54, 528, 4;
        LINK_SPEED_EXT_SUPPORTED = 55, 532, 4;
        LINK_SPEED_EXT_ENABLED = 57, 539, 5;
    }
}

impl PortInfoRecord {
    /// In the attribute modifier of a query: the capability mask of a port matches when it has at
    /// least the bits that are asked for.
    pub const MATCH_CAPABILITIES: u32 = 1 << 31;

    /// The PortInfo in it.
    #[must_use]
    pub fn info(&self) -> PortInfo {
        let mut info = PortInfo::default();
        info.0.copy_from_slice(&self.0[4..]);
        info
    }

    /// Sets [`Self::info`].
    pub fn set_info(&mut self, info: &PortInfo) {
        self.0[4..].copy_from_slice(&info.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each component of PortInfo is a field of PortInfo, 32 bits further on.
    #[test]
    fn components_are_fields() {
        for c in port_info_mask::COMPONENTS.iter().filter(|c| c.bit > 2) {
            let mut fields = PortInfo::FIELDS.iter();
            assert!(
                fields.any(|f| f.offset + 32 == c.offset && f.length == c.length),
                "component {} is no field",
                c.bit
            );
        }
    }
}
