//! The buffer that libibumad wants: its header and a MAD behind it.

use std::ffi::c_void;

/// A buffer for one MAD with libibumad's header, aligned for both.
pub(crate) struct Frame(Vec<u64>);

/// libibumad's header as its own type has it. It uses 8 bytes less with old kernels.
pub(crate) const HEADER: usize = 64;

impl Frame {
    /// A frame of zeros that has room for a MAD of `length` bytes.
    pub(crate) fn new(length: usize) -> Self {
        Self(vec![0; (HEADER + length).div_ceil(8)])
    }

    /// Where the frame is.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        let length = self.0.len() * 8;
        // SAFETY: the words are initialised, a byte has no alignment, and the borrow is of self.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), length) }
    }

    /// The bytes, to be written.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.0.len() * 8;
        // SAFETY: as in `bytes`; every pattern of bytes is a word.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), length) }
    }
}
