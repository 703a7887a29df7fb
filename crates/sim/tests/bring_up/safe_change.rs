//! Tables that change while packets are on their way: at no time can what the switches hold
//! deadlock.

use std::sync::Arc;

use lk_fabric::topo::{Shape, TopoSpec, Torus, generate};
use lk_fabric::{Fabric, SwitchId};
use lk_routing::proof::{OneLane, SlSet, Traffic};
use lk_routing::{Lfts, LidMap, prove};
use lk_sim::{Fault, SimFabric, SimOptions, World};
use lk_sm::{Event, Mode, Output, Settings};
use lk_wire::{Lid, Sl};

use crate::setup::{Run, settings, world};

fn ring() -> Fabric {
    let shape = Torus { hosts: 1, ..Torus::new(&[6]) };
    generate(&TopoSpec::new(Shape::Torus(shape))).expect("a ring").fabric
}

/// updn with this switch as the root.
fn rooted(fabric: &Fabric, root: u32) -> Settings {
    let mut settings = settings(|o| o.routing_engine = Some("updn,no_fallback".to_owned()));
    let node = fabric.switch_node(SwitchId(root));
    settings.routing.roots = Some(vec![fabric.node(node).guid]);
    settings
}

/// The forwarding tables that the switches hold.
fn held(sim: &SimFabric) -> Lfts {
    let fabric = sim.fabric();
    let top = Lid(63);
    let row = |switch: SwitchId| -> Arc<[u8]> {
        (0..=top.0).map(|lid| sim.lft(switch, Lid(lid)).0).collect()
    };
    Lfts { top, rows: fabric.switch_ids().map(row).collect() }
}

fn lids(sim: &SimFabric) -> LidMap {
    let fabric = sim.fabric();
    let range = |port| (port, Lid(sim.port_info(port).lid()), 0);
    LidMap::new(fabric.end_ports().map(range).collect())
}

#[test]
fn a_root_that_moves_leaves_no_moment_in_which_packets_could_deadlock() {
    let fabric = ring();
    let mut run = Run::on(world(&fabric, &SimOptions::default(), rooted(&fabric, 0), Mode::Once));
    assert!(run.is_up(), "{:?}", run.events);
    let before = held(&run.world.sim);
    run.world.restart(rooted(&fabric, 3), Mode::Once);
    let (mut states, mut events) = (vec![before.clone()], Vec::new());
    run.world.drive_with(
        u64::MAX,
        &mut |sim, _| {
            let now = held(sim);
            if states.last() != Some(&now) {
                let proof = prove(
                    sim.fabric(),
                    &lids(sim),
                    &now,
                    &OneLane,
                    &SlSet::one(Sl(0)),
                    Traffic::EndPorts,
                );
                assert_eq!(proof.circle, None, "after {} changes", states.len());
                states.push(now);
            }
        },
        &mut |output| {
            if let Output::Event(event) = output {
                events.push(event);
            }
        },
    );
    let staged = events.iter().find_map(|event| match event {
        Event::Writing(writing) => Some(writing.clone()),
        _ => None,
    });
    let staged = staged.expect("tables change under traffic");
    assert_eq!(staged.order, "stages", "{staged}");
    assert!(staged.stages >= 2 && states.len() > 4, "{staged}: {} states", states.len());
    assert_ne!(held(&run.world.sim), before);
    assert_eq!(run.again(rooted(&fabric, 3)), Default::default());
    let is_writing = |event: &Event| matches!(event, Event::Writing(_));
    assert!(!run.events.iter().any(is_writing), "nothing changes any more");
}

/// Links of a torus fail and come back under dfsssp, which gives paths other SLs each time.
#[test]
fn tables_that_were_proved_are_not_called_unsafe_for_the_sls_that_come() {
    let shape = Torus { hosts: 1, ..Torus::new(&[5, 4]) };
    let fabric = generate(&TopoSpec::new(Shape::Torus(shape))).expect("a torus").fabric;
    let settings = settings(|o| o.routing_engine = Some("dfsssp,no_fallback".to_owned()));
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Daemon);
    let is_switch = |p| fabric.as_switch(fabric.owner(p)).is_some();
    let trunks: Vec<_> = fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b)).collect();
    let mut orders = Vec::new();
    let mut run = |world: &mut World| {
        let limit = world.now() + 60_000_000_000;
        let mut proved = false;
        world.drive(limit, &mut |output| match output {
            Output::Event(Event::Proved { .. }) => proved = true,
            Output::Event(Event::Writing(writing)) => {
                assert!(!writing.why.contains("in force"), "{writing}");
                orders.push(writing.order);
            }
            _ => {}
        });
        assert!(proved);
    };
    run(&mut world);
    for at in [2, 17, 30] {
        for fault in [Fault::LinkDown(trunks[at].0), Fault::LinkUp(trunks[at].0)] {
            let now = world.now();
            world.sim.apply(now, fault);
            run(&mut world);
        }
    }
    assert!(orders.len() >= 3, "{orders:?}");
}

/// Another manager's SLs are not known: nothing is said of its tables that only they decide.
#[test]
fn of_an_earlier_managers_sls_it_is_said_that_they_are_not_known() {
    let shape = Torus { hosts: 1, ..Torus::new(&[5, 4]) };
    let fabric = generate(&TopoSpec::new(Shape::Torus(shape))).expect("a torus").fabric;
    let by = |engine: &str| settings(|o| o.routing_engine = Some(format!("{engine},no_fallback")));
    let mut run = Run::once(&fabric, by("dfsssp"));
    assert!(run.is_up());
    run.again(by("dnup"));
    let told = run.events.iter().find_map(|event| match event {
        Event::Writing(writing) => Some(writing.clone()),
        _ => None,
    });
    let told = told.expect("tables change under traffic");
    assert_eq!(told.order, "unsafe", "{told}");
    assert!(told.why.contains("an earlier manager gave to paths are not known"), "{told}");
}
