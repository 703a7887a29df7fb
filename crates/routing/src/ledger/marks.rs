//! A set of numbers that is emptied at once.

/// Numbers below a bound. To empty it costs nothing.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    of: Vec<u32>,
    round: u32,
}

impl Marks {
    /// No numbers, of those below `n`.
    pub(super) fn new(n: usize) -> Self {
        Self { of: vec![0; n], round: 1 }
    }

    /// Takes all out.
    pub(super) fn clear(&mut self) {
        self.round += 1;
    }

    /// Puts a number in; false if it was there.
    pub(super) fn set(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.of[number], self.round) != self.round
    }

    /// Whether a number is in it.
    pub(super) fn has(&self, number: usize) -> bool {
        self.of[number] == self.round
    }
}
