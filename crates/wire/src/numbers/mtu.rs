//! Codes of the maximum transfer unit.

use std::fmt;

/// A code of the MTU (IBA 14.2.5.6): 1 is 256 bytes, each further one twice as much, up to 5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Mtu(pub u8);

impl Mtu {
    /// 256 bytes.
    pub const M256: Self = Self(1);
    /// 512 bytes.
    pub const M512: Self = Self(2);
    /// 1024 bytes.
    pub const M1024: Self = Self(3);
    /// 2048 bytes.
    pub const M2048: Self = Self(4);
    /// 4096 bytes.
    pub const M4096: Self = Self(5);

    /// The payload in bytes, or `None` for a code that the architecture does not define.
    #[must_use]
    pub const fn bytes(self) -> Option<u16> {
        match self.0 {
            1..=5 => Some(128 << self.0),
            _ => None,
        }
    }

    /// The code of a payload of exactly `bytes`.
    #[must_use]
    pub const fn from_bytes(bytes: u16) -> Option<Self> {
        Some(match bytes {
            256 => Self::M256,
            512 => Self::M512,
            1024 => Self::M1024,
            2048 => Self::M2048,
            4096 => Self::M4096,
            _ => return None,
        })
    }
}

impl fmt::Display for Mtu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes() {
            Some(bytes) => write!(f, "{bytes}"),
            None => write!(f, "?({})", self.0),
        }
    }
}

impl fmt::Debug for Mtu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mtu({self})")
    }
}

impl From<u8> for Mtu {
    fn from(code: u8) -> Self {
        Self(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_bytes() {
        let bytes: Vec<_> = (0..=6).map(|code| Mtu(code).bytes()).collect();
        assert_eq!(bytes, [None, Some(256), Some(512), Some(1024), Some(2048), Some(4096), None]);
        for code in (1..=5).map(Mtu) {
            assert_eq!(code.bytes().and_then(Mtu::from_bytes), Some(code));
        }
        assert_eq!(Mtu::from_bytes(1500), None);
        assert_eq!((Mtu::M2048.to_string(), Mtu(9).to_string()), ("2048".into(), "?(9)".into()));
    }
}
