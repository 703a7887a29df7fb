//! The only way in which a view can fail: too few bytes.

use std::fmt;

/// A buffer was shorter than the datagram or attribute that was to be read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// What was to be read, for example `PortInfo`.
    pub what: &'static str,
    /// How many bytes it needs.
    pub needed: usize,
    /// How many bytes there were.
    pub got: usize,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} needs {} bytes, got {}", self.what, self.needed, self.got)
    }
}

impl std::error::Error for WireError {}
