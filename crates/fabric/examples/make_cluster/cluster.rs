//! A made-up cluster of the size and shape that real ones have.
//!
//! Two levels: 8 NDR spines; 20 HDR leaves with 20 compute nodes each; 8 NDR leaves for the eight
//! rails of 12 GPU nodes; 2 HDR leaves for storage, login and management; one EDR leaf for
//! visualisation nodes, that only four of the spines have a port for. As in real life it is not
//! quite even: one compute leaf lacks two uplinks and four nodes, one uplink has come up with one
//! lane instead of four, the metadata servers still have dual-port FDR adapters, and one host was
//! never given a name.

use lk_fabric::text::write_ibnetdiscover;
use lk_fabric::{Added, Fabric, FabricBuilder, GraphError, LinkRate, NodeKind, NodeSpec};
use lk_wire::{Guid, Lid};

const HDR: &str = "4xHDR";
const NDR: &str = "4xNDR";

/// The cluster's nodes and cables, as they are plugged.
struct Cluster {
    builder: FabricBuilder,
    switches: u64,
    adapters: u64,
    /// Adapter ports and switches in the order of adding; LIDs go to them in this order.
    ends: Vec<(Added, u8, Guid)>,
}

/// A switch and its next free port.
#[derive(Clone, Copy)]
struct Switch {
    node: Added,
    next: u8,
}

impl Switch {
    const fn port(&mut self) -> (Added, u8) {
        let port = (self.node, self.next);
        self.next += 1;
        port
    }
}

