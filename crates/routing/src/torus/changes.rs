//! What changed in a torus from one sweep to the next.

use lk_fabric::Fabric;
use lk_wire::Guid;

use super::lattice::{DIMENSIONS, Lattice, Way};
use super::shape::Torus;

/// The switches and links of a torus by coordinates, without the fabric that they were found in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Picture {
    lattice: Lattice,
    /// The switch at each place.
    switches: Vec<Option<Guid>>,
    /// The number of links from each place up in x, y and z.
    links: Vec<[usize; 3]>,
}

impl Picture {
    pub(super) fn new(fabric: &Fabric, torus: &Torus) -> Self {
        let guid = |switch| fabric.node(fabric.switch_node(switch)).guid;
        let links = |place| std::array::from_fn(|d| torus.group(place, Way::new(d, true)).len());
        Self {
            lattice: torus.lattice,
            switches: torus.places.at.iter().map(|at| at.map(guid)).collect(),
            links: (0..torus.lattice.len()).map(links).collect(),
        }
    }

    /// What is different later, a sentence each: switches first, then links between two switches
    /// that are there both times. A torus of another shape has nothing to be compared with.
    pub(super) fn changes(&self, later: &Self) -> Vec<String> {
        if self.lattice != later.lattice {
            return Vec::new();
        }
        let places = 0..self.lattice.len();
        let mut changes: Vec<String> =
            places.clone().filter_map(|place| self.switch(later, place)).collect();
        for place in places {
            changes.extend((0..DIMENSIONS.len()).filter_map(|d| self.link(later, place, d)));
        }
        changes
    }

    fn switch(&self, later: &Self, place: usize) -> Option<String> {
        let at = self.lattice.show(place);
        match (self.switches[place], later.switches[place]) {
            (None, Some(now)) => Some(format!("switch {now} came to {at}")),
            (Some(was), None) => Some(format!("switch {was} went from {at}")),
            (Some(was), Some(now)) if was != now => {
                Some(format!("switch {now} took the place of switch {was} at {at}"))
            }
            _ => None,
        }
    }

    fn link(&self, later: &Self, place: usize, dimension: usize) -> Option<String> {
        let next = self.lattice.step(place, Way::new(dimension, true))?;
        let stays = |p: usize| self.switches[p].is_some() && later.switches[p].is_some();
        let (was, now) = (self.links[place][dimension], later.links[place][dimension]);
        (was != now && stays(place) && stays(next)).then(|| {
            let (from, to) = (self.lattice.show(place), self.lattice.show(next));
            let change = now.abs_diff(was);
            let links = if change == 1 { "link" } else { "links" };
            let verb = if now > was { "came" } else { "went" };
            format!("{change} {links} {verb} between {from} and {to}, {now} now")
        })
    }
}
