//! Working through the blocks of many tables, a few nodes at a time.
//!
//! One SMP after another to the same switch would fill its queue while all others wait, and one
//! SMP to each of thousands in turn would find nothing in any cache. So a handful of nodes are
//! worked on at once, round and round.

use std::collections::VecDeque;

use lk_fabric::Fabric;

use crate::observe::Table;
use crate::plan::TableRun;

/// How many nodes are worked on at a time, at least.
const NODES: usize = 16;

/// The blocks of many tables as a queue.
#[derive(Default, Debug)]
pub struct BlockQueue {
    runs: Vec<TableRun>,
    /// The tables of one node each, as a range of `runs`, in reverse order.
    waiting: Vec<(usize, usize)>,
    active: VecDeque<Cursor>,
}

#[derive(Clone, Copy, Debug)]
struct Cursor {
    run: usize,
    end: usize,
    block: u16,
}

impl BlockQueue {
    /// Queues all blocks. Runs of one node are taken one after the other.
    #[must_use]
    pub fn new(runs: Vec<TableRun>, fabric: &Fabric) -> Self {
        let mut waiting = Vec::new();
        let mut from = 0;
        for at in 1..=runs.len() {
            let node = |i: usize| runs[i].table.node(fabric);
            if at == runs.len() || node(at) != node(from) {
                waiting.push((from, at));
                from = at;
            }
        }
        if runs.is_empty() {
            waiting.clear();
        }
        waiting.reverse();
        Self { runs, waiting, active: VecDeque::new() }
    }

    /// The next block.
    pub fn take(&mut self) -> Option<(Table, u16)> {
        loop {
            while self.active.len() < NODES
                && let Some((run, end)) = self.waiting.pop()
            {
                self.active.push_back(Cursor { run, end, block: 0 });
            }
            let mut cursor = self.active.pop_front()?;
            while cursor.run < cursor.end {
                let run = &self.runs[cursor.run];
                if let Some(block) = run.blocks.next_from(cursor.block) {
                    let table = run.table;
                    cursor.block = block + 1;
                    self.active.push_back(cursor);
                    return Some((table, block));
                }
                cursor = Cursor { run: cursor.run + 1, end: cursor.end, block: 0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeKind, NodeSpec, PortId, SwitchId};
    use lk_wire::Guid;

    use super::*;
    use crate::observe::BlockSet;

    #[test]
    fn every_block_comes_once_and_nodes_take_turns() {
        let mut b = FabricBuilder::new();
        for n in 1..=40 {
            b.add_node(NodeSpec::new(Guid(n << 56), NodeKind::Switch, "s", 2)).unwrap();
        }
        let fabric = b.build();
        let mut runs = Vec::new();
        for s in 0..40 {
            for table in [Table::Lft(SwitchId(s)), Table::Sl2vl(PortId(s * 3 + 1))] {
                let mut blocks = BlockSet::default();
                [0, 2, 300].into_iter().for_each(|b| blocks.insert(b));
                runs.push(TableRun { table, blocks });
            }
        }
        let mut queue = BlockQueue::new(runs, &fabric);
        let mut got = Vec::new();
        while let Some(next) = queue.take() {
            got.push(next);
        }
        assert_eq!(got[0].0, Table::Lft(SwitchId(0)));
        assert_eq!(got[1].0, Table::Lft(SwitchId(1)));
        let mut unique = got.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!((got.len(), unique.len()), (240, 240));
        assert_eq!(BlockQueue::new(Vec::new(), &fabric).take(), None);
    }
}
