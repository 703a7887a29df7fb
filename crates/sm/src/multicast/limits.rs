//! MTU, rate and packet life: what a request asks for by selector and value, and what a port can
//! do (IBA 15.2.5.17).

use lk_fabric::LinkRate;
use lk_wire::Rate;
use lk_wire::sa::Selector;

/// A selector and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Greater than, less than, exactly, or the largest.
    pub selector: Selector,
    /// The code.
    pub value: u8,
}

/// Codes of MTUs by size.
const MTUS: std::ops::RangeInclusive<u8> = 1..=5;

/// The code that a new group gets: what is wanted, as far as the port can do it, else the most that
/// it can. None where that cannot be. `rank` is the place of a code in the order of its kind,
/// `lower` the code before it.
fn realise(
    rank: impl Fn(u8) -> Option<u8>,
    lower: impl Fn(u8) -> Option<u8>,
    wanted: Option<Wanted>,
    port: u8,
) -> Option<u8> {
    let Some(Wanted { selector, value }) = wanted else { return Some(port) };
    let (asked, most) = (rank(value)?, rank(port)?);
    match selector {
        Selector::GREATER => (asked < most).then_some(port),
        Selector::LESS if asked > most => Some(port),
        Selector::LESS => lower(value),
        Selector::EXACTLY => (asked <= most).then_some(value),
        _ => Some(port),
    }
}

fn rate_rank(code: u8) -> Option<u8> {
    Rate(code).rank()
}

/// The MTU of a new group that a port makes.
#[must_use]
pub fn mtu(wanted: Option<Wanted>, port: u8) -> Option<u8> {
    let rank = |code| is_mtu(code).then_some(code);
    realise(rank, |code| rank(code.checked_sub(1)?), wanted, port)
}

/// The rate of a new group that a port makes.
#[must_use]
pub fn rate(wanted: Option<Wanted>, port: u8) -> Option<u8> {
    realise(rate_rank, |code| Rate(code).lower().map(|r| r.0), wanted, port)
}

/// Whether a code is that of an MTU.
#[must_use]
pub fn is_mtu(code: u8) -> bool {
    MTUS.contains(&code)
}

/// Whether a code is that of a rate.
#[must_use]
pub fn is_rate(code: u8) -> bool {
    rate_rank(code).is_some()
}

/// Whether one rate is at most as fast as another.
#[must_use]
pub fn rate_fits(rate: u8, port: u8) -> bool {
    rate_rank(rate) <= rate_rank(port)
}

/// Whether a group's value is what a request wants of it.
fn meets(have: Option<u8>, asked: Option<u8>, selector: Selector) -> bool {
    match selector {
        Selector::GREATER => have > asked,
        Selector::LESS => have < asked,
        Selector::EXACTLY => have == asked,
        _ => true,
    }
}

/// Whether the MTU or the packet life of a group is what a request wants.
#[must_use]
pub fn number_meets(have: u8, wanted: Wanted) -> bool {
    meets(Some(have), Some(wanted.value), wanted.selector)
}

/// Whether the rate of a group is what a request wants.
#[must_use]
pub fn rate_meets(have: u8, wanted: Wanted) -> bool {
    meets(rate_rank(have), rate_rank(wanted.value), wanted.selector)
}

/// The code of a link's rate (IBA 15.2.5.16): what its lanes carry together. The slowest where it
/// is not known.
#[must_use]
pub fn port_rate(link: LinkRate) -> u8 {
    let known = Rate::of_link(link.lanes(), link.speed_name().unwrap_or_default());
    known.unwrap_or(Rate::SLOWEST).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_links() {
        for (name, code) in [
            ("1xSDR", 2),
            ("4xSDR", 3),
            ("12xSDR", 4),
            ("4xDDR", 6),
            ("4xQDR", 7),
            ("4xFDR10", 7),
            ("1xFDR", 11),
            ("4xFDR", 12),
            ("4xEDR", 16),
            ("2xHDR", 16),
            ("4xHDR", 17),
            ("4xNDR", 21),
            ("8xNDR", 23),
            ("12xNDR", 24),
            ("4xXDR", 23),
            ("8xXDR", 25),
            ("12xXDR", 25),
        ] {
            assert_eq!(port_rate(LinkRate::parse(name).unwrap()), code, "{name}");
        }
    }

    fn wanted(selector: u8, value: u8) -> Option<Wanted> {
        Some(Wanted { selector: Selector(selector), value })
    }

    /// The answers of opensm to a host whose MTU is 2048 (code 4).
    #[test]
    fn mtus_as_opensm_gives_them() {
        let none = None;
        for (selector, value, got) in [
            (2, 1, Some(1)),
            (2, 2, Some(2)),
            (2, 4, Some(4)),
            (2, 5, none),
            (2, 6, none),
            (2, 0, none),
            (0, 1, Some(4)),
            (0, 4, none),
            (0, 5, none),
            (1, 5, Some(4)),
            (1, 1, none),
            (1, 2, Some(1)),
            (3, 0, none),
            (3, 3, Some(4)),
            (0, 3, Some(4)),
            (1, 4, Some(3)),
            (1, 6, none),
            (1, 7, none),
            (2, 7, none),
        ] {
            assert_eq!(mtu(wanted(selector, value), 4), got, "{selector}:{value}");
        }
        assert_eq!(mtu(None, 4), Some(4));
    }

    /// The answers of opensm to a host whose rate is 10 Gb/s (code 3).
    #[test]
    fn rates_as_opensm_gives_them() {
        let none = None;
        for (selector, value, got) in [
            (2, 2, Some(2)),
            (2, 3, Some(3)),
            (2, 4, none),
            (2, 7, none),
            (2, 1, none),
            (2, 0, none),
            (0, 2, Some(3)),
            (0, 3, none),
            (0, 7, none),
            (1, 3, Some(5)),
            (1, 2, none),
            (1, 7, Some(3)),
            (3, 0, none),
            (2, 20, none),
            (2, 30, none),
            (1, 6, Some(3)),
            (2, 5, Some(5)),
            (0, 5, Some(3)),
            (1, 5, Some(2)),
            (1, 30, none),
            (0, 6, none),
            (1, 10, Some(3)),
        ] {
            assert_eq!(rate(wanted(selector, value), 3), got, "{selector}:{value}");
        }
    }
}
