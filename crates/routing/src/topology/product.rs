//! Products of graphs: the switches have coordinates, and each link changes one of them.
//!
//! Two links of a switch belong to the same dimension unless they span exactly one square without
//! a diagonal; then the opposite sides of that square belong together. What follows from that by
//! transitivity are the dimensions, if the graph is a product at all. That is checked: the
//! coordinates tell all switches apart, and each link of a factor is there at all others.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Dimension, Topology};
use crate::graph::Graph;

/// What a factor is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Factor {
    /// All linked with all; two or more.
    Clique(usize),
    /// Five or more in a ring: one of three is a clique, and one of four a product itself.
    Ring(usize),
    /// Three or more in a line.
    Line(usize),
}

/// The most dimensions that are looked for.
const MOST: usize = 16;
/// Steps that the search for squares may take.
const STEPS: usize = 400_000_000;

/// Links between switches, parallel ones as one, with their class.
struct Links {
    near: Vec<Vec<u32>>,
    number: FxHashMap<(u32, u32), usize>,
    parent: Vec<usize>,
}

impl Links {
    fn new(graph: &Graph) -> Self {
        let row = |s: usize| {
            let mut row: Vec<u32> = graph.links(s).iter().map(|l| l.peer.0).collect();
            row.sort_unstable();
            row.dedup();
            row
        };
        let near: Vec<Vec<u32>> = (0..graph.len()).map(row).collect();
        let mut number = FxHashMap::default();
        for (s, row) in near.iter().enumerate() {
            for peer in row.iter().filter(|peer| **peer > s as u32) {
                let next = number.len();
                number.insert((s as u32, *peer), next);
            }
        }
        let parent = (0..number.len()).collect();
        Self { near, number, parent }
    }

    fn class(&mut self, a: u32, b: u32) -> usize {
        let mut at = self.number.get(&(a.min(b), a.max(b))).copied().unwrap_or(0);
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, (a, b): (u32, u32), (c, d): (u32, u32)) {
        let (x, y) = (self.class(a, b), self.class(c, d));
        self.parent[x.max(y)] = x.min(y);
    }

    /// The fourth corner of the one square over two neighbours of `u`; none if they are linked, or
    /// there are more squares or none.
    fn corner(&self, u: u32, v: u32, w: u32) -> Option<u32> {
        let (a, b) = (&self.near[v as usize], &self.near[w as usize]);
        if a.binary_search(&w).is_ok() {
            return None;
        }
        let (mut i, mut j, mut found) = (0, 0, None);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    if a[i] != u && found.replace(a[i]).is_some() {
                        return None;
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        found
    }

    fn find_classes(&mut self) {
        for u in 0..self.near.len() as u32 {
            let row = self.near[u as usize].clone();
            for (at, v) in row.iter().enumerate() {
                for w in &row[at + 1..] {
                    match self.corner(u, *v, *w) {
                        Some(x) => {
                            self.join((u, *v), (*w, x));
                            self.join((u, *w), (*v, x));
                        }
                        None => self.join((u, *v), (u, *w)),
                    }
                }
            }
        }
    }

    /// For each switch the number of its part, if all links but those of a class count; and how
    /// many parts there are.
    fn parts_without(
        &self,
        class: usize,
        classes: &FxHashMap<(u32, u32), usize>,
    ) -> (Vec<u32>, usize) {
        let mut part = vec![u32::MAX; self.near.len()];
        let mut count = 0;
        let mut open = Vec::new();
        for start in 0..self.near.len() {
            if part[start] != u32::MAX {
                continue;
            }
            part[start] = count;
            open.push(start as u32);
            while let Some(s) = open.pop() {
                for peer in &self.near[s as usize] {
                    let link = (s.min(*peer), s.max(*peer));
                    if part[*peer as usize] == u32::MAX && classes.get(&link) != Some(&class) {
                        part[*peer as usize] = count;
                        open.push(*peer);
                    }
                }
            }
            count += 1;
        }
        (part, count as usize)
    }
}

/// The factors of the graph of switches, if all are of a known kind.
pub(super) fn factors(graph: &Graph) -> Option<Vec<Factor>> {
    let mut links = Links::new(graph);
    let steps: usize = links.near.iter().map(|row| row.len().pow(2) * row.len()).sum();
    if links.number.is_empty() || steps > STEPS {
        return None;
    }
    links.find_classes();
    let pairs: Vec<(u32, u32)> = links.number.keys().copied().collect();
    let classes: FxHashMap<(u32, u32), usize> =
        pairs.into_iter().map(|(a, b)| ((a, b), links.class(a, b))).collect();
    let mut names: Vec<usize> = classes.values().copied().collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > MOST {
        return None;
    }
    let switches = graph.len();
    let mut factors = Vec::new();
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); switches];
    let mut product = 1_usize;
    for class in names {
        let (part, size) = links.parts_without(class, &classes);
        let own: Vec<(u32, u32)> =
            classes.iter().filter(|(_, c)| **c == class).map(|(link, _)| *link).collect();
        let places_of = |(a, b): &(u32, u32)| {
            let (x, y) = (part[*a as usize], part[*b as usize]);
            (x.min(y), x.max(y))
        };
        let mut edges: Vec<(u32, u32)> = own.iter().map(places_of).collect();
        edges.sort_unstable();
        edges.dedup();
        product = product.checked_mul(size)?;
        let whole = size > 1
            && edges.iter().all(|(x, y)| x != y)
            && switches.is_multiple_of(size)
            && own.len() == edges.len() * (switches / size);
        if !whole {
            return None;
        }
        factors.push(kind(size, &edges)?);
        for (place, part) in places.iter_mut().zip(part) {
            place.push(part);
        }
    }
    let told_apart = places.into_iter().collect::<FxHashSet<_>>().len() == switches;
    factors.sort_unstable();
    (product == switches && told_apart).then_some(factors)
}

