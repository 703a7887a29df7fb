//! The details of those traps that tell of more than a place, as tables (IBA 14.2.5.1).
//!
//! [`crate::Trap`] says which trap has which.

use crate::field::attribute;
use crate::{Gid, Guid, Lid};

attribute! {
    /// Details of trap 144: something about a port or its node has changed.
    LocalChange: 54 bytes {
        0, 16, reserved_0;
        16, 16, lid / set_lid: u16, "LIDADDR", "LID of the port.";
        32, 8, reserved_32;
        40, 7, reserved_40;
        47, 1, other_local_changes / set_other_local_changes: u8, "OtherLocalChanges",
            "1: the change flags below count, else the capability mask has changed.";
        48, 32, capability_mask / set_capability_mask: u32, "CapabilityMask",
            "The capability mask as it is now.";
        80, 13, reserved_80;
        93, 1, link_speed_enabled_change / set_link_speed_enabled_change: u8,
            "LinkSpeedEnabledChange", "LinkSpeedEnabled has changed.";
        94, 1, link_width_enabled_change / set_link_width_enabled_change: u8,
            "LinkWidthEnabledChange", "LinkWidthEnabled has changed.";
        95, 1, node_description_change / set_node_description_change: u8,
            "NodeDescriptionChange", "The node description has changed.";
        96, 16, capability_mask2 / set_capability_mask2: u16, "CapabilityMask2",
            "The second capability mask as it is now.";
        112, 320, reserved_112;
    }
}

attribute! {
    /// Details of trap 256: an SMP with a wrong M_Key.
    MKeyViolation: 54 bytes {
        0, 16, reserved_0;
        16, 16, lid / set_lid: u16, "LIDADDR", "Source LID of the SMP.";
        32, 16, dr_slid / set_dr_slid: u16, "DRSLID", "DrSLID of a directed-route SMP.";
        48, 8, method / set_method: u8, "METHOD", "Its method.";
        56, 8, reserved_56;
        64, 16, attr_id / set_attr_id: u16, "ATTRIBUTEID", "Its attribute.";
        80, 32, attr_modifier / set_attr_modifier: u32, "ATTRIBUTEMODIFIER",
            "Its attribute modifier.";
        112, 64, m_key / set_m_key: u64, "MKEY", "The M_Key that it had.";
        176, 8, reserved_176;
        184, 1, dr_notice / set_dr_notice: u8, "DRNotice", "1: it was a directed-route SMP.";
        185, 1, dr_path_truncated / set_dr_path_truncated: u8, "DRPathTruncated",
            "1: the return path is longer than what is told here.";
        186, 6, dr_hop_count / set_dr_hop_count: u8, "DRHopCount",
            "The number of entries of the return path that are told here.";
        192, 240, dr_return_path;
    }
}

impl MKeyViolation {
    /// The most entries of a return path that fit.
    pub const MAX_RETURN_PATH: usize = 30;

    /// The return path of the directed-route SMP, as far as it is told. A hop count above 30
    /// counts as 30.
    #[must_use]
    pub fn return_path(&self) -> &[u8] {
        let hops = usize::from(self.dr_hop_count()).min(Self::MAX_RETURN_PATH);
        // In bounds: 24 + 30 is the length.
        &self.0[24..24 + hops]
    }

    /// Sets the return path, its length and, when it has over 30 entries, that it is cut.
    pub fn set_return_path(&mut self, path: &[u8]) {
        let hops = path.len().min(Self::MAX_RETURN_PATH);
        self.0[24..].fill(0);
        self.0[24..24 + hops].copy_from_slice(&path[..hops]);
        // At most 30.
        self.set_dr_hop_count(hops as u8);
        self.set_dr_path_truncated(u8::from(path.len() > hops));
    }
}

