//! What a host asks the subnet administration of a simulated fabric.

use std::sync::Arc;

use anyhow::anyhow;
use lk_audit::explain::{Answer, Answered, Group, Question, Spot};
use lk_sm::{GsiAddress, Output};
use lk_wire::sa::{
    MCMemberRecord, Message, PathRecord, Record, SaHeader, member_mask, path_mask, sa_status,
};
use lk_wire::{Gid, Guid, Lid, Mtu, PKey, Rate, Sl, Status, method};

use super::no_path;
use super::simulated::Up;
use crate::failure::Failure;

/// The path that a host is answered, or why there is none.
pub(super) fn path(up: &mut Up, question: &Question, (from, to): (Spot, Spot)) -> Answer {
    let mut record = PathRecord::default();
    record.set_slid(from.lid.0);
    record.set_dlid(to.lid.0);
    let mut mask = path_mask::SLID | path_mask::DLID;
    if let Some(id) = question.service_id {
        record.set_service_id(id);
        mask |= path_mask::SERVICE_ID_MSB | path_mask::SERVICE_ID_LSB;
    }
    if let Some(key) = question.pkey {
        record.set_pkey(key.0);
        mask |= path_mask::PKEY;
    }
    if let Some(class) = question.qos_class {
        record.set_qos_class(class);
        mask |= path_mask::QOS_CLASS;
    }
    if let Some(sl) = question.sl {
        record.set_sl(sl.0);
        mask |= path_mask::SL;
    }
    match ask(up, from.lid, method::GET, mask, &record) {
        None => Answer::NoPath("the subnet administration does not answer".to_owned()),
        Some((Status(0), Some(bytes))) => {
            let record = PathRecord::read(&bytes);
            Answer::Path(Answered {
                sl: Sl(record.sl()),
                mtu: Mtu(record.mtu()),
                rate: Rate(record.rate()),
                life: record.life(),
                pkey: PKey(record.pkey()),
                reversible: record.reversible() != 0,
            })
        }
        Some((status, _)) if status == sa_status::NO_RECORDS || status == Status(0) => {
            Answer::NoPath(no_path::why(&up.view, question, (from, to)))
        }
        Some((status, _)) => Answer::NoPath(format!("the request is refused: {status}")),
    }
}

/// Has both ends join a group, as hosts that speak in it do, and waits for its tree.
///
/// # Errors
/// The word is no GID of a group.
pub(super) fn group(up: &mut Up, word: &str, lids: (Lid, Lid)) -> Result<Group, Failure> {
    let address: std::net::Ipv6Addr = word.parse().map_err(|_| {
        anyhow!("--mgid {word}: a GID is wanted, such as ff12:401b:ffff::ffff:ffff")
    })?;
    let number = u128::from(address);
    let mgid = Gid { prefix: (number >> 64) as u64, guid: Guid(number as u64) };
    if mgid.prefix >> 56 != 0xFF {
        return Err(anyhow!("--mgid {word}: the GID of a group begins with ff").into());
    }
    let mut group = Group { mgid: Some(mgid), mlid: None, params: None, refused: None };
    for (lid, end) in [(lids.0, "source"), (lids.1, "destination")] {
        match join(up, mgid, lid) {
            Ok(record) => {
                group.mlid = Some(Lid(record.mlid()));
                let (key, sl) = (PKey(record.pkey()), Sl(record.sl()));
                group.params = Some((key, sl, Mtu(record.mtu()), Rate(record.rate())));
            }
            Err(status) => {
                let why = format!(
                    "the {end} may not join it ({status}): it does not exist, or asks for another \
                     P_Key, MTU or rate than the port has"
                );
                group.refused = Some(why);
                break;
            }
        }
    }
    up.settle(10);
    Ok(group)
}

fn join(up: &mut Up, mgid: Gid, lid: Lid) -> Result<MCMemberRecord, Status> {
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    let served = lk_sm::sa::Served::new(Arc::clone(&up.view));
    let port = served.index.port_by_lid(lid).ok_or(sa_status::REQ_INVALID)?;
    record.set_port_gid(served.gid(port));
    record.set_join_state(1);
    let mask = member_mask::MGID | member_mask::PORT_GID | member_mask::JOIN_STATE;
    match ask(up, lid, method::SET, mask, &record) {
        Some((Status(0), Some(bytes))) => Ok(MCMemberRecord::read(&bytes)),
        Some((status, _)) => Err(status),
        None => Err(Status::METHOD_UNSUPPORTED),
    }
}

/// A request of a host; gives the status and the first record of the answer.
fn ask<R: Record>(
    up: &mut Up,
    from: Lid,
    method: u8,
    mask: u64,
    record: &R,
) -> Option<(Status, Option<Vec<u8>>)> {
    let mut header = SaHeader::request(method, R::ID, 1);
    header.set_component_mask(mask);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(record.bytes());
    bytes.resize(256, 0);
    up.world.message(GsiAddress { lid: from, qp: 1, ..GsiAddress::default() }, &bytes);
    let mut answer = None;
    let now = up.world.now();
    up.world.drive(now, &mut |output| {
        if let Output::Gmp(message) = output {
            answer = Some(message.bytes);
        }
    });
    let answer = answer?;
    let message = Message::parse(&answer).ok()?;
    let record = (message.data.len() >= record.bytes().len()).then(|| message.data.to_vec());
    Some((Status(message.header.status()), record))
}
