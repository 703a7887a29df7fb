//! libibumad's functions, found at run time.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::fmt;
use std::sync::Arc;

use crate::UmadError;

/// The length of a device's name in libibumad's structs, with the NUL at its end.
pub(crate) const CA_NAME_LEN: usize = 20;
/// The length of the array of ports in `umad_ca`.
pub(crate) const CA_MAX_PORTS: usize = 10;

/// libibumad's `umad_port`, of its interface 3.
#[repr(C)]
pub(crate) struct RawPort {
    pub(crate) ca_name: [c_char; CA_NAME_LEN],
    pub(crate) portnum: c_int,
    pub(crate) base_lid: u32,
    pub(crate) lmc: u32,
    pub(crate) sm_lid: u32,
    pub(crate) sm_sl: u32,
    pub(crate) state: u32,
    pub(crate) phys_state: u32,
    pub(crate) rate: u32,
    pub(crate) capmask: u32,
    /// In network order.
    pub(crate) gid_prefix: u64,
    /// In network order.
    pub(crate) port_guid: u64,
    pub(crate) pkeys_size: u32,
    pub(crate) pkeys: *mut u16,
    pub(crate) link_layer: [c_char; CA_NAME_LEN],
}

/// libibumad's `umad_ca`, of its interface 3.
#[repr(C)]
pub(crate) struct RawCa {
    pub(crate) ca_name: [c_char; CA_NAME_LEN],
    pub(crate) node_type: u32,
    pub(crate) numports: c_int,
    pub(crate) fw_ver: [c_char; 20],
    pub(crate) ca_type: [c_char; 40],
    pub(crate) hw_ver: [c_char; 20],
    pub(crate) node_guid: u64,
    pub(crate) system_guid: u64,
    pub(crate) ports: [*mut RawPort; CA_MAX_PORTS],
}

/// libibumad's `ib_mad_addr`. Numbers are in network order, but for the P_Key's index, which with
/// old kernels is not there: the MAD lies in its place.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawAddress {
    pub(crate) qpn: u32,
    pub(crate) qkey: u32,
    pub(crate) lid: u16,
    pub(crate) sl: u8,
    pub(crate) path_bits: u8,
    pub(crate) grh_present: u8,
    pub(crate) gid_index: u8,
    pub(crate) hop_limit: u8,
    pub(crate) traffic_class: u8,
    pub(crate) gid: [u8; 16],
    pub(crate) flow_label: u32,
    pub(crate) pkey_index: u16,
    pub(crate) reserved: [u8; 6],
}

/// Makes the table of functions and the code that finds them.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions of the library that are used.
        #[derive(Clone, Copy)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Functions {
            fn find(library: &libloading::Library, name: &str) -> Result<Self, UmadError> {
                Ok(Self {
                    $($name: {
                        let symbol = stringify!($name);
                        // SAFETY: the type is that of the function in libibumad's header, which
                        // its interface 3 (the .so.3 that was loaded) keeps.
                        let found = unsafe { library.get(symbol.as_bytes()) };
                        *found.map_err(|e| UmadError::NoFunction {
                            library: name.to_owned(),
                            symbol,
                            reason: e.to_string(),
                        })?
                    },)*
                })
            }
        }
    };
}

functions! {
    umad_init: fn() -> c_int;
    umad_get_cas_names: fn(*mut [c_char; CA_NAME_LEN], c_int) -> c_int;
    umad_get_ca: fn(*const c_char, *mut RawCa) -> c_int;
    umad_release_ca: fn(*mut RawCa) -> c_int;
    umad_open_port: fn(*const c_char, c_int) -> c_int;
    umad_close_port: fn(c_int) -> c_int;
    umad_get_issm_path: fn(*const c_char, c_int, *mut c_char, c_int) -> c_int;
    umad_register: fn(c_int, c_int, c_int, u8, *mut c_long) -> c_int;
    umad_size: fn() -> usize;
    umad_get_mad: fn(*mut c_void) -> *mut c_void;
    umad_get_mad_addr: fn(*mut c_void) -> *mut RawAddress;
    umad_status: fn(*mut c_void) -> c_int;
    umad_set_addr: fn(*mut c_void, c_int, c_int, c_int, c_int) -> c_int;
    umad_send: fn(c_int, c_int, *mut c_void, c_int, c_int, c_int) -> c_int;
    umad_recv: fn(c_int, *mut c_void, *mut c_int, c_int) -> c_int;
    umad_poll: fn(c_int, c_int) -> c_int;
}

/// libibumad, loaded and started. Cheap to clone; the library stays loaded while a clone or a
/// [`crate::Port`] of it lives.
#[derive(Clone)]
pub struct Library(Arc<Loaded>);

struct Loaded {
    functions: Functions,
    name: &'static str,
    /// Keeps the functions valid; dropped last.
    _library: libloading::Library,
}

/// Where the library is looked for, in this order. The loader's own path comes with the first.
const NAMES: [&str; 2] = ["libibumad.so.3", "libibumad.so"];

impl Library {
    /// Loads libibumad by the system's loader and starts it.
    ///
    /// # Errors
    /// The library is not installed ([`UmadError::NoLibrary`]), is another one
    /// ([`UmadError::NoFunction`]), or the kernel's side of it is missing
    /// ([`UmadError::NotStarted`]).
    pub fn load() -> Result<Self, UmadError> {
        Self::load_from(&NAMES)
    }

    /// [`Self::load`], from these names or paths.
    pub(crate) fn load_from(names: &[&'static str]) -> Result<Self, UmadError> {
        let mut reasons = Vec::new();
        for &name in names {
            // SAFETY: libibumad runs no code when it is loaded that could break ours: it has no
            // constructors. (A preloaded library has been loaded long before.)
            match unsafe { libloading::Library::new(name) } {
                Ok(library) => return Self::start(library, name),
                Err(e) => reasons.push(e.to_string()),
            }
        }
        Err(UmadError::NoLibrary { looked_for: names.join(", "), reason: reasons.join("; ") })
    }

    fn start(library: libloading::Library, name: &'static str) -> Result<Self, UmadError> {
        let functions = Functions::find(&library, name)?;
        // SAFETY: takes nothing, may be called more than once.
        if unsafe { (functions.umad_init)() } < 0 {
            return Err(UmadError::NotStarted);
        }
        Ok(Self(Arc::new(Loaded { functions, name, _library: library })))
    }

    /// The functions. They are valid while `self` or a clone of it lives.
    pub(crate) fn functions(&self) -> &Functions {
        &self.0.functions
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Library({})", self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named_with_its_package() {
        let error = Library::load_from(&["libibumad-that-is-not-there.so.3"]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("install the package libibumad3"), "{text}");
        assert!(text.contains("libibumad-that-is-not-there.so.3"), "{text}");
    }

    #[test]
    fn another_library_is_refused() {
        let error = Library::load_from(&["libc.so.6"]).unwrap_err();
        assert!(matches!(error, UmadError::NoFunction { symbol: "umad_init", .. }), "{error}");
    }
}
