//! Multicast groups: who is in them, and what they ask of the fabric.

/// All groups of the subnet.
#[derive(Clone, Default, Debug)]
pub struct Groups {}
