//! What a node is made of: its place in the graph and its capabilities, and what follows from
//! them for its tables: how many rows they have, which block is in which row, and what a row holds
//! at power-on.

use lk_fabric::{Fabric, Node, NodeId, NodeKind};
use lk_wire::{Attribute, Guid, VlArbTable};

use crate::options::{NodeCaps, PortCaps};
use crate::power_on;
use crate::rate::Hardware;

/// Mellanox's OUI: devices with it know MlnxExtPortInfo.
const MELLANOX: u32 = 0x00_02C9;

/// A node without its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blueprint<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) id: NodeId,
    pub(crate) caps: &'a NodeCaps,
}

impl<'a> Blueprint<'a> {
    /// Entries of one P_Key block.
    pub(crate) const PKEYS: usize = 32;
    /// Entries of one GUIDInfo block.
    pub(crate) const GUIDS: usize = 8;
    /// Multicast LIDs of one MFT block.
    const MLIDS: usize = 32;
    /// Ports of one MFT position.
    const MFT_PORTS: usize = 16;
    /// Blocks of the VLArb tables: low, low second half, high, high second half.
    pub(crate) const VLARB_BLOCKS: usize = VlArbTable::HIGH_SECOND as usize;

    pub(crate) fn node(&self) -> &'a Node {
        self.fabric.node(self.id)
    }

    pub(crate) fn kind(&self) -> NodeKind {
        self.node().kind
    }

    pub(crate) fn is_switch(&self) -> bool {
        self.kind() == NodeKind::Switch
    }

    /// Port 0 and the external ports.
    pub(crate) fn slots(&self) -> usize {
        usize::from(self.node().num_ports) + 1
    }

    pub(crate) fn port_caps(&self, number: u8) -> &'a PortCaps {
        self.caps.of_port(self.kind(), number)
    }

    pub(crate) fn port_guid(&self, number: u8) -> Guid {
        power_on::port_guid(self.fabric, self.id, number)
    }

    pub(crate) fn hardware(&self) -> Hardware {
        Hardware::of_node(self.fabric, self.id)
    }

    /// Whether the node knows MlnxExtPortInfo.
    pub(crate) fn has_mlnx(&self) -> bool {
        self.caps.mlnx_ext_port_info.unwrap_or(self.node().vendor_id == MELLANOX)
    }

    /// P_Keys of a port: those of a switch's external ports are PartitionEnforcementCap.
    pub(crate) fn pkey_cap(&self, port: u8) -> usize {
        let external = self.is_switch() && port != 0;
        let caps = self.caps;
        let cap = if external { caps.switch.partition_enforcement_cap } else { caps.partition_cap };
        usize::from(cap)
    }

    /// Rows of P_Keys that each port has.
    fn pkey_stride(&self) -> usize {
        self.pkey_cap(0).max(self.pkey_cap(1)).div_ceil(Self::PKEYS)
    }

    pub(crate) fn pkey_row(&self, port: u8, block: usize) -> usize {
        usize::from(port) * self.pkey_stride() + block
    }

    pub(crate) fn pkey_rows(&self) -> usize {
        self.slots() * self.pkey_stride()
    }

    pub(crate) fn fresh_pkeys(&self, row: usize) -> [u8; 64] {
        power_on::pkeys(row % self.pkey_stride().max(1))
    }

    /// Port and block of a row.
    pub(crate) fn pkey_place(&self, row: usize) -> (usize, usize) {
        let stride = self.pkey_stride().max(1);
        (row / stride, row % stride)
    }

    /// Rows of GUIDs that each port has: enough for the largest GUIDCap there is.
    const GUID_STRIDE: usize = (u8::MAX as usize).div_ceil(Self::GUIDS);

    pub(crate) fn guid_row(&self, port: u8, block: usize) -> usize {
        usize::from(port) * Self::GUID_STRIDE + block
    }

    pub(crate) fn guid_rows(&self) -> usize {
        // A switch has GUIDs on port 0 only.
        if self.is_switch() { Self::GUID_STRIDE } else { self.slots() * Self::GUID_STRIDE }
    }

    pub(crate) fn fresh_guids(&self, row: usize) -> [u8; 64] {
        let (port, block) = self.guid_place(row);
        power_on::guids(block, self.port_guid(port as u8))
    }

    pub(crate) fn guid_place(&self, row: usize) -> (usize, usize) {
        (row / Self::GUID_STRIDE, row % Self::GUID_STRIDE)
    }

    /// A switch has a table for each pair of ports, the others one for each port: `input` is not
    /// looked at there.
    pub(crate) fn sl2vl_row(&self, input: u8, output: u8) -> usize {
        let output = usize::from(output);
        if self.is_switch() { output * self.slots() + usize::from(input) } else { output }
    }

    pub(crate) fn sl2vl_rows(&self) -> usize {
        if self.is_switch() { self.slots() * self.slots() } else { self.slots() }
    }

    pub(crate) fn fresh_sl2vl(&self, row: usize) -> [u8; 8] {
        let output = if self.is_switch() { row / self.slots() } else { row };
        power_on::sl2vl(self.port_caps(output as u8).vl_cap)
    }

    /// `block` is 1 to 4, as in the attribute modifier.
    pub(crate) fn vlarb_row(&self, port: u8, block: usize) -> usize {
        usize::from(port) * Self::VLARB_BLOCKS + block - 1
    }

    pub(crate) fn vlarb_rows(&self) -> usize {
        self.slots() * Self::VLARB_BLOCKS
    }

    pub(crate) fn fresh_vlarb(&self, row: usize) -> [u8; 64] {
        let (port, block) = self.vlarb_place(row);
        power_on::vlarb(block, self.port_caps(port as u8))
    }

    pub(crate) fn vlarb_place(&self, row: usize) -> (usize, usize) {
        (row / Self::VLARB_BLOCKS, row % Self::VLARB_BLOCKS + 1)
    }

    /// MFT blocks of each position.
    pub(crate) fn mft_blocks(&self) -> usize {
        usize::from(self.caps.switch.multicast_fdb_cap).div_ceil(Self::MLIDS)
    }

    /// Positions of the MFT: groups of 16 ports, port 0 included.
    pub(crate) fn mft_positions(&self) -> usize {
        usize::from(self.node().num_ports) / Self::MFT_PORTS + 1
    }

    pub(crate) fn mft_row(&self, block: usize, position: usize) -> usize {
        position * self.mft_blocks() + block
    }

    pub(crate) fn mft_rows(&self) -> usize {
        self.mft_positions() * self.mft_blocks()
    }

    pub(crate) fn fresh_mlnx(&self) -> [u8; 64] {
        power_on::mlnx_ext_port_info(&self.hardware()).to_data()
    }
}
