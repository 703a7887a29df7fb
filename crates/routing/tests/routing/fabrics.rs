//! Fabrics to try engines on, with LIDs.

use lk_fabric::topo::{
    Amount, DragonflyPlus, FatTree, Faults, HyperX, RandomRegular, Shape, TopoSpec, Torus, generate,
};
use lk_fabric::{Fabric, FabricBuilder, NodeKind, NodeSpec, PortId, SwitchId};
use lk_routing::{Engine, LidMap, RouteJob, RouteOptions, Routes, find};
use lk_wire::{Guid, Lid};
use proptest::prelude::*;

/// A fabric, its LIDs and the options for an engine.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) fabric: Fabric,
    pub(crate) lids: LidMap,
    pub(crate) options: RouteOptions,
}

impl Case {
    /// Gives each end port of a fabric the next LIDs, aligned to 2^lmc. Switches get one each.
    pub(crate) fn new(fabric: Fabric, lmc: u8) -> Self {
        let mut next = 1_u32;
        let mut ranges = Vec::new();
        for port in fabric.end_ports() {
            let is_switch = fabric.as_switch(fabric.owner(port)).is_some();
            let lmc = if is_switch { 0 } else { lmc };
            let lid = next.next_multiple_of(1 << lmc);
            next = lid + (1 << lmc);
            ranges.push((port, Lid(u16::try_from(lid).expect("LIDs suffice")), lmc));
        }
        Self { fabric, lids: LidMap::new(ranges), options: RouteOptions::default() }
    }

    pub(crate) fn job(&self) -> RouteJob<'_> {
        RouteJob { fabric: &self.fabric, lids: &self.lids, options: &self.options, previous: None }
    }

    /// The routes of an engine that must not decline.
    pub(crate) fn routes(&self, engine: &str) -> Routes {
        engine_named(engine).plan(&self.job()).expect("the engine routes this fabric")
    }

    /// The switch whose description this is.
    pub(crate) fn switch(&self, name: &str) -> SwitchId {
        self.fabric
            .switch_ids()
            .find(|s| self.fabric.node(self.fabric.switch_node(*s)).description == name)
            .expect("there is such a switch")
    }

    /// The base LID of an end port.
    pub(crate) fn lid(&self, port: PortId) -> Lid {
        let range = self.lids.ranges().iter().find(|(p, _, _)| *p == port);
        range.expect("the port has a LID").1
    }

    /// The LID of a switch's port 0.
    pub(crate) fn switch_lid(&self, switch: SwitchId) -> Lid {
        self.lid(self.fabric.node(self.fabric.switch_node(switch)).first)
    }
}

pub(crate) fn engine_named(name: &str) -> &'static dyn Engine {
    find(name).expect("there is such an engine")
}

/// A fat-tree, some of whose links between switches are gone.
pub(crate) fn tree(shape: FatTree, percent: f64, seed: u64) -> Fabric {
    let mut spec = TopoSpec::new(Shape::FatTree(shape));
    spec.faults = Faults { links: Amount::Share(percent / 100.0), seed, ..Faults::default() };
    generate(&spec).expect("the sizes fit").fabric
}

/// Any other topology, whole.
pub(crate) fn whole(shape: Shape) -> Fabric {
    generate(&TopoSpec::new(shape)).expect("the sizes fit").fabric
}

