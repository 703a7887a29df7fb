//! Tori and meshes with LIDs, and questions to a routing.

use std::collections::BTreeSet;

use lk_fabric::{Fabric, FabricBuilder, NodeKind, NodeSpec, PortId, SwitchId};
use lk_routing::proof::{OneLane, Proof, SlSet, Traffic, prove};
use lk_routing::{
    DataVls, Decline, LidMap, RouteJob, RouteOptions, Routes, TorusSeed, TorusSpec, check, find,
};
use lk_wire::{Guid, Lid, PortNum, Sl};

pub(crate) type At = [u32; 3];

/// What to build: a torus with some things left out.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) radix: At,
    pub(crate) open: [bool; 3],
    pub(crate) hosts: u8,
    /// Cables between each pair of neighbours.
    pub(crate) parallel: u8,
    pub(crate) no_switch: BTreeSet<At>,
    pub(crate) no_link: BTreeSet<(At, At)>,
    pub(crate) more_links: Vec<(At, At)>,
    pub(crate) lmc: u8,
}

impl Plan {
    pub(crate) fn new(radix: At) -> Self {
        Self {
            radix,
            open: [false; 3],
            hosts: 1,
            parallel: 1,
            no_switch: BTreeSet::new(),
            no_link: BTreeSet::new(),
            more_links: Vec::new(),
            lmc: 0,
        }
    }

    pub(crate) fn without_switch(mut self, at: At) -> Self {
        self.no_switch.insert(at);
        self
    }

    pub(crate) fn without_link(mut self, a: At, b: At) -> Self {
        assert!(self.links().contains(&(a, b)), "there is such a link, upwards");
        self.no_link.insert((a, b));
        self
    }

    pub(crate) fn places(&self) -> Vec<At> {
        let [rx, ry, rz] = self.radix;
        let row = |y, z| (0..rx).map(move |x| [x, y, z]);
        (0..rz).flat_map(|z| (0..ry).flat_map(move |y| row(y, z))).collect()
    }

    /// Neighbours, each pair once, upwards.
    pub(crate) fn links(&self) -> Vec<(At, At)> {
        let mut links = Vec::new();
        for at in self.places() {
            for d in 0..3 {
                let mut next = at;
                next[d] += 1;
                if next[d] == self.radix[d] {
                    if self.open[d] || self.radix[d] <= 2 {
                        continue;
                    }
                    next[d] = 0;
                }
                links.push((at, next));
            }
        }
        links
    }

    pub(crate) fn guid(&self, [x, y, z]: At) -> Guid {
        let [_, ry, rz] = self.radix;
        Guid(0x20_0000 + u64::from((x * ry + y) * rz + z))
    }

    pub(crate) fn fabric(&self) -> Fabric {
        let mut builder = FabricBuilder::new();
        let ports = 6 * self.parallel + self.hosts + 4;
        let there: Vec<At> =
            self.places().into_iter().filter(|at| !self.no_switch.contains(at)).collect();
        let mut used = std::collections::BTreeMap::new();
        let mut ids = std::collections::BTreeMap::new();
        for at in &there {
            let [x, y, z] = at;
            let name = format!("sw-{x}-{y}-{z}");
            let spec = NodeSpec::new(self.guid(*at), NodeKind::Switch, &name, ports);
            ids.insert(*at, builder.add_node(spec).expect("GUIDs differ"));
        }
        let mut next = |at: At| {
            let used = used.entry(at).or_insert(0_u8);
            *used += 1;
            *used
        };
        for (a, b) in self.links().into_iter().chain(self.more_links.iter().copied()) {
            let (Some(near), Some(far)) = (ids.get(&a), ids.get(&b)) else { continue };
            if !self.no_link.contains(&(a, b)) {
                for _ in 0..self.parallel {
                    builder.connect((*near, next(a)), (*far, next(b))).expect("ports are free");
                }
            }
        }
        for at in &there {
            for h in 0..self.hosts {
                let guid = Guid(0x1000_0000 + (self.guid(*at).0 << 16) + u64::from(h) * 16);
                let spec = NodeSpec::new(guid, NodeKind::Ca, "host", 1);
                let host = builder.add_node(spec).expect("GUIDs differ");
                builder.set_port(host, 1, Guid(guid.0 + 1), Lid(0), 0).expect("it has port 1");
                builder.connect((ids[at], next(*at)), (host, 1)).expect("the port is free");
            }
        }
        builder.build()
    }

    /// A seed around a place, with its dateline where that of the place (0,0,0) would be.
    pub(crate) fn seed(&self, at: At) -> TorusSeed {
        let mut seed = TorusSeed::default();
        for d in 0..3 {
            let radix = self.radix[d];
            seed.dateline[d] = -(at[d] as i32);
            for (minus, step) in [(0, 1), (1, radix - 1)] {
                let mut next = at;
                next[d] = (at[d] + step) % radix;
                let over = (minus == 0 && next[d] < at[d]) || (minus == 1 && next[d] > at[d]);
                if radix > 1
                    && !(over && self.open[d])
                    && (radix == 4 || minus == 0 || self.open[d])
                {
                    seed.links[2 * d + minus] = Some((self.guid(at), self.guid(next)));
                }
            }
        }
        seed
    }

