//! A torus routed by torus-2QoS: the engine's own SL2VL tables and path SLs reach the ports.

use lk_fabric::NodeKind;
use lk_routing::{TorusSeed, TorusSpec};
use lk_sim::{Fault, SimOptions, World};
use lk_sm::{Command, Event, Mode, Settings, TorusChange};
use lk_wire::{Guid, PortNum, Sl};

use crate::setup::{Run, read, settings, shared, world};

const SECOND: u64 = 1_000_000_000;

/// The 6 x 5 torus that opensm's tables are known of, with its seed.
fn torus_settings() -> Settings {
    let mut settings = settings(|o| o.routing_engine = Some("torus-2QoS,no_fallback".to_owned()));
    settings.routing.qos = true;
    let near = Guid(0x20_0000);
    let link = |far: u64| Some((near, Guid(far)));
    // Switches are numbered along y first.
    let links = [link(0x20_0005), link(0x20_0019), link(0x20_0001), link(0x20_0004), None, None];
    let seed = TorusSeed { links, dateline: [0; 3] };
    settings.routing.torus = Some(TorusSpec::new([6, 5, 1], vec![seed]));
    settings
}

#[test]
fn the_engines_tables_are_in_the_ports_after_one_sweep() {
    let Some(shared) = shared() else { return };
    let fabric = read(&shared.join("golden/torus-t6x5/fabric.net")).unwrap();
    let mut run = Run::once(&fabric, torus_settings());
    assert!(run.is_up(), "{:?}", run.events);
    let proved = |e: &Event| matches!(e, Event::Proved { .. });
    assert!(run.events.iter().any(proved), "{:?}", run.events);
    let dump = std::fs::read(shared.join("golden/torus-t6x5/opensm-sl2vl.dump")).unwrap();
    let source = lk_diag::SourceFile::new("opensm-sl2vl.dump", dump);
    let (tables, _) = lk_fabric::dumps::sl2vl::read(&source);
    let mut compared = 0;
    for table in tables {
        let end = fabric.end_ports().find(|p| fabric.port(*p).guid == table.port_guid).unwrap();
        let node = fabric.owner(end);
        for (input, output, vls) in &table.rows {
            // opensm prints 0 for the port of an adapter.
            let out = if output.0 == 0 { fabric.port_num(end) } else { *output };
            let held = run.world.sim.sl2vl(node, *input, out);
            let held: Vec<u8> = (0..16).map(|sl| held.get(Sl(sl)).0).collect();
            assert_eq!(held, vls, "{} {input} {output}", table.name);
            compared += 1;
        }
    }
    assert!(compared > 1000);
    assert_eq!(run.again(torus_settings()), Default::default());
}

#[test]
fn every_port_talks_to_the_manager_on_the_sl_of_its_path() {
    let Some(shared) = shared() else { return };
    let fabric = read(&shared.join("golden/torus-t6x5/fabric.net")).unwrap();
    let run = Run::once(&fabric, torus_settings());
    let sim = &run.world.sim;
    let records = std::fs::read_to_string(shared.join("golden/torus-t6x5/path-records.txt"));
    let records = records.unwrap();
    let known = std::fs::read(shared.join("golden/torus-t6x5/guid2lid")).unwrap();
    let source = lk_diag::SourceFile::new("guid2lid", known);
    let (known, _) = lk_config::guid2lid::parse(&source, 0);
    // opensm's LIDs: it sat on another host.
    let its_lid = |port| known.get(&fabric.port(port).guid).map(|range| range.first.0);
    let record = |line: &str| -> Option<(u16, u16, u8)> {
        let mut words = line.split_whitespace();
        let (from, to) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let sl = u8::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        Some((from, to, sl))
    };
    let sm = its_lid(crate::setup::host(&fabric)).unwrap();
    let mut compared = 0;
    for port in fabric.end_ports() {
        let Some(lid) = its_lid(port) else { continue };
        let pair = |(from, to, _): &(u16, u16, u8)| (*from, *to) == (lid, sm);
        if let Some((_, _, sl)) = records.lines().filter_map(record).find(pair) {
            assert_eq!(sim.port_info(port).master_sm_sl(), sl, "{}", fabric.port_name(port));
            compared += 1;
        }
    }
    assert!(compared >= 29, "{compared}");
}

