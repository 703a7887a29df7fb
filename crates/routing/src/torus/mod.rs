//! What a torus is: its shape, the switches at their places, and what follows from the places
//! alone. The engine that routes by it is `engines::torus2qos`.
//!
//! `spec` holds torus-2QoS.conf and checks it; `lattice` is the shape; `place` gives the switches
//! of the fabric their coordinates; `shape` collects the links between them; `path_sl` has the SL
//! of each path, `changes` what is different from one sweep to the next, and `trees` the tree for
//! multicast.

mod changes;
pub(crate) mod lattice;
pub(crate) mod path_sl;
pub(crate) mod place;
pub(crate) mod shape;
pub(crate) mod spec;
pub(crate) mod trees;

pub use path_sl::PairSls;
pub use spec::{TorusSeed, TorusSpec};
