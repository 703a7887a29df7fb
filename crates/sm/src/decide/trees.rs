//! Trees of multicast groups and the multicast forwarding tables that they make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lk_config::Options;
use lk_fabric::{Fabric, PortId, SwitchId};
use lk_routing::graph::Graph;
use lk_routing::multicast::{Member, Tree, Up};
use lk_routing::proof::SlSet;
use lk_routing::{GroupPorts, GroupTree, Grower, Hops, MasterTree, RouteJob, Routes, SlPlan};
use lk_wire::{Lid, MulticastForwardingTable, PortNum, SwitchInfo, cap_mask};
use rayon::prelude::*;

use super::{Desired, Settings};
use crate::event::Event;
use crate::multicast::{Memberships, MlidMembers};
use crate::observe::{MftBlock, Observed};

/// The first multicast LID.
const FIRST: u16 = 0xC000;
/// MulticastFDBTop of a switch that has nothing to look up (IBA 14.2.5.4).
const NOTHING: Lid = Lid(0xBFFF);

/// Multicast forwarding as it should be.
#[derive(Clone, Debug)]
pub struct Multicast {
    /// The fabric that switches and ports are of.
    fabric: Arc<Fabric>,
    /// What trees are grown by; made when the first one is.
    grower: Option<Arc<Grower>>,
    /// How each LID's groups go through the fabric, by ascending LID: for the proof and for dumps.
    pub trees: Vec<GroupTree>,
    /// The trees that these are parts of, where they are not parts of an engine's own.
    shapes: BTreeMap<Lid, Tree>,
    /// The blocks of each switch that are not all zeros.
    tables: Vec<Arc<BTreeMap<u16, [u8; 64]>>>,
    /// Whether a switch forwards multicast.
    capable: Vec<bool>,
    /// How many blocks of 32 LIDs are managed: those that are, or once were, in use.
    blocks: u16,
}

impl Multicast {
    /// Nothing is forwarded and nothing is managed.
    #[must_use]
    pub fn none(fabric: &Arc<Fabric>) -> Self {
        Self {
            fabric: Arc::clone(fabric),
            grower: None,
            trees: Vec::new(),
            shapes: BTreeMap::new(),
            tables: vec![Arc::default(); fabric.switches().len()],
            capable: vec![false; fabric.switches().len()],
            blocks: 0,
        }
    }

    /// How many block codes of a switch's table are managed.
    #[must_use]
    pub fn managed(&self, switch: SwitchId) -> u16 {
        let capable = self.capable.get(switch.index()).copied().unwrap_or(false);
        if capable { MftBlock::codes(self.blocks) } else { 0 }
    }

    /// What a block should hold; none where it is not managed.
    #[must_use]
    pub fn block(&self, switch: SwitchId, code: u16) -> Option<[u8; 64]> {
        if code >= self.managed(switch) {
            return None;
        }
        let ports = self.fabric.node(self.fabric.switch_node(switch)).num_ports;
        if MftBlock::of_code(code).position > ports / MulticastForwardingTable::PORTS {
            return None;
        }
        let table = self.tables.get(switch.index())?;
        Some(table.get(&code).copied().unwrap_or([0; 64]))
    }

    /// The highest LID that is forwarded.
    #[must_use]
    pub fn top(&self) -> Lid {
        self.trees.last().map_or(NOTHING, |tree| tree.mlid)
    }

    /// The ports of a switch that are copied to, by LID.
    pub fn entries(&self, switch: SwitchId) -> impl Iterator<Item = (Lid, &[PortNum])> {
        self.trees.iter().filter_map(move |tree| {
            let at = tree.ports.binary_search_by_key(&switch, |(s, _)| *s).ok()?;
            Some((tree.mlid, tree.ports[at].1.as_slice()))
        })
    }

    /// The tree of a LID.
    #[must_use]
    pub fn tree(&self, mlid: Lid) -> Option<&GroupTree> {
        let at = self.trees.binary_search_by_key(&mlid, |tree| tree.mlid).ok()?;
        self.trees.get(at)
    }

    /// Takes the place of a LID's tree.
    fn set(&mut self, mlid: Lid, grown: Option<(GroupTree, Option<Tree>)>) {
        let at = self.trees.binary_search_by_key(&mlid, |tree| tree.mlid);
        if let Ok(at) = at {
            let old = self.trees.remove(at);
            self.mark(mlid, &old.ports, false);
        }
        self.shapes.remove(&mlid);
        let Some((tree, shape)) = grown else { return };
        self.blocks = self.blocks.max(MftBlock::block_of(mlid) + 1);
        self.mark(mlid, &tree.ports, true);
        if let Some(shape) = shape {
            self.shapes.insert(mlid, shape);
        }
        let at = self.trees.partition_point(|t| t.mlid < mlid);
        self.trees.insert(at, tree);
    }

