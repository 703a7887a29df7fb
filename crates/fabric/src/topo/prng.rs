//! A small generator of pseudo-random numbers (SplitMix64): the same seed, the same topology, on
//! every machine and in every version.

/// The state of the generator.
#[derive(Clone, Debug)]
pub(super) struct Prng(u64);

impl Prng {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0; 0 where it is.
    pub(super) const fn below(&mut self, bound: usize) -> usize {
        // The high half of the product of two 64-bit numbers: even enough for any size that is
        // generated here.
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// Puts `items` in random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_first_numbers() {
        // The reference values of SplitMix64 for the seed 1234567.
        let mut prng = Prng::new(1_234_567);
        assert_eq!(prng.next(), 6_457_827_717_110_365_317);
        assert_eq!(prng.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut prng = Prng::new(7);
        let mut seen = [0_u32; 5];
        for _ in 0..1000 {
            seen[prng.below(5)] += 1;
        }
        assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
        assert_eq!(prng.below(0), 0);
    }

    #[test]
    fn shuffling_keeps_all_items() {
        let mut items: Vec<u32> = (0..50).collect();
        Prng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
