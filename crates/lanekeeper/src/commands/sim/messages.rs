//! Messages between a program's buffers and the simulated kernel.

use lk_sim::kernel::{Fate, Message};
use lk_sim::{Address, Grh};
use lk_umad_standin::user_mad::{HEADER, UserMad};
use lk_wire::{Gid, Guid, Lid, Sl};

/// The error number of a request that nobody has answered.
const ETIMEDOUT: u32 = 110;

/// A message from a program: its header and its bytes. `None`: it has no whole header.
pub(super) fn from_program(body: &[u8]) -> Option<(UserMad, Address, &[u8])> {
    let (header, bytes) = body.split_first_chunk()?;
    let header = UserMad::read(header);
    let grh = header.grh.map(|(hop_limit, traffic_class, flow_label)| Grh {
        gid: gid(&header.gid),
        gid_index: header.gid_index,
        hop_limit,
        traffic_class,
        flow_label,
    });
    let to = Address {
        lid: Lid(header.lid),
        qp: header.qpn,
        q_key: header.qkey,
        sl: Sl(header.sl),
        path_bits: header.path_bits,
        pkey_index: header.pkey_index,
        grh,
    };
    Some((header, to, bytes))
}

/// A message for a program.
pub(super) fn for_program(message: &Message) -> Vec<u8> {
    let from = &message.from;
    let grh = from.grh.map(|grh| (grh.hop_limit, grh.traffic_class, grh.flow_label));
    let mut bytes = [0; 16];
    if let Some(grh) = from.grh {
        bytes[..8].copy_from_slice(&grh.gid.prefix.to_be_bytes());
        bytes[8..].copy_from_slice(&grh.gid.guid.0.to_be_bytes());
    }
    let header = UserMad {
        agent: message.agent.into(),
        status: if message.fate == Fate::TimedOut { ETIMEDOUT } else { 0 },
        timeout: 0,
        retries: 0,
        length: (HEADER + message.bytes.len()) as u32,
        qpn: from.qp,
        qkey: from.q_key,
        lid: from.lid.0,
        sl: from.sl.0,
        path_bits: from.path_bits,
        grh,
        gid_index: from.grh.map_or(0, |grh| grh.gid_index),
        gid: bytes,
        pkey_index: from.pkey_index,
    };
    let mut body = header.bytes().to_vec();
    body.extend_from_slice(&message.bytes);
    body
}

fn gid(bytes: &[u8; 16]) -> Gid {
    let half = |at: usize| bytes[at..].first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
    Gid { prefix: half(0), guid: Guid(half(8)) }
}
