//! Tables that are written under traffic: each mixture of old and new that the order allows,
//! followed packet by packet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lk_fabric::SwitchId;
use lk_routing::Lfts;
use lk_routing::proof::change::{Change, LanesAt, Order, Stages, Why, order};
use lk_routing::proof::{AnyLanes, Lanes, OneLane, PathSls, SlSet};
use lk_wire::{Lid, PortNum, Sl, Vl};
use proptest::prelude::*;

use crate::fabrics::{Case, any_connected_wiring, wired};
use crate::oracle;
use crate::proof::{Channel, Wild};

type Edges = BTreeSet<(Channel, Channel)>;

/// The edges of all packets where each switch may use any of the tables for each of them.
fn edges(case: &Case, lfts: &[&Lfts], lanes: &[&dyn Lanes], sls: &impl PathSls) -> Edges {
    let fabric = &case.fabric;
    let mut out = Edges::new();
    for (lid, _) in oracle::homes(fabric, &case.lids) {
        let end = case.lids.port(lid).expect("the LID has a port");
        let to_switch = fabric.as_switch(fabric.owner(end)).is_some();
        for from in fabric.switch_ids() {
            let hosts = fabric.external_ports(fabric.switch_node(from)).filter(|p| {
                let far = fabric.peer(*p).map(|far| fabric.owner(far));
                far.is_some_and(|n| fabric.as_switch(n).is_none())
            });
            let own = (!to_switch).then_some(PortNum(0));
            for door in hosts.map(|p| fabric.port_num(p)).chain(own).collect::<Vec<_>>() {
                for sl in sls.sls(from, lid).iter() {
                    follow(case, lfts, lanes, (from, door), (lid, sl), &mut out);
                }
            }
        }
    }
    out
}

fn follow(
    case: &Case,
    lfts: &[&Lfts],
    lanes: &[&dyn Lanes],
    (from, door): (SwitchId, PortNum),
    (lid, sl): (Lid, Sl),
    out: &mut Edges,
) {
    let fabric = &case.fabric;
    let mut packets: Vec<(SwitchId, PortNum, Option<Channel>)> = vec![(from, door, None)];
    let mut seen = BTreeSet::new();
    while let Some((at, door, held)) = packets.pop() {
        for lfts in lfts {
            let Some(port) = lfts.port(at, lid).filter(|p| p.0 != 0) else { continue };
            let here = fabric.port_at(fabric.switch_node(at), port);
            let Some(far) = here.and_then(|p| fabric.peer(p)) else { continue };
            let next = fabric.as_switch(fabric.owner(far)).filter(|next| *next != at);
            let Some(next) = next else { continue };
            for lanes in lanes {
                let vl = lanes.lanes(at, door, port).vl(sl);
                if vl == Vl::DROP {
                    continue;
                }
                let channel = (at, port, vl);
                out.extend(held.map(|held| (held, channel)));
                if seen.insert(channel) {
                    packets.push((next, fabric.port_num(far), Some(channel)));
                }
            }
        }
    }
}

/// Takes away channels that nobody waits for until none is left, or a circle.
fn free(mut edges: Edges) -> bool {
    while !edges.is_empty() {
        let awaited: BTreeSet<Channel> = edges.iter().map(|(_, to)| *to).collect();
        let before = edges.len();
        edges.retain(|(from, _)| awaited.contains(from));
        if edges.len() == before {
            return false;
        }
    }
    true
}

/// The tables after a stage.
fn after(stages: &Stages, stage: u8, old: &Lfts, new: &Lfts) -> Lfts {
    let row = |s: usize| -> Arc<[u8]> {
        let at = |lid: usize| (SwitchId(s as u32), Lid(lid as u16));
        let entries = old.rows[s].iter().zip(new.rows[s].iter()).enumerate();
        entries.map(|(lid, (old, new))| stages.entry(stage, at(lid), *old, *new)).collect()
    };
    Lfts { top: new.top, rows: (0..old.rows.len()).map(row).collect() }
}

/// Goes through the order, step by step.
fn holds(
    case: &Case,
    (old, new): (&Lfts, &Lfts),
    (old_lanes, new_lanes): (&dyn Lanes, &dyn Lanes),
    sls: &impl PathSls,
) -> Result<Order, TestCaseError> {
    let lanes_change = !std::ptr::addr_eq(old_lanes, new_lanes);
    let change = Change {
        fabric: &case.fabric,
        lids: &case.lids,
        old,
        new,
        old_lanes: AnyLanes(old_lanes),
        new_lanes: AnyLanes(new_lanes),
        lanes_change,
        sls,
        trees: &[],
        live: &|_, _| true,
    };
    let found = order(&change);
    keeps(case, (old, new), (old_lanes, new_lanes), sls, &found)?;
    Ok(found)
}

