//! Sets of rules as rows of bits, found by port or by number.

use std::collections::BTreeMap;

/// A set of rules: bit `n` of the words is rule `n`.
pub(super) type Row = Vec<u64>;

/// Words that a row of so many rules needs.
pub(super) const fn words(rules: usize) -> usize {
    rules.div_ceil(64)
}

/// Adds a rule to a row.
pub(super) fn set(row: &mut [u64], rule: usize) {
    row[rule / 64] |= 1 << (rule % 64);
}

/// Whether a rule is in a row.
pub(super) fn has(row: &[u64], rule: usize) -> bool {
    row.get(rule / 64).is_some_and(|word| word & (1 << (rule % 64)) != 0)
}

/// Rows, each different one kept once, by the place of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    words: usize,
    /// Which row each key has.
    row_of: Vec<u32>,
    bits: Vec<u64>,
}

impl Rows {
    /// The rows of all keys, in order.
    pub(super) fn new(words: usize, rows: impl IntoIterator<Item = Row>) -> Self {
        let mut known: BTreeMap<Row, u32> = BTreeMap::new();
        let (mut row_of, mut bits) = (Vec::new(), Vec::new());
        for row in rows {
            let next = known.len() as u32;
            let number = *known.entry(row).or_insert_with_key(|row| {
                bits.extend_from_slice(row);
                next
            });
            row_of.push(number);
        }
        Self { words, row_of, bits }
    }

    /// The row of a key.
    pub(super) fn get(&self, key: usize) -> Option<&[u64]> {
        let first = *self.row_of.get(key)? as usize * self.words;
        self.bits.get(first..first + self.words)
    }

    /// How many different rows there are.
    pub(super) fn different(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(0)
    }

    /// The different rows.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &[u64]> {
        // Without rules rows have no words, and there is nothing to tell of them.
        self.bits.chunks(self.words.max(1))
    }
}

/// Which rules fit a number of 64 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Intervals {
    /// Where stretches of numbers with one row begin; the first at 0.
    starts: Vec<u64>,
    rows: Rows,
    /// The rules that fit whatever the number, and so also where there is none.
    without: Row,
}

impl Intervals {
    /// From the ranges that each rule names. Rules that name none fit every number.
    pub(super) fn new(rules: usize, named: &[(usize, Vec<(u64, u64)>)]) -> Self {
        let words = words(rules);
        let mut without = vec![0; words];
        (0..rules).for_each(|rule| set(&mut without, rule));
        let mut starts = vec![0];
        for (rule, ranges) in named {
            without[rule / 64] &= !(1 << (rule % 64));
            for (low, high) in ranges {
                starts.push(*low);
                starts.extend(high.checked_add(1));
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let mut rows = vec![without.clone(); starts.len()];
        for (rule, ranges) in named {
            for (low, high) in ranges {
                let first = starts.partition_point(|s| s < low);
                let behind = starts.partition_point(|s| s <= high);
                rows[first..behind].iter_mut().for_each(|row| set(row, *rule));
            }
        }
        Self { starts, rows: Rows::new(words, rows), without }
    }

    /// The different rows: of numbers, and of queries without one.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &[u64]> {
        self.rows.distinct().chain([self.without.as_slice()])
    }

    /// The rules that fit a number, or that want none where there is none.
    pub(super) fn row(&self, number: Option<u64>) -> &[u64] {
        let Some(number) = number else { return &self.without };
        // The first stretch begins at 0, so that at least one begins at or before each number.
        let at = self.starts.partition_point(|s| *s <= number).saturating_sub(1);
        self.rows.get(at).unwrap_or(&self.without)
    }
}
