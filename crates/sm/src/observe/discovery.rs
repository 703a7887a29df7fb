//! Finding the fabric: a walk over directed routes that starts at the SM's own port.
//!
//! Every node is asked for NodeInfo, NodeDescription and PortInfo; a switch also for SwitchInfo
//! and for PortInfo of each port. Behind every external port whose link is up stands another
//! node, whose NodeInfo says which of its ports the cable ends in. Nothing is known of a cable
//! before its far end has answered. Adapters and routers are not walked through.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use lk_config::node_names::NodeNames;
use lk_fabric::{Added, FabricBuilder, LinkRate, NodeKind, NodeSpec, PortId};
use lk_snapshot::{Duplicate, Unread, Why};
use lk_wire::{
    DirPath, Guid, Lid, MKey, MlnxExtPortInfo, NodeDescription, NodeInfo, NodeType, PhysState,
    PortInfo, PortNum, SmInfo, Smp, SwitchInfo, Tid, attr, cap_mask, method,
};
use rustc_hash::FxHashMap;

use super::{Observed, Table};
use crate::event::{Event, RequestName};
use crate::window::Failure;

/// What the walk has to know beforehand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscoveryOptions {
    /// M_Key to put into the requests.
    pub m_key: MKey,
    /// Whether to read the P_Key tables of switch ports that face adapters and routers.
    pub switch_pkeys: bool,
    /// Whether to ask ports that say so for their SM.
    pub other_sms: bool,
    /// Whether to ask the own port, too: who asks is not the SM there.
    pub own_sm: bool,
    /// Names that stand in for what nodes call themselves.
    pub names: Arc<NodeNames>,
}

/// A question of the walk; nodes are numbered in the order in which they were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Who is behind this port of that node? `None`: who am I?
    Node(Option<(u32, u8)>),
    /// The node's name.
    Description(u32),
    /// The switch's SwitchInfo.
    Switch(u32),
    /// A port's PortInfo.
    Port(u32, u8),
    /// A port's extended port information, the vendor's own.
    VendorPort(u32, u8),
    /// A block of a port's P_Key table.
    PKeys(u32, u8, u16),
    /// The SM behind an adapter's port.
    Sm(u32, u8),
}

struct FoundPort {
    info: Option<PortInfo>,
    vendor: Option<MlnxExtPortInfo>,
    guid: Guid,
    peer: Option<(u32, u8)>,
    pkeys: Vec<Option<[u8; 64]>>,
}

struct Found {
    info: NodeInfo,
    kind: NodeKind,
    description: String,
    path: DirPath,
    entry: u8,
    switch: Option<SwitchInfo>,
    ports: Vec<FoundPort>,
}

/// The walk while it is under way.
pub struct Discovery {
    options: DiscoveryOptions,
    nodes: Vec<Found>,
    by_guid: FxHashMap<Guid, u32>,
    queue: VecDeque<Query>,
    unanswered: Vec<Query>,
    second_chance: bool,
    sms: Vec<(u32, u8, SmInfo)>,
    /// Ports of adapters and routers that were entered another way than their node.
    entries: BTreeMap<(u32, u8), DirPath>,
    /// The GUIDs that two nodes have, and the ports behind which the second ones are.
    duplicates: Vec<(Guid, (u32, u8))>,
    failed: usize,
    /// What did not come, and why.
    missing: Vec<(Query, Why)>,
}

impl Discovery {
    /// Starts a walk.
    #[must_use]
    pub fn new(options: DiscoveryOptions) -> Self {
        Self {
            options,
            nodes: Vec::new(),
            by_guid: FxHashMap::default(),
            queue: VecDeque::from([Query::Node(None)]),
            unanswered: Vec::new(),
            second_chance: true,
            sms: Vec::new(),
            entries: BTreeMap::new(),
            duplicates: Vec::new(),
            failed: 0,
            missing: Vec::new(),
        }
    }

    /// The next question, if one can be asked before more answers are in. When all have been
    /// asked, those that got no answer are asked once more.
    pub fn next(&mut self, in_flight: usize) -> Option<(Smp, Query)> {
        if self.queue.is_empty() && in_flight == 0 && self.second_chance {
            self.second_chance = false;
            self.queue.extend(self.unanswered.drain(..));
        }
        loop {
            let query = self.queue.pop_front()?;
            if let Some(smp) = self.request(query) {
                return Some((smp, query));
            }
        }
    }

