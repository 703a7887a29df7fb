//! Growing a tree: its root and the ways to the members.

use std::collections::BTreeMap;

use lk_fabric::SwitchId;
use lk_wire::PortNum;

use super::tree::{Member, Tree, Up};
use crate::hops::Hops;

/// What trees are grown by.
#[derive(Clone, Debug)]
pub struct Grower {
    hops: Hops,
    /// Whether a switch has a multicast forwarding table.
    capable: Vec<bool>,
    /// The root that is wanted (`mcast_primary_root_guid`), where it will do.
    wanted_root: Option<SwitchId>,
}

/// A tree, and members that it does not reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grown {
    /// The tree; none where no switch reaches any member.
    pub tree: Option<Tree>,
    /// Switches with members that cannot be reached from the root.
    pub lost: Vec<SwitchId>,
}

/// A switch with members, and the hops from it to the farthest of them: 1 to a host, 0 to its own
/// port 0.
type Homes = BTreeMap<SwitchId, u16>;

fn homes(members: &[Member]) -> Homes {
    let mut homes = Homes::new();
    for (switch, port) in members {
        let far = homes.entry(*switch).or_default();
        *far = (*far).max(u16::from(port.0 != 0));
    }
    homes
}

impl Grower {
    /// Grows trees by these distances. Those of a fabric in which some switches cannot forward
    /// multicast are made by [`Hops::among`].
    #[must_use]
    pub fn new(hops: Hops, capable: Vec<bool>, wanted_root: Option<SwitchId>) -> Self {
        Self { hops, capable, wanted_root }
    }

    fn can(&self, switch: SwitchId) -> bool {
        self.capable.get(switch.index()).copied().unwrap_or(false)
    }

    /// How far the farthest member is from a switch; none where one is not reached.
    fn reach(&self, root: SwitchId, homes: &Homes) -> Option<u16> {
        let far =
            |(home, own): (&SwitchId, &u16)| Some(u16::from(self.hops.between(root, *home)?) + own);
        homes.iter().map(far).try_fold(0, |most, hops| Some(most.max(hops?)))
    }

    /// The first switch from which the farthest member is nearest. Where none reaches all, the one
    /// that reaches most.
    fn root(&self, homes: &Homes) -> Option<SwitchId> {
        let all = (0..self.capable.len() as u32).map(SwitchId).filter(|s| self.can(*s));
        let whole = all.clone().filter_map(|s| Some((self.reach(s, homes)?, s)));
        if let Some((_, root)) = whole.min() {
            return Some(root);
        }
        let reached = |s: SwitchId| {
            homes.keys().filter(|h| self.can(**h) && self.hops.between(s, **h).is_some()).count()
        };
        all.map(|s| (std::cmp::Reverse(reached(s)), s)).min().map(|(_, s)| s)
    }

    /// The tree for a group. Of one that stands, as much is kept as serves; `reroot` lets another
    /// root take the place of its root where that is nearer to the members.
    #[must_use]
    pub fn tree(&self, members: &[Member], old: Option<&Tree>, reroot: bool) -> Grown {
        let mut homes = homes(members);
        let mut lost: Vec<SwitchId> = homes.keys().copied().filter(|h| !self.can(*h)).collect();
        homes.retain(|home, _| self.can(*home));
        let Some(root) = self.choose_root(&homes, old.map(|t| t.root), reroot) else {
            return Grown { tree: None, lost };
        };
        let old = old.filter(|tree| tree.root == root);
        let mut tree = Tree::new(root);
        let mut rest = Vec::new();
        for home in homes.keys() {
            if !old.is_some_and(|old| self.keep(&mut tree, old, *home, reroot)) {
                rest.push(*home);
            }
        }
        for home in rest {
            if !self.join(&mut tree, home) {
                lost.push(home);
            }
        }
        lost.sort_unstable();
        Grown { tree: Some(tree), lost }
    }

    fn choose_root(&self, homes: &Homes, old: Option<SwitchId>, reroot: bool) -> Option<SwitchId> {
        if homes.is_empty() {
            return None;
        }
        let serves = |s: &SwitchId| self.can(*s) && self.reach(*s, homes).is_some();
        if let Some(wanted) = self.wanted_root.filter(serves) {
            return Some(wanted);
        }
        let Some(old) = old.filter(serves) else { return self.root(homes) };
        if !reroot {
            return Some(old);
        }
        let best = self.root(homes)?;
        let is_nearer = self.reach(best, homes) < self.reach(old, homes);
        Some(if is_nearer { best } else { old })
    }

    /// Takes over the old tree's way to a switch. `false`: it is broken, or longer than needed
    /// where that counts.
    fn keep(&self, tree: &mut Tree, old: &Tree, home: SwitchId, shortest: bool) -> bool {
        let mut way = Vec::new();
        let mut at = home;
        while !tree.has(at) {
            let Some(up) = old.up.get(&at).filter(|up| self.stands(at, up)) else { return false };
            way.push((at, *up));
            at = up.parent;
            if way.len() > self.capable.len() {
                return false;
            }
        }
        let least = self.hops.between(tree.root, home);
        if shortest && least.is_none_or(|least| way.len() + depth(tree, at) > usize::from(least)) {
            return false;
        }
        tree.up.extend(way);
        true
    }

    /// Whether a link is still there.
    fn stands(&self, switch: SwitchId, up: &Up) -> bool {
        let link = |from: SwitchId, port: PortNum| {
            let graph = self.hops.graph();
            graph.link_at(from.index(), port).map(|at| graph.links(from.index())[at])
        };
        switch.index() < self.capable.len()
            && link(switch, up.own)
                .is_some_and(|l| (l.peer, l.peer_port) == (up.parent, up.parents))
    }

    /// Leads the tree to a switch by the first shortest way.
    fn join(&self, tree: &mut Tree, home: SwitchId) -> bool {
        let graph = self.hops.graph();
        let mut at = tree.root;
        let mut way: Vec<(SwitchId, Up)> = Vec::new();
        while at != home {
            let Some(least) = self.hops.between(at, home) else { return false };
            let next = graph
                .links(at.index())
                .iter()
                .find(|l| self.hops.via(at, l.port, home).is_some_and(|h| h <= least));
            let Some(link) = next.filter(|_| way.len() <= graph.len()) else { return false };
            if tree.has(link.peer) {
                way.clear();
            } else {
                let up = Up { parent: at, own: link.peer_port, parents: link.port };
                way.push((link.peer, up));
            }
            at = link.peer;
        }
        tree.up.extend(way);
        true
    }
}

/// Links from a switch of the tree to its root.
fn depth(tree: &Tree, mut at: SwitchId) -> usize {
    let mut depth = 0;
    while let Some(up) = tree.up.get(&at) {
        at = up.parent;
        depth += 1;
    }
    depth
}
