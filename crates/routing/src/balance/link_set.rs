//! Sets of links of one switch.

/// A set of links of a switch, by place in its row, in `W` words of 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LinkSet<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> LinkSet<W> {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; W]);

    /// Set number `at` of many that lie side by side; the empty one beyond them.
    #[inline]
    pub(crate) fn nth(words: &[u64], at: usize) -> Self {
        let set = words.get(at * W..).and_then(|words| words.first_chunk());
        set.map_or(Self::EMPTY, |set| Self(*set))
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        for (w, o) in self.0.iter_mut().zip(other.0) {
            *w &= o;
        }
        self
    }

    pub(crate) fn without(mut self, other: Self) -> Self {
        for (w, o) in self.0.iter_mut().zip(other.0) {
            *w &= !o;
        }
        self
    }

    pub(crate) fn union(&mut self, other: Self) {
        for (w, o) in self.0.iter_mut().zip(other.0) {
            *w |= o;
        }
    }

    /// This set, or the other one if this is empty.
    pub(crate) fn or_if_empty(self, other: Self) -> Self {
        if self.is_empty() { other } else { self }
    }

    /// The only link of the set, if there is exactly one.
    pub(crate) fn single(self) -> Option<usize> {
        let ones: u32 = self.0.iter().map(|w| w.count_ones()).sum();
        if ones == 1 { self.first() } else { None }
    }

    /// The first link from `start` on, beginning again at 0 where there is none.
    pub(crate) fn next(self, start: usize) -> Option<usize> {
        let mut late = self;
        for (w, word) in late.0.iter_mut().enumerate() {
            *word &= match start / 64 {
                at if w < at => 0,
                at if w == at => u64::MAX << (start % 64),
                _ => u64::MAX,
            };
        }
        late.or_if_empty(self).first()
    }

    /// The first link.
    pub(crate) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    /// Does something with each link, in ascending order.
    #[inline]
    pub(crate) fn each(self, mut what: impl FnMut(usize)) {
        for (w, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                what(w * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links<const W: usize>(set: LinkSet<W>) -> Vec<usize> {
        let mut links = Vec::new();
        set.each(|link| links.push(link));
        links
    }

    #[test]
    fn sets_over_more_than_one_word() {
        let set = LinkSet::<2>([1 << 3, 1 << 6]);
        let other = LinkSet([1 << 3, 0]);
        assert!(LinkSet::<2>::EMPTY.is_empty() && LinkSet::<2>::EMPTY.single().is_none());
        assert_eq!((set.single(), set.first(), links(set)), (None, Some(3), vec![3, 70]));
        let next = [0, 4, 70, 71].map(|start| set.next(start));
        assert_eq!(next, [Some(3), Some(70), Some(70), Some(3)]);
        assert_eq!(LinkSet::<2>::EMPTY.next(5), None);
        assert_eq!(set.without(other).single(), Some(70));
        assert_eq!(set.and(other), other);
        assert_eq!(LinkSet::EMPTY.or_if_empty(other), other);
        assert_eq!(links(LinkSet::<2>::nth(&[0, 0, 8, 64], 1)), [3, 70]);
    }
}
