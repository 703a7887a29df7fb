//! What share of a link each lane gets from its arbitration tables (IBA 7.6.9).
//!
//! A port has two lists of (VL, weight) entries. Each is worked off in turn, round and round: while
//! an entry has its turn, packets of its lane are sent until as many units of 64 bytes have gone
//! as its weight says. Packets are not cut, so the last one of a turn may run over, and a weight
//! of less than a packet still sends a whole one. Entries of weight 0, and of lanes that have
//! nothing to send, are passed over.
//!
//! The high-priority list goes first. Once it has sent VLHighLimit times 4 KiB in a row (0: one
//! packet; 255: no limit), the low-priority list may send one packet. Each list keeps its place
//! while the other one sends.
//!
//! Both lists repeat themselves, and the one does not touch the order of the other. So the shares
//! are exact: a whole number of periods of both is counted, nothing is simulated at random.
//!
//! [`shares`] answers for a set of busy lanes. `turns` has the order in which one list sends,
//! `mixing` how the two take turns, `wait` how long a packet at the head of its lane may stand.

mod mixing;
mod turns;
mod wait;

use lk_wire::{Vl, VlArbEntry};

use crate::tables::PortTables;
use mixing::Mix;
use turns::Turns;

/// The arbitration tables of a port, and the limit between them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ArbTables {
    /// The high-priority list.
    pub high: Vec<VlArbEntry>,
    /// The low-priority list.
    pub low: Vec<VlArbEntry>,
    /// PortInfo:VLHighLimit, in units of 4 KiB; 0 is one packet, 255 no limit.
    pub high_limit: u8,
}

impl ArbTables {
    /// The tables that a port is meant to hold. `None` for a port that does not arbitrate: it has
    /// one data lane.
    #[must_use]
    pub fn of_port(port: &PortTables) -> Option<Self> {
        let list = |blocks: [u8; 2]| -> Vec<VlArbEntry> {
            let blocks = blocks.iter().filter_map(|b| port.vlarb_block(*b));
            blocks.flat_map(|b| b.table.iter().take(usize::from(b.used))).collect()
        };
        let tables = Self { low: list([1, 2]), high: list([3, 4]), high_limit: port.high_limit };
        (port.vlarb != [None; 4]).then_some(tables)
    }
}

/// A lane that always has something to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy {
    /// The lane.
    pub vl: Vl,
    /// The length of its packets on the wire, in bytes: from the LRH to the VCRC.
    pub packet: u32,
}

/// What a busy lane gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneShare {
    /// The lane.
    pub vl: Vl,
    /// The bytes it sends while the link sends [`Shares::period`] bytes.
    pub bytes: u128,
    /// How many of them it sends by the high-priority list.
    pub high_bytes: u128,
    /// The bytes of other lanes that may go before a packet at the head of this one, at most.
    /// `None` where it waits for ever.
    pub wait: Option<u64>,
}

/// How a link is shared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// The bytes of the stretch that is counted; 0 where nothing is sent at all.
    pub period: u128,
    /// The busy lanes, in the order they were given.
    pub lanes: Vec<LaneShare>,
    /// The most bytes that the high-priority list sends in a row while the low-priority one
    /// waits; `None` where it never lets it in. 0 where it has nothing to send.
    pub burst: Option<u64>,
}

impl Shares {
    /// The share of a lane, from 0 to 1.
    #[must_use]
    pub fn of(&self, vl: Vl) -> f64 {
        let bytes = self.lanes.iter().filter(|lane| lane.vl == vl).map(|lane| lane.bytes);
        if self.period == 0 { 0.0 } else { bytes.sum::<u128>() as f64 / self.period as f64 }
    }

    /// The share that a lane gets by the high-priority list, from 0 to 1.
    #[must_use]
    pub fn by_high(&self, vl: Vl) -> f64 {
        let bytes = self.lanes.iter().filter(|lane| lane.vl == vl).map(|lane| lane.high_bytes);
        if self.period == 0 { 0.0 } else { bytes.sum::<u128>() as f64 / self.period as f64 }
    }

    /// Busy lanes that send nothing, ever.
    pub fn starved(&self) -> impl Iterator<Item = Vl> {
        self.lanes.iter().filter(|lane| lane.bytes == 0).map(|lane| lane.vl)
    }
}

/// How the busy lanes share a link, once it has come to rest in its rhythm.
///
/// A lane that is given twice counts once, with its first packet length. Packets of length 0 count
/// as one byte.
#[must_use]
pub fn shares(tables: &ArbTables, busy: &[Busy]) -> Shares {
    let high = &Turns::new(&tables.high, busy);
    let low = &Turns::new(&tables.low, busy);
    let mix = &Mix::new(high, low, tables.high_limit);
    let lane = |busy: &Busy| {
        let [by_high, by_low] = mix.bytes(high, low, Some(busy.vl));
        LaneShare {
            vl: busy.vl,
            bytes: by_high + by_low,
            high_bytes: by_high,
            wait: wait::longest(high, low, mix, busy.vl),
        }
    };
    let lanes: Vec<LaneShare> = busy.iter().map(lane).collect();
    Shares { period: mix.bytes(high, low, None).iter().sum(), lanes, burst: mix.burst(high, low) }
}
