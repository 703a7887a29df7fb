//! The subnet manager on the simulated fabric: what it makes of whole fabrics, of broken ones,
//! and of fabrics that change.

mod changes;
mod faults;
mod field;
mod setup;
mod tables;
