//! Bits of PortInfo's capability masks.

/// A module of masks of one bit each, with the names of the bits.
macro_rules! flags {
    (
        $(#[$meta:meta])*
        $module:ident: $ty:ident { $($flag:ident = $bit:literal, $name:literal, $doc:literal;)* }
    ) => {
        $(#[$meta])*
        pub mod $module {
            $(
                #[doc = concat!($name, ": ", $doc)]
                pub const $flag: $ty = 1 << $bit;
            )*

            /// The architecture's name of bit `bit`, or `None` when it has none.
            #[must_use]
            pub const fn name(bit: u32) -> Option<&'static str> {
                match bit {
                    $($bit => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

flags! {
    /// Bits of PortInfo.CapabilityMask (IBA 14.2.5.6).
    cap_mask: u32 {
        IS_SM = 1, "IsSM", "A subnet manager runs here.";
        NOTICE = 2, "IsNoticeSupported", "The port has the Notice attribute.";
        TRAP = 3, "IsTrapSupported", "The port sends traps.";
        OPTIONAL_IPD = 4, "IsOptionalIPDSupported", "Optional values of the inter-packet delay.";
        AUTOMATIC_MIGRATION = 5, "IsAutomaticMigrationSupported", "Automatic path migration.";
        SL_MAPPING = 6, "IsSLMappingSupported", "The port has an SLtoVLMappingTable.";
        M_KEY_NVRAM = 7, "IsMKeyNVRAM", "The M_Key outlives a reset.";
        P_KEY_NVRAM = 8, "IsPKeyNVRAM", "The P_Keys outlive a reset.";
        LED_INFO = 9, "IsLedInfoSupported", "The port has the LedInfo attribute.";
        SM_DISABLED = 10, "IsSMdisabled", "A subnet manager here must not become the master.";
        SYSTEM_IMAGE_GUID = 11, "IsSystemImageGUIDSupported", "The node has a system image GUID.";
        PKEY_SWITCH_EXTERNAL_PORT_TRAP = 12, "IsPkeySwitchExternalPortTrapSupported",
            "The switch sends trap 259.";
        EXTENDED_SPEEDS = 14, "IsExtendedSpeedsSupported", "The port knows extended speeds.";
        CAP_MASK2 = 15, "IsCapabilityMask2Supported", "The second mask counts.";
        COMM_MGMT = 16, "IsCommunicationManagementSupported", "Communication management.";
        SNMP = 17, "IsSNMPTunnelingSupported", "SNMP tunnelling.";
        REINIT = 18, "IsReinitSupported", "The port tells how it wants to be initialised again.";
        DEVICE_MGMT = 19, "IsDeviceManagementSupported", "Device management.";
        VENDOR_CLASS = 20, "IsVendorClassSupported", "Vendor classes.";
        DR_NOTICE = 21, "IsDRNoticeSupported", "Trap 256 tells the directed route.";
        CAP_MASK_NOTICE = 22, "IsCapabilityMaskNoticeSupported", "The port sends trap 144.";
        BOOT_MGMT = 23, "IsBootManagementSupported", "Boot management.";
        LINK_ROUND_TRIP = 24, "IsLinkRoundTripLatencySupported",
            "The port measures the link's round trip.";
        CLIENT_REREGISTER = 25, "IsClientReregistrationSupported",
            "The port passes ClientReregister on to its users.";
        OTHER_LOCAL_CHANGES = 26, "IsOtherLocalChangesNoticeSupported",
            "Trap 144 tells more than the mask.";
        LINK_SPEED_WIDTH_PAIRS = 27, "IsLinkSpeedWidthPairsTableSupported",
            "The port has a table of speeds and widths that go together.";
        VENDOR_MADS_TABLE = 28, "IsVendorSpecificMadsTableSupported",
            "The node has a table of its vendor's MADs.";
        MCAST_PKEY_TRAP_SUPPRESSION = 29, "IsMcastPkeyTrapSuppressionSupported",
            "Traps for multicast packets with a wrong P_Key can be suppressed.";
        MULTICAST_FDB_TOP = 30, "IsMulticastFDBTopSupported", "SwitchInfo.MulticastFDBTop counts.";
        HIERARCHY_INFO = 31, "IsHierarchyInfoSupported",
            "The node has the HierarchyInfo attribute.";
    }
}

flags! {
    /// Bits of PortInfo.CapabilityMask2 (IBA 14.2.5.6); they count where
    /// [`cap_mask::CAP_MASK2`] is set.
    cap_mask2: u16 {
        SET_NODE_DESCRIPTION = 0, "IsSetNodeDescriptionSupported", "NodeDescription can be set.";
        PORT_INFO_EXTENDED = 1, "IsPortInfoExtendedSupported",
            "The port has the PortInfoExtended attribute.";
        VIRTUALIZATION = 2, "IsVirtualizationSupported", "Virtual ports.";
        SWITCH_PORT_STATE_TABLE = 3, "IsSwitchPortStateTableSupported",
            "The switch has a table of its ports' states.";
        LINK_WIDTH_2X = 4, "IsLinkWidth2xSupported", "Links of two lanes.";
        LINK_SPEED_HDR = 5, "IsLinkSpeedHDRSupported", "HDR.";
        M_KEY_PROTECT_BITS_EXT = 6, "IsMKeyProtectBitsExtSupported",
            "More levels of M_Key protection.";
        ENHANCED_TRAP_128 = 7, "IsEnhancedTrap128Supported", "Trap 128 tells more.";
        PARTITION_TOP = 8, "IsPartitionTopSupported", "The highest used P_Key entry can be set.";
        ENHANCED_QOS_ARBITER = 9, "IsEnhancedQoSArbiterSupported", "The enhanced VL arbiter.";
        LINK_SPEED_NDR = 10, "IsLinkSpeedNDRSupported", "NDR.";
    }
}
