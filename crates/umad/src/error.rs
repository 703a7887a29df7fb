//! What can go wrong with a real port, said so that an administrator knows what to do.

use std::io;

use lk_wire::Guid;

use crate::PortDescription;

/// An error of libibumad or of the device behind it.
#[derive(Debug, thiserror::Error)]
pub enum UmadError {
    /// The library is not there.
    #[error(
        "libibumad is not there: install the package libibumad3 (Debian, Ubuntu) or libibumad \
         (RHEL, SUSE); looked for {looked_for}: {reason}"
    )]
    NoLibrary {
        /// The names that the loader was asked for.
        looked_for: String,
        /// What the loader said.
        reason: String,
    },
    /// The library lacks a function that every version of its interface 3 has.
    #[error("{library} is not libibumad's interface 3: {symbol} is missing ({reason})")]
    NoFunction {
        /// The library that was loaded.
        library: String,
        /// The function.
        symbol: &'static str,
        /// What the loader said.
        reason: String,
    },
    /// libibumad cannot talk to the kernel.
    #[error(
        "libibumad cannot start: is the kernel module ib_umad loaded (modprobe ib_umad; package \
         rdma-core)?"
    )]
    NotStarted,
    /// The list of devices cannot be read.
    #[error("cannot list the InfiniBand devices: {0}")]
    List(#[source] io::Error),
    /// The port cannot be opened.
    #[error("cannot open {ca} port {port}: {source}{hint}")]
    Open {
        /// The device.
        ca: String,
        /// The port on it.
        port: u8,
        /// What the system said.
        source: io::Error,
        /// What to do, when that is known. Starts with `; `.
        hint: &'static str,
    },
    /// A management class cannot be registered for.
    #[error(
        "cannot register for class 0x{class:02x} on {ca} port {port}: {source}; is another subnet \
         manager at work on this port?"
    )]
    Register {
        /// The management class.
        class: u8,
        /// The device.
        ca: String,
        /// The port on it.
        port: u8,
        /// What the system said.
        source: io::Error,
    },
    /// The MAD's class is not one of those that the port was opened for.
    #[error("no agent for management class 0x{0:02x}")]
    NoAgent(u8),
    /// The bytes are too short to be a MAD, or too long to be sent.
    #[error("{0} bytes are not a MAD")]
    Length(usize),
    /// The kernel did not take the MAD.
    #[error("cannot send: {0}")]
    Send(#[source] io::Error),
    /// The port cannot be read any more.
    #[error("cannot receive: {0}")]
    Receive(#[source] io::Error),
    /// The port cannot be marked as a subnet manager's.
    #[error("cannot mark the port as a subnet manager's ({path}): {source}")]
    IsSm {
        /// The device file, or the port when its name could not be had.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Why no port could be chosen.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChooseError {
    /// There is no InfiniBand port at all.
    #[error(
        "this machine has no InfiniBand port: is the adapter's driver there (package rdma-core) \
         and the kernel module ib_umad loaded? {}", others(.0)
    )]
    NoPort(Vec<PortDescription>),
    /// No port has the GUID that was asked for.
    #[error("no port has the GUID {guid}; there are: {}", list(.ports))]
    NoSuchGuid {
        /// The GUID that was asked for.
        guid: Guid,
        /// The ports that there are.
        ports: Vec<PortDescription>,
    },
}

/// The ports, one after the other.
fn list(ports: &[PortDescription]) -> String {
    ports.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Ports that are there but cannot be used.
fn others(ports: &[PortDescription]) -> String {
    if ports.is_empty() {
        return "No device was found".to_owned();
    }
    format!("Only ports of other kinds were found: {}", list(ports))
}
