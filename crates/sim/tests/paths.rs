//! Queries for paths against what opensm 3.3.23 answers to the same queries, for a table of
//! policies. The table and the program that asks opensm are in `tests/peers`.

#![allow(clippy::unwrap_used)]

#[path = "../../../tests/peers/src/path_matrix.rs"]
#[allow(unreachable_pub, dead_code)]
mod path_matrix;

use std::sync::Arc;

use lk_config::{
    Effective, Options, node_names, opensm_conf, partitions, prefix_routes, qos_policy,
};
use lk_diag::SourceFile;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, PortId};
use lk_qos::policy::PolicyFile;
use lk_routing::{LidMap, RouteJob, RouteOptions, SlPlan};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::io::GsiAddress;
use lk_sm::sa::{Effects, Sa};
use lk_sm::{
    Command, Desired, Event, Instant, Mode, Observed, Output, Settings, SweepFigures, View,
};
use lk_wire::{Guid, Lid, Mtu, PKeyTable, Sl};
use path_matrix::{Case, answer, question, read};

const TABLE: &str = include_str!("../../../tests/peers/paths/matrix.txt");
const FABRIC: &str = include_str!("../../../tests/peers/fabrics/paths.net");

fn fabric() -> Fabric {
    let source = SourceFile::new("paths.net", FABRIC);
    lk_fabric::text::read_fabric(&source).0.expect("a fabric").fabric
}

fn settings(case: &Case) -> Settings {
    let source = |name: &str| case.file(name).map(|text| SourceFile::new(name, text));
    let mut effective = Effective::new(None);
    if let Some(conf) = source("opensm.conf") {
        effective.load(&opensm_conf::parse(&conf).0);
    }
    let _ = effective.verify();
    let mut settings = Settings::new(effective.options().clone(), Default::default());
    settings.partitions = source("partitions.conf").map(|s| Arc::new(partitions::parse(&s).0));
    settings.policy = source("qos-policy.conf").map(|source| {
        let policy = qos_policy::parse(&source).0;
        Arc::new(PolicyFile { source, policy })
    });
    if let Some(routes) = source("prefix-routes.conf") {
        settings.prefix_routes = Some(Arc::new(prefix_routes::parse(&routes).0));
    }
    if let Some(names) = source("node-names") {
        settings.names = Arc::new(node_names::parse(&names).0);
    }
    settings
}

fn world(fabric: &Fabric, case: &Case, mode: Mode) -> World {
    let own = port(fabric, 0x10_0011);
    // The hardware of ibsim.
    let mut options = SimOptions::default();
    for caps in [&mut options.ca, &mut options.switch, &mut options.router] {
        caps.port.mtu_cap = Mtu::M2048;
        caps.port_zero.mtu_cap = Mtu::M1024;
    }
    let sim = SimFabric::new(fabric, &options);
    World::new(sim, own, settings(case), mode)
}

/// Lets a manager work for a minute; gives its last view and what it said of the policy.
fn settled(world: &mut World) -> (Option<Arc<View>>, Vec<Event>) {
    let (mut view, mut events) = (None, Vec::new());
    let until = world.now() + 60_000_000_000;
    world.drive(until, &mut |output| match output {
        Output::View(v) => view = Some(v),
        Output::Event(e @ (Event::PolicyRefused { .. } | Event::PolicyFinding { .. })) => {
            events.push(e);
        }
        _ => {}
    });
    (view, events)
}

fn view(fabric: &Fabric, case: &Case) -> Arc<View> {
    settled(&mut world(fabric, case, Mode::Once)).0.expect("a view")
}

fn port(fabric: &Fabric, guid: u64) -> PortId {
    fabric.end_ports().find(|p| fabric.port(*p).guid == Guid(guid)).expect("a port")
}

/// What the client on the SM's own host hears.
fn ask(sa: &mut Sa, view: &View, query: &str) -> Vec<String> {
    ask_and_count(sa, view, query).0
}

/// The same, with the number of pairs of ports that were looked at for it.
fn ask_and_count(sa: &mut Sa, view: &View, query: &str) -> (Vec<String>, usize) {
    let own = view.seen.sm_port;
    let lid = view.desired.lids.ranges().iter().find(|r| r.0 == own).expect("a LID").1;
    let from = GsiAddress { lid, qp: 1, sl: Sl(0), pkey_index: 0, path_bits: 0, gid: None };
    let now = Instant(1);
    assert!(sa.take(now, from, &question(query, 1)).is_none(), "taken");
    let mut effects = Effects::default();
    let out = sa.answer_next(now, &mut effects);
    (out.map_or_else(|| answer(&[]), |out| answer(&out.bytes)), effects.pairs)
}

#[test]
fn paths_are_those_that_opensm_answers() {
    let fabric = fabric();
    let (_, cases) = read(TABLE);
    assert!(cases.len() > 60);
    let (mut asked, mut wrong) = (0, String::new());
    for case in &cases {
        let view = view(&fabric, case);
        let mut sa = served(&view);
        for (query, expected) in &case.queries {
            let got = ask(&mut sa, &view, query);
            asked += 1;
            if got != *expected {
                wrong +=
                    &format!("{}: {query}\n  opensm {expected:?}\n  ours   {got:?}\n", case.name);
            }
        }
    }
    assert!(asked > 400, "{asked}");
    assert!(wrong.is_empty(), "{wrong}");
}

fn case(policy: &str) -> Case {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = vec![file("opensm.conf", "qos TRUE\n"), file("qos-policy.conf", policy)];
    Case { files, ..Case::default() }
}

