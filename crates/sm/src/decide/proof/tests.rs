use lk_config::Options;
use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
use lk_routing::Lfts;
use lk_routing::proof::LaneMap;
use lk_wire::{Guid, Lid, Vl};

use super::*;
use crate::decide::{Desired, Settings, decide};
use crate::event::Level;
use crate::plan::{Plan, Report};
use crate::testing::observed;

/// A ring of switches with a host on each, as `host0` on `s0` and so on; the sweep gives LIDs.
fn ring(switches: u64) -> Fabric {
    let count = switches as usize;
    let mut b = FabricBuilder::new();
    let switches: Vec<_> = (0..switches)
        .map(|n| {
            let name = format!("s{n}");
            b.add_node(NodeSpec::new(Guid(0x20 + n), NodeKind::Switch, &name, 4)).unwrap()
        })
        .collect();
    for n in 0..count {
        let name = format!("host{n}");
        let spec = NodeSpec::new(Guid(0x10 + n as u64), NodeKind::Ca, &name, 1);
        let host = b.add_node(spec).unwrap();
        b.set_port(host, 1, Guid(0x50 + n as u64), Lid(0), 0).unwrap();
        b.connect((host, 1), (switches[n], 1)).unwrap();
        b.connect((switches[n], 2), (switches[(n + 1) % count], 3)).unwrap();
    }
    b.build()
}

/// A decision on a ring of four.
fn on_ring(options: Options) -> (crate::Observed, Desired) {
    decided(ring(4), options)
}

fn decided(fabric: Fabric, options: Options) -> (crate::Observed, Desired) {
    let seen = observed(fabric, Guid(0x50));
    let settings = Settings::new(options, lk_config::guid2lid::Guid2Lid::new());
    let desired = decide(&seen, &settings);
    (seen, desired)
}

/// The number of a node of the ring.
fn number(fabric: &Fabric, node: lk_fabric::NodeId) -> u64 {
    fabric.node(node).guid.0 & 3
}

/// Tables of shortest ways that go clockwise, by port 2, where both are equal.
fn clockwise(fabric: &Fabric, lids: &LidMap) -> Lfts {
    let rows = fabric.switch_ids().map(|switch| {
        let mut row = vec![Lfts::NO_PATH; Lfts::row_len(lids.top())];
        let here = fabric.switch_node(switch);
        for (port, lid, _) in lids.ranges() {
            let owner = fabric.owner(*port);
            let ahead = (number(fabric, owner) + 4 - number(fabric, here)) % 4;
            row[usize::from(lid.0)] = match ahead {
                0 => u8::from(owner != here),
                1 | 2 => 2,
                _ => 3,
            };
        }
        row.into()
    });
    Lfts { top: lids.top(), rows: rows.collect() }
}

#[test]
fn a_ring_in_one_direction_is_named_link_by_link() {
    let (seen, desired) = on_ring(Options::default());
    let fabric = &seen.fabric;
    let lfts = clockwise(fabric, &desired.lids);
    let tables = Forwarding { fabric, lids: &desired.lids, lfts: &lfts, trees: &[] };
    let verdict = Verdict::of(&tables, &OneLane, &SlSet::one(Sl(0)));
    assert!(!verdict.deadlock_free && verdict.all_reached && !verdict.is_good());
    assert_eq!((verdict.circle.len(), verdict.max_hops), (4, 2));
    for (step, next) in verdict.circle.iter().zip(verdict.circle.iter().cycle().skip(1)) {
        assert_eq!(step.to.split('/').next(), next.from.split('/').next());
        assert!(step.source.starts_with("host") && step.destination.starts_with("host"), "{step}");
        assert_ne!(step.source, step.destination);
        // The way of the packet, in steps clockwise, spans the held link and the next one.
        let place = |name: &str| {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits[..1].parse::<i32>().unwrap()
        };
        let [source, from, end] = [&step.source, &step.from, &step.destination].map(|n| place(n));
        let (before, whole) = ((from - source).rem_euclid(4), (end - source).rem_euclid(4));
        assert!(before + 2 <= whole, "{step}");
    }
    let text = verdict.text();
    assert!(text.starts_with("CREDIT LOOP of 4 links"), "{text}");
    let events = verdict.events("minhop");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].level(), Level::Error);
    assert!(events[0].to_string().contains("routing_engine updn"), "{}", events[0]);
}

