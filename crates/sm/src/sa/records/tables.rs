//! Records that hold a block of a table: SL2VL, VLArb, P_Keys, forwarding.

use lk_fabric::{NodeKind, PortId};
use lk_wire::sa::{
    LftRecord, MftRecord, PKeyRecord, SlToVlRecord, VlArbRecord, lft_mask, mft_mask, p_key_mask,
    sa_status, sl_to_vl_mask, vl_arb_mask,
};
use lk_wire::{
    LinearForwardingTable, MulticastForwardingTable, PKeyTable, PortState, SlToVlTable, SwitchInfo,
    VlArbTable,
};

use super::{Context, Found, end_ports, spoken_for};
use crate::observe::{MftBlock, Table};
use crate::sa::request::{Answer, Request};

/// P_Keys in a block.
const KEYS: u16 = PKeyTable::ENTRIES as u16;

/// What a block holds as far as that is known, else what it should hold.
fn block(context: &Context<'_>, table: Table, number: u16) -> Option<[u8; 64]> {
    let view = context.view();
    view.seen.tables.block(table, number).or_else(|| view.desired.block(table, number))
}

/// SubnAdmGet and SubnAdmGetTable of SLtoVLMappingTableRecord: for a switch one record for each
/// pair of its ports, for others one for each port. A mapping that nobody manages and nobody has
/// read shows as zeros, as in OpenSM.
pub(super) fn sl_to_vl(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: SlToVlRecord = request.record();
    let lid = request.has(sl_to_vl_mask::LID).then_some(asked.lid());
    let components = sl_to_vl_mask::COMPONENTS;
    let fabric = &context.view().seen.fabric;
    let mut found = Found::new::<SlToVlRecord>(context, request, components, sl_to_vl_mask::LID);
    for speaker in end_ports(context, lid) {
        let node = fabric.node(fabric.owner(speaker));
        let is_switch = node.kind == NodeKind::Switch;
        // The ports of an adapter have no numbers in this record, so none can be asked for.
        let ports = sl_to_vl_mask::IN_PORT | sl_to_vl_mask::OUT_PORT;
        found.mask =
            request.mask() & !sl_to_vl_mask::LID & if is_switch { u64::MAX } else { !ports };
        for out in spoken_for(context, speaker) {
            for ingress in 0..=if is_switch { u16::from(node.num_ports) } else { 0 } {
                let bytes = block(context, Table::Sl2vl(out), ingress).unwrap_or([0; 64]);
                let mut table = SlToVlTable::default();
                table.0.copy_from_slice(&bytes[..SlToVlTable::LEN]);
                let mut record = SlToVlRecord::default();
                record.set_lid(context.index().lid(speaker).0);
                if is_switch {
                    record.set_in_port(ingress as u8);
                    record.set_out_port(fabric.port_num(out).0);
                }
                record.set_table(&table);
                found.push(out, &record);
            }
        }
    }
    found.answer()
}

/// SubnAdmGet and SubnAdmGetTable of VLArbitrationTableRecord: four blocks for each port. One
/// that nobody manages and nobody has read shows as zeros, as in OpenSM.
pub(super) fn arbitration(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: VlArbRecord = request.record();
    let lid = request.has(vl_arb_mask::LID).then_some(asked.lid());
    let components = vl_arb_mask::COMPONENTS;
    let mut found = Found::new::<VlArbRecord>(context, request, components, vl_arb_mask::LID);
    for speaker in end_ports(context, lid) {
        for port in spoken_for(context, speaker) {
            for number in VlArbTable::LOW..=VlArbTable::HIGH_SECOND {
                let bytes = block(context, Table::VlArb(port), number.into()).unwrap_or([0; 64]);
                let mut record = VlArbRecord::default();
                record.set_lid(context.index().lid(speaker).0);
                record.set_port_num(context.view().seen.fabric.port_num(port).0);
                record.set_block(number);
                record.set_table(&VlArbTable(bytes));
                found.push(port, &record);
            }
        }
    }
    found.answer()
}

