//! Multicast trees that OpenSM made, read from its opensm.mcfdbs: ours are the same, port for port.
//! Group `n`, from 1 on, has every host whose place among the GUIDs is a multiple of `n + 1`.

use std::collections::BTreeMap;

use lk_fabric::dumps::mcfdbs;
use lk_fabric::{PortId, SwitchId};
use lk_routing::graph::Graph;
use lk_routing::multicast::{Grower, Member};
use lk_wire::PortNum;

use crate::fabrics::{Case, engine_named};
use crate::golden::{case, file};

/// Ports by LID and switch.
type Tables = BTreeMap<(u16, SwitchId), Vec<PortNum>>;

fn recorded(folder: &str, name: &str, case: &Case) -> Tables {
    let (tables, found) = mcfdbs::read(&file(folder, name));
    assert!(!found.has_errors(), "{folder}");
    let mut by_lid = Tables::new();
    for table in tables {
        let node = case.fabric.node_by_guid(table.guid).expect("a node of the fabric");
        let switch = case.fabric.as_switch(node).expect("it is a switch");
        by_lid.extend(table.entries.into_iter().map(|(lid, ports)| ((lid.0, switch), ports)));
    }
    by_lid
}

fn members(case: &Case, every: usize) -> Vec<Member> {
    let fabric = &case.fabric;
    let is_host = |p: &PortId| fabric.as_switch(fabric.owner(*p)).is_none();
    let mut hosts: Vec<PortId> = fabric.end_ports().filter(is_host).collect();
    hosts.sort_by_key(|p| fabric.port(*p).guid);
    // Hosts on a switch that is cut off have no LID and cannot join.
    let there = |p: &PortId| case.lids.ranges().iter().any(|(port, _, _)| port == p);
    let chosen = hosts.into_iter().step_by(every).filter(there);
    chosen.filter_map(|p| Graph::attachment(fabric, p)).collect()
}

#[test]
fn trees_are_those_of_opensm() {
    for (folder, engine) in [("ft6x3-mixed", "minhop"), ("r24", "minhop"), ("ft4x3-broken", "updn")]
    {
        let case = case(folder);
        let hops = engine_named(engine).hops(&case.job()).expect("the engine has hops");
        let grower = Grower::new(hops, vec![true; case.fabric.switches().len()], None);
        let mut ours = Tables::new();
        for group in 1..=4 {
            let members = members(&case, group + 1);
            let grown = grower.tree(&members, None, true);
            assert!(grown.lost.is_empty(), "{folder}");
            for (switch, ports) in grown.tree.expect("a tree").ports(&members) {
                ours.insert((0xC000 + group as u16, switch), ports);
            }
        }
        let theirs = recorded(folder, &format!("{engine}.mcfdbs"), &case);
        assert!(theirs.len() > 15, "{folder}");
        assert_eq!(ours, theirs, "{folder} {engine}");
    }
}
