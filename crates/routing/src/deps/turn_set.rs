//! Sets of turns.

/// A set of turns, as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TurnSet(Vec<u64>);

impl TurnSet {
    /// No turns, out of so many.
    pub(crate) fn new(turns: usize) -> Self {
        Self(vec![0; turns.div_ceil(64)])
    }

    /// Whether a turn is in it.
    pub(crate) fn has(&self, turn: usize) -> bool {
        self.0[turn / 64] >> (turn % 64) & 1 == 1
    }

    /// Adds a turn.
    pub(crate) fn add(&mut self, turn: usize) {
        self.0[turn / 64] |= 1 << (turn % 64);
    }

    /// Takes a turn out.
    pub(crate) fn remove(&mut self, turn: usize) {
        self.0[turn / 64] &= !(1 << (turn % 64));
    }

    /// Takes all turns out.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }
}
