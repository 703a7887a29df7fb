//! A stand-in for libibumad.so.3, through which the field's own programs run on a simulated
//! fabric as if it were the machine's adapter.
//!
//! The source is compiled twice. As a crate it gives the binary the protocol between the two
//! ([`protocol`], [`user_mad`]), and the finished library as bytes, which [`Installed`] puts into
//! a folder. The library is this same source, compiled by the build script with `standin` set:
//! then its functions carry their C names, and nothing but the standard library is in it.
//!
//! * [`library`]: the functions of `infiniband/umad.h`, all that the real library has.
//! * [`protocol`]: frames on a Unix socket; what is asked and answered.

#![allow(unsafe_code, reason = "the functions are called from C")]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(not(standin))]
mod installed;
pub mod library;
pub mod protocol;
pub mod user_mad;

#[cfg(not(standin))]
pub use installed::Installed;
