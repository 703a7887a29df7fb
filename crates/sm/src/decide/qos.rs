//! SL2VL and VLArb tables by egress port. Most ports of a fabric want the same ones, so they
//! share them.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_config::Options;
use lk_fabric::{NodeKind, PortId};
use lk_qos::{EgressPort, PortTables, ResolvedSets};
use lk_wire::{PortInfo, SlToVlTable, VlCode, cap_mask};

use super::role::Role;
use crate::observe::{Observed, Table};

/// What the ports should hold. Nothing in it with QoS off.
#[derive(Clone, Default, Debug)]
pub struct QosTables {
    egress: Vec<Option<Arc<PortTables>>>,
    wildcards: bool,
}

/// The tables for ports whose PortInfo becomes `ports`: lanes are masked by the OperVLs that a
/// port will have, not by those it has.
pub(super) fn tables(
    seen: &Observed,
    options: &Options,
    ports: &mut [Option<PortInfo>],
) -> QosTables {
    if !options.qos {
        return QosTables::default();
    }
    let sets = ResolvedSets::new(&options.qos_sets);
    let mut shared: BTreeMap<EgressPort, Arc<PortTables>> = BTreeMap::new();
    let mut egress = vec![None; ports.len()];
    for (at, want) in ports.iter_mut().enumerate() {
        let port = PortId(at as u32);
        let Some(want) = want else { continue };
        let Some(class) = Role::of(seen, port).and_then(Role::class) else { continue };
        let mapping = seen.node_port_info(port).map_or(0, PortInfo::capability_mask);
        let key = EgressPort {
            class,
            vl_cap: VlCode(want.vl_cap()),
            oper_vls: VlCode(want.oper_vls()),
            vlarb_low_cap: want.vl_arb_low_cap(),
            vlarb_high_cap: want.vl_arb_high_cap(),
            sl_mapping: mapping & cap_mask::SL_MAPPING != 0,
        };
        let tables = shared.entry(key).or_insert_with(|| Arc::new(PortTables::new(&sets, &key)));
        want.set_vl_high_limit(tables.high_limit);
        egress[at] = Some(Arc::clone(tables));
    }
    QosTables { egress, wildcards: options.use_optimized_slvl }
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
        self.port(egress)?.sl2vl_from(u8::try_from(ingress).ok()?)
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
