//! SMInfo: who the subnet managers are.

use crate::SmState;
use crate::field::{attribute, named};

attribute! {
    /// SMInfo (IBA 14.2.5.13). The modifier of a Set is a [`SmControl`].
    SmInfo: 24 bytes {
        0, 64, guid / set_guid: u64, "SmInfoGuid", "Port GUID of the subnet manager.";
        64, 64, sm_key / set_sm_key: u64, "SmInfoKey",
            "SM_Key; 0 unless the asker has shown that it knows it.";
        128, 32, act_count / set_act_count: u32, "SmActivity",
            "Counts up while the subnet manager is at work.";
        160, 4, priority / set_priority: u8, "SmPriority", "Priority, 15 is the highest.";
        164, 4, sm_state / set_sm_state: u8, "SmState", "State, see [`SmState`].";
        168, 24, reserved_168;
    }
}

impl SmInfo {
    /// [`Self::sm_state`] with its name.
    #[must_use]
    pub const fn state(&self) -> SmState {
        SmState(self.sm_state())
    }
}

named! {
    /// What a Set of SMInfo tells the other subnet manager to do: the attribute modifier
    /// (IBA 14.4.1).
    SmControl: u32 {
        HANDOVER = 1, "HANDOVER", "Become the master.";
        ACKNOWLEDGE = 2, "ACKNOWLEDGE", "The handover is accepted.";
        DISABLE = 3, "DISABLE", "Stop being a candidate.";
        STANDBY = 4, "STANDBY", "Go to standby.";
        DISCOVER = 5, "DISCOVER", "Go to discovering.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 24] = [
        0x2c, 0x48, 0xd2, 0xfe, 0x3f, 0x55, 0x54, 0x28,
        0x10, 0xaf, 0x93, 0x3d, 0xcf, 0x20, 0x16, 0x24,
        0x6b, 0xdc, 0x8b, 0x78, 0x2b, 0xa5, 0xa5, 0xa5,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = SmInfo([0xa5; 24]);
        value.set_guid(0x2c48_d2fe_3f55_5428);
        value.set_sm_key(0x10af_933d_cf20_1624);
        value.set_act_count(0x6bdc_8b78);
        value.set_priority(2);
        value.set_sm_state(11);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = SmInfo(BYTES);
        assert_eq!(value.guid(), 0x2c48_d2fe_3f55_5428);
        assert_eq!(value.sm_key(), 0x10af_933d_cf20_1624);
        assert_eq!(value.act_count(), 0x6bdc_8b78);
        assert_eq!(value.priority(), 2);
        assert_eq!(value.sm_state(), 11);
    }
}
