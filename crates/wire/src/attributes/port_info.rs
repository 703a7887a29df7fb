//! PortInfo: what a port can do, what it is set to and how its link is.

use crate::field::attribute;
use crate::{Lid, Mtu, PhysState, PortState, VlCode};

attribute! {
    /// PortInfo (IBA 14.2.5.6). The attribute modifier is the port's number on a switch; bit 31
    /// ([`PortInfo::EXTENDED_SPEEDS`]) says that the subnet manager knows extended speeds.
    PortInfo: 64 bytes {
        0, 64, m_key / set_m_key: u64, "Mkey", "Management key.";
        64, 64, gid_prefix / set_gid_prefix: u64, "GidPrefix", "Subnet prefix of the port's GID.";
        128, 16, lid / set_lid: u16, "Lid", "Base LID.";
        144, 16, sm_lid / set_sm_lid: u16, "SMLid", "LID of the master subnet manager.";
        160, 32, capability_mask / set_capability_mask: u32, "CapMask",
            "What the port supports, see [`crate::cap_mask`].";
        192, 16, diag_code / set_diag_code: u16, "DiagCode", "Diagnostic code (IBA 14.2.5.6.1).";
        208, 16, m_key_lease_period / set_m_key_lease_period: u16, "MkeyLeasePeriod",
            "Seconds until the M_Key protection lapses; 0 is never.";
        224, 8, local_port_num / set_local_port_num: u8, "LocalPort",
            "The port through which the request came in.";
        232, 8, link_width_enabled / set_link_width_enabled: u8, "LinkWidthEnabled",
            "Widths that may be used, a mask of [`crate::LinkWidth`]; 255 sets all supported.";
        240, 8, link_width_supported / set_link_width_supported: u8, "LinkWidthSupported",
            "Widths that the port can do, a mask of [`crate::LinkWidth`].";
        248, 8, link_width_active / set_link_width_active: u8, "LinkWidthActive",
            "The width in use, one of [`crate::LinkWidth`].";
        256, 4, link_speed_supported / set_link_speed_supported: u8, "LinkSpeedSupported",
            "Speeds that the port can do, a mask of [`crate::LinkSpeed`].";
        260, 4, port_state / set_port_state: u8, "LinkState",
            "State of the link layer, see [`PortState`].";
        264, 4, port_physical_state / set_port_physical_state: u8, "PhysLinkState",
            "State of the physical layer, see [`PhysState`].";
        268, 4, link_down_default_state / set_link_down_default_state: u8, "LinkDownDefState",
            "State that a port which goes down enters: 1 Sleep, 2 Polling.";
        272, 2, m_key_protect / set_m_key_protect: u8, "ProtectBits",
            "Level of M_Key protection (IBA 14.2.4.1).";
        274, 3, reserved_274;
        277, 3, lmc / set_lmc: u8, "LMC", "LID mask control: the port has 2^LMC LIDs.";
        280, 4, link_speed_active / set_link_speed_active: u8, "LinkSpeedActive",
            "The speed in use, one of [`crate::LinkSpeed`]; 0 when it is an extended speed.";
        284, 4, link_speed_enabled / set_link_speed_enabled: u8, "LinkSpeedEnabled",
            "Speeds that may be used, a mask of [`crate::LinkSpeed`]; 15 sets all supported.";
        288, 4, neighbor_mtu / set_neighbor_mtu: u8, "NeighborMTU",
            "MTU in use on the link, see [`Mtu`].";
        292, 4, master_sm_sl / set_master_sm_sl: u8, "SMSL",
            "SL on which the master subnet manager is reached.";
        296, 4, vl_cap / set_vl_cap: u8, "VLCap", "VLs that the port has, see [`VlCode`].";
        300, 4, init_type / set_init_type: u8, "InitType",
            "What the node asks of its initialisation (IBA 14.2.5.6).";
        304, 8, vl_high_limit / set_vl_high_limit: u8, "VLHighLimit",
            "Limit of high priority: 4096 bytes for each, 255 is unlimited, 0 is one packet.";
        312, 8, vl_arb_high_cap / set_vl_arb_high_cap: u8, "VLArbHighCap",
            "Entries of the high-priority VL arbitration table.";
        320, 8, vl_arb_low_cap / set_vl_arb_low_cap: u8, "VLArbLowCap",
            "Entries of the low-priority VL arbitration table.";
        328, 4, init_type_reply / set_init_type_reply: u8, "InitReply",
            "What the subnet manager says that it has done of the init type.";
        332, 4, mtu_cap / set_mtu_cap: u8, "MtuCap", "The largest MTU, see [`Mtu`].";
        336, 3, vl_stall_count / set_vl_stall_count: u8, "VLStallCount",
            "Packets dropped in sequence before a VL is stalled; only on switches.";
        339, 5, hoq_life / set_hoq_life: u8, "HoqLife",
            "Time that a packet may head a VL's queue: 4.096 µs · 2^n, above 19 unlimited.";
        344, 4, oper_vls / set_oper_vls: u8, "OperVLs",
            "VLs in use, see [`VlCode`]; setting 0 changes nothing.";
        348, 1, partition_enforcement_inbound / set_partition_enforcement_inbound: u8,
            "PartEnforceInb", "Whether a switch port checks the P_Key of what comes in.";
        349, 1, partition_enforcement_outbound / set_partition_enforcement_outbound: u8,
            "PartEnforceOutb", "Whether a switch port checks the P_Key of what goes out.";
        350, 1, filter_raw_inbound / set_filter_raw_inbound: u8, "FilterRawInb",
            "Whether raw packets that come in are dropped.";
        351, 1, filter_raw_outbound / set_filter_raw_outbound: u8, "FilterRawOutb",
            "Whether raw packets that go out are dropped.";
        352, 16, m_key_violations / set_m_key_violations: u16, "MkeyViolations",
            "SMPs with a wrong M_Key.";
        368, 16, p_key_violations / set_p_key_violations: u16, "PkeyViolations",
            "Packets with a wrong P_Key.";
        384, 16, q_key_violations / set_q_key_violations: u16, "QkeyViolations",
            "Packets with a wrong Q_Key.";
        400, 8, guid_cap / set_guid_cap: u8, "GuidCap", "Entries of the GUIDInfo table.";
        408, 1, client_reregister / set_client_reregister: u8, "ClientReregister",
            "Asks the port's users to register again with the subnet administration.";
        409, 2, multicast_pkey_trap_suppression / set_multicast_pkey_trap_suppression: u8,
            "McastPkeyTrapSuppressionEnabled",
            "Whether traps for P_Key violations of multicast packets are suppressed.";
        411, 5, subnet_timeout / set_subnet_timeout: u8, "SubnetTimeout",
            "The longest time through the subnet: 4.096 µs · 2^n.";
        416, 3, reserved_416;
        419, 5, resp_time_value / set_resp_time_value: u8, "RespTimeVal",
            "The longest time from request to answer: 4.096 µs · 2^n.";
        424, 4, local_phy_errors / set_local_phy_errors: u8, "LocalPhysErr",
            "Threshold of local physical errors.";
        428, 4, overrun_errors / set_overrun_errors: u8, "OverrunErr",
            "Threshold of buffer overruns.";
        432, 16, max_credit_hint / set_max_credit_hint: u16, "MaxCreditHint",
            "Credits that the peer may assume, in 64 bytes.";
        448, 8, reserved_448;
        456, 24, link_round_trip_latency / set_link_round_trip_latency: u32, "RoundTrip",
            "Round trip of the link in units of 4 ns.";
        480, 16, capability_mask2 / set_capability_mask2: u16, "CapabilityMask2",
            "What else the port supports, see [`crate::cap_mask2`].";
        496, 4, link_speed_ext_active / set_link_speed_ext_active: u8, "LinkSpeedExtActive",
            "The extended speed in use, one of [`crate::LinkSpeedExt`], or 0.";
        500, 4, link_speed_ext_supported / set_link_speed_ext_supported: u8,
            "LinkSpeedExtSupported",
            "Extended speeds that the port can do, a mask of [`crate::LinkSpeedExt`].";
        504, 3, reserved_504;
        507, 5, link_speed_ext_enabled / set_link_speed_ext_enabled: u8, "LinkSpeedExtEnabled",
            "Extended speeds that may be used: a mask, 30 none, 31 all supported.";
    }
}

