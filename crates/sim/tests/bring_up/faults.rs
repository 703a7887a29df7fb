//! Datagrams that are lost or spoilt, nodes that die, refuse or lie. The manager goes on or
//! refuses with the reason; it never panics, hangs or sends what is not in the plan.

use lk_fabric::{NodeKind, PortId};
use lk_sim::{Chance, Fault, Filter, Scope, SimFabric, SimOptions, Spoil, World};
use lk_sm::{Event, Input, Instant, Mode, Outcome, Output, Settings, Sm};
use lk_wire::{Guid, Lid, NodeInfo, Smp, Status, attr, method};

use crate::setup::{Run, host, settings, small, three_levels, world};

fn with_fault(fault: Fault) -> Run {
    let fabric = three_levels();
    let mut world = world(&fabric, &SimOptions::default(), settings(|_| {}), Mode::Once);
    world.sim.apply(0, fault);
    Run::on(world)
}

fn spoilt(spoil: Spoil, percent: u32) -> Run {
    let (scope, filter) = (Scope::All, Filter::default());
    with_fault(Fault::Answer { scope, filter, spoil, chance: Chance::percent(percent) })
}

#[test]
fn a_tenth_of_all_datagrams_lost_costs_time_and_nothing_else() {
    for fault in [
        Fault::LoseRequests { scope: Scope::All, chance: Chance::percent(10) },
        Fault::LoseAnswers { scope: Scope::All, chance: Chance::percent(10) },
    ] {
        let mut run = with_fault(fault);
        assert_eq!(run.outcome(), Outcome::Configured);
        assert!(run.all_active());
        run.world.sim.apply(run.world.now(), Fault::Heal(Scope::All));
        assert_eq!(run.plan(settings(|_| {})), Default::default());
    }
}

#[test]
fn spoilt_answers_are_taken_for_none() {
    for spoil in [Spoil::WrongTid, Spoil::WrongAttribute, Spoil::WrongModifier] {
        let mut run = spoilt(spoil, 10);
        assert_eq!(run.outcome(), Outcome::Configured, "{spoil:?}");
        let unexpected = |e: &Event| matches!(e, Event::UnexpectedMad { .. });
        assert!(run.events.iter().any(unexpected), "{spoil:?}");
        run.world.sim.apply(run.world.now(), Fault::Heal(Scope::All));
        assert_eq!(run.plan(settings(|_| {})), Default::default(), "{spoil:?}");
    }
}

#[test]
fn noise_ends_in_an_outcome_and_never_in_a_panic() {
    let fabric = small();
    for spoil in [Spoil::Noise, Spoil::NoiseData, Spoil::Truncate(8)] {
        for percent in [1, 30, 100] {
            let mut world = world(&fabric, &SimOptions::default(), settings(|_| {}), Mode::Once);
            let (scope, filter) = (Scope::All, Filter::default());
            let chance = Chance::percent(percent);
            world.sim.apply(0, Fault::Answer { scope, filter, spoil, chance });
            let run = Run::on(world);
            assert!(run.world.outcome().is_some(), "{spoil:?} {percent}");
        }
    }
}

#[test]
fn answers_that_come_twice_count_once() {
    let mut run = with_fault(Fault::Duplicate { scope: Scope::All, chance: Chance::percent(50) });
    assert_eq!(run.outcome(), Outcome::Configured);
    assert_eq!(run.plan(settings(|_| {})), Default::default());
}

#[test]
fn late_answers_are_waited_for_and_asked_for_again() {
    let fabric = small();
    // From at once to longer than transaction_timeout.
    let (min, max) = (0, 150_000_000);
    let mut world = world(&fabric, &SimOptions::default(), settings(|_| {}), Mode::Once);
    world.set_delays(true);
    world.sim.apply(0, Fault::Delay { scope: Scope::All, min, max });
    let run = Run::on(world);
    assert_eq!(run.outcome(), Outcome::Configured, "{:?}", run.events);
    let retries = run.events.iter().find_map(|e| match e {
        Event::SubnetUp(figures) => Some(figures.retries),
        _ => None,
    });
    assert!(retries.unwrap() > 0);
}

