//! The engines, and the list that says which of them to try.
//!
//! To add an engine: a file or folder here with a type that implements [`Engine`], and its entry
//! in [`ENGINES`].

mod auto;
mod dfsssp;
mod dnup;
mod dor;
mod file;
mod ftree;
mod generic;
mod lash;
mod list;
mod minhop;
mod nue;
mod sssp;
pub mod torus2qos;
mod tries;
mod updn;

pub use auto::Auto;
pub use dfsssp::DfSssp;
pub use dnup::DnUp;
pub use dor::Dor;
pub use file::FromFile;
pub use ftree::FTree;
pub use lash::Lash;
pub use list::{Outcome, UnknownEngine, find, route};
pub use minhop::MinHop;
pub use nue::Nue;
pub use sssp::Sssp;
pub use torus2qos::Torus2Qos;
pub use updn::UpDn;

use crate::job::{Engine, RouteJob};
use crate::ledger::Law;
pub(crate) use list::first_named;
pub(crate) use updn::unconnected;

/// All engines of this version.
pub const ENGINES: &[&dyn Engine] = &[
    &MinHop, &UpDn, &DnUp, &Dor, &FTree, &FromFile, &Torus2Qos, &Sssp, &DfSssp, &Lash, &Nue, &Auto,
];

/// What the paths of an engine keep to, where that is simple enough and it takes the fabric.
pub(crate) fn law(engine: &str, job: &RouteJob<'_>) -> Option<Law> {
    match engine {
        "minhop" => Some(MinHop.law(job)),
        "sssp" => Some(Sssp.law(job)),
        "updn" => UpDn.law(job).ok(),
        "dnup" => DnUp.law(job).ok(),
        "ftree" => FTree.law(job).ok(),
        _ => None,
    }
}

/// Engines that only NVIDIA's subnet manager has.
pub const NVIDIA_ONLY: &[&str] =
    &["ar_updn", "ar_ftree", "ar_torus", "ar_dor", "dfp", "dfp2", "kdor-hc", "pqft", "chain"];
