//! Multicast groups from the join to the switches' tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use lk_diag::SourceFile;
use lk_fabric::topo::{RandomRegular, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind, PortId, SwitchId};
use lk_sim::{Fault, SimFabric, SimOptions, World};
use lk_sm::io::GsiAddress;
use lk_sm::{Command, Event, Mode, Output};
use lk_wire::sa::{MCMemberRecord, Message, Record, SaHeader, member_mask};
use lk_wire::{Gid, Guid, Lid, MulticastForwardingTable, PortNum, attr, method};

use crate::setup::{settings, small, three_levels, world};

const SECOND: u64 = 1_000_000_000;
/// The IPoIB broadcast group of the default partition.
const BROADCAST: Gid = Gid { prefix: 0xff12_401b_ffff_0000, guid: Guid(0xffff_ffff) };

fn up(fabric: &Fabric, change: impl FnOnce(&mut lk_config::Options)) -> World {
    let settings = settings(|o| {
        o.sweep_interval = 0;
        change(o);
    });
    let mut world = world(fabric, &SimOptions::default(), settings, Mode::Daemon);
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::SubnetUp(_))), "{events:?}");
    world
}

fn hosts(fabric: &Fabric) -> Vec<PortId> {
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    fabric.end_ports().filter(is_host).collect()
}

/// Has a host ask for itself; gives the status of the answer and the record.
fn ask(world: &mut World, host: PortId, method: u8, mgid: Gid) -> (u16, MCMemberRecord) {
    let mut record = MCMemberRecord::default();
    record.set_mgid(mgid);
    let guid = world.sim.fabric().port(host).guid;
    record.set_port_gid(Gid { prefix: 0xfe80 << 48, guid });
    record.set_join_state(1);
    let mut header = SaHeader::request(method, MCMemberRecord::ID, u64::from(host.0));
    header.set_component_mask(member_mask::MGID | member_mask::PORT_GID | member_mask::JOIN_STATE);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(&record.0);
    bytes.resize(256, 0);
    let lid = Lid(world.sim.port_info(host).lid());
    world.message(GsiAddress { lid, qp: 1, ..GsiAddress::default() }, &bytes);
    let mut answer = None;
    let now = world.now();
    world.drive(now, &mut |output| {
        if let Output::Gmp(message) = output {
            answer = Some(message.bytes);
        }
    });
    let answer = answer.expect("an answer");
    let message = Message::parse(&answer).expect("a message");
    (message.header.status(), MCMemberRecord::read(message.data))
}

fn join(world: &mut World, host: PortId) {
    assert_eq!(ask(world, host, method::SET, BROADCAST).0, 0);
}

fn leave(world: &mut World, host: PortId) {
    assert_eq!(ask(world, host, method::DELETE, BROADCAST).0, 0);
}

/// The ports that a switch copies to.
fn mask(sim: &SimFabric, switch: SwitchId, mlid: u16) -> Vec<PortNum> {
    let ports = sim.fabric().node(sim.fabric().switch_node(switch)).num_ports;
    let (block, index) = ((mlid - 0xC000) / 32, usize::from(mlid % 32));
    let has = |port: &u8| {
        let table: MulticastForwardingTable = sim.mft_block(switch, port / 16, block);
        table.get(index).unwrap_or(0) & 1 << (port % 16) != 0
    };
    (0..=ports).filter(has).map(PortNum).collect()
}

/// The end ports that a packet of a host reaches, each with how often.
fn reached(sim: &SimFabric, from: PortId, mlid: u16) -> BTreeMap<PortId, usize> {
    let fabric = sim.fabric();
    let mut got = BTreeMap::new();
    let mut open: Vec<PortId> = fabric.peer(from).into_iter().collect();
    let mut steps = 0;
    while let Some(door) = open.pop() {
        steps += 1;
        assert!(steps < 10_000, "a packet goes round for ever");
        let node = fabric.owner(door);
        let Some(switch) = fabric.as_switch(node) else {
            *got.entry(door).or_insert(0) += 1;
            continue;
        };
        for port in mask(sim, switch, mlid) {
            let here = fabric.port_at(node, port).expect("a port");
            if here != door {
                open.extend(fabric.peer(here));
            }
        }
    }
    got
}

/// Each member reaches each other one, once, and nobody else.
fn all_reach_all(sim: &SimFabric, members: &[PortId]) {
    for from in members {
        let got = reached(sim, *from, 0xC000);
        let others = members.iter().filter(|m| *m != from);
        assert_eq!(got, others.map(|m| (*m, 1)).collect(), "from {from:?}");
    }
}