/// A kind of adapter: device id and width and speed.
#[derive(Clone, Copy)]
struct Adapter(u16, &'static str);

const CONNECTX_3: Adapter = Adapter(0x1003, "4xFDR");
const CONNECTX_5: Adapter = Adapter(0x1017, "4xEDR");
const CONNECTX_6: Adapter = Adapter(0x101b, HDR);
const CONNECTX_7: Adapter = Adapter(0x1021, NDR);
/// The engine for collective operations that each Quantum switch has on its last port.
const HDR_ENGINE: Adapter = Adapter(0xcf09, HDR);
const NDR_ENGINE: Adapter = Adapter(0xcf09, NDR);

impl Cluster {
    fn switch(&mut self, name: &str, device: u16, ports: u8) -> Result<Switch, GraphError> {
        let guid = Guid(0xb8ce_f603_0012_0000 + 0x40 * self.switches);
        self.switches += 1;
        let node = self.builder.add_node(NodeSpec {
            vendor_id: 0x2c9,
            device_id: device,
            enhanced_port0: true,
            ..NodeSpec::new(guid, NodeKind::Switch, name, ports)
        })?;
        self.ends.push((node, 0, guid));
        Ok(Switch { node, next: 1 })
    }

    /// A switch with an engine on the port behind the last one for cables.
    fn quantum(&mut self, name: &str, generation: u8) -> Result<Switch, GraphError> {
        let (device, ports, engine) = match generation {
            1 => (0xd2f0, 41, HDR_ENGINE),
            _ => (0xd2f2, 65, NDR_ENGINE),
        };
        let switch = self.switch(name, device, ports)?;
        let node = self.adapter("Mellanox Technologies Aggregation Node", engine, 1)?;
        self.cable((node, 1), (switch.node, ports), engine.1)?;
        Ok(switch)
    }

    fn adapter(&mut self, name: &str, kind: Adapter, ports: u8) -> Result<Added, GraphError> {
        let guid = Guid(0xb8ce_f603_00a4_0000 + 0x10 * self.adapters);
        self.adapters += 1;
        let node = self.builder.add_node(NodeSpec {
            vendor_id: 0x2c9,
            device_id: kind.0,
            ..NodeSpec::new(guid, NodeKind::Ca, name, ports)
        })?;
        // One port shares its node's GUID, two count up from it.
        let step = u64::from(ports > 1);
        for port in 1..=ports {
            self.ends.push((node, port, Guid(guid.0 + step * u64::from(port))));
        }
        Ok(node)
    }

    /// A host's adapter with one port, plugged into a switch.
    fn host(&mut self, name: &str, kind: Adapter, on: &mut Switch) -> Result<Added, GraphError> {
        let node = self.adapter(name, kind, 1)?;
        self.cable((node, 1), on.port(), kind.1)?;
        Ok(node)
    }

    fn cable(&mut self, a: (Added, u8), b: (Added, u8), rate: &str) -> Result<(), GraphError> {
        let rate = LinkRate::parse(rate).unwrap_or_default();
        self.builder.connect(a, b)?;
        self.builder.set_rate(a.0, a.1, rate)?;
        self.builder.set_rate(b.0, b.1, rate)
    }

    /// Cables a leaf to each spine. `rate` is given the numbers of spine and cable and says how
    /// fast the cable is; `None` leaves it out.
    fn uplinks(
        &mut self,
        leaf: &mut Switch,
        spines: &mut [Switch],
        cables: u8,
        rate: impl Fn(usize, u8) -> Option<&'static str>,
    ) -> Result<(), GraphError> {
        for (number, spine) in spines.iter_mut().enumerate() {
            for cable in 0..cables {
                let (a, b) = (leaf.port(), spine.port());
                if let Some(rate) = rate(number + 1, cable + 1) {
                    self.cable(a, b, rate)?;
                }
            }
        }
        Ok(())
    }

    fn compute(&mut self, spines: &mut [Switch]) -> Result<(), GraphError> {
        let mut node = 1;
        for number in 1..=20 {
            let mut leaf = self.quantum(&format!("MF0;ibl{number:02}:MQM8700/U1"), 1)?;
            for _ in 0..if number == 17 { 16 } else { 20 } {
                let name = match node {
                    // Its description was never set: the adapter's own text stands there.
                    233 => "MT4123 ConnectX6   Mellanox Technologies".to_owned(),
                    _ => format!("cn{node:03} mlx5_0"),
                };
                self.host(&name, CONNECTX_6, &mut leaf)?;
                node += 1;
            }
            leaf.next = 21;
            self.uplinks(&mut leaf, spines, 2, |spine, cable| match (number, spine, cable) {
                (17, 7 | 8, 2) => None,
                (5, 3, 1) => Some("1xHDR"),
                _ => Some(HDR),
            })?;
        }
        Ok(())
    }

    fn gpus(&mut self, spines: &mut [Switch]) -> Result<(), GraphError> {
        for rail in 0..8 {
            let mut leaf = self.quantum(&format!("MF0;ibg{}:MQM9700/U1", rail + 1), 2)?;
            for host in 1..=12 {
                self.host(&format!("gpu{host:02} mlx5_{rail}"), CONNECTX_7, &mut leaf)?;
            }
            leaf.next = 33;
            self.uplinks(&mut leaf, spines, 2, |_, _| Some(NDR))?;
        }
        Ok(())
    }

    /// Storage, login and management on two leaves. Returns the port where the SM runs.
    fn services(&mut self, spines: &mut [Switch]) -> Result<(Added, u8), GraphError> {
        let mut first = self.quantum("MF0;ibs01:MQM8700/U1", 1)?;
        let mut second = self.quantum("MF0;ibs02:MQM8700/U1", 1)?;
        let home = self.host("mgmt01 mlx5_0", CONNECTX_6, &mut first)?;
        self.host("mgmt02 mlx5_0", CONNECTX_6, &mut second)?;
        for number in 1..=2 {
            let node = self.adapter(&format!("mds{number:02} HCA-1"), CONNECTX_3, 2)?;
            self.cable((node, 1), first.port(), CONNECTX_3.1)?;
            self.cable((node, 2), second.port(), CONNECTX_3.1)?;
        }
        for number in 1..=12 {
            self.host(&format!("oss{number:02} mlx5_0"), CONNECTX_6, &mut first)?;
            self.host(&format!("oss{number:02} mlx5_1"), CONNECTX_6, &mut second)?;
        }
        for number in 1..=4 {
            let leaf = if number % 2 == 1 { &mut first } else { &mut second };
            self.host(&format!("login{number} mlx5_0"), CONNECTX_6, leaf)?;
        }
        for leaf in [&mut first, &mut second] {
            leaf.next = 21;
            self.uplinks(leaf, spines, 2, |_, _| Some(HDR))?;
        }
        Ok((home, 1))
    }

    fn visualisation(&mut self, spines: &mut [Switch]) -> Result<(), GraphError> {
        let mut leaf = self.switch("MF0;ibv1:MSB7800/U1", 0xcf08, 37)?;
        for number in 1..=10 {
            self.host(&format!("viz{number:02} mlx5_0"), CONNECTX_5, &mut leaf)?;
        }
        leaf.next = 33;
        self.uplinks(&mut leaf, spines, 1, |_, _| Some("4xEDR"))
    }

    /// Gives every end a LID, the SM's port first, then the rest as they were plugged.
    fn lids(&mut self, home: Added) -> Result<(), GraphError> {
        self.ends.sort_by_key(|(node, ..)| *node != home);
        for (i, (node, port, guid)) in self.ends.iter().enumerate() {
            self.builder.set_port(*node, *port, *guid, Lid(i as u16 + 1), 0)?;
        }
        Ok(())
    }
}

/// The cluster, and the port where the SM runs.
fn build() -> Result<(Fabric, lk_fabric::PortId), GraphError> {
    let mut cluster =
        Cluster { builder: FabricBuilder::new(), switches: 0, adapters: 0, ends: Vec::new() };
    let mut spines = Vec::new();
    for number in 1..=8 {
        spines.push(cluster.quantum(&format!("MF0;ibc{number}:MQM9700/U1"), 2)?);
    }
    cluster.compute(&mut spines)?;
    cluster.gpus(&mut spines)?;
    let home = cluster.services(&mut spines)?;
    cluster.visualisation(&mut spines[..4])?;
    cluster.lids(home.0)?;
    let (fabric, map) = cluster.builder.build_with_map();
    let node = fabric.node(map[home.0.index()]);
    let port = lk_fabric::PortId(node.first.0 + u32::from(home.1));
    Ok((fabric, port))
}

/// The cluster as `ibnetdiscover` prints it on the host where the SM runs.
///
/// # Errors
/// None, unless the numbers in this file do not fit each other.
pub(crate) fn text() -> Result<String, Box<dyn std::error::Error>> {
    let (fabric, home) = build()?;
    let mut text = String::new();
    write_ibnetdiscover(&mut text, &fabric, Some(home))?;
    Ok(text)
}
