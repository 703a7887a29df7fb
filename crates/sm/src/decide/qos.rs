//! SL2VL and VLArb tables by egress port. Most ports of a fabric want the same ones, so they
//! share them.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_config::Options;
use lk_fabric::{NodeKind, PortId};
use lk_qos::tables::masked_sl2vl;
use lk_qos::{EgressPort, PortTables, ResolvedSets, VlArbBlock};
use lk_routing::{LaneOverrides, Routes};
use lk_wire::{PortInfo, PortNum, SlToVlTable, Vl, VlArbEntry, VlCode, cap_mask};

use super::role::Role;
use crate::observe::{Observed, Table};

/// What the ports should hold. Nothing in it with QoS off.
#[derive(Clone, Default, Debug)]
pub struct QosTables {
    egress: Vec<Option<Arc<PortTables>>>,
    wildcards: bool,
    /// The SL2VL tables that the routing engine wants in place of the configured ones.
    engine: Option<EngineLanes>,
}

#[derive(Clone, Debug)]
struct EngineLanes {
    lanes: LaneOverrides,
    /// OperVLs by port: what an engine wants is cut to what the port operates, too.
    oper_vls: Vec<VlCode>,
}

/// The tables for ports whose PortInfo becomes `ports`: lanes are masked by the OperVLs that a
/// port will have, not by those it has.
pub(super) fn tables(
    seen: &Observed,
    options: &Options,
    routes: Option<&Routes>,
    ports: &mut [Option<PortInfo>],
) -> QosTables {
    if !options.qos {
        return QosTables::default();
    }
    let lanes = routes.and_then(|r| r.lanes.clone());
    let sets = ResolvedSets::new(&options.qos_sets);
    let mut shared: BTreeMap<EgressPort, Arc<PortTables>> = BTreeMap::new();
    let mut egress = vec![None; ports.len()];
    for (at, want) in ports.iter_mut().enumerate() {
        let port = PortId(at as u32);
        let Some(want) = want else { continue };
        let Some(key) = egress_port(seen, port, want) else { continue };
        let tables = shared.entry(key).or_insert_with(|| {
            let mut tables = PortTables::new(&sets, &key);
            if let Some(lanes) = &lanes {
                // All ports of a class are treated alike, so the first speaks for the others.
                tables.vlarb = tables.vlarb.map(|block| block.map(|b| folded(lanes, port, b)));
            }
            Arc::new(tables)
        });
        want.set_vl_high_limit(tables.high_limit);
        egress[at] = Some(Arc::clone(tables));
    }
    let wildcards = options.use_optimized_slvl && lanes.is_none();
    let oper_vls =
        || ports.iter().map(|p| VlCode(p.as_ref().map_or(0, PortInfo::oper_vls))).collect();
    let engine = lanes.map(|lanes| EngineLanes { lanes, oper_vls: oper_vls() });
    QosTables { egress, wildcards, engine }
}

/// What the tables of a port depend on, whose PortInfo becomes `want`; `None` for ports that hold
/// none.
#[must_use]
pub fn egress_port(seen: &Observed, port: PortId, want: &PortInfo) -> Option<EgressPort> {
    let class = Role::of(seen, port).and_then(Role::class)?;
    let mapping = seen.node_port_info(port).map_or(0, PortInfo::capability_mask);
    Some(EgressPort {
        class,
        vl_cap: VlCode(want.vl_cap()),
        oper_vls: VlCode(want.oper_vls()),
        vlarb_low_cap: want.vl_arb_low_cap(),
        vlarb_high_cap: want.vl_arb_high_cap(),
        sl_mapping: mapping & cap_mask::SL_MAPPING != 0,
    })
}

/// A block of the arbitration table as the engine wants it at this port.
fn folded(lanes: &LaneOverrides, egress: PortId, mut block: VlArbBlock) -> VlArbBlock {
    let used = usize::from(block.used);
    let mut entries: Vec<(Vl, u8)> =
        block.table.iter().take(used).map(|e| (e.vl, e.weight)).collect();
    lanes.fold_vlarb(egress, &mut entries);
    for (at, (vl, weight)) in entries.into_iter().enumerate() {
        block.table.set(at, VlArbEntry { vl, weight });
    }
    block
}

impl QosTables {
    /// The tables of an egress port.
    #[must_use]
    pub fn port(&self, egress: PortId) -> Option<&PortTables> {
        self.egress.get(egress.index())?.as_deref()
    }

    /// Whether there is nothing in it: QoS is off.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.egress.is_empty()
    }

    /// Whether switches that understand wildcards may be written with them
    /// (`use_optimized_slvl`).
    #[must_use]
    pub const fn use_wildcards(&self) -> bool {
        self.wildcards
    }

    /// The SL2VL mapping of an egress port for packets that come in by `ingress`.
    #[must_use]
    pub fn sl2vl(&self, egress: PortId, ingress: u16) -> Option<SlToVlTable> {
        let ingress = u8::try_from(ingress).ok()?;
        let configured = self.port(egress)?.sl2vl_from(ingress)?;
        let own = self.engine.as_ref().and_then(|engine| {
            let map = engine.lanes.sl2vl(egress, PortNum(ingress))?;
            let oper_vls = *engine.oper_vls.get(egress.index())?;
            Some(masked_sl2vl(&SlToVlTable::from_fn(|sl| map.vl(sl)), oper_vls))
        });
        Some(own.unwrap_or(configured))
    }

    /// The tables that are managed, with their blocks, in the order of ports.
    pub(crate) fn managed<'a>(
        &'a self,
        seen: &'a Observed,
    ) -> impl Iterator<Item = (Table, std::ops::Range<u16>)> + 'a {
        self.egress.iter().enumerate().filter(|(_, t)| t.is_some()).flat_map(move |(at, _)| {
            let port = PortId(at as u32);
            let node = seen.fabric.node(seen.fabric.owner(port));
            let ingress = match node.kind {
                NodeKind::Switch => u16::from(node.num_ports) + 1,
                NodeKind::Ca | NodeKind::Router => 1,
            };
            [(Table::VlArb(port), 1..5), (Table::Sl2vl(port), 0..ingress)]
        })
    }
}
