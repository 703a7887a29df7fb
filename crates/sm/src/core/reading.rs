//! Reading all that a fabric holds, and nothing else: a walk, then all tables, then a snapshot.

use std::collections::BTreeMap;

use lk_fabric::NodeId;
use lk_snapshot::{Unread, Why};

use super::*;
use crate::observe::{everything, further_mfts};

/// A node that leaves so many requests in a row without an answer, all retries included, is asked
/// no more: it has gone, or an M_Key protects it.
const PATIENCE: u32 = 3;

/// The tables that are still to be read.
pub(super) struct Reading {
    queue: BlockQueue,
    done: usize,
    total: usize,
    /// How many requests in a row nodes have not answered.
    silent: BTreeMap<NodeId, u32>,
}

/// How far reading has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Nodes found so far.
    Found(usize),
    /// Blocks of tables that are read, and how many there are as far as is known.
    Read(usize, usize),
}

impl Reading {
    fn new(seen: &Observed) -> Self {
        let mut reading =
            Self { queue: BlockQueue::default(), done: 0, total: 0, silent: BTreeMap::new() };
        reading.take(everything(seen), seen);
        reading
    }

    fn take(&mut self, runs: Vec<TableRun>, seen: &Observed) {
        self.total += runs.iter().map(|run| run.blocks.len()).sum::<usize>();
        self.queue = BlockQueue::new(runs, &seen.fabric);
    }

    /// The next block. Those of nodes that have fallen silent are noted as not read.
    pub(super) fn next(&mut self, seen: &mut Observed) -> Option<(Table, u16)> {
        loop {
            let (table, block) = self.queue.take()?;
            let misses = self.silent.get(&table.node(&seen.fabric));
            if misses.is_none_or(|misses| *misses < PATIENCE) {
                return Some((table, block));
            }
            self.done += 1;
            note(seen, table, block, Why::NoAnswer);
        }
    }

    pub(super) fn answered(
        &mut self,
        table: Table,
        block: u16,
        bytes: &[u8; 64],
        seen: &mut Observed,
    ) {
        self.done += 1;
        self.silent.remove(&table.node(&seen.fabric));
        seen.tables.learn(table, block, bytes);
    }

    pub(super) fn failed(&mut self, table: Table, block: u16, why: Failure, seen: &mut Observed) {
        self.done += 1;
        let why = match why {
            Failure::NoAnswer => {
                *self.silent.entry(table.node(&seen.fabric)).or_default() += 1;
                Why::NoAnswer
            }
            Failure::Status(status) => Why::Status(status),
        };
        note(seen, table, block, why);
    }
}

/// Notes that a block was not read.
fn note(seen: &mut Observed, table: Table, block: u16, why: Why) {
    let at = table.address(block, &seen.fabric);
    seen.unread.push(Unread { port: at.port, attribute: at.attribute, modifier: at.modifier, why });
}

impl Sm {
    /// How far it has come with reading, while it reads for a snapshot.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        match &self.stage {
            Stage::Discover(walk) => Some(Progress::Found(walk.nodes())),
            Stage::Everything(reading) => Some(Progress::Read(reading.done, reading.total)),
            _ => None,
        }
    }

    /// The walk is over: goes on with all tables.
    pub(super) fn read_everything(&mut self, seen: Observed) {
        let reading = Reading::new(&seen);
        self.seen = Some(Arc::new(seen));
        self.stage = Stage::Everything(Box::new(reading));
    }

    /// What was asked for is in, or will not come. Some tables do not say how long they are: goes
    /// on with those, or ends.
    pub(super) fn read_on(&mut self) {
        let (Some(seen), Stage::Everything(reading)) = (&mut self.seen, &mut self.stage) else {
            return;
        };
        let more = further_mfts(seen);
        if !more.is_empty() {
            reading.take(more, seen);
            return;
        }
        let seen = Arc::make_mut(seen);
        seen.unread.sort_unstable();
        seen.unread.dedup();
        let outcome = if seen.unread.is_empty() { Outcome::Read } else { Outcome::Incomplete };
        let snapshot = seen.snapshot();
        let mut figures = self.figures.clone();
        figures.nanos = self.now.since(self.sweep_start).0;
        self.out.push_back(Output::Snapshot(Box::new(snapshot), figures));
        self.finish(outcome);
    }
}
