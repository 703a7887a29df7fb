//! Messages to and from an open port.

use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use super::c;
use super::devices::Void;
use super::ports::{OpenPort, lock, open_port};
use crate::protocol::{HEAD, frame, head, kind};
use crate::user_mad::HEADER;

/// Sends a message; the header before it says where to.
///
/// # Safety
/// `umad` is the address of a header and `length` bytes behind it.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_send(
    fd: c_int,
    agent: c_int,
    umad: *mut Void,
    length: c_int,
    timeout: c_int,
    retries: c_int,
) -> c_int {
    let Ok(length) = usize::try_from(length) else { return c::fail(c::EINVAL) };
    if umad.is_null() {
        return c::fail(c::EINVAL);
    }
    // SAFETY: as the caller promises; nobody else uses it during the call.
    let bytes = unsafe { std::slice::from_raw_parts_mut(umad.cast::<u8>(), HEADER + length) };
    for (place, number) in [(0, agent), (8, timeout), (12, retries)] {
        bytes[place..place + 4].copy_from_slice(&number.to_ne_bytes());
    }
    let Some(port) = open_port(fd) else { return c::fail(c::EINVAL) };
    if !port.has_agent(agent) {
        c::fail(c::EINVAL);
        return -c::EIO;
    }
    let frame = frame(kind::MESSAGE, bytes);
    let _whole = lock(&port.sending);
    if c::write_whole(fd, &frame) { 0 } else { c::fail(c::EIO) }
}

/// Waits for a message: 0 when there is one.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_poll(fd: c_int, timeout: c_int) -> c_int {
    match c::wait(fd, timeout) {
        0 => c::fail(c::ETIMEDOUT),
        ready if ready > 0 => 0,
        _ => -c::EIO,
    }
}

/// What a look at the port has found.
enum Found {
    /// A message for this agent, which is now the caller's.
    Message(c_int),
    Nothing,
    Error(c_int),
}

/// Takes a message in; gives its agent. `length` is the room behind the header, then the
/// message's length. One that does not fit stays, and its length is told.
///
/// # Safety
/// `umad` is the address of room for a header and `*length` bytes.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_recv(
    fd: c_int,
    umad: *mut Void,
    length: *mut c_int,
    timeout: c_int,
) -> c_int {
    if umad.is_null() || length.is_null() {
        return c::fail(c::EINVAL);
    }
    let Some(port) = open_port(fd) else { return c::fail(c::EINVAL) };
    // SAFETY: as the caller promises.
    let length = unsafe { &mut *length };
    let Ok(room) = usize::try_from(*length) else { return c::fail(c::EINVAL) };
    // SAFETY: as the caller promises; nobody else uses it during the call.
    let bytes = unsafe { std::slice::from_raw_parts_mut(umad.cast::<u8>(), HEADER + room) };
    let end = u64::try_from(timeout).ok().map(|ms| Instant::now() + Duration::from_millis(ms));
    loop {
        if timeout != 0 {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let left = left.map_or(-1, |left| left.as_micros().div_ceil(1000) as c_int);
            match c::wait(fd, left) {
                0 => return c::fail(c::ETIMEDOUT),
                ready if ready > 0 => {}
                _ => return -c::EIO,
            }
        }
        match take(&port, bytes, length) {
            Found::Message(agent) => return agent,
            Found::Error(errno) => return c::fail(errno),
            // Another thread was faster.
            Found::Nothing if timeout != 0 => {}
            Found::Nothing => return c::fail(c::EAGAIN),
        }
    }
}

/// Takes the message at the front, if there is one.
fn take(port: &OpenPort, bytes: &mut [u8], length: &mut c_int) -> Found {
    let fd = port.stream.as_raw_fd();
    let _whole = lock(&port.receiving);
    let mut front = [0; HEAD + HEADER];
    match c::peek(fd, &mut front, false) {
        0 => return Found::Error(c::EIO),
        got if got < 0 && c::errno() == c::EAGAIN => return Found::Nothing,
        got if got < 0 => return Found::Error(c::errno()),
        _ => {}
    }
    // It has begun; its head is whole in a moment.
    if c::peek(fd, &mut front, true) != front.len() as isize {
        return Found::Error(c::EIO);
    }
    let frame = head(&front).ok().flatten();
    let Some((body, kind::MESSAGE)) = frame.filter(|(body, _)| *body >= HEADER) else {
        return Found::Error(c::EIO);
    };
    if body > bytes.len() {
        *length = (body - HEADER) as c_int;
        // The header and as much as fits, as the kernel gives it.
        let mut some = vec![0; HEAD + bytes.len()];
        if c::peek(fd, &mut some, true) == some.len() as isize {
            bytes.copy_from_slice(&some[HEAD..]);
        }
        return Found::Error(c::ENOSPC);
    }
    if !c::read_whole(fd, &mut front[..HEAD]) || !c::read_whole(fd, &mut bytes[..body]) {
        return Found::Error(c::EIO);
    }
    *length = (body - HEADER) as c_int;
    let agent = bytes.first_chunk().copied().unwrap_or_default();
    Found::Message(c_int::from_ne_bytes(agent))
}
