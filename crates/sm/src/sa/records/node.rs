//! NodeRecord, SwitchInfoRecord and SMInfoRecord.

use lk_fabric::{NodeId, NodeKind, PortId};
use lk_wire::sa::{
    NodeRecord, SmInfoRecord, SwitchInfoRecord, node_mask, sm_info_mask, switch_info_mask,
};
use lk_wire::{Guid, Lid, NodeDescription, NodeInfo, NodeType, SmInfo};

use super::{Context, Found};
use crate::event::SmState;
use crate::sa::request::{Answer, Request};

/// SubnAdmGet and SubnAdmGetTable of NodeRecord: one record for each end port.
pub(super) fn nodes(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: NodeRecord = request.record();
    let mut found =
        Found::new::<NodeRecord>(context, request, node_mask::COMPONENTS, node_mask::LID);
    let index = context.index();
    let fabric = &context.view().seen.fabric;
    if request.has(node_mask::LID) {
        if let Some(port) = index.port_by_lid(Lid(asked.lid())) {
            node(context, port, &mut found);
        }
    } else if request.has(node_mask::PORT_GUID) {
        if let Some(port) = index.port_by_guid(Guid(asked.info().port_guid())) {
            node(context, port, &mut found);
        }
    } else if request.has(node_mask::NODE_GUID) {
        if let Some(id) = fabric.node_by_guid(Guid(asked.info().node_guid())) {
            ends_of(context, id, &mut found);
        }
    } else {
        for id in index.nodes() {
            ends_of(context, *id, &mut found);
        }
    }
    found.answer()
}

fn ends_of(context: &Context<'_>, id: NodeId, found: &mut Found<'_, '_>) {
    let node = context.view().seen.fabric.node(id);
    let ports = match node.kind {
        NodeKind::Switch => node.first.0..=node.first.0,
        _ => node.first.0 + 1..=node.first.0 + u32::from(node.num_ports),
    };
    for port in ports.map(PortId).filter(|p| context.index().lid(*p).is_unicast()) {
        self::node(context, port, found);
    }
}

fn node(context: &Context<'_>, port: PortId, found: &mut Found<'_, '_>) {
    let seen = &context.view().seen;
    let id = seen.fabric.owner(port);
    let node = seen.fabric.node(id);
    let kind = match node.kind {
        NodeKind::Ca => NodeType::CA,
        NodeKind::Switch => NodeType::SWITCH,
        NodeKind::Router => NodeType::ROUTER,
    };
    let mut info = NodeInfo::default();
    info.set_base_version(1);
    info.set_class_version(1);
    info.set_node_type(kind.0);
    info.set_num_ports(node.num_ports);
    info.set_system_image_guid(node.system_guid.0);
    info.set_node_guid(node.guid.0);
    info.set_port_guid(seen.fabric.port(port).guid.0);
    info.set_partition_cap(seen.partition_cap[id.index()]);
    info.set_device_id(node.device_id);
    info.set_revision(node.revision);
    info.set_local_port_num(seen.fabric.port_num(port).0);
    info.set_vendor_id(node.vendor_id);
    let mut record = NodeRecord::default();
    record.set_lid(context.index().lid(port).0);
    record.set_info(&info);
    record.set_description(&NodeDescription::from_text(&node.description));
    found.push(port, &record);
}

/// SubnAdmGet and SubnAdmGetTable of SwitchInfoRecord.
pub(super) fn switches(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: SwitchInfoRecord = request.record();
    let lid = request.has(switch_info_mask::LID).then_some(asked.lid());
    let components = switch_info_mask::COMPONENTS;
    let done = switch_info_mask::LID;
    let mut found = Found::new::<SwitchInfoRecord>(context, request, components, done);
    for (port, switch) in context.switches(lid) {
        if let Some(info) = context.view().seen.switch_info(switch) {
            let mut record = SwitchInfoRecord::default();
            record.set_lid(context.index().lid(port).0);
            record.set_info(info);
            found.push(port, &record);
        }
    }
    found.answer()
}

/// SubnAdmGet and SubnAdmGetTable of SMInfoRecord. Nobody is told the SM_Key, or may find it out
/// by asking for one after the other.
pub(super) fn managers(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: SmInfoRecord = request.record();
    let lid = request.has(sm_info_mask::LID).then_some(Lid(asked.lid()));
    let not_compared = sm_info_mask::LID | sm_info_mask::SM_KEY | sm_info_mask::ACT_COUNT;
    let components = sm_info_mask::COMPONENTS;
    let mut found = Found::new::<SmInfoRecord>(context, request, components, not_compared);
    let seen = &context.view().seen;
    let mut own = SmInfo::default();
    own.set_guid(seen.fabric.port(seen.sm_port).guid.0);
    own.set_act_count(context.activity);
    own.set_priority(context.view().settings.options.sm_priority & 0xF);
    own.set_sm_state(SmState::Master.code());
    let all = std::iter::once((seen.sm_port, own)).chain(seen.other_sms.iter().copied());
    for (port, mut info) in all {
        let at = context.index().lid(port);
        if lid.is_some_and(|lid| context.index().port_by_lid(lid) != Some(port)) {
            continue;
        }
        info.set_sm_key(0);
        let mut record = SmInfoRecord::default();
        record.set_lid(at.0);
        record.set_info(&info);
        found.push(port, &record);
    }
    found.answer()
}
