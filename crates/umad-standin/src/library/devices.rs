//! Devices and ports: what there is, and what it is like just now.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use super::{ask, c};
use crate::protocol::{Device, Port, kind};

const NAME: usize = 20;
const MAX_PORTS: usize = 10;

/// `umad_port`.
#[repr(C)]
#[derive(Debug)]
pub struct UmadPort {
    ca_name: [c_char; NAME],
    portnum: c_int,
    base_lid: u32,
    lmc: u32,
    sm_lid: u32,
    sm_sl: u32,
    state: u32,
    phys_state: u32,
    rate: u32,
    capmask: u32,
    gid_prefix: u64,
    port_guid: u64,
    pkeys_size: u32,
    pkeys: *mut u16,
    link_layer: [c_char; NAME],
}

/// `umad_ca`.
#[repr(C)]
#[derive(Debug)]
pub struct UmadCa {
    ca_name: [c_char; NAME],
    node_type: u32,
    numports: c_int,
    fw_ver: [c_char; 20],
    ca_type: [c_char; 40],
    hw_ver: [c_char; 20],
    node_guid: u64,
    system_guid: u64,
    ports: [*mut UmadPort; MAX_PORTS],
}

/// `umad_device_node`.
#[repr(C)]
#[derive(Debug)]
pub struct DeviceNode {
    next: *mut DeviceNode,
    ca_name: *const c_char,
}

/// A text in a C array, cut where it does not fit, with a NUL at its end.
fn array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (place, byte) in array.iter_mut().take(N - 1).zip(text.bytes()) {
        *place = byte as c_char;
    }
    array
}

/// The device, where the name is its own or none is given.
///
/// # Safety
/// The name is null or ends in NUL.
pub(super) unsafe fn named(name: *const c_char) -> Result<Device, c_int> {
    let device = ask::device()?;
    if name.is_null() {
        return Ok(device);
    }
    // SAFETY: not null, so that it ends in NUL.
    let wanted = unsafe { CStr::from_ptr(name) };
    if wanted.to_bytes() == device.name.as_bytes() { Ok(device) } else { Err(c::ENODEV) }
}

/// The port with a number; for 0 on an adapter the first that is active, else the first that is
/// up, else the first.
pub(super) fn numbered(device: &Device, number: c_int) -> Result<&Port, c_int> {
    const STATE: usize = 4;
    const PHYS_STATE: usize = 5;
    const ACTIVE: u32 = 4;
    const LINK_UP: u32 = 5;
    let ports = &device.ports;
    if let Some(port) = ports.iter().find(|port| i64::from(port.number) == i64::from(number)) {
        return Ok(port);
    }
    if number != 0 {
        return Err(c::EINVAL);
    }
    let active = ports.iter().find(|port| port.numbers[STATE] == ACTIVE);
    let up = || ports.iter().find(|port| port.numbers[PHYS_STATE] == LINK_UP);
    active.or_else(up).or(ports.first()).ok_or(c::EINVAL)
}

fn describe(device: &Device, port: &Port) -> UmadPort {
    let [base_lid, lmc, sm_lid, sm_sl, state, phys_state, rate, capmask] = port.numbers;
    let keys: Box<[u16]> = port.pkeys.clone().into();
    let pkeys_size = keys.len() as u32;
    UmadPort {
        ca_name: array(&device.name),
        portnum: port.number as c_int,
        base_lid,
        lmc,
        sm_lid,
        sm_sl,
        state,
        phys_state,
        rate,
        capmask: capmask.to_be(),
        gid_prefix: port.prefix.to_be(),
        port_guid: port.guid.to_be(),
        pkeys_size,
        pkeys: Box::into_raw(keys).cast(),
        link_layer: array("InfiniBand"),
    }
}

/// Nothing has to be prepared.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_init() -> c_int {
    0
}

/// Nothing has to be put away.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_done() -> c_int {
    0
}

/// The names of the devices: there is one.
///
/// # Safety
/// `names` has room for `max` names of 20 bytes.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_cas_names(names: *mut [c_char; NAME], max: c_int) -> c_int {
    let Ok(device) = ask::device() else { return 0 };
    if max < 1 || names.is_null() {
        return 0;
    }
    // SAFETY: there is room for one name at least.
    unsafe { *names = array(&device.name) };
    1
}

/// The GUIDs of a device's ports from port 0 on, where an adapter has none.
///
/// # Safety
/// The name is null or ends in NUL; `guids` is null or has room for `max` GUIDs.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_ca_portguids(
    name: *const c_char,
    guids: *mut u64,
    max: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    let device = match unsafe { named(name) } {
        Ok(device) => device,
        Err(errno) => return c::fail(errno),
    };
    let last = device.ports.iter().map(|port| port.number).max().unwrap_or_default();
    let count = last as usize + 1;
    if guids.is_null() {
        return 0;
    }
    if usize::try_from(max).unwrap_or_default() < count {
        return c::fail(c::ENOMEM);
    }
    for number in 0..count {
        let port = device.ports.iter().find(|port| port.number as usize == number);
        let guid = port.map_or(0, |port| port.guid.to_be());
        // SAFETY: `number` is below `max`.
        unsafe { *guids.add(number) = guid };
    }
    count as c_int
}

