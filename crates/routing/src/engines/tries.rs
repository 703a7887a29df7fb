//! Several sets of shortest paths, and the lanes that each of them takes.

use rayon::prelude::*;

use crate::deps::assign::{Assigned, Paths};
use crate::deps::escape::Escape;
use crate::deps::turns::Turns;
use crate::deps::walk::Nearest;
use crate::graph::Graph;
use crate::job::RouteJob;
use crate::multicast::MasterTree;
use crate::sssp::fill::{Filled, fill, fill_spread};
use crate::sssp::straight::{Ties, straight};
use crate::targets::Targets;

/// Paths and their lanes.
pub(super) struct Try {
    pub(super) filled: Filled,
    pub(super) assigned: Assigned,
}

/// What all tries on a fabric share.
pub(super) struct Tries<'a> {
    job: &'a RouteJob<'a>,
    graph: &'a Graph,
    targets: &'a Targets,
    turns: Turns<'a>,
    nearest: Nearest,
    tree: Escape,
}

/// What is asked of lanes beside that they have no circles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    /// Both paths between two switches are on one lane.
    pub(super) pairs: bool,
    /// The first lane has room for packets to multicast groups.
    pub(super) groups: bool,
}

impl<'a> Tries<'a> {
    pub(super) fn new(job: &'a RouteJob<'a>, graph: &'a Graph, targets: &'a Targets) -> Self {
        let (turns, nearest) = (Turns::new(graph), Nearest::new(graph));
        Self { job, graph, targets, turns, nearest, tree: Escape::new(graph) }
    }

    /// The paths with the best balance.
    pub(super) fn even(&self) -> Filled {
        fill(self.job, self.graph, self.targets)
    }

    /// Paths that make few turns.
    pub(super) fn spread(&self) -> Filled {
        fill_spread(self.job, self.graph, self.targets)
    }

    /// The tree of multicast groups, where the lanes have room for them.
    pub(super) fn master_tree(&self, assigned: &Assigned) -> Option<MasterTree> {
        self.tree.master_tree(self.graph).filter(|_| assigned.groups)
    }

    /// Looks for up to `most` lanes for some paths.
    pub(super) fn one(&self, filled: Filled, wish: Wish, most: usize) -> Try {
        self.assign(filled, wish, false, most)
    }

    fn assign(&self, mut filled: Filled, wish: Wish, steers: bool, most: usize) -> Try {
        let columns = &filled.columns;
        let to_switch = columns.lids.iter().map(|lid| {
            let end = self.job.lids.port(*lid);
            end.is_some_and(|end| self.job.fabric.as_switch(self.job.fabric.owner(end)).is_some())
        });
        let to_switch = to_switch.collect();
        let (graph, turns, nearest) = (self.graph, &self.turns, &self.nearest);
        let Wish { pairs, groups } = wish;
        let tree = groups.then_some(&self.tree);
        let paths = Paths { graph, turns, nearest, columns, to_switch, pairs, tree, steers };
        let assigned = paths.assign(most);
        filled.redirect(self.graph, &assigned.moves);
        Try { filled, assigned }
    }

    /// The best of some paths and of three other ways to choose them, unless one lane is enough for
    /// the first ones. `rank` is given what the fullest link of the first ones carries, and a try;
    /// one that takes more lanes than the first ones must not rank before them if these fit into
    /// `have` lanes. Ways with a link that carries more than `fair` makes of the fullest one are
    /// only looked at if none of the others fits.
    pub(super) fn best<R: Ord>(
        &self,
        filled: Filled,
        wish: Wish,
        have: usize,
        fair: impl Fn(u64) -> u64,
        rank: impl Fn(u64, &Try) -> R,
    ) -> Try {
        let first = self.assign(filled, wish, true, have);
        if first.assigned.count == 1 {
            return first;
        }
        let (even, most) = (first.filled.fullest(), have.min(first.assigned.count));
        let steered = || {
            let mut filled = first.filled.clone();
            filled.steer(self.graph, &self.turns, &first.assigned.first);
            filled
        };
        let pick = |best: Try, others: Vec<Filled>| {
            let tries = others.into_par_iter().map(|filled| self.one(filled, wish, most));
            let tries: Vec<Try> = tries.collect();
            tries.into_iter().fold(best, |best, other| {
                if rank(even, &other) < rank(even, &best) { other } else { best }
            })
        };
        let others: [&(dyn Fn() -> Filled + Sync); 3] =
            [&|| self.by_ports(Ties::Shared), &|| self.by_ports(Ties::Lowest), &steered];
        let mut others: Vec<Filled> = others.into_par_iter().map(|other| other()).collect();
        // What one way to choose finds, another often finds as well.
        for at in (0..others.len()).rev() {
            let is_same = |other: &Filled| other.columns.cells == others[at].columns.cells;
            if is_same(&first.filled) || others[..at].iter().any(is_same) {
                others.remove(at);
            }
        }
        let (fair, unfair): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|other| other.fullest() <= fair(even));
        let best = pick(first, fair);
        if best.assigned.count <= have { best } else { pick(best, unfair) }
    }

    fn by_ports(&self, ties: Ties) -> Filled {
        let mut filled = Filled::new(self.job, self.graph, self.targets);
        straight(self.graph, &mut filled, ties);
        filled
    }
}
