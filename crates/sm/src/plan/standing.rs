//! What has to be read before a decision, so that entries that stand can stay.

use super::TableRun;
use crate::observe::{BlockSet, Observed, Table};

/// The blocks of forwarding tables that are in force and that nobody has read yet. The comparison
/// would need most of them anyway; read before the decision they let entries stay.
#[must_use]
pub fn standing(seen: &Observed) -> Vec<TableRun> {
    let run = |s| {
        let table = Table::Lft(s);
        let top = seen.switch_info(s).map_or(0, |info| info.linear_fdb_top());
        let mut blocks = BlockSet::default();
        // A top of 0 is that of a switch that nobody has set up.
        let all = if top == 0 { 0..0 } else { 0..top / 64 + 1 };
        all.filter(|b| seen.tables.block(table, *b).is_none()).for_each(|b| blocks.insert(b));
        TableRun { table, blocks }
    };
    seen.fabric.switch_ids().map(run).filter(|run| !run.blocks.is_empty()).collect()
}