attribute! {
    /// Details of traps 257 and 258: a packet with a wrong P_Key or Q_Key.
    KeyViolation: 54 bytes {
        0, 16, reserved_0;
        16, 16, lid1 / set_lid1: u16, "LIDADDR1", "Source LID of the packet.";
        32, 16, lid2 / set_lid2: u16, "LIDADDR2", "Destination LID of the packet.";
        48, 32, key / set_key: u32, "KEY", "The key that it had; a P_Key is in the low bits.";
        80, 4, sl / set_sl: u8, "SL", "Its service level.";
        84, 4, reserved_84;
        88, 24, qp1 / set_qp1: u32, "QP1", "Its source queue pair.";
        112, 8, reserved_112;
        120, 24, qp2 / set_qp2: u32, "QP2", "Its destination queue pair.";
        144, 64, gid1_prefix / set_gid1_prefix: u64, "GIDADDR1 prefix", "Source GID, prefix.";
        208, 64, gid1_guid / set_gid1_guid: u64, "GIDADDR1 guid", "Source GID, GUID.";
        272, 64, gid2_prefix / set_gid2_prefix: u64, "GIDADDR2 prefix",
            "Destination GID, prefix.";
        336, 64, gid2_guid / set_gid2_guid: u64, "GIDADDR2 guid", "Destination GID, GUID.";
        400, 32, reserved_400;
    }
}

attribute! {
    /// Details of trap 259: a switch port has dropped a packet with a wrong P_Key.
    SwitchPKeyViolation: 54 bytes {
        0, 16, data_valid / set_data_valid: u16, "DataValid",
            "Which of the fields below count, one bit each (IBA 14.2.5.1).";
        16, 16, lid1 / set_lid1: u16, "LIDADDR1", "Source LID of the packet.";
        32, 16, lid2 / set_lid2: u16, "LIDADDR2", "Destination LID of the packet.";
        48, 16, p_key / set_p_key: u16, "PKEY", "The P_Key that it had.";
        64, 4, sl / set_sl: u8, "SL", "Its service level.";
        68, 4, reserved_68;
        72, 24, qp1 / set_qp1: u32, "QP1", "Its source queue pair.";
        96, 8, reserved_96;
        104, 24, qp2 / set_qp2: u32, "QP2", "Its destination queue pair.";
        128, 64, gid1_prefix / set_gid1_prefix: u64, "GIDADDR1 prefix", "Source GID, prefix.";
        192, 64, gid1_guid / set_gid1_guid: u64, "GIDADDR1 guid", "Source GID, GUID.";
        256, 64, gid2_prefix / set_gid2_prefix: u64, "GIDADDR2 prefix",
            "Destination GID, prefix.";
        320, 64, gid2_guid / set_gid2_guid: u64, "GIDADDR2 guid", "Destination GID, GUID.";
        384, 16, switch_lid / set_switch_lid: u16, "SWLIDADDR", "LID of the switch.";
        400, 8, port / set_port: u8, "PORTNO", "The switch's port.";
        408, 24, reserved_408;
    }
}

attribute! {
    /// Details of traps 64 to 67: a port or a multicast group that comes or goes.
    GidDetails: 54 bytes {
        0, 48, reserved_0;
        48, 64, prefix / set_prefix: u64, "GIDADDR prefix", "The GID's prefix.";
        112, 64, guid / set_guid: u64, "GIDADDR guid", "The GID's GUID.";
        176, 256, reserved_176;
    }
}

impl GidDetails {
    /// The details with `gid`.
    #[must_use]
    pub fn new(gid: Gid) -> Self {
        let mut details = Self::default();
        details.set_prefix(gid.prefix);
        details.set_guid(gid.guid.0);
        details
    }

    /// The GID.
    #[must_use]
    pub const fn gid(&self) -> Gid {
        Gid { prefix: self.prefix(), guid: Guid(self.guid()) }
    }
}

attribute! {
    /// Details of trap 128: the LID of the switch.
    SwitchDetails: 54 bytes {
        0, 16, lid / set_lid: u16, "LIDADDR", "LID of the switch.";
        16, 416, reserved_16;
    }
}