    pub(crate) fn bench(&self) -> Bench {
        let spec =
            TorusSpec { open: self.open, ..TorusSpec::new(self.radix, vec![self.seed([0; 3])]) };
        self.bench_with(spec)
    }

    pub(crate) fn bench_with(&self, spec: TorusSpec) -> Bench {
        let fabric = self.fabric();
        let mut top = 0_u16;
        let mut ranges = Vec::new();
        for port in fabric.end_ports() {
            let lmc = if fabric.as_switch(fabric.owner(port)).is_some() { 0 } else { self.lmc };
            let lid = (top + 1).next_multiple_of(1 << lmc);
            top = lid + (1 << lmc) - 1;
            ranges.push((port, Lid(lid), lmc));
        }
        Bench::new(fabric, LidMap::new(ranges), spec)
    }
}

/// A fabric with everything that the engine needs.
pub(crate) struct Bench {
    pub(crate) fabric: Fabric,
    pub(crate) lids: LidMap,
    pub(crate) options: RouteOptions,
}

impl Bench {
    pub(crate) fn new(fabric: Fabric, lids: LidMap, spec: TorusSpec) -> Self {
        let options = RouteOptions {
            qos: true,
            data_vls: DataVls { switches: 8, end_ports: 8 },
            torus: Some(spec),
            ..RouteOptions::default()
        };
        Self { fabric, lids, options }
    }

    pub(crate) fn plan(&self) -> Result<Routes, Decline> {
        let job = RouteJob {
            fabric: &self.fabric,
            lids: &self.lids,
            options: &self.options,
            previous: None,
        };
        find("torus-2QoS").expect("there is such an engine").plan(&job)
    }

    pub(crate) fn routes(&self) -> Routes {
        self.plan().unwrap_or_else(|decline| panic!("{decline}"))
    }

    pub(crate) fn refusal(&self) -> String {
        self.plan().expect_err("the engine refuses").reason
    }

    /// The proof for all packets, also those from one switch to another.
    pub(crate) fn prove(&self, routes: &Routes) -> Proof {
        self.prove_traffic(routes, Traffic::All)
    }

    pub(crate) fn prove_traffic(&self, routes: &Routes, traffic: Traffic) -> Proof {
        let lanes = routes.proof_lanes(&self.fabric, &OneLane);
        let sls = routes.proof_sls(&self.lids, SlSet::ALL);
        prove(&self.fabric, &self.lids, &routes.lfts, &lanes, &sls, traffic)
    }

    /// Each LID is reached from everywhere, and nothing can deadlock.
    pub(crate) fn holds(&self, routes: &Routes) {
        let found = check(&self.fabric, &self.lids, &routes.lfts);
        assert!(found.unreached.is_empty() && found.loops.is_empty(), "{found:?}");
        let proof = self.prove(routes);
        assert!(proof.deadlock_free(), "{proof:?}");
    }

    pub(crate) fn switch(&self, guid: Guid) -> SwitchId {
        let node = self.fabric.node_by_guid(guid).expect("the switch is there");
        self.fabric.as_switch(node).expect("it is a switch")
    }

    /// The SLs of all pairs of end ports by their GUIDs, for both QoS levels.
    pub(crate) fn path_sls(&self, routes: &Routes) -> Vec<(Guid, Guid, Sl, Sl)> {
        let ends: Vec<PortId> = self.fabric.end_ports().collect();
        let guid = |p: PortId| self.fabric.port(p).guid;
        let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b)));
        pairs
            .map(|(a, b)| {
                let sl = |hint| routes.path_sl(a, b, Sl(hint));
                (guid(a), guid(b), sl(0), sl(8))
            })
            .collect()
    }

    /// The switches from one to a host of another, by description without `sw-`.
    pub(crate) fn walk(&self, routes: &Routes, from: Guid, to: Guid) -> Vec<String> {
        let (mut at, goal) = (self.switch(from), self.switch(to));
        let end = self.fabric.node(self.fabric.switch_node(goal)).first;
        let lid = self.lids.ranges().iter().find(|r| r.0 == end).expect("it has a LID").1;
        let mut path = Vec::new();
        loop {
            let node = self.fabric.switch_node(at);
            path.push(self.fabric.node(node).description.trim_start_matches("sw-").to_owned());
            let port = routes.lfts.port(at, lid).expect("there is a path");
            if port == PortNum(0) {
                return path;
            }
            assert!(path.len() < 100, "{path:?}");
            let out = self.fabric.port_at(node, port).expect("the port is there");
            let far = self.fabric.peer(out).expect("it has a cable");
            at = self.fabric.as_switch(self.fabric.owner(far)).expect("it leads to a switch");
        }
    }
}
