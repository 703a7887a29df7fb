//! The places of a torus: coordinates, and steps from one to the next.

/// The names of the dimensions, in the order in which packets take them.
pub(crate) const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// A direction: up or down in one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way(u8);

impl Way {
    /// +x, -x, +y, -y, +z, -z.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..6).map(Self)
    }

    /// Up or down in a dimension.
    pub(crate) const fn new(dimension: usize, up: bool) -> Self {
        Self(2 * dimension as u8 + !up as u8)
    }

    /// The place in lists of six.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0, 1 or 2 for x, y or z.
    pub(crate) const fn dimension(self) -> usize {
        self.0 as usize / 2
    }

    /// Whether coordinates grow.
    pub(crate) const fn up(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// The other direction.
    pub(crate) const fn back(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The shape of a torus. Places are numbered with x running fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lattice {
    /// Switches in each dimension, 1 where it is absent.
    pub(crate) radix: [u32; 3],
    /// Dimensions without the step from the last place to the first.
    pub(crate) open: [bool; 3],
}

impl Lattice {
    /// A lattice with these sizes, none of them 0. Dimensions of one or two places are open.
    pub(crate) fn new(radix: [u32; 3], open: [bool; 3]) -> Self {
        Self { radix, open: [0, 1, 2].map(|d| open[d] || radix[d] <= 2) }
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.radix.iter().map(|r| *r as usize).product()
    }

    /// The number of a place.
    pub(crate) const fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        let [rx, ry, _] = self.radix;
        x as usize + rx as usize * (y as usize + ry as usize * z as usize)
    }

    /// The coordinates of a place.
    pub(crate) const fn coordinates(&self, place: usize) -> [u32; 3] {
        let (rx, ry) = (self.radix[0] as usize, self.radix[1] as usize);
        [(place % rx) as u32, (place / rx % ry) as u32, (place / rx / ry) as u32]
    }

    /// The next place in a direction; none beyond an open end or where the dimension is absent.
    pub(crate) const fn step(&self, place: usize, way: Way) -> Option<usize> {
        let mut at = self.coordinates(place);
        let d = way.dimension();
        let last = self.radix[d] - 1;
        let here = at[d];
        let (edge, beyond) = if way.up() { (last, 0) } else { (0, last) };
        if here != edge {
            at[d] = if way.up() { here + 1 } else { here - 1 };
        } else if self.open[d] {
            return None;
        } else {
            at[d] = beyond;
        }
        Some(self.index(at))
    }

    /// The last dimension that has more than one place: the last that packets go.
    pub(crate) fn last_dimension(&self) -> usize {
        (0..3).rev().find(|d| self.radix[*d] > 1).unwrap_or(2)
    }

    /// Each ring of a dimension, as its places from coordinate 0 upwards.
    pub(crate) fn rings(&self, dimension: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
        let starts = (0..self.len()).filter(move |p| self.coordinates(*p)[dimension] == 0);
        starts.map(move |start| {
            let mut at = self.coordinates(start);
            let place = |i: u32| {
                at[dimension] = i;
                self.index(at)
            };
            (0..self.radix[dimension]).map(place).collect()
        })
    }

    /// A place for people: `(1,2,0)`.
    pub(crate) fn show(&self, place: usize) -> String {
        let [x, y, z] = self.coordinates(place);
        format!("({x},{y},{z})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_round_rings_and_end_at_open_ends() {
        let l = Lattice::new([5, 3, 2], [false, true, false]);
        assert_eq!(l.len(), 30);
        let at = |x, y, z| l.index([x, y, z]);
        let step = |from, d, up| l.step(from, Way::new(d, up));
        assert_eq!(step(at(4, 1, 0), 0, true), Some(at(0, 1, 0)));
        assert_eq!(step(at(0, 1, 0), 0, false), Some(at(4, 1, 0)));
        assert_eq!(step(at(2, 2, 0), 1, true), None);
        assert_eq!(step(at(2, 2, 1), 2, true), None, "two switches make no ring");
        assert_eq!(step(at(2, 2, 1), 2, false), Some(at(2, 2, 0)));
        for place in 0..l.len() {
            assert_eq!(l.index(l.coordinates(place)), place);
            for way in Way::all() {
                let there = l.step(place, way);
                assert_eq!(there.map_or(Some(place), |p| l.step(p, way.back())), Some(place));
            }
        }
    }

    #[test]
    fn rings_cover_all_places_once() {
        let l = Lattice::new([4, 3, 1], [false; 3]);
        for d in 0..3 {
            let mut all: Vec<usize> = l.rings(d).flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..12).collect::<Vec<_>>());
        }
        assert_eq!(l.last_dimension(), 1);
        assert_eq!(Lattice::new([1, 1, 1], [false; 3]).step(0, Way::new(0, true)), None);
    }
}
