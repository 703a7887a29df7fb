//! The vendor's extended port information, which FDR10 is switched on with.

use crate::field::attribute;

attribute! {
    /// MlnxExtPortInfo, vendor attribute 0xFF90. The attribute modifier is the port's number.
    MlnxExtPortInfo: 64 bytes {
        0, 24, reserved_0;
        24, 8, state_change_enable / set_state_change_enable: u8, "StateChangeEnable",
            "Which changes of the port's state are told.";
        32, 24, reserved_32;
        56, 8, link_speed_supported / set_link_speed_supported: u8, "LinkSpeedSupported",
            "Vendor speeds that the port can do; bit 0 is FDR10.";
        64, 24, reserved_64;
        88, 8, link_speed_enabled / set_link_speed_enabled: u8, "LinkSpeedEnabled",
            "Vendor speeds that may be used; bit 0 is FDR10.";
        96, 24, reserved_96;
        120, 8, link_speed_active / set_link_speed_active: u8, "LinkSpeedActive",
            "The vendor speed in use; bit 0 is FDR10.";
        128, 384, reserved_128;
    }
}

impl MlnxExtPortInfo {
    /// The bit of FDR10 in the three masks of speeds.
    pub const FDR10: u8 = 0x01;
}
