//! Time as the core knows it: nanoseconds since some start, given with every input.

use std::fmt;
use std::ops::Add;

/// A moment, in nanoseconds since the start of the run. The core has no clock of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub u64);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(pub u64);

impl Duration {
    /// Microseconds.
    #[must_use]
    pub const fn micros(n: u64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// Milliseconds.
    #[must_use]
    pub const fn millis(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// Seconds.
    #[must_use]
    pub const fn secs(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }

    /// The span in whole milliseconds, at least 1 unless it is zero.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }

    /// The span in seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl Instant {
    /// The time that has passed since `earlier`; zero if that lies ahead.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}s", self.0 as f64 / 1e9)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}s", self.as_secs_f64())
    }
}
