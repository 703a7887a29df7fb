//! The order in which one list sends, while nothing else does.

use lk_wire::{Vl, VlArbEntry};

use super::Busy;

/// Bytes in one unit of weight.
pub(super) const UNIT: u32 = 64;

/// One packet of the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packet {
    pub(super) vl: Vl,
    /// Its length, in bytes.
    pub(super) bytes: u32,
}

impl Packet {
    /// Its length as it is charged: in bytes, rounded up to whole units.
    pub(super) const fn charged(self) -> u64 {
        (self.bytes.div_ceil(UNIT) * UNIT) as u64
    }
}

/// The packets of one time round a list, in their order. It begins again at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turns(Vec<Packet>);

impl Turns {
    /// One time round a list, with these lanes busy.
    pub(super) fn new(list: &[VlArbEntry], busy: &[Busy]) -> Self {
        let turn = |entry: &VlArbEntry| {
            let lane = busy.iter().find(|b| b.vl == entry.vl)?;
            let packet = Packet { vl: lane.vl, bytes: lane.packet.max(1) };
            let packets = u64::from(u32::from(entry.weight) * UNIT).div_ceil(packet.charged());
            Some(std::iter::repeat_n(packet, packets as usize))
        };
        Self(list.iter().filter_map(turn).flatten().collect())
    }

    /// The packets.
    pub(super) fn packets(&self) -> &[Packet] {
        &self.0
    }

    /// Whether the list has nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of one time round: of one lane, or of all.
    pub(super) fn bytes(&self, vl: Option<Vl>) -> u128 {
        let counts = |packet: &&Packet| vl.is_none_or(|vl| packet.vl == vl);
        self.0.iter().filter(counts).map(|packet| u128::from(packet.bytes)).sum()
    }
}
