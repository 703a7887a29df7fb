//! The switches and the links between them, packed for the engines.
//!
//! A [`Graph`] is built once for a job. Each switch has a row of links to other switches, by
//! ascending port number or in the order that options give; parallel cables stay apart and a
//! cable from a switch to itself is left
//! out, for no path can gain by it. Beside the links each switch has the end ports (of adapters
//! and routers) that hang on it. The engines number links by their place in the switch's row, so
//! that a set of links of one switch fits in a word or a few.

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_wire::PortNum;

use crate::shaping::Shaping;

/// A link from a switch to another switch, as the first one sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The port by which the link leaves.
    pub port: PortNum,
    /// The switch at the other end.
    pub peer: SwitchId,
    /// The port at the other end.
    pub peer_port: PortNum,
}

/// An end port of an adapter or a router, and where it hangs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Host {
    /// The switch's port.
    pub port: PortNum,
    /// The end port.
    pub end: PortId,
}

/// The packed switch graph of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    link_rows: Vec<u32>,
    links: Vec<Link>,
    host_rows: Vec<u32>,
    hosts: Vec<Host>,
    port_rows: Vec<u32>,
    link_at_port: Vec<u8>,
}

impl Default for Graph {
    /// No switches.
    fn default() -> Self {
        let (link_rows, host_rows, port_rows) = (vec![0], vec![0], vec![0]);
        let (links, hosts, link_at_port) = (Vec::new(), Vec::new(), Vec::new());
        Self { link_rows, links, host_rows, hosts, port_rows, link_at_port }
    }
}

/// Stands for "no link at this port": a switch has 254 ports at most, so no row is that long.
const NO_LINK: u8 = u8::MAX;

impl Graph {
    /// Packs the switches of a fabric.
    #[must_use]
    pub fn new(fabric: &Fabric) -> Self {
        let mut graph = Self::default();
        for switch in fabric.switch_ids() {
            graph.push_switch(fabric, switch, &[], &[]);
        }
        graph
    }

    /// Packs the switches, without the links of those for which `allowed` is false.
    #[must_use]
    pub fn among(fabric: &Fabric, allowed: impl Fn(SwitchId) -> bool) -> Self {
        let refused = fabric.switch_ids().filter(|s| !allowed(*s));
        let ends = refused.flat_map(|s| fabric.external_ports(fabric.switch_node(s)));
        let mut closed: Vec<PortId> =
            ends.flat_map(|p| [Some(p), fabric.peer(p)]).flatten().collect();
        closed.sort_unstable();
        let mut graph = Self::default();
        for switch in fabric.switch_ids() {
            graph.push_switch(fabric, switch, &[], &closed);
        }
        graph
    }

    /// Packs the switches as the options want it: links in the order in which ports are tried,
    /// without throttled links as long as no switch is cut off by that.
    #[must_use]
    pub fn shaped(fabric: &Fabric, shaping: &Shaping) -> Self {
        let orders = shaping.orders(fabric);
        let closed = shaping.throttled_ends(fabric);
        let pack = |closed: &[PortId]| {
            let mut graph = Self::default();
            for switch in fabric.switch_ids() {
                let order = orders.get(&switch).copied().unwrap_or_default();
                graph.push_switch(fabric, switch, order, closed);
            }
            graph
        };
        let graph = pack(&closed);
        if closed.is_empty() || graph.parts() == Self::new(fabric).parts() {
            return graph;
        }
        pack(&[])
    }

    /// For each switch the number of the part that it is in: the lowest number of a switch there.
    pub(crate) fn parts(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut part = vec![NONE; self.len()];
        for s in 0..part.len() {
            if part[s] != NONE {
                continue;
            }
            part[s] = s as u32;
            let mut open = vec![s];
            while let Some(at) = open.pop() {
                for peer in self.links(at).iter().map(|l| l.peer.index()) {
                    if part[peer] == NONE {
                        part[peer] = s as u32;
                        open.push(peer);
                    }
                }
            }
        }
        part
    }

    fn push_switch(
        &mut self,
        fabric: &Fabric,
        switch: SwitchId,
        order: &[PortNum],
        closed: &[PortId],
    ) {
        let node = fabric.switch_node(switch);
        let row = self.links.len();
        let ports = self.link_at_port.len();
        self.link_at_port.push(NO_LINK);
        for near in fabric.external_ports(node) {
            if let Some(far) = fabric.peer(near) {
                let port = fabric.port_num(near);
                let owner = fabric.owner(far);
                match fabric.as_switch(owner) {
                    Some(peer) if peer != switch && closed.binary_search(&near).is_err() => {
                        let peer_port = fabric.port_num(far);
                        self.links.push(Link { port, peer, peer_port });
                    }
                    Some(_) => {}
                    None => self.hosts.push(Host { port, end: far }),
                }
            }
            self.link_at_port.push(NO_LINK);
        }
        if !order.is_empty() {
            let place = |port| order.iter().position(|p| *p == port).unwrap_or(order.len());
            self.links[row..].sort_by_key(|link| (place(link.port), link.port));
        }
        for (at, link) in self.links[row..].iter().enumerate() {
            self.link_at_port[ports + usize::from(link.port.0)] = at as u8;
        }
        self.link_rows.push(self.links.len() as u32);
        self.host_rows.push(self.hosts.len() as u32);
        self.port_rows.push(self.link_at_port.len() as u32);
    }

