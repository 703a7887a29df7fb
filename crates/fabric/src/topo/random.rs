//! Random regular graphs: every switch has the same number of cables to other switches, no two
//! go to the same one.
//!
//! The graph starts as a ring in which everybody knows the nearest neighbours and is stirred by
//! exchanging the ends of two cables at a time, which keeps it regular. It is stirred again until
//! it is connected.

use std::collections::BTreeSet;

use super::prng::Prng;
use super::sketch::Sketch;
use super::{TopoError, count, fit_radix, within};

/// The sizes of a random regular graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomRegular {
    /// Switches.
    pub switches: u32,
    /// Cables from each switch to others; fewer than there are switches.
    pub degree: u8,
    /// Hosts on each switch.
    pub hosts: u8,
    /// Chooses the graph.
    pub seed: u64,
    /// Ports of a switch; by default as many as are needed.
    pub radix: Option<u8>,
}

/// Exchanges tried for each cable in one round of stirring.
const EXCHANGES: usize = 20;

impl RandomRegular {
    pub(super) fn sketch(&self) -> Result<Sketch, TopoError> {
        let (n, degree) = (u64::from(self.switches), u64::from(self.degree));
        within("the number of switches", n, 1, u64::MAX)?;
        if degree >= n && degree > 0 {
            return Err(TopoError::Unfit(format!(
                "each of {n} switches cannot have cables to {degree} others"
            )));
        }
        if n * degree % 2 != 0 {
            return Err(TopoError::Unfit(format!(
                "{n} switches with {degree} ends of cables each make an odd number of ends"
            )));
        }
        if n > 1 && (degree == 0 || (degree == 1 && n > 2)) {
            return Err(TopoError::Unfit(format!(
                "{n} switches with {degree} cables each cannot be connected"
            )));
        }
        let radix = fit_radix("a switch", self.radix, degree + u64::from(self.hosts))?;
        count([n, 1 + u64::from(self.hosts)])?;
        let mut sketch = Sketch::new(radix);
        for i in 0..n {
            sketch.switch(format!("sw{i}"));
        }
        let mut next_port = vec![1_u8; n as usize];
        for (a, b) in self.edges() {
            let ends = [a, b].map(|s| {
                let port = next_port[s as usize];
                next_port[s as usize] += 1;
                (s, port)
            });
            sketch.link(ends[0], ends[1]);
        }
        for i in 0..n {
            sketch.hosts_on(i as u32, self.degree + 1, self.hosts);
        }
        Ok(sketch)
    }

    fn edges(&self) -> Vec<(u32, u32)> {
        let mut prng = Prng::new(self.seed);
        if self.degree == 2 {
            // Stirred rings fall apart; a ring in random order is what is wanted.
            let mut order: Vec<u32> = (0..self.switches).collect();
            prng.shuffle(&mut order);
            let next = order.iter().cycle().skip(1);
            return order.iter().zip(next).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        }
        let mut edges = self.ring();
        let mut known: BTreeSet<(u32, u32)> = edges.iter().copied().collect();
        // With three or more cables each, nearly every graph is connected: the ring itself, which
        // is, comes back only where a hundred rounds were not enough.
        for _ in 0..100 {
            for _ in 0..EXCHANGES * edges.len() {
                exchange(&mut edges, &mut known, &mut prng);
            }
            if connected(self.switches, &edges) {
                edges.sort_unstable();
                return edges;
            }
        }
        self.ring()
    }

    /// Every switch with its nearest neighbours on a ring, lower number first.
    fn ring(&self) -> Vec<(u32, u32)> {
        let n = self.switches;
        let mut edges = Vec::new();
        for i in 0..n {
            for step in 1..=u32::from(self.degree) / 2 {
                let j = ((u64::from(i) + u64::from(step)) % u64::from(n)) as u32;
                edges.push((i.min(j), i.max(j)));
            }
            if self.degree % 2 == 1 && i < n / 2 {
                edges.push((i, i + n / 2));
            }
        }
        edges
    }
}

/// Replaces the cables a-b and c-d by a-d and c-b, unless that would make a cable to itself or
/// a second one between the same two.
fn exchange(edges: &mut [(u32, u32)], known: &mut BTreeSet<(u32, u32)>, prng: &mut Prng) {
    let (i, j) = (prng.below(edges.len()), prng.below(edges.len()));
    let (a, b) = edges[i];
    let (mut c, mut d) = edges[j];
    if prng.next() & 1 == 1 {
        (c, d) = (d, c);
    }
    let (x, y) = ((a.min(d), a.max(d)), (c.min(b), c.max(b)));
    if i == j || a == d || c == b || x == y || known.contains(&x) || known.contains(&y) {
        return;
    }
    known.remove(&edges[i]);
    known.remove(&edges[j]);
    known.insert(x);
    known.insert(y);
    edges[i] = x;
    edges[j] = y;
}

fn connected(nodes: u32, edges: &[(u32, u32)]) -> bool {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); nodes as usize];
    for (a, b) in edges {
        next[*a as usize].push(*b);
        next[*b as usize].push(*a);
    }
    let mut seen = vec![false; nodes as usize];
    let mut todo = vec![0_u32];
    let mut reached = 0;
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        reached += 1;
        todo.extend(&next[at as usize]);
    }
    reached == nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topo::{Shape, TopoSpec, generate};

    const SMALL: RandomRegular =
        RandomRegular { switches: 24, degree: 5, hosts: 2, seed: 1, radix: Some(24) };

    #[test]
    fn every_switch_has_its_number_of_different_neighbours() {
        for (switches, degree, seed) in [(24, 5, 1), (10, 3, 2), (7, 6, 3), (50, 2, 4), (2, 1, 5)] {
            let spec = RandomRegular { switches, degree, seed, ..SMALL };
            let fabric = generate(&TopoSpec::new(Shape::Random(spec))).unwrap().fabric;
            assert_eq!(crate::components::components(&fabric).len(), 1);
            for id in fabric.switches() {
                let mut far: Vec<_> = fabric
                    .external_ports(*id)
                    .filter_map(|p| fabric.peer(p))
                    .map(|p| fabric.owner(p))
                    .collect();
                far.sort_unstable();
                far.dedup();
                assert_eq!(far.len(), usize::from(degree) + 2);
                assert!(!far.contains(id));
            }
        }
    }

    #[test]
    fn the_seed_chooses_the_graph() {
        let with = |seed| {
            let shape = Shape::Random(RandomRegular { seed, ..SMALL });
            generate(&TopoSpec::new(shape)).unwrap().fabric
        };
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for bad in [
            RandomRegular { degree: 24, ..SMALL },
            RandomRegular { switches: 25, ..SMALL },
            RandomRegular { degree: 1, ..SMALL },
            RandomRegular { degree: 0, ..SMALL },
            RandomRegular { hosts: 20, ..SMALL },
            RandomRegular { switches: 0, ..SMALL },
        ] {
            assert!(generate(&TopoSpec::new(Shape::Random(bad.clone()))).is_err(), "{bad:?}");
        }
    }
}