attribute! {
    /// Details of traps 129 to 131: a LID and a port.
    PortDetails: 54 bytes {
        0, 16, reserved_0;
        16, 16, lid / set_lid: u16, "LIDADDR", "LID of the port or its switch.";
        32, 8, port / set_port: u8, "PORTNO", "The port's number.";
        40, 392, reserved_40;
    }
}

attribute! {
    /// Details of trap 145: a LID and the new system image GUID.
    SystemImageDetails: 54 bytes {
        0, 16, reserved_0;
        16, 16, lid / set_lid: u16, "LIDADDR", "LID of the node.";
        32, 16, reserved_32;
        48, 64, guid / set_guid: u64, "SYSTEMIMAGEGUID", "The GUID as it is now.";
        112, 320, reserved_112;
    }
}

impl LocalChange {
    /// [`Self::lid`] as a [`Lid`].
    #[must_use]
    pub const fn port_lid(&self) -> Lid {
        Lid(self.lid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes 0x00 to 0x35.
    fn counting() -> [u8; 54] {
        std::array::from_fn(|i| i as u8)
    }

    #[test]
    fn local_change() {
        let details = LocalChange(counting());
        assert_eq!((details.port_lid(), details.other_local_changes()), (Lid(0x0203), 1));
        assert_eq!(details.capability_mask(), 0x0607_0809);
        assert_eq!(details.capability_mask2(), 0x0C0D);
        let mut details = LocalChange::default();
        details.set_node_description_change(1);
        assert_eq!(details.0[11], 1);
        details.set_link_width_enabled_change(1);
        assert_eq!(details.0[11], 3);
        details.set_link_speed_enabled_change(1);
        assert_eq!(details.0[11], 7);
        details.set_other_local_changes(1);
        assert_eq!(details.0[5], 1);
    }

    #[test]
    fn m_key_violation() {
        let details = MKeyViolation(counting());
        assert_eq!((details.lid(), details.dr_slid(), details.method()), (0x0203, 0x0405, 6));
        assert_eq!((details.attr_id(), details.attr_modifier()), (0x0809, 0x0A0B_0C0D));
        assert_eq!(details.m_key(), 0x0E0F_1011_1213_1415);
        assert_eq!((details.dr_notice(), details.dr_path_truncated()), (0, 0));
        assert_eq!(details.dr_hop_count(), 0x17);
        assert_eq!(details.return_path(), &counting()[24..24 + 0x17]);
    }

    #[test]
    fn return_path_is_cut_at_30() {
        let mut details = MKeyViolation([0xFF; 54]);
        assert_eq!(details.return_path().len(), 30, "whatever the hop count says");
        details.set_return_path(&[7; 40]);
        assert_eq!((details.return_path(), details.dr_path_truncated()), (&[7; 30][..], 1));
        details.set_return_path(&[1, 2]);
        assert_eq!((details.return_path(), details.dr_path_truncated()), (&[1, 2][..], 0));
        assert_eq!(details.0[26..], [0; 28]);
    }

    #[test]
    fn key_violation() {
        let details = KeyViolation(counting());
        assert_eq!((details.lid1(), details.lid2()), (0x0203, 0x0405));
        assert_eq!((details.key(), details.sl()), (0x0607_0809, 0));
        assert_eq!((details.qp1(), details.qp2()), (0x0B_0C0D, 0x0F_1011));
        assert_eq!(details.gid1_prefix(), 0x1213_1415_1617_1819);
        assert_eq!(details.gid2_guid(), 0x2A2B_2C2D_2E2F_3031);
        let mut details = KeyViolation::default();
        details.set_sl(0xF);
        assert_eq!(details.0[10], 0xF0);
    }

    #[test]
    fn switch_p_key_violation() {
        let details = SwitchPKeyViolation(counting());
        assert_eq!((details.data_valid(), details.p_key()), (0x0001, 0x0607));
        assert_eq!((details.qp1(), details.qp2()), (0x09_0A0B, 0x0D_0E0F));
        assert_eq!(details.gid1_prefix(), 0x1011_1213_1415_1617);
        assert_eq!((details.switch_lid(), details.port()), (0x3031, 0x32));
    }
}
