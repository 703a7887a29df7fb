//! SwitchInfo: sizes of a switch's tables and what is common to all its ports.

use crate::field::attribute;

attribute! {
    /// SwitchInfo (IBA 14.2.5.4).
    SwitchInfo: 20 bytes {
        0, 16, linear_fdb_cap / set_linear_fdb_cap: u16, "LinearFdbCap",
            "Entries of the linear forwarding table.";
        16, 16, random_fdb_cap / set_random_fdb_cap: u16, "RandomFdbCap",
            "Entries of the random forwarding table.";
        32, 16, multicast_fdb_cap / set_multicast_fdb_cap: u16, "McastFdbCap",
            "Entries of the multicast forwarding table.";
        48, 16, linear_fdb_top / set_linear_fdb_top: u16, "LinearFdbTop",
            "The highest LID in the linear forwarding table that is looked up.";
        64, 8, default_port / set_default_port: u8, "DefPort",
            "Where LIDs that the random forwarding table lacks go.";
        72, 8, default_multicast_primary_port / set_default_multicast_primary_port: u8,
            "DefMcastPrimPort", "Where multicast LIDs without an entry go.";
        80, 8, default_multicast_not_primary_port / set_default_multicast_not_primary_port: u8,
            "DefMcastNotPrimPort",
            "Where they go when they come from the primary default port.";
        88, 5, life_time_value / set_life_time_value: u8, "LifeTime",
            "Time that a packet may stay in the switch: 4.096 µs · 2^n, above 19 unlimited.";
        93, 1, port_state_change / set_port_state_change: u8, "StateChange",
            "Set by the switch when a port's state has changed; writing 1 clears it.";
        94, 2, optimized_sl2vl / set_optimized_sl2vl: u8, "OptSLtoVLMapping",
            "Bit 0: the switch takes wildcards in the modifier of SLtoVLMappingTable.";
        96, 16, lids_per_port / set_lids_per_port: u16, "LidsPerPort",
            "LIDs that a port of the random forwarding table may have.";
        112, 16, partition_enforcement_cap / set_partition_enforcement_cap: u16,
            "PartEnforceCap", "P_Key entries of each external port.";
        128, 1, inbound_enforcement_cap / set_inbound_enforcement_cap: u8, "InboundPartEnf",
            "Whether ports can check the P_Key of what comes in.";
        129, 1, outbound_enforcement_cap / set_outbound_enforcement_cap: u8, "OutboundPartEnf",
            "Whether ports can check the P_Key of what goes out.";
        130, 1, filter_raw_inbound_cap / set_filter_raw_inbound_cap: u8, "FilterRawInbound",
            "Whether ports can drop raw packets that come in.";
        131, 1, filter_raw_outbound_cap / set_filter_raw_outbound_cap: u8, "FilterRawOutbound",
            "Whether ports can drop raw packets that go out.";
        132, 1, enhanced_port0 / set_enhanced_port0: u8, "EnhancedPort0",
            "Whether port 0 is an enhanced one, which is a port like a channel adapter's.";
        133, 11, reserved_133;
        144, 16, multicast_fdb_top / set_multicast_fdb_top: u16, "MulticastFDBTop",
            "The highest multicast LID that is looked up; 0xBFFF is none, 0 is not used.";
    }
}

impl SwitchInfo {
    /// Whether the switch takes the wildcards of [`crate::SlToVlModifier`].
    #[must_use]
    pub const fn takes_sl2vl_wildcards(&self) -> bool {
        self.optimized_sl2vl() & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 20] = [
        0x15, 0xc0, 0x97, 0xbf, 0xae, 0xb1, 0x56, 0x6a,
        0xff, 0xe1, 0xdd, 0xd4, 0x4e, 0x19, 0xf9, 0x45,
        0x05, 0xa5, 0x3d, 0xd1,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = SwitchInfo([0xa5; 20]);
        value.set_linear_fdb_cap(0x15c0);
        value.set_random_fdb_cap(0x97bf);
        value.set_multicast_fdb_cap(0xaeb1);
        value.set_linear_fdb_top(0x566a);
        value.set_default_port(255);
        value.set_default_multicast_primary_port(225);
        value.set_default_multicast_not_primary_port(221);
        value.set_life_time_value(26);
        value.set_port_state_change(1);
        value.set_optimized_sl2vl(0);
        value.set_lids_per_port(0x4e19);
        value.set_partition_enforcement_cap(0xf945);
        value.set_inbound_enforcement_cap(0);
        value.set_outbound_enforcement_cap(0);
        value.set_filter_raw_inbound_cap(0);
        value.set_filter_raw_outbound_cap(0);
        value.set_enhanced_port0(0);
        value.set_multicast_fdb_top(0x3dd1);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = SwitchInfo(BYTES);
        assert_eq!(value.linear_fdb_cap(), 0x15c0);
        assert_eq!(value.random_fdb_cap(), 0x97bf);
        assert_eq!(value.multicast_fdb_cap(), 0xaeb1);
        assert_eq!(value.linear_fdb_top(), 0x566a);
        assert_eq!(value.default_port(), 255);
        assert_eq!(value.default_multicast_primary_port(), 225);
        assert_eq!(value.default_multicast_not_primary_port(), 221);
        assert_eq!(value.life_time_value(), 26);
        assert_eq!(value.port_state_change(), 1);
        assert_eq!(value.optimized_sl2vl(), 0);
        assert_eq!(value.lids_per_port(), 0x4e19);
        assert_eq!(value.partition_enforcement_cap(), 0xf945);
        assert_eq!(value.inbound_enforcement_cap(), 0);
        assert_eq!(value.outbound_enforcement_cap(), 0);
        assert_eq!(value.filter_raw_inbound_cap(), 0);
        assert_eq!(value.filter_raw_outbound_cap(), 0);
        assert_eq!(value.enhanced_port0(), 0);
        assert_eq!(value.multicast_fdb_top(), 0x3dd1);
    }
}
