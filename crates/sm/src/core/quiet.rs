//! What clients can cause without end is logged in measured doses.

use crate::time::{Duration, Instant};

/// Lets a few things through in each stretch of time, and counts the others.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Quiet {
    /// When the stretch began.
    since: Option<Instant>,
    /// How many were let through in it.
    passed: u32,
    /// How many were held back since the last one that was let through.
    held: u64,
}

impl Quiet {
    /// How many pass in a stretch.
    const MOST: u32 = 10;
    /// How long a stretch is.
    const STRETCH: Duration = Duration::secs(10);

    /// One more. Where it may pass: how many were held back before it.
    pub(super) fn pass(&mut self, now: Instant) -> Option<u64> {
        if self.since.is_none_or(|since| now.since(since) >= Self::STRETCH) {
            (self.since, self.passed) = (Some(now), 0);
        }
        if self.passed == Self::MOST {
            self.held += 1;
            return None;
        }
        self.passed += 1;
        Some(std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_pass_in_ten_seconds_and_the_others_are_counted() {
        let mut quiet = Quiet::default();
        let at = |seconds: u64| Instant(seconds * 1_000_000_000);
        let passed = (0..25).filter(|_| quiet.pass(at(5)).is_some()).count();
        assert_eq!(passed, 10);
        assert_eq!(quiet.pass(at(14)), None);
        assert_eq!(quiet.pass(at(15)), Some(16), "who was held back is told of with the next");
        assert_eq!(quiet.pass(at(16)), Some(0));
    }
}
