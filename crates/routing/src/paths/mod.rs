//! Which steps lead towards a destination switch, for 64 destination switches at a time.
//!
//! All LIDs of one switch (its own and those of the end ports on it) share their distances, so
//! distances are kept by destination *switch*. A word holds one bit for each of up to 64 of them,
//! and one pass over the links moves all 64 searches one hop on: the work is links x levels x
//! switches / 64 words.
//!
//! [`PathRule`] is what tells engines apart: [`min_hops::MinHops`] lets any link carry any path,
//! [`up_down::UpDown`] only those that do not climb again after a descent. [`crate::balance`]
//! takes it from there.

pub(crate) mod distances;
pub(crate) mod min_hops;
pub(crate) mod up_down;

use crate::graph::Graph;
use distances::Distances;

/// The longest path that is followed, in hops between switches, as in OpenSM, whose hop counts
/// are bytes. (A directed route, which has to reach each switch first, ends at 64.)
pub(crate) const MAX_HOPS: usize = 254;

/// Distances of all switches to up to 64 destination switches.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reach {
    /// `levels[h][s]`: the destinations that switch `s` reaches by `h` hops and no fewer.
    pub(crate) levels: Vec<Vec<u64>>,
    /// Hop counts from a file only: the destination switches.
    pub(crate) dests: Vec<u32>,
    /// Up/down only: the destinations to which a switch keeps descending.
    pub(crate) descends: Vec<u64>,
    /// Up/down only: the destinations to which a switch may take any link.
    pub(crate) lawless: Vec<u64>,
}

/// A law of paths: who may send to whom on the way to a destination.
pub(crate) trait PathRule: Sync {
    /// Distances to up to 64 destination switches, the first at bit 0.
    fn reach(&self, dests: &[u32]) -> Reach;

    /// The destinations for which the step from switch `s` over its link `link` (a place in its
    /// row) to `peer` is the first of a path of `h` hops.
    fn steps(&self, reach: &Reach, h: usize, s: usize, link: usize, peer: usize) -> u64;

    /// The distances between all switches, where these and the law of the steps say all that there
    /// is to say.
    fn distances(&self) -> Option<Distances> {
        None
    }

    /// Leaves only some of the links of `s`, in sets of `words` words: one for each destination.
    fn narrow(&self, _s: usize, _words: usize, _sets: &mut [u64]) {}
}

/// Writes the sets of links by which switch `s` may send to each of the 64 destinations of
/// `reach`: `words(s)` words for each destination, destination by destination.
pub(crate) fn push_link_sets<R: PathRule>(
    graph: &Graph,
    rule: &R,
    reach: &Reach,
    s: usize,
    out: &mut Vec<u64>,
) {
    let words = graph.words(s);
    let base = out.len();
    out.resize(base + 64 * words, 0);
    let mut square = [0_u64; 64];
    for word in 0..words {
        square.fill(0);
        let row = graph.links(s).iter().enumerate().skip(word * 64).take(64);
        for (cell, (at, link)) in square.iter_mut().zip(row) {
            for h in 1..reach.levels.len() {
                if reach.levels[h][s] != 0 {
                    *cell |= rule.steps(reach, h, s, at, link.peer.index());
                }
            }
        }
        transpose(&mut square);
        for (dest, set) in square.iter().enumerate() {
            out[base + dest * words + word] = *set;
        }
    }
    rule.narrow(s, words, &mut out[base..]);
}

/// Turns a square of 64 x 64 bits: bit `c` of row `r` becomes bit `r` of row `c`.
fn transpose(square: &mut [u64; 64]) {
    let mut width = 32;
    let mut low = u64::from(u32::MAX);
    while width != 0 {
        for r in (0..64).filter(|r| r & width == 0) {
            let swap = ((square[r] >> width) ^ square[r + width]) & low;
            square[r] ^= swap << width;
            square[r + width] ^= swap;
        }
        width /= 2;
        low ^= low << width;
    }
}

/// Sets by switch, one bit for each of up to 64 destinations, turned on their side.
#[derive(Clone, Debug)]
pub(crate) struct ByDestination {
    /// For each 64 switches, and each destination, the switches.
    squares: Vec<[u64; 64]>,
}

impl ByDestination {
    /// Turns the sets of all switches.
    pub(crate) fn new(sets: &[u64]) -> Self {
        let square = |sets: &[u64]| {
            let mut square = [0; 64];
            square[..sets.len()].copy_from_slice(sets);
            transpose(&mut square);
            square
        };
        Self { squares: sets.chunks(64).map(square).collect() }
    }

    /// The switches that have a destination in their sets, given by its bit; in ascending order.
    pub(crate) fn switches(&self, bit: usize) -> impl Iterator<Item = usize> {
        let squares = self.squares.iter().enumerate();
        squares.flat_map(move |(at, square)| bits(square[bit]).map(move |s| at * 64 + s))
    }
}

/// The places of the bits that are set.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let at = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(at)
    })
}

/// How many end ports (of adapters and routers) each switch sees at each distance in hops
/// between switches; `out[s][h]`. Those that it cannot reach are in no bar.
pub(crate) fn host_histogram(graph: &Graph) -> Vec<Vec<u32>> {
    use rayon::prelude::*;

    let leaves: Vec<u32> =
        (0..graph.len() as u32).filter(|s| !graph.hosts(*s as usize).is_empty()).collect();
    let rule = min_hops::MinHops::new(graph);
    let mut bars = vec![Vec::new(); graph.len()];
    for dests in leaves.chunks(64) {
        let reach = rule.reach(dests);
        bars.par_iter_mut().enumerate().for_each(|(s, bars): (usize, &mut Vec<u32>)| {
            for (h, level) in reach.levels.iter().enumerate() {
                let seen: usize =
                    bits(level[s]).map(|b| graph.hosts(dests[b] as usize).len()).sum();
                if seen != 0 && bars.len() <= h {
                    bars.resize(h + 1, 0);
                }
                if seen != 0 {
                    bars[h] += seen as u32;
                }
            }
        });
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_each_bit_to_its_mirror() {
        let mut square = [0_u64; 64];
        for (r, row) in square.iter_mut().enumerate() {
            *row = (r as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(r as u32);
        }
        let was = square;
        transpose(&mut square);
        for (r, was) in was.iter().enumerate() {
            for (c, is) in square.iter().enumerate() {
                assert_eq!(is >> r & 1, was >> c & 1, "row {r}, bit {c}");
            }
        }
    }

    #[test]
    fn sets_by_switch_are_turned_to_sets_by_destination() {
        let sets: Vec<u64> =
            (0..150).map(|s| (s as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let turned = ByDestination::new(&sets);
        for bit in 0..64 {
            let has = (0..sets.len()).filter(|s| sets[*s] >> bit & 1 == 1);
            assert!(turned.switches(bit).eq(has), "destination {bit}");
        }
    }

    #[test]
    fn bits_are_listed_from_the_lowest() {
        assert_eq!(bits(1 << 63 | 0b101).collect::<Vec<_>>(), [0, 2, 63]);
        assert_eq!(bits(0).count(), 0);
    }
}
