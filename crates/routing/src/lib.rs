//! Routing engines: pure functions from a fabric to forwarding tables.
//!
//! * [`job`]: what an engine is given and what it gives back.
//! * [`engines`]: the engines, and [`route`], which works off a list of them.
//! * [`graph`], [`targets`]: the fabric as engines see it: switches and links, LIDs by switch.
//! * [`mod@check`], [`mod@quality`]: whether tables lead where they should, and how well.
//! * [`patterns`]: what share of a link flows get under patterns of traffic.
//! * [`topology`]: which well-known topology a fabric is.
//! * `keep`: entries that stand stay where they may. `ledger`: the short way after a change of few
//!   links.
//! * [`hops`]: distances between switches, for dumps.
//! * [`tables`]: LIDs and forwarding tables. [`overrides`]: SL2VL tables that an engine prescribes.
//! * [`shaping`]: options that shape the choice of ports.
//! * [`multicast`]: trees of multicast groups.
//! * [`torus`]: what a torus is; its engine is `engines::torus2qos`.
//! * [`proof`]: whether tables and lanes can deadlock.
//! * `alike`: LIDs that are forwarded the same way, so that one of them stands for all.
//! * `paths`: distances, and which steps each law of paths allows; `balance`: which of the allowed
//!   ports carries which LID; `sssp`: the same by the load of whole paths;
//!   `deps`: lanes without circles.

#![forbid(unsafe_code)]

mod ca_order;
pub mod check;
pub mod engines;
pub mod graph;
pub mod hops;
pub mod job;
pub mod multicast;
pub mod overrides;
pub mod patterns;
pub mod proof;
pub mod quality;
pub mod shaping;
pub mod tables;
pub mod targets;
pub mod topology;
pub mod torus;

mod alike;
mod balance;
mod column;
mod deps;
mod keep;
mod ledger;
mod path_lanes;
mod paths;
mod relief;
mod route_files;
mod route_paths;
mod sssp;

pub use ca_order::CaOrder;
pub use check::{Check, check};
pub use column::End;
pub use engines::{ENGINES, Outcome, UnknownEngine, find, route};
pub use hops::Hops;
pub use job::{DataVls, Decline, Engine, RouteJob, RouteOptions, Routes, SlPlan};
pub use keep::{Kept, LIMIT};
pub use ledger::{Afresh, Ledger, Proved};
pub use multicast::{GroupPorts, Grower, Grown, MasterTree, Tree};
pub use overrides::{ArbEntry, LaneOverrides};
pub use path_lanes::PathLanes;
pub use patterns::{AllToAll, Contention, Shares, contention};
pub use proof::{GroupTree, Proof, prove, prove_all};
pub use quality::{Quality, quality};
pub use route_files::{RouteFile, RouteFiles};
pub use route_paths::{RouteLanes, RouteSls};
pub use shaping::Shaping;
pub use tables::{Lfts, LidMap};
pub use topology::{Dimension, Topology};
pub use torus::{PairSls, TorusSeed, TorusSpec};
