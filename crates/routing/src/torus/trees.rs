//! Multicast: the spanning tree of all switches of a torus, of which the tree of every group is a
//! part.
//!
//! From the root the tree goes along x, from there along y, from there along z, and never over a
//! dateline unless a ring is cut. So packets away from the root turn as unicast does, and those
//! towards it can add three of the four turns of a circle at most. Groups have to use SL 0 or 8,
//! which carry no dateline bits.

use super::lattice::{Lattice, Way};
use super::shape::Torus;
use crate::multicast::master_tree::{MasterTree, Up};

/// The tree of OpenSM, which tries a few roots on a diagonal; where none of them reaches all
/// switches, that of another root.
pub(crate) fn usual(torus: &Torus) -> Option<MasterTree> {
    let mut trees = roots(torus).into_iter();
    trees.find_map(|root| tree_from(torus, root, Shape::OverDatelines))
}

/// Trees that reach all switches, root by root: those that hang what a hole cuts off a branch
/// on another branch come before those that go on over the dateline.
pub(crate) fn others(torus: &Torus) -> impl Iterator<Item = MasterTree> {
    const SHAPES: [Shape; 3] =
        [Shape::Hung { up_first: false }, Shape::Hung { up_first: true }, Shape::OverDatelines];
    let of_root = move |root| SHAPES.into_iter().filter_map(move |s| tree_from(torus, root, s));
    roots(torus).into_iter().flat_map(of_root)
}

/// The tree from a root, if it reaches all switches.
fn tree_from(torus: &Torus, root: usize, shape: Shape) -> Option<MasterTree> {
    let ways = grow(torus, root, shape);
    let reached = ways.iter().flatten().count() + 1;
    let whole = reached == torus.places.at.iter().flatten().count();
    whole.then(|| of_ways(torus, root, &ways)).flatten()
}

/// The tree in which each place but the root goes the given way towards it.
fn of_ways(torus: &Torus, root: usize, ways: &[Option<Way>]) -> Option<MasterTree> {
    let mut up = vec![None; torus.places.of.len()];
    for (place, way) in ways.iter().enumerate() {
        let (Some(way), Some(switch)) = (*way, torus.places.at[place]) else { continue };
        let next = torus.next(place, way)?;
        let ports = torus.group(place, way).iter().copied();
        let links = ports.zip(torus.group(next, way.back()).iter().copied()).collect();
        up[switch.index()] = Some(Up { parent: torus.places.at[next]?, links });
    }
    Some(MasterTree::new(torus.places.at[root]?, up))
}

/// All roots, those that OpenSM tries first.
fn roots(torus: &Torus) -> Vec<usize> {
    let all = (0..torus.lattice.len()).filter(|p| torus.places.at[*p].is_some());
    first_roots(torus).into_iter().chain(all).collect()
}

/// The roots that OpenSM tries: on a diagonal through the middle of a plane, where row and column
/// are whole.
fn first_roots(torus: &Torus) -> Vec<usize> {
    let lattice = &torus.lattice;
    let [rx, ry, rz] = lattice.radix;
    let whole_plane = |z: &u32| {
        let mut places = (0..lattice.len()).filter(|p| lattice.coordinates(*p)[2] == *z);
        places.all(|p| torus.places.at[p].is_some())
    };
    let mut planes = outwards(i64::from(rz)).filter_map(|by| shifted(rz / 2, by, rz));
    let plane = planes.find(whole_plane).unwrap_or(rz / 2);
    let there = |x, y| torus.places.at[lattice.index([x, y, plane])].is_some();
    let (middle_x, middle_y) = (rx / 2, ry / 2);
    let steps = i64::from(middle_x.min(middle_y));
    let diagonal = outwards(steps).filter_map(|by| {
        let at = [(middle_x, rx), (middle_y, ry)].map(|(m, radix)| shifted(m, by, radix));
        let [Some(x), Some(y)] = at else { return None };
        let whole = (0..rx).all(|x| there(x, y)) && (0..ry).all(|y| there(x, y));
        whole.then(|| lattice.index([x, y, plane]))
    });
    diagonal.collect()
}

