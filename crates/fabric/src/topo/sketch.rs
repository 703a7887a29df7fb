//! A topology before it is a fabric: switches and hosts by number, and cables between them.

use lk_wire::{Guid, Lid};

use super::{MAX_NODES, TopoError};
use crate::graph::{Fabric, FabricBuilder, GraphError, LinkRate, NodeKind, NodeSpec};

/// Where one end of a cable is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// A switch, by number.
    Switch(u32),
    /// A host, by number.
    Host(u32),
}

/// A cable: two places with their port numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cable {
    pub(super) a: (Place, u8),
    pub(super) b: (Place, u8),
}

/// Switches, hosts and cables by number. A name that was taken out is `None`: numbers, and so
/// GUIDs, stay as they were.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    pub(super) radix: u8,
    pub(super) switches: Vec<Option<String>>,
    pub(super) hosts: Vec<Option<String>>,
    pub(super) cables: Vec<Cable>,
}

const SWITCH_GUID: u64 = 0x20_0000;
const HOST_GUID: u64 = 0x10_0000;
const HOST_STEP: u64 = 16;
const MANY_HOSTS_GUID: u64 = 0x1_0000_0000;

/// Mellanox (NVIDIA), the vendor whose devices the generated nodes claim to be.
const VENDOR: u32 = 0x2c9;
const SWITCH_DEVICE: u16 = 0xd2f0;
const HOST_DEVICE: u16 = 0x101b;
const REVISION: u32 = 0xa0;

impl Sketch {
    pub(super) const fn new(radix: u8) -> Self {
        Self { radix, switches: Vec::new(), hosts: Vec::new(), cables: Vec::new() }
    }

    pub(super) fn switch(&mut self, name: String) -> u32 {
        self.switches.push(Some(name));
        self.switches.len() as u32 - 1
    }

    /// Adds `count` hosts to a switch, from the port `first` on.
    ///
    /// `first + count - 1` is at most the radix: each shape has checked that before.
    pub(super) fn hosts_on(&mut self, switch: u32, first: u8, count: u8) {
        for i in 0..count {
            let host = self.hosts.len() as u32;
            self.hosts.push(Some(format!("host{host} HCA-1")));
            self.cables
                .push(Cable { a: (Place::Switch(switch), first + i), b: (Place::Host(host), 1) });
        }
    }

    /// Cables two switches.
    pub(super) fn link(&mut self, a: (u32, u8), b: (u32, u8)) {
        self.cables.push(Cable { a: (Place::Switch(a.0), a.1), b: (Place::Switch(b.0), b.1) });
    }

    pub(super) fn node_count(&self) -> u64 {
        let alive = |names: &[Option<String>]| names.iter().flatten().count() as u64;
        alive(&self.switches) + alive(&self.hosts)
    }

    pub(super) fn is_there(&self, place: Place) -> bool {
        let (names, i) = match place {
            Place::Switch(i) => (&self.switches, i),
            Place::Host(i) => (&self.hosts, i),
        };
        names.get(i as usize).is_some_and(Option::is_some)
    }

    /// Makes the fabric. Cables of nodes that were taken out are left out.
    pub(super) fn into_fabric(mut self, rate: LinkRate) -> Result<Fabric, TopoError> {
        if self.node_count() > MAX_NODES {
            return Err(TopoError::TooLarge { nodes: self.node_count() });
        }
        let cables = std::mem::take(&mut self.cables);
        self.build(&cables, rate).map_err(|e| TopoError::Unfit(e.to_string()))
    }

    fn build(&self, cables: &[Cable], rate: LinkRate) -> Result<Fabric, GraphError> {
        let mut builder = FabricBuilder::new();
        let mut switches = Vec::with_capacity(self.switches.len());
        for (i, name) in self.switches.iter().enumerate() {
            let Some(name) = name else {
                switches.push(None);
                continue;
            };
            let guid = Guid(SWITCH_GUID + i as u64);
            let node = builder.add_node(NodeSpec {
                vendor_id: VENDOR,
                device_id: SWITCH_DEVICE,
                revision: REVISION,
                enhanced_port0: true,
                ..NodeSpec::new(guid, NodeKind::Switch, name, self.radix)
            })?;
            switches.push(Some(node));
        }
        let room = (SWITCH_GUID - HOST_GUID) / HOST_STEP;
        let base = if self.hosts.len() as u64 > room { MANY_HOSTS_GUID } else { HOST_GUID };
        let mut hosts = Vec::with_capacity(self.hosts.len());
        for (i, name) in self.hosts.iter().enumerate() {
            let Some(name) = name else {
                hosts.push(None);
                continue;
            };
            let guid = Guid(base + HOST_STEP * i as u64);
            let node = builder.add_node(NodeSpec {
                vendor_id: VENDOR,
                device_id: HOST_DEVICE,
                ..NodeSpec::new(guid, NodeKind::Ca, name, 1)
            })?;
            builder.set_port(node, 1, Guid(guid.0 + 1), Lid(0), 0)?;
            hosts.push(Some(node));
        }
        let find = |place: Place| match place {
            Place::Switch(i) => switches.get(i as usize).copied().flatten(),
            Place::Host(i) => hosts.get(i as usize).copied().flatten(),
        };
        for cable in cables {
            let (Some(a), Some(b)) = (find(cable.a.0), find(cable.b.0)) else { continue };
            builder.connect((a, cable.a.1), (b, cable.b.1))?;
            builder.set_rate(a, cable.a.1, rate)?;
            builder.set_rate(b, cable.b.1, rate)?;
        }
        Ok(builder.build())
    }
}
