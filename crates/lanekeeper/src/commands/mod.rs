//! The commands, one file or folder each.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod route;
pub(crate) mod sim;
pub(crate) mod sm;
pub(crate) mod topo;
pub(crate) mod verify;
