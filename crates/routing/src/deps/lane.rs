//! Turns that close no circle, one after the other.
//!
//! Links are kept in an order in which each turn leads to a later one. A turn that fits the order
//! joins at once. For one that does not, the links between its ends are searched, forward from one
//! end and backward from the other, a bit of each in turn: if they meet, it closes a circle, and
//! never can join as long as the others stay; if one of them is through, the order is mended by
//! moving what it found. What was found out once is remembered, so that asking again costs nothing;
//! and where many turns close circles, all that do are found at once now and then.

use super::circles::circles;
use super::sequence::Sequence;
use super::turn_set::TurnSet;
use super::turns::Turns;

/// A survey costs as much as looking at so many links one by one does: one for each of so many
/// pairs of a turn in use and a link.
const PRICE: usize = 1024;

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
    /// The same turns, each by the number of the one that goes the other way.
    reversed: TurnSet,
    barred: TurnSet,
    /// The links in their order, each with the mark of the search that has seen it last.
    row: Sequence,
    /// The mark of the last search forward; that of the search backward is one more.
    mark: u32,
    ahead: Vec<u32>,
    behind: Vec<u32>,
    /// How many turns are in use.
    size: usize,
    /// How much was looked at in vain since the last survey.
    spent: usize,
}

impl Lane {
    /// A lane without turns. `ranks` is an order of the links that most turns will follow.
    pub(crate) fn new(turns: &Turns<'_>, ranks: &[u32]) -> Self {
        Self {
            used: TurnSet::new(turns.len()),
            reversed: TurnSet::new(turns.len()),
            barred: TurnSet::new(turns.len()),
            row: Sequence::new(ranks),
            mark: 0,
            ahead: Vec::new(),
            behind: Vec::new(),
            size: 0,
            spent: 0,
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

    /// Keeps only these of the turns in use. What the others barred may join again.
    pub(crate) fn keep(&mut self, turns: &Turns<'_>, kept: TurnSet) {
        self.used = kept;
        self.reversed.clear();
        self.size = 0;
        for link in 0..turns.links() {
            let (after, first) = turns.after(link);
            for turn in self.used.within(after.clone()) {
                self.reversed.add(turns.reversed(link, first + turn - after.start));
                self.size += 1;
            }
        }
        self.barred.clear();
    }

    /// Finds out at once which of all turns close a circle, if that takes less than it has taken
    /// of late to find it out one by one. Not to be asked while turns may be taken back.
    pub(crate) fn survey(&mut self, turns: &Turns<'_>) {
        if self.spent > self.size.max(turns.links()) * turns.links() / PRICE {
            self.spent = 0;
            for turn in circles(turns, &self.used, &self.links()) {
                self.barred.add(turn as usize);
            }
        }
    }

    /// Takes a turn out again that has just joined. What was barred on its account stays so.
    pub(crate) fn take_back(&mut self, turns: &Turns<'_>, turn: usize) {
        let (from, to) = turns.ends(turn);
        self.size -= 1;
        self.used.remove(turn);
        self.reversed.remove(turns.reversed(from, to));
    }

    /// Lets a turn join unless it closes a circle.
    pub(crate) fn admit(&mut self, turns: &Turns<'_>, turn: usize) -> Verdict {
        if self.used.has(turn) {
            return Verdict::Had;
        }
        if self.barred.has(turn) {
            return Verdict::Barred;
        }
        let (from, to) = turns.ends(turn);
        if self.fits(turns, from, to) {
            self.size += 1;
            self.used.add(turn);
            self.reversed.add(turns.reversed(from, to));
            return Verdict::Joined;
        }
        self.barred.add(turn);
        Verdict::Barred
    }

    /// All links in an order that the turns in use follow.
    pub(super) fn links(&self) -> Vec<u32> {
        self.row.links().collect()
    }

    /// The turns in use.
    pub(crate) const fn used(&self) -> &TurnSet {
        &self.used
    }

    /// Whether a turn closes no circle. The order is mended for it.
    fn fits(&mut self, turns: &Turns<'_>, from: usize, to: usize) -> bool {
        let (low, high) = (self.row.label(to), self.row.label(from));
        if high < low {
            return true;
        }
        if from == to {
            return false;
        }
        self.begin(from, to);
        let (mut at_ahead, mut at_behind) = (0, 0);
        let (mut looked_ahead, mut looked_behind) = (0, 0);
        loop {
            if looked_ahead <= looked_behind {
                let Some(link) = self.ahead.get(at_ahead) else {
                    self.row.put_behind(&mut self.ahead, from);
                    return true;
                };
                at_ahead += 1;
                let Some(looked) = self.look_ahead(turns, *link as usize, high) else {
                    self.spent += looked_ahead + looked_behind;
                    return false;
                };
                looked_ahead += looked;
            } else {
                let Some(link) = self.behind.get(at_behind) else {
                    self.row.put_before(&mut self.behind, to);
                    return true;
                };
                at_behind += 1;
                let Some(looked) = self.look_behind(turns, *link as usize, low) else {
                    self.spent += looked_ahead + looked_behind;
                    return false;
                };
                looked_behind += looked;
            }
        }
    }

    fn begin(&mut self, from: usize, to: usize) {
        if self.mark >= u32::MAX - 3 {
            self.row.clear_marks();
            self.mark = 0;
        }
        self.mark += 2;
        self.ahead.clear();
        self.ahead.push(to as u32);
        self.row.mark(to, self.mark);
        self.behind.clear();
        self.behind.push(from as u32);
        self.row.mark(from, self.mark + 1);
    }

    /// Collects what comes right after a link, up to a label. How much was looked at, or nothing if
    /// the search backward has been there.
    fn look_ahead(&mut self, turns: &Turns<'_>, link: usize, high: u64) -> Option<usize> {
        let (after, first) = turns.after(link);
        let mut looked = 1;
        for turn in self.used.within(after.clone()) {
            looked += 1;
            let next = first + turn - after.start;
            match self.row.spot(next) {
                (_, seen) if seen == self.mark => {}
                (_, seen) if seen == self.mark + 1 => return None,
                (label, _) if label > high => {}
                _ => {
                    self.row.mark(next, self.mark);
                    self.ahead.push(next as u32);
                }
            }
        }
        Some(looked)
    }

    /// Collects what comes right before a link, from a label on. How much was looked at, or nothing
    /// if the search forward has been there.
    fn look_behind(&mut self, turns: &Turns<'_>, link: usize, low: u64) -> Option<usize> {
        let (after, first) = turns.after(turns.back(link));
        let mut looked = 1;
        for turn in self.reversed.within(after.clone()) {
            looked += 1;
            let last = turns.back(first + turn - after.start);
            match self.row.spot(last) {
                (_, seen) if seen == self.mark + 1 => {}
                (_, seen) if seen == self.mark => return None,
                (label, _) if label < low => {}
                _ => {
                    self.row.mark(last, self.mark + 1);
                    self.behind.push(last as u32);
                }
            }
        }
        Some(looked)
    }
}