    /// The path of the node that a query goes to; `None` if the question has been answered
    /// meanwhile or cannot be asked.
    fn request(&self, query: Query) -> Option<Smp> {
        let (path, attribute, modifier) = match query {
            Query::Node(None) => (DirPath::LOCAL, attr::NODE_INFO, 0),
            Query::Node(Some((n, port))) => {
                let near = &self.nodes[n as usize];
                if near.ports[usize::from(port)].peer.is_some() {
                    return None;
                }
                (near.path.then(PortNum(port))?, attr::NODE_INFO, 0)
            }
            Query::Description(n) => (self.path(n), attr::NODE_DESCRIPTION, 0),
            Query::Switch(n) => (self.path(n), attr::SWITCH_INFO, 0),
            Query::Port(n, p) => (self.port_path(n, p), attr::PORT_INFO, u32::from(p)),
            Query::VendorPort(n, p) => {
                (self.port_path(n, p), attr::MLNX_EXT_PORT_INFO, u32::from(p))
            }
            Query::PKeys(n, p, block) => {
                let port = match self.nodes[n as usize].kind {
                    NodeKind::Switch => u32::from(p) << 16,
                    _ => 0,
                };
                (self.port_path(n, p), attr::PKEY_TABLE, port | u32::from(block))
            }
            Query::Sm(n, p) => (self.port_path(n, p), attr::SM_INFO, 0),
        };
        Some(Smp::directed(method::GET, attribute, modifier, Tid(0), self.options.m_key, &path))
    }

    fn path(&self, node: u32) -> DirPath {
        self.nodes[node as usize].path
    }

    fn port_path(&self, node: u32, port: u8) -> DirPath {
        self.entries.get(&(node, port)).copied().unwrap_or_else(|| self.path(node))
    }

    /// A question in words.
    #[must_use]
    pub fn name(&self, query: Query) -> RequestName {
        let (node, attribute, modifier) = match query {
            Query::Node(_) => (None, attr::NODE_INFO, 0),
            Query::Description(n) => (Some(n), attr::NODE_DESCRIPTION, 0),
            Query::Switch(n) => (Some(n), attr::SWITCH_INFO, 0),
            Query::Port(n, p) => (Some(n), attr::PORT_INFO, u32::from(p)),
            Query::VendorPort(n, p) => (Some(n), attr::MLNX_EXT_PORT_INFO, u32::from(p)),
            Query::PKeys(n, p, b) => (Some(n), attr::PKEY_TABLE, u32::from(p) << 16 | u32::from(b)),
            Query::Sm(n, _) => (Some(n), attr::SM_INFO, 0),
        };
        let path = match query {
            Query::Node(None) => DirPath::LOCAL,
            Query::Node(Some((n, p))) => self.path(n).then(PortNum(p)).unwrap_or(self.path(n)),
            Query::Port(n, p)
            | Query::VendorPort(n, p)
            | Query::PKeys(n, p, _)
            | Query::Sm(n, p) => self.port_path(n, p),
            Query::Description(n) | Query::Switch(n) => self.path(n),
        };
        RequestName {
            method: method::GET,
            attribute,
            modifier,
            path,
            node: node.map(|n| self.nodes[n as usize].description.clone()),
        }
    }

    /// A question got no answer, or an answer with an error status.
    pub fn failed(&mut self, query: Query, why: Failure, events: &mut Vec<Event>) {
        if why == Failure::NoAnswer && self.second_chance {
            self.unanswered.push(query);
            return;
        }
        // What a node need not have is no failure of the sweep.
        let refused = matches!(why, Failure::Status(_));
        if !(refused && matches!(query, Query::VendorPort(..))) {
            let why = match why {
                Failure::NoAnswer => Why::NoAnswer,
                Failure::Status(status) => Why::Status(status),
            };
            self.missing.push((query, why));
        }
        if matches!(query, Query::Sm(..)) || (refused && matches!(query, Query::VendorPort(..))) {
            return;
        }
        self.failed += 1;
        events.push(match why {
            Failure::NoAnswer => Event::NoAnswer(self.name(query)),
            Failure::Status(s) => Event::Refused(self.name(query), lk_wire::Status(s)),
        });
    }

