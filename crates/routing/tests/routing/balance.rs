//! No uplink carries more than 1.2 times its share: on trees of two to four levels, with LMC, with
//! failed links.
//!
//! The share of an uplink is the number of LIDs of end ports to which traffic really leaves its
//! switch upwards, divided by the switch's uplinks and rounded up.

use std::collections::{BTreeMap, BTreeSet};

use lk_fabric::SwitchId;
use lk_fabric::topo::FatTree;
use lk_routing::{Hops, Routes, quality};
use lk_wire::{Lid, PortNum};

use crate::fabrics::{Case, tree};
use crate::keep::{between_switches, without};
use crate::oracle;

const ENGINES: [&str; 2] = ["minhop", "updn"];

#[test]
fn whole_trees_are_shared_out_exactly() {
    for (radix, levels) in [(8, 2), (24, 2), (4, 3), (8, 3), (12, 3), (4, 4), (8, 4)] {
        for lmc in 0..3 {
            let case = Case::new(tree(FatTree::new(radix, levels), 0.0, 0), lmc);
            for engine in ENGINES {
                let routes = case.routes(engine);
                let q = quality(&case.fabric, &case.lids, &routes.lfts);
                assert_eq!(q.levels.len(), 2 * (usize::from(levels) - 1));
                for l in &q.levels {
                    let what = format!("{engine} {radix} {levels} LMC {lmc}: {l:?}");
                    assert!((f64::from(l.max_lids) - l.mean_lids).abs() < 1e-9, "{what}");
                    assert!((l.max_routes as f64 - l.mean_routes).abs() < 1e-6, "{what}");
                }
            }
        }
    }
}

#[test]
fn the_tree_of_36_ports_that_opensm_routes_over_one_uplink_in_18() {
    let case = Case::new(tree(FatTree::new(36, 3), 0.0, 0), 0);
    for engine in ENGINES {
        let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
        let middle = q.levels.iter().find(|l| l.level == 1 && l.up).expect("there are uplinks");
        assert_eq!((middle.links, middle.max_lids), (324 * 18, 17), "{engine}");
        assert_eq!((q.broken, q.max_hops), (0, 4));
    }
}

#[test]
fn trees_that_are_not_full_are_shared_out_too() {
    let shapes = [
        FatTree { hosts: Some(3), ..FatTree::new(8, 3) },
        FatTree { oversubscription: (3, 1), ..FatTree::new(16, 3) },
        FatTree { oversubscription: (2, 1), ..FatTree::new(12, 2) },
        FatTree { full_roots: true, ..FatTree::new(12, 3) },
    ];
    for shape in shapes {
        for lmc in [0, 1] {
            let case = Case::new(tree(shape.clone(), 0.0, 0), lmc);
            for engine in ENGINES {
                let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
                let worst = q.worst_uplink.expect("it is a tree");
                assert!(worst.excess() <= 1.2, "{engine} LMC {lmc} {shape:?}: {worst:?}");
            }
        }
    }
}

#[test]
fn failed_links_leave_the_rest_evenly_loaded() {
    for (radix, levels, percent) in [(24, 2, 5.0), (16, 3, 1.0), (16, 3, 3.0), (8, 4, 2.0)] {
        for seed in 1..4 {
            for lmc in 0..2 {
                let case = Case::new(tree(FatTree::new(radix, levels), percent, seed), lmc);
                for engine in ENGINES {
                    let routes = case.routes(engine);
                    for up in uplinks(&case, &routes) {
                        let share = up.share();
                        // One LID more than the share is as near as whole LIDs get to it.
                        let limit = (share * 12 / 10).max(share + 1);
                        assert!(
                            up.most <= limit || up.most <= up.best_possible(&case) + 1,
                            "{engine} {radix} {levels} LMC {lmc} {percent} % seed {seed}: {} LIDs \
                             on a link of {:?}, share {share}",
                            up.most,
                            up.switch
                        );
                    }
                }
            }
        }
    }
}

/// A link that fails at the top of the tree leaves one LID of each leaf switch's subtree without
/// its way. Other switches share what comes of it.
#[test]
fn one_failed_link_doubles_no_load() {
    let base = tree(FatTree::new(24, 3), 0.0, 1);
    let cables = between_switches(&base);
    for cable in [cables[7], cables[cables.len() - 7]] {
        let mut case = Case::new(without(&base, &BTreeSet::from([cable])), 0);
        case.options.roots = Some(named_roots(&case.fabric));
        for engine in ENGINES.into_iter().chain(["sssp", "ftree"]) {
            let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
            let (most, mean) = (q.max_routes_per_link() as f64, q.mean_routes_per_link());
            assert!(most < 1.2 * mean, "{engine}: {most} and {mean}");
        }
    }
}

/// The switches at the top.
fn named_roots(fabric: &lk_fabric::Fabric) -> Vec<lk_wire::Guid> {
    let nodes = fabric.switch_ids().map(|s| fabric.node(fabric.switch_node(s)));
    nodes.filter(|node| node.description.starts_with("L2")).map(|node| node.guid).collect()
}

