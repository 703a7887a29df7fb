//! After a change of few links only what these concern is routed and proved again, and the result
//! is as good as one made afresh.

use std::collections::BTreeSet;

use lk_fabric::topo::{FatTree, Shape, Torus};
use lk_fabric::{Fabric, Node, PortId, SwitchId};
use lk_routing::proof::change::{Change, Order, order};
use lk_routing::proof::{AnyLanes, LaneMap, Lanes, OneLane, SlSet, Traffic, prove};
use lk_routing::{GroupTree, Ledger, LidMap, Outcome, check, quality, route};
use lk_wire::{Lid, PortNum, Sl, Vl};
use proptest::prelude::*;

use crate::fabrics::{Case, any_connected_wiring, tree, whole};
use crate::keep::{between_switches, recabled, without};

const ENGINES: [&str; 5] = ["minhop", "updn", "dnup", "ftree", "sssp"];

/// Names the top switches of a fat-tree, so that ftree takes it with failed links, too.
fn with_roots(case: &mut Case) {
    let fabric = &case.fabric;
    let nodes = || fabric.switch_ids().map(|s| fabric.node(fabric.switch_node(s)));
    // Names begin with the level: L0, L1 and so on.
    let level = |node: &Node| node.description[..2].to_owned();
    let top = nodes().map(level).max();
    let top = nodes().filter(|node| Some(level(node)) == top);
    case.options.roots = Some(top.map(|node| node.guid).collect());
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be had").install(work)
}

/// What the ledger says of routes is what check, proof and quality say.
fn agrees(case: &Case, ledger: &Ledger, outcome: &Outcome) {
    let lfts = &outcome.routes.as_ref().expect("it is routed").lfts;
    assert_eq!(ledger.lfts(), lfts);
    assert_eq!(ledger.check(), check(&case.fabric, &case.lids, lfts));
    let sls = SlSet::one(Sl(0));
    let whole = prove(&case.fabric, &case.lids, lfts, &OneLane, &sls, Traffic::EndPorts);
    let proved = ledger.prove(&[]).expect("nothing can deadlock");
    if !ledger.hosts_only() {
        assert!(whole.deadlock_free());
        assert_eq!((proved.channels, proved.waits), (whole.channels, whole.waits));
    }
    // Whose packets close a circle is known where there is one.
    let circle = ledger.switch_circle(&case.fabric);
    assert_eq!(circle.is_some(), !whole.deadlock_free());
    // Between hosts: switches send nothing, and nothing is sent to them.
    let hosts = hosts_of(case);
    let proof = prove(&hosts.fabric, &hosts.lids, lfts, &between_hosts, &sls, Traffic::EndPorts);
    assert!(proof.deadlock_free());
    if ledger.hosts_only() {
        assert_eq!((proved.channels, proved.waits), (proof.channels, proof.waits));
    }
    let most = quality(&case.fabric, &case.lids, lfts).max_routes_per_link();
    assert_eq!(ledger.max_routes_per_link(), most);
    let afresh = Ledger::new(&case.job(), outcome).expect("nothing can deadlock");
    assert!(ledger.knows_as_much(&afresh), "counts are others than those made afresh");
}

/// One lane for packets of hosts; switches send nothing.
fn between_hosts(_: SwitchId, from: PortNum, _: PortNum) -> LaneMap {
    LaneMap::new(|_| if from == PortNum(0) { Vl::DROP } else { Vl(0) })
}

/// The same without LIDs of switches.
fn hosts_of(case: &Case) -> Case {
    let is_host = |port: PortId| case.fabric.as_switch(case.fabric.owner(port)).is_none();
    let hosts = case.lids.ranges().iter().copied().filter(|(port, _, _)| is_host(*port));
    let lids = LidMap::new(hosts.collect());
    Case { fabric: case.fabric.clone(), lids, options: case.options.clone() }
}