impl PortInfo {
    /// Bit 31 of the attribute modifier: the subnet manager supports extended link speeds, so
    /// that the port may use them (IBA 14.2.5.6).
    pub const EXTENDED_SPEEDS: u32 = 1 << 31;

    /// [`Self::lid`] as a [`Lid`].
    #[must_use]
    pub const fn base_lid(&self) -> Lid {
        Lid(self.lid())
    }

    /// [`Self::port_state`] with its name.
    #[must_use]
    pub const fn state(&self) -> PortState {
        PortState(self.port_state())
    }

    /// [`Self::port_physical_state`] with its name.
    #[must_use]
    pub const fn phys_state(&self) -> PhysState {
        PhysState(self.port_physical_state())
    }

    /// [`Self::neighbor_mtu`] with its meaning.
    #[must_use]
    pub const fn active_mtu(&self) -> Mtu {
        Mtu(self.neighbor_mtu())
    }

    /// [`Self::mtu_cap`] with its meaning.
    #[must_use]
    pub const fn max_mtu(&self) -> Mtu {
        Mtu(self.mtu_cap())
    }

    /// [`Self::oper_vls`] with its meaning.
    #[must_use]
    pub const fn operational_vls(&self) -> VlCode {
        VlCode(self.oper_vls())
    }