#[test]
fn failed_links_in_a_large_tree() {
    for (percent, seed, lmc) in [(1.0, 1, 0), (3.0, 2, 1), (5.0, 3, 0)] {
        let case = Case::new(tree(FatTree::new(36, 3), percent, seed), lmc);
        for engine in ENGINES {
            let q = quality(&case.fabric, &case.lids, &case.routes(engine).lfts);
            let worst = q.worst_uplink.expect("it is a tree");
            assert!(worst.excess() <= 1.2, "{engine} {percent} %: {worst:?}");
            assert_eq!((q.broken, q.max_hops), (0, 4), "{engine} {percent} %");
            // Traffic for one LID stays together: few links carry it down to its leaf.
            let last = q.levels.iter().find(|l| l.level == 1 && !l.up).expect("a tree");
            assert!(last.mean_lids < 4.0 * f64::from(1 << lmc), "{engine} {percent} %: {last:?}");
        }
    }
}

#[test]
fn the_lids_of_a_port_take_different_spines() {
    for levels in [2, 3] {
        let case = Case::new(tree(FatTree::new(8, levels), 0.0, 0), 2);
        for engine in ENGINES {
            let lfts = case.routes(engine).lfts;
            for (end, base, lmc) in case.lids.ranges().iter().filter(|(_, _, lmc)| *lmc > 0) {
                let home = oracle::home(&case.fabric, *end).expect("it has a switch");
                // A leaf of another subtree, for which the way is over the top.
                let from = case.switch(if home == case.switch("L0-0") { "L0-3" } else { "L0-0" });
                let tops: BTreeSet<SwitchId> = (0..1 << lmc)
                    .map(|offset| {
                        let lid = Lid(base.0 + offset);
                        let path = oracle::walk(&case.fabric, &case.lids, &lfts, from, lid);
                        let path = path.expect("it arrives");
                        path[path.len() / 2]
                    })
                    .collect();
                assert_eq!(tops.len(), 4, "{engine}, {levels} levels, LID {base}");
            }
        }
    }
}

/// The uplinks of one switch and the LIDs that use them.
struct Uplinks {
    switch: SwitchId,
    ports: Vec<PortNum>,
    most: usize,
    lids: BTreeSet<Lid>,
}

impl Uplinks {
    fn share(&self) -> usize {
        self.lids.len().div_ceil(self.ports.len())
    }

    /// The least that the fullest uplink can carry: a LID may only take the ports that keep its
    /// way short. Found by moving LIDs from full ports to others for as long as that helps.
    fn best_possible(&self, case: &Case) -> usize {
        let hops = Hops::new(&case.fabric);
        let may = |lid: Lid| -> Vec<usize> {
            let end = case.lids.port(lid).expect("the LID has a port");
            let to = oracle::home(&case.fabric, end).expect("it has a switch");
            let least = hops.between(self.switch, to);
            (0..self.ports.len())
                .filter(|p| hops.via(self.switch, self.ports[*p], to) == least)
                .collect()
        };
        let may: Vec<Vec<usize>> = self.lids.iter().map(|lid| may(*lid)).collect();
        let fits = |limit: usize| {
            let mut holds = vec![Vec::new(); self.ports.len()];
            (0..may.len()).all(|lid| {
                let mut tried = vec![false; holds.len()];
                place(lid, &may, limit, &mut holds, &mut tried)
            })
        };
        (self.share()..).find(|limit| fits(*limit)).expect("all on one port fits")
    }
}

fn place(
    lid: usize,
    may: &[Vec<usize>],
    limit: usize,
    holds: &mut [Vec<usize>],
    tried: &mut [bool],
) -> bool {
    for port in &may[lid] {
        if std::mem::replace(&mut tried[*port], true) {
            continue;
        }
        if holds[*port].len() < limit {
            holds[*port].push(lid);
            return true;
        }
        for at in 0..limit {
            if place(holds[*port][at], may, limit, holds, tried) {
                holds[*port][at] = lid;
                return true;
            }
        }
    }
    false
}

/// The uplinks of a fat-tree that carry anything, found by walking from each leaf to each LID.
fn uplinks(case: &Case, routes: &Routes) -> Vec<Uplinks> {
    let fabric = &case.fabric;
    let level = |s: SwitchId| fabric.node(fabric.switch_node(s)).description.as_bytes()[1];
    let mut used: BTreeMap<(SwitchId, PortNum), BTreeSet<Lid>> = BTreeMap::new();
    for (lid, _) in oracle::homes(fabric, &case.lids) {
        let end = case.lids.port(lid).expect("the LID has a port");
        if fabric.as_switch(fabric.owner(end)).is_some() {
            continue;
        }
        for from in fabric.switch_ids().filter(|s| level(*s) == b'0') {
            let Some(path) = oracle::walk(fabric, &case.lids, &routes.lfts, from, lid) else {
                continue;
            };
            for step in path.windows(2).filter(|w| level(w[1]) > level(w[0])) {
                let port = routes.lfts.port(step[0], lid).expect("the walk came by here");
                used.entry((step[0], port)).or_default().insert(lid);
            }
        }
    }
    let mut out: BTreeMap<SwitchId, Uplinks> = BTreeMap::new();
    for (switch, port, peer) in oracle::links(fabric) {
        if level(peer) < level(switch) {
            continue;
        }
        let port = fabric.port_num(port);
        let lids = used.remove(&(switch, port)).unwrap_or_default();
        let new = || Uplinks { switch, ports: Vec::new(), most: 0, lids: BTreeSet::new() };
        let entry = out.entry(switch).or_insert_with(new);
        entry.ports.push(port);
        entry.most = entry.most.max(lids.len());
        entry.lids.extend(lids);
    }
    out.into_values().filter(|u| !u.lids.is_empty()).collect()
}
