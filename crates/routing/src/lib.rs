//! Routing engines: pure functions from a fabric to forwarding tables.
//!
//! * [`job`]: what an engine is given and what it gives back.
//! * [`engines`]: the engines, and [`route`], which works off a list of them.
//! * [`graph`], [`targets`]: the fabric as engines see it: switches and links, LIDs by switch.
//! * [`mod@check`], [`mod@quality`]: whether tables lead where they should, and how well.
//! * [`hops`]: distances between switches, for dumps.
//! * [`overrides`]: SL2VL tables that an engine prescribes, and the answers of a routing.
//! * [`proof`]: whether tables and lanes can deadlock.
//! * `paths`: distances, and which steps each law of paths allows; `balance`: which of the allowed
//!   ports carries which LID.

#![forbid(unsafe_code)]

pub mod check;
pub mod engines;
pub mod graph;
pub mod hops;
pub mod job;
pub mod overrides;
pub mod proof;
pub mod quality;
pub mod targets;

mod balance;
mod column;
mod paths;

pub use check::{Check, check};
pub use column::End;
pub use engines::torus2qos::{GroupPorts, MasterTree, PairSls, TorusSeed, TorusSpec};
pub use engines::{ENGINES, Outcome, UnknownEngine, find, route};
pub use hops::Hops;
pub use job::{DataVls, Decline, Engine, Lfts, LidMap, RouteJob, RouteOptions, Routes, SlPlan};
pub use overrides::{ArbEntry, LaneOverrides};
pub use proof::{Proof, prove};
pub use quality::{Quality, quality};
