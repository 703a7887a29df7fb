//! Path SLs: which datelines the short way crosses, and the QoS level.

use std::sync::Arc;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::Sl;

use super::changes::Picture;
use super::lattice::Lattice;
use super::shape::Torus;
use crate::graph::Graph;

/// The SL of each path through a torus.
///
/// Bits 0, 1 and 2 say whether the shorter way round in x, y and z crosses the dateline, between
/// the last place and the first. They depend on the two places alone, so a failure changes no SL.
/// Bit 3 is the QoS level and comes from the SL that policy or partition ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairSls {
    lattice: Lattice,
    /// The coordinates of each port's switch; [`NOWHERE`] where it has none.
    of_port: Arc<[[u32; 3]]>,
    /// The coordinates of each switch.
    of_switch: Arc<[[u32; 3]]>,
    /// The torus that was found.
    picture: Arc<Picture>,
}

const NOWHERE: [u32; 3] = [u32::MAX; 3];

impl PairSls {
    pub(crate) fn new(fabric: &Fabric, torus: &Torus) -> Self {
        let place = |s: SwitchId| {
            let place = torus.places.of[s.index()];
            place.map_or(NOWHERE, |place| torus.lattice.coordinates(place as usize))
        };
        let of_port = (0..fabric.ports().len() as u32).map(|p| {
            let port = PortId(p);
            let on = match fabric.as_switch(fabric.owner(port)) {
                Some(switch) => Some(switch),
                None => Graph::attachment(fabric, port).map(|(switch, _)| switch),
            };
            on.map_or(NOWHERE, place)
        });
        let of_switch = fabric.switch_ids().map(place).collect();
        let picture = Arc::new(Picture::new(fabric, torus));
        Self { lattice: torus.lattice, of_port: of_port.collect(), of_switch, picture }
    }

    /// The SL from one end port to another. `hint` is the SL that would be used without the
    /// engine; only its highest bit counts.
    ///
    /// It is 0 where one of the ports is not on a switch of the torus; no table leads there.
    #[must_use]
    pub fn of_ports(&self, from: PortId, to: PortId, hint: Sl) -> Sl {
        self.between(self.port(from), self.port(to), hint)
    }

    /// The SL from the end ports on a switch, and from the switch itself, to an end port.
    #[must_use]
    pub fn of_switch(&self, from: SwitchId, to: PortId, hint: Sl) -> Sl {
        let from = self.of_switch.get(from.index()).copied().filter(|p| *p != NOWHERE);
        self.between(from, self.port(to), hint)
    }

    /// The coordinates of a switch, if it is part of the torus.
    #[must_use]
    pub fn coordinates(&self, switch: SwitchId) -> Option<[u32; 3]> {
        self.of_switch.get(switch.index()).copied().filter(|p| *p != NOWHERE)
    }

    /// What is different in a later torus of the same shape, a sentence each: switches and links
    /// that came or went, by their coordinates.
    #[must_use]
    pub fn changes(&self, later: &Self) -> Vec<String> {
        self.picture.changes(&later.picture)
    }

    fn port(&self, port: PortId) -> Option<[u32; 3]> {
        self.of_port.get(port.index()).copied().filter(|p| *p != NOWHERE)
    }

    fn between(&self, from: Option<[u32; 3]>, to: Option<[u32; 3]>, hint: Sl) -> Sl {
        let (Some(from), Some(to)) = (from, to) else { return Sl(0) };
        let crossed = (0..3).filter(|d| {
            let direct = from[*d].abs_diff(to[*d]);
            direct > self.lattice.radix[*d] - direct
        });
        Sl(crossed.fold(hint.0 & 8, |sl, d| sl | 1 << d))
    }
}
