//! What is asked of a subnet administration, and what its answers mean.

use anyhow::anyhow;
use lk_audit::explain::{Answer, Answered, Group, Question, Spot};
use lk_wire::sa::{
    MCMemberRecord, PathRecord, Record, SaHeader, member_mask, path_mask, sa_status,
};
use lk_wire::{Gid, Guid, Lid, Mtu, PKey, Rate, Sl, Status, method};

use crate::failure::Failure;

/// The status of an answer, and its first record if it has one.
pub(super) type Reply = (Status, Option<Vec<u8>>);

/// Somebody who can be asked.
pub(super) trait Administration {
    /// Sends a request in the name of the port with this LID; `None` where nobody answers.
    fn ask(&mut self, from: Lid, request: &[u8]) -> Option<Reply>;

    /// Why there is no path, after an answer without one.
    fn why_no_path(&self, question: &Question, ends: (Spot, Spot)) -> String;
}

/// The path that a host is answered, or why there is none.
pub(super) fn path(
    sa: &mut dyn Administration,
    question: &Question,
    (from, to): (Spot, Spot),
) -> Answer {
    let mut record = PathRecord::default();
    record.set_slid(from.lid.0);
    record.set_dlid(to.lid.0);
    record.set_numb_path(1);
    let mut mask = path_mask::SLID | path_mask::DLID | path_mask::NUMB_PATH;
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
    match sa.ask(from.lid, &request(method::GET, mask, &record)) {
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
            Answer::NoPath(sa.why_no_path(question, (from, to)))
        }
        Some((status, _)) => Answer::NoPath(format!("the request is refused: {status}")),
    }
}

/// The GID of a group as somebody writes it.
///
/// # Errors
/// It is none.
pub(super) fn mgid(word: &str) -> Result<Gid, Failure> {
    let address: std::net::Ipv6Addr = word.parse().map_err(|_| {
        anyhow!("--mgid {word}: a GID is wanted, such as ff12:401b:ffff::ffff:ffff")
    })?;
    let number = u128::from(address);
    let mgid = Gid { prefix: (number >> 64) as u64, guid: Guid(number as u64) };
    match mgid.prefix >> 56 {
        0xFF => Ok(mgid),
        _ => Err(anyhow!("--mgid {word}: the GID of a group begins with ff").into()),
    }
}

/// Has both ends join a group, as hosts that speak in it do.
pub(super) fn join_both(
    sa: &mut dyn Administration,
    mgid: Gid,
    ends: [(Lid, Gid, &str); 2],
) -> Group {
    let mut group = Group { mgid: Some(mgid), mlid: None, params: None, refused: None };
    for (lid, gid, end) in ends {
        match join(sa, mgid, lid, gid) {
            Ok(record) => take(&mut group, &record),
            Err(status) => {
                group.refused = Some(format!(
                    "the {end} may not join it ({status}): it does not exist, or asks for another \
                     P_Key, MTU or rate than the port has"
                ));
                break;
            }
        }
    }
    group
}

/// A group as it is, without a change to it.
pub(super) fn look_at(sa: &mut dyn Administration, from: Lid, mgid: Gid) -> Group {
    let mut group = Group { mgid: Some(mgid), mlid: None, params: None, refused: None };
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    match sa.ask(from, &request(method::GET, member_mask::MGID, &record)) {
        Some((Status(0), Some(bytes))) => take(&mut group, &MCMemberRecord::read(&bytes)),
        Some((status, _)) => {
            group.refused = Some(format!("the subnet administration has no such group ({status})"));
        }
        None => group.refused = Some("the subnet administration does not answer".to_owned()),
    }
    group
}

fn take(group: &mut Group, record: &MCMemberRecord) {
    group.mlid = Some(Lid(record.mlid()));
    let (key, sl) = (PKey(record.pkey()), Sl(record.sl()));
    group.params = Some((key, sl, Mtu(record.mtu()), Rate(record.rate())));
}

fn join(
    sa: &mut dyn Administration,
    mgid: Gid,
    lid: Lid,
    gid: Gid,
) -> Result<MCMemberRecord, Status> {
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    record.set_port_gid(gid);
    record.set_join_state(1);
    let mask = member_mask::MGID | member_mask::PORT_GID | member_mask::JOIN_STATE;
    match sa.ask(lid, &request(method::SET, mask, &record)) {
        Some((Status(0), Some(bytes))) => Ok(MCMemberRecord::read(&bytes)),
        Some((status, _)) => Err(status),
        None => Err(Status::METHOD_UNSUPPORTED),
    }
}

/// A request in one datagram.
fn request<R: Record>(method: u8, mask: u64, record: &R) -> Vec<u8> {
    let mut header = SaHeader::request(method, R::ID, 1);
    header.set_component_mask(mask);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(record.bytes());
    bytes.resize(lk_wire::MAD_LEN, 0);
    bytes
}
