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
