//! Reading all that a fabric holds: the same as the nodes hold, with Gets alone, and what does not
//! answer is listed.

use lk_fabric::{NodeKind, PortId};
use lk_sim::{Chance, Fault, Filter, Scope, SimFabric, Spoil, World};
use lk_sm::{Mode, Outcome, Output, Settings};
use lk_snapshot::{MftBlock, Snapshot, Unread, Why};
use lk_wire::{PhysState, PortNum, Status, attr};

use crate::setup::{Run, host, settings, small, three_levels};

/// A fabric that a manager has brought up and left.
fn up(fabric: &lk_fabric::Fabric, settings: Settings) -> World {
    let mut run = Run::once(fabric, settings);
    assert_eq!(run.outcome(), Outcome::Configured);
    let (now, port) = (run.world.now(), host(fabric));
    run.world.sim.set_is_sm(now, port, false);
    run.world
}

fn read(world: &mut World) -> (Snapshot, Outcome) {
    world.restart(settings(|_| {}), Mode::Read);
    let mut taken = None;
    world.drive(u64::MAX, &mut |output| match output {
        Output::Snapshot(snapshot, figures) => taken = Some((*snapshot, figures)),
        Output::Reply { .. } | Output::Gmp(_) => panic!("it answers as if it were a manager"),
        _ => {}
    });
    let (snapshot, figures) = taken.expect("a snapshot");
    assert_eq!(figures.sets, 0);
    (snapshot, world.outcome().expect("the run is over"))
}

/// Compares all that is known with what the nodes hold; gives how many tables there were.
fn same_as(sim: &SimFabric, snapshot: &Snapshot) -> usize {
    let fabric = &snapshot.fabric;
    let mut compared = 0;
    for at in 0..fabric.ports().len() as u32 {
        let port = PortId(at);
        let (node, number) = (fabric.owner(port), fabric.port_num(port));
        if let Some(info) = snapshot.port_info(port) {
            let mut info = *info;
            info.set_local_port_num(0);
            assert_eq!(info, *sim.port_info(port));
        }
        for ingress in 0..=fabric.node(node).num_ports {
            if let Some(table) = snapshot.sl2vl(port, u16::from(ingress)) {
                assert_eq!(table, sim.sl2vl(node, PortNum(ingress), number));
                compared += 1;
            }
        }
        for (block, table) in snapshot.tables.vlarb_blocks(port).into_iter().enumerate() {
            if let Some(table) = table {
                assert_eq!(table, sim.vlarb(port, block as u8 + 1));
                compared += 1;
            }
        }
        for (block, keys) in snapshot.tables.pkey_blocks(port).iter().enumerate() {
            assert_eq!(keys.expect("all of them"), sim.pkeys(port, block as u16).0);
            compared += 1;
        }
    }
    for switch in fabric.switch_ids() {
        assert_eq!(snapshot.switch_info(switch), Some(&sim.switch_info(switch)));
        for (block, bytes) in snapshot.tables.lft_blocks(switch) {
            assert_eq!(*bytes, sim.lft_block(switch, block).0);
            compared += 1;
        }
        for (code, bytes) in snapshot.tables.mft_blocks(switch) {
            let at = MftBlock::of_code(code);
            assert_eq!(*bytes, sim.mft_block(switch, at.position, at.block).0);
            compared += 1;
        }
    }
    compared
}

#[test]
fn a_snapshot_holds_what_the_nodes_hold_and_no_set_is_sent() {
    let fabric = three_levels();
    let mut world = up(&fabric, settings(|o| o.max_op_vls = 4));
    let sets = world.sim.stats().all_sets();
    let (snapshot, outcome) = read(&mut world);
    assert_eq!((outcome, snapshot.unread.len()), (Outcome::Read, 0));
    assert_eq!(world.sim.stats().all_sets(), sets);
    assert!(same_as(&world.sim, &snapshot) > 1000);
    for at in 0..snapshot.ports.len() {
        let port = PortId(at as u32);
        let Some(info) = snapshot.port_info(port) else { continue };
        let number = snapshot.fabric.port_num(port).0;
        if number == 0 || PhysState(info.port_physical_state()) != PhysState::LINK_UP {
            continue;
        }
        assert!(snapshot.sl2vl(port, 0).is_some(), "{}", snapshot.fabric.port_name(port));
        assert!(snapshot.tables.vlarb_blocks(port)[0].is_some());
        assert!(!snapshot.tables.pkey_blocks(port).is_empty());
    }
    for switch in snapshot.fabric.switch_ids() {
        let top = snapshot.switch_info(switch).expect("it was read").linear_fdb_top();
        let blocks = snapshot.tables.lft_blocks(switch).count();
        assert_eq!(blocks, usize::from(top / 64) + 1);
        assert!(snapshot.tables.mft_blocks(switch).count() > 0);
    }
    let text = lk_snapshot::write(&snapshot);
    let (back, found) = lk_snapshot::read(&lk_diag::SourceFile::new("f", text));
    assert_eq!((back, found.len()), (Some(snapshot), 0));
}

