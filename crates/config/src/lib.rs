//! The OpenSM family of configuration files and OpenSM's command line.
//!
//! Each file has `parse(&SourceFile) -> (Model, Diagnostics)`, which never fails: what OpenSM
//! would drop, clamp or misread is dropped, clamped or misread here too, and said with its line.
//! Every value keeps its place.
//!
//! Where to look next: [`options`] for the table of options and [`Options`], [`opensm_conf`] for
//! the main file, [`command_line`] for OpenSM's command line, [`effective`] for what comes out
//! of both; [`guid_map`] and [`guid_files`] for lists of GUIDs, [`node_names`] for the node name
//! map, [`torus_conf`] for the torus engine's file, [`qos_policy`] for the QoS policy,
//! [`partitions`] for partitions.conf,
//! [`prefix_routes`] for the routers of other subnets, [`persistent`], [`guid2lid`] and [`sa_db`]
//! for what is kept over restarts.

#![forbid(unsafe_code)]

pub mod codes;
pub mod command_line;
pub mod effective;
pub mod fuzzing;
pub mod guid2lid;
pub mod guid_files;
pub mod guid_map;
pub mod kind;
mod lines;
pub mod node_names;
pub mod opensm_conf;
pub mod options;
pub mod partitions;
pub mod persistent;
mod placed;
pub mod prefix_routes;
pub mod qos_policy;
pub mod sa_db;
pub mod torus_conf;

pub use command_line::CommandLine;
pub use effective::Effective;
pub use opensm_conf::OpensmConf;
pub use options::{Options, QosSetName, QosSetStrings, QosSets};
pub use partitions::PartitionsConf;
pub use placed::Placed;
pub use prefix_routes::PrefixRoutes;
pub use qos_policy::QosPolicy;
pub use torus_conf::TorusConf;
