//! A harness that runs the real programs of the field: ibsim, opensm, infiniband-diags, ibutils.
//!
//! It knows nothing of Lanekeeper's own crates but the binding to libibumad and the bytes of a few
//! requests, so that it cannot share their bugs: tables are what smpquery prints, fabrics are what
//! ibnetdiscover finds. Start with [`Ibsim`], bring the fabric up with [`Opensm`] or
//! [`Lanekeeper`], read it with [`Reading::of`].
//!
//! Everything here panics where a program is missing or does not do what it must: these are
//! parts of tests, and the message names the Debian package.

#![forbid(unsafe_code)]

pub mod daemon;
pub mod discovery;
pub mod ibsim;
pub mod lanekeeper;
pub mod opensm;
pub mod path_client;
pub mod path_matrix;
pub mod process;
pub mod reading;
pub mod sa_client;
pub mod sa_setup;
pub mod simulated;
pub mod smpquery;
pub mod torus;
pub mod torus_run;

pub use daemon::Daemon;
pub use discovery::{EndPort, Kind, Node};
pub use ibsim::Ibsim;
pub use lanekeeper::Lanekeeper;
pub use opensm::{Opensm, Running};
pub use process::Outcome;
pub use reading::{PortReading, Reading};
pub use simulated::{Manager, Simulated};
pub use torus::Torus;