/// 0, -1, 1, -2, 2 and so on.
fn outwards(most: i64) -> impl Iterator<Item = i64> {
    std::iter::once(0).chain((1..=most).flat_map(|n| [-n, n]))
}

/// A coordinate moved by some steps, where that is still one.
fn shifted(middle: u32, by: i64, radix: u32) -> Option<u32> {
    u32::try_from(i64::from(middle) + by).ok().filter(|c| *c < radix)
}

/// What becomes of switches that a hole cuts off the branch that they belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// The branch goes on over the dateline from its other end.
    OverDatelines,
    /// They hang on the next switch of another branch, looked for in this order.
    Hung { up_first: bool },
}

/// The way towards the root from each place that the tree reaches.
fn grow(torus: &Torus, root: usize, shape: Shape) -> Vec<Option<Way>> {
    let lattice = &torus.lattice;
    let ways = vec![None; lattice.len()];
    let mut tree = Tree { torus, root, ways, over: shape == Shape::OverDatelines };
    for dimension in 0..3 {
        // What the dimensions before have reached, in order of places.
        let reached: Vec<usize> = (0..lattice.len()).filter(|p| tree.has(*p)).collect();
        for place in reached {
            tree.branch(lattice, place, dimension);
        }
    }
    if let Shape::Hung { up_first } = shape {
        while tree.hang(lattice, up_first) {}
    }
    tree.ways
}

struct Tree<'a> {
    torus: &'a Torus,
    root: usize,
    ways: Vec<Option<Way>>,
    /// Whether a branch may go on over its dateline.
    over: bool,
}

impl Tree<'_> {
    /// Hangs places that the tree does not reach on neighbours that it does, short of datelines.
    /// Returns whether there were any.
    fn hang(&mut self, lattice: &Lattice, up_first: bool) -> bool {
        let mut ways: Vec<Way> = Way::all().collect();
        ways.sort_by_key(|way| (way.dimension(), way.up() != up_first));
        let open: Vec<usize> = (0..lattice.len())
            .filter(|p| self.torus.places.at[*p].is_some() && !self.has(*p))
            .collect();
        let found: Vec<(usize, Way)> = open
            .into_iter()
            .filter_map(|place| {
                let leads = |way: &&Way| {
                    let at = lattice.coordinates(place)[way.dimension()];
                    let last = lattice.radix[way.dimension()] - 1;
                    let over = at == if way.up() { last } else { 0 };
                    !over && self.torus.next(place, **way).is_some_and(|next| self.has(next))
                };
                Some((place, *ways.iter().find(leads)?))
            })
            .collect();
        for (place, way) in &found {
            self.ways[*place] = Some(*way);
        }
        !found.is_empty()
    }

    fn has(&self, place: usize) -> bool {
        place == self.root || self.ways[place].is_some()
    }

    /// Grows along a ring to both ends, short of the dateline. Where one side is cut, the other
    /// goes on over the dateline.
    fn branch(&mut self, lattice: &Lattice, start: usize, dimension: usize) {
        let at = lattice.coordinates(start)[dimension];
        let last = lattice.radix[dimension] - 1;
        let [down, up] = [Way::new(dimension, false), Way::new(dimension, true)];
        let (low, below) = self.run(start, down, at);
        let (high, above) = self.run(start, up, last - at);
        if !self.over || (below, above) == (at, last - at) {
            return;
        }
        if below == at {
            self.run(low, down, last);
        }
        if above == last - at {
            self.run(high, up, last);
        }
    }

    /// Goes on in a direction while there are switches without a branch. Returns where it ends
    /// and after how many steps.
    fn run(&mut self, start: usize, way: Way, most: u32) -> (usize, u32) {
        let mut at = start;
        for step in 0..most {
            let next = self.torus.next(at, way).filter(|next| !self.has(*next));
            let Some(next) = next else { return (at, step) };
            self.ways[next] = Some(way.back());
            at = next;
        }
        (at, most)
    }
}