#[test]
fn half_the_nodes_do_not_answer_and_are_listed() {
    let fabric = three_levels();
    let mut world = up(&fabric, settings(|_| {}));
    let sim = &mut world.sim;
    let now = 1_000_000_000_000;
    let silent: Vec<_> = fabric
        .node_ids()
        .filter(|node| fabric.node(*node).kind == NodeKind::Ca)
        .filter(|node| *node != fabric.owner(host(&fabric)))
        .step_by(2)
        .collect();
    for node in &silent {
        let lose = Fault::LoseRequests { scope: Scope::Node(*node), chance: Chance::percent(100) };
        sim.apply(now, lose);
    }
    let (snapshot, outcome) = read(&mut world);
    assert_eq!(outcome, Outcome::Incomplete);
    assert_eq!(snapshot.fabric.nodes().len() + silent.len(), fabric.nodes().len());
    let behind: Vec<&Unread> =
        snapshot.unread.iter().filter(|unread| unread.attribute == attr::NODE_INFO).collect();
    assert_eq!(behind.len(), silent.len());
    for unread in behind {
        assert_eq!(unread.why, Why::NoAnswer);
        let name = snapshot.fabric.port_name(unread.port);
        let here =
            fabric.node_by_guid(snapshot.fabric.node(snapshot.fabric.owner(unread.port)).guid);
        let port =
            fabric.port_at(here.expect("it is the same"), snapshot.fabric.port_num(unread.port));
        let far = port.and_then(|port| fabric.peer(port)).map(|far| fabric.owner(far));
        assert!(far.is_some_and(|far| silent.contains(&far)), "{name}");
    }
}

#[test]
fn a_table_that_is_refused_is_listed_and_the_rest_is_read() {
    let fabric = small();
    let mut world = up(&fabric, settings(|_| {}));
    let switch = fabric.switches()[0];
    let filter = Filter { attr: Some(attr::VLARB), method: None };
    let status = Status(0x0C);
    world.sim.apply(
        0,
        Fault::Answer {
            scope: Scope::Node(switch),
            filter,
            spoil: Spoil::Status(status),
            chance: Chance::percent(100),
        },
    );
    let (snapshot, outcome) = read(&mut world);
    assert_eq!(outcome, Outcome::Incomplete);
    assert!(snapshot.unread.iter().all(|unread| {
        unread.attribute == attr::VLARB
            && unread.why == Why::Status(0x0C)
            && snapshot.fabric.owner(unread.port) == switch
    }));
    let ports = fabric.external_ports(switch).filter(|port| fabric.peer(*port).is_some());
    for port in ports {
        assert_eq!(snapshot.tables.vlarb_blocks(port), [None; 4]);
        assert!(snapshot.sl2vl(port, 0).is_some(), "the rest of it was read");
    }
}

#[test]
fn a_node_that_falls_silent_is_not_asked_for_all_its_tables() {
    let fabric = small();
    let mut world = up(&fabric, settings(|_| {}));
    let switch = fabric.switches()[0];
    for attribute in [attr::SL2VL, attr::VLARB, attr::LFT, attr::MFT, attr::PKEY_TABLE] {
        world.sim.apply(
            0,
            Fault::Answer {
                scope: Scope::Node(switch),
                filter: Filter { attr: Some(attribute), method: None },
                // An answer that fits no question is none.
                spoil: Spoil::WrongTid,
                chance: Chance::percent(100),
            },
        );
    }
    let gets = |world: &World| [attr::SL2VL, attr::LFT].map(|a| world.sim.stats().gets(a));
    let before = gets(&world).iter().sum::<u64>();
    let (snapshot, outcome) = read(&mut world);
    assert_eq!(outcome, Outcome::Incomplete);
    let of_it = |unread: &&Unread| snapshot.fabric.owner(unread.port) == switch;
    let listed = snapshot.unread.iter().filter(of_it).count();
    assert!(listed > 20, "{listed} things are listed");
    let others = gets(&world).iter().sum::<u64>() - before;
    assert!(others < 800, "{others} requests for tables");
    same_as(&world.sim, &snapshot);
}
