//! Turns that close no circle, one after the other.
//!
//! Links are kept in an order in which each turn leads to a later one. A turn that fits the order
//! joins at once. For one that does not, the links between its ends are searched, forward from one
//! end and backward from the other, a bit of each in turn: if they meet, it closes a circle, and
//! never can join as long as the others stay; if one of them is through, the order is mended by
//! moving what it found. What was found out once is remembered, so that asking again costs nothing.

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
    /// The same turns, each by the number of the one that goes the other way.
    reversed: TurnSet,
    barred: TurnSet,
    /// For each link its place in the order.
    ranks: Vec<u32>,
    /// By place in the order: the link.
    links: Vec<u32>,
    /// Links seen by a search: those with the mark of its direction.
    seen: Vec<u32>,
    /// The mark of the last search forward; that of the search backward is one more.
    mark: u32,
    ahead: Vec<u32>,
    behind: Vec<u32>,
    moved: Vec<u32>,
}

impl Lane {
    /// A lane without turns. `ranks` is an order of the links that most turns will follow.
    pub(crate) fn new(turns: &Turns<'_>, ranks: Vec<u32>) -> Self {
        let mut links = vec![0; ranks.len()];
        for (link, rank) in (0..).zip(&ranks) {
            links[*rank as usize] = link;
        }
        Self {
            used: TurnSet::new(turns.len()),
            reversed: TurnSet::new(turns.len()),
            barred: TurnSet::new(turns.len()),
            seen: vec![0; ranks.len()],
            ranks,
            links,
            mark: 0,
            ahead: Vec::new(),
            behind: Vec::new(),
            moved: Vec::new(),
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
        for link in 0..turns.links() {
            let (after, first) = turns.after(link);
            for turn in self.used.within(after.clone()) {
                self.reversed.add(turns.reversed(link, first + turn - after.start));
            }
        }
        self.barred.clear();
    }

    /// Takes a turn out again that has just joined. What was barred on its account stays so.
    pub(crate) fn take_back(&mut self, turns: &Turns<'_>, turn: usize) {
        let (from, to) = turns.ends(turn);
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
            self.used.add(turn);
            self.reversed.add(turns.reversed(from, to));
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
    fn fits(&mut self, turns: &Turns<'_>, from: usize, to: usize) -> bool {
        let (low, high) = (self.ranks[to], self.ranks[from]);
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
                    self.move_ahead(low, high);
                    return true;
                };
                at_ahead += 1;
                let Some(looked) = self.look_ahead(turns, *link as usize, high) else {
                    return false;
                };
                looked_ahead += looked;
            } else {
                let Some(link) = self.behind.get(at_behind) else {
                    self.move_behind(low, high);
                    return true;
                };
                at_behind += 1;
                let Some(looked) = self.look_behind(turns, *link as usize, low) else {
                    return false;
                };
                looked_behind += looked;
            }
        }
    }

    fn begin(&mut self, from: usize, to: usize) {
        if self.mark >= u32::MAX - 3 {
            self.seen.fill(0);
            self.mark = 0;
        }
        self.mark += 2;
        self.ahead.clear();
        self.ahead.push(to as u32);
        self.seen[to] = self.mark;
        self.behind.clear();
        self.behind.push(from as u32);
        self.seen[from] = self.mark + 1;
    }

    /// Collects what comes right after a link, up to a rank. How much was looked at, or nothing if
    /// the search backward has been there.
    fn look_ahead(&mut self, turns: &Turns<'_>, link: usize, high: u32) -> Option<usize> {
        let (after, first) = turns.after(link);
        let mut looked = 1;
        for turn in self.used.within(after.clone()) {
            looked += 1;
            let next = first + turn - after.start;
            match self.seen[next] {
                seen if seen == self.mark => {}
                seen if seen == self.mark + 1 => return None,
                _ if self.ranks[next] > high => {}
                _ => {
                    self.seen[next] = self.mark;
                    self.ahead.push(next as u32);
                }
            }
        }
        Some(looked)
    }

    /// Collects what comes right before a link, from a rank on. How much was looked at, or nothing
    /// if the search forward has been there.
    fn look_behind(&mut self, turns: &Turns<'_>, link: usize, low: u32) -> Option<usize> {
        let (after, first) = turns.after(turns.back(link));
        let mut looked = 1;
        for turn in self.reversed.within(after.clone()) {
            looked += 1;
            let last = turns.back(first + turn - after.start);
            match self.seen[last] {
                seen if seen == self.mark + 1 => {}
                seen if seen == self.mark => return None,
                _ if self.ranks[last] < low => {}
                _ => {
                    self.seen[last] = self.mark + 1;
                    self.behind.push(last as u32);
                }
            }
        }
        Some(looked)
    }

    /// Moves what was found ahead behind all others between two ranks.
    fn move_ahead(&mut self, low: u32, high: u32) {
        self.moved.clear();
        let mut free = low as usize;
        for rank in low as usize..=high as usize {
            let link = self.links[rank];
            if self.seen[link as usize] == self.mark {
                self.moved.push(link);
            } else {
                self.put(free, link);
                free += 1;
            }
        }
        for at in 0..self.moved.len() {
            self.put(free + at, self.moved[at]);
        }
    }

    /// Moves what was found behind before all others between two ranks.
    fn move_behind(&mut self, low: u32, high: u32) {
        self.moved.clear();
        let mut end = high as usize + 1;
        for rank in (low as usize..=high as usize).rev() {
            let link = self.links[rank];
            if self.seen[link as usize] == self.mark + 1 {
                self.moved.push(link);
            } else {
                end -= 1;
                self.put(end, link);
            }
        }
        for at in 0..self.moved.len() {
            self.put(end - 1 - at, self.moved[at]);
        }
    }

    fn put(&mut self, rank: usize, link: u32) {
        self.links[rank] = link;
        self.ranks[link as usize] = rank as u32;
    }
}
