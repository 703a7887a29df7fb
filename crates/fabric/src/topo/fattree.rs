//! Fat-trees: k-ary n-trees, with any radix, any number of levels, and oversubscription.
//!
//! With `k = radix / 2`, a tree of `n` levels has `k^(n-1)` switches in each level and `k` hosts
//! on each leaf. Level `i` stands `i` cables above the leaves; its switches are called `Li-0`,
//! `Li-1` and so on. Ports count from the children up: 1 to `m` go down, the ones after that go
//! up.
//!
//! A switch is known by `n - 1` digits: the first ones say in which subtree it is, the last ones
//! which of the subtree's equal switches it is. The parents of a switch are those that differ
//! from it in one digit only, the one that turns from the first kind into the second.

use super::sketch::Sketch;
use super::{TopoError, count, within};

/// The sizes of a fat-tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FatTree {
    /// Ports of a switch, 2 to 254.
    pub radix: u8,
    /// Levels of switches, 1 or more.
    pub levels: u8,
    /// Hosts on each leaf; by default as many as there are ports down.
    pub hosts: Option<u8>,
    /// Ports down to ports up at the leaves, `(2, 1)` for two to one. `(1, 1)` by default.
    pub oversubscription: (u8, u8),
    /// Uses all ports of the roots, so that there are twice as many leaves: `2 k^n` hosts.
    pub full_roots: bool,
}

impl FatTree {
    /// A k-ary n-tree of this radix, one to one.
    #[must_use]
    pub const fn new(radix: u8, levels: u8) -> Self {
        Self { radix, levels, hosts: None, oversubscription: (1, 1), full_roots: false }
    }

    /// Ports down and up at a leaf.
    fn leaf_ports(&self) -> Result<(u64, u64), TopoError> {
        let (a, b) = (u64::from(self.oversubscription.0), u64::from(self.oversubscription.1));
        within("the oversubscription's left side", a, 1, 254)?;
        within("the oversubscription's right side", b, 1, 254)?;
        let radix = u64::from(self.radix);
        if self.levels == 1 {
            return Ok((radix, 0));
        }
        let up = radix * b / (a + b);
        let down = up * a / b;
        if up == 0 || down == 0 {
            return Err(TopoError::Unfit(format!(
                "{radix} ports cannot be split {a} down to {b} up"
            )));
        }
        Ok((down, up))
    }

    /// Children and parents of the switches, level by level.
    fn arity(&self) -> Result<(Vec<u64>, Vec<u64>), TopoError> {
        within("the radix", u64::from(self.radix), 2, 254)?;
        within("the number of levels", u64::from(self.levels), 1, 20)?;
        let half = u64::from(self.radix / 2);
        let (down, up) = self.leaf_ports()?;
        let levels = usize::from(self.levels);
        let (mut children, mut parents) = (vec![half; levels], vec![half; levels]);
        parents[0] = up;
        parents[levels - 1] = 0;
        if self.full_roots && levels > 1 {
            children[levels - 1] = half * 2;
        }
        children[0] = self.hosts.map_or(down, u64::from);
        let needed = children[0] + parents[0];
        if needed > u64::from(self.radix) {
            let radix = u64::from(self.radix);
            return Err(TopoError::Ports { what: "a leaf", needed, radix });
        }
        Ok((children, parents))
    }

