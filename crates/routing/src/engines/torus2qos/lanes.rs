//! The SL2VL tables that keep a torus free of deadlock.

use lk_fabric::{Fabric, NodeKind};
use lk_wire::{Sl, Vl};

use crate::job::DataVls;
use crate::overrides::LaneOverrides;
use crate::proof::LaneMap;
use crate::torus::lattice::Way;
use crate::torus::shape::{Torus, port_id};

/// Ports that face the next switch in x, y or z have the classes 0, 1 and 2.
const HOST: u8 = 3;
/// Ports of adapters and routers.
const END: u8 = 4;

/// The tables for links between switches and for end ports that have so many data VLs.
pub(super) fn overrides(fabric: &Fabric, torus: &Torus, vls: DataVls) -> LaneOverrides {
    let mut classes = vec![HOST; fabric.ports().len()];
    for (id, node) in fabric.node_ids().map(|n| (n, fabric.node(n))) {
        if node.kind != NodeKind::Switch {
            for port in fabric.external_ports(id) {
                classes[port.index()] = END;
            }
        }
    }
    for (place, switch) in torus.places.at.iter().enumerate() {
        let Some(switch) = *switch else { continue };
        for way in Way::all() {
            for port in torus.group(place, way) {
                classes[port_id(fabric, switch, *port).index()] = way.dimension() as u8;
            }
        }
    }
    let table = |out: u8, inn: u8| LaneMap::new(|sl| lane(vls, out, inn, sl));
    LaneOverrides::new(fabric, classes, HOST, END, table)
}

/// The lane of an SL between two classes of ports.
///
/// Towards the next switch: bit 0 keeps those that cross the ring's dateline from those that do
/// not, bit 1 holds the hop after a turn against the order of dimensions, bit 2 is the QoS level.
/// Towards hosts only the QoS level counts.
const fn lane(vls: DataVls, out: u8, inn: u8, sl: Sl) -> Vl {
    let level = sl.0 >> 3 & 1;
    if out >= HOST {
        let vls = if out == END { vls.end_ports } else { vls.switches };
        return Vl(if vls >= 2 { level } else { 0 });
    }
    let mut vl = 0;
    if vls.switches >= 2 {
        vl |= sl.0 >> out & 1;
    }
    if vls.switches >= 4 && inn != HOST && inn > out {
        vl |= 2;
    }
    if vls.switches >= 8 {
        vl |= level << 2;
    }
    Vl(vl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(switches: u8, end_ports: u8, out: u8, inn: u8) -> Vec<u8> {
        let vls = DataVls { switches, end_ports };
        (0..16).map(|sl| lane(vls, out, inn, Sl(sl)).0).collect()
    }

    #[test]
    fn eight_lanes_hold_dateline_turn_and_level() {
        assert_eq!(all(8, 8, 0, HOST), [0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5]);
        assert_eq!(all(8, 8, 0, 1), [2, 3, 2, 3, 2, 3, 2, 3, 6, 7, 6, 7, 6, 7, 6, 7]);
        assert_eq!(all(8, 8, 1, 0), [0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5, 4, 4, 5, 5]);
        assert_eq!(all(8, 8, 2, 2), [0, 0, 0, 0, 1, 1, 1, 1, 4, 4, 4, 4, 5, 5, 5, 5]);
    }

    #[test]
    fn fewer_lanes_drop_the_level_then_the_turn() {
        assert_eq!(all(4, 2, 1, 2), [2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3]);
        assert_eq!(all(2, 2, 1, 2), [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
        let level = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
        assert_eq!(all(2, 1, HOST, 0), level);
        assert_eq!(all(8, 2, END, HOST), level);
        assert_eq!(all(8, 1, END, HOST), [0; 16]);
    }
}
