//! NodeInfo: what a node is.

use crate::field::attribute;
use crate::{Guid, NodeType};

attribute! {
    /// NodeInfo (IBA 14.2.5.3): the kind of node, its GUIDs and the port that was asked.
    NodeInfo: 40 bytes {
        0, 8, base_version / set_base_version: u8, "BaseVers",
            "Supported version of the datagram's format.";
        8, 8, class_version / set_class_version: u8, "ClassVers",
            "Supported version of the subnet management class.";
        16, 8, node_type / set_node_type: u8, "NodeType",
            "Kind of node, see [`NodeType`] and [`Self::kind`].";
        24, 8, num_ports / set_num_ports: u8, "NumPorts",
            "The number of external ports.";
        32, 64, system_image_guid / set_system_image_guid: u64, "SystemGuid",
            "GUID of the system that the node is a part of.";
        96, 64, node_guid / set_node_guid: u64, "Guid", "GUID of the node.";
        160, 64, port_guid / set_port_guid: u64, "PortGuid",
            "GUID of the port that was asked; on a switch that of port 0.";
        224, 16, partition_cap / set_partition_cap: u16, "PartCap",
            "The number of P_Key entries of an end port, or of a switch's port 0.";
        240, 16, device_id / set_device_id: u16, "DevId", "Device identifier of the vendor.";
        256, 32, revision / set_revision: u32, "Revision", "Revision of the device.";
        288, 8, local_port_num / set_local_port_num: u8, "LocalPort",
            "The port through which the request came in.";
        296, 24, vendor_id / set_vendor_id: u32, "VendorId", "Vendor identifier (IEEE OUI).";
    }
}

impl NodeInfo {
    /// [`Self::node_type`] with its name.
    #[must_use]
    pub const fn kind(&self) -> NodeType {
        NodeType(self.node_type())
    }

    /// Whether the node is a switch.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.kind() == NodeType::SWITCH
    }

    /// [`Self::node_guid`] as a [`Guid`].
    #[must_use]
    pub const fn guid(&self) -> Guid {
        Guid(self.node_guid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What libibmad makes of bytes of 0xa5 when it sets the fields as the test does.
    #[rustfmt::skip]
    const BYTES: [u8; 40] = [
        0x5f, 0xd8, 0x0f, 0x83, 0xf7, 0x6c, 0x44, 0x2c,
        0xc3, 0x4a, 0x74, 0xf7, 0x33, 0x58, 0xa6, 0x03,
        0x00, 0xa3, 0xc2, 0x4e, 0x3d, 0x66, 0x8b, 0xbd,
        0x7e, 0x5a, 0x58, 0xe9, 0x35, 0x0d, 0x45, 0x59,
        0xc3, 0x7f, 0xe9, 0x6c, 0xc5, 0xd9, 0x12, 0x8f,
    ];

    #[test]
    fn setters_write_their_bits_and_no_others() {
        let mut value = NodeInfo([0xa5; 40]);
        value.set_base_version(95);
        value.set_class_version(216);
        value.set_node_type(15);
        value.set_num_ports(131);
        value.set_system_image_guid(0xf76c_442c_c34a_74f7);
        value.set_node_guid(0x3358_a603_00a3_c24e);
        value.set_port_guid(0x3d66_8bbd_7e5a_58e9);
        value.set_partition_cap(0x350d);
        value.set_device_id(0x4559);
        value.set_revision(0xc37f_e96c);
        value.set_local_port_num(197);
        value.set_vendor_id(0xd9128f);
        assert_eq!(value.0, BYTES);
    }

    #[test]
    fn getters_read_their_bits() {
        let value = NodeInfo(BYTES);
        assert_eq!(value.base_version(), 95);
        assert_eq!(value.class_version(), 216);
        assert_eq!(value.node_type(), 15);
        assert_eq!(value.num_ports(), 131);
        assert_eq!(value.system_image_guid(), 0xf76c_442c_c34a_74f7);
        assert_eq!(value.node_guid(), 0x3358_a603_00a3_c24e);
        assert_eq!(value.port_guid(), 0x3d66_8bbd_7e5a_58e9);
        assert_eq!(value.partition_cap(), 0x350d);
        assert_eq!(value.device_id(), 0x4559);
        assert_eq!(value.revision(), 0xc37f_e96c);
        assert_eq!(value.local_port_num(), 197);
        assert_eq!(value.vendor_id(), 0xd9128f);
    }
}
