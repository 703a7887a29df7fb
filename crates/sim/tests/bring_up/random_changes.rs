//! Links and switches that fail and come back, several at a time: what the manager makes of it by
//! what it knows is what the whole proof says, and tables change without harm to hosts.

use std::collections::BTreeSet;
use std::sync::Arc;

use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_routing::{LidMap, RouteJob, quality, route};
use lk_sim::{Fault, SimOptions, World};
use lk_sm::{Desired, Event, Mode, Output, Verdict, View};

use crate::setup::{settings, three_levels, world};

const SECOND: u64 = 1_000_000_000;

/// Numbers without any order, but always the same for a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Cables between switches, some of which are down.
struct Cables {
    all: Vec<PortId>,
    down: BTreeSet<PortId>,
}

impl Cables {
    fn of(fabric: &Fabric) -> Self {
        let is_switch = |p: PortId| fabric.node(fabric.owner(p)).kind == NodeKind::Switch;
        let trunks = fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b));
        Self { all: trunks.map(|(a, _)| a).collect(), down: BTreeSet::new() }
    }

    /// Some cables fail or come back, or all of a switch above the leaves, or all come back.
    fn draw(&mut self, fabric: &Fabric, draw: &mut Draw) -> Vec<Fault> {
        let toggled: Vec<PortId> = match draw.below(8) {
            0 => self.down.iter().copied().collect(),
            1 => {
                let cable = self.all[draw.below(self.all.len())];
                let ends = |p: PortId| [Some(p), fabric.peer(p)].into_iter().flatten();
                let node = ends(cable)
                    .map(|p| fabric.owner(p))
                    .max_by_key(|node| fabric.node(*node).description.clone());
                let of_switch = |p: &&PortId| ends(**p).any(|end| Some(fabric.owner(end)) == node);
                self.all.iter().filter(of_switch).copied().collect()
            }
            number => {
                (0..number.div_ceil(3)).map(|_| self.all[draw.below(self.all.len())]).collect()
            }
        };
        let toggle = |cable: PortId| match self.down.remove(&cable) {
            true => Fault::LinkUp(cable),
            false => {
                self.down.insert(cable);
                Fault::LinkDown(cable)
            }
        };
        toggled.into_iter().map(toggle).collect()
    }
}

/// Runs on until nothing happens any more; the last view, and what was told.
fn settle(world: &mut World) -> (Option<Arc<View>>, Vec<Event>) {
    let (mut last, mut events) = (None, Vec::new());
    let limit = world.now() + 60 * SECOND;
    world.drive(limit, &mut |output| match output {
        Output::View(view) => last = Some(view),
        Output::Event(event) => events.push(event),
        _ => {}
    });
    (last, events)
}

/// What the manager knows and says of its tables is what the whole proof says of them.
fn agrees(desired: &Desired, fabric: &Fabric, what: &str) {
    let routes = desired.routes.as_ref().expect("routes");
    let whole = Verdict::of_routes(fabric, &desired.lids, routes, &routes.assumed_lanes());
    let known = desired.verdict.as_ref().expect("a verdict");
    assert!(known.deadlock_free && whole.deadlock_free, "{what}");
    assert_eq!(known.switch_circle.is_empty(), whole.switch_circle.is_empty(), "{what}");
    assert_eq!((known.channels, known.waits), (whole.channels, whole.waits), "{what}");
    assert_eq!((known.max_hops, known.all_reached), (whole.max_hops, whole.all_reached), "{what}");
    assert_eq!(known.unreached, whole.unreached, "{what}");
    assert!(known.forwarding_loops.lids == 0 && whole.forwarding_loops.lids == 0, "{what}");
}

/// The fullest link carries no more than a fifth more than in a routing made afresh.
fn is_balanced(desired: &Desired, view: &View, engine: &str, what: &str) {
    let routes = desired.routes.as_ref().expect("routes");
    let (fabric, lids): (&Fabric, &LidMap) = (&view.seen.fabric, &desired.lids);
    let options = &view.settings.routing;
    let fresh = route(engine, &RouteJob { fabric, lids, options, previous: None });
    let most = |lfts| quality(fabric, lids, lfts).max_routes_per_link();
    let (now, best) = (most(&routes.lfts), most(&fresh.routes.expect("routes").lfts));
    assert!(now <= best * 12 / 10, "{what}: {now}, and afresh {best}");
}

/// The switches hold what is wanted.
fn is_held(world: &World, desired: &Desired, fabric: &Fabric, what: &str) {
    let there = world.sim.fabric();
    let lfts = &desired.routes.as_ref().expect("routes").lfts;
    for s in fabric.switch_ids() {
        let guid = fabric.node(fabric.switch_node(s)).guid;
        let node = there.node_by_guid(guid).expect("it was read");
        let there: SwitchId = there.as_switch(node).expect("a switch");
        for lid in desired.lids.owned() {
            let want = lfts.port(s, lid).map_or(lk_routing::Lfts::NO_PATH, |port| port.0);
            assert_eq!(world.sim.lft(there, lid).0, want, "{what}: {guid}, LID {}", lid.0);
        }
    }
}

fn random_changes(engine: &str, lmc: u8, seed: u64) -> usize {
    let fabric = three_levels();
    let settings = settings(|o| {
        o.qos = false;
        o.lmc = lmc;
        o.routing_engine = Some(format!("{engine},no_fallback"));
    });
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Daemon);
    settle(&mut world);
    let (mut cables, mut draw) = (Cables::of(&fabric), Draw(seed));
    let mut ledgers = 0;
    for step in 0..8 {
        for fault in cables.draw(&fabric, &mut draw) {
            let now = world.now();
            world.sim.apply(now, fault);
        }
        let (view, events) = settle(&mut world);
        let what = format!("{engine}, LMC {lmc}, seed {seed}, step {step}: {:?}", cables.down);
        for event in &events {
            if let Event::Writing(writing) = event {
                assert_ne!(writing.order, "unsafe", "{what}: {writing}");
            }
        }
        let Some(view) = view else { continue };
        let (desired, seen) = (&view.desired, &view.seen);
        ledgers += usize::from(desired.ledger.is_some());
        agrees(desired, &seen.fabric, &what);
        is_balanced(desired, &view, engine, &what);
        is_held(&world, desired, &seen.fabric, &what);
    }
    ledgers
}

#[test]
fn minhop_stands_whatever_fails_and_comes_back() {
    assert!(random_changes("minhop", 0, 1) + random_changes("minhop", 1, 2) > 8);
}

#[test]
fn updn_stands_whatever_fails_and_comes_back() {
    assert!(random_changes("updn", 0, 3) + random_changes("updn", 2, 4) > 8);
}

#[test]
fn sssp_stands_whatever_fails_and_comes_back() {
    assert!(random_changes("sssp", 0, 5) + random_changes("sssp", 1, 6) > 8);
}
