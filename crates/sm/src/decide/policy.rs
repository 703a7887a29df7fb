//! The QoS policy, made ready for the subnet as it is now.

use std::sync::Arc;

use lk_diag::Severity;
use lk_diag::render::line;
use lk_fabric::NodeId;
use lk_qos::policy::{CompiledPolicy, PartitionPorts, PolicyFile, Subnet, compile};

use super::{Partition, Partitions, Settings};
use crate::event::Event;
use crate::observe::Observed;

/// A policy and the file that it comes from.
#[derive(Clone, Debug)]
pub struct PolicyInUse {
    /// The file.
    pub file: Arc<PolicyFile>,
    /// The policy, ready for lookups.
    pub compiled: CompiledPolicy,
}

/// The policy that counts: that of the file, or the last one that could be used.
pub(super) fn policy(
    seen: &Observed,
    settings: &Settings,
    partitions: &Partitions,
    events: &mut Vec<Event>,
) -> Option<Arc<PolicyInUse>> {
    let file = settings.policy.as_ref().filter(|_| settings.options.qos)?;
    let ports: Vec<PartitionPorts> = partitions.list.iter().map(Partition::ports).collect();
    let fabric = &*seen.fabric;
    let name = |node: NodeId| fabric.node(node).description.clone();
    let subnet = Subnet { fabric, node_name: &name, own: seen.sm_port, partitions: &ports };
    let mut ready =
        |file: &Arc<PolicyFile>| {
            let (compiled, found) = compile(file, subnet);
            events.extend(found.iter().map(|d| Event::PolicyFinding {
                wrong: d.severity == Severity::Error,
                text: line(d),
            }));
            compiled.map(|compiled| Arc::new(PolicyInUse { file: Arc::clone(file), compiled }))
        };
    let policy = ready(file);
    if policy.is_some() {
        return policy;
    }
    let kept = settings.good_policy.as_ref().and_then(ready);
    let name = file.source.name().to_owned();
    events.push(Event::PolicyRefused { file: name, kept: kept.is_some() });
    kept
}