    pub(super) fn sketch(&self) -> Result<Sketch, TopoError> {
        let (children, parents) = self.arity()?;
        let levels = children.len();
        // Digit i of a switch in level l counts parents of level i where i < l, and children of
        // level i + 1 otherwise.
        let digits = |level: usize| -> Vec<u64> {
            (0..levels - 1).map(|i| if i < level { parents[i] } else { children[i + 1] }).collect()
        };
        let mut total = 0;
        let mut first = Vec::with_capacity(levels);
        for level in 0..levels {
            first.push(total as u32);
            total += count(digits(level))?;
        }
        let hosts = count(digits(0).into_iter().chain([children[0]]))?;
        count([total + hosts])?;
        let mut sketch = Sketch::new(self.radix);
        for level in 0..levels {
            for i in 0..count(digits(level))? {
                sketch.switch(format!("L{level}-{i}"));
            }
        }
        for leaf in 0..count(digits(0))? {
            sketch.hosts_on(leaf as u32, 1, children[0] as u8);
        }
        for level in 0..levels - 1 {
            // In mixed radix with the lowest digit first, replacing digit `level` means: cut the
            // number into the part below it, the digit, and the part above it.
            let below = digits(level)[..level].iter().product::<u64>();
            for i in 0..count(digits(level))? {
                let (low, rest) = (i % below, i / below);
                let (child, high) = (rest % children[level + 1], rest / children[level + 1]);
                for parent in 0..parents[level] {
                    let above = low + below * (parent + parents[level] * high);
                    sketch.link(
                        (first[level] + i as u32, (children[level] + parent + 1) as u8),
                        (first[level + 1] + above as u32, (child + 1) as u8),
                    );
                }
            }
        }
        Ok(sketch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Fabric, NodeKind, PortId};
    use crate::topo::{Shape, TopoSpec, generate};

    fn tree(spec: FatTree) -> Fabric {
        generate(&TopoSpec::new(Shape::FatTree(spec))).unwrap().fabric
    }

    fn sizes(fabric: &Fabric) -> (usize, usize, usize) {
        let switches = fabric.switches().len();
        (switches, fabric.nodes().len() - switches, fabric.links().count())
    }

    #[test]
    fn the_reference_figures() {
        assert_eq!(sizes(&tree(FatTree::new(36, 3))), (972, 5832, 5832 * 3));
        assert_eq!(sizes(&tree(FatTree::new(48, 3))), (1728, 13_824, 13_824 * 3));
        assert_eq!(sizes(&tree(FatTree::new(64, 3))), (3072, 32_768, 32_768 * 3));
    }

    #[test]
    fn small_trees_of_each_kind() {
        assert_eq!(sizes(&tree(FatTree::new(4, 3))), (12, 8, 24));
        assert_eq!(sizes(&tree(FatTree::new(4, 4))), (32, 16, 64));
        assert_eq!(sizes(&tree(FatTree::new(8, 1))), (1, 8, 8));
        let full = FatTree { full_roots: true, ..FatTree::new(8, 3) };
        assert_eq!(sizes(&tree(full)), (80, 128, 384));
        let tapered = FatTree { oversubscription: (2, 1), ..FatTree::new(36, 2) };
        assert_eq!(sizes(&tree(tapered)), (18 + 12, 18 * 24, 18 * 24 + 18 * 12));
        let sparse = FatTree { hosts: Some(3), ..FatTree::new(8, 2) };
        assert_eq!(sizes(&tree(sparse)), (8, 12, 12 + 16));
    }

    #[test]
    fn a_full_tree_has_its_cables_level_by_level() {
        let fabric = tree(FatTree::new(8, 3));
        let level = |p: PortId| {
            let node = fabric.node(fabric.owner(p));
            match node.kind {
                NodeKind::Switch => i32::from(node.description.as_bytes()[1] - b'0'),
                _ => -1,
            }
        };
        for (a, b) in fabric.links() {
            assert_eq!((level(a) - level(b)).abs(), 1);
        }
        for id in fabric.switches() {
            let cabled = fabric.external_ports(*id).filter(|p| fabric.peer(*p).is_some()).count();
            let top = fabric.node(*id).description.starts_with("L2");
            assert_eq!(cabled, if top { 4 } else { 8 });
        }
        assert_eq!(crate::components::components(&fabric).len(), 1);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for bad in [
            FatTree::new(1, 3),
            FatTree::new(36, 0),
            FatTree::new(254, 9),
            FatTree { hosts: Some(19), ..FatTree::new(36, 3) },
            FatTree { oversubscription: (0, 1), ..FatTree::new(36, 3) },
            FatTree { oversubscription: (99, 1), ..FatTree::new(36, 3) },
        ] {
            assert!(generate(&TopoSpec::new(Shape::FatTree(bad.clone()))).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn more_nodes_than_lids_is_said() {
        let made = generate(&TopoSpec::new(Shape::FatTree(FatTree::new(74, 3)))).unwrap();
        assert!(made.notes.iter().any(|n| n.contains("49151")), "{:?}", made.notes);
    }
}
