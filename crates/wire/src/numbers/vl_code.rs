//! Codes of VLCap and OperVLs.

use std::fmt;

/// A code of VLCap or OperVLs (IBA 14.2.5.6): 1 is VL0, 2 VL0-1, 3 VL0-3, 4 VL0-7, 5 VL0-14.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct VlCode(pub u8);

impl VlCode {
    /// In a Set of OperVLs: leave it as it is.
    pub const NO_CHANGE: Self = Self(0);
    /// VL0.
    pub const VL0: Self = Self(1);
    /// VL0 and VL1.
    pub const VL0_1: Self = Self(2);
    /// VL0 to VL3.
    pub const VL0_3: Self = Self(3);
    /// VL0 to VL7.
    pub const VL0_7: Self = Self(4);
    /// VL0 to VL14.
    pub const VL0_14: Self = Self(5);

    /// How many data VLs there are: 1, 2, 4, 8 or 15. Code 0 counts as 1 and a code above 5 as
    /// 15.
    #[must_use]
    pub const fn data_vls(self) -> u8 {
        match self.0 {
            0 | 1 => 1,
            2 => 2,
            3 => 4,
            4 => 8,
            _ => 15,
        }
    }

    /// The bits of a VL number that can be set: 0, 1, 3, 7 or 15. Code 0 counts as 1 and a code
    /// above 5 as 5.
    #[must_use]
    pub const fn mask(self) -> u8 {
        match self.data_vls() {
            15 => 15,
            vls => vls - 1,
        }
    }

    /// Whether the code is one of the five.
    #[must_use]
    pub const fn is_defined(self) -> bool {
        matches!(self.0, 1..=5)
    }
}

impl fmt::Display for VlCode {
    /// As the field's tools do: `VL0`, `VL0-7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("VL0"),
            2..=5 => write!(f, "VL0-{}", self.data_vls() - 1),
            other => write!(f, "?({other})"),
        }
    }
}

impl fmt::Debug for VlCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VlCode({self})")
    }
}

impl From<u8> for VlCode {
    fn from(code: u8) -> Self {
        Self(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_for_vls() {
        let codes: Vec<_> = (0..8).map(|n| (VlCode(n).data_vls(), VlCode(n).mask())).collect();
        assert_eq!(codes, [(1, 0), (1, 0), (2, 1), (4, 3), (8, 7), (15, 15), (15, 15), (15, 15)]);
        assert!(!VlCode(0).is_defined() && VlCode(5).is_defined() && !VlCode(6).is_defined());
        let texts: Vec<_> = (0..7).map(|n| VlCode(n).to_string()).collect();
        assert_eq!(texts, ["?(0)", "VL0", "VL0-1", "VL0-3", "VL0-7", "VL0-14", "?(6)"]);
    }
}