/// What the ledgers say of writing the new tables over the old ones is what the whole proof says,
/// or they find stages without dropping anything, each of which is good.
fn writing_order_agrees(case: &Case, old: &Ledger, new: &Ledger) -> Option<Order> {
    let hosts_only = old.hosts_only() || new.hosts_only();
    let lanes: &dyn Lanes = if hosts_only { &between_hosts } else { &OneLane };
    let judged = &if hosts_only { hosts_of(case) } else { case.clone() };
    let change = Change {
        fabric: &judged.fabric,
        lids: &judged.lids,
        old: old.lfts(),
        new: new.lfts(),
        old_lanes: AnyLanes(lanes),
        new_lanes: AnyLanes(lanes),
        lanes_change: false,
        sls: &SlSet::one(Sl(0)),
        trees: &[],
        live: &|_, _| true,
    };
    let short = new.order_after(&case.job(), old, &[]);
    match (&short, order(&change)) {
        (Some(Order::Staged(_)), Order::Staged(whole)) => assert_eq!(whole.dropped, 0),
        (None | Some(Order::Staged(_)), whole) => {
            assert!(!matches!(whole, Order::Nothing | Order::Any(_)), "{whole:?}");
        }
        (Some(Order::Any(_)), Order::Nothing) if hosts_only => {}
        (Some(short), whole) => assert_eq!(*short, whole),
    }
    if let Some(Order::Staged(stages)) = &short {
        assert_eq!((stages.drops, stages.dropped), (None, 0));
        if judged.fabric.end_ports().count() < 220 {
            let (tables, sls) = ((old.lfts(), new.lfts()), SlSet::one(Sl(0)));
            let found = Order::Staged(stages.clone());
            let kept = crate::change::keeps(judged, tables, (lanes, lanes), &sls, &found);
            kept.expect("each stage is free of circles");
        }
    }
    short
}

/// The short way, on one thread and on three; whether there was one.
fn short_way(case: &Case, engine: &str, ledger: &Ledger) -> Option<(Outcome, Ledger)> {
    let job = case.job();
    let found = on_threads(1, || ledger.reroute(engine, &job));
    let other = on_threads(3, || ledger.reroute(engine, &job));
    assert_eq!(found.as_ref().map(|(outcome, _)| outcome), other.as_ref().map(|(o, _)| o));
    let (outcome, next) = found.ok()?;
    agrees(case, &next, &outcome);
    let routes = outcome.routes.as_ref().expect("it is routed");
    let fresh = route(engine, &job);
    let best = fresh.routes.as_ref().expect("it is routed afresh, too");
    assert_eq!((routes.engine, &routes.notes), (best.engine, &best.notes));
    let [now, best] = [routes, best].map(|routes| quality(&case.fabric, &case.lids, &routes.lfts));
    assert_eq!((now.broken, now.hops, now.max_hops), (best.broken, best.hops, best.max_hops));
    let (most, limit) = (now.max_routes_per_link(), best.max_routes_per_link() * 12 / 10);
    assert!(most <= limit, "{engine}: {most} > {limit}");
    writing_order_agrees(case, ledger, &next);
    let before = lk_routing::RouteJob { previous: Some(ledger.lfts()), ..job };
    let kept = outcome.kept.expect("tables stood");
    let counted = route(engine, &before).kept.expect("tables stood");
    assert_eq!(kept.stood, counted.stood);
    let entries = ledger.lfts().rows.iter().zip(&routes.lfts.rows);
    let moved = entries.map(|(old, new)| old.iter().zip(&**new).filter(|(a, b)| a != b).count());
    assert!(kept.moved <= moved.sum());
    Some((outcome, next))
}

