//! The lanes that desired SL2VL tables give.

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::proof::{LaneMap, Lanes};
use lk_wire::{PortNum, SlToVlTable, Vl};

use crate::decide::QosTables;

/// The maps of each egress port: one, or one for each port that packets come in by where these
/// differ.
pub(super) struct EgressLanes {
    maps: Vec<LaneMap>,
    /// Where the maps of each port start, and whether there is one for each port in.
    by_port: Vec<(usize, bool)>,
    /// The slot of port 0 of each switch.
    first: Vec<PortId>,
    one_map: bool,
}

impl EgressLanes {
    /// What the tables will be. A switch that does not map SLs has one lane.
    pub(super) fn new(fabric: &Fabric, qos: &QosTables) -> Self {
        Self::of(fabric, |port, ingress| qos.sl2vl(port, ingress))
    }

    /// The tables of egress ports by the number of the port in; none: one lane.
    pub(super) fn of(fabric: &Fabric, sl2vl: impl Fn(PortId, u16) -> Option<SlToVlTable>) -> Self {
        let is_switch = |port: PortId| fabric.as_switch(fabric.owner(port)).is_some();
        let mut maps = Vec::new();
        let mut by_port = Vec::with_capacity(fabric.ports().len());
        let mut between = None;
        let mut one_map = true;
        for port in (0..fabric.ports().len() as u32).map(PortId) {
            let ports = u16::from(fabric.node(fabric.owner(port)).num_ports);
            let table = |ingress: u16| sl2vl(port, ingress);
            let alike = (1..ports).all(|n| table(n) == table(n + 1)) && table(0) == table(1);
            let ingress = if alike || !is_switch(port) { 1..=1 } else { 0..=ports };
            by_port.push((maps.len(), !alike && is_switch(port)));
            maps.extend(ingress.map(|n| match table(n) {
                Some(table) => LaneMap::new(|sl| table.get(sl)),
                None => LaneMap::new(|_| Vl(0)),
            }));
            if is_switch(port) && fabric.peer(port).is_some_and(is_switch) {
                let map = maps.last().copied();
                one_map &= alike && *between.get_or_insert(map) == map;
            }
        }
        let first = fabric.switch_ids().map(|s| fabric.node(fabric.switch_node(s)).first).collect();
        Self { maps, by_port, first, one_map }
    }

    /// Whether all ports between switches have the same table, so that a packet never changes its
    /// lane.
    pub(super) const fn keep_to_one_lane(&self) -> bool {
        self.one_map
    }
}

impl Lanes for EgressLanes {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        let port = self.first[switch.index()].index() + usize::from(out_port.0);
        let map = self.by_port.get(port).and_then(|(start, each)| {
            self.maps.get(start + if *each { usize::from(in_port.0) } else { 0 })
        });
        // Tables lead to no port that a switch does not have.
        map.copied().unwrap_or_else(|| LaneMap::new(|_| Vl::DROP))
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        let map = self.by_port.get(port.index()).and_then(|(start, _)| self.maps.get(*start));
        map.copied().unwrap_or_else(|| LaneMap::new(|_| Vl(0)))
    }
}
