//! The proof with multicast against following each copy of each packet by itself.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::SwitchId;
use lk_routing::proof::{Forwarding, Lanes, OneLane, SlSet, Traffic, prove_all};
use lk_routing::{GroupPorts, GroupTree};
use lk_wire::{Lid, PortNum, Sl, Vl};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::fabrics::{Case, any_wiring, wired};
use crate::proof::{Channel, Edges, Wild, compare, edges};

/// Sends a packet of each SL from each end port on a switch of each tree, and from the switch.
fn group_edges(case: &Case, trees: &[GroupTree], lanes: &impl Lanes, out: &mut Edges) {
    let fabric = &case.fabric;
    for tree in trees {
        let masks: BTreeMap<SwitchId, &[PortNum]> =
            tree.ports.iter().map(|(s, ports)| (*s, ports.as_slice())).collect();
        for (switch, _) in &tree.ports {
            let node = fabric.switch_node(*switch);
            let hosts = fabric.external_ports(node).filter(|p| {
                let far = fabric.peer(*p).map(|far| fabric.owner(far));
                far.is_some_and(|n| fabric.as_switch(n).is_none())
            });
            let doors = hosts.map(|p| fabric.port_num(p)).chain([PortNum(0)]);
            for door in doors.collect::<Vec<_>>() {
                for sl in tree.sls.iter() {
                    let mut packets = vec![(*switch, door, None)];
                    let mut seen = BTreeSet::new();
                    while let Some((at, door, held)) = packets.pop() {
                        for (channel, next) in copies(case, &masks, lanes, (at, door), sl) {
                            if let Some(held) = held {
                                out.entry((held, channel)).or_default().insert((tree.mlid, sl));
                            }
                            if seen.insert((channel, held)) {
                                packets.push((next.0, next.1, Some(channel)));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The channels of the copies that a switch sends to other switches, and where they come in.
fn copies(
    case: &Case,
    masks: &BTreeMap<SwitchId, &[PortNum]>,
    lanes: &impl Lanes,
    (at, door): (SwitchId, PortNum),
    sl: Sl,
) -> Vec<(Channel, (SwitchId, PortNum))> {
    let fabric = &case.fabric;
    let mut out = Vec::new();
    for port in masks.get(&at).copied().unwrap_or_default() {
        let here = fabric.port_at(fabric.switch_node(at), *port).filter(|_| port.0 != 0);
        let Some(far) = here.and_then(|p| fabric.peer(p)).filter(|_| *port != door) else {
            continue;
        };
        let next = fabric.as_switch(fabric.owner(far)).filter(|next| *next != at);
        let vl = lanes.lanes(at, door, *port).vl(sl);
        if let Some(next) = next.filter(|_| vl != Vl::DROP) {
            out.push(((at, *port, vl), (next, fabric.port_num(far))));
        }
    }
    out
}

/// Ports of a switch that a tree names, all switches in any order.
fn masks(case: &Case, picks: &[(Index, Vec<u8>)]) -> Vec<GroupPorts> {
    let mut masks = BTreeMap::new();
    for (switch, ports) in picks {
        let switch = SwitchId(switch.index(case.fabric.switches().len()) as u32);
        masks.insert(switch, ports.iter().map(|p| PortNum(*p)).collect());
    }
    let mut masks: Vec<GroupPorts> = masks.into_iter().collect();
    masks.reverse();
    masks
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Any tables at all, also such as go round.
    #[test]
    fn it_finds_what_following_each_copy_finds(
        wiring in any_wiring(),
        seed in any::<u64>(),
        lanes in 1_u8..5,
        groups in prop::collection::vec(
            (prop::collection::vec((any::<Index>(), prop::collection::vec(0_u8..9, 0..5)), 0..8),
             any::<u16>()),
            0..4,
        ),
    ) {
        let case = Case::new(wiring.fabric(), 0);
        let lfts = case.routes("minhop").lfts;
        let wild = Wild { seed, lanes };
        let mut trees: Vec<GroupTree> = Vec::new();
        for (n, (picks, sls)) in groups.iter().enumerate() {
            let mlid = Lid(0xC000 + n as u16);
            trees.push(GroupTree { mlid, sls: SlSet(*sls), ports: masks(&case, picks) });
        }
        let tables =
            Forwarding { fabric: &case.fabric, lids: &case.lids, lfts: &lfts, trees: &trees };
        let proof = prove_all(&tables, &wild, &wild, Traffic::EndPorts);
        let mut all = edges(&case, &lfts, &wild, &wild, Traffic::EndPorts);
        group_edges(&case, &trees, &wild, &mut all);
        compare(&proof, &all)?;
    }
}

/// Three switches in a ring, without a circle of unicast packets. A group whose tables name all
/// three cables goes round for ever; one along two of them does not.
#[test]
fn a_tree_that_is_none_goes_round() {
    let case = Case::new(wired(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]), 0);
    let lfts = case.routes("minhop").lfts;
    let at = |name: &str, ports: &[u8]| {
        (case.switch(name), ports.iter().map(|p| PortNum(*p)).collect::<Vec<_>>())
    };
    let judge = |ports: Vec<GroupPorts>| {
        let trees = [GroupTree { mlid: Lid(0xC007), sls: SlSet::one(Sl(3)), ports }];
        let tables =
            Forwarding { fabric: &case.fabric, lids: &case.lids, lfts: &lfts, trees: &trees };
        prove_all(&tables, &OneLane, &SlSet::one(Sl(0)), Traffic::EndPorts)
    };
    let tree = judge(vec![at("s0", &[1, 2]), at("s1", &[1, 2, 3]), at("s2", &[1, 2])]);
    assert!(tree.deadlock_free() && tree.waits > 0, "{tree:?}");
    let round = judge(vec![at("s0", &[1, 2, 3]), at("s1", &[1, 2, 3]), at("s2", &[1, 2, 3])]);
    let circle = round.circle.expect("it goes round");
    assert_eq!(circle.len(), 3);
    assert!(circle.iter().all(|wait| (wait.lid, wait.sl) == (Lid(0xC007), Sl(3))), "{circle:?}");
}
