//! What is judged.

use std::collections::{BTreeMap, HashMap};

use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::proof::{LaneMap, Lanes, PathSls, SlSet};
use lk_routing::{GroupTree, Lfts, LidMap, Routes, SlPlan};
use lk_sm::Verdict;
use lk_sm::decide::Forwarding;
use lk_wire::{Lid, PortNum, Sl, Vl};

use super::path_sls::PathTable;

/// A fabric with its routes.
pub(super) struct Subject {
    /// Where the routes come from: an engine or files.
    pub(super) source: String,
    /// The graph.
    pub(super) fabric: Fabric,
    /// Who answers to which LID.
    pub(super) lids: LidMap,
    /// The tables.
    pub(super) lfts: Lfts,
    /// The trees of multicast groups.
    pub(super) trees: Vec<GroupTree>,
    /// The lanes of SLs.
    pub(super) sl2vl: Sl2vl,
    /// The SLs of paths.
    pub(super) sls: Sls,
    /// What has to be known about how the verdict came about.
    pub(super) notes: Vec<String>,
    /// What is wrong besides, as sentences.
    pub(super) faults: Vec<String>,
    /// Whether a file held something wrong.
    pub(super) flawed: bool,
    /// What is not judged because nobody has read it.
    pub(super) unread: Unread,
}

/// How much was not read, and what is not judged for that.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Unread {
    /// Attributes and blocks of tables that did not come.
    pub(super) count: usize,
    /// LIDs that are left out.
    pub(super) lids: usize,
    /// The SLs that known tables drop, where some are not known.
    pub(super) dropped: Option<SlSet>,
}

impl Subject {
    /// The part that forwards.
    pub(super) fn forwarding(&self) -> Forwarding<'_> {
        Forwarding { fabric: &self.fabric, lids: &self.lids, lfts: &self.lfts, trees: &self.trees }
    }
}

/// What is wrong with the LIDs of cabled end ports: none, or one that another port has. `known`
/// says of which ports the LID is known.
pub(super) fn wrong_lids(fabric: &Fabric, known: impl Fn(PortId) -> bool) -> Vec<String> {
    let mut owners: BTreeMap<u16, PortId> = BTreeMap::new();
    let mut faults = Vec::new();
    let is_switch = |port| fabric.as_switch(fabric.owner(port)).is_some();
    let cabled = |port: &PortId| is_switch(*port) || fabric.peer(*port).is_some();
    for port in fabric.end_ports().filter(cabled).filter(|port| known(*port)) {
        let (base, lmc) = (fabric.port(port).lid.0, fabric.port(port).lmc.min(7));
        let name = fabric.port_name(port);
        if base == 0 {
            faults.push(format!("{name} has no LID: nobody reaches it"));
            continue;
        }
        for lid in base..=base.saturating_add((1 << lmc) - 1) {
            match owners.get(&lid) {
                Some(other) => faults.push(format!(
                    "{name} has LID {lid}, which {} has too: packets reach one of them only",
                    fabric.port_name(*other)
                )),
                None => {
                    owners.insert(lid, port);
                }
            }
        }
    }
    faults
}

/// SL2VL tables of all switches.
pub(super) struct Sl2vl {
    /// None where nothing is known of it: VL 0 for all.
    maps: Vec<Option<LaneMap>>,
    /// The first map of each switch and its number of ports, port 0 included; a map for each way
    /// in and out.
    switches: Vec<(usize, usize)>,
    /// Those of adapters' and routers' ports, where they are known.
    senders: HashMap<PortId, LaneMap>,
}

impl Sl2vl {
    /// One lane everywhere.
    pub(super) fn one_lane() -> Self {
        Self { maps: Vec::new(), switches: Vec::new(), senders: HashMap::new() }
    }

    /// Room for the tables of all switches, one lane each until they are set.
    pub(super) fn of_switches(fabric: &Fabric) -> Self {
        let mut first = 0;
        let room = |switch| {
            let ports = usize::from(fabric.node(fabric.switch_node(switch)).num_ports) + 1;
            let place = (first, ports);
            first += ports * ports;
            place
        };
        let switches = fabric.switch_ids().map(room).collect();
        let maps = vec![None; first];
        Self { maps, switches, senders: HashMap::new() }
    }

    /// The tables that switches have by `lanes`.
    pub(super) fn of_lanes(fabric: &Fabric, lanes: &impl Lanes) -> Self {
        let mut tables = Self::of_switches(fabric);
        for switch in fabric.switch_ids() {
            let ports = fabric.node(fabric.switch_node(switch)).num_ports;
            for from in (0..=ports).map(PortNum) {
                for to in (1..=ports).map(PortNum) {
                    tables.set(switch, from, to, lanes.lanes(switch, from, to));
                }
            }
        }
        let adapters = fabric.end_ports().filter(|p| fabric.as_switch(fabric.owner(*p)).is_none());
        tables.senders = adapters.map(|port| (port, lanes.of_sender(port))).collect();
        tables
    }

