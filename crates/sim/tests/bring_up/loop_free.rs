//! `require_loop_free`: an engine whose routes can deadlock counts as one that declines.

use lk_config::Options;
use lk_fabric::Fabric;
use lk_fabric::topo::{Shape, TopoSpec, Torus, generate};
use lk_sm::Event;
use lk_wire::Lid;

use crate::setup::{Run, settings};

fn torus() -> Fabric {
    let shape = Shape::Torus(Torus { hosts: 2, ..Torus::new(&[4, 4]) });
    generate(&TopoSpec::new(shape)).expect("a torus").fabric
}

/// A run with these engines, the engine that routed, and those that declined with their reasons.
struct Told {
    run: Run,
    routed: Option<&'static str>,
    declined: Vec<(String, String)>,
}

fn run(engines: &str, change: impl FnOnce(&mut Options)) -> Told {
    let run = Run::once(
        &torus(),
        settings(|o| {
            o.routing_engine = Some(engines.to_owned());
            change(o);
        }),
    );
    let (mut routed, mut declined) = (None, Vec::new());
    for event in &run.events {
        match event {
            Event::Routed { engine, .. } => routed = Some(*engine),
            Event::EngineDeclined { engine, reason } => {
                declined.push((engine.clone(), reason.clone()));
            }
            _ => {}
        }
    }
    Told { run, routed, declined }
}

fn strict(options: &mut Options) {
    options.require_loop_free = true;
}

fn loops(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::CreditLoop { .. }))
}

#[test]
fn the_next_engine_routes_where_the_first_could_deadlock() {
    let lax = run("minhop,dnup", |_| {});
    assert_eq!(lax.routed, Some("minhop"));
    assert!(loops(&lax.run.events), "minhop loops on a torus: {:?}", lax.run.events);
    let told = run("minhop,dnup", strict);
    assert_eq!(told.routed, Some("dnup"));
    assert!(told.run.is_up() && told.run.all_active() && !loops(&told.run.events));
    let [(engine, reason)] = &told.declined[..] else { panic!("{:?}", told.declined) };
    assert_eq!(engine, "minhop");
    assert!(reason.contains("in a circle of") && reason.contains("sw-"), "{reason}");
}

#[test]
fn nothing_is_routed_where_no_engine_is_left() {
    // minhop is not taken as the last resort either.
    for engines in ["minhop,no_fallback", "sssp"] {
        let told = run(engines, strict);
        assert_eq!(told.routed, None, "{engines}");
        assert!(told.run.events.iter().any(|event| matches!(event, Event::NotRouted)));
        let sim = &told.run.world.sim;
        let switches = sim.fabric().switch_ids();
        let mut entries = switches.flat_map(|s| (0..=63).map(move |lid| sim.lft(s, Lid(lid))));
        assert!(entries.all(|port| port.0 == 255), "{engines}: nothing was written");
    }
}

#[test]
fn lanes_that_the_site_merges_count() {
    let told = run("dfsssp,dnup", strict);
    assert_eq!(told.routed, Some("dfsssp"), "{:?}", told.declined);
    let merged = Some("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0".to_owned());
    let told = run("dfsssp,dnup", |options| {
        strict(options);
        options.qos_sets.generic.sl2vl = merged;
    });
    assert_eq!(told.routed, Some("dnup"), "{:?}", told.declined);
    assert_eq!(told.declined.len(), 1, "{:?}", told.declined);
}
