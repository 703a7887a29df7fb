//! The switches and the links between them, packed for the engines.
//!
//! A [`Graph`] is built once for a job. Each switch has a row of links to other switches, by
//! ascending port number; parallel cables stay apart and a cable from a switch to itself is left
//! out, for no path can gain by it. Beside the links each switch has the end ports (of adapters
//! and routers) that hang on it. The engines number links by their place in the switch's row, so
//! that a set of links of one switch fits in a word or a few.

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_wire::PortNum;

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

/// Stands for "no link at this port": a switch has 254 ports at most, so no row is that long.
const NO_LINK: u8 = u8::MAX;

impl Graph {
    /// Packs the switches of a fabric.
    #[must_use]
    pub fn new(fabric: &Fabric) -> Self {
        let mut graph = Self {
            link_rows: vec![0],
            links: Vec::new(),
            host_rows: vec![0],
            hosts: Vec::new(),
            port_rows: vec![0],
            link_at_port: Vec::new(),
        };
        for switch in fabric.switch_ids() {
            graph.push_switch(fabric, switch);
        }
        graph
    }

    fn push_switch(&mut self, fabric: &Fabric, switch: SwitchId) {
        let node = fabric.switch_node(switch);
        let row = self.links.len();
        self.link_at_port.push(NO_LINK);
        for near in fabric.external_ports(node) {
            let mut at_port = NO_LINK;
            if let Some(far) = fabric.peer(near) {
                let port = fabric.port_num(near);
                let owner = fabric.owner(far);
                match fabric.as_switch(owner) {
                    Some(peer) if peer != switch => {
                        at_port = (self.links.len() - row) as u8;
                        let peer_port = fabric.port_num(far);
                        self.links.push(Link { port, peer, peer_port });
                    }
                    Some(_) => {}
                    None => self.hosts.push(Host { port, end: far }),
                }
            }
            self.link_at_port.push(at_port);
        }
        self.link_rows.push(self.links.len() as u32);
        self.host_rows.push(self.hosts.len() as u32);
        self.port_rows.push(self.link_at_port.len() as u32);
    }

    /// How many switches there are.
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

    /// The links of a switch, by ascending port number.
    #[must_use]
    pub fn links(&self, switch: usize) -> &[Link] {
        &self.links[self.link_rows[switch] as usize..self.link_rows[switch + 1] as usize]
    }

    /// The number of a switch's first link among all directed links; the others follow it.
    #[must_use]
    pub fn first_link(&self, switch: usize) -> usize {
        self.link_rows[switch] as usize
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
    #[must_use]
    pub fn link_at(&self, switch: usize, port: PortNum) -> Option<usize> {
        let row = self.port_rows[switch] as usize..self.port_rows[switch + 1] as usize;
        let at = *self.link_at_port[row].get(usize::from(port.0))?;
        (at != NO_LINK).then_some(usize::from(at))
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
