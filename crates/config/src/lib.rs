//! The OpenSM family of configuration files and OpenSM's command line.
//!
//! Each file has `parse(&SourceFile) -> (Model, Diagnostics)`, which never fails: what OpenSM
//! would drop, clamp or misread is dropped, clamped or misread here too, and said with its line.
//! Every value keeps its place.
//!
//! Where to look next: [`options`] for the table of options and [`Options`].

#![forbid(unsafe_code)]

pub mod codes;
pub mod options;

pub use options::{Options, QosSetName, QosSetStrings, QosSets};
