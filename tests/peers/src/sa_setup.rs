//! What clients leave with the subnet administration before it is asked.

use lk_wire::sa::{
    InformInfo, MCMemberRecord, Record, SaHeader, ServiceRecord, member_mask, service_mask,
};
use lk_wire::{Gid, Guid, method};

use crate::path_matrix::to_hex;

fn gid(guid: u64) -> Gid {
    Gid { prefix: 0xfe80 << 48, guid: Guid(guid) }
}

fn request<R: Record>(mask: u64, record: &R) -> String {
    let mut header = SaHeader::request(method::SET, R::ID, 1);
    header.set_component_mask(mask);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(record.bytes());
    bytes.resize(256, 0);
    to_hex(&bytes)
}

fn join(mgid: Gid, port: u64, state: u8) -> MCMemberRecord {
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    record.set_port_gid(gid(port));
    record.set_join_state(state);
    record
}

/// Six requests for `sa-raw` on the small fabric: members of two groups, a subscriber and a
/// service, all by the first host.
#[must_use]
pub fn clients() -> String {
    use member_mask::{FLOW_LABEL, JOIN_STATE, MGID, PKEY, PORT_GID, QKEY, SL, TCLASS};
    let who = MGID | PORT_GID | JOIN_STATE;
    let broadcast = Gid { prefix: 0xff12_401b_ffff_0000, guid: Guid(0xffff_ffff) };
    let own = Gid { prefix: 0xff12_a01c_fe80_0000, guid: Guid(5) };
    let mut made = join(own, 0x10_0011, 5);
    made.set_qkey(9);
    made.set_tclass(1);
    made.set_pkey(0xffff);
    made.set_sl(1);
    made.set_flow_label(1);
    made.set_hop_limit(1);
    let mut service = ServiceRecord::default();
    service.set_service_id(0x1234);
    service.set_gid(gid(0x10_0011));
    service.set_pkey(0xffff);
    service.set_lease(u32::MAX);
    let named = service_mask::SERVICE_ID | service_mask::GID | service_mask::PKEY;
    let mut inform = InformInfo::default();
    inform.set_lid_begin(0xffff);
    inform.set_is_generic(1);
    inform.set_subscribe(1);
    inform.set_trap_type(0xffff);
    inform.set_trap_number(0xffff);
    inform.set_producer_type(0xff_ffff);
    let lines = [
        request(who, &join(broadcast, 0x10_0011, 1)),
        request(who, &join(broadcast, 0x10_0021, 1)),
        request(who | QKEY | TCLASS | PKEY | SL | FLOW_LABEL, &made),
        request(who, &join(own, 0x20_0001, 4)),
        request(named | service_mask::LEASE, &service),
        request(0, &inform),
    ];
    lines.join("\n") + "\n"
}
