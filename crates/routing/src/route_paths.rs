//! What finished routes say of paths: the SL between two ports, and the lanes and SLs that the
//! proof has to judge.

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::{Lid, PortNum, Sl, Vl};

use crate::job::{Routes, SlPlan};
use crate::proof::{LaneMap, Lanes, PathSls, SlSet};
use crate::tables::LidMap;

impl Routes {
    /// The SL of the path between two end ports, to the base LID of the second one. `hint` is the
    /// SL that request, policy and partition lead to. [`SlPlan::sl`] has it for any LID.
    #[must_use]
    pub fn path_sl(&self, from: PortId, to: PortId, hint: Sl) -> Sl {
        match &self.sl {
            SlPlan::Any => hint,
            SlPlan::Constant(sl) => *sl,
            SlPlan::PerPair(sls) => sls.of_ports(from, to, hint),
            SlPlan::PerPath(lanes) => lanes.of_ports(from, to),
        }
    }

    /// The SL2VL table that the engine wants at `egress` for packets from the port `ingress` of
    /// the same switch; none where the configured one stands. See [`LaneOverrides::sl2vl`].
    #[must_use]
    pub fn sl2vl(&self, egress: PortId, ingress: PortNum) -> Option<LaneMap> {
        self.lanes.as_ref()?.sl2vl(egress, ingress)
    }

    /// What SL2VL tables do where neither the engine has its own nor anybody knows the configured
    /// ones: all packets share a lane, or, for an engine that gives each path an SL and counts on
    /// tables that keep them apart, each SL has the lane of its number.
    #[must_use]
    pub fn assumed_lanes(&self) -> LaneMap {
        match self.sl {
            SlPlan::PerPath(_) => LaneMap::new(|sl| Vl(sl.0)),
            _ => LaneMap::new(|_| Vl(0)),
        }
    }

    /// The SL2VL tables of the engine for the proof; `configured` stands where it has none.
    #[must_use]
    pub const fn proof_lanes<'a, L: Lanes>(
        &'a self,
        fabric: &'a Fabric,
        configured: &'a L,
    ) -> RouteLanes<'a, L> {
        RouteLanes { routes: self, fabric, configured }
    }

    /// The path SLs for the proof, where requests, policy and partitions lead to the SLs `hints`.
    #[must_use]
    pub const fn proof_sls<'a>(&'a self, lids: &'a LidMap, hints: SlSet) -> RouteSls<'a> {
        RouteSls { routes: self, lids, hints }
    }
}

/// SL2VL tables of a routing. See [`Routes::proof_lanes`].
#[derive(Clone, Copy, Debug)]
pub struct RouteLanes<'a, L> {
    routes: &'a Routes,
    fabric: &'a Fabric,
    configured: &'a L,
}

impl<L: Lanes> Lanes for RouteLanes<'_, L> {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        let first = self.fabric.node(self.fabric.switch_node(switch)).first;
        let egress = PortId(first.0 + u32::from(out_port.0));
        let own = self.routes.sl2vl(egress, in_port);
        own.unwrap_or_else(|| self.configured.lanes(switch, in_port, out_port))
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        self.configured.of_sender(port)
    }
}

/// Path SLs of a routing. See [`Routes::proof_sls`].
#[derive(Clone, Copy, Debug)]
pub struct RouteSls<'a> {
    routes: &'a Routes,
    lids: &'a LidMap,
    hints: SlSet,
}

impl PathSls for RouteSls<'_> {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        match &self.routes.sl {
            SlPlan::Any => self.hints,
            SlPlan::Constant(sl) => SlSet::one(*sl),
            SlPlan::PerPath(lanes) => SlSet::one(lanes.of_switch(from, to)),
            SlPlan::PerPair(sls) => {
                let Some(to) = self.lids.port(to) else { return SlSet::EMPTY };
                // Of a hint only the highest bit counts.
                let level = |level: u16, hint: Sl| match self.hints.0 & level {
                    0 => SlSet::EMPTY,
                    _ => SlSet::one(sls.of_switch(from, to, hint)),
                };
                SlSet(level(0x00FF, Sl(0)).0 | level(0xFF00, Sl(8)).0)
            }
        }
    }

    fn all(&self) -> SlSet {
        match &self.routes.sl {
            SlPlan::Any => self.hints,
            SlPlan::Constant(sl) => SlSet::one(*sl),
            SlPlan::PerPath(lanes) => lanes.used(),
            // Three bits come from the places, and the fourth from the hint.
            SlPlan::PerPair(_) => {
                let levels = self.hints.iter().map(|hint| hint.0 & 8);
                let low = |all: SlSet, level: u8| (0..8).fold(all, |s, l| s.with(Sl(level | l)));
                levels.fold(SlSet::EMPTY.with(Sl(0)), low)
            }
        }
    }

    /// Within a torus only the places of both ends count.
    fn alike(&self, one: Lid, other: Lid) -> bool {
        match &self.routes.sl {
            SlPlan::Any | SlPlan::Constant(_) | SlPlan::PerPair(_) => true,
            SlPlan::PerPath(lanes) => lanes.alike(one, other),
        }
    }
}
