//! Slow and simple answers, worked out without the code under test.

use std::collections::{HashSet, VecDeque};

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::{Lfts, LidMap};
use lk_wire::Lid;

/// Links between different switches: from, its port, to.
pub(crate) fn links(fabric: &Fabric) -> Vec<(SwitchId, PortId, SwitchId)> {
    let mut out = Vec::new();
    for from in fabric.switch_ids() {
        for port in fabric.external_ports(fabric.switch_node(from)) {
            let to = fabric.peer(port).and_then(|far| fabric.as_switch(fabric.owner(far)));
            if let Some(to) = to.filter(|to| *to != from) {
                out.push((from, port, to));
            }
        }
    }
    out
}

/// The switch that an end port hangs on; a switch for its own port 0.
pub(crate) fn home(fabric: &Fabric, end: PortId) -> Option<SwitchId> {
    fabric.as_switch(fabric.owner(end)).or_else(|| {
        let near = fabric.peer(end)?;
        fabric.as_switch(fabric.owner(near))
    })
}

/// Distances to one switch, over links that `may` lets through. A path is given by states
/// (switch, whether it has gone down); `may` gets the state before the step and the switch after
/// it, and says what state follows.
pub(crate) fn distances(
    fabric: &Fabric,
    to: SwitchId,
    may: impl Fn(bool, SwitchId, SwitchId) -> Option<bool>,
) -> Vec<Option<usize>> {
    let links = links(fabric);
    fabric
        .switch_ids()
        .map(|from| {
            let mut seen = HashSet::from([(from, false)]);
            let mut queue = VecDeque::from([(from, false, 0)]);
            while let Some((at, down, hops)) = queue.pop_front() {
                if at == to {
                    return Some(hops);
                }
                for (_, _, next) in links.iter().filter(|(a, _, _)| *a == at) {
                    if let Some(state) = may(down, at, *next)
                        && seen.insert((*next, state))
                    {
                        queue.push_back((*next, state, hops + 1));
                    }
                }
            }
            None
        })
        .collect()
}

/// The switches that a packet passes from a switch to a LID, by the tables; `None` if it does
/// not arrive at the port that has the LID.
pub(crate) fn walk(
    fabric: &Fabric,
    lids: &LidMap,
    lfts: &Lfts,
    from: SwitchId,
    lid: Lid,
) -> Option<Vec<SwitchId>> {
    let mut path = vec![from];
    let mut at = from;
    while path.len() <= fabric.switches().len() {
        let port = lfts.port(at, lid)?;
        let here = fabric.port_at(fabric.switch_node(at), port)?;
        let far = if port.0 == 0 { here } else { fabric.peer(here)? };
        match fabric.as_switch(fabric.owner(far)) {
            Some(next) if port.0 != 0 => {
                path.push(next);
                at = next;
            }
            _ => return (lids.port(lid) == Some(far)).then_some(path),
        }
    }
    None
}

/// All LIDs with the switch they hang on.
pub(crate) fn homes(fabric: &Fabric, lids: &LidMap) -> Vec<(Lid, SwitchId)> {
    (1..=lids.top().0)
        .map(Lid)
        .filter_map(|lid| Some((lid, home(fabric, lids.port(lid)?)?)))
        .collect()
}

/// Whether packets on one lane can wait for each other in a circle: some link is held while a
/// next one is waited for, and so on round. Looks at the way from each switch to each LID.
pub(crate) fn can_deadlock(fabric: &Fabric, lids: &LidMap, lfts: &Lfts) -> bool {
    let mut waits: HashSet<(PortId, PortId)> = HashSet::new();
    for (lid, _) in homes(fabric, lids) {
        for from in fabric.switch_ids() {
            let Some(path) = walk(fabric, lids, lfts, from, lid) else { continue };
            let ports: Vec<PortId> = path[..path.len() - 1]
                .iter()
                .filter_map(|s| fabric.port_at(fabric.switch_node(*s), lfts.port(*s, lid)?))
                .collect();
            waits.extend(ports.windows(2).map(|w| (w[0], w[1])));
        }
    }
    // What waits for nothing can go; what is left in the end waits in a circle.
    loop {
        let held: HashSet<PortId> = waits.iter().map(|(a, _)| *a).collect();
        let before = waits.len();
        waits.retain(|(_, b)| held.contains(b));
        if waits.len() == before {
            return !waits.is_empty();
        }
    }
}
