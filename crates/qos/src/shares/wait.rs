//! How long a packet at the head of its lane may have to wait.

use lk_wire::Vl;

use super::mixing::{Bursts, Mix};
use super::turns::Turns;

/// The bytes of other lanes that go before a packet of a lane at most, while all busy lanes send;
/// `None` where it waits for ever. Where both lists serve the lane, the better of the two bounds.
pub(super) fn longest(high: &Turns, low: &Turns, mix: &Mix, vl: Vl) -> Option<u64> {
    let by_high = || match mix {
        Mix::Both(bursts) => gap(high, vl, Some((bursts, longest_packet(low))), 0),
        Mix::High | Mix::Low => gap(high, vl, None, 0),
    };
    let by_low = || match mix {
        Mix::High => None,
        Mix::Both(_) => gap(low, vl, None, mix.burst(high, low)?),
        Mix::Low => gap(low, vl, None, 0),
    };
    [by_high(), by_low()].into_iter().flatten().min()
}

fn longest_packet(list: &Turns) -> u64 {
    list.packets().iter().map(|packet| u64::from(packet.bytes)).max().unwrap_or(0)
}

/// The most bytes between one packet of a lane and its next in a list's order; `None` where the
/// lane is not in it. `after_each` bytes go after every packet, and those of `bursts` after each
/// burst: the first one may end right behind the packet, which is the worst case.
fn gap(list: &Turns, vl: Vl, bursts: Option<(&Bursts, u64)>, after_each: u64) -> Option<u64> {
    let packets = list.packets();
    let n = packets.len();
    let between = |at: usize| {
        let mut bytes = after_each + bursts.map_or(0, |(_, pause)| pause);
        let mut burst_ends = bursts.map(|(bursts, _)| at + 1 + bursts.length((at + 1) % n));
        for next in at + 1..=at + n {
            if packets[next % n].vl == vl {
                break;
            }
            bytes += u64::from(packets[next % n].bytes) + after_each;
            if let Some((bursts, pause)) = bursts
                && burst_ends == Some(next + 1)
            {
                bytes += pause;
                burst_ends = Some(next + 1 + bursts.length((next + 1) % n));
            }
        }
        bytes
    };
    (0..n).filter(|at| packets[*at].vl == vl).map(between).max()
}