/// Goes through an order, step by step: whether it is what the tables are like.
pub(crate) fn keeps(
    case: &Case,
    (old, new): (&Lfts, &Lfts),
    (old_lanes, new_lanes): (&dyn Lanes, &dyn Lanes),
    sls: &impl PathSls,
    found: &Order,
) -> Result<(), TestCaseError> {
    let lanes_change = !std::ptr::addr_eq(old_lanes, new_lanes);
    let is_free = |lfts: &[&Lfts], lanes: &[&dyn Lanes]| free(edges(case, lfts, lanes, sls));
    let all = is_free(&[old, new], &[old_lanes, new_lanes]);
    match found {
        Order::Nothing => prop_assert!(old == new && !lanes_change),
        Order::Any(_) => prop_assert!(all),
        Order::Unsafe(Why::Old) => prop_assert!(!is_free(&[old], &[old_lanes])),
        Order::Unsafe(Why::New) => prop_assert!(!is_free(&[new], &[new_lanes])),
        Order::Unsafe(Why::Lanes) => {
            prop_assert!(lanes_change && !is_free(&[old], &[old_lanes, new_lanes]));
        }
        Order::Staged(stages) => {
            prop_assert!(!all);
            let mut now = old.clone();
            let mut lanes = old_lanes;
            if stages.lanes == LanesAt::First {
                prop_assert!(is_free(&[&now], &[old_lanes, new_lanes]));
                lanes = new_lanes;
            }
            for stage in 0..stages.count {
                let next = after(stages, stage, &now, new);
                prop_assert!(is_free(&[&now, &next], &[lanes]), "stage {} of {:?}", stage, stages);
                now = next;
                if stages.lanes == LanesAt::After(stage) {
                    prop_assert!(is_free(&[&now], &[old_lanes, new_lanes]));
                    lanes = new_lanes;
                }
            }
            prop_assert_eq!(&now, new);
            prop_assert!(std::ptr::addr_eq(lanes, new_lanes));
        }
    }
    Ok(())
}

fn updn(case: &mut Case, root: usize) -> Lfts {
    let node = case.fabric.switch_node(SwitchId(root as u32));
    case.options.roots = Some(vec![case.fabric.node(node).guid]);
    case.routes("updn").lfts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// From the law of one root to that of another, and between any tables.
    #[test]
    fn each_stage_is_free_of_circles(wiring in any_connected_wiring(), minhop in any::<bool>()) {
        let mut case = Case::new(wiring.fabric(), 0);
        let old = updn(&mut case, 0);
        let last = case.fabric.switches().len() - 1;
        let new = if minhop { case.routes("minhop").lfts } else { updn(&mut case, last) };
        holds(&case, (&old, &new), (&OneLane, &OneLane), &SlSet::one(Sl(0)))?;
    }

    /// SL2VL tables change as well.
    #[test]
    fn lanes_change_where_it_is_safe(wiring in any_connected_wiring(), seed in any::<u64>()) {
        let mut case = Case::new(wiring.fabric(), 0);
        let (old, new) = (updn(&mut case, 0), case.routes("minhop").lfts);
        let wild = Wild { seed, lanes: 3 };
        holds(&case, (&old, &new), (&OneLane, &wild), &wild)?;
        holds(&case, (&old, &old), (&wild, &OneLane), &wild)?;
    }
}

/// Six switches in a ring, from the law of one root to that of the opposite one.
#[test]
fn the_root_of_a_ring_moves_in_stages() {
    let cables: Vec<(usize, usize)> = (0..6).map(|n| (n, (n + 1) % 6)).collect();
    let mut case = Case::new(wired(&[1; 6], &cables), 0);
    let (old, new) = (updn(&mut case, 0), updn(&mut case, 3));
    let sls = SlSet::one(Sl(0));
    let found = holds(&case, (&old, &new), (&OneLane, &OneLane), &sls).expect("it holds");
    let Order::Staged(stages) = found else { panic!("{found:?}") };
    assert!(stages.count >= 2, "{stages:?}");
    let mut of: BTreeMap<u8, usize> = BTreeMap::new();
    for (_, lid, _) in case.lids.ranges() {
        *of.entry(stages.of(SwitchId(0), *lid)).or_default() += 1;
    }
    assert!(of.len() >= 2, "{of:?}");
}

/// Where links carry nothing yet, tables may be written as they come.
#[test]
fn a_fabric_that_carries_nothing_has_nothing_to_fear() {
    let cables: Vec<(usize, usize)> = (0..6).map(|n| (n, (n + 1) % 6)).collect();
    let mut case = Case::new(wired(&[1; 6], &cables), 0);
    let (old, new) = (updn(&mut case, 0), updn(&mut case, 3));
    let change = Change {
        fabric: &case.fabric,
        lids: &case.lids,
        old: &old,
        new: &new,
        old_lanes: AnyLanes(&OneLane),
        new_lanes: AnyLanes(&OneLane),
        lanes_change: false,
        sls: &SlSet::one(Sl(0)),
        trees: &[],
        live: &|_, _| false,
    };
    assert_eq!(order(&change), Order::Nothing);
}
