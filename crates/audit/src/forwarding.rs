//! The forwarding tables and lanes that a snapshot holds, for the checks of `lk_routing`.
//!
//! What was not read is not judged. A LID whose way leads through a switch whose entry for it is
//! not known is left out. Where nothing leads there, the switch's own way is completed by a known
//! one: then no verdict depends on it.

use std::collections::HashMap;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_routing::proof::{Forwarding, LaneMap, Lanes, SlSet};
use lk_routing::{GroupTree, Lfts, LidMap};
use lk_snapshot::{MftBlock, Snapshot};
use lk_wire::{Lid, MulticastForwardingTable, PhysState, PortNum, SlToVlTable, Vl};

/// What a snapshot's switches do with packets.
#[derive(Clone, Debug)]
pub struct Held {
    /// The graph.
    pub fabric: Arc<Fabric>,
    /// Who answers to which LID; LIDs that cannot be judged are left out.
    pub lids: LidMap,
    /// The tables, up to LinearFDBTop.
    pub lfts: Lfts,
    /// The trees of multicast groups.
    pub trees: Vec<GroupTree>,
    /// The lanes.
    pub lanes: HeldLanes,
    /// How many LIDs were left out because ways to them are not known.
    pub lids_left_out: usize,
    /// Switches of whose forwarding tables a part is not known.
    pub unknown: Vec<SwitchId>,
}

/// The lanes that a snapshot's SL2VL tables give, cut to the lanes that operate.
#[derive(Clone, Debug)]
pub struct HeldLanes {
    maps: Vec<LaneMap>,
    /// The first map of each switch, and how many ports it has with port 0.
    switches: Vec<(usize, usize)>,
    /// Those of adapters' and routers' ports that are known.
    senders: HashMap<PortId, LaneMap>,
    /// Whether any SL2VL table is known; else all packets are taken to share one lane.
    pub known: bool,
    /// How many ports have tables that are not known, although others' are.
    pub unknown_ports: usize,
    /// SLs that a table drops (VL 15), or sends to a lane that does not operate, on the way from
    /// one link that is up to another.
    pub dropped: SlSet,
}

impl Lanes for HeldLanes {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        let place = self.switches.get(switch.index()).and_then(|(first, ports)| {
            let (from, to) = (usize::from(in_port.0), usize::from(out_port.0));
            (from < *ports && to < *ports).then_some(first + from * ports + to)
        });
        place.map_or_else(|| LaneMap::new(|_| Vl(0)), |place| self.maps[place])
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        self.senders.get(&port).copied().unwrap_or_else(|| LaneMap::new(|_| Vl(0)))
    }
}

impl Held {
    /// What the switches hold. `group_sls` are the SLs of packets to multicast groups.
    #[must_use]
    pub fn of(snapshot: &Snapshot, group_sls: SlSet) -> Self {
        let fabric = Arc::clone(&snapshot.fabric);
        let ranges: Vec<_> = fabric
            .end_ports()
            .map(|port| (port, fabric.port(port).lid, fabric.port(port).lmc))
            .collect();
        let all = LidMap::new(ranges.clone());
        let mut tables = Rows::of(snapshot, all.top());
        let left_out = tables.complete(&fabric, &all);
        let judged = |(_, lid, lmc): &(PortId, Lid, u8)| {
            let range = usize::from(lid.0)..usize::from(lid.0) + (1 << lmc);
            range.into_iter().all(|lid| !left_out.get(lid).copied().unwrap_or(false))
        };
        let lids = LidMap::new(ranges.into_iter().filter(judged).collect());
        let unknown = tables.unknown();
        let lids_left_out = left_out.iter().filter(|left| **left).count();
        Self {
            lids,
            lfts: tables.finish(),
            trees: trees(snapshot, group_sls),
            lanes: HeldLanes::of(snapshot),
            lids_left_out,
            unknown,
            fabric,
        }
    }

    /// The part that forwards.
    #[must_use]
    pub fn forwarding(&self) -> Forwarding<'_> {
        Forwarding { fabric: &self.fabric, lids: &self.lids, lfts: &self.lfts, trees: &self.trees }
    }

    /// What has to be known about a verdict on it, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.lanes.known {
            notes
                .push("SL2VL tables are not known: all packets are taken to share one lane".into());
        }
        if self.lanes.unknown_ports > 0 {
            notes.push(format!(
                "the SL2VL tables of {} ports were not read: what they do is not judged",
                self.lanes.unknown_ports
            ));
        }
        if let Some(first) = self.unknown.first() {
            let name = &self.fabric.node(self.fabric.switch_node(*first)).description;
            let more = match self.unknown.len() {
                1 => String::new(),
                n => format!(" and of {} more", n - 1),
            };
            notes.push(format!(
                "forwarding tables of {name}{more} were not read, or not wholly: {} LIDs whose ways \
                 lead there are not judged",
                self.lids_left_out
            ));
        }
        notes
    }
}

