//! Routing engines: pure functions from a fabric to forwarding tables.

pub mod job;

pub use job::{Decline, Engine, Lfts, LidMap, RouteJob, RouteOptions, Routes, SlPlan};
