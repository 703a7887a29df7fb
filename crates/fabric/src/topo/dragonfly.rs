//! Dragonfly+: groups of leaves and spines, each group's spines cabled to all other groups.
//!
//! In a group every leaf has one cable to every spine. Global cables start at the spines only and
//! are dealt out evenly: each pair of groups has the same number of them, and a group's cables to
//! one other group lie on different spines as far as there are any. Leaves are called `gG-lL`,
//! spines `gG-sS`.

use super::sketch::Sketch;
use super::{TopoError, count, fit_radix, within};

/// The sizes of a Dragonfly+.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DragonflyPlus {
    /// Groups.
    pub groups: u32,
    /// Leaves of a group.
    pub leaves: u32,
    /// Spines of a group.
    pub spines: u32,
    /// Hosts on each leaf.
    pub hosts: u8,
    /// Cables between each two groups; by default as many as the spines' ports allow if the radix
    /// is given, else one for each spine.
    pub global: Option<u32>,
    /// Ports of a switch; by default as many as are needed.
    pub radix: Option<u8>,
}

impl DragonflyPlus {
    /// Cables between each two groups.
    fn globals(&self) -> u64 {
        let others = u64::from(self.groups).saturating_sub(1);
        match (self.global, self.radix) {
            (Some(asked), _) => u64::from(asked),
            (None, Some(radix)) if others > 0 => {
                let free = u64::from(radix).saturating_sub(u64::from(self.leaves));
                u64::from(self.spines) * free / others
            }
            (None, _) => u64::from(self.spines),
        }
    }

    pub(super) fn sketch(&self) -> Result<Sketch, TopoError> {
        within("the number of groups", u64::from(self.groups), 1, u64::MAX)?;
        within("the number of leaves of a group", u64::from(self.leaves), 1, 254)?;
        within("the number of spines of a group", u64::from(self.spines), 1, 254)?;
        let (groups, leaves) = (u64::from(self.groups), u64::from(self.leaves));
        let (spines, hosts) = (u64::from(self.spines), u64::from(self.hosts));
        let global = self.globals();
        if groups > 1 && global == 0 {
            return Err(TopoError::Unfit(format!(
                "no port of the spines is left for cables between {groups} groups"
            )));
        }
        let per_group = global.saturating_mul(groups - 1);
        let on_spine = leaves.saturating_add(per_group.div_ceil(spines));
        let radix = fit_radix("a leaf", self.radix, hosts + spines)?;
        let radix = radix.max(fit_radix("a spine", self.radix, on_spine)?);
        let switches = count([groups, leaves + spines])?;
        count([switches + count([groups, leaves, hosts])?])?;
        let mut sketch = Sketch::new(radix);
        for g in 0..groups {
            for l in 0..leaves {
                sketch.switch(format!("g{g}-l{l}"));
            }
            for s in 0..spines {
                sketch.switch(format!("g{g}-s{s}"));
            }
        }
        let first = |g: u64| g * (leaves + spines);
        for g in 0..groups {
            for l in 0..leaves {
                let leaf = (first(g) + l) as u32;
                sketch.hosts_on(leaf, 1, self.hosts);
                for s in 0..spines {
                    let spine = (first(g) + leaves + s) as u32;
                    sketch.link((leaf, (hosts + s + 1) as u8), (spine, (l + 1) as u8));
                }
            }
        }
        // A group sees the others by their distance around the circle of groups: cable c to the
        // group at distance d is the group's (c (groups - 1) + d - 1)th global cable, and those
        // go round the spines.
        let end = |g: u64, distance: u64, c: u64| {
            let nth = c * (groups - 1) + distance - 1;
            let spine = first(g) + leaves + nth % spines;
            (spine as u32, (leaves + nth / spines + 1) as u8)
        };
        for g in 0..groups {
            for h in g + 1..groups {
                for c in 0..global {
                    sketch.link(end(g, h - g, c), end(h, groups - (h - g), c));
                }
            }
        }
        Ok(sketch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Fabric;
    use crate::topo::{Shape, TopoSpec, generate};

    const SMALL: DragonflyPlus =
        DragonflyPlus { groups: 5, leaves: 4, spines: 4, hosts: 4, global: None, radix: None };

    fn made(spec: DragonflyPlus) -> Fabric {
        generate(&TopoSpec::new(Shape::DragonflyPlus(spec))).unwrap().fabric
    }

    fn group_of(fabric: &Fabric, port: crate::PortId) -> String {
        let name = &fabric.node(fabric.owner(port)).description;
        name.split('-').next().unwrap().to_owned()
    }

    #[test]
    fn each_pair_of_groups_has_the_same_number_of_cables() {
        let fabric = made(SMALL);
        assert_eq!(fabric.switches().len(), 40);
        assert_eq!(fabric.nodes().len(), 40 + 80);
        let mut pairs = std::collections::BTreeMap::new();
        for (a, b) in fabric.links() {
            let (a, b) = (group_of(&fabric, a), group_of(&fabric, b));
            if a != b && a.starts_with('g') && b.starts_with('g') {
                let key = if a < b { (a, b) } else { (b, a) };
                *pairs.entry(key).or_insert(0) += 1;
            }
        }
        assert_eq!(pairs.len(), 10);
        assert!(pairs.values().all(|n| *n == 4), "{pairs:?}");
    }

    #[test]
    fn the_radix_bounds_the_global_cables() {
        let fabric = made(DragonflyPlus { radix: Some(8), ..SMALL });
        // 4 spines with 4 free ports each, 4 other groups: 4 cables a pair, all ports used.
        assert_eq!(fabric.links().count(), 80 + 5 * 16 + 10 * 4);
        for id in fabric.switches() {
            assert_eq!(fabric.external_ports(*id).filter(|p| fabric.peer(*p).is_none()).count(), 0);
        }
    }

    #[test]
    fn sizes_that_do_not_divide_still_fit() {
        let fabric = made(DragonflyPlus { groups: 7, spines: 3, global: Some(2), ..SMALL });
        assert_eq!(fabric.links().count(), 7 * 16 + 7 * 12 + 21 * 2);
        assert_eq!(crate::components::components(&fabric).len(), 1);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for bad in [
            DragonflyPlus { groups: 0, ..SMALL },
            DragonflyPlus { radix: Some(4), ..SMALL },
            DragonflyPlus { global: Some(0), ..SMALL },
            DragonflyPlus { global: Some(10_000), ..SMALL },
            DragonflyPlus { groups: u32::MAX, leaves: 254, ..SMALL },
        ] {
            assert!(
                generate(&TopoSpec::new(Shape::DragonflyPlus(bad.clone()))).is_err(),
                "{bad:?}"
            );
        }
    }
}
