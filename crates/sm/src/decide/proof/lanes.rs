//! The lanes that desired SL2VL tables give.

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::proof::{LaneMap, Lanes, SlSet};
use lk_wire::{PortNum, Vl};

use crate::decide::QosTables;

/// The map of each egress port. On the external ports of a switch it is the same for all ports
/// that packets come in by.
pub(super) struct EgressLanes {
    by_port: Vec<LaneMap>,
    /// The slot of port 0 of each switch.
    first: Vec<PortId>,
    one_map: bool,
}

impl EgressLanes {
    /// What the tables will be. A switch that does not map SLs has one lane.
    pub(super) fn new(fabric: &Fabric, qos: &QosTables) -> Self {
        let map = |port: u32| {
            let table = qos.sl2vl(PortId(port), 1);
            table.map_or_else(|| LaneMap::new(|_| Vl(0)), |table| LaneMap::new(|sl| table.get(sl)))
        };
        let by_port: Vec<LaneMap> = (0..fabric.ports().len() as u32).map(map).collect();
        let is_switch = |port: PortId| fabric.as_switch(fabric.owner(port)).is_some();
        let between_switches =
            |port: &PortId| is_switch(*port) && fabric.peer(*port).is_some_and(is_switch);
        let ports = (0..by_port.len() as u32).map(PortId).filter(between_switches);
        let mut maps = ports.map(|port| by_port[port.index()]);
        let first_map = maps.next();
        let one_map = maps.all(|map| Some(map) == first_map);
        let first = fabric.switch_ids().map(|s| fabric.node(fabric.switch_node(s)).first).collect();
        Self { by_port, first, one_map }
    }

    /// Whether all ports between switches have the same table, so that a packet never changes its
    /// lane.
    pub(super) const fn keep_to_one_lane(&self) -> bool {
        self.one_map
    }
}

impl Lanes for EgressLanes {
    fn lanes(&self, switch: SwitchId, _: PortNum, out_port: PortNum) -> LaneMap {
        let port = self.first[switch.index()].index() + usize::from(out_port.0);
        self.by_port.get(port).copied().unwrap_or_else(|| LaneMap::new(|_| Vl::DROP))
    }
}

/// The SLs that some switch drops on the way from one cabled port to another.
pub(super) fn dropped<L: Lanes>(fabric: &Fabric, lanes: &L, sls: SlSet) -> SlSet {
    let mut found = SlSet::EMPTY;
    for switch in fabric.switch_ids() {
        let node = fabric.switch_node(switch);
        let cabled = fabric.external_ports(node).filter(|p| fabric.peer(*p).is_some());
        let ports: Vec<PortNum> = cabled.map(|p| fabric.port_num(p)).collect();
        for from in &ports {
            for to in ports.iter().filter(|to| *to != from) {
                let map = lanes.lanes(switch, *from, *to);
                let lost = sls.iter().filter(|sl| map.vl(*sl) == Vl::DROP);
                found = lost.fold(found, SlSet::with);
            }
        }
    }
    found
}