#[test]
fn hosts_that_join_hear_each_other_and_those_that_leave_do_not() {
    let fabric = three_levels();
    let mut world = up(&fabric, |_| {});
    let hosts = hosts(&fabric);
    let mut members: Vec<PortId> = hosts.iter().copied().step_by(7).collect();
    for host in &members {
        join(&mut world, *host);
    }
    assert!(reached(&world.sim, members[0], 0xC000).is_empty(), "trees take a moment");
    let before = world.sim.stats().all_sets();
    let events = world.run_for(SECOND);
    assert!(!events.iter().any(|e| matches!(e, Event::HeavySweep(_))), "{events:?}");
    all_reach_all(&world.sim, &members);
    let sets = world.sim.stats().all_sets() - before;
    let touched = fabric.switch_ids().filter(|s| !mask(&world.sim, *s, 0xC000).is_empty()).count();
    assert_eq!(sets, touched as u64, "one write for each block");

    let gone = members.remove(2);
    leave(&mut world, gone);
    world.run_for(SECOND);
    all_reach_all(&world.sim, &members);
    assert!(reached(&world.sim, gone, 0xC000).is_empty());
    assert!(world.sim.stats().all_sets() - before - sets <= 5, "only the way to it is taken out");
}

#[test]
fn a_heavy_sweep_leaves_trees_alone_that_serve() {
    let fabric = three_levels();
    let mut world = up(&fabric, |_| {});
    let members: Vec<PortId> = hosts(&fabric).into_iter().step_by(5).collect();
    for host in &members {
        join(&mut world, *host);
    }
    world.run_for(SECOND);
    let before = world.sim.stats().sets(attr::MFT);
    world.command(Command::HeavySweep);
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::SubnetUp(_))));
    assert_eq!(world.sim.stats().sets(attr::MFT), before);
}

#[test]
fn a_tree_goes_round_a_link_that_is_lost() {
    let fabric = three_levels();
    let mut world = up(&fabric, |_| {});
    let members: Vec<PortId> = hosts(&fabric).into_iter().step_by(3).collect();
    for host in &members {
        join(&mut world, *host);
    }
    world.run_for(SECOND);
    let is_switch = |p: PortId| fabric.node(fabric.owner(p)).kind == NodeKind::Switch;
    let in_tree = |p: PortId| {
        let switch = fabric.as_switch(fabric.owner(p)).expect("a switch");
        mask(&world.sim, switch, 0xC000).contains(&fabric.port_num(p))
    };
    let (cable, _) = fabric
        .links()
        .find(|(a, b)| is_switch(*a) && is_switch(*b) && in_tree(*a))
        .expect("a link of the tree");
    let now = world.now();
    world.sim.apply(now, Fault::LinkDown(cable));
    world.run_for(SECOND);
    for from in &members {
        let got = reached_without(&world.sim, *from, cable);
        let others = members.iter().filter(|m| *m != from);
        assert_eq!(got, others.map(|m| (*m, 1)).collect(), "from {from:?}");
    }
}

/// [`reached`] where one cable is cut.
fn reached_without(sim: &SimFabric, from: PortId, cable: PortId) -> BTreeMap<PortId, usize> {
    let switch = sim.fabric().as_switch(sim.fabric().owner(cable)).expect("a switch");
    let port = sim.fabric().port_num(cable);
    assert!(!mask(sim, switch, 0xC000).contains(&port), "the tree still uses it");
    reached(sim, from, 0xC000)
}

#[test]
fn multicast_can_be_switched_off() {
    let fabric = small();
    let mut world = up(&fabric, |o| o.disable_multicast = true);
    for host in hosts(&fabric) {
        join(&mut world, host);
    }
    world.run_for(SECOND);
    assert_eq!(world.sim.stats().sets(attr::MFT), 0);
}

#[test]
fn switches_without_multicast_are_left_alone() {
    let fabric = small();
    let mut options = SimOptions::default();
    options.switch.switch.multicast_fdb_cap = 0;
    let settings = settings(|o| o.sweep_interval = 0);
    let mut world = world(&fabric, &options, settings, Mode::Daemon);
    world.run_for(SECOND);
    let members = hosts(&fabric);
    for host in &members[..2] {
        assert_eq!(ask(&mut world, *host, method::SET, BROADCAST).0, 0);
    }
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::GroupCut { .. })), "{events:?}");
    assert_eq!(world.sim.stats().sets(attr::MFT), 0);
}

fn loops(events: Vec<Event>) -> Vec<Event> {
    events.into_iter().filter(|e| matches!(e, Event::CreditLoop { .. })).collect()
}

