//! Sets of turns.

use std::ops::Range;

/// A set of turns, as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TurnSet(Vec<u64>);

impl TurnSet {
    /// No turns, out of so many.
    pub(crate) fn new(turns: usize) -> Self {
        Self(vec![0; turns.div_ceil(64)])
    }

    /// The turns that these bits stand for, 64 in a word, the lowest bit first.
    pub(crate) const fn from_words(words: Vec<u64>) -> Self {
        Self(words)
    }

    /// Whether a turn is in it.
    #[inline]
    pub(crate) fn has(&self, turn: usize) -> bool {
        self.0[turn / 64] >> (turn % 64) & 1 == 1
    }

    /// Adds a turn.
    #[inline]
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

    /// Those of some turns that follow each other, in ascending order.
    #[inline]
    pub(crate) fn within(&self, turns: Range<usize>) -> Within<'_> {
        let at = turns.start / 64;
        let word = if turns.is_empty() { 0 } else { self.0[at] & (u64::MAX << (turns.start % 64)) };
        Within { words: &self.0, at, word, end: turns.end }
    }
}

/// The turns of a set out of some that follow each other.
#[derive(Clone, Debug)]
pub(crate) struct Within<'a> {
    words: &'a [u64],
    at: usize,
    word: u64,
    end: usize,
}

impl Iterator for Within<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.at += 1;
            if self.at * 64 >= self.end {
                return None;
            }
            self.word = self.words[self.at];
        }
        let turn = self.at * 64 + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        (turn < self.end).then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_within_bounds() {
        let mut set = TurnSet::new(300);
        let all = [0, 1, 63, 64, 127, 128, 190, 256, 299];
        all.into_iter().for_each(|turn| set.add(turn));
        for start in 0..300 {
            for end in start..=300 {
                let expected: Vec<usize> =
                    all.into_iter().filter(|t| (start..end).contains(t)).collect();
                assert_eq!(set.within(start..end).collect::<Vec<_>>(), expected, "{start}..{end}");
            }
        }
    }
}
