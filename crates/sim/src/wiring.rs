//! Which port is at the other end of which cable just now: the arrays that a datagram's walk
//! reads, and nothing else.
//!
//! A fabric's port slots are copied into one flat array of small entries, so that a hop is two
//! look-ups: the slot of the egress port, and the slot at the other end. A link that is down, for
//! whichever reason, has no far end here. [`crate::walk`] walks; [`crate::link`] decides which
//! links are up.

use lk_fabric::{Fabric, NodeKind, PortId};

/// "Nobody at the other end".
const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The slot of the node's port 0.
    first: u32,
    /// The slot at the far end while the link is up.
    peer: u32,
    number: u8,
    num_ports: u8,
    is_switch: bool,
}

/// The slots of all ports.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    slots: Vec<Slot>,
}

impl Wiring {
    /// The slots of a fabric with all links down.
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let mut slots = Vec::with_capacity(fabric.ports().len());
        for node in fabric.nodes() {
            slots.extend((0..=node.num_ports).map(|number| Slot {
                first: node.first.0,
                peer: NOBODY,
                number,
                num_ports: node.num_ports,
                is_switch: node.kind == NodeKind::Switch,
            }));
        }
        Self { slots }
    }

    /// The port's number on its node.
    #[inline]
    pub(crate) fn number(&self, port: PortId) -> u8 {
        self.slots[port.index()].number
    }

    /// Whether the port's node is a switch.
    #[inline]
    pub(crate) fn on_switch(&self, port: PortId) -> bool {
        self.slots[port.index()].is_switch
    }

    /// The slot of port 0 of the port's node.
    #[inline]
    pub(crate) fn port_zero(&self, port: PortId) -> PortId {
        PortId(self.slots[port.index()].first)
    }

    /// The slot of external port `number` (1 and up) of the node that `port` belongs to.
    #[inline]
    pub(crate) fn sibling(&self, port: PortId, number: u8) -> Option<PortId> {
        let slot = &self.slots[port.index()];
        (number != 0 && number <= slot.num_ports).then(|| PortId(slot.first + u32::from(number)))
    }

    /// The port at the far end, while the link is up.
    #[inline]
    pub(crate) fn far_end(&self, port: PortId) -> Option<PortId> {
        let peer = self.slots[port.index()].peer;
        (peer != NOBODY).then_some(PortId(peer))
    }

    /// Joins the two ends of a cable.
    pub(crate) fn join(&mut self, a: PortId, b: PortId) {
        self.slots[a.index()].peer = b.0;
        self.slots[b.index()].peer = a.0;
    }

    /// Parts the port from its far end.
    pub(crate) fn part(&mut self, port: PortId) {
        if let Some(peer) = self.far_end(port) {
            self.slots[peer.index()].peer = NOBODY;
        }
        self.slots[port.index()].peer = NOBODY;
    }
}