    /// How many questions stayed without an answer.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.failed
    }

    /// Whether two nodes seem to have one GUID.
    #[must_use]
    pub fn has_duplicates(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// How many nodes were found so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// An answer came in.
    pub fn answered(&mut self, query: Query, response: &Smp, events: &mut Vec<Event>) {
        let data = response.data();
        match query {
            Query::Node(from) => self.found_node(from, response, events),
            Query::Description(n) => {
                let found = &mut self.nodes[n as usize];
                found.description = match self.options.names.get(Guid(found.info.node_guid())) {
                    Some(name) => name.to_owned(),
                    None => NodeDescription(*data).text(),
                };
            }
            Query::Switch(n) => {
                let info: SwitchInfo = response.attribute();
                self.nodes[n as usize].switch = Some(info);
                self.queue.push_back(Query::PKeys(n, 0, 0));
            }
            Query::Port(n, port) => {
                self.found_port(n, port, response.attribute(), events);
            }
            Query::VendorPort(n, port) => {
                let slot = &mut self.nodes[n as usize].ports[usize::from(port)];
                slot.vendor = Some(response.attribute());
            }
            Query::PKeys(n, port, block) => {
                let slot = &mut self.nodes[n as usize].ports[usize::from(port)];
                let at = usize::from(block);
                if slot.pkeys.len() <= at {
                    slot.pkeys.resize(at + 1, None);
                }
                slot.pkeys[at] = Some(*data);
                if block == 0 {
                    let blocks = self.pkey_blocks(n, port);
                    self.queue.extend((1..blocks).map(|b| Query::PKeys(n, port, b)));
                }
            }
            Query::Sm(n, port) => {
                self.sms.push((n, port, response.attribute()));
            }
        }
    }

    fn pkey_blocks(&self, node: u32, port: u8) -> u16 {
        let found = &self.nodes[node as usize];
        let cap = match (&found.switch, port) {
            (Some(info), 1..) => info.partition_enforcement_cap(),
            _ => found.info.partition_cap(),
        };
        cap.div_ceil(32)
    }

    fn found_node(&mut self, from: Option<(u32, u8)>, response: &Smp, events: &mut Vec<Event>) {
        let info: NodeInfo = response.attribute();
        let (guid, entry) = (Guid(info.node_guid()), info.local_port_num());
        let path = match from {
            None => DirPath::LOCAL,
            Some((n, port)) => match self.path(n).then(PortNum(port)) {
                Some(path) => path,
                None => {
                    events.push(Event::TooFar(self.path(n)));
                    return;
                }
            },
        };
        let kind = match NodeType(info.node_type()) {
            NodeType::CA => NodeKind::Ca,
            NodeType::SWITCH => NodeKind::Switch,
            NodeType::ROUTER => NodeKind::Router,
            other => {
                let what = format!("the node {guid} on path {path}");
                self.missing.push((Query::Node(from), Why::Unusable));
                events.push(Event::LeftAlone { what, why: format!("its node type is {other}") });
                return;
            }
        };
        let sane = info.num_ports() != 0 && info.num_ports() != 255 && entry <= info.num_ports();
        if guid == Guid(0) || !sane || (entry == 0 && from.is_some()) {
            self.missing.push((Query::Node(from), Why::Unusable));
            events.push(Event::LeftAlone {
                what: format!("the node {guid} on path {path}"),
                why: format!(
                    "its NodeInfo cannot be: {} ports, entered by port {entry}",
                    info.num_ports()
                ),
            });
            return;
        }
        let node = match self.by_guid.get(&guid) {
            Some(node) => *node,
            None => self.add(info, kind, path, entry),
        };
        if kind != NodeKind::Switch {
            let slot = &mut self.nodes[node as usize].ports[usize::from(entry)];
            if slot.guid == Guid(0) {
                slot.guid = Guid(info.port_guid());
                if entry != self.nodes[node as usize].entry {
                    self.entries.insert((node, entry), path);
                }
                self.queue.push_back(Query::Port(node, entry));
            }
        }
        if let Some(near) = from {
            self.link(near, (node, entry), path, &info, events);
        }
    }

    fn add(&mut self, info: NodeInfo, kind: NodeKind, path: DirPath, entry: u8) -> u32 {
        let node = self.nodes.len() as u32;
        let guid = Guid(info.node_guid());
        let port_guid = if kind == NodeKind::Switch { Guid(info.port_guid()) } else { Guid(0) };
        let port = || FoundPort {
            info: None,
            vendor: None,
            guid: port_guid,
            peer: None,
            pkeys: Vec::new(),
        };
        self.nodes.push(Found {
            info,
            kind,
            description: String::new(),
            path,
            entry,
            switch: None,
            ports: std::iter::repeat_with(port).take(usize::from(info.num_ports()) + 1).collect(),
        });
        self.by_guid.insert(guid, node);
        self.queue.push_back(Query::Description(node));
        if kind == NodeKind::Switch {
            self.queue.push_back(Query::Switch(node));
            self.queue.extend((0..=info.num_ports()).map(|p| Query::Port(node, p)));
        }
        node
    }

    fn link(
        &mut self,
        near: (u32, u8),
        far: (u32, u8),
        path: DirPath,
        info: &NodeInfo,
        events: &mut Vec<Event>,
    ) {
        let known = &self.nodes[far.0 as usize];
        let same = known.info.num_ports() == info.num_ports()
            && known.info.node_type() == info.node_type()
            && known.info.system_image_guid() == info.system_image_guid();
        let held = known.ports[usize::from(far.1)].peer;
        if !same || held.is_some_and(|h| h != near) {
            self.duplicates.push((Guid(info.node_guid()), near));
            events.push(Event::DuplicateGuid {
                guid: Guid(info.node_guid()),
                port: far.1,
                first: held.and_then(|(n, p)| self.path(n).then(PortNum(p))).unwrap_or(known.path),
                second: path,
            });
            return;
        }
        self.nodes[near.0 as usize].ports[usize::from(near.1)].peer = Some(far);
        self.nodes[far.0 as usize].ports[usize::from(far.1)].peer = Some(near);
    }

    fn found_port(&mut self, n: u32, port: u8, info: PortInfo, events: &mut Vec<Event>) {
        let found = &mut self.nodes[n as usize];
        let is_switch = found.kind == NodeKind::Switch;
        let Some(slot) = found.ports.get_mut(usize::from(port)) else { return };
        slot.info = Some(info);
        let up = PhysState(info.port_physical_state()) == PhysState::LINK_UP;
        if port != 0 && up && may_run_at_fdr10(&found.info, &info) {
            self.queue.push_back(Query::VendorPort(n, port));
        }
        if !is_switch {
            self.queue.push_back(Query::PKeys(n, port, 0));
            let is_own = n == 0 && found.entry == port;
            let ask = self.options.other_sms && (!is_own || self.options.own_sm);
            if ask && info.capability_mask() & cap_mask::IS_SM != 0 {
                self.queue.push_back(Query::Sm(n, port));
            }
        }
        // Out of an adapter only the SM's own port leads on.
        let leads_on = is_switch || (n == 0 && found.entry == port);
        if port != 0 && up && leads_on {
            if found.path.hops() >= DirPath::MAX_HOPS {
                events.push(Event::TooFar(found.path));
            } else {
                self.queue.push_back(Query::Node(Some((n, port))));
            }
        }
    }

    /// Questions that can only be asked when all cables are known: the P_Key tables of switch
    /// ports that face end nodes. To be called once the walk has nothing left to ask.
    ///
    /// Gives whether there is something to ask.
    pub fn ask_about_leaves(&mut self) -> bool {
        if !self.options.switch_pkeys {
            return false;
        }
        self.options.switch_pkeys = false;
        for n in 0..self.nodes.len() {
            let caps = self.nodes[n].switch.map_or(0, |s| s.partition_enforcement_cap());
            if caps == 0 {
                continue;
            }
            for port in 1..self.nodes[n].ports.len() {
                let far = self.nodes[n].ports[port].peer;
                if far.is_some_and(|(m, _)| self.nodes[m as usize].kind != NodeKind::Switch) {
                    self.queue.push_back(Query::PKeys(n as u32, port as u8, 0));
                }
            }
        }
        !self.queue.is_empty()
    }

    /// Ends the walk. `None`: not even the SM's own port answered.
    #[must_use]
    pub fn finish(self) -> Option<Observed> {
        let own = self.nodes.first()?;
        let own_guid = Guid(own.info.node_guid());
        let own_entry = own.entry;
        let mut builder = FabricBuilder::new();
        let added: Vec<Option<Added>> =
            self.nodes.iter().map(|n| builder.add_node(n.spec()).ok()).collect();
        for (n, found) in self.nodes.iter().enumerate() {
            let Some(node) = added[n] else { continue };
            for (num, port) in found.ports.iter().enumerate() {
                port.add_to(&mut builder, node, num as u8, found);
                if let Some((m, far)) = port.peer
                    && let Some(other) = added[m as usize]
                {
                    // The walk has checked numbers and both ends, so this cannot be refused.
                    let _ = builder.connect((node, num as u8), (other, far));
                }
            }
        }
        let (fabric, places) = builder.build_with_map();
        let sm_node = fabric.node_by_guid(own_guid)?;
        let sm_port = fabric.port_at(sm_node, PortNum(own_entry))?;
        let ports = vec![None; fabric.ports().len()];
        let mut seen = Observed { sm_port, ..Observed::from_graph(fabric, ports) };
        for (found, place) in self.nodes.iter().zip(&places) {
            let first = seen.fabric.node(*place).first.0;
            seen.paths[place.index()] = found.path;
            seen.partition_cap[place.index()] = found.info.partition_cap();
            if let Some(switch) = seen.fabric.as_switch(*place) {
                seen.switches[switch.index()] = found.switch;
            }
            for (num, port) in found.ports.iter().enumerate() {
                let id = PortId(first + num as u32);
                seen.ports[id.index()] = port.info;
                seen.vendor_ports.extend(port.vendor.map(|info| (id, info)));
                for (block, bytes) in port.pkeys.iter().enumerate() {
                    if let Some(bytes) = bytes {
                        seen.tables.learn(Table::PKeys(id), block as u16, bytes);
                    }
                }
            }
        }
        let place = |n: u32, port: u8| {
            PortId(seen.fabric.node(places[n as usize]).first.0 + u32::from(port))
        };
        let sms = self.sms.iter().map(|(n, port, info)| (place(*n, *port), *info)).collect();
        let entries = self.entries.iter().map(|((n, p), path)| (place(*n, *p), *path)).collect();
        let unread = self.missing.iter();
        let unread = unread.map(|(query, why)| unread_at(*query, *why, place, &seen)).collect();
        let duplicates = self
            .duplicates
            .iter()
            .map(|(guid, (n, p))| Duplicate { guid: *guid, behind: place(*n, *p) })
            .collect();
        (seen.unread, seen.duplicates) = (unread, duplicates);
        seen.other_sms = sms;
        seen.port_paths = entries;
        Some(seen)
    }
}

