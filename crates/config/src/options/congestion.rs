//! The value types that only the congestion control options have.

use std::fmt;

/// A set of switch ports: bit n of a 256-bit number is port n.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortMask(pub [u8; 32]);

impl PortMask {
    /// No port.
    pub const NONE: Self = Self([0; 32]);
}

impl fmt::Display for PortMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for PortMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PortMask({self})")
    }
}

/// An entry of the congestion control table (IBA A10.4.3.9): the delay between packets is
/// `multiplier` shifted right by `shift`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CctEntry {
    /// Two bits on the wire.
    pub shift: u8,
    /// Fourteen bits on the wire.
    pub multiplier: u16,
}

impl CctEntry {
    /// No delay.
    pub const NONE: Self = Self { shift: 0, multiplier: 0 };
}

impl fmt::Display for CctEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shift, self.multiplier)
    }
}

/// The congestion control table, at most 128 entries; none means unset.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CctTable(pub Vec<CctEntry>);

impl CctTable {
    /// The most entries that the option can hold.
    pub const MOST: usize = 128;
}

impl fmt::Display for CctTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("(null)");
        }
        for (i, entry) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{entry}")?;
        }
        Ok(())
    }
}

/// One value for each of the 16 SLs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PerSl<T>(pub [T; 16]);
