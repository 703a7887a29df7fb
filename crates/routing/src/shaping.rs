//! Options that shape the choice of ports, in the engines that balance by load.
//!
//! They come from files of GUIDs, so they name switches and ports that need not be there.

use std::collections::BTreeMap;

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_wire::{Guid, PortNum};

use crate::graph::Graph;

/// Options that shape the choice of ports.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shaping {
    /// `port_search_ordering_file`: for switches, the ports that come first where several are
    /// equally good. The others follow in ascending order.
    pub port_orders: Vec<(Guid, Vec<PortNum>)>,
    /// `hop_weights_file`: what a hop costs that leaves a switch by a port, 1 to 255; others 1.
    pub hop_weights: Vec<(Guid, PortNum, u8)>,
    /// `port_prof_ignore_file`: switches and ports on which no load is counted.
    pub ignored_ports: Vec<(Guid, PortNum)>,
    /// `guid_routing_order_file`: port GUIDs that are routed before all others.
    pub first: Vec<Guid>,
    /// `guid_routing_order_no_scatter`: those are not scattered.
    pub first_not_scattered: bool,
    /// `port_shifting`: among equals the choice is shifted by the load there is.
    pub shift: bool,
    /// `scatter_ports`: the seed for choosing among equals at random; 0 does not.
    pub scatter: u32,
    /// `port_profile_switch_nodes`: paths to switches count as load, too.
    pub count_switches: bool,
    /// `avoid_throttled_links`: ports whose link is slower than it could be. No path goes by
    /// them unless the fabric would fall apart.
    pub throttled: Vec<(Guid, PortNum)>,
}

impl Shaping {
    /// The port orders by switch. Of two for one switch the first counts.
    pub(crate) fn orders(&self, fabric: &Fabric) -> BTreeMap<SwitchId, &[PortNum]> {
        let known = |(guid, ports): &'_ (Guid, Vec<PortNum>)| (switch(fabric, *guid), ports.len());
        let mut out = BTreeMap::new();
        for order in &self.port_orders {
            if let (Some(s), 1..) = known(order) {
                out.entry(s).or_insert(&*order.1);
            }
        }
        out
    }

    /// The ends of the throttled links: the ports named and those they are cabled to.
    pub(crate) fn throttled_ends(&self, fabric: &Fabric) -> Vec<PortId> {
        let near = self.throttled.iter().filter_map(|(guid, num)| port(fabric, *guid, *num));
        let mut ends: Vec<PortId> =
            near.flat_map(|p| [Some(p), fabric.peer(p)]).flatten().collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// What a hop by each directed link costs; `None` where each costs 1.
    pub(crate) fn weights(&self, fabric: &Fabric, graph: &Graph) -> Option<Vec<u8>> {
        let mut weights = None;
        for (guid, num, weight) in &self.hop_weights {
            let Some(s) = switch(fabric, *guid).map(SwitchId::index) else { continue };
            if let Some(at) = graph.link_at(s, *num) {
                let all = weights.get_or_insert_with(|| vec![1; graph.link_count()]);
                all[graph.first_link(s) + at] = (*weight).max(1);
            }
        }
        weights
    }

    /// For each directed link whether no load is counted on it; empty where it is on all.
    pub(crate) fn ignored(&self, fabric: &Fabric, graph: &Graph) -> Vec<bool> {
        let mut ignored = Vec::new();
        for (guid, num) in &self.ignored_ports {
            let Some(s) = switch(fabric, *guid).map(SwitchId::index) else { continue };
            if let Some(at) = graph.link_at(s, *num) {
                ignored.resize(graph.link_count(), false);
                ignored[graph.first_link(s) + at] = true;
            }
        }
        ignored
    }

    /// The end ports that are routed first, each once.
    pub(crate) fn first_ports(&self, fabric: &Fabric) -> Vec<PortId> {
        if self.first.is_empty() {
            return Vec::new();
        }
        let by_guid: BTreeMap<Guid, PortId> =
            fabric.end_ports().map(|p| (fabric.port(p).guid, p)).collect();
        let mut seen = vec![false; fabric.ports().len()];
        let known = self.first.iter().filter_map(|guid| by_guid.get(guid).copied());
        known.filter(|p| !std::mem::replace(&mut seen[p.index()], true)).collect()
    }

    /// A sentence for each file that names what is not there.
    pub(crate) fn strangers(&self, fabric: &Fabric) -> Vec<String> {
        let no_switch = |guid: &Guid| switch(fabric, *guid).is_none();
        let no_port =
            |(guid, num): &(Guid, PortNum)| port(fabric, *guid, *num).is_none() || num.0 == 0;
        let order_ports = |(guid, ports): &(Guid, Vec<PortNum>)| {
            ports.iter().map(|num| (*guid, *num)).find(no_port).map(|(g, _)| g)
        };
        let orders = self.port_orders.iter().filter_map(order_ports);
        let weights = self.hop_weights.iter().filter(|w| no_port(&(w.0, w.1))).map(|w| w.0);
        let ignored = self.ignored_ports.iter().filter(|p| no_port(p)).map(|p| p.0);
        let order: Vec<Guid> = if self.first.is_empty() {
            Vec::new()
        } else {
            let mut known: Vec<Guid> = fabric.end_ports().map(|p| fabric.port(p).guid).collect();
            known.sort_unstable();
            let new = |guid: &&Guid| known.binary_search(guid).is_err();
            self.first.iter().filter(new).copied().collect()
        };
        let say = |file: &str, guids: Vec<Guid>| {
            let first = *guids.first()?;
            let what = if file == "guid_routing_order_file" || no_switch(&first) {
                "is not in the fabric"
            } else {
                "has no such port"
            };
            let more = match guids.len() - 1 {
                0 => String::new(),
                n => format!(", and {n} more lines are of that kind"),
            };
            Some(format!("{file}: {first} {what} and is skipped{more}"))
        };
        [
            ("port_search_ordering_file", orders.collect()),
            ("hop_weights_file", weights.collect()),
            ("port_prof_ignore_file", ignored.collect()),
            ("guid_routing_order_file", order),
        ]
        .into_iter()
        .filter_map(|(file, guids)| say(file, guids))
        .collect()
    }
}

fn switch(fabric: &Fabric, guid: Guid) -> Option<SwitchId> {
    fabric.as_switch(fabric.node_by_guid(guid)?)
}

fn port(fabric: &Fabric, guid: Guid, num: PortNum) -> Option<PortId> {
    let s = switch(fabric, guid)?;
    fabric.port_at(fabric.switch_node(s), num)
}
