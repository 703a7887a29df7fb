//! Open ports and their agents.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_long};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{ask, c, devices};
use crate::protocol::{Agent, Reader, Writer, kind};

/// A port that the program has opened. Its number for the program is that of its connection.
#[derive(Debug)]
pub(super) struct OpenPort {
    pub(super) stream: UnixStream,
    key: u64,
    /// The agents that are registered, a bit each.
    agents: Mutex<u64>,
    /// Held while a message is written, or read.
    pub(super) sending: Mutex<()>,
    pub(super) receiving: Mutex<()>,
}

static OPEN: Mutex<BTreeMap<c_int, Arc<OpenPort>>> = Mutex::new(BTreeMap::new());

/// Locks; a thread that has panicked left nothing half-done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn open_port(fd: c_int) -> Option<Arc<OpenPort>> {
    lock(&OPEN).get(&fd).cloned()
}

impl OpenPort {
    pub(super) fn has_agent(&self, agent: c_int) -> bool {
        (0..64).contains(&agent) && *lock(&self.agents) >> agent & 1 == 1
    }

    fn note_agent(&self, agent: u32, there: bool) {
        let bit = 1_u64.checked_shl(agent).unwrap_or_default();
        let mut agents = lock(&self.agents);
        *agents = if there { *agents | bit } else { *agents & !bit };
    }

    fn register(&self, agent: &Agent) -> Result<u32, c_int> {
        let body = agent.write(Writer::default().u64(self.key));
        let answer = ask::ask(kind::REGISTER, body)?;
        let number = Reader(&answer).u32().ok_or(c::EIO)?;
        self.note_agent(number, true);
        Ok(number)
    }
}

/// Opens a port. What it gives is a descriptor that can be waited for.
///
/// # Safety
/// The name is null or ends in NUL.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_open_port(name: *const c_char, number: c_int) -> c_int {
    // SAFETY: as the caller promises.
    let device = unsafe { devices::named(name) };
    let opened = device.and_then(|device| {
        let port = devices::numbered(&device, number)?;
        let stream = ask::connect()?;
        let answer = ask::ask_on(&stream, kind::OPEN, ask::question().u32(port.number))?;
        let key = Reader(&answer).u64().ok_or(c::EIO)?;
        Ok((stream, key))
    });
    match opened {
        Ok((stream, key)) => {
            let fd = stream.as_raw_fd();
            let (agents, sending, receiving) = (Mutex::new(0), Mutex::new(()), Mutex::new(()));
            let port = OpenPort { stream, key, agents, sending, receiving };
            lock(&OPEN).insert(fd, Arc::new(port));
            fd
        }
        Err(errno) => c::fail(errno),
    }
}

/// Closes a port, with its agents.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_close_port(fd: c_int) -> c_int {
    let gone = lock(&OPEN).remove(&fd);
    if let Some(port) = gone {
        // The fabric may have gone already; then there is nothing to close there.
        let _ = ask::ask(kind::CLOSE, Writer::default().u64(port.key));
    }
    0
}

/// The descriptor of an open port.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_get_fd(fd: c_int) -> c_int {
    fd
}

const LONGS: usize = 16 / size_of::<c_long>();

/// The method mask of a registration; none where the address is null.
///
/// # Safety
/// The address is null or that of 16 bytes of longs.
unsafe fn methods(mask: *const c_long) -> [u64; 2] {
    if mask.is_null() {
        return [0; 2];
    }
    // SAFETY: not null, so that it is 16 bytes of longs.
    let longs = unsafe { *mask.cast::<[c_long; LONGS]>() };
    let bytes = longs.map(c_long::to_ne_bytes).concat();
    let half = |start: usize| bytes[start..].first_chunk().map_or(0, |b| u64::from_ne_bytes(*b));
    [half(0), half(8)]
}

fn queue_pair(class: u32) -> u32 {
    u32::from(!matches!(class, 0x01 | 0x81))
}

