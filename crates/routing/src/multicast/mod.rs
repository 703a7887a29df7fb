//! Trees of multicast groups.
//!
//! A group's tree has a root, and from it the shortest way to each member's switch. The root is
//! OpenSM's: the first switch from which the farthest member is nearest. Ways are OpenSM's too:
//! by the first port that is on a shortest way. All ways to and through a switch then begin
//! alike, so they make a tree; where an engine's law of paths forbids that, a way joins the tree
//! at the last switch that they share.
//!
//! Where such trees could close a circle with the packets of the routes, the engine gives one tree
//! for all groups, the [`MasterTree`].
//!
//! A tree that stands is kept as far as it serves: members come and go at its leaves, and a new
//! root is taken only where it is better. So a change writes few entries.

mod grow;
pub(crate) mod master_tree;
mod tree;

pub use grow::{Grower, Grown};
pub use master_tree::{GroupPorts, MasterTree};
pub use tree::{Member, Tree, Up};