/// Goes through failures and repairs, of one cable or of all those of a switch; how many of them
/// went the short way.
fn sequence(base: Fabric, lmc: u8, engine: &str, toggles: &[u16]) -> usize {
    let mut case = Case::new(base.clone(), lmc);
    if engine == "ftree" {
        with_roots(&mut case);
    }
    let cables = between_switches(&base);
    let mut gone: BTreeSet<PortId> = BTreeSet::new();
    let mut outcome = route(engine, &case.job());
    let mut ledger = Ledger::new(&case.job(), &outcome);
    if let Some(ledger) = &ledger {
        agrees(&case, ledger, &outcome);
    }
    let mut short = 0;
    for toggle in toggles {
        let Some(cable) = cables.get(usize::from(*toggle) % cables.len().max(1)) else { break };
        let back = gone.remove(cable);
        // Each seventh takes the switch at the cable's end with it.
        let far = base.peer(*cable).map(|far| base.owner(far));
        let of_switch = |c: &&PortId| base.peer(**c).map(|far| base.owner(far)) == far;
        for other in cables.iter().filter(|c| *c == cable || (toggle % 7 == 6 && of_switch(c))) {
            match back {
                true => gone.remove(other),
                false => gone.insert(*other),
            };
        }
        case.fabric = without(&base, &gone);
        if let Some(found) = ledger.as_ref().and_then(|ledger| short_way(&case, engine, ledger)) {
            short += 1;
            ledger = Some(found.1);
            continue;
        }
        outcome = route(engine, &case.job());
        ledger = Ledger::new(&case.job(), &outcome);
    }
    short
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_short_way_ends_as_good_as_made_afresh(
        shape in 0_usize..5,
        lmc in 0_u8..2,
        engine in prop::sample::select(ENGINES.to_vec()),
        toggles in prop::collection::vec(any::<u16>(), 1..9),
    ) {
        let base = match shape {
            0 => tree(FatTree::new(4, 3), 0.0, 1),
            1 => tree(FatTree::new(12, 2), 0.0, 1),
            2 => tree(FatTree::new(8, 3), 3.0, 3),
            3 => tree(FatTree::new(8, 3), 0.0, 3),
            _ => whole(Shape::Torus(Torus::new(&[5, 3]))),
        };
        sequence(base, lmc, engine, &toggles);
    }

    #[test]
    fn so_it_does_on_any_fabric(
        wiring in any_connected_wiring(),
        engine in prop::sample::select(vec!["minhop", "updn", "dnup", "sssp"]),
        toggles in prop::collection::vec(any::<u16>(), 1..6),
    ) {
        sequence(wiring.fabric(), 0, engine, &toggles);
    }
}

#[test]
fn a_failed_link_and_its_repair_go_the_short_way() {
    let base = tree(FatTree::new(12, 3), 0.0, 1);
    let leaf_link = between_switches(&base)[5];
    let cables = between_switches(&base);
    for engine in ENGINES {
        let one = cables.iter().position(|cable| *cable == leaf_link).expect("it is one of them");
        let other = cables.len() - 7;
        let toggles = [one as u16, other as u16, one as u16, other as u16];
        let short = sequence(base.clone(), 0, engine, &toggles);
        // On so small a tree a repaired link can leave the others too full.
        assert!(short >= 2, "{engine}: {short}");
    }
}

/// A switch that lost its link down sends its own packets by a way round, down and up again.
/// Written when nothing comes to it any more, that does no harm; nor does what a repair brings.
#[test]
fn after_a_failed_link_and_its_repair_nothing_has_to_be_dropped() {
    let base = tree(FatTree::new(8, 3), 0.0, 1);
    for engine in ENGINES {
        let mut case = Case::new(base.clone(), 0);
        if engine == "ftree" {
            with_roots(&mut case);
        }
        let mut ledgers = Vec::new();
        let cables = between_switches(&base);
        let (leaf, top) = (cables[3], cables[cables.len() - 3]);
        for gone in [vec![], vec![leaf], vec![leaf, top], vec![top], vec![]] {
            case.fabric = without(&base, &gone.into_iter().collect());
            let ledger = Ledger::new(&case.job(), &route(engine, &case.job()));
            ledgers.push(ledger.expect("a tree is routed"));
            if let [.., old, new] = ledgers.as_slice() {
                let found = writing_order_agrees(&case, old, new);
                let stages = matches!(found, Some(Order::Staged(_)));
                let any = matches!(found, Some(Order::Any(_)));
                let goes_round = ["minhop", "sssp"].contains(&engine);
                assert!(if goes_round { stages } else { any }, "{engine}: {found:?}");
            }
        }
    }
}

/// Two cables that change places: all distances can stay what they are, and entries, too.
fn swapped(base: &Fabric, one: PortId, other: PortId) -> Option<Fabric> {
    let ((a, b), (c, d)) = ((one, base.peer(one)?), (other, base.peer(other)?));
    let node = |p: PortId| base.owner(p);
    let good = one != other && node(a) != node(d) && node(c) != node(b);
    good.then(|| recabled(base, &[a, c].into(), &[(a, d), (c, b)]))
}