/// Forwarding tables while they are put together.
struct Rows {
    rows: Vec<Vec<u8>>,
    /// For each switch, which blocks of its table are known.
    known: Vec<Vec<bool>>,
    top: Lid,
}

impl Rows {
    fn of(snapshot: &Snapshot, top: Lid) -> Self {
        let length = Lfts::row_len(top);
        let mut rows = Vec::new();
        let mut known = Vec::new();
        for switch in snapshot.fabric.switch_ids() {
            let mut row = vec![Lfts::NO_PATH; length];
            let mut blocks = vec![false; length / Lfts::BLOCK];
            for (block, bytes) in snapshot.tables.lft_blocks(switch) {
                let at = usize::from(block) * Lfts::BLOCK;
                if let Some(slot) = row.get_mut(at..at + Lfts::BLOCK) {
                    slot.copy_from_slice(bytes);
                    blocks[usize::from(block)] = true;
                }
            }
            if let Some(info) = snapshot.switch_info(switch) {
                // Entries above the top do not count; a top of 0 is that of a switch that nobody
                // has set up.
                let end = match usize::from(info.linear_fdb_top()) {
                    0 => 0,
                    top => top + 1,
                };
                row.iter_mut().skip(end).for_each(|byte| *byte = Lfts::NO_PATH);
                blocks.iter_mut().skip(end.div_ceil(Lfts::BLOCK)).for_each(|known| *known = true);
            }
            rows.push(row);
            known.push(blocks);
        }
        Self { rows, known, top }
    }

    /// The switches of which a block is not known.
    fn unknown(&self) -> Vec<SwitchId> {
        let missing = |blocks: &Vec<bool>| !blocks.iter().all(|known| *known);
        let all = self.known.iter().enumerate().filter(|(_, blocks)| missing(blocks));
        all.map(|(at, _)| SwitchId(at as u32)).collect()
    }

    /// Finds the LIDs whose ways lead to what is not known; completes the other unknown ways.
    /// Gives for each LID whether it has to be left out.
    fn complete(&mut self, fabric: &Fabric, lids: &LidMap) -> Vec<bool> {
        let mut left_out = vec![false; usize::from(self.top.0) + 1];
        let holes = self.unknown();
        let hole = |known: &[Vec<bool>], switch: SwitchId, lid: usize| {
            !known[switch.index()][lid / Lfts::BLOCK]
        };
        // Who sends to a switch with a hole?
        for at in &holes {
            for (near, port) in neighbours(fabric, *at) {
                for (lid, left) in left_out.iter_mut().enumerate() {
                    let leads =
                        self.rows[near.index()][lid] == port.0 && !hole(&self.known, near, lid);
                    *left |= leads
                        && hole(&self.known, *at, lid)
                        && lids.port(Lid(lid as u16)).is_some();
                }
            }
        }
        for at in &holes {
            for (lid, left) in left_out.iter_mut().enumerate() {
                let owner = lids.port(Lid(lid as u16));
                let Some(owner) = owner.filter(|_| hole(&self.known, *at, lid)) else { continue };
                let way = self.way_around(fabric, *at, lid, owner);
                match way {
                    Some(port) => self.rows[at.index()][lid] = port,
                    None => *left = true,
                }
            }
        }
        left_out
    }

    /// A port of a switch by which a LID can be reached: its own end port, or a neighbour that
    /// knows a way.
    fn way_around(&self, fabric: &Fabric, at: SwitchId, lid: usize, owner: PortId) -> Option<u8> {
        let node = fabric.switch_node(at);
        if fabric.owner(owner) == node {
            return Some(0);
        }
        let own = fabric.peer(owner).filter(|near| fabric.owner(*near) == node);
        if let Some(near) = own {
            return Some(fabric.port_num(near).0);
        }
        let known = |(near, _): &(SwitchId, PortNum)| {
            self.known[near.index()][lid / Lfts::BLOCK]
                && self.rows[near.index()][lid] != Lfts::NO_PATH
        };
        let (near, back) = neighbours(fabric, at).into_iter().find(known)?;
        let back = fabric.port_at(fabric.switch_node(near), back)?;
        Some(fabric.port_num(fabric.peer(back)?).0)
    }

    fn finish(self) -> Lfts {
        Lfts { top: self.top, rows: self.rows.into_iter().map(Arc::from).collect() }
    }
}

/// The switches next to one, each with its port that leads there.
fn neighbours(fabric: &Fabric, switch: SwitchId) -> Vec<(SwitchId, PortNum)> {
    let ports = fabric.external_ports(fabric.switch_node(switch));
    let far = ports.filter_map(|port| fabric.peer(port));
    far.filter_map(|far| Some((fabric.as_switch(fabric.owner(far))?, fabric.port_num(far))))
        .collect()
}

