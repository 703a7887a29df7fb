//! Turns that close no circle, one after the other.
//!
//! Links are kept in an order in which each turn leads to a later one. A turn that fits the order
//! joins at once. For one that does not, the links between its ends are searched: either it closes
//! a circle, and never can join as long as the others stay, or the order is mended (Pearce and
//! Kelly, 2006). What was found out once is remembered, so that asking again costs nothing.

use super::turn_set::TurnSet;
use super::turns::Turns;

/// What became of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It was there before.
    Had,
    /// It has joined.
    Joined,
    /// It would close a circle.
    Barred,
}

/// A lane.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    used: TurnSet,
    barred: TurnSet,
    /// For each link its place in the order.
    ranks: Vec<u32>,
    /// Links seen by a search: those with the number of the last one.
    seen: Vec<u32>,
    search: u32,
    ahead: Vec<u32>,
    behind: Vec<u32>,
    stack: Vec<u32>,
}

impl Lane {
    /// A lane without turns. `ranks` is an order of the links that most turns will follow.
    pub(crate) fn new(turns: &Turns<'_>, ranks: Vec<u32>) -> Self {
        Self {
            used: TurnSet::new(turns.len()),
            barred: TurnSet::new(turns.len()),
            seen: vec![0; ranks.len()],
            ranks,
            search: 0,
            ahead: Vec::new(),
            behind: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Whether a turn is in use.
    pub(crate) fn has(&self, turn: usize) -> bool {
        self.used.has(turn)
    }

    /// Whether a turn is known to close a circle.
    pub(crate) fn bars(&self, turn: usize) -> bool {
        self.barred.has(turn)
    }

    /// Takes turns out. What they barred may join again.
    pub(crate) fn keep(&mut self, turns: TurnSet) {
        self.used = turns;
        self.barred.clear();
    }

    /// Takes a turn out again that has just joined. What was barred on its account stays so.
    pub(crate) fn take_back(&mut self, turn: usize) {
        self.used.remove(turn);
    }

    /// Lets a turn join unless it closes a circle.
    pub(crate) fn admit(&mut self, turns: &Turns<'_>, turn: usize) -> Verdict {
        if self.used.has(turn) {
            return Verdict::Had;
        }
        if self.barred.has(turn) {
            return Verdict::Barred;
        }
        if self.fits(turns, turn) {
            self.used.add(turn);
            return Verdict::Joined;
        }
        self.barred.add(turn);
        Verdict::Barred
    }

    /// The turns in use.
    pub(crate) const fn used(&self) -> &TurnSet {
        &self.used
    }

    /// Whether a turn closes no circle. The order is mended for it.
    fn fits(&mut self, turns: &Turns<'_>, turn: usize) -> bool {
        let (from, to) = turns.ends(turn);
        let (low, high) = (self.ranks[to], self.ranks[from]);
        if high < low {
            return true;
        }
        if from == to || !self.look_ahead(turns, to, from, high) {
            return false;
        }
        self.look_behind(turns, from, low);
        self.mend();
        true
    }

    /// Collects what can be reached from a link up to a rank; `false` if that is `goal` too.
    fn look_ahead(&mut self, turns: &Turns<'_>, start: usize, goal: usize, high: u32) -> bool {
        self.begin(start);
        self.ahead.clear();
        while let Some(link) = self.stack.pop() {
            self.ahead.push(link);
            let (after, first) = turns.after(link as usize);
            for (turn, next) in after.zip(first..) {
                if self.used.has(turn) && self.ranks[next] <= high && self.visit(next) {
                    if next == goal {
                        return false;
                    }
                    self.stack.push(next as u32);
                }
            }
        }
        true
    }

    /// Collects what leads to a link from a rank on.
    fn look_behind(&mut self, turns: &Turns<'_>, start: usize, low: u32) {
        self.begin(start);
        self.behind.clear();
        while let Some(link) = self.stack.pop() {
            self.behind.push(link);
            for (turn, last) in turns.before(link as usize) {
                if self.used.has(turn) && self.ranks[last] >= low && self.visit(last) {
                    self.stack.push(last as u32);
                }
            }
        }
    }

    /// Puts all that was found behind before all that was found ahead, at the same ranks.
    fn mend(&mut self) {
        let ranks = &mut self.ranks;
        self.ahead.sort_unstable_by_key(|l| ranks[*l as usize]);
        self.behind.sort_unstable_by_key(|l| ranks[*l as usize]);
        let links = || self.behind.iter().chain(&self.ahead);
        let mut places: Vec<u32> = links().map(|l| ranks[*l as usize]).collect();
        places.sort_unstable();
        for (link, rank) in links().zip(places) {
            ranks[*link as usize] = rank;
        }
    }

    fn begin(&mut self, start: usize) {
        if self.search == u32::MAX {
            self.seen.fill(0);
            self.search = 0;
        }
        self.search += 1;
        self.stack.clear();
        self.stack.push(start as u32);
        self.seen[start] = self.search;
    }

    fn visit(&mut self, link: usize) -> bool {
        let fresh = self.seen[link] != self.search;
        self.seen[link] = self.search;
        fresh
    }
}
