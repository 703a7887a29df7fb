//! What the ports and switches of a fabric hold, as it was read or reckoned at one moment.
//!
//! * [`Snapshot`]: the graph, the attributes of ports and switches, the tables, the managers, and
//!   what could not be read.
//! * [`Tables`]: the tables, block by block; [`Table`] names one, [`Address`] says where a block is
//!   on the wire.
//! * [`write()`] and [`read()`]: the file that keeps a snapshot, as `docs/formats.md` describes it.

#![forbid(unsafe_code)]

mod anonymise;
mod blocks;
pub mod codes;
pub mod fuzzing;
mod snapshot;
mod tables;
mod text;

pub use anonymise::anonymise;
pub use blocks::{Address, BlockSet, MftBlock, Table};
pub use snapshot::{Duplicate, Snapshot, Unread, Why};
pub use tables::Tables;
pub use text::{read, write};
