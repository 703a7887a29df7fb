//! The tables of a routing in the form of opensm's dump files, as though the fabric held them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use lk_fabric::dumps::sl2vl;
use lk_fabric::{Fabric, PortId};
use lk_routing::proof::Lanes;
use lk_routing::{Routes, SlPlan};
use lk_sm::{Desired, Observed, Settings, SweepFigures, View};
use lk_wire::{Lid, PortInfo, PortState, Sl};

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
    files::write_dumps(folder, &view, ROUTING)?;
    if let Some(routes) = view.desired.routes.as_ref().filter(|r| needs_tables(r)) {
        let fabric = &view.seen.fabric;
        files::write_text(&folder.join("opensm-sl2vl.dump"), |out| {
            sl2vl(out, fabric, routes, &view)
        })?;
    }
    Ok(())
}

/// Whether it takes certain SL2VL tables for packets to go as the engine means them to.
fn needs_tables(routes: &Routes) -> bool {
    routes.lanes.is_some() || matches!(routes.sl, SlPlan::PerPath(_))
}

/// The SL2VL tables that the engine wants, or counts on.
fn sl2vl(out: &mut impl fmt::Write, fabric: &Fabric, routes: &Routes, view: &View) -> fmt::Result {
    let assumed = routes.assumed_lanes();
    let configured = view.settings.lanes_of(routes);
    let lanes = routes.proof_lanes(fabric, &configured);
    let lid = |port| Lid(view.seen.port_info(port).map_or(0, PortInfo::lid));
    sl2vl::write(out, fabric, lid, |end, from, to| {
        let map = match fabric.as_switch(fabric.owner(end)) {
            Some(switch) => lanes.lanes(switch, from, to),
            None => routes.sl2vl(end, from).unwrap_or(assumed),
        };
        std::array::from_fn(|sl| map.vl(Sl(sl as u8)).0)
    })
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
