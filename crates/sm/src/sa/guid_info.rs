//! GuidInfoRecord: looking at alias GUIDs, asking for them and giving them back.

use lk_fabric::PortId;
use lk_wire::sa::{GuidInfoRecord, guid_info_mask, matches, sa_status};
use lk_wire::{Guid, Lid, PortInfo, Status, method};

use super::aliases::BLOCK;
use super::request::{Answer, Records, Request};
use super::{Aliases, Context, Served};

/// SubnAdmGet and SubnAdmGetTable of GuidInfoRecord: the blocks of each end port's table.
#[must_use]
pub fn query(context: &Context<'_>, request: &Request<'_>) -> Answer {
    let asked: GuidInfoRecord = request.record();
    let index = context.index();
    let mut found = Records::none::<GuidInfoRecord>();
    let mask = request.mask() & !guid_info_mask::LID;
    let ports = match request.has(guid_info_mask::LID) {
        true => index.port_by_lid(Lid(asked.lid())).into_iter().collect(),
        false => index.end_ports().to_vec(),
    };
    let blocks = |port| 0..capacity(context.served, port).div_ceil(BLOCK).min(256);
    for port in ports.into_iter().filter(|p| index.partitions().share(request.requester, *p)) {
        for block in blocks(port) {
            let record = record(context.served, context.aliases, port, block as u8);
            if matches(guid_info_mask::COMPONENTS, mask, request.data, &record.0) {
                found.push(&record);
            }
        }
    }
    found.into()
}

fn record(served: &Served, aliases: &Aliases, port: PortId, block: u8) -> GuidInfoRecord {
    let mut record = GuidInfoRecord::default();
    record.set_lid(served.index.lid(port).0);
    record.set_block(block);
    record.set_table(&aliases.block(served.view.seen.fabric.port(port).guid, block));
    record
}

/// How many GUIDs a port has room for.
fn capacity(served: &Served, port: PortId) -> usize {
    served.view.seen.port_info(port).map_or(0, |info| usize::from(PortInfo::guid_cap(info)))
}

/// SubnAdmSet and SubnAdmDelete of GuidInfoRecord. The GUIDs of the component mask count; one
/// that the port has no room for, or that somebody else has, stays as it was, and the answer shows
/// the block as it is then.
pub fn change(served: &Served, aliases: &mut Aliases, request: &Request<'_>) -> Answer {
    let asked: GuidInfoRecord = request.record();
    if !request.has(guid_info_mask::LID | guid_info_mask::BLOCK) {
        return Answer::Refused(sa_status::INSUFFICIENT_COMPONENTS);
    }
    let index = &served.index;
    let Some(port) = index.port_by_lid(Lid(asked.lid())) else {
        return Answer::Refused(sa_status::NO_RECORDS);
    };
    if !index.partitions().share(request.requester, port) {
        return Answer::Refused(sa_status::NO_RECORDS);
    }
    let (block, room) = (asked.block(), capacity(served, port));
    if usize::from(block) >= room.div_ceil(BLOCK) {
        return Answer::Refused(sa_status::NO_RECORDS);
    }
    if block == 0 && request.has(guid_info_mask::GUID_0) {
        // The first is the hardware's.
        return Answer::Refused(sa_status::REQ_INVALID);
    }
    let own = served.view.seen.fabric.port(port).guid;
    let is_port = |guid: Guid| index.port_by_guid(guid).is_some();
    let wanted = asked.table();
    for (number, guid) in wanted.iter().enumerate() {
        let at = usize::from(block) * BLOCK + number;
        if !request.has(guid_info_mask::GUID_0 << number) || at >= room {
            continue;
        }
        if request.method() == method::DELETE {
            aliases.take(own, at);
        } else {
            aliases.give(own, at, guid, is_port);
        }
    }
    Answer::one(&record(served, aliases, port, block))
}

/// Any request about GuidInfoRecord.
pub fn answer(context: &Context<'_>, request: &Request<'_>) -> Option<Answer> {
    match request.method() {
        method::GET | method::GET_TABLE => Some(query(context, request)),
        method::SET | method::DELETE => None,
        _ => Some(Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED)),
    }
}
