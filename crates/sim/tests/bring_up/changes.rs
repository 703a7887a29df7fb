//! Fabrics that change while the manager keeps watch.

use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_sim::{Fault, SimOptions, World};
use lk_sm::{Command, Event, Mode, Reason, SmState};
use lk_wire::attr;

use crate::setup::{Run, host, settings, small, three_levels, world};

const SECOND: u64 = 1_000_000_000;

/// A manager that keeps watch on a fat-tree, after its first sweep.
fn watched(change: impl FnOnce(&mut lk_config::Options)) -> World {
    let fabric = three_levels();
    let mut world = world(&fabric, &SimOptions::default(), settings(change), Mode::Daemon);
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::SubnetUp(_))), "{events:?}");
    world
}

fn sweeps(events: &[Event]) -> Vec<Reason> {
    let heavy = |e: &Event| match e {
        Event::HeavySweep(reason) => Some(reason.clone()),
        _ => None,
    };
    events.iter().filter_map(heavy).collect()
}

/// A cable between two switches.
fn trunk(world: &World) -> PortId {
    let fabric = world.sim.fabric();
    let is_switch = |p: PortId| fabric.node(fabric.owner(p)).kind == NodeKind::Switch;
    fabric.links().find(|(a, b)| is_switch(*a) && is_switch(*b)).unwrap().0
}

#[test]
fn a_quiet_fabric_is_swept_lightly_and_nothing_is_written() {
    let mut world = watched(|_| {});
    let before = world.sim.stats().all_sets();
    let events = world.run_for(60 * SECOND);
    let light = events.iter().filter(|e| matches!(e, Event::LightSweep)).count();
    assert_eq!(light, 6, "one in ten seconds");
    assert_eq!(sweeps(&events), []);
    assert_eq!(world.sim.stats().all_sets(), before);
}

#[test]
fn a_heavy_sweep_of_an_unchanged_fabric_writes_nothing_and_reads_no_table_again() {
    let mut world = watched(|_| {});
    let stats = |w: &World| (w.sim.stats().all_sets(), w.sim.stats().gets(attr::SL2VL));
    let before = stats(&world);
    world.command(Command::HeavySweep);
    let events = world.run_for(SECOND);
    assert_eq!(sweeps(&events), [Reason::Command]);
    assert!(events.iter().any(|e| matches!(e, Event::SubnetUp(_))));
    assert_eq!(stats(&world), before);
}

#[test]
fn a_link_that_goes_down_is_routed_around_and_taken_back() {
    let mut world = watched(|_| {});
    let cable = trunk(&world);
    for fault in [Fault::LinkDown(cable), Fault::LinkUp(cable), Fault::LinkFlap(cable)] {
        let what = format!("{fault:?}");
        world.sim.apply(world.now(), fault);
        let events = world.run_for(30 * SECOND);
        assert!(!sweeps(&events).is_empty(), "{what}");
        assert!(
            matches!(
                events
                    .iter()
                    .rev()
                    .find(|e| matches!(e, Event::SubnetUp(_) | Event::InitErrors { .. })),
                Some(Event::SubnetUp(_))
            ),
            "{what}"
        );
        let mut run = Run { world, events };
        assert_eq!(run.plan(settings(|_| {})), Default::default(), "{what}");
        world = run.world;
        world.restart(settings(|_| {}), Mode::Daemon);
        world.run_for(SECOND);
    }
}

#[test]
fn without_traps_the_light_sweep_finds_the_change() {
    let mut world = watched(|o| o.sweep_on_trap = false);
    let cable = trunk(&world);
    world.sim.apply(world.now(), Fault::LinkDown(cable));
    let events = world.run_for(25 * SECOND);
    let found = sweeps(&events);
    assert!(matches!(found.first(), Some(Reason::PortStateChange(_))), "{found:?}");
}

#[test]
fn a_switch_that_restarts_gets_all_its_tables_back() {
    let mut world = watched(|_| {});
    let node = world.sim.fabric().switch_node(SwitchId(4));
    world.sim.apply(world.now(), Fault::PowerOn(node));
    let events = world.run_for(40 * SECOND);
    assert!(!sweeps(&events).is_empty());
    let mut run = Run { world, events };
    assert_eq!(run.plan(settings(|_| {})), Default::default());
    assert!(run.all_active());
}

#[test]
fn a_new_setting_is_in_force_after_the_reload() {
    let fabric = small();
    let mut world =
        world(&fabric, &SimOptions::default(), settings(|o| o.qos = false), Mode::Daemon);
    world.run_for(SECOND);
    let on = settings(|_| {});
    world.command(Command::Reload(Box::new(on.clone())));
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::SubnetUp(_))));
    let mut run = Run { world, events };
    assert_eq!(run.plan(on), Default::default());
}

#[test]
fn traps_are_repressed_and_cause_one_sweep_each() {
    let mut world = watched(|_| {});
    let cable = trunk(&world);
    world.sim.apply(world.now(), Fault::LinkFlap(cable));
    let events = world.run_for(9 * SECOND);
    let heard = events.iter().filter(|e| matches!(e, Event::Trap { number: 128, .. })).count();
    assert!(heard > 0);
    assert!(sweeps(&events).len() <= heard, "{events:?}");
    let stats = world.sim.stats();
    assert_eq!(stats.traps_repressed, stats.traps, "{stats:?}");
}

#[test]
fn stop_ends_the_run() {
    let mut world = watched(|_| {});
    world.command(Command::Stop);
    let events = world.run_for(SECOND);
    assert_eq!(events.last(), Some(&Event::Exit));
    assert_eq!(world.outcome(), Some(lk_sm::Outcome::Stopped));
}

#[test]
fn a_manager_that_is_told_to_be_inactive_sends_nothing() {
    let fabric = small();
    let mut world =
        world(&fabric, &SimOptions::default(), settings(|o| o.sm_inactive = true), Mode::Daemon);
    world.run_for(100 * SECOND);
    assert_eq!(world.sim.stats().sent, 0);
    assert_eq!(world.sm().state(), SmState::NotActive);
    let _ = host(&fabric);
}
