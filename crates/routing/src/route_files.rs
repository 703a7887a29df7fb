//! Files that are routed by.

use std::sync::Arc;

use lk_fabric::dumps::lfts::SwitchTable;
use lk_fabric::dumps::lid_matrix::SwitchMatrix;

/// What a file holds that the engine `file` routes by.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RouteFile<T> {
    /// The file's name.
    pub name: String,
    /// What it holds.
    pub content: Vec<T>,
    /// Why it must not be used: it cannot be read, or the first line that is bad.
    pub fault: Option<String>,
}

/// The files for that engine.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RouteFiles {
    /// `lfts_file`: forwarding tables, as opensm-lfts.dump has them.
    pub tables: Option<Arc<RouteFile<SwitchTable>>>,
    /// `lid_matrix_dump_file`: hop counts, as opensm-lid-matrix.dump has them.
    pub matrix: Option<Arc<RouteFile<SwitchMatrix>>>,
}
