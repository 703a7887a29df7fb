//! InfiniBand management datagrams and their attributes as views over bytes.

mod ids;

pub use ids::{Gid, Guid, Lid, MKey, PKey, PortNum, Sl, Tid, Vl};
