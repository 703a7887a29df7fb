//! The fabric as a graph, the text formats it is read from and written to, and generators.

pub mod graph;

pub use graph::{
    Added, Fabric, FabricBuilder, GraphError, LinkRate, Node, NodeId, NodeKind, NodeSpec, Port,
    PortId, SwitchId,
};
