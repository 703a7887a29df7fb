//! The commands, one file or folder each; and what several of them share:
//! [`carrier`] and [`dump_folder`].

mod carrier;
pub(crate) mod check;
mod dump_folder;
pub(crate) mod explain;
pub(crate) mod route;
pub(crate) mod sim;
pub(crate) mod sm;
pub(crate) mod snapshot;
pub(crate) mod topo;
pub(crate) mod verify;
