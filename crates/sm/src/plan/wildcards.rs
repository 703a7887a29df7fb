//! SL2VL writes with wildcards, in place of one write for each pair of ports, where the switch
//! understands them and `use_optimized_slvl` is set.

use std::collections::BTreeSet;

use lk_fabric::{NodeId, PortId, SwitchId};
use lk_qos::{Sl2vlScope, SwitchSl2vl};

use super::{Plan, TableRun};
use crate::decide::Desired;
use crate::observe::{BlockSet, Observed, Table};

/// SwitchInfo.OptimizedSLtoVLMappingProgramming: Sets with wildcards are understood.
const SUPPORTED: u8 = 1;

/// Replaces the SL2VL writes of switches that can do better.
pub(super) fn replace(plan: &mut Plan, seen: &Observed, desired: &Desired) {
    if !desired.qos.use_wildcards() {
        return;
    }
    let switches: BTreeSet<SwitchId> = plan
        .tables
        .iter()
        .filter_map(|run| match run.table {
            Table::Sl2vl(port) => seen.fabric.as_switch(seen.fabric.owner(port)),
            _ => None,
        })
        .filter(|s| seen.switch_info(*s).is_some_and(|i| i.optimized_sl2vl() & SUPPORTED != 0))
        .collect();
    if switches.is_empty() {
        return;
    }
    let of_such = |port| {
        seen.fabric.as_switch(seen.fabric.owner(port)).is_some_and(|s| switches.contains(&s))
    };
    plan.tables.retain(|run| !matches!(run.table, Table::Sl2vl(p) if of_such(p)));
    for switch in switches {
        for write in writes(seen, desired, seen.fabric.switch_node(switch)) {
            match write.scope {
                Sl2vlScope::One { ingress, egress } => {
                    let first = seen.fabric.node(seen.fabric.switch_node(switch)).first;
                    let mut blocks = BlockSet::default();
                    blocks.insert(u16::from(ingress));
                    let table = Table::Sl2vl(PortId(first.0 + u32::from(egress)));
                    plan.tables.push(TableRun { table, blocks });
                }
                Sl2vlScope::All | Sl2vlScope::AllIngress { .. } => {
                    plan.wildcards.push((switch, write));
                }
            }
        }
    }
}

fn writes(seen: &Observed, desired: &Desired, node: NodeId) -> Vec<lk_qos::Sl2vlWrite> {
    let node = seen.fabric.node(node);
    let port = |num: u8| PortId(node.first.0 + u32::from(num));
    let egress =
        (0..=node.num_ports).map(|num| desired.qos.port(port(num)).and_then(|t| t.sl2vl)).collect();
    let port0_loopback = desired.qos.port(port(0)).and_then(|t| t.sl2vl_port0_loopback);
    SwitchSl2vl { egress, port0_loopback }
        .optimised_writes(|ingress, egress| seen.tables.sl2vl(port(egress), u16::from(ingress)))
}
