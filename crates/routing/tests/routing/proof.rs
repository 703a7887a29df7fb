//! The proof against following each packet by itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lk_fabric::SwitchId;
use lk_fabric::topo::{FatTree, Shape, Torus};
use lk_routing::proof::{LaneMap, Lanes, OneLane, PathSls, SlSet, Traffic, prove};
use lk_routing::{Lfts, Proof};
use lk_wire::{Lid, PortNum, Sl, Vl};
use proptest::prelude::*;

use crate::fabrics::{Case, any_connected_wiring, any_wiring, tree, whole, wired};
use crate::findings::set;
use crate::oracle;

/// A link, by the switch and port that send on it, and a lane.
pub(crate) type Channel = (SwitchId, PortNum, Vl);

/// Tables and SLs without any order, but always the same for a seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wild {
    pub(crate) seed: u64,
    pub(crate) lanes: u8,
}

impl Wild {
    fn draw(self, parts: [u64; 4]) -> u64 {
        parts.iter().fold(self.seed ^ 0x9E37_79B9_7F4A_7C15, |hash, part| {
            let mixed = (hash ^ part).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            mixed ^ mixed >> 32
        })
    }
}

impl Lanes for Wild {
    fn lanes(&self, switch: SwitchId, in_port: PortNum, out_port: PortNum) -> LaneMap {
        let [s, i, o] = [u64::from(switch.0), u64::from(in_port.0), u64::from(out_port.0)];
        LaneMap::new(|sl| {
            let drawn = self.draw([s, i, o, u64::from(sl.0)]);
            if drawn.is_multiple_of(29) { Vl(15) } else { Vl((drawn >> 8) as u8 % self.lanes) }
        })
    }
}

impl PathSls for Wild {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        let one = |n| Sl(self.draw([u64::from(from.0), u64::from(to.0), n, 7]) as u8 % 4);
        SlSet::one(one(0)).with(one(1))
    }

    fn all(&self) -> SlSet {
        SlSet(0b1111)
    }
}

/// For each edge the LIDs and SLs of the packets that make it.
pub(crate) type Edges = BTreeMap<(Channel, Channel), BTreeSet<(Lid, Sl)>>;

/// Sends a packet of each SL from each end port and each switch to each LID.
pub(crate) fn edges(
    case: &Case,
    lfts: &Lfts,
    lanes: &impl Lanes,
    sls: &impl PathSls,
    traffic: Traffic,
) -> Edges {
    let fabric = &case.fabric;
    let mut out = Edges::new();
    for (lid, _) in oracle::homes(fabric, &case.lids) {
        let end = case.lids.port(lid).expect("the LID has a port");
        let to_switch = fabric.as_switch(fabric.owner(end)).is_some();
        for from in fabric.switch_ids() {
            let node = fabric.switch_node(from);
            let hosts = fabric.external_ports(node).filter(|p| {
                let far = fabric.peer(*p).map(|far| fabric.owner(far));
                far.is_some_and(|n| fabric.as_switch(n).is_none())
            });
            let own = (traffic == Traffic::All || !to_switch).then_some(PortNum(0));
            let doors = hosts.map(|p| fabric.port_num(p)).chain(own);
            for door in doors.collect::<Vec<_>>() {
                for sl in sls.sls(from, lid).iter() {
                    let path = channels(case, lfts, lanes, (from, door), lid, sl);
                    for pair in path.windows(2) {
                        out.entry((pair[0], pair[1])).or_default().insert((lid, sl));
                    }
                }
            }
        }
    }
    out
}

/// The channels of one packet's way, until it arrives, is dropped or comes round again.
fn channels(
    case: &Case,
    lfts: &Lfts,
    lanes: &impl Lanes,
    (mut at, mut door): (SwitchId, PortNum),
    lid: Lid,
    sl: Sl,
) -> Vec<Channel> {
    let fabric = &case.fabric;
    let mut out = Vec::new();
    for _ in 0..=fabric.switches().len() {
        let Some(port) = lfts.port(at, lid).filter(|p| p.0 != 0) else { break };
        let here = fabric.port_at(fabric.switch_node(at), port);
        let Some(far) = here.and_then(|p| fabric.peer(p)) else { break };
        let Some(next) = fabric.as_switch(fabric.owner(far)) else { break };
        let vl = lanes.lanes(at, door, port).vl(sl);
        if vl == Vl::DROP {
            break;
        }
        out.push((at, port, vl));
        (at, door) = (next, fabric.port_num(far));
    }
    out
}

