//! Widths and speeds of links.
//!
//! Each number is one bit: supported and enabled hold several of them, active holds one.

use crate::field::named;

named! {
    /// The width of a link (IBA 14.2.5.6, LinkWidthActive).
    LinkWidth: u8 {
        X1 = 1, "1X", "One lane.";
        X4 = 2, "4X", "Four lanes.";
        X8 = 4, "8X", "Eight lanes.";
        X12 = 8, "12X", "Twelve lanes.";
        X2 = 16, "2X", "Two lanes.";
    }
}

named! {
    /// The speed of a lane (IBA 14.2.5.6, LinkSpeedActive).
    LinkSpeed: u8 {
        EXTENDED = 0, "Extended speed", "The speed is one of [`LinkSpeedExt`].";
        SDR = 1, "2.5 Gbps", "Single data rate.";
        DDR = 2, "5.0 Gbps", "Double data rate.";
        QDR = 4, "10.0 Gbps", "Quad data rate.";
    }
}

named! {
    /// The extended speed of a lane (IBA 14.2.5.6, LinkSpeedExtActive).
    LinkSpeedExt: u8 {
        NONE = 0, "No Extended Speed", "The speed is one of [`LinkSpeed`].";
        FDR = 1, "14.0625 Gbps", "Fourteen data rate.";
        EDR = 2, "25.78125 Gbps", "Enhanced data rate.";
        HDR = 4, "53.125 Gbps", "High data rate.";
        NDR = 8, "106.25 Gbps", "Next data rate.";
    }
}

impl LinkWidth {
    /// How many lanes, or `None` for a number that is not one width.
    #[must_use]
    pub const fn lanes(self) -> Option<u8> {
        Some(match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
            Self::X8 => 8,
            Self::X12 => 12,
            _ => return None,
        })
    }
}

impl LinkSpeed {
    /// The signalling rate of a lane in Mbit/s, or `None` for a number that is not one speed.
    #[must_use]
    pub const fn lane_mbps(self) -> Option<u32> {
        Some(match self {
            Self::SDR => 2_500,
            Self::DDR => 5_000,
            Self::QDR => 10_000,
            _ => return None,
        })
    }
}

impl LinkSpeedExt {
    /// The signalling rate of a lane in Mbit/s, rounded, or `None` for a number that is not one
    /// speed.
    #[must_use]
    pub const fn lane_mbps(self) -> Option<u32> {
        Some(match self {
            Self::FDR => 14_063,
            Self::EDR => 25_781,
            Self::HDR => 53_125,
            Self::NDR => 106_250,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_rates() {
        let lanes: Vec<_> = [1, 2, 4, 8, 16, 3].map(|n| LinkWidth(n).lanes()).into();
        assert_eq!(lanes, [Some(1), Some(4), Some(8), Some(12), Some(2), None]);
        assert_eq!(LinkSpeed::QDR.lane_mbps(), Some(10_000));
        assert_eq!(LinkSpeed(3).lane_mbps(), None);
        assert_eq!(LinkSpeedExt::NDR.lane_mbps(), Some(106_250));
        assert_eq!(LinkSpeedExt::NONE.lane_mbps(), None);
    }

    #[test]
    fn unknown_numbers_survive_and_print_as_numbers() {
        assert_eq!(LinkWidth(0x42).to_string(), "66");
        assert_eq!(format!("{:?}", LinkSpeed(8)), "LinkSpeed(8)");
        assert_eq!(LinkWidth(0x42).0, 0x42);
    }
}
