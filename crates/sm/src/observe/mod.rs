//! Observe: what the ports and switches hold now.

mod discovery;
mod everything;

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_routing::Lfts;
use lk_snapshot::{Duplicate, Snapshot, Unread};
use lk_wire::{DirPath, Lid, MlnxExtPortInfo, PortInfo, PortState, SmInfo, SwitchInfo};

use crate::event::RequestName;

pub use discovery::{Discovery, DiscoveryOptions, Query};
pub use everything::{everything, further_mfts};
pub use lk_snapshot::{Address, BlockSet, MftBlock, Table, Tables};

/// The fabric as it was found, and all that is known of its ports and switches.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The graph.
    pub fabric: Arc<Fabric>,
    /// The port that the SM sits on.
    pub sm_port: PortId,
    /// A directed route from the SM's port to each node.
    pub paths: Vec<DirPath>,
    /// Routes to ports of adapters and routers that are entered another way than their node: each
    /// port of such a node answers for itself only.
    pub port_paths: BTreeMap<PortId, DirPath>,
    /// PortInfo of each port that was read.
    pub ports: Vec<Option<PortInfo>>,
    /// The vendor's extended port information of ports that have it and could run at FDR10.
    pub vendor_ports: BTreeMap<PortId, MlnxExtPortInfo>,
    /// SwitchInfo of each switch that was read.
    pub switches: Vec<Option<SwitchInfo>>,
    /// NodeInfo.PartitionCap of each node.
    pub partition_cap: Vec<u16>,
    /// Contents of tables.
    pub tables: Tables,
    /// Other SMs that were found.
    pub other_sms: Vec<(PortId, SmInfo)>,
    /// What was asked for and did not come.
    pub unread: Vec<Unread>,
    /// Nodes with the GUID of another one.
    pub duplicates: Vec<Duplicate>,
}

impl Observed {
    /// The forwarding tables that are in force, as far as they are known: entries up to
    /// LinearFDBTop.
    #[must_use]
    pub fn standing_lfts(&self) -> Lfts {
        let row = |s: SwitchId| {
            let top = self.switch_info(s).map_or(0, |info| usize::from(info.linear_fdb_top()));
            let (row, known) = self.tables.lft(s);
            let mut row = row.to_vec();
            for (block, bytes) in row.chunks_mut(Lfts::BLOCK).enumerate() {
                if top == 0 || !known.contains(block as u16) {
                    bytes.fill(Lfts::NO_PATH);
                }
            }
            row.iter_mut().skip(top + 1).for_each(|byte| *byte = Lfts::NO_PATH);
            row
        };
        let rows: Vec<Vec<u8>> = self.fabric.switch_ids().map(row).collect();
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
        let top = Lid(longest.saturating_sub(1) as u16);
        Lfts { top, rows: rows.into_iter().map(Arc::from).collect() }
    }

    /// Whether these tables are in force at all switches.
    #[must_use]
    pub fn holds(&self, lfts: &Lfts) -> bool {
        let last = usize::from(lfts.top.0);
        let row = |(s, want): (SwitchId, &Arc<[u8]>)| {
            let top = self.switch_info(s).map_or(0, |info| usize::from(info.linear_fdb_top()));
            let (row, known) = self.tables.lft(s);
            top >= last
                && row.get(..=last).is_some_and(|row| want.get(..=last) == Some(row))
                && (0..=last / Lfts::BLOCK).all(|block| known.contains(block as u16))
        };
        lfts.rows.len() == self.fabric.switches().len()
            && self.fabric.switch_ids().zip(&lfts.rows).all(row)
    }

    /// A fabric of which only the graph and PortInfo are known, as from a file.
    #[must_use]
    pub fn from_graph(fabric: Fabric, ports: Vec<Option<PortInfo>>) -> Self {
        Self {
            sm_port: PortId(0),
            paths: vec![DirPath::LOCAL; fabric.nodes().len()],
            port_paths: BTreeMap::new(),
            ports,
            vendor_ports: BTreeMap::new(),
            switches: vec![None; fabric.switches().len()],
            partition_cap: vec![0; fabric.nodes().len()],
            tables: Tables::unknown(&fabric),
            other_sms: Vec::new(),
            unread: Vec::new(),
            duplicates: Vec::new(),
            fabric: Arc::new(fabric),
        }
    }

