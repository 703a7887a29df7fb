//! Bits of PortInfo's capability masks.

/// Bits of PortInfo.CapabilityMask (IBA 14.2.5.6).
pub mod cap_mask {
    /// IsSM: a subnet manager runs here.
    pub const IS_SM: u32 = 1 << 1;
    /// IsNoticeSupported.
    pub const NOTICE: u32 = 1 << 2;
    /// IsTrapSupported.
    pub const TRAP: u32 = 1 << 3;
    /// IsOptionalIPDSupported.
    pub const OPTIONAL_IPD: u32 = 1 << 4;
    /// IsAutomaticMigrationSupported.
    pub const AUTOMATIC_MIGRATION: u32 = 1 << 5;
    /// IsSLMappingSupported: the port has an SLtoVLMappingTable.
    pub const SL_MAPPING: u32 = 1 << 6;
    /// IsMKeyNVRAM: the M_Key outlives a reset.
    pub const M_KEY_NVRAM: u32 = 1 << 7;
    /// IsPKeyNVRAM: the P_Keys outlive a reset.
    pub const P_KEY_NVRAM: u32 = 1 << 8;
    /// IsLEDInfoSupported.
    pub const LED_INFO: u32 = 1 << 9;
    /// IsSMdisabled: a subnet manager here must not become the master.
    pub const SM_DISABLED: u32 = 1 << 10;
    /// IsSystemImageGUIDSupported.
    pub const SYSTEM_IMAGE_GUID: u32 = 1 << 11;
    /// IsPkeySwitchExternalPortTrapSupported: the switch sends trap 259.
    pub const PKEY_SWITCH_EXTERNAL_PORT_TRAP: u32 = 1 << 12;
    /// IsExtendedSpeedsSupported.
    pub const EXTENDED_SPEEDS: u32 = 1 << 14;
    /// IsCapabilityMask2Supported: the second mask counts.
    pub const CAP_MASK2: u32 = 1 << 15;
    /// IsCommunicationManagementSupported.
    pub const COMM_MGMT: u32 = 1 << 16;
    /// IsSNMPTunnelingSupported.
    pub const SNMP: u32 = 1 << 17;
    /// IsReinitSupported.
    pub const REINIT: u32 = 1 << 18;
    /// IsDeviceManagementSupported.
    pub const DEVICE_MGMT: u32 = 1 << 19;
    /// IsVendorClassSupported.
    pub const VENDOR_CLASS: u32 = 1 << 20;
    /// IsDRNoticeSupported: trap 256 tells the directed route.
    pub const DR_NOTICE: u32 = 1 << 21;
    /// IsCapabilityMaskNoticeSupported: trap 144 is sent.
    pub const CAP_MASK_NOTICE: u32 = 1 << 22;
    /// IsBootManagementSupported.
    pub const BOOT_MGMT: u32 = 1 << 23;
    /// IsLinkRoundTripLatencySupported.
    pub const LINK_ROUND_TRIP: u32 = 1 << 24;
    /// IsClientReregistrationSupported.
    pub const CLIENT_REREGISTER: u32 = 1 << 25;
    /// IsOtherLocalChangesNoticeSupported: trap 144 tells more than the mask.
    pub const OTHER_LOCAL_CHANGES: u32 = 1 << 26;
    /// IsLinkSpeedWidthPairsTableSupported.
    pub const LINK_SPEED_WIDTH_PAIRS: u32 = 1 << 27;
    /// IsVendorSpecificMadsTableSupported.
    pub const VENDOR_MADS_TABLE: u32 = 1 << 28;
    /// IsMcastPkeyTrapSuppressionSupported.
    pub const MCAST_PKEY_TRAP_SUPPRESSION: u32 = 1 << 29;
    /// IsMulticastFDBTopSupported.
    pub const MULTICAST_FDB_TOP: u32 = 1 << 30;
    /// IsHierarchyInfoSupported.
    pub const HIERARCHY_INFO: u32 = 1 << 31;
}

/// Bits of PortInfo.CapabilityMask2 (IBA 14.2.5.6).
pub mod cap_mask2 {
    /// IsSetNodeDescriptionSupported.
    pub const SET_NODE_DESCRIPTION: u16 = 1 << 0;
    /// IsPortInfoExtendedSupported.
    pub const PORT_INFO_EXTENDED: u16 = 1 << 1;
    /// IsVirtualizationSupported.
    pub const VIRTUALIZATION: u16 = 1 << 2;
    /// IsSwitchPortStateTableSupported.
    pub const SWITCH_PORT_STATE_TABLE: u16 = 1 << 3;
    /// IsLinkWidth2xSupported.
    pub const LINK_WIDTH_2X: u16 = 1 << 4;
    /// IsLinkSpeedHDRSupported.
    pub const LINK_SPEED_HDR: u16 = 1 << 5;
    /// IsLinkSpeedNDRSupported.
    pub const LINK_SPEED_NDR: u16 = 1 << 10;
}