    /// Sets or clears bits of the tables.
    fn mark(&mut self, mlid: Lid, ports: &[GroupPorts], set: bool) {
        let index = usize::from(mlid.0 - FIRST) % MulticastForwardingTable::ENTRIES;
        for (switch, ports) in ports {
            let table = Arc::make_mut(&mut self.tables[switch.index()]);
            for port in ports {
                let code =
                    MftBlock { block: MftBlock::block_of(mlid), position: port.0 / 16 }.code();
                let mut block =
                    MulticastForwardingTable(table.get(&code).copied().unwrap_or([0; 64]));
                let bit = 1 << (port.0 % MulticastForwardingTable::PORTS);
                let was = block.get(index).unwrap_or(0);
                block.set(index, if set { was | bit } else { was & !bit });
                match block.0 == [0; 64] {
                    true => table.remove(&code),
                    false => table.insert(code, block.0),
                };
            }
        }
    }
}

/// What trees are made of beside the members.
struct Work<'a> {
    seen: &'a Observed,
    settings: &'a Settings,
    routes: &'a Routes,
    members: &'a Memberships,
}

/// Makes the trees of a decision. Those that stand are kept as far as they serve.
pub(super) fn decide(
    seen: &Observed,
    settings: &Settings,
    desired: &mut Desired,
    members: &Memberships,
    previous: Option<&Desired>,
) {
    let Some(routes) = &desired.routes else { return };
    let work = Work { seen, settings, routes, members };
    let mut events = Vec::new();
    let mut made = match previous {
        Some(old) if !members.all => (*old.multicast).clone(),
        _ => Multicast::none(&seen.fabric),
    };
    made.capable = seen
        .switches
        .iter()
        .map(|s| s.as_ref().is_some_and(|i| i.multicast_fdb_cap() > 0))
        .collect();
    let old = previous.map(|d| &*d.multicast);
    made.blocks = made.blocks.max(old.map_or(0, |o| o.blocks));
    if !settings.options.disable_multicast {
        work.grow(&mut made, old, &desired.lids, &mut events);
    }
    set_tops(seen, &settings.options, made.top(), &mut desired.switches);
    desired.multicast = Arc::new(made);
    desired.events.extend(events);
}

/// MulticastFDBTop, where a switch has it and the site wants it used.
fn set_tops(seen: &Observed, options: &Options, top: Lid, switches: &mut [Option<SwitchInfo>]) {
    if !options.use_mfttop {
        return;
    }
    for (at, info) in switches.iter_mut().enumerate() {
        let port0 = seen.fabric.node(seen.fabric.switches()[at]).first;
        let has_top = seen
            .port_info(port0)
            .is_some_and(|i| i.capability_mask() & cap_mask::MULTICAST_FDB_TOP != 0);
        if let Some(info) = info.as_mut().filter(|i| has_top && i.multicast_fdb_cap() > 0) {
            info.set_multicast_fdb_top(top.0);
        }
    }
}

/// What has become of a LID.
struct Outcome {
    mlid: Lid,
    grown: Option<(GroupTree, Option<Tree>)>,
    lost: Vec<SwitchId>,
}

impl Outcome {
    /// No tree.
    const fn none(mlid: Lid) -> Self {
        Self { mlid, grown: None, lost: Vec::new() }
    }
}

