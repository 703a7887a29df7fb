//! What attributes hold right after power-on, as pure functions of the graph and the capabilities.

use lk_fabric::{Fabric, LinkRate, Node, NodeId, NodeKind};
use lk_wire::{
    Guid, GuidInfo, Lid, MlnxExtPortInfo, NodeInfo, NodeType, PKey, PKeyTable, PhysState, PortInfo,
    PortNum, PortState, Sl, SlToVlTable, SwitchInfo, Vl, VlArbEntry, VlArbTable, VlCode, cap_mask,
};

use crate::options::{NodeCaps, PortCaps, SwitchCaps};
use crate::rate::{Ceiling, Hardware};

/// The subnet prefix that a port has before a subnet manager gives it another (IBA 4.1.1).
const DEFAULT_PREFIX: u64 = 0xfe80 << 48;
/// SubnetTimeOut at power-on: 4.096 µs · 2^18, about a second.
const SUBNET_TIMEOUT: u8 = 18;
/// RespTimeValue: 4.096 µs · 2^16, about a quarter of a second.
const RESPONSE_TIME: u8 = 16;
/// LinkDownDefaultState: a port that goes down polls for its far end.
pub(crate) const POLLING: u8 = 2;

/// The GUID of a port. A port of an adapter without a known GUID has the node's plus the port's
/// number, the way vendors count.
pub(crate) fn port_guid(fabric: &Fabric, node: NodeId, number: u8) -> Guid {
    let n = fabric.node(node);
    let known = fabric.port_at(node, PortNum(number)).map_or(Guid(0), |p| fabric.port(p).guid);
    match n.kind {
        NodeKind::Switch => n.guid,
        _ if known != Guid(0) => known,
        _ => Guid(n.guid.0.wrapping_add(u64::from(number))),
    }
}

/// NodeInfo as the port `number` answers it.
pub(crate) fn node_info(node: &Node, caps: &NodeCaps, port_guid: Guid, number: u8) -> NodeInfo {
    let mut info = NodeInfo::default();
    info.set_base_version(1);
    info.set_class_version(1);
    info.set_node_type(
        match node.kind {
            NodeKind::Ca => NodeType::CA,
            NodeKind::Switch => NodeType::SWITCH,
            NodeKind::Router => NodeType::ROUTER,
        }
        .0,
    );
    info.set_num_ports(node.num_ports);
    info.set_system_image_guid(node.system_guid.0);
    info.set_node_guid(node.guid.0);
    info.set_port_guid(port_guid.0);
    info.set_partition_cap(caps.partition_cap);
    info.set_device_id(node.device_id);
    info.set_revision(node.revision);
    info.set_local_port_num(number);
    info.set_vendor_id(node.vendor_id);
    info
}

/// SwitchInfo.
pub(crate) fn switch_info(node: &Node, caps: &SwitchCaps) -> SwitchInfo {
    let mut info = SwitchInfo::default();
    info.set_linear_fdb_cap(caps.linear_fdb_cap.min(Lid::MAX_UNICAST.0 + 1));
    info.set_multicast_fdb_cap(caps.multicast_fdb_cap);
    info.set_partition_enforcement_cap(caps.partition_enforcement_cap);
    let enforces = u8::from(caps.partition_enforcement_cap > 0);
    info.set_inbound_enforcement_cap(enforces);
    info.set_outbound_enforcement_cap(enforces);
    info.set_filter_raw_inbound_cap(1);
    info.set_filter_raw_outbound_cap(1);
    info.set_optimized_sl2vl(caps.optimized_sl2vl);
    info.set_enhanced_port0(u8::from(node.enhanced_port0));
    // The links have come up since power-on.
    info.set_port_state_change(1);
    info
}

