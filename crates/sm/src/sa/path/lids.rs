//! Pairs of LIDs of two ports, in the order in which they are answered.

use lk_wire::Lid;

/// The LIDs of an end that a query is about: from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LidRange {
    pub(super) first: Lid,
    pub(super) last: Lid,
}

impl LidRange {
    pub(super) const fn one(lid: Lid) -> Self {
        Self { first: lid, last: lid }
    }

    fn iter(self) -> impl Iterator<Item = (usize, Lid)> {
        (self.first.0..=self.last.0).map(Lid).enumerate()
    }
}

/// First the pairs of LIDs with the same offset, which are the preferred ones, then all others.
pub(super) fn pairs(from: LidRange, to: LidRange) -> impl Iterator<Item = (Lid, Lid, u8)> {
    let same = from.iter().zip(to.iter()).map(|((_, a), (_, b))| (a, b, PREFERRED));
    let others = from.iter().flat_map(move |(at, a)| {
        let rest = to.iter().filter(move |(other, _)| *other != at);
        rest.map(move |(_, b)| (a, b, OTHER))
    });
    same.chain(others)
}

/// PathRecord.Preference of paths between LIDs with the same offset.
const PREFERRED: u8 = 0;
/// PathRecord.Preference of all other paths.
const OTHER: u8 = 2;