fn kind(size: usize, edges: &[(u32, u32)]) -> Option<Factor> {
    let mut degree = vec![0; size];
    for (x, y) in edges {
        degree[*x as usize] += 1;
        degree[*y as usize] += 1;
    }
    let most = degree.iter().copied().max()?;
    if edges.len() == size * (size - 1) / 2 {
        return Some(Factor::Clique(size));
    }
    // A factor is connected, for the whole graph is.
    match (most, edges.len()) {
        (2, n) if n == size => Some(Factor::Ring(size)),
        (2, n) if n + 1 == size => Some(Factor::Line(size)),
        _ => None,
    }
}

/// What a product of such factors is called.
pub(super) fn name(factors: &[Factor]) -> Option<Topology> {
    let (mut rings, mut lines, mut pairs, mut cliques) = (vec![], vec![], 0, vec![]);
    for factor in factors {
        match factor {
            Factor::Ring(n) => rings.push(*n),
            Factor::Line(n) => lines.push(*n),
            Factor::Clique(2) => pairs += 1,
            Factor::Clique(n) => cliques.push(*n),
        }
    }
    if cliques.iter().any(|n| *n > 3) {
        let simple = rings.is_empty() && lines.is_empty();
        let all = || [cliques.clone(), vec![2; pairs]].concat();
        return simple.then(|| Topology::HyperX(all()));
    }
    if rings.is_empty() && lines.is_empty() && cliques.is_empty() && pairs > 2 {
        return Some(Topology::Hypercube(pairs));
    }
    // A ring of three is a clique, and one of four is two pairs.
    rings.extend(cliques);
    if !rings.is_empty() || (lines.is_empty() && pairs == 2) {
        rings.extend(vec![4; pairs / 2]);
        pairs %= 2;
    }
    lines.extend(vec![2; pairs]);
    let torus = !rings.is_empty();
    let mut all: Vec<Dimension> =
        rings.into_iter().map(|size| Dimension { size, ring: true }).collect();
    all.extend(lines.into_iter().map(|size| Dimension { size, ring: false }));
    all.sort_by_key(|d| (std::cmp::Reverse(d.size), d.ring));
    Some(if torus { Topology::Torus(all) } else { Topology::Mesh(all) })
}
