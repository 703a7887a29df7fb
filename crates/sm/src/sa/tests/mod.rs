//! The server as its clients see it.

mod any_bytes;
mod changes;
mod guids;
mod informs;
mod queries;
mod secrets;
mod services;
mod tables;
mod turns;