impl Work<'_> {
    fn grow(
        &self,
        made: &mut Multicast,
        old: Option<&Multicast>,
        lids: &lk_routing::LidMap,
        events: &mut Vec<Event>,
    ) {
        let wanted = self.members.of.iter().any(|(_, m)| m.ports.len() > 1);
        let master = self.master(&made.capable);
        if wanted && made.grower.is_none() && master.is_none() {
            made.grower = Some(Arc::new(self.grower(&made.capable, lids)));
        }
        let grower = made.grower.clone();
        let translate = old.map(|old| Translation::new(&old.fabric, &self.seen.fabric));
        let outcomes: Vec<Outcome> = self
            .members
            .of
            .par_iter()
            .map(|(mlid, members)| match (master, grower.as_deref()) {
                // A group of one has nobody to send to.
                _ if members.ports.len() < 2 => Outcome::none(*mlid),
                (Some(master), _) => self.part(master, *mlid, members),
                (None, Some(grower)) => {
                    let shape = old.and_then(|o| o.shapes.get(mlid));
                    let shape = shape.and_then(|s| translate.as_ref()?.tree(s));
                    self.one(*mlid, members, grower, shape.as_ref())
                }
                (None, None) => Outcome::none(*mlid),
            })
            .collect();
        for outcome in outcomes {
            if !outcome.lost.is_empty() {
                events.push(self.lost(&outcome));
            }
            made.set(outcome.mlid, outcome.grown);
        }
        self.check_sls(events);
    }

    /// What trees are grown by: the engine's own distances, where all switches forward multicast.
    fn grower(&self, capable: &[bool], lids: &lk_routing::LidMap) -> Grower {
        let fabric = &self.seen.fabric;
        let hops = if capable.iter().all(|c| *c) {
            let options = super::route_options(self.seen, self.settings);
            let job = RouteJob { fabric, lids, options: &options, previous: None };
            let engine = lk_routing::find(self.routes.engine);
            engine.and_then(|e| e.hops(&job).ok()).unwrap_or_else(|| Hops::new(fabric))
        } else {
            Hops::among(fabric, capable)
        };
        Grower::new(hops, capable.to_vec(), None)
    }

    /// The engine's own tree, where all switches forward multicast; on a torus in any case, where
    /// packets along others could deadlock.
    fn master(&self, capable: &[bool]) -> Option<&MasterTree> {
        let tree = self.routes.master_tree.as_ref();
        tree.filter(|_| self.on_torus() || capable.iter().all(|c| *c))
    }

    fn on_torus(&self) -> bool {
        matches!(self.routes.sl, SlPlan::PerPair(_))
    }

    /// The switches and ports of members.
    fn places(&self, members: &MlidMembers) -> Vec<Member> {
        let at = |port: &PortId| Graph::attachment(&self.seen.fabric, *port);
        let mut places: Vec<Member> = members.ports.iter().filter_map(at).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The part of the engine's own tree that a group needs.
    fn part(&self, master: &MasterTree, mlid: Lid, members: &MlidMembers) -> Outcome {
        let places = self.places(members);
        let outside = |s: &SwitchId| master.root() != *s && master.parent(*s).is_none();
        let lost: BTreeSet<_> = places.iter().map(|(s, _)| *s).filter(outside).collect();
        let tree = GroupTree { mlid, sls: sls(members), ports: master.group(&places, mlid.0) };
        Outcome { mlid, grown: Some((tree, None)), lost: lost.into_iter().collect() }
    }

    fn one(
        &self,
        mlid: Lid,
        members: &MlidMembers,
        grower: &Grower,
        old: Option<&Tree>,
    ) -> Outcome {
        let (places, sls) = (self.places(members), sls(members));
        let grown = grower.tree(&places, old, self.members.all);
        let tree = grown.tree.map(|tree| {
            let ports = tree.ports(&places);
            (GroupTree { mlid, sls, ports }, Some(tree))
        });
        Outcome { mlid, grown: tree, lost: grown.lost }
    }

    fn lost(&self, outcome: &Outcome) -> Event {
        let fabric = &self.seen.fabric;
        let name = |s: &SwitchId| fabric.node(fabric.switch_node(*s)).description.clone();
        Event::GroupCut {
            mlid: outcome.mlid,
            switches: outcome.lost.len(),
            first: outcome.lost.first().map(name).unwrap_or_default(),
        }
    }

    /// On a torus only SL 0 and 8 carry no dateline bits.
    fn check_sls(&self, events: &mut Vec<Event>) {
        if !self.on_torus() {
            return;
        }
        for (mlid, members) in &self.members.of {
            let bad = members.sls.iter().find(|sl| !matches!(sl.0, 0 | 8));
            if let Some(sl) = bad.filter(|_| members.ports.len() > 1) {
                events.push(Event::GroupSl { mlid: *mlid, sl: *sl });
            }
        }
    }
}

fn sls(members: &MlidMembers) -> SlSet {
    members.sls.iter().fold(SlSet::EMPTY, |all, sl| all.with(*sl))
}

/// From the switches of an earlier fabric to those of this one.
struct Translation(Option<Vec<Option<SwitchId>>>);

impl Translation {
    fn new(old: &Arc<Fabric>, new: &Arc<Fabric>) -> Self {
        let guid = |fabric: &Fabric, s: SwitchId| fabric.node(fabric.switch_node(s)).guid;
        let same = Arc::ptr_eq(old, new)
            || (old.switches().len() == new.switches().len()
                && old.switch_ids().all(|s| guid(old, s) == guid(new, s)));
        let to = |s: SwitchId| new.node_by_guid(guid(old, s)).and_then(|n| new.as_switch(n));
        Self((!same).then(|| old.switch_ids().map(to).collect()))
    }

    fn switch(&self, switch: SwitchId) -> Option<SwitchId> {
        match &self.0 {
            None => Some(switch),
            Some(to) => to.get(switch.index()).copied().flatten(),
        }
    }

    /// The tree without the switches that are gone; none if its root is.
    fn tree(&self, tree: &Tree) -> Option<Tree> {
        let root = self.switch(tree.root)?;
        let up = tree.up.iter().filter_map(|(switch, up)| {
            let parent = self.switch(up.parent)?;
            Some((self.switch(*switch)?, Up { parent, ..*up }))
        });
        Some(Tree { root, up: up.collect() })
    }
}