proptest! {
    #[test]
    fn cables_that_change_places_are_followed(
        wiring in any_connected_wiring(),
        engine in prop::sample::select(ENGINES.to_vec()),
        levels in 1_u8..4,
        pair in any::<(u16, u16)>(),
    ) {
        let shape = FatTree::new(6, levels);
        let base = if levels == 1 { wiring.fabric() } else { tree(shape, 0.0, 1) };
        let mut case = Case::new(base.clone(), 0);
        if levels > 1 {
            with_roots(&mut case);
        }
        let cables = between_switches(&base);
        let at = |n: u16| cables.get(usize::from(n) % cables.len().max(1)).copied();
        let two = at(pair.0).zip(at(pair.1));
        let ledger = Ledger::new(&case.job(), &route(engine, &case.job()));
        let fabric = two.and_then(|(one, other)| swapped(&base, one, other));
        if let Some((ledger, fabric)) = ledger.zip(fabric) {
            case.fabric = fabric;
            short_way(&case, engine, &ledger);
        }
    }
}

#[test]
fn there_is_no_short_way_where_more_than_links_changed() {
    let base = tree(FatTree::new(8, 3), 0.0, 1);
    let mut case = Case::new(base.clone(), 0);
    let outcome = route("updn", &case.job());
    let ledger = Ledger::new(&case.job(), &outcome).expect("updn on a tree");
    assert!(ledger.reroute("updn", &case.job()).is_ok());
    assert!(ledger.reroute("minhop, updn", &case.job()).is_err());
    let host = base.end_ports().find(|p| base.as_switch(base.owner(*p)).is_none());
    case.fabric = without(&base, &host.and_then(|p| base.peer(p)).into_iter().collect());
    assert!(ledger.reroute("updn", &case.job()).is_err());
    case.fabric = base;
    case.options.connect_roots = true;
    assert!(ledger.reroute("updn", &case.job()).is_err());
    case.options.connect_roots = false;
    case.lids = Case::new(case.fabric.clone(), 1).lids;
    assert!(ledger.reroute("updn", &case.job()).is_err());
}

#[test]
fn half_the_uplinks_of_a_switch_are_too_many_for_the_short_way() {
    let base = tree(FatTree::new(8, 2), 0.0, 1);
    let mut case = Case::new(base.clone(), 0);
    let ledger = Ledger::new(&case.job(), &route("minhop", &case.job())).expect("a tree");
    let cables = between_switches(&base);
    let first = base.owner(cables[0]);
    let of_first: Vec<PortId> =
        cables.into_iter().filter(|cable| base.owner(*cable) == first).collect();
    case.fabric = without(&base, &of_first[..of_first.len() / 2].iter().copied().collect());
    if let Ok((outcome, _)) = ledger.reroute("minhop", &case.job()) {
        let fresh = route("minhop", &case.job());
        let most = |outcome: &Outcome| {
            let routes = outcome.routes.as_ref().expect("it is routed");
            quality(&case.fabric, &case.lids, &routes.lfts).max_routes_per_link()
        };
        assert!(most(&outcome) * 10 <= most(&fresh) * 12);
    }
}

#[test]
fn a_tree_of_a_group_that_closes_a_circle_is_seen() {
    let base = tree(FatTree::new(4, 2), 0.0, 1);
    let case = Case::new(base.clone(), 0);
    let ledger = Ledger::new(&case.job(), &route("updn", &case.job())).expect("updn on a tree");
    // Copies that go down and up again at a leaf switch, both ways round.
    let graph = lk_routing::graph::Graph::new(&base);
    let ports = |s: usize| graph.links(s).iter().map(|link| link.port).collect::<Vec<_>>();
    let everywhere: Vec<_> = base.switch_ids().map(|s| (s, ports(s.index()))).collect();
    let group = GroupTree { mlid: Lid(0xC000), sls: SlSet::one(Sl(0)), ports: everywhere };
    assert!(ledger.prove(std::slice::from_ref(&group)).is_none());
    let small = GroupTree { ports: Vec::new(), ..group };
    assert!(ledger.prove(&[small]).is_some());
}
