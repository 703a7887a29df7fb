//! What is needed of the C library, which every program has.

use std::ffi::{c_int, c_void};

pub(super) const EIO: c_int = 5;
pub(super) const EAGAIN: c_int = 11;
pub(super) const ENOMEM: c_int = 12;
pub(super) const ENODEV: c_int = 19;
pub(super) const EINVAL: c_int = 22;
pub(super) const ENOSPC: c_int = 28;
pub(super) const EPERM: c_int = 1;
pub(super) const ETIMEDOUT: c_int = 110;

const POLLIN: i16 = 1;
const MSG_PEEK: c_int = 2;
const MSG_DONTWAIT: c_int = 0x40;
const MSG_WAITALL: c_int = 0x100;
const MSG_NOSIGNAL: c_int = 0x4000;

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    revents: i16,
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
    fn poll(fds: *mut PollFd, count: u64, timeout: c_int) -> c_int;
    fn recv(fd: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize;
    fn send(fd: c_int, buffer: *const c_void, length: usize, flags: c_int) -> isize;
}

/// Sets errno and gives its negative.
pub(super) fn fail(errno: c_int) -> c_int {
    // SAFETY: the address is this thread's own errno, which lives as long as the thread.
    unsafe { *__errno_location() = errno };
    -errno
}

pub(super) fn errno() -> c_int {
    // SAFETY: as in `fail`.
    unsafe { *__errno_location() }
}

/// Waits until there is something to read. 0: nothing within the time; negative: an error.
pub(super) fn wait(fd: c_int, timeout: c_int) -> c_int {
    let mut one = PollFd { fd, events: POLLIN, revents: 0 };
    // SAFETY: one entry, which lives during the call.
    unsafe { poll(&raw mut one, 1, timeout) }
}

/// Copies what has come without taking it; waits for all of it with `whole`, else for nothing.
pub(super) fn peek(fd: c_int, buffer: &mut [u8], whole: bool) -> isize {
    let flags = MSG_PEEK | if whole { MSG_WAITALL } else { MSG_DONTWAIT };
    // SAFETY: the buffer is writable for its length.
    unsafe { recv(fd, buffer.as_mut_ptr().cast(), buffer.len(), flags) }
}

/// Reads until the buffer is full; `false` where the connection ends before.
pub(super) fn read_whole(fd: c_int, buffer: &mut [u8]) -> bool {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        // SAFETY: `rest` is writable for its length.
        match unsafe { recv(fd, rest.as_mut_ptr().cast(), rest.len(), 0) } {
            0 => return false,
            got if got > 0 => done += got as usize,
            _ if interrupted() => {}
            _ => return false,
        }
    }
    true
}

/// Writes all of it. A peer that has gone is no signal, as it would be with a plain write.
pub(super) fn write_whole(fd: c_int, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the bytes are readable for their length.
        match unsafe { send(fd, bytes.as_ptr().cast(), bytes.len(), MSG_NOSIGNAL) } {
            sent if sent >= 0 => bytes = &bytes[(sent as usize).min(bytes.len())..],
            _ if interrupted() => {}
            _ => return false,
        }
    }
    true
}

fn interrupted() -> bool {
    const EINTR: c_int = 4;
    errno() == EINTR
}