/// A fabric of no order, where lash needs several lanes, with the broadcast group on an SL.
fn unordered(engine: &str, sl: u8) -> World {
    let shape = RandomRegular { switches: 14, degree: 4, seed: 3, hosts: 1, radix: None };
    let fabric = generate(&TopoSpec::new(Shape::Random(shape))).expect("a fabric").fabric;
    let mut settings = settings(|o| {
        o.sweep_interval = 0;
        o.qos = true;
        o.routing_engine = Some(engine.to_owned());
    });
    let text = format!("Default=0x7fff, ipoib, sl={sl} : ALL=full;");
    let (conf, found) = lk_config::partitions::parse(&SourceFile::new("partitions.conf", text));
    assert!(!found.has_errors(), "{found:?}");
    settings.partitions = Some(Arc::new(conf));
    world(&fabric, &SimOptions::default(), settings, Mode::Daemon)
}

/// lash has looked at its tree on SL 0; on another SL packets along it can wait in a circle with
/// those of other paths.
#[test]
fn a_join_that_lets_packets_wait_in_a_circle_is_told_at_once() {
    let mut world = unordered("lash", 1);
    let first = world.run_for(SECOND);
    assert!(first.iter().any(|e| matches!(e, Event::Proved { .. })), "{first:?}");
    let members = hosts(world.sim.fabric());
    join(&mut world, members[0]);
    assert_eq!(loops(world.run_for(SECOND)), []);
    for host in &members[1..] {
        join(&mut world, *host);
    }
    let told = loops(world.run_for(SECOND));
    let [Event::CreditLoop { engine: "lash", circle }] = &told[..] else { panic!("{told:?}") };
    assert!(circle.iter().any(|step| step.destination.starts_with("the group of")), "{circle:?}");
    // A sweep says so too; once there is nobody left to send to, all is well.
    world.command(Command::HeavySweep);
    assert_eq!(loops(world.run_for(SECOND)), told);
    for host in &members[1..] {
        assert_eq!(ask(&mut world, *host, method::DELETE, BROADCAST).0, 0);
    }
    assert_eq!(loops(world.run_for(SECOND)), []);
    world.command(Command::HeavySweep);
    let events = world.run_for(SECOND);
    assert!(events.iter().any(|e| matches!(e, Event::Proved { .. })), "{events:?}");
}

#[test]
fn on_sl_0_all_hosts_can_be_in_a_group_whatever_the_lanes_of_the_engine() {
    for engine in ["dfsssp", "lash", "nue"] {
        let mut world = unordered(engine, 0);
        let _ = world.run_for(SECOND);
        for host in hosts(world.sim.fabric()) {
            join(&mut world, host);
        }
        assert_eq!(loops(world.run_for(SECOND)), [], "{engine}");
        world.command(Command::HeavySweep);
        let events = world.run_for(SECOND);
        let routed = |e: &Event| matches!(e, Event::Routed { engine: by, .. } if *by == engine);
        assert!(events.iter().any(routed), "{engine}: {events:?}");
        assert!(events.iter().any(|e| matches!(e, Event::Proved { .. })), "{engine}: {events:?}");
    }
}

/// What a file of an earlier run holds is decided, judged and written in the first sweep.
#[test]
fn groups_of_an_earlier_run_are_there_from_the_first_sweep_on() {
    let fabric = three_levels();
    let mut world = up(&fabric, |o| (o.sa_db_dump, o.sweep_interval) = (true, 1));
    let members: Vec<PortId> = hosts(&fabric).into_iter().step_by(5).collect();
    for host in &members {
        join(&mut world, *host);
    }
    let mut kept = None;
    let limit = world.now() + 3 * SECOND;
    world.drive(limit, &mut |output| {
        if let Output::SaDatabase(db) = output {
            kept = Some(db);
        }
    });
    let kept = Arc::new(*kept.expect("it is dumped"));
    let again = |fresh: bool| {
        let mut settings = settings(|_| {});
        settings.sa_db = (!fresh).then(|| Arc::clone(&kept));
        settings
    };
    world.restart(again(false), Mode::Plan);
    let mut planned = None;
    world.drive(u64::MAX, &mut |output| {
        if let Output::Plan(report) = output {
            planned = Some(report);
        }
    });
    let planned = planned.expect("a plan");
    assert_eq!(planned.counts, Default::default(), "nothing has changed");
    let judged = |world: &mut World| {
        let mut groups = None;
        world.drive(u64::MAX, &mut |output| {
            if let Output::View(view) = output {
                groups = view.desired.verdict.as_ref().map(|verdict| verdict.groups);
            }
        });
        groups.expect("a sweep was finished")
    };
    world.restart(again(false), Mode::Once);
    assert_eq!(judged(&mut world), 1);
    all_reach_all(&world.sim, &members);
    world.restart(again(true), Mode::Once);
    assert_eq!(judged(&mut world), 0, "without the file nothing is known of them");
}