impl HeldLanes {
    fn of(snapshot: &Snapshot) -> Self {
        let fabric = &snapshot.fabric;
        let all = (0..fabric.ports().len() as u32).map(PortId);
        let external = |port: &PortId| {
            let node = fabric.node(fabric.owner(*port));
            node.kind == NodeKind::Switch && fabric.port_num(*port).0 != 0
        };
        let any = |port: PortId| {
            (0..snapshot.tables.ingress_ports(port)).any(|n| snapshot.sl2vl(port, n).is_some())
        };
        let known = all.filter(external).any(any);
        let mut lanes = Self {
            maps: Vec::new(),
            switches: Vec::new(),
            senders: HashMap::new(),
            known,
            unknown_ports: 0,
            dropped: SlSet::EMPTY,
        };
        for switch in fabric.switch_ids() {
            lanes.add(snapshot, switch);
        }
        let adapters = fabric.end_ports().filter(|p| fabric.as_switch(fabric.owner(*p)).is_none());
        let known = adapters.filter_map(|port| Some((port, lanes_of(snapshot, port, 0)?)));
        lanes.senders = known.collect();
        lanes
    }

    fn add(&mut self, snapshot: &Snapshot, switch: SwitchId) {
        let fabric = &snapshot.fabric;
        let node = fabric.switch_node(switch);
        let ports = usize::from(fabric.node(node).num_ports) + 1;
        let first = self.maps.len();
        self.switches.push((first, ports));
        let one = LaneMap::new(|_| Vl(0));
        self.maps.resize(first + ports * ports, one);
        if !self.known {
            return;
        }
        for egress in fabric.external_ports(node).filter(|port| fabric.peer(*port).is_some()) {
            let to = usize::from(fabric.port_num(egress).0);
            let mut unknown = false;
            for from in 0..ports {
                let ingress = PortId(fabric.node(node).first.0 + from as u32);
                let cabled = from != 0 && from != to && is_up(snapshot, ingress);
                let Some(map) = lanes_of(snapshot, egress, from as u16) else {
                    // What is not known makes no packet wait.
                    unknown |= cabled;
                    self.maps[first + from * ports + to] = LaneMap::new(|_| Vl::DROP);
                    continue;
                };
                if cabled {
                    let lost = SlSet::ALL.iter().filter(|sl| map.vl(*sl) == Vl::DROP);
                    self.dropped = lost.fold(self.dropped, SlSet::with);
                }
                self.maps[first + from * ports + to] = map;
            }
            self.unknown_ports += usize::from(unknown);
        }
    }
}

/// Whether something can come in by a port.
fn is_up(snapshot: &Snapshot, port: PortId) -> bool {
    let up = |state| PhysState(state) == PhysState::LINK_UP;
    snapshot.fabric.peer(port).is_some()
        && snapshot.port_info(port).is_none_or(|info| up(info.port_physical_state()))
}

/// The lanes of SLs from one port of a switch to another: with one lane all are on it, whatever the
/// table says (IBA 7.6.6); a lane that does not operate takes nothing.
fn lanes_of(snapshot: &Snapshot, egress: PortId, ingress: u16) -> Option<LaneMap> {
    let lanes = snapshot.port_info(egress).map(|info| info.operational_vls().data_vls());
    if lanes == Some(1) {
        return Some(LaneMap::new(|_| Vl(0)));
    }
    let table: SlToVlTable = snapshot.sl2vl(egress, ingress)?;
    Some(LaneMap::new(|sl| match table.get(sl) {
        vl if lanes.is_some_and(|lanes| lanes > 0 && vl.0 >= lanes) => Vl::DROP,
        vl => vl,
    }))
}

/// The trees of multicast groups, from the multicast forwarding tables.
fn trees(snapshot: &Snapshot, sls: SlSet) -> Vec<GroupTree> {
    let mut trees: std::collections::BTreeMap<Lid, Vec<(SwitchId, Vec<PortNum>)>> =
        std::collections::BTreeMap::new();
    for switch in snapshot.fabric.switch_ids() {
        for (code, bytes) in snapshot.tables.mft_blocks(switch) {
            let at = MftBlock::of_code(code);
            for (entry, mask) in MulticastForwardingTable(*bytes).iter().enumerate() {
                if mask == 0 {
                    continue;
                }
                let lid =
                    0xC000 + usize::from(at.block) * MulticastForwardingTable::ENTRIES + entry;
                let first = at.position * MulticastForwardingTable::PORTS;
                let ports = (0..16).filter(|bit| mask & 1 << bit != 0);
                let ports = ports.map(|bit| PortNum(first.saturating_add(bit as u8)));
                let tree = trees.entry(Lid(lid as u16)).or_default();
                match tree.last_mut().filter(|(last, _)| *last == switch) {
                    Some((_, all)) => all.extend(ports),
                    None => tree.push((switch, ports.collect())),
                }
            }
        }
    }
    trees.into_iter().map(|(mlid, ports)| GroupTree { mlid, sls, ports }).collect()
}
