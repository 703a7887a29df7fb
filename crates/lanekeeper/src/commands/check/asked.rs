//! The partitions that a site's file asks for on a fabric that was read.

use lk_qos::policy::PartitionPorts;
use lk_sm::decide::{Partition, Partitions};
use lk_sm::{Observed, Settings};
use lk_snapshot::Snapshot;
use lk_wire::SmState;

/// Who would be in which partition; none where there is no such file, where it is refused, or where
/// too little is known of the fabric or its names are replaced.
pub(super) fn partitions(snapshot: &Snapshot, settings: &Settings) -> Option<Vec<PartitionPorts>> {
    Partitions::conf(settings)?;
    // Without its own GUIDs and keys a fabric cannot be compared with a file.
    if snapshot.anonymous {
        return None;
    }
    snapshot.ports.iter().flatten().next()?;
    let master = snapshot.managers.iter().find(|(_, info)| info.state() == SmState::MASTER);
    // A manager that has ended was on this machine, as a rule.
    let own = master.map(|(port, _)| *port).or(snapshot.read_at)?;
    let fabric = (*snapshot.fabric).clone();
    let seen = Observed { sm_port: own, ..Observed::from_graph(fabric, snapshot.ports.clone()) };
    Some(Partitions::of(&seen, settings).list.iter().map(Partition::ports).collect())
}
