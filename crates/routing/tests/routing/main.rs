//! What the engines promise, tried on whole fabrics.
//!
//! * `fabrics`: the fabrics; `oracle`: slow and simple answers to compare with.
//! * `balance`: no uplink idles while its neighbour is full.
//! * `minhop`, `updn`, `sssp`: what each engine guarantees. `list`: the list of engines.
//! * `corners`: fabrics without switches, in pieces, with routers, with very large switches.
//! * `proof`: whether packets can wait for each other in a circle.
//! * `multicast`: the same with packets to groups.
//! * `golden`: against tables that OpenSM made.
//! * `findings`: the checker and the figures on tables whose faults are known.

mod balance;
mod corners;
mod fabrics;
mod findings;
mod golden;
mod list;
mod minhop;
mod multicast;
mod oracle;
mod proof;
mod sssp;
mod updn;