    /// [`Self::vl_cap`] with its meaning.
    #[must_use]
    pub const fn supported_vls(&self) -> VlCode {
        VlCode(self.vl_cap())
    }

    /// Whether all bits of `mask`, one of [`crate::cap_mask`], are set in the capability mask.
    #[must_use]
    pub const fn has_capability(&self, mask: u32) -> bool {
        self.capability_mask() & mask == mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0x6b, 0x5b, 0xf8, 0xd9, 0xf1, 0x13, 0xbb, 0x40,
        0xbb, 0xbc, 0x3d, 0xf8, 0x77, 0x54, 0xfe, 0xae,
        0x8e, 0xb3, 0x2a, 0x5f, 0xae, 0xbf, 0x66, 0x38,
        0x3c, 0xdb, 0x69, 0x5a, 0xa9, 0xce, 0xca, 0xd8,
        0x5e, 0x8a, 0xa4, 0xd6, 0xca, 0x5c, 0x6a, 0x7d,
        0x4c, 0x92, 0x32, 0x29, 0x06, 0x5c, 0x47, 0x75,
        0xda, 0x1d, 0x95, 0xb8, 0xbd, 0x5a, 0xa7, 0x52,
        0xa5, 0x82, 0x41, 0x44, 0x92, 0xc0, 0xc6, 0xb1,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = PortInfo([0xa5; 64]);
        value.set_m_key(0x6b5b_f8d9_f113_bb40);
        value.set_gid_prefix(0xbbbc_3df8_7754_feae);
        value.set_lid(0x8eb3);
        value.set_sm_lid(0x2a5f);
        value.set_capability_mask(0xaebf_6638);
        value.set_diag_code(0x3cdb);
        value.set_m_key_lease_period(0x695a);
        value.set_local_port_num(169);
        value.set_link_width_enabled(206);
        value.set_link_width_supported(202);
        value.set_link_width_active(216);
        value.set_link_speed_supported(5);
        value.set_port_state(14);
        value.set_port_physical_state(8);
        value.set_link_down_default_state(10);
        value.set_m_key_protect(2);
        value.set_lmc(4);
        value.set_link_speed_active(13);
        value.set_link_speed_enabled(6);
        value.set_neighbor_mtu(12);
        value.set_master_sm_sl(10);
        value.set_vl_cap(5);
        value.set_init_type(12);
        value.set_vl_high_limit(106);
        value.set_vl_arb_high_cap(125);
        value.set_vl_arb_low_cap(76);
        value.set_init_type_reply(9);
        value.set_mtu_cap(2);
        value.set_vl_stall_count(1);
        value.set_hoq_life(18);
        value.set_oper_vls(2);
        value.set_partition_enforcement_inbound(1);
        value.set_partition_enforcement_outbound(0);
        value.set_filter_raw_inbound(0);
        value.set_filter_raw_outbound(1);
        value.set_m_key_violations(0x65c);
        value.set_p_key_violations(0x4775);
        value.set_q_key_violations(0xda1d);
        value.set_guid_cap(149);
        value.set_client_reregister(1);
        value.set_multicast_pkey_trap_suppression(1);
        value.set_subnet_timeout(24);
        value.set_resp_time_value(29);
        value.set_local_phy_errors(5);
        value.set_overrun_errors(10);
        value.set_max_credit_hint(0xa752);
        value.set_link_round_trip_latency(0x824144);
        value.set_capability_mask2(0x92c0);
        value.set_link_speed_ext_active(12);
        value.set_link_speed_ext_supported(6);
        value.set_link_speed_ext_enabled(17);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = PortInfo(BYTES);
        assert_eq!(value.m_key(), 0x6b5b_f8d9_f113_bb40);
        assert_eq!(value.gid_prefix(), 0xbbbc_3df8_7754_feae);
        assert_eq!(value.lid(), 0x8eb3);
        assert_eq!(value.sm_lid(), 0x2a5f);
        assert_eq!(value.capability_mask(), 0xaebf_6638);
        assert_eq!(value.diag_code(), 0x3cdb);
        assert_eq!(value.m_key_lease_period(), 0x695a);
        assert_eq!(value.local_port_num(), 169);
        assert_eq!(value.link_width_enabled(), 206);
        assert_eq!(value.link_width_supported(), 202);
        assert_eq!(value.link_width_active(), 216);
        assert_eq!(value.link_speed_supported(), 5);
        assert_eq!(value.port_state(), 14);
        assert_eq!(value.port_physical_state(), 8);
        assert_eq!(value.link_down_default_state(), 10);
        assert_eq!(value.m_key_protect(), 2);
        assert_eq!(value.lmc(), 4);
        assert_eq!(value.link_speed_active(), 13);
        assert_eq!(value.link_speed_enabled(), 6);
        assert_eq!(value.neighbor_mtu(), 12);
        assert_eq!(value.master_sm_sl(), 10);
        assert_eq!(value.vl_cap(), 5);
        assert_eq!(value.init_type(), 12);
        assert_eq!(value.vl_high_limit(), 106);
        assert_eq!(value.vl_arb_high_cap(), 125);
        assert_eq!(value.vl_arb_low_cap(), 76);
        assert_eq!(value.init_type_reply(), 9);
        assert_eq!(value.mtu_cap(), 2);
        assert_eq!(value.vl_stall_count(), 1);
        assert_eq!(value.hoq_life(), 18);
        assert_eq!(value.oper_vls(), 2);
        assert_eq!(value.partition_enforcement_inbound(), 1);
        assert_eq!(value.partition_enforcement_outbound(), 0);
        assert_eq!(value.filter_raw_inbound(), 0);
        assert_eq!(value.filter_raw_outbound(), 1);
        assert_eq!(value.m_key_violations(), 0x65c);
        assert_eq!(value.p_key_violations(), 0x4775);
        assert_eq!(value.q_key_violations(), 0xda1d);
        assert_eq!(value.guid_cap(), 149);
        assert_eq!(value.client_reregister(), 1);
        assert_eq!(value.multicast_pkey_trap_suppression(), 1);
        assert_eq!(value.subnet_timeout(), 24);
        assert_eq!(value.resp_time_value(), 29);
        assert_eq!(value.local_phy_errors(), 5);
        assert_eq!(value.overrun_errors(), 10);
        assert_eq!(value.max_credit_hint(), 0xa752);
        assert_eq!(value.link_round_trip_latency(), 0x824144);
        assert_eq!(value.capability_mask2(), 0x92c0);
        assert_eq!(value.link_speed_ext_active(), 12);
        assert_eq!(value.link_speed_ext_supported(), 6);
        assert_eq!(value.link_speed_ext_enabled(), 17);
    }
}
