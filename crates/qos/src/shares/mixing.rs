//! How the two lists take turns.

use lk_wire::Vl;

use super::turns::{Packet, Turns};

/// What VLHighLimit counts in, in bytes.
const LIMIT_UNIT: u64 = 4096;
/// VLHighLimit: no limit.
const NO_LIMIT: u8 = 255;

/// The rhythm of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mix {
    /// The high list alone sends: the low one has nothing to send, or is never let in.
    High,
    /// The low list alone sends, for the high one has nothing to send.
    Low,
    /// Bursts of the high list with one packet of the low one after each.
    Both(Bursts),
}

/// The bursts of the high list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bursts {
    /// For each place in the high list's order: how many packets a burst has that begins there.
    lengths: Vec<usize>,
    /// The places where bursts begin once the link is in its rhythm, in their order. The first
    /// follows the last.
    rhythm: Vec<usize>,
}

impl Mix {
    pub(super) fn new(high: &Turns, low: &Turns, limit: u8) -> Self {
        if high.is_empty() {
            return Self::Low;
        }
        if low.is_empty() || limit == NO_LIMIT {
            return Self::High;
        }
        Self::Both(Bursts::new(high.packets(), u64::from(limit) * LIMIT_UNIT))
    }

    /// The bytes that a lane, or all of them, sends in a period: some whole number of times round
    /// both lists. First by the high list, then by the low one.
    pub(super) fn bytes(&self, high: &Turns, low: &Turns, vl: Option<Vl>) -> [u128; 2] {
        match self {
            Self::High => [high.bytes(vl), 0],
            Self::Low => [0, low.bytes(vl)],
            Self::Both(bursts) => {
                // As often through the bursts as the low list has packets, and as often round the
                // low list as there are bursts: one low packet for each burst.
                let starts = bursts.rhythm.iter();
                let packets = starts.flat_map(|first| bursts.packets(high, *first));
                let counts = packets.filter(|packet| vl.is_none_or(|vl| packet.vl == vl));
                let in_bursts: u128 = counts.map(|packet| u128::from(packet.bytes)).sum();
                let rounds = bursts.rhythm.len() as u128;
                [in_bursts * low.packets().len() as u128, low.bytes(vl) * rounds]
            }
        }
    }

    /// The bytes of the longest burst; `None` where it has no end for the low list.
    pub(super) fn burst(&self, high: &Turns, low: &Turns) -> Option<u64> {
        match self {
            Self::Low => Some(0),
            Self::High if low.is_empty() => Some(0),
            Self::High => None,
            Self::Both(bursts) => {
                let bytes = |first| bursts.packets(high, first).map(|p| u64::from(p.bytes)).sum();
                (0..bursts.lengths.len()).map(bytes).max()
            }
        }
    }
}

impl Bursts {
    fn new(high: &[Packet], limit: u64) -> Self {
        let lengths = lengths(high, limit);
        let mut seen = vec![None; high.len()];
        let mut rhythm: Vec<usize> = Vec::new();
        let mut first = 0;
        // Where a burst begins decides where the next one does, so they come round.
        while seen[first].is_none() {
            seen[first] = Some(rhythm.len());
            rhythm.push(first);
            first = (first + lengths[first]) % high.len();
        }
        let rhythm = rhythm.split_off(seen[first].unwrap_or(0));
        Self { lengths, rhythm }
    }

    /// The packets of the burst that begins at a place.
    fn packets(&self, high: &Turns, first: usize) -> impl Iterator<Item = Packet> {
        high.packets().iter().copied().cycle().skip(first).take(self.lengths[first])
    }

    /// How many packets a burst has that begins at a place.
    pub(super) fn length(&self, first: usize) -> usize {
        self.lengths[first]
    }
}

/// How many packets go in a row, from each place on: as many as it takes to reach the limit, and
/// one at least.
fn lengths(high: &[Packet], limit: u64) -> Vec<usize> {
    let mut sums = vec![0];
    for packet in high.iter().chain(high) {
        sums.push(sums[sums.len() - 1] + packet.charged());
    }
    let round = sums[high.len()];
    let rounds = limit.saturating_sub(1) / round;
    let rest = limit - rounds * round;
    let length = |first: usize| {
        let end = sums.partition_point(|sum| *sum < sums[first] + rest);
        rounds as usize * high.len() + (end - first).max(1)
    };
    (0..high.len()).map(length).collect()
}
