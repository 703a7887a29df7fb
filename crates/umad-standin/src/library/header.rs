//! The header before a message: its address, its status, and showing it.

use std::ffi::c_int;
use std::process;
use std::sync::atomic::{AtomicI32, Ordering};

use super::devices::Void;
use crate::user_mad::HEADER;

/// Where the address starts in the header.
const ADDRESS: usize = 20;
/// The address's length.
const LENGTH: usize = HEADER - ADDRESS;

/// The header.
///
/// # Safety
/// It is the address of a whole header that nobody else uses as long as the result lives.
unsafe fn header<'a>(umad: *mut Void) -> &'a mut [u8; HEADER] {
    // SAFETY: as the caller promises; bytes need no alignment.
    unsafe { &mut *umad.cast() }
}

fn put<const N: usize>(header: &mut [u8; HEADER], at: usize, bytes: [u8; N]) {
    header[at..at + N].copy_from_slice(&bytes);
}

/// The message behind a header.
///
/// # Safety
/// `umad` is the address of a header with a message behind it.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_mad(umad: *mut Void) -> *mut Void {
    // SAFETY: it stays within what the caller has.
    unsafe { umad.byte_add(HEADER) }
}

/// The header's length.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_size() -> usize {
    HEADER
}

/// The address in a header.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_mad_addr(umad: *mut Void) -> *mut Void {
    // SAFETY: it stays within the header.
    unsafe { umad.byte_add(ADDRESS) }
}

/// The status: 0, or the error number of a message that has failed.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_status(umad: *mut Void) -> c_int {
    // SAFETY: as the caller promises.
    let header = unsafe { header(umad) };
    c_int::from_ne_bytes([header[4], header[5], header[6], header[7]])
}

/// Sets the address; numbers in network order.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_set_addr_net(
    umad: *mut Void,
    lid: u16,
    qp: u32,
    sl: c_int,
    q_key: u32,
) -> c_int {
    // SAFETY: as the caller promises.
    let header = unsafe { header(umad) };
    put(header, 20, qp.to_ne_bytes());
    put(header, 24, q_key.to_ne_bytes());
    put(header, 28, lid.to_ne_bytes());
    header[30] = sl as u8;
    0
}

/// Sets the address.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_set_addr(
    umad: *mut Void,
    lid: c_int,
    qp: c_int,
    sl: c_int,
    q_key: c_int,
) -> c_int {
    let (lid, qp, q_key) = ((lid as u16).to_be(), (qp as u32).to_be(), (q_key as u32).to_be());
    // SAFETY: as the caller promises.
    unsafe { umad_set_addr_net(umad, lid, qp, sl, q_key) }
}

/// Sets the global route header from an address whose flow label is in the machine's order; with
/// null there is none.
///
/// # Safety
/// `umad` is the address of a header, `address` null or that of an `ib_mad_addr`.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_set_grh(umad: *mut Void, address: *const Void) -> c_int {
    // SAFETY: as the caller promises.
    let header = unsafe { header(umad) };
    if address.is_null() {
        header[32] = 0;
        return 0;
    }
    // SAFETY: not null, so that it is an address of this length; it may lie within the header.
    let from = unsafe { *address.cast::<[u8; LENGTH]>() };
    header[32] = 1;
    header[34..36].copy_from_slice(&from[14..16]);
    header[36..52].copy_from_slice(&from[16..32]);
    put(header, 52, [from[35], from[34], from[33], from[32]]);
    0
}

/// Sets the P_Key's place.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_set_pkey(umad: *mut Void, index: c_int) -> c_int {
    // SAFETY: as the caller promises.
    put(unsafe { header(umad) }, 56, (index as u16).to_ne_bytes());
    0
}

/// The P_Key's place.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_get_pkey(umad: *mut Void) -> c_int {
    // SAFETY: as the caller promises.
    let header = unsafe { header(umad) };
    u16::from_ne_bytes([header[56], header[57]]).into()
}

/// How much is told: kept, and without an effect.
static LEVEL: AtomicI32 = AtomicI32::new(0);

/// Sets how much is told, unless the level is negative; gives it back.
#[cfg_attr(standin, unsafe(no_mangle))]
pub extern "C" fn umad_debug(level: c_int) -> c_int {
    if level >= 0 {
        LEVEL.store(level, Ordering::Relaxed);
    }
    LEVEL.load(Ordering::Relaxed)
}

/// Shows an address on standard error.
///
/// # Safety
/// `address` is that of an `ib_mad_addr`.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_addr_dump(address: *const Void) {
    // SAFETY: as the caller promises.
    let from = unsafe { *address.cast::<[u8; LENGTH]>() };
    let wire = |at: usize| u32::from_be_bytes([from[at], from[at + 1], from[at + 2], from[at + 3]]);
    let gid: String = from[16..32].iter().map(|byte| format!("{byte:02x}")).collect();
    eprintln!(
        "ibwarn: [{}] umad_addr_dump: qpn {} qkey 0x{:x} lid {} sl {}\n\
         grh_present {} gid_index {} hop_limit {} traffic_class {} flow_label 0x{:x} \
         pkey_index 0x{:x}\nGid 0x{gid}",
        process::id(),
        wire(0),
        wire(4),
        u16::from_be_bytes([from[8], from[9]]),
        from[10],
        from[12],
        from[13],
        from[14],
        from[15],
        wire(32).to_be(),
        u16::from_ne_bytes([from[36], from[37]]),
    );
}

/// Shows a header on standard error.
///
/// # Safety
/// `umad` is the address of a header.
#[cfg_attr(standin, unsafe(no_mangle))]
pub unsafe extern "C" fn umad_dump(umad: *mut Void) {
    // SAFETY: as the caller promises.
    let bytes = *unsafe { header(umad) };
    let own =
        |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    eprintln!(
        "ibwarn: [{}] umad_dump: agent id {} status {:x} timeout {}",
        process::id(),
        own(0).cast_signed(),
        own(4),
        own(8),
    );
    // SAFETY: the address lies in the header.
    unsafe { umad_addr_dump(umad.byte_add(ADDRESS)) };
}
