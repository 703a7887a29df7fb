//! The functions of libibumad, on a simulated fabric.
//!
//! They do what the real library does, seen from a program: the same results, the same errors.
//! Where that asks the kernel, these ask the simulated fabric.

pub mod devices;
pub mod header;
pub mod names;
pub mod ports;
pub mod transfer;

mod ask;
mod c;