/// A fabric of each kind, some of whose links between switches are gone; with its name.
pub(crate) fn zoo(percent: f64, seed: u64) -> Vec<(String, Fabric)> {
    let mesh = Torus { mesh: vec![true, true], ..Torus::new(&[4, 5]) };
    let dragonfly =
        DragonflyPlus { groups: 5, leaves: 4, spines: 4, hosts: 2, global: None, radix: None };
    let random = RandomRegular { switches: 30, degree: 5, hosts: 2, seed, radix: None };
    [
        ("fattree 8 3", Shape::FatTree(FatTree::new(8, 3))),
        ("fattree 12 2", Shape::FatTree(FatTree::new(12, 2))),
        ("torus 4 4 3", Shape::Torus(Torus::new(&[4, 4, 3]))),
        ("mesh 4 5", Shape::Torus(mesh)),
        ("dragonfly+", Shape::DragonflyPlus(dragonfly)),
        ("hyperx 4 5", Shape::HyperX(HyperX::new(&[4, 5], 2))),
        ("random", Shape::Random(random)),
    ]
    .into_iter()
    .map(|(name, shape)| {
        let mut spec = TopoSpec::new(shape);
        spec.faults = Faults { links: Amount::Share(percent / 100.0), seed, ..Faults::default() };
        (
            format!("{name}, {percent} % failed, seed {seed}"),
            generate(&spec).expect("it fits").fabric,
        )
    })
    .collect()
}

/// Whether routes are the same on one, two and five threads.
pub(crate) fn threads_do_not_show(case: &Case, engine: &str) -> bool {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had").install(|| case.routes(engine))
    };
    let one = on(1);
    [2, 5].iter().all(|threads| on(*threads) == one)
}

/// Switches `s0`, `s1`, … with so many hosts each, cabled as the pairs say. A cable gets the next
/// free port on either side; a pair of one switch with itself gives a cable between two of its
/// ports.
pub(crate) fn wired(hosts: &[u8], cables: &[(usize, usize)]) -> Fabric {
    let mut builder = FabricBuilder::new();
    let switches: Vec<_> = (0..hosts.len())
        .map(|s| {
            let guid = Guid(0x20_0000 + s as u64);
            let spec = NodeSpec::new(guid, NodeKind::Switch, &format!("s{s}"), 254);
            builder.add_node(spec).expect("GUIDs differ")
        })
        .collect();
    let mut used = vec![0_u8; hosts.len()];
    let mut next = |s: usize| {
        used[s] += 1;
        used[s]
    };
    for (s, count) in hosts.iter().enumerate() {
        for h in 0..*count {
            let guid = Guid(0x1000_0000 + (s as u64) * 0x1000 + u64::from(h) * 2);
            let spec = NodeSpec::new(guid, NodeKind::Ca, &format!("s{s}h{h}"), 1);
            let host = builder.add_node(spec).expect("GUIDs differ");
            builder.set_port(host, 1, Guid(guid.0 + 1), Lid(0), 0).expect("port 1 is there");
            builder.connect((switches[s], next(s)), (host, 1)).expect("the port is free");
        }
    }
    for (a, b) in cables {
        let (near, far) = (next(*a), next(*b));
        builder.connect((switches[*a], near), (switches[*b], far)).expect("the ports are free");
    }
    builder.build()
}

/// What [`wired`] makes a fabric of; short when it is printed.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    pub(crate) hosts: Vec<u8>,
    pub(crate) cables: Vec<(usize, usize)>,
}

impl Wiring {
    pub(crate) fn fabric(&self) -> Fabric {
        wired(&self.hosts, &self.cables)
    }
}

/// Small fabrics of any shape, connected or not, with parallel cables and cables to themselves.
pub(crate) fn any_wiring() -> impl Strategy<Value = Wiring> {
    (1_usize..12).prop_flat_map(|n| {
        let hosts = prop::collection::vec(0_u8..4, n);
        let cables = prop::collection::vec((0..n, 0..n), 0..3 * n);
        (hosts, cables).prop_map(|(hosts, cables)| Wiring { hosts, cables })
    })
}

/// Small fabrics in one piece.
pub(crate) fn any_connected_wiring() -> impl Strategy<Value = Wiring> {
    (2_usize..14).prop_flat_map(|n| {
        let hosts = prop::collection::vec(0_u8..4, n);
        let stem = (1..n).map(|s| (0..s).prop_map(move |to| (s, to))).collect::<Vec<_>>();
        let more = prop::collection::vec((0..n, 0..n), 0..2 * n);
        (hosts, stem, more).prop_map(|(hosts, mut cables, more)| {
            cables.extend(more);
            Wiring { hosts, cables }
        })
    })
}
