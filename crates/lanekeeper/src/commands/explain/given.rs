//! A fabric as it is: live, as a snapshot has it, or as opensm's dumps do.

use std::collections::BTreeMap;

use anyhow::anyhow;
use lk_audit::explain::{Answer, Design, Group, Report, Subject, explain as explained};
use lk_fabric::{NodeId, PortId};
use lk_qos::policy::{CompiledPolicy, PartitionPorts, Subnet, compile};
use lk_snapshot::Snapshot;
use lk_wire::{Lid, PKey, PKeyTable, Sl};

use super::asking;
use super::live::Live;
use super::request::{Request, number_of};
use super::simulated::ends;
use super::site::Site;
use crate::commands::snapshot::source::Source;
use crate::commands::snapshot::tell_unread;
use crate::failure::Failure;

/// Explains the path on a fabric as it is held now, or was when the snapshot was taken. Of a live
/// one the subnet administration is asked.
///
/// # Errors
/// There is no fabric to be had; it has not the ends; the group has no LID.
pub(super) fn explain(request: &Request, site: &Site, source: &Source) -> Result<Report, Failure> {
    let taken = source.take(&site.settings)?;
    tell_unread(&taken.snapshot);
    let snapshot = &taken.snapshot;
    let spots = ends(request, snapshot)?;
    let question = &request.question;
    let mut answers = (Answer::NotAsked, Answer::NotAsked);
    let mut group = None;
    if *source == Source::Live {
        let mut sa = Live::open(&site.settings)?;
        answers = (
            asking::path(&mut sa, question, spots),
            asking::path(&mut sa, question, (spots.1, spots.0)),
        );
        if let Some(word) = &request.mgid {
            group = Some(asking::look_at(&mut sa, spots.0.lid, asking::mgid(word)?));
        }
    } else {
        group = request.mgid.as_deref().map(by_lid).transpose()?;
    }
    let partitions = partitions(snapshot);
    let policy = policy(site, snapshot, &partitions);
    let design = Design {
        config: &site.effective,
        sets: &site.sets,
        policy: policy.as_ref(),
        partitions: &partitions,
        engine: site.settings.options.routing_engine.as_deref().unwrap_or("minhop"),
    };
    Ok(explained(&Subject {
        snapshot,
        design: Some(design).filter(|_| request.with_options),
        question,
        ends: spots,
        answers: (&answers.0, &answers.1),
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
fn by_lid(word: &str) -> Result<Group, Failure> {
    let number = number_of(word).and_then(|number| u16::try_from(number).ok());
    let mlid = number.map(Lid).filter(|lid| lid.is_multicast()).ok_or_else(|| {
        anyhow!("--mgid {word}: a snapshot knows groups by their LID alone, 0xc000 and above")
    })?;
    Ok(Group { mgid: None, mlid: Some(mlid), params: None, refused: None })
}
