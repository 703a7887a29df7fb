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
