//! Machines on a fabric that is up: their kernels' datagrams of QP1, time-outs, and long
//! messages, with and without faults.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod administration;
mod counters;
mod hosts;
mod long_messages;
mod requests;
mod travel;
