//! Names and figures of link widths and speeds (PortInfo, IBA 14.2.5.6).

use std::fmt;

use crate::graph::LinkRate;

/// Widths: code of LinkWidthActive, lanes.
const WIDTHS: [(u8, u8); 5] = [(1, 1), (2, 4), (4, 8), (8, 12), (16, 2)];

/// Speeds: name, code of LinkSpeedActive, code of LinkSpeedExtActive, whether FDR10, and tenths
/// of Gbit/s that one lane signals.
const SPEEDS: [(&str, u8, u8, bool, u32); 9] = [
    ("SDR", 1, 0, false, 25),
    ("DDR", 2, 0, false, 50),
    ("QDR", 4, 0, false, 100),
    ("FDR10", 4, 0, true, 103),
    ("FDR", 4, 1, false, 140),
    ("EDR", 4, 2, false, 257),
    ("HDR", 4, 4, false, 531),
    ("NDR", 4, 8, false, 1062),
    ("XDR", 4, 16, false, 2125),
];

impl LinkRate {
    /// 4x HDR.
    pub const HDR_4X: Self = Self { width: 2, speed: 4, speed_ext: 4, fdr10: false };
    /// 4x NDR.
    pub const NDR_4X: Self = Self { width: 2, speed: 4, speed_ext: 8, fdr10: false };

    /// The rate with this number of lanes and this speed, as `ibnetdiscover` names it: `4x` and
    /// one of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR. `??x`, `??` and `???` stand for what
    /// is not known. `None` where the text is no rate.
    ///
    /// An extended speed comes with the plain speed QDR, as devices report it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (lanes, speed) = match text.strip_prefix("??") {
            Some(rest) => (0, rest.strip_prefix('x').unwrap_or(rest)),
            None => {
                let at = text.find('x')?;
                (text[..at].parse::<u8>().ok().filter(|n| *n > 0)?, &text[at + 1..])
            }
        };
        let width = match lanes {
            0 => 0,
            n => WIDTHS.iter().find(|(_, l)| *l == n)?.0,
        };
        let speed = speed.trim();
        if speed.chars().all(|c| c == '?') {
            return Some(Self { width, ..Self::default() });
        }
        let (_, plain, ext, fdr10, _) = SPEEDS.iter().find(|(name, ..)| *name == speed)?;
        Some(Self { width, speed: *plain, speed_ext: *ext, fdr10: *fdr10 })
    }

    /// The number of lanes, 0 where the width is not known.
    #[must_use]
    pub fn lanes(self) -> u8 {
        WIDTHS.iter().find(|(code, _)| *code == self.width).map_or(0, |(_, lanes)| *lanes)
    }

    /// The speed's name; `None` where it is not known.
    #[must_use]
    pub fn speed_name(self) -> Option<&'static str> {
        self.speed_row().map(|row| row.0)
    }

    /// Tenths of Gbit/s that the link signals, all lanes together; 0 where width or speed are not
    /// known.
    #[must_use]
    pub fn decigigabits(self) -> u32 {
        self.speed_row().map_or(0, |row| row.4) * u32::from(self.lanes())
    }

    /// Mbit/s of data that the link carries, all lanes together: what is left of the signalling
    /// rate after line coding and forward error correction. 0 where width or speed are not known.
    #[must_use]
    pub fn data_megabits(self) -> u32 {
        let lane = match self.speed_name() {
            Some("SDR") => 2_000,
            Some("DDR") => 4_000,
            Some("QDR") => 8_000,
            Some("FDR10") => 10_000,
            Some("FDR") => 13_636,
            Some("EDR") => 25_000,
            Some("HDR") => 50_000,
            Some("NDR") => 100_000,
            Some("XDR") => 200_000,
            _ => 0,
        };
        lane * u32::from(self.lanes())
    }

    /// Whether neither width nor speed are known.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        self.width == 0 && self.speed == 0 && self.speed_ext == 0
    }

    fn speed_row(self) -> Option<&'static (&'static str, u8, u8, bool, u32)> {
        SPEEDS.iter().find(|(_, plain, ext, fdr10, _)| {
            if self.speed_ext != 0 {
                *ext == self.speed_ext
            } else {
                *ext == 0 && *plain == self.speed && *fdr10 == (self.fdr10 && self.speed == 4)
            }
        })
    }
}

impl fmt::Display for LinkRate {
    /// `4xNDR`; `4x???` where only the width is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes() {
            0 => f.write_str("??")?,
            n => write!(f, "{n}x")?,
        }
        f.write_str(self.speed_name().unwrap_or("???"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_what_coding_leaves() {
        let data = |text| LinkRate::parse(text).map(LinkRate::data_megabits);
        assert_eq!(data("4xQDR"), Some(32_000));
        assert_eq!(data("4xHDR"), Some(200_000));
        assert_eq!(data("1xFDR"), Some(13_636));
        assert_eq!(data("4x???"), Some(0));
        for (name, ..) in SPEEDS {
            let rate = LinkRate::parse(&format!("4x{name}")).unwrap();
            assert!(rate.data_megabits() > 0 && rate.data_megabits() <= rate.decigigabits() * 100);
        }
    }

    #[test]
    fn every_name_is_read_back() {
        for (_, lanes) in WIDTHS {
            for (name, ..) in SPEEDS {
                let text = format!("{lanes}x{name}");
                let rate = LinkRate::parse(&text).unwrap();
                assert_eq!(rate.to_string(), text);
                assert_eq!((rate.lanes(), rate.speed_name()), (lanes, Some(name)));
            }
        }
    }

    #[test]
    fn what_is_not_known_stays_so() {
        let half = LinkRate::parse("4x ???").unwrap();
        assert_eq!((half.width, half.speed, half.decigigabits()), (2, 0, 0));
        assert_eq!(LinkRate::parse(&half.to_string()), Some(half));
        let none = LinkRate::parse("?? ???").unwrap();
        assert!(none.is_unknown());
        assert_eq!(LinkRate::parse(&LinkRate::default().to_string()), Some(none));
        let speed = LinkRate::parse("??QDR").unwrap();
        assert_eq!((speed.width, speed.speed), (0, 4));
        assert_eq!(LinkRate::parse(&speed.to_string()), Some(speed));
    }

    #[test]
    fn other_text_is_no_rate() {
        for text in ["", "x", "3xQDR", "4xZDR", "0xQDR", "4", "QDR", "300xSDR", "é", "?é"] {
            assert_eq!(LinkRate::parse(text), None, "{text}");
        }
    }

    #[test]
    fn figures_rank_the_links() {
        let of = |text| LinkRate::parse(text).unwrap().decigigabits();
        assert_eq!(of("4xSDR"), 100);
        assert_eq!(of("1xNDR"), 1062);
        assert!(of("4xQDR") < of("4xFDR10") && of("4xFDR10") < of("4xFDR"));
        assert!(of("1xNDR") < of("4xHDR"));
    }
}