#[test]
fn a_switch_that_refuses_a_set_is_named_and_the_rest_is_configured() {
    let fabric = three_levels();
    let bad = fabric.switch_node(lk_fabric::SwitchId(3));
    // Another table than the one that the switch has at power-on.
    let settings = settings(|o| o.qos_sets.swe.sl2vl = Some("1,1,1,1".to_owned()));
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Once);
    world.sim.apply(
        0,
        Fault::Answer {
            scope: Scope::Node(bad),
            filter: Filter { attr: Some(attr::SL2VL), method: Some(method::SET) },
            spoil: Spoil::Status(Status::INVALID_VALUE),
            chance: Chance::ALWAYS,
        },
    );
    let run = Run::on(world);
    assert_eq!(run.outcome(), Outcome::Incomplete);
    assert!(!run.is_up());
    let name = &fabric.node(bad).description;
    let refused: Vec<&Event> =
        run.events.iter().filter(|e| matches!(e, Event::Refused(..))).collect();
    assert!(!refused.is_empty());
    for event in refused {
        let text = event.to_string();
        assert!(text.contains(name) && text.contains("SLtoVLMappingTable"), "{text}");
    }
    assert!(run.all_active(), "the links of the switch and of all others still come up");
}

#[test]
fn a_dead_node_does_not_keep_the_others_down() {
    let fabric = three_levels();
    let dead = fabric.switch_node(lk_fabric::SwitchId(5));
    let mut world = world(&fabric, &SimOptions::default(), settings(|_| {}), Mode::Once);
    world.sim.apply(0, Fault::LoseRequests { scope: Scope::Node(dead), chance: Chance::ALWAYS });
    let run = Run::on(world);
    assert_eq!(run.outcome(), Outcome::Incomplete);
    let silent = |e: &Event| matches!(e, Event::NoAnswer(r) if r.node.is_none());
    assert!(run.events.iter().any(silent), "the path that leads to it is named");
    let sim = &run.world.sim;
    let hosts = fabric.end_ports().filter(|p| {
        let leaf = fabric.peer(*p).map(|l| fabric.owner(l));
        fabric.node(fabric.owner(*p)).kind == NodeKind::Ca && leaf != Some(dead)
    });
    for port in hosts {
        assert_eq!(sim.port_info(port).port_state(), 4, "{}", fabric.port_name(port));
    }
}

#[test]
fn a_node_that_dies_in_mid_sweep_is_left_out_in_the_next_round() {
    let fabric = three_levels();
    for after in [50, 500, 2_000, 6_000] {
        let mut world = world(&fabric, &SimOptions::default(), settings(|_| {}), Mode::Once);
        let dies = fabric.switch_node(lk_fabric::SwitchId(7));
        let mut sent = 0;
        let mut events = Vec::new();
        world.drive_with(
            u64::MAX,
            &mut |sim, now| {
                sent += 1;
                if sent == after {
                    sim.apply(now, Fault::PowerOff(dies));
                }
            },
            &mut |output| {
                if let Output::Event(event) = output {
                    events.push(event);
                }
            },
        );
        assert_eq!(world.outcome(), Some(Outcome::Configured), "after {after}: {events:?}");
        let mut run = Run { world, events };
        assert!(run.is_up());
        assert_eq!(run.plan(settings(|_| {})), Default::default());
    }
}

#[test]
fn too_few_lids_are_said_and_those_that_have_one_come_up() {
    let fabric = small();
    let mut settings = settings(|_| {});
    let range = lk_config::guid2lid::LidRange { first: Lid(1), last: Lid(0xBFFF - 4) };
    settings.guid2lid.insert(Guid(0xdead), range);
    let run = Run::once(&fabric, settings);
    let told = |e: &Event| matches!(e, Event::LidsExhausted { ports } if *ports > 0);
    assert!(run.events.iter().any(told));
    assert_ne!(run.outcome(), Outcome::Configured);
}

