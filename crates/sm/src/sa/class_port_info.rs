//! ClassPortInfo: what the subnet administration can do.

use lk_wire::sa::{ClassPortInfo, SaHeader, sa_capability, sa_capability2, sa_status};
use lk_wire::{Status, method};

use super::Context;
use super::request::{Answer, Request};

/// The general services' queue pair and its Q_Key (IBA 16.1.1).
const GSI: (u32, u32) = (1, 0x8001_0000);
/// Answers take 268 ms at most: 4.096 us * 2^16.
const RESP_TIME: u8 = 16;

/// SubnAdmGet(ClassPortInfo). QoS is promised exactly where it is switched on.
#[must_use]
pub fn answer(context: &Context<'_>, request: &Request<'_>) -> Answer {
    match request.method() {
        method::GET => {}
        method::GET_TABLE => return Answer::Refused(sa_status::REQ_INVALID),
        _ => return Answer::Refused(Status::METHOD_ATTR_UNSUPPORTED),
    }
    let mut info = ClassPortInfo::default();
    info.set_base_version(1);
    info.set_class_version(SaHeader::VERSION);
    info.set_capability_mask(
        sa_capability::NOTICE
            | sa_capability::UD_MULTICAST
            | sa_capability::MULTI_PATH
            | sa_capability::PORT_INFO_CAP_MASK_MATCH,
    );
    let qos = if context.view().settings.options.qos { sa_capability2::QOS } else { 0 };
    info.set_capability_mask2(
        qos | sa_capability2::MULTICAST_TOP
            | sa_capability2::ALIAS_GUIDS
            | sa_capability2::FULL_PORT_INFO
            | sa_capability2::EXTENDED_SPEEDS
            | sa_capability2::MULTICAST_SERVICES
            | sa_capability2::CAP_MASK2_MATCH
            | sa_capability2::LINK_WIDTH_2X
            | sa_capability2::HDR
            | sa_capability2::NDR,
    );
    info.set_resp_time(RESP_TIME);
    info.set_redirect_qp(GSI.0);
    info.set_redirect_qkey(GSI.1);
    info.set_trap_qkey(GSI.1);
    Answer::one(&info)
}
