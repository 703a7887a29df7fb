//! PortInfoRecord.

use lk_wire::cap_mask::CAP_MASK2;
use lk_wire::sa::{PortInfoRecord, port_info_mask};

use super::{Context, Found, end_ports, spoken_for};
use crate::sa::request::{Answer, Request};

/// Bit 30 of the attribute modifier: the second capability mask of a port matches when it has at
/// least the bits that are asked for.
const MATCH_CAPABILITIES2: u32 = 1 << 30;

/// SubnAdmGet and SubnAdmGetTable of PortInfoRecord: one record for each port. Only a trusted
/// asker sees an M_Key, and nobody else may find one out by asking for it.
pub(super) fn ports(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: PortInfoRecord = request.record();
    let want = asked.info();
    let modifier = request.header.attr_modifier();
    let at_least = modifier & PortInfoRecord::MATCH_CAPABILITIES != 0;
    let at_least2 = modifier & MATCH_CAPABILITIES2 != 0;
    let mut done = port_info_mask::LID | port_info_mask::OPTIONS;
    if at_least {
        done |= port_info_mask::CAPABILITY_MASK;
    }
    if at_least2 {
        done |= port_info_mask::CAPABILITY_MASK2;
    }
    let lid = request.has(port_info_mask::LID).then_some(asked.lid());
    let has = |component, given| (request.has(component) && given).then_some(());
    let mask = has(port_info_mask::CAPABILITY_MASK, at_least).map(|()| want.capability_mask());
    let mask2 = has(port_info_mask::CAPABILITY_MASK2, at_least2).map(|()| want.capability_mask2());
    let components = port_info_mask::COMPONENTS;
    let mut found = Found::new::<PortInfoRecord>(context, request, components, done);
    let view = context.view();
    for speaker in end_ports(context, lid) {
        let lid = context.index().lid(speaker);
        for port in spoken_for(context, speaker) {
            let Some(mut info) = view.seen.port_info(port).copied() else { continue };
            let has_mask2 = info.capability_mask() & CAP_MASK2 != 0;
            if mask.is_some_and(|m| info.capability_mask() & m != m)
                || mask2.is_some_and(|m| !has_mask2 || info.capability_mask2() & m != m)
            {
                continue;
            }
            if !request.trusted {
                info.set_m_key(0);
            }
            // A command to the port that it may echo, and nothing that it holds.
            info.set_client_reregister(0);
            let mut record = PortInfoRecord::default();
            record.set_lid(lid.0);
            record.set_port_num(view.seen.fabric.port_num(port).0);
            record.set_options(if request.has(port_info_mask::OPTIONS) {
                asked.options()
            } else {
                0
            });
            record.set_info(&info);
            found.push(port, &record);
        }
    }
    found.answer()
}
