//! Codes of static rates.

use std::fmt;

/// A code of a rate (IBA 15.2.5.16, Rate). The codes are not in the order of the speeds; see
/// [`Rate::rank`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Rate(pub u8);

/// Codes in the order of their speeds, each with Mbit/s as the code is called.
const ORDER: [(u8, u32); 24] = [
    (2, 2_500),
    (5, 5_000),
    (3, 10_000),
    (11, 14_000),
    (6, 20_000),
    (4, 30_000),
    (15, 25_000),
    (19, 28_000),
    (7, 40_000),
    (8, 60_000),
    (20, 50_000),
    (12, 56_000),
    (9, 80_000),
    (10, 120_000),
    (16, 100_000),
    (13, 112_000),
    (14, 168_000),
    (17, 200_000),
    (18, 300_000),
    (21, 400_000),
    (22, 600_000),
    (23, 800_000),
    (24, 1_200_000),
    (25, 1_600_000),
];

/// Codes by the speed of a lane (its name in ibnetdiscover) for 1, 2, 4, 8 and 12 lanes.
const LANES: [(&str, [u8; 5]); 8] = [
    ("SDR", [2, 5, 3, 6, 4]),
    ("DDR", [5, 3, 6, 7, 8]),
    ("QDR", [3, 6, 7, 9, 10]),
    ("FDR", [11, 19, 12, 13, 14]),
    ("EDR", [15, 20, 16, 17, 18]),
    ("HDR", [20, 16, 17, 21, 22]),
    ("NDR", [16, 17, 21, 23, 24]),
    // There is no code for 2400 Gbit/s.
    ("XDR", [17, 21, 23, 25, 25]),
];

impl Rate {
    /// 2.5 Gbit/s, the slowest.
    pub const SLOWEST: Self = Self(2);
    /// 1600 Gbit/s, the fastest.
    pub const FASTEST: Self = Self(25);

    /// The rate of a link of so many lanes at a speed; `None` for a width or a speed that the
    /// architecture does not have. FDR10 counts as QDR, as in OpenSM.
    #[must_use]
    pub fn of_link(lanes: u8, speed: &str) -> Option<Self> {
        let column = [1, 2, 4, 8, 12].iter().position(|n| *n == lanes)?;
        let speed = if speed == "FDR10" { "QDR" } else { speed };
        LANES.iter().find(|(name, _)| *name == speed).map(|(_, codes)| Self(codes[column]))
    }

    /// The place in the order of speeds, the slowest 1; `None` for a code that is not known.
    ///
    /// It is the order of what the links really carry: 12x SDR (code 4, called 30 Gbit/s) comes
    /// before 1x EDR (code 15, called 25).
    #[must_use]
    pub fn rank(self) -> Option<u8> {
        ORDER.iter().position(|(code, _)| *code == self.0).map(|at| at as u8 + 1)
    }

    /// The slower of two. One that is not known counts as the slowest.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.rank() < self.rank() { other } else { self }
    }

    /// The next slower rate; `None` for the slowest and for one that is not known.
    #[must_use]
    pub fn lower(self) -> Option<Self> {
        let at = usize::from(self.rank()?);
        ORDER.get(at.checked_sub(2)?).map(|(code, _)| Self(*code))
    }

    /// The fastest rate that is not faster than this one and whose code is not above `limit`.
    #[must_use]
    pub fn at_most_code(self, limit: u8) -> Self {
        let mut rate = self;
        while rate.0 > limit {
            match rate.lower() {
                Some(lower) => rate = lower,
                None => break,
            }
        }
        rate
    }
}

impl Rate {
    /// The rate for clients that know codes up to 18 only, as OpenSM 3.3.23 lowers it.
    #[must_use]
    pub const fn original(self) -> Self {
        match self.0 {
            19 => Self(15),
            20 => Self(7),
            21.. => Self(18),
            _ => self,
        }
    }
}

impl fmt::Display for Rate {
    /// As in `2.5 Gb/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ORDER.iter().find(|(code, _)| *code == self.0) {
            Some((_, 2_500)) => f.write_str("2.5 Gb/s"),
            Some((_, mbps)) => write!(f, "{} Gb/s", mbps / 1000),
            None => write!(f, "?({})", self.0),
        }
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rate({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_ranked_by_what_links_carry() {
        assert_eq!(Rate(2).rank(), Some(1));
        assert_eq!((Rate(4).rank(), Rate(15).rank()), (Some(6), Some(7)));
        assert_eq!(Rate(24).rank(), Some(23));
        assert_eq!((Rate(1).rank(), Rate(26).rank()), (None, None));
        assert_eq!((Rate(15).min(Rate(4)), Rate(4).min(Rate(15))), (Rate(4), Rate(4)));
        assert_eq!(
            (Rate(15).lower(), Rate(2).lower(), Rate(0).lower()),
            (Some(Rate(4)), None, None)
        );
        assert_eq!(
            [Rate(19), Rate(20), Rate(21), Rate(24)].map(|r| r.at_most_code(18).0),
            [15, 8, 18, 18]
        );
    }

    #[test]
    fn every_link_has_the_code_of_its_speed() {
        let code = |lanes, speed| Rate::of_link(lanes, speed).map(|r| r.0);
        assert_eq!(code(4, "SDR"), Some(3));
        assert_eq!(code(4, "FDR10"), Some(7));
        assert_eq!([1, 2, 4, 8, 12].map(|n| code(n, "HDR")), [20, 16, 17, 21, 22].map(Some));
        assert_eq!([1, 2, 4, 8, 12].map(|n| code(n, "NDR")), [16, 17, 21, 23, 24].map(Some));
        assert_eq!([1, 2, 4, 8, 12].map(|n| code(n, "XDR")), [17, 21, 23, 25, 25].map(Some));
        // The order of codes is that of speeds but where OpenSM ranks by what links carry.
        let fast = [16, 13, 14, 17, 18, 21, 22, 23, 24, 25].map(|c| Rate(c).rank().unwrap());
        assert!(fast.windows(2).all(|two| two[0] + 1 == two[1]), "{fast:?}");
        assert_eq!((code(3, "SDR"), code(4, "ZDR"), code(0, "")), (None, None, None));
        for (speed, codes) in LANES {
            let ranks = codes.map(|c| Rate(c).rank());
            assert!(ranks.is_sorted(), "{speed}");
        }
        assert_eq!(
            (Rate(2).to_string(), Rate(21).to_string()),
            ("2.5 Gb/s".into(), "400 Gb/s".into())
        );
    }
}