    /// The same switches with one cable between each two neighbours: the one at the lowest port of
    /// the switch that comes first.
    #[must_use]
    pub(crate) fn without_parallels(&self) -> Self {
        let mut out = Self { link_rows: vec![0], links: Vec::new(), ..self.clone() };
        out.link_at_port.fill(NO_LINK);
        for s in 0..self.len() {
            let row = out.links.len();
            for link in self.links(s) {
                let rank = |l: &Link| if s < l.peer.index() { l.port } else { l.peer_port };
                let between = self.links(s).iter().filter(|l| l.peer == link.peer);
                if between.map(rank).min() != Some(rank(link)) {
                    continue;
                }
                let port = self.port_rows[s] as usize + usize::from(link.port.0);
                out.link_at_port[port] = (out.links.len() - row) as u8;
                out.links.push(*link);
            }
            out.link_rows.push(out.links.len() as u32);
        }
        out
    }

    /// How many switches there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.link_rows.len() - 1
    }

    /// Whether there is no switch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many directed links between switches there are: two for each cable.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// The links of a switch, by ascending port number or in the order that options give.
    #[inline]
    #[must_use]
    pub fn links(&self, switch: usize) -> &[Link] {
        &self.links[self.link_rows[switch] as usize..self.link_rows[switch + 1] as usize]
    }

    /// The number of a switch's first link among all directed links; the others follow it.
    #[inline]
    #[must_use]
    pub fn first_link(&self, switch: usize) -> usize {
        self.link_rows[switch] as usize
    }

    /// A directed link by its number among all.
    #[inline]
    pub(crate) fn link(&self, number: usize) -> Link {
        self.links[number]
    }

    /// The switch that sends on a directed link, and the link.
    #[must_use]
    pub fn sender(&self, link: usize) -> (SwitchId, Link) {
        // Of the rows that start at the link or before it the last has it: empty rows start where
        // the next one does.
        let s = self.link_rows.partition_point(|first| *first as usize <= link) - 1;
        (SwitchId(s as u32), self.links[link])
    }

    /// The end ports that hang on a switch, by ascending port number of the switch.
    #[inline]
    #[must_use]
    pub fn hosts(&self, switch: usize) -> &[Host] {
        &self.hosts[self.host_rows[switch] as usize..self.host_rows[switch + 1] as usize]
    }

    /// How many end ports hang on the switches in all.
    #[must_use]
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// The place in the switch's row of the link that leaves by a port, if there is one.
    #[inline]
    #[must_use]
    pub fn link_at(&self, switch: usize, port: PortNum) -> Option<usize> {
        let row = self.port_rows[switch] as usize..self.port_rows[switch + 1] as usize;
        let at = *self.link_at_port[row].get(usize::from(port.0))?;
        (at != NO_LINK).then_some(usize::from(at))
    }

    /// Whether the same end ports hang on the same ports as in another graph.
    pub(crate) fn has_hosts_of(&self, other: &Self) -> bool {
        self.host_rows == other.host_rows && self.hosts == other.hosts
    }

    /// The switch behind a port, if it is another switch.
    #[must_use]
    pub fn peer(&self, switch: usize, port: PortNum) -> Option<SwitchId> {
        self.link_at(switch, port).map(|at| self.links(switch)[at].peer)
    }

    /// Words of 64 bits that hold a set of links of this switch; at least one.
    #[must_use]
    pub(crate) fn words(&self, switch: usize) -> usize {
        self.links(switch).len().div_ceil(64).max(1)
    }

    /// The switch and its port that an end port hangs on: none for a port without a cable, or
    /// cabled to something else than a switch. Port 0 of a switch hangs on the switch itself.
    #[must_use]
    pub fn attachment(fabric: &Fabric, end: PortId) -> Option<(SwitchId, PortNum)> {
        let node = fabric.owner(end);
        if fabric.node(node).kind == NodeKind::Switch {
            return fabric.as_switch(node).map(|s| (s, PortNum(0)));
        }
        let near = fabric.peer(end)?;
        let switch = fabric.as_switch(fabric.owner(near))?;
        Some((switch, fabric.port_num(near)))
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeSpec};
    use lk_wire::Guid;

    use super::*;

    #[test]
    fn parallel_cables_stay_and_loops_go() {
        let mut b = FabricBuilder::new();
        let s = b.add_node(NodeSpec::new(Guid(1 << 56), NodeKind::Switch, "s", 8)).unwrap();
        let t = b.add_node(NodeSpec::new(Guid(2 << 56), NodeKind::Switch, "t", 8)).unwrap();
        let h = b.add_node(NodeSpec::new(Guid(9), NodeKind::Router, "h", 2)).unwrap();
        b.connect((s, 2), (t, 7)).unwrap();
        b.connect((s, 5), (t, 1)).unwrap();
        b.connect((s, 3), (s, 4)).unwrap();
        b.connect((t, 8), (h, 2)).unwrap();
        let f = b.build();
        let g = Graph::new(&f);
        let s = f.as_switch(f.node_by_guid(Guid(1 << 56)).unwrap()).unwrap().index();
        let t = 1 - s;
        let ports: Vec<u8> = g.links(s).iter().map(|l| l.port.0).collect();
        assert_eq!((g.len(), g.link_count(), ports), (2, 4, vec![2, 5]));
        assert_eq!(g.links(s)[1].peer_port, PortNum(1));
        assert_eq!((g.peer(s, PortNum(3)), g.peer(s, PortNum(200))), (None, None));
        assert_eq!(g.sender(g.first_link(s) + 1), (SwitchId(s as u32), g.links(s)[1]));
        assert_eq!(g.peer(t, PortNum(7)).map(SwitchId::index), Some(s));
        assert_eq!((g.hosts(s).len(), g.hosts(t)[0].port), (0, PortNum(8)));
        let end = g.hosts(t)[0].end;
        let at = Graph::attachment(&f, end).unwrap();
        assert_eq!((at.0.index(), at.1), (t, PortNum(8)));
    }
}
