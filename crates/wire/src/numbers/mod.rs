//! Numbers with names: states, kinds, sizes and masks that fields of attributes hold.
//!
//! Each is a struct around the number with constants. A value that the architecture does not
//! define survives as it is and prints as a number.

mod capability;
mod link;
mod mtu;
mod node_type;
mod rate;
mod state;
mod vl_code;

pub use capability::{cap_mask, cap_mask2};
pub use link::{LinkSpeed, LinkSpeedExt, LinkWidth};
pub use mtu::Mtu;
pub use node_type::NodeType;
pub use rate::Rate;
pub use state::{PhysState, PortState, SmState};
pub use vl_code::VlCode;
