//! The fabric as a graph, the text formats it is read from and written to, and generators.
//!
//! * [`graph`]: nodes, ports and links; everything else stands on it.
//! * [`rate`]: names of link widths and speeds.
//! * [`components`]: connected parts.
//! * [`mod@diff`]: the difference of two snapshots.
//! * [`text`]: readers of ibnetdiscover output, ibsim net files, ibdm topologies and ibdiagnet's
//!   db_csv; writers of the first two.
//! * [`dumps`]: OpenSM's dump files.
//! * [`topo`]: generators of fat-trees, tori and others.

#![forbid(unsafe_code)]

pub mod components;
pub mod diff;
pub mod dumps;
pub mod graph;
pub mod rate;
pub mod text;
pub mod topo;

pub use diff::{FabricDiff, diff};
pub use graph::{
    Added, Fabric, FabricBuilder, GraphError, LinkRate, Node, NodeId, NodeKind, NodeSpec, Port,
    PortId, SwitchId,
};
pub use text::{FabricFile, Form, read_fabric, read_fabric_with};
