//! The file that keeps a snapshot: lines of text, which `docs/formats.md` describes.
//!
//! Tables of equal content are written once, with a number, and ports refer to them: a fabric of
//! thousands of hosts has a handful of SL2VL, VLArb and P_Key tables.

mod hex;
mod place;
mod port_line;
mod read;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub use read::read;
pub use write::write;

/// The first word of the file.
const MAGIC: &str = "lanekeeper-snapshot";

/// The version of the form that is written, and the newest that is read.
const VERSION: u32 = 1;