/// What was not read, by the port that it belongs to.
fn unread_at(query: Query, why: Why, place: impl Fn(u32, u8) -> PortId, seen: &Observed) -> Unread {
    let (port, attribute, modifier) = match query {
        Query::Node(from) => {
            let near = from.map_or(seen.sm_port, |(n, p)| place(n, p));
            (near, attr::NODE_INFO, 0)
        }
        Query::Description(n) => (place(n, 0), attr::NODE_DESCRIPTION, 0),
        Query::Switch(n) => (place(n, 0), attr::SWITCH_INFO, 0),
        Query::Port(n, p) => (place(n, p), attr::PORT_INFO, u32::from(p)),
        Query::VendorPort(n, p) => (place(n, p), attr::MLNX_EXT_PORT_INFO, u32::from(p)),
        Query::PKeys(n, p, block) => {
            let at = Table::PKeys(place(n, p)).address(block, &seen.fabric);
            (at.port, at.attribute, at.modifier)
        }
        Query::Sm(n, p) => (place(n, p), attr::SM_INFO, 0),
    };
    Unread { port, attribute, modifier, why }
}

/// Whether a port may have the vendor's extended port information, and FDR10 be a question on it:
/// it is a Mellanox device's, or one of Bull's that are built of the same chips, and its link has
/// come up with QDR. FDR10 itself is told as QDR (LinkSpeedActive 4, IBA 14.2.5.6).
fn may_run_at_fdr10(node: &NodeInfo, port: &PortInfo) -> bool {
    const VENDORS: [u32; 2] = [0x00_02c9, 0x00_119f];
    const QDR: u8 = 4;
    VENDORS.contains(&node.vendor_id())
        && port.link_speed_active() == QDR
        && port.link_speed_ext_active() == 0
}

