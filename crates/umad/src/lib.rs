//! Real ports through libibumad, loaded at run time.
//!
//! A build needs no C library; a machine that runs on real ports needs libibumad.so.3. Going
//! through it, and not to `/dev/infiniband/umad*` directly, also lets ibsim's preloaded library
//! stand in for the hardware: that one answers to libibumad's calls only.
//!
//! * [`Library::load`] finds the library, [`Library::ports`] lists the ports, [`choose`] takes one
//!   as opensm does.
//! * [`Port::open`] registers for management classes; [`Port::send`] and [`Port::recv`] may be
//!   called from two threads at the same time. Blocking in `recv` is the receive thread's whole
//!   life; nothing here starts threads.
//! * [`Port::set_is_sm`] tells the fabric that a subnet manager is here.
//!
//! Two things of the kernel show through. It overwrites the upper 32 bits of the transaction
//! identifier of every request, so match answers by the lower 32 bits. And a request that is not
//! answered within its time comes back from `recv` as [`Received::SendFailed`]; the kernel does
//! not send it again.
//!
//! This is the only crate with unsafe code: calls into the library, each with the reason why it
//! is sound.

#![allow(unsafe_code, reason = "calls into a C library")]
#![deny(unsafe_op_in_unsafe_fn)]

mod api;
mod error;
mod frame;
mod port;
mod ports;

pub use api::Library;
pub use error::{ChooseError, UmadError};
pub use port::{Address, Port, Received, Registration};
pub use ports::{PortDescription, choose};
