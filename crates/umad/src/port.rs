//! An open port: sending and receiving MADs.

use std::ffi::{CString, c_char, c_int, c_long};
use std::io;
use std::sync::Mutex;

use lk_wire::sa::sa_method;
use lk_wire::{Gid, Guid, Lid, MAD_LEN, Sl, class, method};

use crate::api::RawAddress;
use crate::frame::{Frame, HEADER};
use crate::{Library, PortDescription, UmadError};

/// The hop limit of GRHs: enough for any way through routers.
const HOP_LIMIT: u8 = 64;

/// A management class to register for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration<'a> {
    /// The class, one of [`lk_wire::class`].
    pub class: u8,
    /// The version of the class.
    pub version: u8,
    /// 1 when the kernel is to split and to join long MADs (RMPP), else 0.
    pub rmpp_version: u8,
    /// The methods of requests that are to be received. Answers always are.
    pub methods: &'a [u8],
}

impl Registration<'static> {
    /// What a subnet manager needs: directed-route and LID-routed SMPs, with the requests that
    /// others send to it (Get and Set of SMInfo, traps).
    pub const SUBNET_MANAGER: [Self; 2] =
        [Self::subnet(class::SUBN_DR), Self::subnet(class::SUBN_LID)];

    /// What somebody needs who only asks: answers to SMPs. Beside a subnet manager on the same port
    /// nothing more can be had.
    pub const SUBNET_READER: [Self; 2] = [
        Self { methods: &[], ..Self::subnet(class::SUBN_DR) },
        Self { methods: &[], ..Self::subnet(class::SUBN_LID) },
    ];

    /// What subnet administration needs: long messages, and the requests of its class
    /// (IBA 15.2.2).
    pub const SUBNET_ADMINISTRATION: Self = Self {
        class: class::SUBN_ADM,
        version: 2,
        rmpp_version: 1,
        methods: &[
            method::GET,
            method::SET,
            method::GET_TABLE,
            sa_method::GET_TRACE_TABLE,
            sa_method::GET_MULTI,
            method::DELETE,
        ],
    };

    const fn subnet(class: u8) -> Self {
        const METHODS: &[u8] = &[method::GET, method::SET, method::TRAP, method::TRAP_REPRESS];
        Self { class, version: 1, rmpp_version: 0, methods: METHODS }
    }
}

/// Where a MAD goes to or comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The LID.
    pub lid: Lid,
    /// The queue pair: 0 for subnet management, 1 for the other classes.
    pub qp: u32,
    /// The service level.
    pub sl: Sl,
    /// The Q_Key; 0 for subnet management.
    pub q_key: u32,
    /// The index of its P_Key in this port's table. Old kernels do not tell it: 0.
    pub pkey_index: u16,
    /// The low bits of this port's LID.
    pub path_bits: u8,
    /// The other end's GID, where the MAD has a GRH.
    pub gid: Option<Gid>,
}

impl Address {
    /// For SMPs that go along a directed route from here.
    pub const DIRECTED: Self = Self::smi(Lid::PERMISSIVE);

    /// The subnet management interface at `lid`.
    #[must_use]
    pub const fn smi(lid: Lid) -> Self {
        Self { lid, qp: 0, sl: Sl(0), q_key: 0, pkey_index: 0, path_bits: 0, gid: None }
    }

    /// The Q_Key of the general services' queue pair (IBA 16.1.1).
    pub const GSI_Q_KEY: u32 = 0x8001_0000;

    /// Reads libibumad's form of it; `has_pkey`: the P_Key's index is in it.
    fn of(raw: &RawAddress, has_pkey: bool) -> Self {
        let gid = u128::from_be_bytes(raw.gid);
        let gid = Gid { prefix: (gid >> 64) as u64, guid: Guid(gid as u64) };
        Self {
            lid: Lid(u16::from_be(raw.lid)),
            qp: u32::from_be(raw.qpn),
            sl: Sl(raw.sl),
            q_key: u32::from_be(raw.qkey),
            pkey_index: if has_pkey { raw.pkey_index } else { 0 },
            path_bits: raw.path_bits,
            gid: (raw.grh_present != 0).then_some(gid),
        }
    }
}

/// How often the kernel sends a segment again that nobody acknowledges.
const ACK_RETRIES: c_int = 3;

