//! The tables of a routing in the form of opensm's dump files, as though the fabric held them.

use std::path::Path;
use std::sync::Arc;

use lk_fabric::{Fabric, PortId};
use lk_routing::Routes;
use lk_sm::{Desired, Observed, Settings, SweepFigures, View};
use lk_wire::{PortInfo, PortState};

use super::lids::Numbered;
use crate::commands::sm::files;
use crate::failure::Failure;

/// The log flag for all dumps of the routing.
const ROUTING: u8 = 0x40;

/// Writes the dumps into a folder, which is made if it is not there.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(
    folder: &Path,
    fabric: Fabric,
    lids: Numbered,
    routes: Routes,
    settings: Settings,
) -> Result<(), Failure> {
    let ports = ports(&fabric, &lids);
    // Dumps name the SM by the port that it sits on; nobody sits here.
    let seen = Observed::from_graph(fabric, ports.clone());
    let desired = Desired::routed(lids.map, ports, routes);
    let view = View {
        seen: Arc::new(seen),
        desired: Arc::new(desired),
        settings: Arc::new(settings),
        figures: SweepFigures::default(),
    };
    Ok(files::write_dumps(folder, &view, ROUTING)?)
}

/// PortInfo with what the dumps print: LIDs, and that cabled ports are up.
fn ports(fabric: &Fabric, lids: &Numbered) -> Vec<Option<PortInfo>> {
    let info = |port: u32| {
        let up = fabric.peer(PortId(port)).is_some();
        let mut info = PortInfo::default();
        info.set_port_state(if up { PortState::ACTIVE.0 } else { PortState::DOWN.0 });
        Some(info)
    };
    let mut ports: Vec<Option<PortInfo>> = (0..fabric.ports().len() as u32).map(info).collect();
    for (port, lid, lmc) in lids.map.ranges() {
        if let Some(info) = &mut ports[port.index()] {
            info.set_lid(lid.0);
            info.set_lmc(*lmc);
        }
    }
    ports
}
