//! The OpenSM family of configuration files and OpenSM's command line.
//!
//! Each file has `parse(&SourceFile) -> (Model, Diagnostics)`, which never fails: what OpenSM
//! would drop, clamp or misread is dropped, clamped or misread here too, and said with its line.
//! Every value keeps its place.
//!
//! Where to look next: [`options`] for the table of options and [`Options`], [`opensm_conf`] for
//! the main file, [`command_line`] for OpenSM's command line, [`effective`] for what comes out
//! of both.

#![forbid(unsafe_code)]

pub mod codes;
pub mod command_line;
pub mod effective;
mod lines;
pub mod opensm_conf;
pub mod options;

pub use command_line::CommandLine;
pub use effective::Effective;
pub use opensm_conf::OpensmConf;
pub use options::{Options, QosSetName, QosSetStrings, QosSets};