fn served(view: &Arc<View>) -> Sa {
    let mut sa = Sa::default();
    // Groups of partitions are made in a sweep, before the view.
    let _ = sa.settle_groups(&view.seen, &view.desired.partitions, &view.settings);
    sa.install(Instant(0), Arc::clone(view));
    sa
}

const ONE: &str = "get sguid=0x100011 dguid=0x100041";
const MULTI: &str = "multi sguid=0x100011 dguid=0x100041";

fn sl_of(view: &Arc<View>, query: &str) -> String {
    let lines = ask(&mut served(view), view, query);
    let words = lines[0].split(' ').find(|w| w.starts_with("sl=")).map(str::to_owned);
    words.unwrap_or_else(|| lines[0].clone())
}

#[test]
fn a_policy_that_became_bad_does_not_displace_the_last_good_one() {
    let fabric = fabric();
    let mut world = world(&fabric, &case("qos-ulps default : 3 end-qos-ulps\n"), Mode::Daemon);
    let (first, said) = settled(&mut world);
    assert_eq!((sl_of(&first.unwrap(), ONE).as_str(), said), ("sl=3", Vec::new()));
    let bad = "qos-ulps default : 5\n any, service-id 7 : 9 end-qos-ulps\nqos-levelz\n";
    // Once for its text, once for what the subnet does not have.
    for bad in [bad, "qos-ulps default : 5 ipoib, pkey 0x77 : 3 end-qos-ulps\n"] {
        world.command(Command::Reload(Box::new(settings(&case(bad)))));
        let (kept, said) = settled(&mut world);
        let kept = kept.expect("a sweep");
        assert!(said.iter().any(|e| matches!(e, Event::PolicyRefused { kept: true, .. })));
        assert_eq!(sl_of(&kept, ONE), "sl=3", "{bad}");
        assert_eq!(sl_of(&kept, &format!("{ONE} sid=7")), "sl=3", "no rule leaks");
    }
    let good = settings(&case("qos-ulps default : 6 end-qos-ulps\n"));
    world.command(Command::Reload(Box::new(good)));
    let (new, said) = settled(&mut world);
    let new = new.expect("a sweep");
    assert_eq!((sl_of(&new, ONE).as_str(), said), ("sl=6", Vec::new()));
    assert_eq!(sl_of(&new, &format!("{ONE} sid=7")), "sl=6");
}

#[test]
fn the_engines_sl_counts_for_both_records() {
    let fabric = fabric();
    let view = view(&fabric, &case("qos-ulps default : 3 end-qos-ulps\n"));
    assert_eq!((sl_of(&view, ONE).as_str(), sl_of(&view, MULTI).as_str()), ("sl=3", "sl=3"));
    let mut desired = (*view.desired).clone();
    desired.routes.as_mut().unwrap().sl = SlPlan::Constant(Sl(9));
    let view = Arc::new(View { desired: Arc::new(desired), ..(*view).clone() });
    assert_eq!((sl_of(&view, ONE).as_str(), sl_of(&view, MULTI).as_str()), ("sl=9", "sl=9"));
    // The level has another SL than the one that is asked for, or the engine has.
    for asked in [9, 3] {
        assert_eq!(sl_of(&view, &format!("{ONE} sl={asked}")), "status 0x0300");
        assert_eq!(sl_of(&view, &format!("{MULTI} sl={asked}")), "no records");
    }
}

/// A table of P_Keys with that of the default partition alone.
fn default_key() -> PKeyTable {
    let mut table = PKeyTable([0; 64]);
    table.0[..2].copy_from_slice(&[0xFF, 0xFF]);
    table
}

#[test]
fn a_query_for_all_paths_of_a_large_fabric_is_refused() {
    let shape = Shape::FatTree(FatTree::new(16, 3));
    let fabric = generate(&TopoSpec::new(shape)).expect("a tree").fabric;
    let ranges = (1..).zip(fabric.end_ports()).map(|(lid, port)| (port, Lid(lid), 0));
    let lids = LidMap::new(ranges.collect());
    let options = RouteOptions::default();
    let job = RouteJob { fabric: &fabric, lids: &lids, options: &options, previous: None };
    let routes = lk_routing::route("updn", &job).routes.expect("routes");
    let ports = vec![None; fabric.ports().len()];
    let mut desired = Desired::routed(lids, ports.clone(), routes);
    desired.pkeys = fabric.end_ports().map(|port| (port, vec![default_key()])).collect();
    let mut seen = Observed::from_graph(fabric, ports);
    seen.sm_port = desired.lids.ranges()[0].0;
    let view = Arc::new(View {
        seen: Arc::new(seen),
        desired: Arc::new(desired),
        settings: Arc::new(Settings::new(Options::default(), Default::default())),
        figures: SweepFigures::default(),
    });
    // Which is found out beforehand: a client that asks so again and again holds nobody up.
    let (refused, pairs) = ask_and_count(&mut served(&view), &view, "table");
    assert_eq!((refused, pairs), (vec!["status 0x0100".to_owned()], 0));
    let (_, pairs) = ask_and_count(&mut served(&view), &view, "table slid=1");
    assert_eq!(pairs, view.desired.lids.ranges().len());
    assert_eq!(ask(&mut served(&view), &view, "table slid=1").len(), 2, "as far as they are read");
    assert_eq!(ask(&mut served(&view), &view, "get").len(), 1);
}
