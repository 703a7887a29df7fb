//! Tori and meshes of any number of dimensions.
//!
//! Switches are numbered with the last dimension running fastest and called `sw-X-Y-Z`. Port
//! `2d + 1` goes forward in dimension `d`, port `2d + 2` back; hosts follow. A dimension of size
//! 2 has one cable, not two; one of size 1 has none.

use super::sketch::Sketch;
use super::{TopoError, count, fit_radix, within};

/// The sizes of a torus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torus {
    /// How many switches stand in each dimension.
    pub dims: Vec<u32>,
    /// Dimensions that are open, without the cable that closes the ring: a mesh. Shorter lists
    /// are filled with `false`.
    pub mesh: Vec<bool>,
    /// Hosts on each switch.
    pub hosts: u8,
    /// Ports of a switch; by default as many as are needed.
    pub radix: Option<u8>,
}

impl Torus {
    /// A torus with one host on each switch.
    #[must_use]
    pub fn new(dims: &[u32]) -> Self {
        Self { dims: dims.to_vec(), mesh: Vec::new(), hosts: 1, radix: None }
    }

    pub(super) fn sketch(&self) -> Result<Sketch, TopoError> {
        within("the number of dimensions", self.dims.len() as u64, 1, 8)?;
        for size in &self.dims {
            within("a dimension", u64::from(*size), 1, u64::MAX)?;
        }
        if self.mesh.len() > self.dims.len() {
            return Err(TopoError::Unfit(format!(
                "{} dimensions are to be open and there are {}",
                self.mesh.len(),
                self.dims.len()
            )));
        }
        let first_host = 2 * self.dims.len() as u64 + 1;
        let radix = fit_radix("a switch", self.radix, first_host - 1 + u64::from(self.hosts))?;
        let switches = count(self.dims.iter().map(|d| u64::from(*d)))?;
        count([switches, 1 + u64::from(self.hosts)])?;
        let mut sketch = Sketch::new(radix);
        for i in 0..switches {
            let at: Vec<String> = self.coordinates(i).iter().map(u64::to_string).collect();
            sketch.switch(format!("sw-{}", at.join("-")));
        }
        for i in 0..switches {
            sketch.hosts_on(i as u32, first_host as u8, self.hosts);
            let mut stride = switches;
            for (d, at) in self.coordinates(i).into_iter().enumerate() {
                let size = u64::from(self.dims[d]);
                stride /= size;
                let open = self.mesh.get(d).copied().unwrap_or(false);
                let last = at + 1 == size;
                if size == 1 || (last && (open || size == 2)) {
                    continue;
                }
                let next = if last { i - at * stride } else { i + stride };
                sketch.link((i as u32, 2 * d as u8 + 1), (next as u32, 2 * d as u8 + 2));
            }
        }
        Ok(sketch)
    }

    /// The place of a switch in each dimension.
    fn coordinates(&self, switch: u64) -> Vec<u64> {
        let mut rest = switch;
        let mut at: Vec<u64> = self
            .dims
            .iter()
            .rev()
            .map(|d| {
                let here = rest % u64::from(*d);
                rest /= u64::from(*d);
                here
            })
            .collect();
        at.reverse();
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Fabric;
    use crate::topo::{Shape, TopoSpec, generate};
    use lk_wire::{Guid, PortNum};

    fn torus(spec: Torus) -> Fabric {
        generate(&TopoSpec::new(Shape::Torus(spec))).unwrap().fabric
    }

    #[test]
    fn a_torus_has_as_many_cables_as_switches_in_each_dimension() {
        let fabric = torus(Torus::new(&[4, 5, 6]));
        assert_eq!(fabric.switches().len(), 120);
        assert_eq!(fabric.links().count(), 120 * 3 + 120);
        let two = torus(Torus { hosts: 2, ..Torus::new(&[6, 5]) });
        assert_eq!(two.links().count(), 30 * 2 + 60);
    }

    #[test]
    fn open_and_short_dimensions() {
        let mesh = Torus { mesh: vec![true, false], hosts: 0, ..Torus::new(&[4, 5]) };
        assert_eq!(torus(mesh).links().count(), 3 * 5 + 20);
        let short = Torus { hosts: 0, ..Torus::new(&[1, 2, 3]) };
        assert_eq!(torus(short).links().count(), 3 + 6);
    }

    #[test]
    fn ports_point_the_way_they_say() {
        let fabric = torus(Torus::new(&[3, 4]));
        let start = fabric.node_by_guid(Guid(0x20_0000)).unwrap();
        let far = |port: u8| {
            let at = fabric.peer(fabric.port_at(start, PortNum(port)).unwrap()).unwrap();
            fabric.port_name(at)
        };
        assert_eq!(far(1), "sw-1-0/2");
        assert_eq!(far(2), "sw-2-0/1");
        assert_eq!(far(3), "sw-0-1/4");
        assert_eq!(far(4), "sw-0-3/3");
        assert_eq!(far(5), "host0 HCA-1/1");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for bad in [
            Torus::new(&[]),
            Torus::new(&[4, 0]),
            Torus::new(&[100_000, 100_000]),
            Torus { radix: Some(4), ..Torus::new(&[4, 4]) },
            Torus { mesh: vec![true; 3], ..Torus::new(&[4, 4]) },
            Torus { hosts: 255, ..Torus::new(&[4, 4]) },
        ] {
            assert!(generate(&TopoSpec::new(Shape::Torus(bad.clone()))).is_err(), "{bad:?}");
        }
    }
}
