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

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0xa5, 0xa5, 0xa5, 0x90, 0xa5, 0xa5, 0xa5, 0x8e,
        0xa5, 0xa5, 0xa5, 0x05, 0xa5, 0xa5, 0xa5, 0xf9,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = MlnxExtPortInfo([0xa5; 64]);
        value.set_state_change_enable(144);
        value.set_link_speed_supported(142);
        value.set_link_speed_enabled(5);
        value.set_link_speed_active(249);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = MlnxExtPortInfo(BYTES);
        assert_eq!(value.state_change_enable(), 144);
        assert_eq!(value.link_speed_supported(), 142);
        assert_eq!(value.link_speed_enabled(), 5);
        assert_eq!(value.link_speed_active(), 249);
    }
}