/// What [`Port::recv`] has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A MAD: an answer or a request.
    Mad {
        /// Where it comes from.
        from: Address,
        /// Its bytes, 256 unless the kernel has joined it from several.
        bytes: Vec<u8>,
    },
    /// A request that was sent from here has failed; most often nobody has answered in time.
    SendFailed {
        /// Its class.
        class: u8,
        /// The lower 32 bits of its transaction identifier.
        token: u32,
        /// The system's error number, for example 110 (ETIMEDOUT).
        errno: i32,
    },
    /// Nothing came within the time.
    Nothing,
}

/// An open port. It may be used from several threads at once; one should be in
/// [`Port::recv`].
pub struct Port {
    library: Library,
    description: PortDescription,
    fd: c_int,
    agents: Vec<(u8, c_int)>,
    /// Where libibumad has put the MAD in a frame. It depends on the kernel.
    offset: usize,
    /// The open file that makes the port a subnet manager's.
    is_sm: Mutex<Option<IsSm>>,
}

impl Port {
    /// Opens a port and registers for management classes on it.
    ///
    /// # Errors
    /// The port cannot be opened (no such device, no permission), or somebody else has registered
    /// for the same.
    pub fn open(
        library: &Library,
        description: &PortDescription,
        registrations: &[Registration<'_>],
    ) -> Result<Self, UmadError> {
        let functions = library.functions();
        let error = |source: io::Error| UmadError::Open {
            ca: description.ca.clone(),
            port: description.port,
            hint: hint(&source),
            source,
        };
        let name = c_name(description).map_err(error)?;
        // SAFETY: `name` ends in NUL.
        let fd = unsafe { (functions.umad_open_port)(name.as_ptr(), description.port.into()) };
        if fd < 0 {
            return Err(error(last_error(fd)));
        }
        let mut port = Self {
            library: library.clone(),
            description: description.clone(),
            fd,
            agents: Vec::new(),
            offset: 0,
            is_sm: Mutex::new(None),
        };
        port.offset = port.find_offset().map_err(error)?;
        for registration in registrations {
            port.register(registration)?;
        }
        Ok(port)
    }

    /// The port as it was when it was opened.
    #[must_use]
    pub const fn description(&self) -> &PortDescription {
        &self.description
    }

    /// Where libibumad puts the MAD: known only now that a port is open.
    fn find_offset(&self) -> io::Result<usize> {
        let functions = self.library.functions();
        let mut frame = Frame::new(MAD_LEN);
        let start = frame.as_mut_ptr();
        // SAFETY: takes nothing.
        let size = unsafe { (functions.umad_size)() };
        // SAFETY: only computes an address in the frame.
        let offset = unsafe { (functions.umad_get_mad)(start) }.addr().wrapping_sub(start.addr());
        if offset == size && offset <= HEADER {
            return Ok(offset);
        }
        Err(io::Error::other(format!("libibumad's header of {size} bytes is not known")))
    }

    /// Whether libibumad's header has room for the index of the P_Key.
    const fn has_pkey(&self) -> bool {
        self.offset == HEADER
    }

    fn register(&mut self, registration: &Registration<'_>) -> Result<(), UmadError> {
        const BITS: usize = c_long::BITS as usize;
        let mut mask: [c_long; 128 / BITS] = [0; 128 / BITS];
        for &method in registration.methods {
            // In bounds: the response bit does not count, so that there are 128 methods.
            let method = usize::from(method & !method::RESPONSE_BIT);
            mask[method / BITS] |= 1 << (method % BITS);
        }
        // SAFETY: the mask is 16 bytes of longs, as the library expects it.
        let agent = unsafe {
            (self.library.functions().umad_register)(
                self.fd,
                registration.class.into(),
                registration.version.into(),
                registration.rmpp_version,
                mask.as_mut_ptr(),
            )
        };
        if agent < 0 {
            return Err(UmadError::Register {
                class: registration.class,
                ca: self.description.ca.clone(),
                port: self.description.port,
                source: last_error(agent),
            });
        }
        self.agents.push((registration.class, agent));
        Ok(())
    }

    /// Sends a MAD. With a time-out over 0, a request that is not answered within so many
    /// milliseconds comes back as [`Received::SendFailed`]; answers, and requests that have none,
    /// take 0.
    ///
    /// The upper 32 bits of a request's transaction identifier are overwritten by the kernel.
    ///
    /// # Errors
    /// The class is not registered for, the bytes are not a MAD, or the kernel refuses it.
    pub fn send(&self, to: Address, mad: &[u8], timeout_ms: u32) -> Result<(), UmadError> {
        let class = *mad.get(1).ok_or(UmadError::Length(mad.len()))?;
        let agent = self.agents.iter().find(|agent| agent.0 == class);
        let agent = agent.ok_or(UmadError::NoAgent(class))?.1;
        let length = c_int::try_from(mad.len()).map_err(|_| UmadError::Length(mad.len()))?;
        let timeout = c_int::try_from(timeout_ms).unwrap_or(c_int::MAX);
        // Segments of a long answer are sent again where nobody acknowledges them.
        let retries = if timeout_ms == 0 { ACK_RETRIES } else { 0 };

        let functions = self.library.functions();
        let mut frame = Frame::new(mad.len());
        frame.bytes_mut()[self.offset..self.offset + mad.len()].copy_from_slice(mad);
        let start = frame.as_mut_ptr();
        // SAFETY: the frame has a whole header.
        unsafe {
            (functions.umad_set_addr)(
                start,
                to.lid.0.into(),
                to.qp.cast_signed(),
                to.sl.0.into(),
                to.q_key.cast_signed(),
            )
        };
        // SAFETY: the address lies in the frame's header and is aligned as a u32.
        let raw = unsafe { &mut *(functions.umad_get_mad_addr)(start) };
        raw.path_bits = to.path_bits;
        if self.has_pkey() {
            raw.pkey_index = to.pkey_index;
        }
        if let Some(gid) = to.gid {
            raw.grh_present = 1;
            raw.hop_limit = HOP_LIMIT;
            raw.gid = ((u128::from(gid.prefix) << 64) | u128::from(gid.guid.0)).to_be_bytes();
        }
        // SAFETY: the frame holds a header and `length` bytes; the library writes to the header
        // and does not keep the address.
        let sent =
            unsafe { (functions.umad_send)(self.fd, agent, start, length, timeout, retries) };
        if sent < 0 {
            return Err(UmadError::Send(last_error(sent)));
        }
        Ok(())
    }

    /// Waits at most `wait_ms` milliseconds for a MAD or for a failed send.
    ///
    /// # Errors
    /// The device has gone, or another error that will not go away.
    pub fn recv(&self, wait_ms: u32) -> Result<Received, UmadError> {
        let wait = c_int::try_from(wait_ms).unwrap_or(c_int::MAX);
        // SAFETY: takes no address.
        let ready = unsafe { (self.library.functions().umad_poll)(self.fd, wait) };
        if ready < 0 {
            return nothing_or(last_error(ready));
        }
        let mut frame = Frame::new(MAD_LEN);
        let mut length = MAD_LEN as c_int;
        let mut got = self.read(&mut frame, &mut length);
        // The kernel has joined a long MAD: it says how long, and gives it to a bigger buffer.
        if let Err(error) = &got
            && error.raw_os_error() == Some(libc::ENOSPC)
        {
            frame = Frame::new(usize::try_from(length).unwrap_or_default().max(MAD_LEN));
            length = (frame.bytes().len() - HEADER) as c_int;
            got = self.read(&mut frame, &mut length);
        }
        match got {
            Ok(()) => self.received(frame, length),
            Err(error) => nothing_or(error),
        }
    }

    /// Reads one MAD; `length` is the room for it, then its length.
    fn read(&self, frame: &mut Frame, length: &mut c_int) -> io::Result<()> {
        debug_assert!(HEADER + usize::try_from(*length).unwrap_or(0) <= frame.bytes().len());
        // SAFETY: the frame has room for a header and `length` bytes.
        let agent =
            unsafe { (self.library.functions().umad_recv)(self.fd, frame.as_mut_ptr(), length, 0) };
        if agent < 0 { Err(last_error(agent)) } else { Ok(()) }
    }

    /// What a frame that has been read holds.
    fn received(&self, mut frame: Frame, length: c_int) -> Result<Received, UmadError> {
        let functions = self.library.functions();
        let start = frame.as_mut_ptr();
        // SAFETY: the frame has a whole header.
        let errno = unsafe { (functions.umad_status)(start) };
        // SAFETY: the address lies in the frame's header, is aligned as a u32 and initialised.
        let from = Address::of(unsafe { &*(functions.umad_get_mad_addr)(start) }, self.has_pkey());
        let length = usize::try_from(length).unwrap_or_default();
        let end = (self.offset + length).min(frame.bytes().len());
        let mad = &frame.bytes()[self.offset..end];
        if errno != 0 {
            // The request as it was sent. Its transaction identifier is in bytes 8 to 15.
            let token = mad.get(12..16).and_then(|bytes| bytes.first_chunk());
            let token = u32::from_be_bytes(*token.ok_or(UmadError::Length(length))?);
            let class = mad.get(1).copied().unwrap_or_default();
            return Ok(Received::SendFailed { class, token, errno });
        }
        Ok(Received::Mad { from, bytes: mad.to_vec() })
    }

    /// Sets or clears the port's IsSM bit, which tells the fabric that a subnet manager is here.
    /// It is also cleared when the port is dropped.
    ///
    /// # Errors
    /// The device file cannot be opened: no permission, or another subnet manager holds it.
    pub fn set_is_sm(&self, is_sm: bool) -> Result<(), UmadError> {
        let mut held = self.is_sm.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !is_sm {
            *held = None;
        } else if held.is_none() {
            *held = Some(self.open_is_sm()?);
        }
        Ok(())
    }

    fn open_is_sm(&self) -> Result<IsSm, UmadError> {
        let error = |path: String, source| UmadError::IsSm { path, source };
        let here = || self.description.to_string();
        let name = c_name(&self.description).map_err(|e| error(here(), e))?;
        let mut path = [0 as c_char; 256];
        // SAFETY: `name` ends in NUL; the library writes at most so many bytes, with a NUL.
        let result = unsafe {
            (self.library.functions().umad_get_issm_path)(
                name.as_ptr(),
                self.description.port.into(),
                path.as_mut_ptr(),
                path.len() as c_int,
            )
        };
        if result < 0 {
            return Err(error(here(), last_error(result)));
        }
        // By libc's open and not std's: a stand-in for libibumad's device catches only the former.
        // O_NONBLOCK: an error at once when another holds it, instead of waiting.
        // SAFETY: the path ends in NUL.
        let fd = unsafe { libc::open(path.as_ptr(), libc::O_NONBLOCK) };
        if fd < 0 {
            let source = io::Error::last_os_error();
            // SAFETY: the path ends in NUL.
            let path = unsafe { std::ffi::CStr::from_ptr(path.as_ptr()) };
            return Err(error(path.to_string_lossy().into_owned(), source));
        }
        Ok(IsSm(fd))
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // SAFETY: the descriptor is the library's and not used again. Its agents go with it.
        unsafe { (self.library.functions().umad_close_port)(self.fd) };
    }
}

impl std::fmt::Debug for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Port({})", self.description)
    }
}

