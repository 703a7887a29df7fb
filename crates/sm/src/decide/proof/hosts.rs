//! Traffic between adapters, and that with switches.
//!
//! What a fabric is for is the traffic between its adapters. Hosts and switches also talk to each
//! other on data lanes, as when perfquery reads a switch's counters; on trees with failed links
//! those ways may turn where no other way does. A loop that needs them is told apart.

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::proof::{LaneMap, Lanes, PathSls, Traffic, Wait};
use lk_routing::{LidMap, Proof, prove_all};
use lk_wire::{PortNum, Vl};

use super::Forwarding;

/// The proofs for both kinds of traffic.
pub(super) struct Proofs {
    /// For traffic with switches if that is free, else for traffic between adapters alone.
    pub(super) proof: Proof,
    /// Whether nothing between adapters can deadlock.
    pub(super) free: bool,
    /// A circle that needs traffic with switches.
    pub(super) switch_circle: Vec<Wait>,
}

impl Proofs {
    /// Proves.
    pub(super) fn new<L: Lanes, S: PathSls>(tables: &Forwarding<'_>, lanes: &L, sls: &S) -> Self {
        let Forwarding { fabric, lids, .. } = *tables;
        let whole = prove_all(tables, lanes, sls, Traffic::EndPorts);
        let goes_round = !whole.loops.is_empty();
        let Some(circle) = whole.circle.clone() else {
            return Self { proof: whole, free: !goes_round, switch_circle: Vec::new() };
        };
        let hosts = hosts_only(fabric, lids);
        let tables = Forwarding { lids: &hosts, ..*tables };
        let proof = prove_all(&tables, &BetweenHosts(lanes), sls, Traffic::EndPorts);
        let free = proof.circle.is_none() && !goes_round;
        let switch_circle = if proof.circle.is_none() { circle } else { Vec::new() };
        Self { proof, free, switch_circle }
    }
}

/// The LIDs of adapters and routers.
pub(super) fn hosts_only(fabric: &Fabric, lids: &LidMap) -> LidMap {
    let is_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    let ranges = lids.ranges().iter().filter(|(port, ..)| !is_switch(*port)).copied();
    LidMap::new(ranges.collect())
}

/// Lanes on which switches send nothing of their own.
pub(super) struct BetweenHosts<'a, L>(pub(super) &'a L);

impl<L: Lanes> Lanes for BetweenHosts<'_, L> {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        if in_port == PortNum(0) {
            return LaneMap::new(|_| Vl::DROP);
        }
        self.0.lanes(switch, in_port, out_port)
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        self.0.of_sender(port)
    }
}
