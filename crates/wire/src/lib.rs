//! InfiniBand management datagrams and their attributes.
//!
//! A datagram or an attribute is a struct around its bytes as they lie on the wire. Reading never
//! fails but for length, never allocates, and keeps what it does not know; a field's getter is a
//! shift and a mask. Values are checked by those who give them a meaning, not here.
//!
//! * [`Smp`]: subnet management packets, with [`DirPath`] for directed routes; [`MadHeader`] is
//!   what all datagrams share.
//! * [`rmpp`]: the header of long messages; [`perf`]: the counters of performance management.
//! * [`attributes`]: what SMPs carry, [`PortInfo`] and the others, and [`Trap`] for notices.
//! * [`numbers`]: [`PortState`], [`Mtu`], [`VlCode`] and other numbers with names.
//! * Identifiers: [`Guid`], [`Lid`], [`Gid`], [`PKey`], [`Sl`], [`Vl`], [`PortNum`], [`MKey`],
//!   [`Tid`].
//! * [`sa`]: what subnet administration has of its own, records and component masks.
//! * [`mod@field`]: how one table for each attribute gives accessors, printing and test data.
//!
//! ```
//! use lk_wire::{DirPath, MKey, NodeInfo, PortNum, Smp, Tid, attr, method};
//!
//! // Ask the node behind port 3 who it is.
//! let path = DirPath::LOCAL.then(PortNum(3)).expect("one hop is not too many");
//! let smp = Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(7), MKey(0), &path);
//! assert_eq!(smp.path(), Some(path));
//!
//! // Read an answer.
//! let bytes = smp.as_bytes();
//! let answer = Smp::parse(bytes).expect("256 bytes");
//! let info: NodeInfo = answer.attribute();
//! assert_eq!(info.num_ports(), 0);
//! ```
#![forbid(unsafe_code)]

pub mod attributes;
mod dr_path;
mod error;
pub mod field;
pub mod fuzzing;
mod ids;
mod mad;
pub mod numbers;
pub mod perf;
pub mod rmpp;
pub mod sa;
mod smp;

pub use attributes::*;
pub use dr_path::{DirPath, DirPathError};
pub use error::WireError;
pub use field::{Field, get_bits, set_bits};
pub use ids::{Gid, Guid, Lid, MKey, PKey, PortNum, Sl, Tid, Vl};
pub use mad::{MAD_LEN, MadHeader, Status, attr, class, method};
pub use numbers::*;
pub use rmpp::RmppHeader;
pub use smp::{Smp, Summary};
