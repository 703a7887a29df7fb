//! Kinds of nodes.

use crate::field::named;

named! {
    /// The kind of a node (IBA 14.2.5.3).
    NodeType: u8 {
        CA = 1, "Channel Adapter", "A channel adapter.";
        SWITCH = 2, "Switch", "A switch.";
        ROUTER = 3, "Router", "A router.";
    }
}