    /// What ports and switches hold, for those who judge it.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            fabric: Arc::clone(&self.fabric),
            ports: self.ports.clone(),
            switches: self.switches.clone(),
            partition_cap: self.partition_cap.clone(),
            vendor_ports: self.vendor_ports.clone(),
            tables: self.tables.clone(),
            managers: self.other_sms.clone(),
            unread: self.unread.clone(),
            duplicates: self.duplicates.clone(),
            read_at: Some(self.sm_port),
            anonymous: false,
        }
    }

    /// PortInfo of a port, if it was read.
    #[must_use]
    pub fn port_info(&self, port: PortId) -> Option<&PortInfo> {
        self.ports[port.index()].as_ref()
    }

    /// SwitchInfo of a switch, if it was read.
    #[must_use]
    pub fn switch_info(&self, switch: SwitchId) -> Option<&SwitchInfo> {
        self.switches[switch.index()].as_ref()
    }

    /// The state of a port's link; DOWN where it was not read.
    #[must_use]
    pub fn state(&self, port: PortId) -> PortState {
        self.port_info(port).map_or(PortState::DOWN, |i| PortState(i.port_state()))
    }

    /// PortInfo of the port that speaks for a whole node: port 0 of a switch, else the port
    /// itself.
    #[must_use]
    pub fn node_port_info(&self, port: PortId) -> Option<&PortInfo> {
        let node = self.fabric.node(self.fabric.owner(port));
        match node.kind {
            NodeKind::Switch => self.port_info(node.first),
            _ => self.port_info(port),
        }
    }

    /// The directed route to the agent that answers for a port.
    #[must_use]
    pub fn path(&self, port: PortId) -> &DirPath {
        let by_node = || &self.paths[self.fabric.owner(port).index()];
        self.port_paths.get(&port).unwrap_or_else(by_node)
    }

    /// A request in words.
    pub(crate) fn request_name(&self, method: u8, at: Address) -> RequestName {
        let node = self.fabric.node(self.fabric.owner(at.port));
        RequestName {
            method,
            attribute: at.attribute,
            modifier: at.modifier,
            path: *self.path(at.port),
            node: Some(node.description.clone()),
        }
    }

    /// The directed route to a switch.
    #[must_use]
    pub fn switch_path(&self, switch: SwitchId) -> &DirPath {
        &self.paths[self.fabric.switch_node(switch).index()]
    }

    /// Takes over what was known of tables that nothing can have changed since: of a switch whose
    /// LinearFDBTop is still what it was, and of ports whose link stayed up. Within one sweep
    /// (`same_sweep`) a link that went down did so because it was told to, and its port has kept
    /// its tables if its node has kept its LID.
    pub fn carry_over(&mut self, old: &Self, same_sweep: bool) {
        let fabric = Arc::clone(&self.fabric);
        for node in fabric.node_ids() {
            let Some(was) = old.fabric.node_by_guid(fabric.node(node).guid) else { continue };
            if let (Some(now), Some(then)) = (fabric.as_switch(node), old.fabric.as_switch(was)) {
                let top = |o: &Self, s| o.switch_info(s).map(SwitchInfo::linear_fdb_top);
                if top(self, now) != top(old, then) {
                    continue;
                }
            }
            let first = fabric.node(node).first.0;
            let keep: Vec<bool> = (0..=u32::from(fabric.node(node).num_ports))
                .map(|n| {
                    let (port, then) =
                        (PortId(first + n), PortId(old.fabric.node(was).first.0 + n));
                    let up = matches!(self.state(port), PortState::ARMED | PortState::ACTIVE);
                    let lid = |o: &Self, p| o.port_info(p).map(PortInfo::lid);
                    let same = || lid(self, port) == lid(old, then);
                    n == 0 || up || (same_sweep && same())
                })
                .collect();
            let source = (&old.tables, old.fabric.as_ref(), was);
            self.tables.carry_over(&fabric, node, source, |p| keep[(p.0 - first) as usize]);
        }
    }
}

/// PortInfo as read, with the state fields as a Set that changes no state writes them.
#[must_use]
pub fn settled(have: &PortInfo) -> PortInfo {
    let mut info = *have;
    info.set_port_state(0);
    info.set_port_physical_state(0);
    info.set_link_down_default_state(0);
    info
}
