//! SL2VL and VL arbitration tables: what the site's options ask for, and what each port is meant
//! to hold of it.
//!
//! The way of the data:
//!
//! 1. [`strings`] reads one text of opensm.conf (`qos_ca_sl2vl` and its kin) as OpenSM reads it.
//! 2. [`sets`] resolves the six option sets: each field from the set of the port's class, else
//!    from a more general one, else the built-in value.
//! 3. [`tables`] cuts a resolved set to one port: the mask of OperVLs, the capacities of its
//!    arbitration tables, the limits of ports with one data VL.
//! 4. [`optimised`] finds the fewest writes that bring a switch with wildcard programming to its
//!    SL2VL tables.
//! 5. [`policy`] finds the level of a path query by qos-policy.conf.
//! 6. [`mod@shares`] says what share of a link each lane gets from the tables of its port.
//!
//! Everything here is a pure function. Which ports exist and in which order tables are written
//! is decided in the subnet manager.

#![forbid(unsafe_code)]

pub mod optimised;
pub mod policy;
pub mod sets;
pub mod shares;
pub mod strings;
pub mod tables;

pub use optimised::{Sl2vlScope, Sl2vlWrite, SwitchSl2vl};
pub use sets::{FieldOrigins, PortClass, QosSet, ResolvedSets};
pub use shares::{ArbTables, Busy, LaneShare, Shares, shares};
pub use strings::ArbList;
pub use tables::{EgressPort, PortTables, VlArbBlock};