/// A fabric in which one adapter answers with another one's GUIDs.
fn with_twin(settings: Settings, mode: Mode) -> (Vec<Event>, Option<Outcome>) {
    let fabric = small();
    let mut sim = SimFabric::new(&fabric, &SimOptions::default());
    let hosts: Vec<PortId> =
        fabric.end_ports().filter(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca).collect();
    let node_guid = |p: PortId| fabric.node(fabric.owner(p)).guid.0;
    let (twin, of) = (node_guid(hosts[2]), node_guid(hosts[1]));
    let port = host(&fabric);
    sim.attach(port);
    let mut sm = Sm::new(settings, mode, Instant(0));
    let mut events = Vec::new();
    let mut now = Instant(0);
    for _ in 0..1_000_000 {
        match sm.poll() {
            Output::Transmit(t) => {
                let Some(bytes) = sim.exchange(now.0, port, &t.smp.0) else { continue };
                let mut smp = Smp(bytes);
                if smp.attr_id() == attr::NODE_INFO {
                    let mut info: NodeInfo = smp.attribute();
                    if info.node_guid() == twin {
                        info.set_node_guid(of);
                        info.set_system_image_guid(of);
                        smp.set_attribute(&info);
                    }
                }
                sm.handle(now, Input::Mad { from: Lid::PERMISSIVE, bytes: &smp.0 });
            }
            Output::Event(event) => events.push(event),
            Output::Job(job) => sm.handle(now, Input::JobDone(Box::new(job.run()))),
            Output::Finished(outcome) => return (events, Some(outcome)),
            Output::Wait(Some(at)) => {
                now = at;
                sm.handle(now, Input::Tick);
            }
            Output::Wait(None) => break,
            _ => {}
        }
    }
    (events, None)
}

#[test]
fn two_nodes_with_one_guid_are_refused_and_named() {
    let (events, outcome) = with_twin(settings(|_| {}), Mode::Once);
    assert_eq!(outcome, Some(Outcome::Refused));
    let named =
        |e: &Event| matches!(e, Event::DuplicateGuid { first, second, .. } if first != second);
    assert!(events.iter().any(named), "{events:?}");
    assert!(events.iter().any(|e| matches!(e, Event::Refusal(_))));
}

#[test]
fn with_stay_on_fatal_the_second_of_two_nodes_with_one_guid_is_left_alone() {
    let (events, outcome) = with_twin(settings(|o| o.exit_on_fatal = false), Mode::Once);
    assert!(outcome.is_some());
    assert!(events.iter().any(|e| matches!(e, Event::DuplicateGuid { .. })));
    assert!(events.iter().any(|e| matches!(e, Event::Planned(_))), "it goes on");
}

#[test]
fn datagrams_that_nobody_asked_for_change_nothing() {
    let fabric = small();
    let mut sm = Sm::new(settings(|_| {}), Mode::Daemon, Instant(0));
    let mut seed = 1_u64;
    let mut bytes = [0; 300];
    for length in 0..5_000 {
        for b in &mut bytes {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *b = (seed >> 33) as u8;
        }
        let cut = length % 301;
        sm.handle(Instant(0), Input::Mad { from: Lid(7), bytes: &bytes[..cut] });
        while let Output::Event(_) = sm.poll() {}
    }
    // The same manager still configures a fabric.
    let mut world = World::new(
        SimFabric::new(&fabric, &SimOptions::default()),
        host(&fabric),
        settings(|_| {}),
        Mode::Once,
    );
    assert!(world.run().iter().any(|e| matches!(e, Event::SubnetUp(_))));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| {
        let fabric = three_levels();
        let options = SimOptions { seed, ..SimOptions::default() };
        let mut world = world(&fabric, &options, settings(|_| {}), Mode::Once);
        let (scope, chance) = (Scope::All, Chance::percent(5));
        world.sim.apply(0, Fault::LoseAnswers { scope, chance });
        Run::on(world).events
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
