//! Which of several equally loaded links is taken.

/// How ties are broken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Ties {
    /// The first link wins.
    #[default]
    First,
    /// `port_shifting`: counting starts at a link that depends on the load there is already, so
    /// that switches do not all choose alike.
    Shift,
    /// `scatter_ports`: at random, from this seed.
    Random(u32),
}

impl Ties {
    /// The tie breaker of one link for one LID, where it depends on nothing else: the least wins.
    pub(crate) fn random(self, lid: u16, switch: usize, link: usize) -> u64 {
        match self {
            Self::First | Self::Shift => 0,
            Self::Random(seed) => {
                let place = (u64::from(lid) << 40) ^ ((switch as u64) << 8) ^ link as u64;
                mix(place ^ mix(u64::from(seed)))
            }
        }
    }
}

/// Scrambles a number: neighbours come out unlike (the finaliser of splitmix64).
const fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

/// What options say of the choice of links.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Taste {
    /// How ties are broken.
    pub(crate) ties: Ties,
    /// Whether LIDs of switches are load like those of end ports.
    pub(crate) count_switches: bool,
    /// For each directed link whether its load is not counted; empty where all are.
    pub(crate) ignored: Vec<bool>,
    /// Whether LIDs keep to their summits, however uneven the load comes out.
    pub(crate) strict: bool,
    /// LIDs whose ties the first link wins all the same, ascending.
    pub(crate) plain: Vec<u16>,
}

impl Taste {
    /// Whether the load of all links counts, and of equally loaded ones the first wins.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.ties, Ties::First) && self.ignored.is_empty()
    }

    /// How ties are broken for a LID.
    pub(crate) fn ties(&self, lid: u16) -> Ties {
        match self.plain.binary_search(&lid) {
            Ok(_) => Ties::First,
            Err(_) => self.ties,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_even_and_the_same_each_time() {
        let mut wins = [0; 4];
        for lid in 0..4000 {
            let of = |link: &usize| Ties::Random(7).random(lid, 3, *link);
            wins[(0..4).min_by_key(of).unwrap_or(0)] += 1;
        }
        assert!(wins.iter().all(|n| (900..1100).contains(n)), "{wins:?}");
        assert_eq!(Ties::Random(7).random(1, 2, 3), Ties::Random(7).random(1, 2, 3));
        assert_ne!(Ties::Random(7).random(1, 2, 3), Ties::Random(8).random(1, 2, 3));
    }

    #[test]
    fn some_lids_are_not_scattered() {
        let taste = Taste { ties: Ties::Random(1), plain: vec![3, 9], ..Taste::default() };
        assert_eq!([3, 4, 9].map(|l| taste.ties(l)), [Ties::First, Ties::Random(1), Ties::First]);
    }
}
