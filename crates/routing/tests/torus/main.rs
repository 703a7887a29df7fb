//! The engine torus-2QoS on whole fabrics.
//!
//! * `bench`: tori and meshes to try it on, whole or broken, and what to ask of a routing.
//! * `golden`: coordinates, tables, path SLs and SL2VL tables against those that OpenSM made.
//! * `manual`: the figures of torus-2QoS(8).
//! * `multicast`: the four trees of the manual, and the trees of groups.
//! * `faults`: each single failure keeps path SLs and freedom from deadlock.
//! * `shapes`: all sizes, meshes, parallel cables, backup seeds, fewer lanes, LMC.
//! * `refusals`: what cannot be routed is refused with the reason.

mod bench;
mod faults;
mod golden;
mod manual;
mod multicast;
mod refusals;
mod shapes;
