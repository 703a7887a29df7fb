//! Questions to the simulated fabric.

use std::env;
use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use super::c;
use crate::protocol::{self, Device, Reader, VERSION, Writer, kind};

/// The start of every question: the protocol's version and the node on which the program sits.
pub(super) fn question() -> Writer {
    let node = env::var(protocol::NODE).or_else(|_| env::var("SIM_HOST")).unwrap_or_default();
    Writer::new(VERSION).text(&node)
}

/// Connects to the fabric.
pub(super) fn connect() -> Result<UnixStream, c_int> {
    let path = env::var_os(protocol::SOCKET).ok_or(c::ENODEV)?;
    UnixStream::connect(path).map_err(|_| c::ENODEV)
}

/// Asks on a connection and waits for the answer.
pub(super) fn ask_on(stream: &UnixStream, kind: u32, body: Writer) -> Result<Vec<u8>, c_int> {
    let fd = stream.as_raw_fd();
    if !c::write_whole(fd, &protocol::frame(kind, &body.body())) {
        return Err(c::EIO);
    }
    let mut head = [0; protocol::HEAD];
    if !c::read_whole(fd, &mut head) {
        return Err(c::EIO);
    }
    let (length, kind) = protocol::head(&head).ok().flatten().ok_or(c::EIO)?;
    let mut answer = vec![0; length];
    if !c::read_whole(fd, &mut answer) {
        return Err(c::EIO);
    }
    match kind {
        kind::OK => Ok(answer),
        kind::ERROR => {
            let mut r = Reader(&answer);
            let errno = r.u32().and_then(|n| c_int::try_from(n).ok()).unwrap_or(c::EIO);
            if let Some(why) = r.text().filter(|why| !why.is_empty()) {
                eprintln!("libibumad on a simulated fabric: {why}");
            }
            Err(errno)
        }
        _ => Err(c::EIO),
    }
}

/// Asks on a connection of its own.
pub(super) fn ask(kind: u32, body: Writer) -> Result<Vec<u8>, c_int> {
    ask_on(&connect()?, kind, body)
}

/// The device of the node on which the program sits.
pub(super) fn device() -> Result<Device, c_int> {
    Device::read(&ask(kind::DEVICE, question())?).ok_or(c::EIO)
}
