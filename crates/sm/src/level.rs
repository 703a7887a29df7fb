//! How loud an event is.

/// How loud an event is; the bits are those of OpenSM's `log_flags`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Something is wrong (0x01).
    Error,
    /// What an operator wants to see (0x02).
    Info,
    /// Details (0x04).
    Verbose,
    /// Goes to the system's log and to standard output as well (0x80).
    Sys,
}

impl Level {
    /// The bit in `log_flags`.
    #[must_use]
    pub const fn bit(self) -> u8 {
        match self {
            Self::Error => 0x01,
            Self::Info => 0x02,
            Self::Verbose => 0x04,
            Self::Sys => 0x80,
        }
    }
}