fn number(registered: Option<Result<u32, c_int>>) -> c_int {
    match registered {
        Some(Ok(number)) => number as c_int,
        Some(Err(errno)) => {
            c::fail(errno);
            -c::EPERM
        }
        None => c::fail(c::EINVAL),
    }
}

/// Registers an agent for a class; gives its number.
///
/// # Safety
/// `mask` is null or the address of 16 bytes of longs.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_register(
    fd: c_int,
    class: c_int,
    version: c_int,
    rmpp: u8,
    mask: *const c_long,
) -> c_int {
    // SAFETY: as the caller promises.
    let methods = unsafe { methods(mask) };
    let class = class as u8 as u32;
    let (qp, version) = (queue_pair(class), version as u8 as u32);
    let agent = Agent { qp, class, version, rmpp: rmpp.into(), methods, ..Agent::default() };
    number(open_port(fd).map(|port| port.register(&agent)))
}

/// Registers an agent for a vendor's class.
///
/// # Safety
/// `oui` is the address of three bytes; `mask` is null or the address of 16 bytes of longs.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_register_oui(
    fd: c_int,
    class: c_int,
    rmpp: u8,
    oui: *const u8,
    mask: *const c_long,
) -> c_int {
    if !(0x30..=0x4F).contains(&class) {
        return c::fail(c::EINVAL);
    }
    // SAFETY: as the caller promises.
    let (methods, [a, b, c]) = unsafe { (methods(mask), *oui.cast::<[u8; 3]>()) };
    let oui = u32::from_be_bytes([0, a, b, c]);
    let (class, rmpp) = (class as u32, rmpp.into());
    let agent = Agent { qp: 1, class, version: 1, rmpp, oui, methods, ..Agent::default() };
    number(open_port(fd).map(|port| port.register(&agent)))
}

/// `umad_reg_attr`.
#[repr(C)]
#[derive(Debug)]
pub struct RegAttr {
    mgmt_class: u8,
    mgmt_class_version: u8,
    flags: u32,
    method_mask: [u64; 2],
    oui: u32,
    rmpp_version: u8,
}

/// The program does RMPP itself.
const USER_RMPP: u32 = 1;

/// Registers an agent; 0, or the error's number, which is positive here.
///
/// # Safety
/// `attributes` may be read and written, `agent` written to.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_register2(
    fd: c_int,
    attributes: *mut RegAttr,
    agent: *mut u32,
) -> c_int {
    if attributes.is_null() || agent.is_null() {
        return c::EINVAL;
    }
    let Some(port) = open_port(fd) else { return c::EINVAL };
    // SAFETY: the caller's struct, which lives during the call.
    let wanted = unsafe { &mut *attributes };
    if wanted.flags & !USER_RMPP != 0 {
        // What is possible is told.
        wanted.flags = USER_RMPP;
        return c::EINVAL;
    }
    let class = wanted.mgmt_class.into();
    let registration = Agent {
        qp: queue_pair(class),
        class,
        version: wanted.mgmt_class_version.into(),
        rmpp: wanted.rmpp_version.into(),
        user_rmpp: wanted.flags & USER_RMPP,
        oui: wanted.oui,
        methods: wanted.method_mask,
    };
    match port.register(&registration) {
        Ok(number) => {
            // SAFETY: the caller lets it be written to.
            unsafe { *agent = number };
            0
        }
        Err(errno) => errno,
    }
}

/// Takes an agent away.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_unregister(fd: c_int, agent: c_int) -> c_int {
    let Some(port) = open_port(fd) else { return c::fail(c::EINVAL) };
    if !port.has_agent(agent) {
        return c::fail(c::EINVAL);
    }
    port.note_agent(agent as u32, false);
    let body = Writer::default().u64(port.key).u32(agent as u32);
    match ask::ask(kind::UNREGISTER, body) {
        Ok(_) => 0,
        Err(errno) => c::fail(errno),
    }
}