impl Found {
    fn spec(&self) -> NodeSpec {
        NodeSpec {
            guid: Guid(self.info.node_guid()),
            system_guid: Guid(self.info.system_image_guid()),
            kind: self.kind,
            description: self.description.clone(),
            num_ports: self.info.num_ports(),
            vendor_id: self.info.vendor_id(),
            device_id: self.info.device_id(),
            revision: self.info.revision(),
            enhanced_port0: self.switch.is_some_and(|s| s.enhanced_port0() != 0),
        }
    }
}

impl FoundPort {
    fn add_to(&self, builder: &mut FabricBuilder, node: Added, num: u8, found: &Found) {
        let Some(info) = &self.info else { return };
        let external = num != 0 && found.kind == NodeKind::Switch;
        let (lid, lmc) = if external { (0, 0) } else { (info.lid(), info.lmc()) };
        let rate = LinkRate {
            width: info.link_width_active(),
            speed: info.link_speed_active(),
            speed_ext: info.link_speed_ext_active(),
            fdr10: self.vendor.is_some_and(|v| v.link_speed_active() & MlnxExtPortInfo::FDR10 != 0),
        };
        // The slot is one of the node's own.
        let _ = builder.set_port(node, num, self.guid, Lid(lid), lmc);
        let _ = builder.set_rate(node, num, rate);
    }
}
