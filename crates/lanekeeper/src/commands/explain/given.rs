//! A snapshot, taken as it is.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::anyhow;
use lk_audit::explain::{Answer, Design, Group, Report, Subject, explain as explained};
use lk_fabric::{NodeId, PortId};
use lk_qos::policy::{CompiledPolicy, PartitionPorts, Subnet, compile};
use lk_snapshot::Snapshot;
use lk_wire::{Lid, PKey, PKeyTable, Sl};

use super::request::{Request, number_of};
use super::simulated::ends;
use super::site::Site;
use crate::failure::Failure;
use crate::{input, terminal};

/// Explains the path on a fabric as a snapshot has it.
///
/// # Errors
/// The file is none; it has not the ends.
pub(super) fn explain(request: &Request, site: &Site, path: &Path) -> Result<Report, Failure> {
    let source = input::source(path)?;
    let (snapshot, said) = lk_snapshot::read(&source);
    terminal::show(&said);
    let snapshot = snapshot.ok_or_else(|| anyhow!("{} is no snapshot", source.name()))?;
    of_snapshot(request, site, &snapshot)
}

/// Explains the path on a fabric that was read.
///
/// # Errors
/// It has not the ends; the group has no LID.
pub(super) fn of_snapshot(
    request: &Request,
    site: &Site,
    snapshot: &Snapshot,
) -> Result<Report, Failure> {
    let spots = ends(request, snapshot)?;
    let partitions = partitions(snapshot);
    let policy = policy(site, snapshot, &partitions);
    let engine = site.settings.options.routing_engine.as_deref().unwrap_or("minhop");
    let design = Design {
        config: &site.effective,
        sets: &site.sets,
        policy: policy.as_ref(),
        partitions: &partitions,
        engine,
    };
    let group = request.mgid.as_deref().map(group).transpose()?;
    let nobody = Answer::NotAsked;
    Ok(explained(&Subject {
        snapshot,
        design: Some(design).filter(|_| request.with_options),
        question: &request.question,
        ends: spots,
        answers: (&nobody, &nobody),
        group: group.as_ref(),
    }))
}

/// The partitions as the ports' keys have them. Names and SLs are not in a snapshot.
fn partitions(snapshot: &Snapshot) -> Vec<PartitionPorts> {
    let mut all: BTreeMap<u16, PartitionPorts> = BTreeMap::new();
    for port in snapshot.fabric.end_ports() {
        for block in snapshot.tables.pkey_blocks(port).iter().flatten() {
            let keys = PKeyTable(*block);
            for key in keys.iter().filter(|key: &PKey| key.is_valid()) {
                let partition = all.entry(key.base()).or_insert_with(|| PartitionPorts {
                    key: key.base(),
                    name: format!("{:#06x}", key.base()),
                    ..PartitionPorts::default()
                });
                let members = match key.is_full() {
                    true => &mut partition.full,
                    false => &mut partition.limited,
                };
                members.push(port);
            }
        }
    }
    all.into_values().map(|partition| PartitionPorts { sl: Sl(0), ..partition }).collect()
}

fn policy(
    site: &Site,
    snapshot: &Snapshot,
    partitions: &[PartitionPorts],
) -> Option<CompiledPolicy> {
    let file = site.settings.policy.as_ref().filter(|_| site.settings.options.qos)?;
    let fabric = &*snapshot.fabric;
    let own = snapshot.managers.first().map(|(port, _)| *port).or(snapshot.read_at);
    let name = |node: NodeId| fabric.node(node).description.clone();
    let subnet = Subnet { fabric, node_name: &name, own: own.unwrap_or(PortId(0)), partitions };
    let (policy, said) = compile(file, subnet);
    super::show(&said);
    policy
}

/// The LID of a group: a snapshot knows no GIDs of groups.
fn group(word: &str) -> Result<Group, Failure> {
    let number = number_of(word).and_then(|number| u16::try_from(number).ok());
    let mlid = number.map(Lid).filter(|lid| lid.is_multicast()).ok_or_else(|| {
        anyhow!("--mgid {word}: a snapshot knows groups by their LID alone, 0xc000 and above")
    })?;
    Ok(Group { mgid: None, mlid: Some(mlid), params: None, refused: None })
}
