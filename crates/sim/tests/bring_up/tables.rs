//! The tables in the ports after one sweep.

use lk_fabric::{NodeKind, PortId, SwitchId};
use lk_sim::{NodeCaps, SimOptions};
use lk_sm::Mode;
use lk_wire::{Lid, PortNum, Sl, Vl, VlCode};

use crate::setup::{Run, settings, small, three_levels, world};

fn vls(run: &Run, egress: PortId, ingress: u8) -> Vec<u8> {
    let sim = &run.world.sim;
    let fabric = sim.fabric();
    let table = sim.sl2vl(fabric.owner(egress), PortNum(ingress), fabric.port_num(egress));
    (0..16).map(|sl| table.get(Sl(sl)).0).collect()
}

/// opensm masks a switch's tables by the OperVLs that it found there and gets them right only in
/// its second heavy sweep. Here the ports start with one lane and hold four after the sweep.
#[test]
fn lanes_are_masked_by_what_a_port_will_operate_not_by_what_it_did() {
    let fabric = small();
    let mut options = SimOptions::default();
    for (kind, caps) in [NodeKind::Ca, NodeKind::Switch].map(|kind| (kind, NodeCaps::of_kind(kind)))
    {
        let mut caps = caps;
        caps.port.vl_cap = VlCode(3);
        caps.port.oper_vls = Some(VlCode(1));
        match kind {
            NodeKind::Switch => options.switch = caps,
            _ => options.ca = caps,
        }
    }
    let run = Run::on(world(&fabric, &options, settings(|_| {}), Mode::Once));
    assert!(run.is_up() && run.all_active());
    let folded: Vec<u8> = (0..15).map(|sl| sl & 3).chain([3]).collect();
    for port in (0..fabric.ports().len() as u32).map(PortId) {
        if fabric.peer(port).is_some() {
            assert_eq!(run.world.sim.port_info(port).oper_vls(), 3);
            assert_eq!(vls(&run, port, 0), folded, "{}", fabric.port_name(port));
        }
    }
}

#[test]
fn sl_15_to_vl_15_stays_a_drop_and_every_ingress_port_gets_the_table() {
    let fabric = small();
    let list = "0,1,2,3,4,5,6,7,15,15,15,15,15,15,15,15";
    let run = Run::once(
        &fabric,
        settings(|o| {
            o.qos_sets.swe.sl2vl = Some(list.to_owned());
        }),
    );
    let switch = fabric.switch_node(SwitchId(0));
    let egress = fabric.external_ports(switch).find(|p| fabric.peer(*p).is_some()).unwrap();
    for ingress in 0..=fabric.node(switch).num_ports {
        let got = vls(&run, egress, ingress);
        assert_eq!(got[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(got[8..].iter().all(|vl| Vl(*vl) == Vl::DROP));
    }
}

#[test]
fn switches_that_know_wildcards_get_the_same_tables_in_fewer_writes() {
    let fabric = three_levels();
    let mut options = SimOptions::default();
    options.switch.switch.optimized_sl2vl = 1;
    let wild = settings(|o| o.use_optimized_slvl = true);
    let mut fast = Run::on(world(&fabric, &options, wild.clone(), Mode::Once));
    let slow = Run::once(&fabric, settings(|_| {}));
    assert!(fast.is_up() && slow.is_up());
    let switches = fabric.switches().len();
    assert!(fast.planned().sl2vl_wildcards >= switches);
    assert!(fast.planned().sl2vl < slow.planned().sl2vl / 4);
    for port in (0..fabric.ports().len() as u32).map(PortId) {
        let node = fabric.node(fabric.owner(port));
        if fabric.peer(port).is_some() && node.kind == NodeKind::Switch {
            for ingress in 0..=node.num_ports {
                assert_eq!(vls(&fast, port, ingress), vls(&slow, port, ingress));
            }
        }
    }
    assert_eq!(fast.again(wild), Default::default());
}

#[test]
fn without_qos_no_lane_table_is_written() {
    let fabric = small();
    let mut run = Run::once(&fabric, settings(|o| o.qos = false));
    assert!(run.is_up());
    let stats = run.world.sim.stats();
    assert_eq!(stats.sets(lk_wire::attr::SL2VL) + stats.sets(lk_wire::attr::VLARB), 0);
    // Turning QoS on later is seen in a plan, and only lanes and limits change.
    let counts = run.plan(settings(|o| o.qos_sets.generic.sl2vl = Some("1,0".to_owned())));
    assert!(counts.sl2vl > 0 && counts.vlarb > 0);
    assert_eq!((counts.lids, counts.lft_blocks, counts.pkeys, counts.bounced_links), (0, 0, 0, 0));
}

#[test]
fn every_host_reaches_every_host_by_the_tables_that_the_switches_hold() {
    let fabric = three_levels();
    for lmc in [0, 2] {
        let run = Run::once(&fabric, settings(|o| o.lmc = lmc));
        let sim = &run.world.sim;
        let hosts: Vec<PortId> = fabric
            .end_ports()
            .filter(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca)
            .collect();
        for to in &hosts {
            let base = sim.port_info(*to).lid();
            for lid in base..base + (1 << lmc) {
                for from in &hosts {
                    assert!(arrives(&run, *from, *to, Lid(lid)), "LID {lid}");
                }
            }
        }
    }
}

fn arrives(run: &Run, from: PortId, to: PortId, lid: Lid) -> bool {
    let sim = &run.world.sim;
    let fabric = sim.fabric();
    let mut at = fabric.peer(from);
    for _ in 0..16 {
        let Some(port) = at else { return false };
        if port == to || from == to {
            return true;
        }
        let node = fabric.owner(port);
        let Some(switch) = fabric.as_switch(node) else { return false };
        let out = sim.lft(switch, lid);
        at = fabric.port_at(node, out).and_then(|p| fabric.peer(p));
    }
    false
}

#[test]
fn raising_max_op_vls_bounces_every_link_once_and_ends_active() {
    let fabric = three_levels();
    let mut run = Run::once(&fabric, settings(|o| o.max_op_vls = 1));
    let links = fabric.links().count();
    let raised = settings(|o| o.max_op_vls = 4);
    let counts = run.plan(raised.clone());
    assert_eq!(counts.bounced_links, links);
    assert_eq!(run.again(raised.clone()).bounced_links, links);
    assert!(run.is_up() && run.all_active(), "{:?}", run.events);
    for port in (0..fabric.ports().len() as u32).map(PortId) {
        if fabric.peer(port).is_some() {
            assert_eq!(run.world.sim.port_info(port).oper_vls(), 4);
        }
    }
    assert_eq!(run.plan(raised), Default::default());
}
