//! What a port is for, as far as the SM tells ports apart.

use lk_fabric::{NodeKind, PortId};
use lk_qos::PortClass;
use lk_wire::PortState;

use crate::observe::Observed;

/// The kinds of ports that are set up in different ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// An adapter's port.
    Ca,
    /// A router's port.
    Router,
    /// Port 0 of a switch, the base kind: it has no lanes and no link.
    BasePort0,
    /// Port 0 of a switch, the enhanced kind.
    EnhancedPort0,
    /// A switch's port in front of an adapter or router.
    Leaf,
    /// A switch's port in front of a switch.
    Trunk,
}

impl Role {
    /// The role of a port; `None` for a switch's port whose link is down or leads nowhere.
    pub(super) fn of(seen: &Observed, port: PortId) -> Option<Self> {
        let fabric = &seen.fabric;
        let node = fabric.node(fabric.owner(port));
        match node.kind {
            NodeKind::Ca => Some(Self::Ca),
            NodeKind::Router => Some(Self::Router),
            NodeKind::Switch if fabric.port_num(port).0 == 0 => {
                Some(if node.enhanced_port0 { Self::EnhancedPort0 } else { Self::BasePort0 })
            }
            NodeKind::Switch => {
                let peer = fabric.node(fabric.owner(fabric.peer(port)?)).kind;
                match peer {
                    _ if seen.state(port) == PortState::DOWN => None,
                    NodeKind::Switch => Some(Self::Trunk),
                    NodeKind::Ca | NodeKind::Router => Some(Self::Leaf),
                }
            }
        }
    }

    /// The QoS option set that goes to the port; `None` where there is nothing to hold.
    pub(super) const fn class(self) -> Option<PortClass> {
        match self {
            Self::Ca => Some(PortClass::Ca),
            Self::Router => Some(PortClass::Router),
            Self::BasePort0 => None,
            Self::EnhancedPort0 => Some(PortClass::SwitchPort0),
            Self::Leaf => Some(PortClass::SwitchExternal),
            Self::Trunk => Some(PortClass::SwitchToSwitch),
        }
    }
}