    /// Sets the table of an adapter's or router's port.
    pub(super) fn set_sender(&mut self, port: PortId, map: LaneMap) {
        self.senders.insert(port, map);
    }

    fn place(&self, switch: SwitchId, from: PortNum, to: PortNum) -> Option<usize> {
        let (first, ports) = *self.switches.get(switch.index())?;
        let (from, to) = (usize::from(from.0), usize::from(to.0));
        (from < ports && to < ports).then_some(first + from * ports + to)
    }

    /// Sets a table; `false` if the switch has no such ports.
    pub(super) fn set(
        &mut self,
        switch: SwitchId,
        from: PortNum,
        to: PortNum,
        map: LaneMap,
    ) -> bool {
        let place = self.place(switch, from, to);
        if let Some(slot) = place.and_then(|place| self.maps.get_mut(place)) {
            *slot = Some(map);
        }
        place.is_some()
    }

    /// The ways in and out of a switch, by ports with cables, of which nothing is known.
    pub(super) fn unknown(&self, fabric: &Fabric, switch: SwitchId) -> Vec<(PortNum, PortNum)> {
        let node = fabric.switch_node(switch);
        let cabled = fabric.external_ports(node).filter(|port| fabric.peer(*port).is_some());
        let outs: Vec<PortNum> = cabled.map(|port| fabric.port_num(port)).collect();
        let ins = std::iter::once(PortNum(0)).chain(outs.iter().copied());
        let ways = ins.flat_map(|from| outs.iter().map(move |to| (from, *to)));
        let unknown = |(from, to): &(PortNum, PortNum)| {
            let map = self.place(switch, *from, *to).map(|place| self.maps[place]);
            from != to && map == Some(None)
        };
        ways.filter(unknown).collect()
    }

    /// Whether no table tells these SLs apart.
    pub(super) fn same(&self, a: Sl, b: Sl) -> bool {
        self.maps.iter().flatten().all(|map| map.vl(a) == map.vl(b))
    }

    /// Whether no table was given.
    pub(super) fn is_one_lane(&self) -> bool {
        self.maps.is_empty()
    }
}

impl Lanes for Sl2vl {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        let place = self.place(switch, in_port, out_port);
        place.and_then(|place| self.maps[place]).unwrap_or_else(|| LaneMap::new(|_| Vl(0)))
    }

    fn of_sender(&self, port: PortId) -> LaneMap {
        self.senders.get(&port).copied().unwrap_or_else(|| LaneMap::new(|_| Vl(0)))
    }
}

/// The SLs of paths.
pub(super) enum Sls {
    /// The same for all.
    Fixed(SlSet),
    /// As a file says.
    Table(PathTable),
    /// As the engine says, for these levels.
    Engine { routes: Box<Routes>, lids: LidMap, levels: SlSet },
}

impl Sls {
    /// Those of a routing.
    pub(super) fn of_routes(lids: &LidMap, routes: &Routes) -> Self {
        match routes.sl {
            SlPlan::Any => Self::Fixed(SlSet::one(Sl(0))),
            SlPlan::Constant(sl) => Self::Fixed(SlSet::one(sl)),
            SlPlan::PerPair(_) | SlPlan::PerPath(_) => Self::Engine {
                routes: Box::new(routes.clone()),
                lids: lids.clone(),
                levels: Verdict::levels(routes),
            },
        }
    }
}

impl PathSls for Sls {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        match self {
            Self::Fixed(set) => *set,
            Self::Table(table) => table.sls(from, to),
            Self::Engine { routes, lids, levels } => routes.proof_sls(lids, *levels).sls(from, to),
        }
    }

    fn own(&self, from: SwitchId, to: Lid) -> SlSet {
        match self {
            Self::Fixed(set) => *set,
            Self::Table(table) => table.own(from, to),
            Self::Engine { routes, lids, levels } => routes.proof_sls(lids, *levels).own(from, to),
        }
    }

    fn all(&self) -> SlSet {
        match self {
            Self::Fixed(set) => *set,
            Self::Table(table) => table.all(),
            Self::Engine { routes, lids, levels } => routes.proof_sls(lids, *levels).all(),
        }
    }

    fn alike(&self, one: Lid, other: Lid) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Table(table) => table.alike(one, other),
            Self::Engine { routes, lids, levels } => {
                routes.proof_sls(lids, *levels).alike(one, other)
            }
        }
    }
}
