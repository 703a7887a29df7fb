//! What the nodes hold, for tests and reports: without a datagram, a key or a route.

use lk_fabric::{NodeId, PortId, SwitchId};
use lk_wire::{
    Attribute, GuidInfo, Lid, LinearForwardingTable, MlnxExtPortInfo, MulticastForwardingTable,
    NodeDescription, PKeyTable, PortInfo, PortNum, SlToVlTable, SwitchInfo, VlArbTable,
};

use crate::node::SwitchState;
use crate::rows::NO_PORT;
use crate::sim_fabric::SimFabric;

impl SimFabric {
    /// Whether a node has power.
    #[must_use]
    pub fn is_alive(&self, node: NodeId) -> bool {
        self.nodes[node.index()].alive
    }

    /// PortInfo of a port. LocalPortNum is 0: it depends on who asks.
    #[must_use]
    pub fn port_info(&self, port: PortId) -> &PortInfo {
        &self.ports[port.index()]
    }

    /// SwitchInfo of a switch.
    #[must_use]
    pub fn switch_info(&self, switch: SwitchId) -> SwitchInfo {
        self.switch_state(switch).map(|s| s.info).unwrap_or_default()
    }

    /// NodeDescription of a node.
    #[must_use]
    pub fn description(&self, node: NodeId) -> NodeDescription {
        let renamed = self.nodes[node.index()].renamed.as_deref();
        NodeDescription::from_text(renamed.unwrap_or(&self.fabric.node(node).description))
    }

    /// The egress port that a switch has for a LID; 255 is none. LinearFDBTop is not looked at.
    #[must_use]
    pub fn lft(&self, switch: SwitchId, lid: Lid) -> PortNum {
        PortNum(self.switch_state(switch).map_or(NO_PORT, |s| s.lft.port(lid.0)))
    }

    /// A block of 64 LIDs of a switch's linear forwarding table.
    #[must_use]
    pub fn lft_block(&self, switch: SwitchId, block: u16) -> LinearForwardingTable {
        let block = self.switch_state(switch).and_then(|s| s.lft.block(usize::from(block)));
        LinearForwardingTable(block.copied().unwrap_or([NO_PORT; 64]))
    }

    /// A block of a switch's multicast forwarding table.
    #[must_use]
    pub fn mft_block(
        &self,
        switch: SwitchId,
        position: u8,
        block: u16,
    ) -> MulticastForwardingTable {
        let plan = self.plan(self.fabric.switch_node(switch));
        let (position, block) = (usize::from(position), usize::from(block));
        let exists = position < plan.mft_positions() && block < plan.mft_blocks();
        let rows = self.switch_state(switch).map(|s| &s.mft).filter(|_| exists);
        let row = rows.and_then(|r| r.get(plan.mft_row(block, position)));
        MulticastForwardingTable(row.copied().unwrap_or([0; 64]))
    }

    /// The SL2VL table of a switch for packets from `input` to `output`; of an adapter's port
    /// `output`.
    #[must_use]
    pub fn sl2vl(&self, node: NodeId, input: PortNum, output: PortNum) -> SlToVlTable {
        let plan = self.plan(node);
        let row = plan.sl2vl_row(input.0, output.0);
        let stored = self.nodes[node.index()].sl2vl.get(row).copied();
        SlToVlTable(stored.unwrap_or_else(|| plan.fresh_sl2vl(row)))
    }

    /// A block, 1 to 4, of a port's VL arbitration tables.
    #[must_use]
    pub fn vlarb(&self, port: PortId, block: u8) -> VlArbTable {
        let node = self.fabric.owner(port);
        let plan = self.plan(node);
        let row = plan.vlarb_row(self.wiring.number(port), usize::from(block.clamp(1, 4)));
        let stored = self.nodes[node.index()].vlarb.get(row).copied();
        VlArbTable(stored.unwrap_or_else(|| plan.fresh_vlarb(row)))
    }

    /// A block of a port's P_Key table; zeros beyond its end.
    #[must_use]
    pub fn pkeys(&self, port: PortId, block: u16) -> PKeyTable {
        let node = self.fabric.owner(port);
        let plan = self.plan(node);
        let (number, block) = (self.wiring.number(port), usize::from(block));
        if block * PKeyTable::ENTRIES >= plan.pkey_cap(number) {
            return PKeyTable::default();
        }
        let row = plan.pkey_row(number, block);
        let stored = self.nodes[node.index()].pkeys.get(row).copied();
        PKeyTable(stored.unwrap_or_else(|| plan.fresh_pkeys(row)))
    }

    /// A block of a port's GUIDInfo; zeros beyond its end.
    #[must_use]
    pub fn guids(&self, port: PortId, block: u8) -> GuidInfo {
        let node = self.fabric.owner(port);
        let plan = self.plan(node);
        let number = self.wiring.number(port);
        if usize::from(block) * GuidInfo::ENTRIES >= usize::from(plan.port_caps(number).guid_cap) {
            return GuidInfo::default();
        }
        let row = plan.guid_row(number, usize::from(block));
        let stored = self.nodes[node.index()].guids.get(row).copied();
        GuidInfo(stored.unwrap_or_else(|| plan.fresh_guids(row)))
    }

    /// MlnxExtPortInfo of a port, where its node has it.
    #[must_use]
    pub fn mlnx_ext_port_info(&self, port: PortId) -> Option<MlnxExtPortInfo> {
        let node = self.fabric.owner(port);
        let plan = self.plan(node);
        let row = self.nodes[node.index()].mlnx.get(usize::from(self.wiring.number(port)));
        let row = row.copied().unwrap_or_else(|| plan.fresh_mlnx());
        plan.has_mlnx().then(|| MlnxExtPortInfo::from_data(&row))
    }

    /// Whether the link of a port is up.
    #[must_use]
    pub fn is_link_up(&self, port: PortId) -> bool {
        self.wiring.far_end(port).is_some()
    }

    fn switch_state(&self, switch: SwitchId) -> Option<&SwitchState> {
        self.nodes[self.fabric.switch_node(switch).index()].switch.as_deref()
    }
}