/// A device with all its ports.
///
/// # Safety
/// The name is null or ends in NUL; `ca` may be written to.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_ca(name: *const c_char, ca: *mut UmadCa) -> c_int {
    // SAFETY: as the caller promises.
    let device = match unsafe { named(name) } {
        Ok(device) => device,
        Err(errno) => return c::fail(errno),
    };
    let mut ports = [ptr::null_mut(); MAX_PORTS];
    for port in &device.ports {
        if let Some(place) = ports.get_mut(port.number as usize) {
            *place = Box::into_raw(Box::new(describe(&device, port)));
        }
    }
    let last = device.ports.iter().map(|port| port.number).max().unwrap_or_default();
    let described = UmadCa {
        ca_name: array(&device.name),
        node_type: device.node_type,
        numports: last as c_int,
        fw_ver: array("0.0.0"),
        ca_type: array("simulated"),
        hw_ver: array("0"),
        node_guid: device.node_guid.to_be(),
        system_guid: device.system_guid.to_be(),
        ports,
    };
    // SAFETY: the caller lets it be written to; what was there is not dropped.
    unsafe { ca.write(described) };
    0
}

/// Gives a device's memory back.
///
/// # Safety
/// `ca` comes from [`umad_get_ca`].
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_release_ca(ca: *mut UmadCa) -> c_int {
    if ca.is_null() {
        return -c::ENODEV;
    }
    // SAFETY: the caller's struct, which lives during the call.
    let ca = unsafe { &mut *ca };
    for port in &mut ca.ports {
        if !port.is_null() {
            // SAFETY: made by `Box::into_raw` in umad_get_ca, and forgotten right after.
            unsafe {
                umad_release_port(*port);
                drop(Box::from_raw(*port));
            }
            *port = ptr::null_mut();
        }
    }
    0
}

/// One port of a device.
///
/// # Safety
/// The name is null or ends in NUL; `port` may be written to.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_port(
    name: *const c_char,
    number: c_int,
    port: *mut UmadPort,
) -> c_int {
    // SAFETY: as the caller promises.
    let found = unsafe { named(name) }
        .and_then(|device| numbered(&device, number).map(|port| describe(&device, port)));
    match found {
        Ok(described) => {
            // SAFETY: the caller lets it be written to; what was there is not dropped.
            unsafe { port.write(described) };
            0
        }
        Err(errno) => c::fail(errno),
    }
}

/// Gives a port's memory back.
///
/// # Safety
/// `port` comes from [`umad_get_port`] or [`umad_get_ca`].
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_release_port(port: *mut UmadPort) -> c_int {
    if port.is_null() {
        return -c::ENODEV;
    }
    // SAFETY: the caller's struct, which lives during the call.
    let port = unsafe { &mut *port };
    if !port.pkeys.is_null() {
        let keys = ptr::slice_from_raw_parts_mut(port.pkeys, port.pkeys_size as usize);
        // SAFETY: made by `Box::into_raw` with this length, and forgotten right after.
        drop(unsafe { Box::from_raw(keys) });
        port.pkeys = ptr::null_mut();
        port.pkeys_size = 0;
    }
    0
}

/// The file that makes a port a subnet manager's for as long as it is open.
///
/// # Safety
/// The name is null or ends in NUL; `path` has room for `max` bytes.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_issm_path(
    name: *const c_char,
    number: c_int,
    path: *mut c_char,
    max: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    let found = unsafe { named(name) }.and_then(|device| {
        let port = numbered(&device, number)?;
        ask::ask(kind::ISSM, ask::question().u32(port.number))
    });
    let text = match found.map(CString::new) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return c::fail(c::EIO),
        Err(errno) => return c::fail(errno),
    };
    let bytes = text.as_bytes_with_nul();
    if usize::try_from(max).unwrap_or_default() < bytes.len() {
        return c::fail(c::ENOSPC);
    }
    // SAFETY: there is room for all bytes, and the two do not overlap.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr().cast(), path, bytes.len()) };
    0
}

/// A list of the devices, which is to be given back.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_get_ca_device_list() -> *mut DeviceNode {
    let name = ask::device().ok().and_then(|device| CString::new(device.name).ok());
    let Some(name) = name else {
        c::fail(c::ENODEV);
        return ptr::null_mut();
    };
    let node = DeviceNode { next: ptr::null_mut(), ca_name: name.into_raw() };
    Box::into_raw(Box::new(node))
}

/// Gives a list back.
///
/// # Safety
/// `head` comes from [`umad_get_ca_device_list`].
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_free_ca_device_list(mut head: *mut DeviceNode) {
    while !head.is_null() {
        // SAFETY: made by `Box::into_raw` with a name made by `CString::into_raw`; each is met
        // once.
        unsafe {
            let node = Box::from_raw(head);
            drop(CString::from_raw(node.ca_name.cast_mut()));
            head = node.next;
        }
    }
}

/// Sorts a list by the names.
///
/// # Safety
/// `head` points to a list of `size` entries, or of as many as there are where `size` is 0.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_sort_ca_device_list(
    head: *mut *mut DeviceNode,
    size: usize,
) -> c_int {
    if head.is_null() {
        return c::EINVAL;
    }
    let mut nodes = Vec::new();
    // SAFETY: the caller's list, of which each entry is met once.
    unsafe {
        let mut node = *head;
        while !node.is_null() && (size == 0 || nodes.len() < size) {
            nodes.push(node);
            node = (*node).next;
        }
        // In the real library, too: a size that is not the list's is an error.
        if size != 0 && (nodes.len() != size || !node.is_null()) {
            return c::EINVAL;
        }
        nodes.sort_by_key(|node| CStr::from_ptr((**node).ca_name));
        let mut next = ptr::null_mut();
        for node in nodes.into_iter().rev() {
            (*node).next = next;
            next = node;
        }
        *head = next;
    }
    0
}

/// Keeps the type of C's untyped addresses in one place.
pub(super) type Void = c_void;
