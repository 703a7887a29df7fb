//! HyperX: a lattice in which each switch is cabled to all others of its row, in each dimension.
//!
//! A single dimension is a full mesh; dimensions of size 2 give a hypercube.

use super::sketch::Sketch;
use super::{TopoError, count, fit_radix, within};

/// The sizes of a HyperX.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HyperX {
    /// How many switches stand in each dimension.
    pub dims: Vec<u32>,
    /// Hosts on each switch.
    pub hosts: u8,
    /// Parallel cables between two neighbours.
    pub trunk: u8,
    /// Ports of a switch; by default as many as are needed.
    pub radix: Option<u8>,
}

impl HyperX {
    /// A HyperX with single cables.
    #[must_use]
    pub fn new(dims: &[u32], hosts: u8) -> Self {
        Self { dims: dims.to_vec(), hosts, trunk: 1, radix: None }
    }

    pub(super) fn sketch(&self) -> Result<Sketch, TopoError> {
        within("the number of dimensions", self.dims.len() as u64, 1, 8)?;
        for size in &self.dims {
            within("a dimension", u64::from(*size), 1, u64::MAX)?;
        }
        within("the number of parallel cables", u64::from(self.trunk), 1, 254)?;
        let (hosts, trunk) = (u64::from(self.hosts), u64::from(self.trunk));
        let neighbours: u64 = self.dims.iter().map(|d| u64::from(*d) - 1).sum();
        let radix = fit_radix("a switch", self.radix, hosts + trunk * neighbours)?;
        let switches = count(self.dims.iter().map(|d| u64::from(*d)))?;
        count([switches, 1 + hosts])?;
        let mut sketch = Sketch::new(radix);
        for i in 0..switches {
            let mut at = Vec::new();
            let mut stride = switches;
            for size in &self.dims {
                stride /= u64::from(*size);
                at.push((i / stride % u64::from(*size)).to_string());
            }
            sketch.switch(format!("sw-{}", at.join("-")));
        }
        for i in 0..switches {
            sketch.hosts_on(i as u32, 1, self.hosts);
            let mut stride = switches;
            let mut first_port = hosts + 1;
            for size in self.dims.iter().map(|d| u64::from(*d)) {
                stride /= size;
                let at = i / stride % size;
                // A switch's ports in a dimension are ordered by the neighbour's place, its own
                // place left out: the neighbour at `to` is the (to - 1)th seen from `at`, and
                // `at` is the `at`th seen from there.
                for to in at + 1..size {
                    let there = i + (to - at) * stride;
                    for c in 0..trunk {
                        let near = first_port + (to - 1) * trunk + c;
                        let far = first_port + at * trunk + c;
                        sketch.link((i as u32, near as u8), (there as u32, far as u8));
                    }
                }
                first_port += (size - 1) * trunk;
            }
        }
        Ok(sketch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topo::{Shape, TopoSpec, generate};

    #[test]
    fn each_switch_reaches_its_whole_row_at_once() {
        let spec = TopoSpec::new(Shape::HyperX(HyperX::new(&[4, 3], 2)));
        let fabric = generate(&spec).unwrap().fabric;
        assert_eq!(fabric.switches().len(), 12);
        // Each of 3 columns is a full mesh of 4, each of 4 rows one of 3.
        assert_eq!(fabric.links().count(), 3 * 6 + 4 * 3 + 24);
        for id in fabric.switches() {
            let mut far: Vec<_> = fabric
                .external_ports(*id)
                .filter_map(|p| fabric.peer(p))
                .map(|p| fabric.owner(p))
                .collect();
            assert_eq!(far.len(), 2 + 3 + 2);
            far.sort_unstable();
            far.dedup();
            assert_eq!(far.len(), 2 + 3 + 2);
        }
    }

    #[test]
    fn a_hypercube_and_a_trunk() {
        let cube = HyperX::new(&[2, 2, 2, 2], 1);
        let fabric = generate(&TopoSpec::new(Shape::HyperX(cube))).unwrap().fabric;
        assert_eq!(fabric.links().count(), 16 * 4 / 2 + 16);
        let trunk = HyperX { trunk: 3, ..HyperX::new(&[5], 0) };
        let fabric = generate(&TopoSpec::new(Shape::HyperX(trunk))).unwrap().fabric;
        assert_eq!(fabric.links().count(), 30);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for bad in [
            HyperX::new(&[], 1),
            HyperX::new(&[0], 1),
            HyperX::new(&[300], 1),
            HyperX { trunk: 0, ..HyperX::new(&[4], 1) },
            HyperX { radix: Some(3), ..HyperX::new(&[4], 1) },
        ] {
            assert!(generate(&TopoSpec::new(Shape::HyperX(bad.clone()))).is_err(), "{bad:?}");
        }
    }
}
