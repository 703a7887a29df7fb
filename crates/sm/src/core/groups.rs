//! Multicast between heavy sweeps: joins and leaves are collected for a moment, then trees and
//! tables of the LIDs concerned are made anew, and nothing else is looked at.

use super::*;
use crate::decide::Partitions;
use crate::multicast::Memberships;

/// How long it has to be quiet before trees are made.
const QUIET: Duration = Duration::millis(50);
/// How long the first change waits at most.
const PATIENCE: Duration = Duration::millis(500);

/// Changes that wait for their trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    first: Instant,
    last: Instant,
}

/// A change of trees under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    /// When the next sweep is due.
    sweep_at: Option<Instant>,
}

impl Sm {
    /// Somebody came or went.
    pub(super) fn groups_changed(&mut self) {
        let first = self.groups_due.map_or(self.now, |due| due.first);
        self.groups_due = Some(Due { first, last: self.now });
    }

    /// When trees are to be made.
    pub(super) fn groups_at(&self) -> Option<Instant> {
        let due = self.groups_due?;
        Some((due.last + QUIET).min(due.first + PATIENCE))
    }

    /// Brings the groups in line with what was found, and says who is in them.
    pub(super) fn settle_groups(&mut self, seen: &Observed) -> Memberships {
        self.groups_due = None;
        let settings = Arc::clone(&self.settings);
        let partitions = Partitions::of(seen, &settings);
        let (traps, faults, members) = self.sa.settle_groups(seen, &partitions, &settings);
        // What cannot be made is said once, not at each sweep.
        if faults != self.groups_not_made {
            self.groups_not_made.clone_from(&faults);
            for fault in faults {
                self.event(Event::GroupNotMade { mgid: fault.mgid, why: fault.why });
            }
        }
        for trap in traps {
            self.sa.tell(&trap);
        }
        members
    }

    /// Has trees made for what has changed, if it is time. `false`: it is not.
    pub(super) fn start_trees(&mut self) -> bool {
        let due = self.groups_at().is_some_and(|at| at <= self.now);
        let (Stage::Idle { sweep_at }, true) = (&self.stage, due) else { return false };
        let sweep_at = *sweep_at;
        self.groups_due = None;
        let (Some(seen), Some(desired)) = (&self.seen, &self.desired) else { return false };
        if self.state != SmState::Master || desired.routes.is_none() {
            return false;
        }
        let groups = self.sa.group_changes();
        self.quick = Some(Quick { sweep_at });
        (self.failed, self.tolerated) = (0, 0);
        self.job += 1;
        self.out.push_back(Output::Job(Job {
            number: self.job,
            seen: Arc::clone(seen),
            settings: Arc::clone(&self.settings),
            previous: Some(Arc::clone(desired)),
            groups,
            compared: None,
        }));
        self.stage = Stage::Decide;
        true
    }

    /// The trees are written.
    pub(super) fn trees_over(&mut self) {
        let Some(quick) = self.quick.take() else { return };
        self.unfinished |= self.failed > 0;
        if let (Some(seen), Some(desired)) = (&self.seen, &self.desired) {
            let view = View {
                seen: Arc::clone(seen),
                desired: Arc::clone(desired),
                settings: Arc::clone(&self.settings),
                figures: self.figures.clone(),
            };
            let view = Arc::new(view);
            self.serve(Arc::clone(&view));
            self.out.push_back(Output::Groups(view));
        }
        match self.wanted.take() {
            Some(reason) => self.start_sweep(reason),
            None => self.stage = Stage::Idle { sweep_at: quick.sweep_at },
        }
    }
}