/// SubnAdmGet and SubnAdmGetTable of P_KeyTableRecord. Only for trusted askers (IBA 15.2.5.11).
pub(super) fn p_keys(context: &Context<'_>, request: &Request<'_>) -> Answer {
    if !request.trusted {
        return Answer::Refused(sa_status::REQ_INVALID);
    }
    let asked: PKeyRecord = request.record();
    let lid = request.has(p_key_mask::LID).then_some(asked.lid());
    let components = p_key_mask::COMPONENTS;
    let mut found = Found::new::<PKeyRecord>(context, request, components, p_key_mask::LID);
    for speaker in end_ports(context, lid) {
        for port in spoken_for(context, speaker) {
            for number in 0..key_blocks(context, port) {
                // Where switches face each other nobody enforces anything, or looks.
                let Some(bytes) = block(context, Table::PKeys(port), number) else { continue };
                let mut record = PKeyRecord::default();
                record.set_lid(context.index().lid(speaker).0);
                record.set_block(number);
                record.set_port_num(context.view().seen.fabric.port_num(port).0);
                record.set_table(&PKeyTable(bytes));
                if found.wants(port, &record) {
                    // OpenSM has the number in this record with its bytes swapped, and saquery
                    // reads it so.
                    record.set_block(number.swap_bytes());
                    found.records.push(&record);
                }
            }
        }
    }
    found.answer()
}

/// How many blocks of P_Keys a port has: by its node's capability, or by the switch's for the
/// enforcement at an external port.
fn key_blocks(context: &Context<'_>, port: PortId) -> u16 {
    let seen = &context.view().seen;
    let id = seen.fabric.owner(port);
    let keys = match seen.fabric.as_switch(id) {
        // Where nothing is plugged in there is nothing to enforce.
        Some(_) if seen.fabric.port_num(port).0 != 0 && seen.state(port) == PortState::DOWN => 0,
        Some(switch) if seen.fabric.port_num(port).0 != 0 => {
            seen.switch_info(switch).map_or(0, SwitchInfo::partition_enforcement_cap)
        }
        _ => seen.partition_cap[id.index()],
    };
    keys.div_ceil(KEYS)
}

/// SubnAdmGet and SubnAdmGetTable of LinearForwardingTableRecord, up to the highest LID in use.
pub(super) fn forwarding(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: LftRecord = request.record();
    let lid = request.has(lft_mask::LID).then_some(asked.lid());
    let mut found = Found::new::<LftRecord>(context, request, lft_mask::COMPONENTS, lft_mask::LID);
    let blocks = context.view().desired.lids.top().0 / LinearForwardingTable::ENTRIES as u16 + 1;
    let one = request.has(lft_mask::BLOCK).then_some(asked.block());
    for (port, switch) in context.switches(lid) {
        for number in (0..blocks).filter(|n| one.is_none_or(|one| one == *n)) {
            let Some(bytes) = block(context, Table::Lft(switch), number) else { continue };
            let mut record = LftRecord::default();
            record.set_lid(context.index().lid(port).0);
            record.set_block(number);
            record.set_table(&LinearForwardingTable(bytes));
            found.push(port, &record);
        }
    }
    found.answer()
}

/// SubnAdmGet and SubnAdmGetTable of MulticastForwardingTableRecord: the blocks in use, of switches
/// that forward any group.
pub(super) fn multicast(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: MftRecord = request.record();
    let lid = request.has(mft_mask::LID).then_some(asked.lid());
    let mut found = Found::new::<MftRecord>(context, request, mft_mask::COMPONENTS, mft_mask::LID);
    let desired = &context.view().desired;
    for (port, switch) in context.switches(lid) {
        let table = Table::Mft(switch);
        let managed = desired.multicast.managed(switch);
        let used = |code| block(context, table, code).is_some_and(|b| b != [0; 64]);
        if !(0..managed).any(used) {
            continue;
        }
        for code in 0..managed {
            if desired.block(table, code).is_none() {
                continue;
            }
            let Some(bytes) = block(context, table, code) else { continue };
            let at = MftBlock::of_code(code);
            let mut record = MftRecord::default();
            record.set_lid(context.index().lid(port).0);
            record.set_position(at.position);
            record.set_block(at.block);
            record.set_table(&MulticastForwardingTable(bytes));
            found.push(port, &record);
        }
    }
    found.answer()
}