/// The number of channels in a shortest circle.
pub(crate) fn shortest_circle(edges: &Edges) -> Option<usize> {
    let starts: BTreeSet<Channel> = edges.keys().map(|(a, _)| *a).collect();
    let through = |start: Channel| {
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((at, length)) = queue.pop_front() {
            for (_, next) in edges.keys().filter(|(a, _)| *a == at) {
                if *next == start {
                    return Some(length + 1);
                }
                if seen.insert(*next) {
                    queue.push_back((*next, length + 1));
                }
            }
        }
        None
    };
    starts.into_iter().filter_map(through).min()
}

/// Holds the proof's numbers, circle and witnesses against the edges.
pub(crate) fn compare(proof: &Proof, edges: &Edges) -> Result<(), TestCaseError> {
    let channels: BTreeSet<Channel> = edges.keys().flat_map(|(a, b)| [*a, *b]).collect();
    prop_assert_eq!(proof.waits, edges.len() as u64);
    prop_assert_eq!(proof.channels, channels.len() as u64);
    prop_assert_eq!(proof.circle.as_ref().map(Vec::len), shortest_circle(edges));
    let Some(circle) = &proof.circle else { return Ok(()) };
    for (at, wait) in circle.iter().enumerate() {
        let next = circle[(at + 1) % circle.len()];
        let edge = ((wait.switch, wait.port, wait.vl), (next.switch, next.port, next.vl));
        let packets = edges.get(&edge);
        prop_assert_eq!(packets.and_then(BTreeSet::first), Some(&(wait.lid, wait.sl)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn it_finds_what_following_each_packet_finds(
        wiring in any_wiring(),
        seed in any::<u64>(),
        lanes in 1_u8..5,
        sls in any::<u16>(),
        traffic in prop::sample::select(vec![Traffic::EndPorts, Traffic::All]),
    ) {
        let case = Case::new(wiring.fabric(), 0);
        let lfts = case.routes("minhop").lfts;
        let wild = Wild { seed, lanes };
        let proof = prove(&case.fabric, &case.lids, &lfts, &wild, &wild, traffic);
        prop_assert!(proof.loops.is_empty());
        compare(&proof, &edges(&case, &lfts, &wild, &wild, traffic))?;
        // The same SLs from everywhere, so that LIDs share passes.
        let proof = prove(&case.fabric, &case.lids, &lfts, &wild, &SlSet(sls), traffic);
        compare(&proof, &edges(&case, &lfts, &wild, &SlSet(sls), traffic))?;
    }

    #[test]
    fn one_lane_is_enough_for_updn(wiring in any_connected_wiring(), sls in 1_u16..) {
        let mut case = Case::new(wiring.fabric(), 0);
        let first = case.fabric.switch_node(SwitchId(0));
        case.options.roots = Some(vec![case.fabric.node(first).guid]);
        let lfts = case.routes("updn").lfts;
        let proof = prove(&case.fabric, &case.lids, &lfts, &OneLane, &SlSet(sls), Traffic::All);
        prop_assert_eq!(&proof.circle, &None);
        prop_assert!(proof.deadlock_free());
        compare(&proof, &edges(&case, &lfts, &OneLane, &SlSet(sls), Traffic::All))?;
    }
}

#[test]
fn shortest_paths_round_a_ring_wait_for_each_other() {
    let case = Case::new(whole(Shape::Torus(Torus::new(&[6]))), 0);
    let lfts = case.routes("minhop").lfts;
    let sl = SlSet::one(Sl(0));
    let proof = prove(&case.fabric, &case.lids, &lfts, &OneLane, &sl, Traffic::EndPorts);
    let circle = proof.circle.expect("six switches in a ring");
    let switches: BTreeSet<SwitchId> = circle.iter().map(|w| w.switch).collect();
    assert_eq!((circle.len(), switches.len(), proof.vls), (6, 6, vec![Vl(0)]));

    // A second lane for the ways over the cable between s0 and s5 opens the ring.
    let (s0, s5) = (SwitchId(0), SwitchId(5));
    let mut ways = BTreeMap::new();
    for (lid, _) in oracle::homes(&case.fabric, &case.lids) {
        for from in case.fabric.switch_ids() {
            let path = oracle::walk(&case.fabric, &case.lids, &lfts, from, lid);
            let path = path.expect("all are connected");
            let crosses = path.windows(2).any(|w| w == [s0, s5] || w == [s5, s0]);
            ways.insert((from, lid), SlSet::one(Sl(u8::from(crosses))));
        }
    }
    let proof = prove(
        &case.fabric,
        &case.lids,
        &lfts,
        &LaneMap::new(|sl| Vl(sl.0)),
        &ByPair(ways),
        Traffic::All,
    );
    assert_eq!(proof.vls, [Vl(0), Vl(1)]);
    assert!(proof.deadlock_free(), "{:?}", proof.circle);
}

/// An SL of its own for each pair of switch and LID.
struct ByPair(BTreeMap<(SwitchId, Lid), SlSet>);

impl PathSls for ByPair {
    fn sls(&self, from: SwitchId, to: Lid) -> SlSet {
        self.0.get(&(from, to)).copied().unwrap_or_default()
    }

    fn all(&self) -> SlSet {
        SlSet(self.0.values().fold(0, |all, sls| all | sls.0))
    }
}

#[test]
fn whole_and_broken_trees_need_one_lane() {
    for percent in [0.0, 3.0] {
        let case = Case::new(tree(FatTree::new(8, 3), percent, 5), 1);
        let lfts = case.routes("updn").lfts;
        let proof = prove(&case.fabric, &case.lids, &lfts, &OneLane, &SlSet::ALL, Traffic::All);
        assert!(proof.deadlock_free(), "{percent} % failed: {:?}", proof.circle);
        assert!(proof.waits > 0);
    }
}

#[test]
fn minhop_on_a_whole_tree_is_safe_for_hosts_but_not_between_spines() {
    let case = Case::new(tree(FatTree::new(8, 3), 0.0, 0), 0);
    let lfts = case.routes("minhop").lfts;
    let ask = |traffic| prove(&case.fabric, &case.lids, &lfts, &OneLane, &SlSet::ALL, traffic);
    assert!(ask(Traffic::EndPorts).deadlock_free());
    assert!(!ask(Traffic::All).deadlock_free());
}

#[test]
fn lanes_that_only_unused_sls_take_are_not_listed() {
    let case = Case::new(wired(&[1, 1, 1], &[(0, 1), (1, 2)]), 0);
    let lfts = case.routes("minhop").lfts;
    let map = LaneMap::new(|sl| Vl(sl.0 % 15));
    let sls = SlSet::one(Sl(3)).with(Sl(9)).with(Sl(15));
    let proof = prove(&case.fabric, &case.lids, &lfts, &map, &sls, Traffic::All);
    assert_eq!(proof.vls, [Vl(0), Vl(3), Vl(9)]);
    let dropped = LaneMap::new(|_| Vl::DROP);
    let proof = prove(&case.fabric, &case.lids, &lfts, &dropped, &sls, Traffic::All);
    assert_eq!((proof.vls, proof.waits, proof.channels), (vec![], 0, 0));
}

#[test]
fn forwarding_loops_are_no_proof() {
    let case = Case::new(wired(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]), 0);
    let mut lfts = case.routes("minhop").lfts;
    let lid = case.switch_lid(case.switch("s2"));
    // s0 sends to s1 by port 2, and s1 back to s0 by port 2.
    set(&mut lfts, case.switch("s0"), lid, 2);
    set(&mut lfts, case.switch("s1"), lid, 2);
    let proof = prove(&case.fabric, &case.lids, &lfts, &OneLane, &SlSet::one(Sl(0)), Traffic::All);
    assert_eq!(proof.loops, [lid]);
    assert!(!proof.deadlock_free());
}
