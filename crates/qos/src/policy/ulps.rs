//! Rules of qos-ulps as what they stand for.

use lk_config::qos_policy::{UlpKind, UlpRule};

/// The values that a query is compared with.
pub(super) enum Expansion {
    /// Service IDs.
    Service(Vec<(u64, u64)>),
    /// P_Keys without membership bit.
    Pkey(Vec<(u64, u64)>),
    /// GUIDs of ports: of sources, of destinations.
    Guids { source: bool, destination: bool },
    /// The level of queries that no rule fits.
    Default,
}

/// The service IDs of SDP: a TCP port in the lowest 16 bits.
const SDP: u64 = 0x1_0000;
/// The service IDs of RDMA over TCP port numbers, which RDS and iSER share.
const TCP: u64 = 0x106_0000;
/// The port of RDS where none is named.
const RDS_PORT: u64 = 0x48CA;
/// The port of iSER where none is named.
const ISER_PORT: u64 = 0x0CBC;
/// The partition of IPoIB where none is named.
pub(super) const IPOIB_PKEY: u64 = 0x7FFF;

pub(super) fn expand(rule: &UlpRule) -> Expansion {
    let values = || rule.values.iter().map(|v| (v.value.low, v.value.high));
    let above = |base: u64| values().map(|(low, high)| (base + low, base + high)).collect();
    let guids = |source, destination| Expansion::Guids { source, destination };
    match rule.kind {
        UlpKind::Default => Expansion::Default,
        UlpKind::Sdp => Expansion::Service(vec![(SDP, SDP + 0xFFFF)]),
        UlpKind::SdpPort => Expansion::Service(above(SDP)),
        UlpKind::Rds => Expansion::Service(vec![(TCP + RDS_PORT, TCP + RDS_PORT)]),
        UlpKind::Iser => Expansion::Service(vec![(TCP + ISER_PORT, TCP + ISER_PORT)]),
        UlpKind::RdsPort | UlpKind::IserPort => Expansion::Service(above(TCP)),
        UlpKind::ServiceId => Expansion::Service(values().collect()),
        UlpKind::Ipoib => Expansion::Pkey(vec![(IPOIB_PKEY, IPOIB_PKEY)]),
        UlpKind::IpoibPkey | UlpKind::Pkey => Expansion::Pkey(values().collect()),
        UlpKind::SrpTarget | UlpKind::Target => guids(false, true),
        UlpKind::Source => guids(true, false),
        UlpKind::SourceAndTarget => guids(true, true),
    }
}
