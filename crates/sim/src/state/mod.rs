//! State that outlives a run: what the nodes hold, as a text file.
//!
//! The file says what differs from power-on, one block of an attribute to a line:
//!
//! ```text
//! lanekeeper-sim-state 1
//! capabilities 0x0123456789abcdef
//! node 0x0000000000200000 36
//! switchinfo c000…
//! portinfo 1 …
//! lft 0 00ff01…
//! mft POSITION BLOCK …
//! sl2vl 0-36 1-36 0123456789abcdef
//! vlarb 1 3 …
//! pkeys 1 0 …
//! guids 0 0 …
//! mlnx 1 …
//! node 0x0000000000100010 1
//! off
//! renamed 6e6f646531
//! cut 1
//! end
//! ```
//!
//! * `capabilities` is a fingerprint of the capabilities in [`crate::SimOptions`]: the same file
//!   with other ones would mean something else.
//! * `node` starts a node: GUID and number of ports. The lines up to the next one are its own.
//! * Attributes are in hexadecimal as they lie on the wire, without the zeros at the end. After
//!   the keyword comes the port where there is one, then the block; `sl2vl` has ingress and egress
//!   ports, each a number or a range.
//! * `off`: no power. `renamed`: another description, UTF-8 in hexadecimal. `cut`: the cable at
//!   this port is pulled.
//! * `end` shows that the file is whole.
//!
//! Clients, faults of datagrams, traps under way, leases of M_Keys, counters and the place in the
//! stream of chances are not in it.

mod load;
mod save;

pub use load::{LoadError, LoadProblem};

use crate::options::SimOptions;

const HEADER: &str = "lanekeeper-sim-state 1";

/// A fingerprint of all capabilities (FNV-1a of their text).
fn fingerprint(options: &SimOptions) -> u64 {
    let SimOptions { ca, switch, router, exceptions, .. } = options;
    let text = format!("{ca:?}{switch:?}{router:?}{exceptions:?}");
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
