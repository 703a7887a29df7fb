//! What the engines promise, tried on whole fabrics.
//!
//! * `fabrics`: the fabrics; `oracle`: slow and simple answers to compare with.
//! * `balance`: no uplink idles while its neighbour is full.
//! * `minhop`, `updn`, `dnup`, `dor`, `ftree`, `file`, `sssp`: what each engine guarantees. `list`:
//!   the list of them.
//! * `shaping`: options that shape the choice of ports.
//! * `lanes`: engines that keep packets apart by lanes.
//! * `corners`: fabrics without switches, in pieces, with routers, with very large switches.
//! * `proof`: whether packets can wait for each other in a circle.
//! * `multicast`: the same with packets to groups. `trees`: the trees of groups.
//! * `change`: the same while tables are written.
//! * `golden`, `golden_trees`: against tables that OpenSM made.
//! * `keep`: entries that stand stay where they may. `ledger`: the short way after a change.
//! * `matrix`: every engine on every kind of fabric, with ever more failed links.
//! * `auto`: topologies, and engines for them.
//! * `contention`: shares of flows.
//! * `fullest`: the fullest link where links have failed, against opensm's.
//! * `findings`: the checker and the figures on tables whose faults are known.

mod auto;
mod balance;
mod change;
mod contention;
mod corners;
mod dnup;
mod dor;
mod fabrics;
mod file;
mod findings;
mod ftree;
mod fullest;
mod golden;
mod golden_trees;
mod keep;
mod lanes;
mod ledger;
mod list;
mod matrix;
mod minhop;
mod multicast;
mod oracle;
mod proof;
mod shaping;
mod sssp;
mod trees;
mod updn;
