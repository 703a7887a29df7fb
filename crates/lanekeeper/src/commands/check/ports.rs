//! The ports of a fabric, as they are once it is brought up with the site's options.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lk_audit::PortKind;
use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::text;
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::decide::egress_port;
use lk_sm::{Mode, Output, Settings, View};
use lk_wire::Mtu;

use crate::commands::sm::simulated::own_port;
use crate::failure::Failure;
use crate::input;

/// Brings a fabric up on the embedded simulator and sorts its ports by what they will hold.
///
/// # Errors
/// A file that cannot be read or holds no fabric; a fabric that cannot be brought up.
pub(super) fn kinds(
    path: &Path,
    settings: &Settings,
    found: &mut Diagnostics,
) -> Result<Vec<PortKind>, Failure> {
    let source: SourceFile = input::source(path)?;
    let (file, said) = text::read_fabric(&source);
    found.extend(said);
    let file = file.ok_or_else(|| anyhow!("{} holds no fabric", source.name()))?;
    let port = own_port(&file, settings.options.guid)?;
    let sim = SimFabric::new(&file.fabric, &SimOptions::default());
    let mut world = World::new(sim, port, settings.clone(), Mode::Once);
    let mut view: Option<Arc<View>> = None;
    world.drive(u64::MAX, &mut |output| {
        if let Output::View(last) = output {
            view = Some(last);
        }
    });
    let view = view.ok_or_else(|| {
        Failure::Refused(anyhow!("the fabric of {} cannot be brought up", source.name()))
    })?;
    Ok(of_view(&view))
}

fn of_view(view: &View) -> Vec<PortKind> {
    let fabric = &view.seen.fabric;
    let mut kinds: BTreeMap<_, PortKind> = BTreeMap::new();
    for (at, want) in view.desired.ports.iter().enumerate() {
        let port = lk_fabric::PortId(at as u32);
        let Some(want) = want else { continue };
        let Some(egress) = egress_port(&view.seen, port, want) else { continue };
        let mtu = Mtu(want.neighbor_mtu()).bytes().map_or(256, u32::from);
        let kind = kinds.entry((egress, mtu)).or_insert_with(|| PortKind {
            port: egress,
            mtu,
            count: 0,
            example: fabric.port_name(port),
        });
        kind.count += 1;
    }
    kinds.into_values().collect()
}