/// Packets that cross one link of the ring (a dateline) keep to a lane of their own.
struct Dateline<'a>(&'a Fabric, &'a LidMap);

impl PathSls for Dateline<'_> {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        let Some(end) = self.1.port(to) else { return SlSet::EMPTY };
        let start = number(self.0, self.0.switch_node(from));
        SlSet::one(Sl(u8::from(start > number(self.0, self.0.owner(end)))))
    }

    fn all(&self) -> SlSet {
        SlSet::one(Sl(0)).with(Sl(1))
    }
}

#[test]
fn a_dateline_breaks_the_ring() {
    let (seen, desired) = on_ring(Options::default());
    let fabric = &seen.fabric;
    let lfts = clockwise(fabric, &desired.lids);
    let tables = Forwarding { fabric, lids: &desired.lids, lfts: &lfts, trees: &[] };
    let sls = Dateline(fabric, &desired.lids);
    let own_lane = LaneMap::new(|sl| Vl(sl.0));
    let verdict = Verdict::of(&tables, &own_lane, &sls);
    assert!(verdict.is_good(), "{}", verdict.text());
    assert_eq!(verdict.lanes, [0, 1]);
    // On one lane the same traffic closes the ring; the second lane may not drop packets either.
    assert!(!Verdict::of(&tables, &OneLane, &sls).deadlock_free);
    let dropping = LaneMap::new(|sl| if sl == Sl(1) { Vl::DROP } else { Vl(0) });
    let verdict = Verdict::of(&tables, &dropping, &sls);
    assert!(verdict.deadlock_free && !verdict.is_good());
    assert_eq!(verdict.dropped_sls, [1]);
}

#[test]
fn what_is_lost_or_goes_round_is_named() {
    let (seen, desired) = on_ring(Options::default());
    let fabric = &seen.fabric;
    let mut lfts = clockwise(fabric, &desired.lids);
    let host = |n: u64| fabric.node_by_guid(Guid(0x10 + n)).unwrap();
    let lid =
        |n: u64| desired.lids.ranges().iter().find(|r| fabric.owner(r.0) == host(n)).unwrap().1;
    let mut set = |switch: u64, lid: Lid, port: u8| {
        let node = fabric.node_by_guid(Guid(0x20 + switch)).unwrap();
        let row = &mut lfts.rows[fabric.as_switch(node).unwrap().index()];
        std::sync::Arc::make_mut(row)[usize::from(lid.0)] = port;
    };
    // Packets to host 0 go to and fro between s1 and s2; those to host 2 are dropped by s1.
    set(1, lid(0), 2);
    set(2, lid(0), 3);
    set(1, lid(2), Lfts::NO_PATH);
    let tables = Forwarding { fabric, lids: &desired.lids, lfts: &lfts, trees: &[] };
    let verdict = Verdict::of(&tables, &OneLane, &SlSet::one(Sl(0)));
    assert!(!verdict.deadlock_free && !verdict.all_reached);
    assert_eq!(verdict.forwarding_loops.lids, 1);
    let mut round = verdict.forwarding_loops.first[0].switches.clone();
    round.sort();
    assert_eq!(
        (verdict.forwarding_loops.first[0].lid, round),
        (lid(0).0, vec!["s1".to_owned(), "s2".to_owned()])
    );
    assert_eq!(verdict.unreached.lids, 2);
    let ends: Vec<&str> = verdict.unreached.first.iter().map(|lost| lost.why).collect();
    assert!(ends.contains(&"goes round until its lifetime ends"), "{ends:?}");
    assert!(ends.contains(&"comes to a switch that has no entry for it"), "{ends:?}");
    let events: Vec<Level> = verdict.events("minhop").iter().map(Event::level).collect();
    assert!(events.len() >= 2 && events.iter().all(|level| *level == Level::Error));
}