/// PortInfo of port `number` before its link is up. Port 0 of a switch has no link and is ACTIVE
/// at once.
pub(crate) fn port_info(kind: NodeKind, number: u8, caps: &PortCaps, hw: &Hardware) -> PortInfo {
    let mut info = PortInfo::default();
    let external = kind != NodeKind::Switch || number != 0;
    let end_port = kind != NodeKind::Switch || number == 0;
    let mut mask = caps.capability_mask & !cap_mask::IS_SM;
    if end_port {
        info.set_gid_prefix(DEFAULT_PREFIX);
        info.set_subnet_timeout(SUBNET_TIMEOUT);
        info.set_resp_time_value(RESPONSE_TIME);
        info.set_guid_cap(caps.guid_cap);
        if hw.speeds_ext != 0 {
            mask |= cap_mask::EXTENDED_SPEEDS;
        }
    }
    info.set_capability_mask(mask);
    info.set_capability_mask2(caps.capability_mask2);
    info.set_link_width_supported(hw.widths);
    info.set_link_width_enabled(hw.widths);
    info.set_link_speed_supported(hw.speeds);
    info.set_link_speed_enabled(hw.speeds);
    info.set_link_speed_ext_supported(hw.speeds_ext);
    info.set_link_speed_ext_enabled(hw.speeds_ext);
    info.set_link_down_default_state(POLLING);
    info.set_mtu_cap(caps.mtu_cap.0);
    info.set_neighbor_mtu(caps.neighbor_mtu.0);
    info.set_vl_cap(caps.vl_cap.0);
    info.set_oper_vls(caps.oper_vls.unwrap_or(caps.vl_cap).0);
    info.set_vl_arb_high_cap(caps.vl_arb_high_cap);
    info.set_vl_arb_low_cap(caps.vl_arb_low_cap);
    if external {
        info.set_port_state(PortState::DOWN.0);
        info.set_port_physical_state(PhysState::POLLING.0);
    } else {
        info.set_port_state(PortState::ACTIVE.0);
        info.set_port_physical_state(PhysState::LINK_UP.0);
        let inner = hw.negotiate(hw, &Ceiling::new(LinkRate::default())).unwrap_or_default();
        info.set_link_width_active(inner.width);
        info.set_link_speed_active(inner.speed);
    }
    info
}

/// MlnxExtPortInfo of a port.
pub(crate) fn mlnx_ext_port_info(hw: &Hardware) -> MlnxExtPortInfo {
    let mut info = MlnxExtPortInfo::default();
    let speeds = if hw.fdr10 { MlnxExtPortInfo::FDR10 } else { 0 };
    info.set_link_speed_supported(speeds);
    info.set_link_speed_enabled(speeds);
    info
}

/// A block of the P_Key table: the default key with full membership, and nothing else.
pub(crate) fn pkeys(block: usize) -> [u8; 64] {
    let first = (block == 0).then_some(PKey::DEFAULT_FULL);
    first.into_iter().collect::<PKeyTable>().0
}

/// A block of GUIDInfo: the port's own GUID, and nothing else.
pub(crate) fn guids(block: usize, own: Guid) -> [u8; 64] {
    let mut info = GuidInfo::default();
    if block == 0 {
        info.set_guid_0(own.0);
    }
    info.0
}

/// SLtoVLMappingTable: the SLs go round the data lanes that the port has.
pub(crate) fn sl2vl(vl_cap: VlCode) -> [u8; 8] {
    let lanes = vl_cap.data_vls().max(1);
    SlToVlTable::from_fn(|Sl(sl)| Vl(sl % lanes)).0
}

/// A block (1 to 4) of VLArbitrationTable: every data lane once in the low-priority table with
/// the least weight, as far as the table goes, and an empty high-priority table.
pub(crate) fn vlarb(block: usize, caps: &PortCaps) -> [u8; 64] {
    if block != usize::from(VlArbTable::LOW) {
        return [0; 64];
    }
    let lanes = caps.vl_cap.data_vls().min(caps.vl_arb_low_cap);
    (0..lanes).map(|vl| VlArbEntry { vl: Vl(vl), weight: 1 }).collect::<VlArbTable>().0
}