/// The open issm file. It may be a stand-in's made-up descriptor, so that it must not be a
/// `std::fs::File`.
struct IsSm(c_int);

impl Drop for IsSm {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours and not used again.
        unsafe { libc::close(self.0) };
    }
}

/// The device's name for the library.
fn c_name(description: &PortDescription) -> io::Result<CString> {
    CString::new(description.ca.as_str()).map_err(io::Error::from)
}

/// The error behind a negative result. libibumad gives the error's number itself where it knows
/// it, and -1, -EPERM or -EIO where errno says more.
fn last_error(result: c_int) -> io::Error {
    let errno = io::Error::last_os_error();
    match result.saturating_neg() {
        libc::EPERM | libc::EIO if errno.raw_os_error() != Some(0) => errno,
        number => io::Error::from_raw_os_error(number),
    }
}

/// Errors that only mean that nothing has come.
fn nothing_or(error: io::Error) -> Result<Received, UmadError> {
    match error.raw_os_error() {
        Some(libc::ETIMEDOUT | libc::EAGAIN | libc::EINTR) => Ok(Received::Nothing),
        _ => Err(UmadError::Receive(error)),
    }
}

/// What to do about a port that cannot be opened.
fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => "; run as root, or allow access to /dev/infiniband",
        Some(libc::ENOENT | libc::EINVAL | libc::ENODEV | libc::ENXIO) => {
            "; is the kernel module ib_umad loaded?"
        }
        _ => "",
    }
}
