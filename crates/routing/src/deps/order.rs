//! An order of links in which turns lead forward, as far as there is one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::turns::Turns;

/// Whether all turns of some weight fit one order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ordered {
    /// Each link's rank: they do.
    All(Vec<u32>),
    /// Each link's rank: some turns lead back.
    Most(Vec<u32>),
}

/// Orders the links by the turns that have a weight.
///
/// Links that nothing leads to come first, again and again. Where there is none, the link goes next
/// whose turns ahead weigh most against those behind (Eades, Lin and Smyth, 1993).
pub(crate) fn order(turns: &Turns<'_>, weights: &[u32]) -> Ordered {
    let mut sorter = Sorter::new(turns, weights);
    let mut whole = true;
    loop {
        while let Some(link) = sorter.sources.pop() {
            sorter.place(link);
        }
        if whole && sorter.rank as usize == sorter.ranks.len() {
            return Ordered::All(sorter.ranks);
        }
        if whole {
            whole = false;
            sorter.queue_rest();
        }
        match sorter.lightest_behind() {
            Some(link) => sorter.sources.push(link),
            None => return Ordered::Most(sorter.ranks),
        }
    }
}

/// The work on an order.
struct Sorter<'a> {
    turns: &'a Turns<'a>,
    weights: &'a [u32],
    /// What the turns from and to each link weigh whose other link has no place yet.
    ahead: Vec<u64>,
    behind: Vec<u64>,
    /// Links that nothing leads to any more, some of them placed meanwhile.
    sources: Vec<usize>,
    /// Links by what they gain. An entry that promises more than the link gains by now is put right
    /// when it comes up; none promises less.
    queue: BinaryHeap<(i64, Reverse<u32>)>,
    queued: bool,
    placed: Vec<bool>,
    ranks: Vec<u32>,
    rank: u32,
}

impl<'a> Sorter<'a> {
    fn new(turns: &'a Turns<'a>, weights: &'a [u32]) -> Self {
        let links = turns.links();
        let (mut ahead, mut behind) = (vec![0_u64; links], vec![0_u64; links]);
        for (link, ahead) in ahead.iter_mut().enumerate() {
            let (after, first) = turns.after(link);
            for (weight, next) in weights[after].iter().zip(first..) {
                *ahead += u64::from(*weight);
                behind[next] += u64::from(*weight);
            }
        }
        let sources = (0..links).filter(|l| behind[*l] == 0).collect();
        Self {
            turns,
            weights,
            ahead,
            behind,
            sources,
            queue: BinaryHeap::new(),
            queued: false,
            placed: vec![false; links],
            ranks: vec![0; links],
            rank: 0,
        }
    }

    fn gain(&self, link: usize) -> i64 {
        self.ahead[link] as i64 - self.behind[link] as i64
    }

    /// Gives a link the next place, unless it has one.
    fn place(&mut self, link: usize) {
        if std::mem::replace(&mut self.placed[link], true) {
            return;
        }
        self.ranks[link] = self.rank;
        self.rank += 1;
        let (after, first) = self.turns.after(link);
        for (weight, next) in self.weights[after].iter().zip(first..) {
            if *weight == 0 || self.placed[next] {
                continue;
            }
            self.behind[next] -= u64::from(*weight);
            if self.behind[next] == 0 {
                self.sources.push(next);
            } else if self.queued {
                self.queue.push((self.gain(next), Reverse(next as u32)));
            }
        }
        for (turn, last) in self.turns.before(link) {
            self.ahead[last] -= u64::from(self.weights[turn]);
        }
    }

    /// From now on links without a place are queued.
    fn queue_rest(&mut self) {
        self.queued = true;
        let left = (0..self.ranks.len()).filter(|link| !self.placed[*link]);
        self.queue = left.map(|link| (self.gain(link), Reverse(link as u32))).collect();
    }

    /// The link without a place that gains most.
    fn lightest_behind(&mut self) -> Option<usize> {
        while let Some((promised, Reverse(link))) = self.queue.pop() {
            let link = link as usize;
            if self.placed[link] {
                continue;
            }
            let gain = self.gain(link);
            if gain == promised {
                return Some(link);
            }
            self.queue.push((gain, Reverse(link as u32)));
        }
        None
    }
}
