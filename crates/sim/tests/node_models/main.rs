//! The node models, seen through datagrams as a subnet manager sees them.

#![allow(clippy::unwrap_used, reason = "in a test, what is not there is a failure")]

mod any_bytes;
mod attributes;
mod faults;
mod lab;
mod m_key;
mod port_states;
mod qos_tables;
mod same_again;
mod saved_state;
mod traps;
mod walking;