/// On a ring of five there is one shortest way to each other switch, and they close it. Everybody
/// is told.
#[test]
fn a_decision_holds_the_verdict_on_its_routes() {
    for qos in [false, true] {
        let (seen, desired) = decided(ring(5), Options { qos, ..Options::default() });
        let verdict = desired.verdict.clone().unwrap();
        assert!(!verdict.deadlock_free);
        assert_eq!(verdict.any_sl, if qos { AnySl::Loop } else { AnySl::Unknown });
        let loops = desired.events.iter().filter(|e| matches!(e, Event::CreditLoop { .. })).count();
        assert_eq!(loops, 1);
        let report = Report::of(&Plan::compare(&seen, &desired), &seen, &desired);
        assert!(report.text(false).contains("CREDIT LOOP of 5 links"));
        assert_eq!(report.proof, desired.verdict);
    }
}

/// A table that brings two SLs together behind some ports is judged as it is.
#[test]
fn a_tree_is_proved_for_every_sl() {
    let mut options = Options { qos: true, ..Options::default() };
    let seen = crate::testing::two_switches(&[], true);
    options.qos_sets.generic.sl2vl = Some("0,1,0,1,2,2,15".to_owned());
    let settings = Settings::new(options, lk_config::guid2lid::Guid2Lid::new());
    let desired = decide(&seen, &settings);
    let verdict = desired.verdict.unwrap();
    assert!(verdict.is_good());
    assert_eq!((verdict.any_sl, verdict.sls.as_slice()), (AnySl::Free, &[0][..]));
    assert!(desired.events.iter().any(|e| matches!(e, Event::Proved { .. })));
}

/// Hosts are reached without one link of the ring, switches by all four: only perfquery and the
/// like can close it.
#[test]
fn loops_that_need_switches_as_ends_are_told_apart() {
    let (seen, desired) = on_ring(Options::default());
    let fabric = &seen.fabric;
    let mut lfts = clockwise(fabric, &desired.lids);
    for switch in fabric.switch_ids() {
        let here = number(fabric, fabric.switch_node(switch));
        let row = std::sync::Arc::make_mut(&mut lfts.rows[switch.index()]);
        for (port, lid, _) in desired.lids.ranges() {
            let end = fabric.owner(*port);
            if fabric.as_switch(end).is_none() && number(fabric, end) != here {
                row[usize::from(lid.0)] = if number(fabric, end) > here { 2 } else { 3 };
            }
        }
    }
    let tables = Forwarding { fabric, lids: &desired.lids, lfts: &lfts, trees: &[] };
    let verdict = Verdict::of(&tables, &OneLane, &SlSet::one(Sl(0)));
    assert!(verdict.is_good() && verdict.circle.is_empty(), "{}", verdict.text());
    assert!(Verdict::is_free(&tables, &OneLane, &SlSet::one(Sl(0))));
    assert_eq!(verdict.switch_circle.len(), 4);
    let with_switch = |s: &Step| [&s.source, &s.destination].iter().any(|end| end.starts_with('s'));
    assert!(verdict.switch_circle.iter().any(with_switch), "{}", verdict.text());
    assert!(verdict.events("minhop").iter().all(|event| event.level() == Level::Info));
}

/// A group whose tables copy all round the ring: the loop is the group's, and a host sends it.
#[test]
fn a_group_that_goes_round_is_named_with_a_sender() {
    let (seen, desired) = on_ring(Options::default());
    let fabric = &seen.fabric;
    let routes = desired.routes.expect("minhop routes");
    let ports = fabric.switch_ids().map(|s| (s, vec![PortNum(1), PortNum(2), PortNum(3)]));
    let tree = GroupTree { mlid: Lid(0xc001), sls: SlSet::one(Sl(4)), ports: ports.collect() };
    let lane_of_its_own = LaneMap::new(|sl| Vl(sl.0 / 4));
    let trees = [tree];
    let tables = Forwarding { fabric, lids: &desired.lids, lfts: &routes.lfts, trees: &trees };
    let verdict = Verdict::of(&tables, &lane_of_its_own, &SlSet::EMPTY);
    assert_eq!((verdict.groups, verdict.circle.len()), (1, 4));
    for step in &verdict.circle {
        assert!(step.source.starts_with("host"), "{step}");
        assert_eq!((step.destination.as_str(), step.vl), ("the group of 0xc001", 1));
    }
}
