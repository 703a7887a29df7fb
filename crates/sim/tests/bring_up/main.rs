//! The subnet manager on the simulated fabric: what it makes of whole fabrics, of broken ones,
//! and of fabrics that change.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod changes;
mod clients;
mod faults;
mod field;
mod loop_free;
mod multicast;
mod path_sls;
mod random_changes;
mod reading;
mod safe_change;
mod setup;
mod short_way;
mod tables;
mod torus;
mod vendor;