#[test]
fn ports_in_front_of_hosts_arbitrate_two_lanes() {
    let Some(shared) = shared() else { return };
    let fabric = read(&shared.join("golden/torus-t6x5/fabric.net")).unwrap();
    let mut settings = torus_settings();
    settings.options.qos_sets.swe.vlarb_low = Some("0:7,1:7,2:7,3:7,4:9,5:9,6:9,7:9".to_owned());
    let run = Run::once(&fabric, settings);
    let switch = fabric.switch_node(lk_fabric::SwitchId(0));
    let leaf = |p: &lk_fabric::PortId| {
        let far = fabric.peer(*p).map(|f| fabric.node(fabric.owner(f)).kind);
        far == Some(NodeKind::Ca)
    };
    let port = fabric.external_ports(switch).find(leaf).unwrap();
    let table = run.world.sim.vlarb(port, 1);
    let entries: Vec<(u8, u8)> =
        (0..8).filter_map(|i| table.get(i)).map(|e| (e.vl.0, e.weight)).collect();
    assert_eq!(entries[..2], [(0, 7), (1, 9)]);
    assert!(entries[2..].iter().all(|e| *e == (0, 0)), "{entries:?}");
    assert_ne!(fabric.port_num(port), PortNum(0));
}

/// What a manager tells of a torus that loses two cables in two rings, gets them back, and is
/// swept once more.
fn told_of_cables(max_changes: u32) -> Option<[Vec<TorusChange>; 3]> {
    let fabric = read(&shared()?.join("golden/torus-t6x5/fabric.net"))?;
    let mut settings = torus_settings();
    settings.routing.torus.as_mut()?.max_changes = max_changes;
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Daemon);
    world.run_for(SECOND);
    let ends = [(0x20_0001, 0x20_0002), (0x20_0012, 0x20_0017)];
    let guid = |port| fabric.node(fabric.owner(port)).guid.0;
    let cut = |(a, b): &(_, _)| {
        let pair = (guid(*a), guid(*b));
        ends.contains(&pair) || ends.contains(&(pair.1, pair.0))
    };
    let cables: Vec<_> = fabric.links().filter(cut).map(|(a, _)| a).collect();
    assert_eq!(cables.len(), 2);
    let mut told = |change: &mut dyn FnMut(&mut World)| {
        change(&mut world);
        world.command(Command::HeavySweep);
        let events = world.run_for(SECOND);
        let up = |e: &Event| matches!(e, Event::SubnetUp(_));
        assert!(events.iter().any(up), "{events:?}");
        let change = |event| match event {
            Event::TorusChange(change) => Some(change),
            _ => None,
        };
        events.into_iter().filter_map(change).collect::<Vec<_>>()
    };
    let mut all = |fault: fn(lk_fabric::PortId) -> Fault| {
        let mut apply = |w: &mut World| {
            let now = w.now();
            cables.iter().for_each(|cable| w.sim.apply(now, fault(*cable)));
        };
        told(&mut apply)
    };
    let (went, came) = (all(Fault::LinkDown), all(Fault::LinkUp));
    Some([went, came, told(&mut |_| {})])
}

#[test]
fn changes_of_the_torus_are_told_by_coordinates() {
    let Some([went, came, quiet]) = told_of_cables(TorusSpec::MAX_CHANGES) else { return };
    let cables = |verb: &str, left: usize| {
        [("(0,1,0)", "(0,2,0)"), ("(3,3,0)", "(4,3,0)")].map(|(a, b)| {
            let text = format!("1 link {verb} between {a} and {b}, {left} now");
            TorusChange::One(text)
        })
    };
    assert_eq!(went, cables("went", 0));
    assert_eq!(came, cables("came", 1));
    assert_eq!(quiet, [], "nothing changed");
}

#[test]
fn no_more_changes_of_the_torus_are_told_than_max_changes() {
    let Some([went, came, quiet]) = told_of_cables(1) else { return };
    for told in [&went, &came] {
        assert!(matches!(&told[..], [TorusChange::One(_), TorusChange::More(1)]), "{told:?}");
    }
    assert_eq!(quiet, []);
    let Some([went, ..]) = told_of_cables(0) else { return };
    assert_eq!(went, [TorusChange::More(2)]);
}
